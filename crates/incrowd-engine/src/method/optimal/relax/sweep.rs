//! All attributes but one decided cut by cut, and that one by a shortest path.
//!
//! Once the cuts of all other attributes are decided, every class lies in one interval of the last, so what an interval
//! costs does not depend on the others of that attribute: the cheapest division is a shortest path, and exact. While cuts
//! are open, a class can be as small as if all of them were made and as large as if none were: rows that are too few even
//! then are suppressed, and rows that are too few if all are made pay for a wider interval in one attribute at least. Where
//! few cuts are open besides the longest attribute's, this ends where multipliers only come near.

use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::context::{AttributeIntervals, RelaxationContext};
use super::tree::BatchProgress;
use crate::search::Control;

/// With more open cuts, and more combinations of the other attributes, there is no end in sight.
const MOST_OPEN: usize = 24;
const MOST_GROUPS: usize = 4_096;

/// So many nodes are worked on side by side. It decides what is found, and so does not depend on the machine.
const BATCH: usize = 256;

/// So many nodes are worked on before others may help.
const ALONE: u64 = 1 << 20;

/// More than anything costs, and still a number.
const NEVER: f64 = 1e18;

/// The first cuts of the order are decided; the others are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SweepNode {
    /// Lower bounds are greater: they are worked on first.
    bound: std::cmp::Reverse<i64>,
    /// Of nodes with one bound, the deepest first.
    depth: u32,
    /// The cuts that are made, by their places in the order.
    made: u32,
}

/// What becomes of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CutState {
    Made,
    Unmade,
    Open,
}

/// The open nodes.
pub(super) struct LastAxisSweep {
    ground: RelaxationContext,
    /// The attribute that is divided by a shortest path.
    last: usize,
    /// The open cuts of the others, by attribute and position: those first that matter most.
    order: Vec<(usize, usize)>,
    /// By attribute and position what is settled from the beginning.
    states: Vec<Vec<CutState>>,
    /// Combinations of the other attributes: by attribute the value of each.
    groups: Vec<Vec<u16>>,
    /// By value of the last attribute and combination, how many rows lie below it.
    below: Vec<Vec<u32>>,
    open: BinaryHeap<SweepNode>,
    looked_at: u64,
    /// How many nodes were worked on since somebody asked.
    pub(super) nodes: u64,
}

/// A node looked at.
struct SweepBound {
    /// Nothing in it costs less.
    bound: f64,
    /// The first values of the intervals of the last attribute.
    firsts: Vec<usize>,
}

/// An interval between neighbouring cuts that are made or open.
struct CutInterval {
    /// The least that a row pays for the attribute, and what it pays more at least for a wider interval than this.
    least: f64,
    wider: f64,
}

impl LastAxisSweep {
    /// The sweep, where few enough cuts are open; the table again otherwise.
    pub(super) fn new(ground: RelaxationContext) -> Result<Self, Box<RelaxationContext>> {
        let states: Vec<Vec<CutState>> = ground.fields.iter().map(settled).collect();
        let open_cuts = |states: &Vec<CutState>| {
            states.iter().filter(|state| **state == CutState::Open).count()
        };
        let Some(last) = (0..states.len()).max_by_key(|&axis| (open_cuts(&states[axis]), axis))
        else {
            return Err(Box::new(ground));
        };
        let mut order: Vec<(i64, usize, usize)> = Vec::new();
        for (axis, field) in ground.fields.iter().enumerate().filter(|it| it.0 != last) {
            let whole = field.costs[field.at(0, field.values)];
            let parts = |position: usize| {
                field.costs[field.at(0, position)] + field.costs[field.at(position, field.values)]
            };
            let open = (1..field.values).filter(|&at| states[axis][at] == CutState::Open);
            order.extend(open.map(|position| (parts(position) - whole, axis, position)));
        }
        order.sort_unstable();
        let order: Vec<(usize, usize)> =
            order.into_iter().map(|(_, axis, position)| (axis, position)).collect();
        // Combinations of parts are numbered.
        let bits: f64 = ground.fields.iter().map(|field| (field.values as f64).log2()).sum();
        if order.len() > MOST_OPEN || bits > 62.0 {
            return Err(Box::new(ground));
        }
        let Some((groups, below)) = grouped(&ground, last) else { return Err(Box::new(ground)) };
        let whole = SweepNode { bound: std::cmp::Reverse(0), depth: 0, made: 0 };
        let open = BinaryHeap::from([whole]);
        Ok(LastAxisSweep {
            ground,
            last,
            order,
            states,
            groups,
            below,
            open,
            looked_at: 0,
            nodes: 0,
        })
    }

