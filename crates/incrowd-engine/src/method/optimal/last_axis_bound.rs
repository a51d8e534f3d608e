//! A bound from one axis: the cheapest way to divide it, if all other cuts were made.
//!
//! Joining cells along one axis raises the bound by at least as much after cells were joined along others. So
//! the least rise over all divisions of the axis, a shortest path over its runs, is a bound for every
//! solution; where rises add up ([`CostModel::RISES_ADD`]) it adds to the rises along other axes. Going through a
//! cut, or past it, gives bounds for making it and for not making it.

use crate::space::cuts::{CutDecision, sum_up};

use super::cost_model::{CostModel, PackedSum};
use super::join_groups::JoinGroups;
use super::layout::CellKey;
use super::node::{ProverContext, ProverNode};

/// The cost of intervals of the last axis, and the cheapest ways to and from each run.
#[derive(Debug, Default)]
pub(super) struct LastAxisBound {
    /// The axis's slots.
    pub(super) slots: std::ops::Range<usize>,
    /// The first values of its runs.
    runs: Vec<u16>,
    /// By value: the run that begins at it.
    rank: Vec<u16>,
    /// By run: what others have taken of the rises of the cuts before it.
    paid: Vec<u64>,
    /// How many runs there are.
    count: usize,
    /// By first run and end: by how much joining raises the bound. Without the rows suppressed.
    joins: Vec<u64>,
    /// What intervals lose.
    lost: IntervalLosses,
    /// What they lose at least if one more cut of another axis is made.
    given: IntervalLosses,
    base: Vec<u64>,
    forward: Vec<u64>,
    backward: Vec<u64>,
    /// By run: the least rise if the cut at its beginning is made.
    pub(super) made: Vec<u64>,
    /// By run: the least rise if it is not made.
    pub(super) unmade: Vec<u64>,
    /// By run: the least rise if it is made, without the rows lost.
    pub(super) quiet_made: Vec<u64>,
}

/// What is lost in intervals: slices of classes that fail.
#[derive(Debug, Default)]
struct IntervalLosses {
    /// By first run and end: rows; more than any if there can be no such interval.
    rows: Vec<u32>,
    /// By first run and end: what they cost beyond their bound.
    cost: Vec<u64>,
}

/// More than anything costs.
const NEVER: u64 = u64::MAX / 4;

impl LastAxisBound {
    /// Prices the intervals.
    pub(super) fn build<M: CostModel, K: CellKey>(
        &mut self,
        ground: &ProverContext<'_, M>,
        node: &ProverNode<K, M>,
        groups: &mut JoinGroups<K, M::Load>,
    ) {
        let layout = &ground.layout;
        let axis = layout.last;
        let runs = &node.runs[axis];
        self.count = runs.len();
        self.slots = layout.slots_of(axis);
        self.runs.clone_from(runs);
        let stride = self.count + 1;
        self.joins.clear();
        self.joins.resize(stride * stride, 0);
        self.lost.clear(self.count);
        self.rank.clear();
        self.rank.resize(layout.values[axis], 0);
        for (at, &run) in runs.iter().enumerate() {
            self.rank[usize::from(run)] = at as u16;
        }
        let axes = ground.axes();
        let mut slices = vec![PackedSum::default(); self.count];
        let (shift, mask) = layout.fields[axis];
        for (at, class) in node.classes.iter().enumerate() {
            let (low, high) = node.bounds[at * axes + axis];
            if low == high {
                continue;
            }
            let cells = &node.cells[class.start as usize..class.end as usize];
            let rank = &self.rank;
            let place = |key: K| rank[usize::from(key.field(shift, mask))];
            let [from, to] = [low, high].map(|value| usize::from(rank[usize::from(value)]));
            slices[from..=to].fill(PackedSum::default());
            for cell in cells {
                slices[usize::from(place(cell.key))].add(ground.kernel.word(&cell.load));
            }
            let by_cells = ground.kernel.bound(class.word) == class.word.base;
            if by_cells {
                groups.collect(ground.kernel, cells, |key| key.with(shift, mask, 0), place);
                groups.each(|group| self.join(ground.kernel, group));
            }
            self.lost.add(ground, &slices, (from, to), by_cells);
        }
        sum_up(&mut self.joins, self.count);
        self.rule_out(ground, node);
    }

