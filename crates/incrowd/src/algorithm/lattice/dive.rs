//! A depth-first search below one box of the lattice.
//!
//! A box is cut in two along one attribute: in one part its level stays at most at m, in the other it is
//! above m. The first part keeps the low corner and gets a new high one, the second part the other way
//! round, so a cut costs two roll-ups, both from the classes of the low corner. Every node whose classes
//! are counted is a corner of one box only: nothing is counted twice.

use std::rc::Rc;

use super::frequencies::{Frequencies, Roller};
use super::judge::{Desk, Measure};
use super::levels::{Lattice, Node};
use super::ranking::Ranking;
use super::search::Search;

/// A box that is not yet searched: all nodes from `low` to `high`.
#[derive(Debug, Clone)]
pub(super) struct Sketch {
    low: Node,
    high: Node,
    /// No solution in the box costs less.
    pub(super) bound: f64,
    /// Whether the corners have been looked at.
    known: bool,
}

impl Sketch {
    /// All nodes.
    pub(super) fn whole(lattice: &Lattice<'_>) -> Self {
        Sketch { low: lattice.bottom(), high: lattice.top(), bound: 0.0, known: false }
    }
}

/// What a dive brings.
pub(super) struct Haul {
    pub(super) ranking: Ranking,
    /// Boxes that were left for later.
    pub(super) open: Vec<Sketch>,
    /// Nodes looked at.
    pub(super) checked: u64,
}

/// A box with all that is known of its corners.
struct Open<const W: usize> {
    low: Node,
    high: Node,
    /// The classes of the low corner.
    table: Rc<Frequencies<W>>,
    of_low: Rc<Measure>,
    of_high: Rc<Measure>,
    bound: f64,
}

pub(super) struct Dive<'a, const W: usize> {
    search: &'a Search<'a>,
    bottom: &'a Frequencies<W>,
    ranking: Ranking,
    gap: f64,
    budget: u64,
    roller: Roller<'a, W>,
    desk: Desk,
    /// Where the classes of high corners are counted; only their measure is kept.
    scratch: Frequencies<W>,
    checked: u64,
}

impl<'a, const W: usize> Dive<'a, W> {
    pub(super) fn new(
        search: &'a Search<'a>,
        bottom: &'a Frequencies<W>,
        ranking: &Ranking,
        gap: f64,
        budget: u64,
    ) -> Self {
        Dive {
            search,
            bottom,
            ranking: ranking.clone(),
            gap,
            budget,
            roller: Roller::new(search.lattice, search.layout, &search.judge.relevant),
            desk: search.judge.desk(),
            scratch: Frequencies::default(),
            checked: 0,
        }
    }

    /// Searches a box until the budget is spent or the watch says stop.
    pub(super) fn run(mut self, sketch: &Sketch) -> Haul {
        let mut stack: Vec<Open<W>> = self.open(sketch).into_iter().collect();
        let mut left = Vec::new();
        while let Some(open) = stack.pop() {
            if open.bound >= self.cutoff() {
                continue;
            }
            if self.roller.work > self.budget || self.search.watch.stop().is_some() {
                let Open { low, high, bound, .. } = open;
                left.push(Sketch { low, high, bound, known: true });
                continue;
            }
            let Some(open) = self.tightened(open) else { continue };
            if let Some((at, level)) = self.choose(&open) {
                self.split(open, at, level, &mut stack);
            }
        }
        Haul { ranking: self.ranking, open: left, checked: self.checked }
    }

    fn cutoff(&self) -> f64 {
        self.ranking.cutoff(self.search.judge, self.gap)
    }

    /// Looks at the corners of a box.
    fn open(&mut self, sketch: &Sketch) -> Option<Open<W>> {
        let (low, high) = (sketch.low.clone(), sketch.high.clone());
        let mut table = Frequencies::default();
        let bottom = self.search.lattice.bottom();
        self.roller.roll(self.bottom, &bottom, &low, &mut table);
        let before = self.checked;
        let of_low = self.measured(&low, &table);
        let of_high = self.look(&table, &low, &high, &of_low);
        if sketch.known {
            self.checked = before;
        }
        let bound = self.search.judge.bound(&of_low, &of_high).max(sketch.bound);
        let dead = self.search.judge.refuses_below(&of_high);
        (!dead).then_some(Open { low, high, table: Rc::new(table), of_low, of_high, bound })
    }

