//! Branch and bound over groups of k to 2k - 1 rows.
//!
//! A node is a set of rows that are still free. The row that must pay most is the next to get a group:
//! every set of rows that could be it is tried, cheapest first. A row that is free pays at least the
//! cheapest pattern that k of the free rows fit; what all of them pay together is the bound. A set of free
//! rows that was reached before at no greater cost is not looked at again.

use hashbrown::{HashMap, HashSet};

use super::balance::BlankBalance;
use super::context::RowGrouping;
use super::small_table::SmallTable;
use crate::kit::KeyedHashState;
use crate::search::{Control, StopReason};

/// A whole grouping and what it is worth.
#[derive(Clone)]
pub(super) struct ScoredGrouping {
    pub(super) grouping: RowGrouping,
    pub(super) cost: f64,
    pub(super) spread: BlankBalance,
}

/// The search.
pub(super) struct PartitionSearch<'a> {
    small: &'a SmallTable,
    control: &'a Control,
    pub(super) best: ScoredGrouping,
    pub(super) nodes: u64,
    most_nodes: u64,
    pub(super) stopped: Option<StopReason>,
    /// Whether blanks are balanced, at the cost of the best.
    balance: bool,
    path: RowGrouping,
    seen: HashMap<(u64, u32), f64, KeyedHashState>,
    seen_balance: HashSet<(u64, Vec<u32>), KeyedHashState>,
}

/// Places that are remembered, at most.
const REMEMBERED: usize = 1 << 20;

/// What is known at a node.
struct PartitionNode {
    free: u64,
    cost: f64,
    out: u32,
    /// Blanks per column, and the most in a row at the end; kept for the balance only.
    columns: Vec<u32>,
}

/// A group as far as it has grown.
#[derive(Clone, Copy)]
struct PartialGroup {
    rows: u64,
    size: usize,
    mask: u64,
    /// Where the rows that may still join begin.
    from: usize,
}

/// The rows that may join a group, and what the others must pay.
struct JoinCandidates<'c> {
    node: &'c PartitionNode,
    candidates: &'c [usize],
    least: &'c [f64],
    total: f64,
}

impl<'a> PartitionSearch<'a> {
    pub(super) fn new(
        small: &'a SmallTable,
        start: ScoredGrouping,
        most_nodes: u64,
        control: &'a Control,
    ) -> Self {
        PartitionSearch {
            small,
            control,
            best: start,
            nodes: 0,
            most_nodes,
            stopped: None,
            balance: false,
            path: RowGrouping::default(),
            seen: HashMap::with_hasher(KeyedHashState::default()),
            seen_balance: HashSet::with_hasher(KeyedHashState::default()),
        }
    }

    /// What rounding may do to a cost.
    pub(super) fn slack(&self) -> f64 {
        1e-9 * (1.0 + self.best.cost)
    }

    /// Whether all nodes that matter were looked at.
    pub(super) fn is_done(&self) -> bool {
        self.stopped.is_none() && self.nodes < self.most_nodes
    }

    pub(super) fn run(&mut self, balance: bool) {
        self.balance = balance;
        let small = self.small;
        if balance
            && self.best.spread
                <= BlankBalance::least(&small.weights, small.rows as u64, self.best.cost)
        {
            return;
        }
        let free = if self.small.rows == 64 { u64::MAX } else { (1 << self.small.rows) - 1 };
        let columns = if balance { vec![0; self.small.columns + 1] } else { Vec::new() };
        self.descend(&PartitionNode { free, cost: 0.0, out: 0, columns });
    }

    fn ends(&mut self) -> bool {
        if self.nodes & 0x3FF == 0 {
            self.stopped = self.stopped.or_else(|| self.control.stop());
        }
        !self.is_done()
    }

    /// Whether nothing below a cost, with these blanks so far, can be better than the best.
    fn hopeless(&self, bound: f64, columns: &[u32], cost: f64) -> bool {
        if !self.balance {
            return bound >= self.best.cost - self.slack();
        }
        if bound > self.best.cost + self.slack() {
            return true;
        }
        let (Some(&row), columns) = (columns.last(), &columns[..columns.len() - 1]) else {
            return false;
        };
        // At most so many blanks are still to come; at best they fill the columns that have fewest.
        let light = self.small.weights.iter().copied().fold(f64::INFINITY, f64::min);
        let mut coming = ((self.best.cost + self.slack() - cost) / light) as u64;
        let most = columns.iter().copied().max().unwrap_or(0);
        let mut level = columns.iter().copied().min().unwrap_or(0);
        while level < most {
            let at_level = columns.iter().filter(|&&blanks| blanks <= level).count() as u64;
            if at_level > coming {
                break;
            }
            coming -= at_level;
            level += 1;
        }
        let least = BlankBalance { columns: u64::from(most - level), row: u64::from(row) };
        least >= self.best.spread
    }

    fn is_known(&mut self, node: &PartitionNode) -> bool {
        if self.balance {
            let mut key = node.columns.clone();
            key.push(node.out);
            if self.seen_balance.len() < REMEMBERED {
                return !self.seen_balance.insert((node.free, key));
            }
            return self.seen_balance.contains(&(node.free, key));
        }
        let full = self.seen.len() >= REMEMBERED;
        let (cost, slack) = (node.cost, self.slack());
        match self.seen.get_mut(&(node.free, node.out)) {
            Some(known) if *known <= cost + slack => true,
            Some(known) => {
                *known = cost;
                false
            }
            None if full => false,
            None => {
                self.seen.insert((node.free, node.out), cost);
                false
            }
        }
    }