    /// Works on the nodes of lowest bound. `below` is what a cut set must cost less than.
    pub(super) fn step(&mut self, below: i64, control: &Control) -> BatchProgress {
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some(node) = self.open.pop()
        {
            if node.bound.0 < below {
                batch.push(node);
            }
        }
        let this = &*self;
        let seen: Vec<Vec<(SweepNode, Option<SweepBound>)>> = batch
            .par_iter()
            .with_max_len(1)
            .map(|&node| {
                if control.stop().is_some() {
                    return vec![(node, None)];
                }
                let halves = match node.depth as usize == this.order.len() {
                    true => vec![node],
                    false => {
                        let depth = node.depth + 1;
                        let cut = node.made | 1 << node.depth;
                        vec![SweepNode { depth, made: cut, ..node }, SweepNode { depth, ..node }]
                    }
                };
                halves.into_iter().map(|node| (node, Some(this.look(node, below)))).collect()
            })
            .collect();
        let mut proposals = Vec::new();
        let mut least = below;
        for (node, seen) in seen.into_iter().flatten() {
            let Some(SweepBound { bound, firsts }) = seen else {
                self.open.push(node);
                continue;
            };
            self.nodes += 1;
            self.looked_at += 1;
            if bound >= below as f64 {
                continue;
            }
            let bound = (bound as i64).max(node.bound.0);
            match node.depth as usize == self.order.len() {
                true if bound < least => {
                    least = bound;
                    proposals.push((self.cuts(node, &firsts), true));
                }
                true => {}
                false => self.open.push(SweepNode { bound: std::cmp::Reverse(bound), ..node }),
            }
        }
        // The best of them is enough.
        proposals.drain(..proposals.len().saturating_sub(1));
        BatchProgress { bound: self.open.peek().map(|node| node.bound.0), proposals }
    }

    /// Whether it should go on alone: its bound says little before it ends, which is soon or never.
    pub(super) fn goes_on_alone(&self) -> bool {
        self.looked_at < ALONE
    }

    fn state(&self, node: SweepNode) -> Vec<Vec<CutState>> {
        let mut states = self.states.clone();
        for (at, &(axis, position)) in self.order.iter().enumerate().take(node.depth as usize) {
            states[axis][position] =
                if node.made >> at & 1 == 1 { CutState::Made } else { CutState::Unmade };
        }
        states
    }

