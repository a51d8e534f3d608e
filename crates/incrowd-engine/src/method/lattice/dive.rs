//! A depth-first search below one box of the lattice.
//!
//! A box is cut in two along one attribute: in one part its level stays at most at m, in the other it is
//! above m. The first part keeps the low corner and gets a new high one, the second part the other way
//! round, so a cut costs two roll-ups, both from the classes of the low corner. Every node that is
//! measured is a corner of one box only: nothing is measured twice. Rows that the high corner
//! suppresses are lost in the whole box; their classes are left out of all further roll-ups.

use std::rc::Rc;

use super::context::LatticeContext;
use super::evaluator::{EvaluatorScratch, NodeMeasure};
use super::frequencies::{FrequencyRollup, FrequencySet};
use super::levels::{GeneralizationLattice, LatticeNode};
use super::price::BoxSuppression;
use super::ranking::NodeRanking;
use crate::space::proof_steps::ProofSteps;

/// A box that is not yet searched: all nodes from `low` to `high`.
#[derive(Debug, Clone)]
pub(super) struct OpenBox {
    low: LatticeNode,
    high: LatticeNode,
    /// No solution in the box costs less.
    pub(super) bound: f64,
    /// Whether the corners have been looked at.
    known: bool,
}

impl OpenBox {
    /// All nodes.
    pub(super) fn whole(lattice: &GeneralizationLattice<'_>) -> Self {
        OpenBox { low: lattice.bottom(), high: lattice.top(), bound: 0.0, known: false }
    }
}

/// What a dive brings.
pub(super) struct LatticeDiveResult {
    pub(super) ranking: NodeRanking,
    /// Boxes that were left for later.
    pub(super) open: Vec<OpenBox>,
    /// Nodes looked at.
    pub(super) checked: u64,
    /// How boxes were divided, where that is written down.
    pub(super) steps: ProofSteps,
}

/// The classes of a node, without the rows that were set aside.
struct RollupSource<const W: usize> {
    node: LatticeNode,
    classes: FrequencySet<W>,
    /// What the classes pay if nothing is suppressed, where the metric prices classes.
    base: u128,
    aside: Rc<BoxSuppression>,
}

/// A box with all that is known of it.
struct ExpandedBox<const W: usize> {
    low: LatticeNode,
    high: LatticeNode,
    /// The classes of the low corner, or of a more specific node while those are not needed.
    source: Rc<RollupSource<W>>,
    /// Which of these classes the high corner suppresses, and with it the whole box; may be empty.
    doomed: Rc<Vec<bool>>,
    /// The rows set aside, those of doomed classes included.
    aside: Rc<BoxSuppression>,
    bound: f64,
}

/// Classes that are set aside are taken out when they are at least this part of all.
const MANY: usize = 4;

pub(super) struct LatticeDive<'a, const W: usize> {
    ground: &'a LatticeContext<'a>,
    bottom: &'a FrequencySet<W>,
    ranking: NodeRanking,
    gap: f64,
    budget: u64,
    roller: FrequencyRollup<'a, W>,
    desk: EvaluatorScratch,
    /// Where the classes of high corners are counted; only their measure is kept.
    scratch: FrequencySet<W>,
    checked: u64,
    steps: ProofSteps,
}

impl<'a, const W: usize> LatticeDive<'a, W> {
    pub(super) fn new(
        ground: &'a LatticeContext<'a>,
        bottom: &'a FrequencySet<W>,
        ranking: &NodeRanking,
        gap: f64,
        budget: u64,
    ) -> Self {
        LatticeDive {
            ground,
            bottom,
            ranking: ranking.clone(),
            gap,
            budget,
            roller: FrequencyRollup::new(ground.lattice, ground.layout, &ground.judge.relevant),
            desk: ground.judge.desk(),
            scratch: FrequencySet::default(),
            checked: 0,
            steps: ProofSteps::default(),
        }
    }

