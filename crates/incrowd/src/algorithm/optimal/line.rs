//! A bound from one axis: the cheapest way to divide it, if all other cuts were made.
//!
//! Joining cells along one axis raises the bound by at least as much after cells were joined along others. So
//! the least rise over all divisions of the axis, a shortest path over its runs, is a bound for every
//! solution; where rises add up ([`Kernel::RISES_ADD`]) it adds to the rises along other axes. Going through a
//! cut, or past it, gives bounds for making it and for not making it.

use crate::cuts::{Choice, sum_up};

use super::kernel::{Kernel, Word};
use super::layout::Key;
use super::node::{Ground, Node};
use super::places::Places;

/// The cost of intervals of the last axis, and the cheapest ways to and from each run.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// The axis's slots.
    pub(super) slots: std::ops::Range<usize>,
    /// The first values of its runs.
    runs: Vec<u16>,
    /// By run: what others have taken of the rises of the cuts before it.
    paid: Vec<u64>,
    /// How many runs there are.
    count: usize,
    /// By first run and end: by how much joining raises the bound. Without the rows suppressed.
    joins: Vec<u64>,
    /// By first run and end: what the slices of classes that fail cost beyond their bound.
    losses: Vec<u64>,
    /// By first run and end: rows in such slices; more than any if there can be no such interval.
    lost: Vec<u32>,
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

/// More than anything costs.
const NEVER: u64 = u64::MAX / 4;

impl Line {
    /// Prices the intervals.
    pub(super) fn build<M: Kernel, K: Key>(&mut self, ground: &Ground<'_, M>, node: &Node<K, M>) {
        let layout = &ground.layout;
        let axis = layout.last;
        let runs = &node.runs[axis];
        self.count = runs.len();
        self.slots = layout.slots_of(axis);
        self.runs.clone_from(runs);
        let stride = self.count + 1;
        for table in [&mut self.joins, &mut self.losses] {
            table.clear();
            table.resize(stride * stride, 0);
        }
        self.lost.clear();
        self.lost.resize(stride * stride, 0);
        let mut rank = vec![0u16; layout.values[axis]];
        for (at, &run) in runs.iter().enumerate() {
            rank[usize::from(run)] = at as u16;
        }
        let axes = ground.axes();
        let mut slices = vec![Word::default(); self.count];
        let mut places = Places::default();
        let mut groups: Vec<(K, M::Load, u64)> = Vec::new();
        let mut member: Vec<usize> = Vec::new();
        let mut sorted: Vec<(usize, usize, M::Load)> = Vec::new();
        let (shift, mask) = layout.fields[axis];
        for (at, class) in node.classes.iter().enumerate() {
            let (low, high) = node.bounds[at * axes + axis];
            if low == high {
                continue;
            }
            let cells = &node.cells[class.start as usize..class.end as usize];
            let (from, to) =
                (usize::from(rank[usize::from(low)]), usize::from(rank[usize::from(high)]));
            slices[from..=to].fill(Word::default());
            let by_cells = ground.kernel.bound(class.word) == class.word.base;
            for cell in cells {
                let place = usize::from(rank[usize::from(cell.key.field(shift, mask))]);
                slices[place].add(ground.kernel.word(&cell.load));
            }
            if by_cells {
                // Cells that differ in this axis alone are a group; few groups cost anything when joined.
                places.clear(cells.len());
                groups.clear();
                member.clear();
                for cell in cells {
                    let rest = cell.key.with(shift, mask, 0);
                    let new = groups.len();
                    let known = places.find_or_put(rest, new, |at| groups[at].0);
                    match known {
                        Some(at) => {
                            ground.kernel.join(&mut groups[at].1, &cell.load);
                            groups[at].2 += ground.kernel.word(&cell.load).base;
                        }
                        None => {
                            groups.push((rest, cell.load, ground.kernel.word(&cell.load).base));
                        }
                    }
                    member.push(known.unwrap_or(new));
                }
                sorted.clear();
                for (cell, &group) in cells.iter().zip(&member) {
                    let (_, joined, apart) = &groups[group];
                    if ground.kernel.word(joined).base > *apart {
                        let place = rank[usize::from(cell.key.field(shift, mask))];
                        sorted.push((group, usize::from(place), cell.load));
                    }
                }
                sorted.sort_unstable_by_key(|&(group, place, _)| (group, place));
                for group in sorted.chunk_by(|one, other| one.0 == other.0) {
                    self.join(ground.kernel, group);
                }
            }
            self.lose(ground, &slices, (from, to), by_cells);
        }
        sum_up(&mut self.joins, self.count);
        self.rule_out(ground, node);
    }