    /// What a free row pays at least.
    fn least(&self, row: usize, free: u64) -> f64 {
        let enough = |rows: u64| (rows & free).count_ones() as usize >= self.small.k;
        let prices = &self.small.prices[row];
        let price = prices.iter().find(|(_, rows)| enough(*rows)).map(|(price, _)| *price);
        // Too few are left: it can only be suppressed.
        price.unwrap_or_else(|| self.small.weight(self.whole()))
    }

    fn whole(&self) -> u64 {
        if self.small.columns == 64 { u64::MAX } else { (1 << self.small.columns) - 1 }
    }

    fn descend(&mut self, node: &PartitionNode) {
        self.nodes += 1;
        if self.ends() {
            return;
        }
        if node.free == 0 {
            self.arrive(node);
            return;
        }
        let small = self.small;
        let (left, may_go) = (node.free.count_ones() as usize, small.limit - node.out as usize);
        if left < small.k && left > may_go {
            return;
        }
        let mut least = vec![0.0; small.rows];
        let (mut total, mut next) = (0.0, (f64::NEG_INFINITY, 0));
        for row in bits(node.free) {
            least[row] = self.least(row, node.free);
            total += least[row];
            if least[row] > next.0 {
                next = (least[row], row);
            }
        }
        if self.hopeless(node.cost + total, &node.columns, node.cost) || self.is_known(node) {
            return;
        }
        let row = next.1;
        let mut candidates: Vec<(f64, usize)> = bits(node.free & !(1 << row))
            .map(|other| (small.weight(small.differ(row, other)), other))
            .collect();
        // Equal rows stand together.
        candidates.sort_by(|a, b| {
            a.0.total_cmp(&b.0).then(small.twin[a.1].cmp(&small.twin[b.1])).then(a.1.cmp(&b.1))
        });
        let candidates: Vec<usize> = candidates.into_iter().map(|(_, other)| other).collect();
        let company = JoinCandidates { node, candidates: &candidates, least: &least, total };
        self.grow(&company, PartialGroup { rows: 1 << row, size: 1, mask: 0, from: 0 });
        if may_go > 0 {
            self.path.out.push(row as u32);
            self.step(node, 1 << row, self.whole(), true);
            self.path.out.pop();
        }
    }

    /// Tries all groups that contain the rows of one that grows.
    fn grow(&mut self, company: &JoinCandidates<'_>, group: PartialGroup) {
        self.nodes += 1;
        if self.ends() {
            return;
        }
        let small = self.small;
        let pays = small.weight(group.mask);
        let more: f64 = bits(group.rows).map(|row| (pays - company.least[row]).max(0.0)).sum();
        let bound = company.node.cost + company.total + more;
        if self.hopeless(bound, &company.node.columns, company.node.cost) {
            return;
        }
        if group.size >= small.k {
            self.path.groups.push(bits(group.rows).map(|row| row as u32).collect());
            self.step(company.node, group.rows, group.mask, false);
            self.path.groups.pop();
        }
        if group.size + 1 >= 2 * small.k {
            return;
        }
        for at in group.from..company.candidates.len() {
            let other = company.candidates[at];
            // Of equal rows the first that are free are taken.
            let skipped = at > group.from && small.differ(other, company.candidates[at - 1]) == 0;
            if skipped {
                continue;
            }
            let mask =
                bits(group.rows).fold(group.mask, |mask, row| mask | small.differ(row, other));
            self.grow(
                company,
                PartialGroup {
                    rows: group.rows | 1 << other,
                    size: group.size + 1,
                    mask,
                    from: at + 1,
                },
            );
        }
    }

    /// Goes on without some rows.
    fn step(&mut self, node: &PartitionNode, rows: u64, mask: u64, out: bool) {
        let number = rows.count_ones();
        let mut columns = node.columns.clone();
        if let Some((most, columns)) = columns.split_last_mut() {
            bits(mask).for_each(|at| columns[at] += number);
            *most = (*most).max(mask.count_ones());
        }
        let cost = node.cost + f64::from(number) * self.small.weight(mask);
        let out = node.out + u32::from(out);
        self.descend(&PartitionNode { free: node.free & !rows, cost, out, columns });
    }

    fn arrive(&mut self, node: &PartitionNode) {
        let spread = match node.columns.split_last() {
            Some((&row, columns)) => {
                let (most, least) = (columns.iter().max(), columns.iter().min());
                let spread = most.zip(least).map_or(0, |(most, least)| most - least);
                BlankBalance { columns: u64::from(spread), row: u64::from(row) }
            }
            // Not looked at.
            None => self.best.spread,
        };
        let cheaper = node.cost < self.best.cost - self.slack();
        let evener =
            self.balance && node.cost <= self.best.cost + self.slack() && spread < self.best.spread;
        if cheaper || evener {
            self.best = ScoredGrouping { grouping: self.path.clone(), cost: node.cost, spread };
        }
    }
}

/// The places of the bits that are set, ascending.
fn bits(set: u64) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        let at = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (at < 64).then_some(at)
    })
}