    /// Notes by how much joining cells of one group raises the bound, as mixed second differences: what the
    /// first and last of them add to the interval from one to the other.
    fn join<M: CostModel>(&mut self, kernel: &M, group: &[(u16, M::Load)]) {
        let stride = self.count + 1;
        // By last: the base of all from the one after the first to it.
        let inner = &mut self.base;
        inner.clear();
        inner.resize(group.len() + 1, 0);
        for (first, (place, load)) in group.iter().enumerate().rev() {
            let mut joined = *load;
            let own = kernel.word(load).base;
            // Of all up to the last, without the first and with it.
            let (mut without, mut with) = (0, own);
            inner[first] = own;
            for (last, (end, load)) in group.iter().enumerate().skip(first + 1) {
                kernel.join(&mut joined, load);
                let base = kernel.word(&joined).base;
                let more = base.wrapping_add(without).wrapping_sub(inner[last].wrapping_add(with));
                let slot = usize::from(*place) * stride + usize::from(*end);
                self.joins[slot] = self.joins[slot].wrapping_add(more);
                (without, with) = (inner[last], base);
                inner[last] = base;
            }
        }
    }

    /// Rules out the intervals that the axis does not allow, and those that a cut that is in divides.
    fn rule_out<M: CostModel, K: CellKey>(
        &mut self,
        ground: &ProverContext<'_, M>,
        node: &ProverNode<K, M>,
    ) {
        let axis = ground.layout.last;
        let runs = &node.runs[axis];
        let first_slot = ground.layout.first[axis];
        let stride = self.count + 1;
        let values = ground.layout.values[axis];
        let begin = |run: usize| runs.get(run).map_or(values, |&run| usize::from(run));
        for first in 0..self.count {
            let mut open = true;
            for end in first + 1..=self.count {
                let slot = first * stride + end;
                if !open || !ground.space.axes[axis].allows(begin(first), begin(end)) {
                    self.lost.rows[slot] = u32::MAX;
                }
                open &= node.choices[first_slot + begin(end)] != CutDecision::In;
            }
        }
    }

    /// Which run begins at a slot, if it is one of this axis.
    pub(super) fn run_at(&self, slot: usize) -> Option<usize> {
        let value = slot.checked_sub(self.slots.start)?;
        self.runs.binary_search(&(value as u16)).ok().filter(|_| self.slots.contains(&slot))
    }

    /// What joining along the cuts that are out by now has raised the bound by already.
    pub(super) fn spent(&self, choices: &[CutDecision]) -> u64 {
        let (mut spent, mut first) = (0, 0);
        for end in 1..=self.count {
            let out = |&run: &u16| choices[self.slots.start + usize::from(run)] == CutDecision::Out;
            if !self.runs.get(end).is_some_and(out) {
                spent += self.joins[first * (self.count + 1) + end];
                first = end;
            }
        }
        spent
    }

    /// Works out what intervals lose if a cut of another axis is made, too.
    pub(super) fn suppose<M: CostModel, K: CellKey>(
        &mut self,
        ground: &ProverContext<'_, M>,
        node: &ProverNode<K, M>,
        slot: usize,
    ) {
        let (layout, axes) = (&ground.layout, ground.axes());
        let (other, cut) = layout.cut(slot);
        let [(shift, mask), (across, within)] =
            [layout.last, other].map(|axis| layout.fields[axis]);
        self.given.clear(self.count);
        let mut slices = [(); 2].map(|()| vec![PackedSum::default(); self.count]);
        for (at, class) in node.classes.iter().enumerate() {
            let (low, high) = node.bounds[at * axes + layout.last];
            let [from, to] = [low, high].map(|value| usize::from(self.rank[usize::from(value)]));
            for side in &mut slices {
                side[from..=to].fill(PackedSum::default());
            }
            for cell in &node.cells[class.start as usize..class.end as usize] {
                let place = self.rank[usize::from(cell.key.field(shift, mask))];
                let side = usize::from(cell.key.field(across, within)) >= cut;
                slices[usize::from(side)][usize::from(place)].add(ground.kernel.word(&cell.load));
            }
            let by_cells = ground.kernel.bound(class.word) == class.word.base;
            for side in &slices {
                self.given.add(ground, side, (from, to), by_cells);
            }
        }
    }

    /// The least rise of a division at runs that are alive, if no interval suppresses more than `most` rows:
    /// without the rows lost and, if a further cut is supposed, with them.
    ///
    /// Anything from `enough` on is as good as any other.
    pub(super) fn path(
        &self,
        most: u64,
        alive: &[bool],
        enough: u64,
        supposed: bool,
    ) -> (u64, u64) {
        let stride = self.count + 1;
        let mut ways: Vec<(usize, u64, u64)> = Vec::with_capacity(stride);
        ways.push((0, 0, 0));
        for end in (1..=self.count).filter(|&end| alive[end]) {
            let (mut best, mut loud) = (NEVER, NEVER);
            for &(first, way, loud_way) in ways.iter().rev() {
                let slot = first * stride + end;
                let joins = self.joins[slot];
                // A longer interval raises the bound no less.
                if joins >= enough {
                    break;
                }
                let (mut rows, mut cost) = (self.lost.rows[slot], 0);
                if supposed {
                    (rows, cost) = (rows.max(self.given.rows[slot]), self.given.cost[slot]);
                }
                if u64::from(rows) <= most {
                    best = best.min(way + joins);
                    loud = loud.min(loud_way + joins + cost);
                }
            }
            ways.push((end, best, loud));
        }
        ways.last().map_or((0, 0), |&(_, quiet, loud)| (quiet, loud))
    }