    /// What costs at least how much in a node; exact where all cuts are decided.
    fn look(&self, node: SweepNode, below: i64) -> SweepBound {
        let (ground, below) = (&self.ground, below as f64);
        let states = self.state(node);
        let others = || (0..states.len()).filter(|&axis| axis != self.last);
        let mut parts: Vec<(Vec<CutInterval>, Vec<u16>, Vec<u16>)> =
            Vec::with_capacity(states.len() - 1);
        for axis in others() {
            let (fine, coarse) = (ranks(&states[axis], true), ranks(&states[axis], false));
            let priced = priced(&ground.fields[axis], &fine, &coarse);
            if priced.iter().any(|part| part.least >= NEVER) {
                return SweepBound { bound: NEVER, firsts: Vec::new() };
            }
            parts.push((priced, fine, coarse));
        }
        // Combinations that lie in the same parts.
        let mut keys: Vec<(u64, u64, u32)> = (0..self.below[0].len())
            .map(|group| {
                let (mut fine, mut coarse) = (0u64, 0u64);
                for ((priced, of_fine, of_coarse), values) in parts.iter().zip(&self.groups) {
                    let value = usize::from(values[group]);
                    fine = fine * priced.len() as u64 + u64::from(of_fine[value]);
                    coarse = coarse * priced.len() as u64 + u64::from(of_coarse[value]);
                }
                (coarse, fine, group as u32)
            })
            .collect();
        keys.sort_unstable();
        let classes: Vec<&[(u64, u64, u32)]> = keys.chunk_by(|a, b| a.1 == b.1).collect();
        let (mut least, mut more) = (Vec::new(), Vec::new());
        for class in &classes {
            let group = class[0].2 as usize;
            let (mut sum, mut wider) = (0.0, NEVER);
            for ((priced, fine, _), values) in parts.iter().zip(&self.groups) {
                let part = &priced[usize::from(fine[usize::from(values[group])])];
                sum += part.least;
                wider = part.wider.min(wider);
            }
            least.push(sum);
            more.push(sum + wider);
        }
        let count = classes.len();
        let values = ground.fields[self.last].values;
        // By value of the last attribute and class, the rows below it, of the class and of the largest that it can become.
        let mut fine = vec![0u32; (values + 1) * count];
        let mut coarse = vec![0u32; (values + 1) * count];
        for (value, below) in self.below.iter().enumerate() {
            let row = value * count;
            for (at, class) in classes.iter().enumerate() {
                fine[row + at] = class.iter().map(|it| below[it.2 as usize]).sum();
            }
            let mut from = 0;
            for together in classes.chunk_by(|a, b| a[0].0 == b[0].0) {
                let rows: u32 = fine[row + from..row + from + together.len()].iter().sum();
                coarse[row + from..row + from + together.len()].fill(rows);
                from += together.len();
            }
        }
        let lost = ground.suppressed.map_or(NEVER, |price| price as f64);
        let k = u32::try_from(ground.k).unwrap_or(u32::MAX);
        let field = &ground.fields[self.last];
        let mut length = vec![f64::INFINITY; values + 1];
        let mut before = vec![0usize; values + 1];
        length[0] = 0.0;
        for first in 0..values {
            let here = length[first];
            if here >= below {
                continue;
            }
            let (low, low_wide) = (row_of(&fine, first, count), row_of(&coarse, first, count));
            for end in first + 1..=values {
                let at = field.at(first, end);
                if !field.allowed[at] {
                    continue;
                }
                let price = field.prices[at] as f64;
                let (high, high_wide) = (row_of(&fine, end, count), row_of(&coarse, end, count));
                let mut cost = 0.0;
                for class in 0..count {
                    let rows = high[class] - low[class];
                    let most = high_wide[class] - low_wide[class];
                    let maybe = (price + more[class]).min(lost);
                    let each = if rows >= k { price + least[class] } else { maybe };
                    let each = if most < k { lost } else { each };
                    cost += f64::from(rows) * each;
                }
                if here + cost < length[end] {
                    length[end] = here + cost;
                    before[end] = first;
                }
            }
        }
        let mut firsts = Vec::new();
        if length[values] < below {
            let mut end = values;
            while end > 0 {
                end = before[end];
                firsts.push(end);
            }
        }
        SweepBound { bound: length[values], firsts }
    }

    /// The cut set of a node without open cuts: 1 for a cut that is made.
    fn cuts(&self, node: SweepNode, firsts: &[usize]) -> Vec<Vec<f64>> {
        let states = self.state(node);
        let mut cuts: Vec<Vec<f64>> = states
            .iter()
            .map(|states| states.iter().map(|&it| f64::from(it == CutState::Made)).collect())
            .collect();
        let values = self.ground.fields[self.last].values;
        cuts[self.last] = vec![0.0; values + 1];
        firsts.iter().for_each(|&first| cuts[self.last][first] = 1.0);
        for cuts in &mut cuts {
            cuts[0] = 1.0;
            cuts.last_mut().into_iter().for_each(|last| *last = 1.0);
        }
        cuts
    }
}