    /// Searches a box until the budget is spent or the control says stop.
    pub(super) fn run(mut self, sketch: &OpenBox) -> LatticeDiveResult {
        let mut stack: Vec<ExpandedBox<W>> = self.open(sketch).into_iter().collect();
        let mut left = Vec::new();
        while let Some(open) = stack.pop() {
            if open.bound >= self.cutoff() {
                continue;
            }
            if self.roller.merger.work > self.budget || self.ground.control.stop().is_some() {
                let ExpandedBox { low, high, bound, .. } = open;
                left.push(OpenBox { low, high, bound, known: true });
                continue;
            }
            let Some(open) = self.tightened(open) else { continue };
            if let Some((at, level)) = self.choose(&open) {
                self.split(open, at, level, &mut stack);
            }
        }
        let LatticeDive { ranking, checked, steps, .. } = self;
        LatticeDiveResult { ranking, open: left, checked, steps }
    }

    fn cutoff(&self) -> f64 {
        self.ranking.cutoff(self.ground.judge, self.gap)
    }

    /// Looks at the corners of a box; none if it holds no solution.
    fn open(&mut self, sketch: &OpenBox) -> Option<ExpandedBox<W>> {
        let before = self.checked;
        let (low, high) = (sketch.low.clone(), sketch.high.clone());
        let mut classes = FrequencySet::default();
        self.roller.roll(self.bottom, &self.ground.lattice.bottom(), &low, &mut classes);
        let aside = Rc::new(self.ground.judge.nothing_aside());
        let base = self.ground.judge.base(&classes, &mut self.desk);
        let source = RollupSource { node: low.clone(), classes, base, aside };
        if self.ground.judge.needs_low_classes() && low != high {
            self.measured(&low, &source.classes, &source.aside);
        }
        let open = self.look(&Rc::new(source), low, high, sketch.bound);
        if sketch.known {
            self.checked = before;
        }
        open
    }

    /// Measures a node and puts it forward as a solution.
    fn measured(
        &mut self,
        node: &[u32],
        classes: &FrequencySet<W>,
        aside: &BoxSuppression,
    ) -> NodeMeasure {
        let LatticeContext { judge, layout, .. } = *self.ground;
        let measure = judge.measure(node, layout, classes, aside, &mut self.desk);
        self.checked += 1;
        self.ranking.offer(judge, node, &measure);
        measure
    }

    /// Looks at the high corner of a box and sets the rows aside that it suppresses; none if the box
    /// holds no better solution.
    fn look(
        &mut self,
        source: &Rc<RollupSource<W>>,
        low: LatticeNode,
        high: LatticeNode,
        bound: f64,
    ) -> Option<ExpandedBox<W>> {
        let LatticeContext { judge, layout, .. } = *self.ground;
        let RollupSource { node, classes, base, aside } = &**source;
        let mut scratch = std::mem::take(&mut self.scratch);
        self.roller.roll(classes, node, &high, &mut scratch);
        let measure = self.measured(&high, &scratch, aside);
        self.scratch = scratch;
        if judge.refuses_below(&measure) {
            return None;
        }
        let (mut aside, mut doomed) = (aside.clone(), Vec::new());
        if measure.lost > aside.rows {
            let lost = |&class: &u32| self.desk.lost[class as usize];
            doomed.extend(self.roller.merger.class_of.iter().map(lost));
            let desk = &mut self.desk;
            aside = Rc::new(judge.set_aside(node, layout, classes, &doomed, &aside, desk));
        }
        let bound = bound.max(judge.bound(&low, (classes, *base), &doomed, &aside, &mut self.desk));
        let doomed = Rc::new(doomed);
        let open = ExpandedBox { low, high, source: source.clone(), doomed, aside, bound };
        (bound < self.cutoff()).then_some(open)
    }