    /// How many runs there are.
    pub(super) fn runs(&self) -> usize {
        self.count
    }

    /// Takes account of what others have taken of the rises of the cuts at the beginning of runs.
    pub(super) fn pay(&mut self, taken: impl Iterator<Item = (usize, u64)>) {
        self.paid.clear();
        self.paid.resize(self.count + 1, 0);
        for (run, taken) in taken {
            self.paid[run + 1] = taken;
        }
        for run in 0..self.count {
            self.paid[run + 1] += self.paid[run];
        }
    }

    /// What an interval raises the bound by, with the rows lost along this axis charged or not, if it may
    /// suppress `most` rows.
    #[inline]
    fn step(&self, first: usize, end: usize, charged: bool, most: u64) -> u64 {
        let slot = first * (self.count + 1) + end;
        if u64::from(self.lost.rows[slot]) > most {
            return NEVER;
        }
        // The cuts inside the interval, of which something may have been taken, are not made.
        let taken = self.paid[end] - self.paid[first + 1];
        self.joins[slot] - taken + if charged { self.lost.cost[slot] } else { 0 }
    }

    /// The least rise if no interval suppresses more than `most` rows and all begin at runs that are alive,
    /// with the rows lost charged or not.
    pub(super) fn least(&mut self, charged: bool, most: u64, alive: &[bool]) -> u64 {
        self.forward.clear();
        self.forward.push(0);
        for (end, &alive) in alive.iter().enumerate().skip(1) {
            let ways =
                (0..end).map(|first| self.forward[first] + self.step(first, end, charged, most));
            let best = ways.min().filter(|_| alive).unwrap_or(NEVER);
            self.forward.push(best.min(NEVER));
        }
        self.forward.last().copied().unwrap_or(0)
    }

    /// The same, also for every cut made and unmade.
    pub(super) fn ways(&mut self, charged: bool, most: u64, alive: &[bool]) -> u64 {
        let count = self.count;
        let least = self.least(charged, most, alive);
        self.backward.clear();
        self.backward.resize(count + 1, NEVER);
        self.backward[count] = 0;
        for first in (0..count).rev().filter(|&first| alive[first]) {
            let ways = (first + 1..=count)
                .map(|end| self.step(first, end, charged, most) + self.backward[end]);
            self.backward[first] = ways.min().unwrap_or(NEVER).min(NEVER);
        }
        self.made.clear();
        self.made.extend((0..count).map(|run| self.forward[run] + self.backward[run]));
        self.unmade.clear();
        self.unmade.resize(count, NEVER);
        for first in 0..count {
            let mut best = NEVER;
            // Past a run lead all intervals that end after it.
            for end in (first + 2..=count).rev() {
                let way = self.step(first, end, charged, most) + self.backward[end];
                best = best.min(self.forward[first] + way);
                self.unmade[end - 1] = self.unmade[end - 1].min(best);
            }
        }
        least
    }
}

impl IntervalLosses {
    fn clear(&mut self, runs: usize) {
        let size = (runs + 1) * (runs + 1);
        self.rows.clear();
        self.rows.resize(size, 0);
        self.cost.clear();
        self.cost.resize(size, 0);
    }

    /// Adds the slices of a class, or of a part of one, that fail. It lies in the runs `from` to `to`.
    fn add<M: CostModel>(
        &mut self,
        ground: &ProverContext<'_, M>,
        slices: &[PackedSum],
        (from, to): (usize, usize),
        by_cells: bool,
    ) {
        let stride = slices.len() + 1;
        for first in 0..=to {
            let mut sum = PackedSum::default();
            for end in first.max(from) + 1..stride {
                if end <= to + 1 {
                    sum.add(slices[end - 1]);
                }
                if sum.rows() >= ground.k {
                    break;
                }
                if sum.rows() > 0 {
                    let slot = first * stride + end;
                    self.rows[slot] += sum.rows() as u32;
                    self.cost[slot] += ground.kernel.slice_loss(sum, by_cells);
                }
            }
        }
    }
}