fn row_of(table: &[u32], row: usize, width: usize) -> &[u32] {
    &table[row * width..(row + 1) * width]
}

/// What is settled of the cuts of an attribute by which intervals may be made.
fn settled(field: &AttributeIntervals) -> Vec<CutState> {
    let values = field.values;
    let state = |position: usize| {
        if position == 0 || position == values {
            return CutState::Made;
        }
        let crossed = (0..position)
            .any(|first| (position + 1..=values).any(|end| field.allowed[field.at(first, end)]));
        let met = (0..position).any(|first| field.allowed[field.at(first, position)])
            && (position + 1..=values).any(|end| field.allowed[field.at(position, end)]);
        match (crossed, met) {
            (false, _) => CutState::Made,
            (true, false) => CutState::Unmade,
            (true, true) => CutState::Open,
        }
    };
    (0..=values).map(state).collect()
}

/// The combinations of all attributes but the last, and how many of their rows lie below each value of that.
#[allow(clippy::type_complexity, reason = "two tables of the sweep")]
fn grouped(ground: &RelaxationContext, last: usize) -> Option<(Vec<Vec<u16>>, Vec<Vec<u32>>)> {
    let others: Vec<usize> = (0..ground.fields.len()).filter(|&axis| axis != last).collect();
    let key = |cell: usize| others.iter().map(move |&axis| ground.values[axis][cell]);
    let mut order: Vec<usize> = (0..ground.counts.len()).collect();
    order.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
    let groups: Vec<&[usize]> = order.chunk_by(|&a, &b| key(a).eq(key(b))).collect();
    if groups.is_empty() || groups.len() > MOST_GROUPS {
        return None;
    }
    let mut below = vec![vec![0u32; groups.len()]; ground.fields[last].values + 1];
    for (at, group) in groups.iter().enumerate() {
        for &cell in *group {
            let value = usize::from(ground.values[last][cell]) + 1;
            below[value][at] = below[value][at].checked_add(ground.counts[cell])?;
        }
        for value in 1..below.len() {
            below[value][at] = below[value][at].checked_add(below[value - 1][at])?;
        }
    }
    let values = others
        .iter()
        .map(|&axis| groups.iter().map(|group| ground.values[axis][group[0]]).collect())
        .collect();
    Some((values, below))
}

/// The part that each value lies in, where open cuts are made or not.
fn ranks(states: &[CutState], made: bool) -> Vec<u16> {
    let mut rank = 0;
    let values = states.len() - 1;
    (0..values)
        .map(|value| {
            let is_cut = states[value] == CutState::Made || made && states[value] == CutState::Open;
            rank += u16::from(value > 0 && is_cut);
            rank
        })
        .collect()
}

/// What the parts of an attribute cost at least, joined with others or not.
fn priced(field: &AttributeIntervals, fine: &[u16], coarse: &[u16]) -> Vec<CutInterval> {
    let values = field.values;
    let count = fine.last().map_or(0, |&rank| usize::from(rank) + 1);
    let mut edges: Vec<usize> =
        (0..values).filter(|&at| at == 0 || fine[at] != fine[at - 1]).collect();
    edges.push(values);
    let mut own = vec![NEVER; count];
    let mut wide = vec![NEVER; count];
    for first in 0..count {
        for end in first + 1..=count {
            // No interval reaches across a cut that is made.
            if coarse[edges[first]] != coarse[edges[end] - 1] {
                break;
            }
            let at = field.at(edges[first], edges[end]);
            if !field.allowed[at] {
                continue;
            }
            let price = field.prices[at] as f64;
            if end == first + 1 {
                own[first] = price;
            } else {
                wide[first..end].iter_mut().for_each(|wide| *wide = wide.min(price));
            }
        }
    }
    let part = |(own, wide): (f64, f64)| {
        let least = own.min(wide);
        CutInterval { least, wider: if wide >= NEVER { NEVER } else { wide - least } }
    };
    own.into_iter().zip(wide).map(part).collect()
}