    /// Takes off the levels that the bound alone rules out; none if nothing is left.
    fn tightened(&mut self, mut open: ExpandedBox<W>) -> Option<ExpandedBox<W>> {
        let judge = self.ground.judge;
        loop {
            let cutoff = self.cutoff();
            let mut high = open.high.clone();
            for (at, level) in high.iter_mut().enumerate() {
                while *level > open.low[at]
                    && judge.bound_from(&open.low, &open.aside, at, *level) >= cutoff
                {
                    *level -= 1;
                }
            }
            if high == open.high {
                return Some(open);
            }
            open = self.look(&open.source, open.low, high, open.bound)?;
        }
    }

    /// Where to cut a box: an attribute and the last level of the lower part; none if it is one node.
    fn choose(&self, open: &ExpandedBox<W>) -> Option<(usize, u32)> {
        let judge = self.ground.judge;
        let mut best = None;
        let mut most = f64::NEG_INFINITY;
        for at in 0..open.low.len() {
            let (low, high) = (open.low[at], open.high[at]);
            for level in low..high {
                // The upper part gets dearer by the price, the lower one loses rows by the detail.
                let dearer = judge.generality(at, level + 1) - judge.generality(at, low);
                let finer = judge.bits(at, high) - judge.bits(at, level);
                if dearer * finer > most {
                    most = dearer * finer;
                    best = Some((at, level));
                }
            }
        }
        best
    }

    /// Makes the source of a box its low corner, without the classes that are set aside if they are many.
    fn settle(&mut self, open: &mut ExpandedBox<W>) {
        let RollupSource { node, classes, .. } = &*open.source;
        let doomed = open.doomed.iter().filter(|doomed| **doomed).count();
        if *node == open.low && doomed * MANY < classes.len() {
            return;
        }
        let mut into = FrequencySet::default();
        self.roller.roll_without(&open.doomed, classes, node, &open.low, &mut into);
        let base = self.ground.judge.base(&into, &mut self.desk);
        let aside = open.aside.clone();
        open.source = Rc::new(RollupSource { node: open.low.clone(), classes: into, base, aside });
        open.doomed = Rc::default();
    }

    /// Cuts a box in two; the part with the lower bound is searched first.
    fn split(
        &mut self,
        mut open: ExpandedBox<W>,
        at: usize,
        level: u32,
        stack: &mut Vec<ExpandedBox<W>>,
    ) {
        let judge = self.ground.judge;
        self.settle(&mut open);
        let ExpandedBox { low, high, source, doomed, aside, bound } = open;
        if self.ground.control.proof().is_some() {
            let corners = low.iter().chain(&high).copied();
            let numbers = [at as u32, level].into_iter().chain(corners);
            numbers.for_each(|number| self.steps.number(number.into()));
        }
        let mut parts = Vec::with_capacity(2);
        let mut raised = low.clone();
        raised[at] = level + 1;
        // If this part is one node, that is the high corner, which has been looked at.
        if raised != high && judge.bound_from(&low, &aside, at, level + 1) < self.cutoff() {
            let (mut source, mut doomed) = (source.clone(), doomed);
            if judge.needs_low_classes() {
                let mut classes = FrequencySet::default();
                self.roller.roll_without(&doomed, &source.classes, &low, &raised, &mut classes);
                self.measured(&raised, &classes, &aside);
                let base = judge.base(&classes, &mut self.desk);
                let (node, aside) = (raised.clone(), aside.clone());
                source = Rc::new(RollupSource { node, classes, base, aside });
                doomed = Rc::default();
            }
            let desk = &mut self.desk;
            let classes = (&source.classes, source.base);
            let least = judge.bound(&raised, classes, &doomed, &aside, desk);
            let (high, bound) = (high.clone(), bound.max(least));
            parts.push(ExpandedBox { low: raised, high, source, doomed, aside, bound });
        }
        let mut lowered = high;
        lowered[at] = level;
        // If this part is one node, that is the low corner, which may have been looked at.
        let one = lowered == low;
        if !one || !judge.needs_low_classes() {
            parts.extend(self.look(&source, low, lowered, bound).filter(|_| !one));
        }
        // Stable: of equals the lower part is searched first.
        parts.sort_by(|one, other| other.bound.total_cmp(&one.bound));
        stack.extend(parts);
    }
}
