//! Going through the lattice node by node.
//!
//! Nodes are visited in the order of their numbers, along a tree: a node's parent has the last of its
//! raised attributes one level lower. So every node's classes are rolled up from those of the node right
//! below it, only the classes of one path are held at a time, and all nodes below a node are visited
//! before it.

use super::context::LatticeContext;
use super::evaluator::{EvaluatorScratch, NodeMeasure};
use super::frequencies::{FrequencyRollup, FrequencySet};
use super::levels::LatticeNode;
use super::price::BoxSuppression;
use crate::search::{Event, StopReason};

/// What to do with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VisitPlan {
    /// Count its classes, measure it, and go on to those above it in the tree.
    Measure,
    /// The same without measuring it.
    Pass,
    /// Go on to those above it in the tree without counting anything; all of those get this plan too.
    Mark,
    /// Leave it out, and all above it in the tree.
    Skip,
}

/// Somebody who goes through the lattice.
pub(super) trait LatticeVisitor {
    /// What to do with a node.
    fn plan(&mut self, node: &[u32]) -> VisitPlan;
    /// Takes what a node is worth; says whether to go on.
    fn take(&mut self, node: &[u32], measure: &NodeMeasure) -> bool;
}

/// A walk through the lattice.
pub(super) struct LatticeWalk<'a, const W: usize> {
    ground: LatticeContext<'a>,
    roller: FrequencyRollup<'a, W>,
    desk: EvaluatorScratch,
    aside: BoxSuppression,
    /// The nodes of the path below the present one.
    path: Vec<FrequencySet<W>>,
    /// How many nodes have been measured.
    pub(super) checked: u64,
    pub(super) stopped: Option<StopReason>,
}

/// Nodes between two reports.
const REPORT: u64 = 4096;

impl<'a, const W: usize> LatticeWalk<'a, W> {
    pub(super) fn new(ground: LatticeContext<'a>) -> Self {
        let LatticeContext { lattice, judge, layout, .. } = ground;
        LatticeWalk {
            ground,
            roller: FrequencyRollup::new(lattice, layout, &judge.relevant),
            desk: judge.desk(),
            aside: judge.nothing_aside(),
            path: Vec::new(),
            checked: 0,
            stopped: None,
        }
    }

    /// Visits all nodes that the visitor does not skip, until it or the control ends the walk.
    pub(super) fn go(&mut self, visitor: &mut impl LatticeVisitor) {
        if self.path.is_empty() {
            let bottom = self.roller.cells(&self.ground.judge.relevant);
            self.path.push(bottom);
        }
        let mut node = self.ground.lattice.bottom();
        self.visit(&mut node, 0, 0, visitor);
    }

    /// Visits a node whose last raised attribute is `last`, then those above it; its classes are
    /// those at `depth` of the path. Says whether to go on.
    fn visit(
        &mut self,
        node: &mut LatticeNode,
        last: usize,
        depth: usize,
        to: &mut impl LatticeVisitor,
    ) -> bool {
        self.stopped = self.ground.control.stop();
        if self.stopped.is_some() {
            return false;
        }
        let LatticeContext { lattice, judge, layout, control } = self.ground;
        let plan = to.plan(node);
        if plan == VisitPlan::Skip {
            return true;
        }
        if depth > 0 && plan != VisitPlan::Mark {
            let mut classes = match self.path.len() > depth {
                true => std::mem::take(&mut self.path[depth]),
                false => FrequencySet::default(),
            };
            node[last] -= 1;
            let below = node.clone();
            node[last] += 1;
            self.roller.roll(&self.path[depth - 1], &below, node, &mut classes);
            match self.path.get_mut(depth) {
                Some(place) => *place = classes,
                None => self.path.push(classes),
            }
        }
        if plan == VisitPlan::Measure {
            let classes = &self.path[depth];
            let measure = judge.measure(node, layout, classes, &self.aside, &mut self.desk);
            self.checked += 1;
            if self.checked.is_multiple_of(REPORT) {
                control.tell(Event::Nodes(self.checked));
            }
            if !to.take(node, &measure) {
                return false;
            }
        }
        // The last attribute first: that is the order of the nodes' numbers.
        for at in (last..lattice.width()).rev() {
            if node[at] as usize + 1 < lattice.levels[at].len() {
                node[at] += 1;
                let on = self.visit(node, at, depth + 1, to);
                node[at] -= 1;
                if !on {
                    return false;
                }
            }
        }
        true
    }
}