    /// Measures a node and puts it forward as a solution.
    fn measured(&mut self, node: &[u32], table: &Frequencies<W>) -> Rc<Measure> {
        let Search { judge, layout, .. } = *self.search;
        let measure = judge.measure(node, layout, table, &mut self.desk);
        self.checked += 1;
        self.ranking.offer(judge, node, &measure);
        Rc::new(measure)
    }

    /// The same for a high corner, whose classes are not kept.
    fn look(
        &mut self,
        table: &Frequencies<W>,
        low: &[u32],
        high: &[u32],
        of_low: &Rc<Measure>,
    ) -> Rc<Measure> {
        if low == high {
            return of_low.clone();
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        self.roller.roll(table, low, high, &mut scratch);
        let measure = self.measured(high, &scratch);
        self.scratch = scratch;
        measure
    }

    /// Takes off the levels that the bound alone rules out; none if nothing is left.
    fn tightened(&mut self, mut open: Open<W>) -> Option<Open<W>> {
        let judge = self.search.judge;
        if !judge.knows_base() {
            return Some(open);
        }
        loop {
            let cutoff = self.cutoff();
            let mut high = open.high.clone();
            for at in 0..high.len() {
                while high[at] > open.low[at]
                    && judge.bound_from(&open.of_low, &open.of_high, at, high[at]) >= cutoff
                {
                    high[at] -= 1;
                }
            }
            if high == open.high {
                return Some(open);
            }
            open.of_high = self.look(&open.table, &open.low, &high, &open.of_low);
            open.high = high;
            open.bound = open.bound.max(judge.bound(&open.of_low, &open.of_high));
            if open.bound >= self.cutoff() || judge.refuses_below(&open.of_high) {
                return None;
            }
        }
    }

    /// Where to cut a box: an attribute and the last level of the lower part; none if it is one node.
    fn choose(&self, open: &Open<W>) -> Option<(usize, u32)> {
        let mut best = None;
        let mut most = f64::NEG_INFINITY;
        for at in 0..open.low.len() {
            let value = |level: u32| self.search.judge.generality(at, level);
            for level in open.low[at]..open.high[at] {
                let lower = value(open.high[at]) - value(level);
                let upper = value(level + 1) - value(open.low[at]);
                let score = lower * upper;
                if score > most {
                    most = score;
                    best = Some((at, level));
                }
            }
        }
        best
    }

    /// Cuts a box in two; the part with the lower bound is searched first.
    fn split(&mut self, open: Open<W>, at: usize, level: u32, stack: &mut Vec<Open<W>>) {
        let judge = self.search.judge;
        let Open { low, high, table, of_low, of_high, bound } = open;
        let mut parts = Vec::with_capacity(2);
        let mut raised = low.clone();
        raised[at] = level + 1;
        // A part that is one node is a corner, and has been looked at.
        if raised != high && judge.bound_from(&of_low, &of_high, at, level + 1) < self.cutoff() {
            let mut classes = Frequencies::default();
            self.roller.roll(&table, &low, &raised, &mut classes);
            let of_raised = self.measured(&raised, &classes);
            parts.push(Open {
                bound: bound.max(judge.bound(&of_raised, &of_high)),
                low: raised,
                high: high.clone(),
                table: Rc::new(classes),
                of_low: of_raised,
                of_high,
            });
        }
        let mut lowered = high;
        lowered[at] = level;
        if lowered != low {
            let of_lowered = self.look(&table, &low, &lowered, &of_low);
            if !judge.refuses_below(&of_lowered) {
                let bound = bound.max(judge.bound(&of_low, &of_lowered));
                parts.push(Open { low, high: lowered, table, of_low, of_high: of_lowered, bound });
            }
        }
        // Stable: of equals the lower part is searched first.
        parts.sort_by(|one, other| other.bound.total_cmp(&one.bound));
        stack.extend(parts);
    }
}