    /// Notes by how much joining cells of one group raises the bound, as mixed second differences: what the
    /// first and last of them add to the interval from one to the other.
    fn join<M: Kernel>(&mut self, kernel: &M, group: &[(usize, usize, M::Load)]) {
        let stride = self.count + 1;
        let size = group.len();
        // By first and last: the base of all from one to the other.
        let base = &mut self.base;
        base.clear();
        base.resize(size * size, 0);
        for first in 0..size {
            let mut joined = group[first].2;
            base[first * size + first] = kernel.word(&joined).base;
            for last in first + 1..size {
                kernel.join(&mut joined, &group[last].2);
                base[first * size + last] = kernel.word(&joined).base;
            }
        }
        for first in 0..size {
            for last in first + 1..size {
                let inner = if first + 1 < last { base[(first + 1) * size + last - 1] } else { 0 };
                let more = base[first * size + last].wrapping_add(inner).wrapping_sub(
                    base[(first + 1) * size + last].wrapping_add(base[first * size + last - 1]),
                );
                let slot = group[first].1 * stride + group[last].1;
                self.joins[slot] = self.joins[slot].wrapping_add(more);
            }
        }
    }

    /// Notes the slices of one class that fail.
    fn lose<M: Kernel>(
        &mut self,
        ground: &Ground<'_, M>,
        slices: &[Word],
        (from, to): (usize, usize),
        by_cells: bool,
    ) {
        let stride = self.count + 1;
        for first in 0..self.count {
            if first > to {
                break;
            }
            let mut sum = Word::default();
            for end in first + 1..=self.count {
                if end > from && end <= to + 1 {
                    sum.add(slices[end - 1]);
                }
                if sum.rows() >= ground.k || (first <= from && end > to) {
                    break;
                }
                if sum.rows() > 0 {
                    let slot = first * stride + end;
                    self.lost[slot] += sum.rows() as u32;
                    self.losses[slot] += ground.kernel.slice_loss(sum, by_cells);
                }
            }
        }
    }

    /// Rules out the intervals that the axis does not allow, and those that a cut that is in divides.
    fn rule_out<M: Kernel, K: Key>(&mut self, ground: &Ground<'_, M>, node: &Node<K, M>) {
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
                    self.lost[slot] = u32::MAX;
                }
                open &= node.choices[first_slot + begin(end)] != Choice::In;
            }
        }
    }

    /// Which run begins at a slot, if it is one of this axis.
    pub(super) fn run_at(&self, slot: usize) -> Option<usize> {
        let value = slot.checked_sub(self.slots.start)?;
        self.runs.binary_search(&(value as u16)).ok().filter(|_| self.slots.contains(&slot))
    }

    /// What joining along the cuts that are out by now has raised the bound by already.
    pub(super) fn spent(&self, choices: &[Choice]) -> u64 {
        let (mut spent, mut first) = (0, 0);
        for end in 1..=self.count {
            let out = |&run: &u16| choices[self.slots.start + usize::from(run)] == Choice::Out;
            if !self.runs.get(end).is_some_and(out) {
                spent += self.joins[first * (self.count + 1) + end];
                first = end;
            }
        }
        spent
    }

    /// The least rise of a division at runs that are alive, without the rows lost, if no interval suppresses
    /// more than `most`; anything from `enough` on is as good as any other.
    pub(super) fn path(&self, most: u64, alive: &[bool], enough: u64) -> u64 {
        let stride = self.count + 1;
        let mut ways: Vec<(usize, u64)> = Vec::with_capacity(stride);
        ways.push((0, 0));
        for end in (1..=self.count).filter(|&end| alive[end]) {
            let mut best = NEVER;
            for &(first, way) in ways.iter().rev() {
                let slot = first * stride + end;
                let joins = self.joins[slot];
                // A longer interval raises the bound no less.
                if joins >= enough {
                    break;
                }
                if u64::from(self.lost[slot]) <= most {
                    best = best.min(way + joins);
                }
            }
            ways.push((end, best));
        }
        ways.last().map_or(0, |&(_, way)| way)
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
        if u64::from(self.lost[slot]) > most {
            return NEVER;
        }
        // The cuts inside the interval, of which something may have been taken, are not made.
        let taken = self.paid[end] - self.paid[first + 1];
        self.joins[slot] - taken + if charged { self.losses[slot] } else { 0 }
    }

    /// The least rise if no interval suppresses more than `most` rows and all begin at runs that are alive,
    /// without the rows lost.
    pub(super) fn least(&mut self, most: u64, alive: &[bool]) -> u64 {
        self.go_forward(false, most, alive);
        self.forward.last().copied().unwrap_or(0)
    }

    fn go_forward(&mut self, charged: bool, most: u64, alive: &[bool]) {
        self.forward.clear();
        self.forward.push(0);
        for end in 1..=self.count {
            let ways =
                (0..end).map(|first| self.forward[first] + self.step(first, end, charged, most));
            let best = ways.min().filter(|_| alive[end]).unwrap_or(NEVER);
            self.forward.push(best.min(NEVER));
        }
    }

    /// The same with the rows lost or without; also for every cut made and unmade.
    pub(super) fn ways(&mut self, charged: bool, most: u64, alive: &[bool]) -> u64 {
        let count = self.count;
        self.go_forward(charged, most, alive);
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
        self.forward[count]
    }
}
