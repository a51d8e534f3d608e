//! Going through the lattice node by node.
//!
//! Nodes are visited in the order of their numbers, along a tree: a node's parent has the last of its
//! raised attributes one level lower. So every node's classes are rolled up from those of the node right
//! below it, only the classes of one path are held at a time, and all nodes below a node are visited
//! before it.

use super::frequencies::{Frequencies, Roller};
use super::ground::Ground;
use super::judge::{Desk, Measure};
use super::levels::Node;
use super::price::Aside;
use crate::search::{Event, StopReason};

/// What to do with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plan {
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
pub(super) trait Visitor {
    /// What to do with a node.
    fn plan(&mut self, node: &[u32]) -> Plan;
    /// Takes what a node is worth; says whether to go on.
    fn take(&mut self, node: &[u32], measure: &Measure) -> bool;
}

/// A walk through the lattice.
pub(super) struct Walk<'a, const W: usize> {
    ground: Ground<'a>,
    roller: Roller<'a, W>,
    desk: Desk,
    aside: Aside,
    /// The nodes of the path below the present one.
    path: Vec<Frequencies<W>>,
    /// How many nodes have been measured.
    pub(super) checked: u64,
    pub(super) stopped: Option<StopReason>,
}

/// Nodes between two reports.
const REPORT: u64 = 4096;

impl<'a, const W: usize> Walk<'a, W> {
    pub(super) fn new(ground: Ground<'a>) -> Self {
        let Ground { lattice, judge, layout, .. } = ground;
        Walk {
            ground,
            roller: Roller::new(lattice, layout, &judge.relevant),
            desk: judge.desk(),
            aside: judge.nothing_aside(),
            path: Vec::new(),
            checked: 0,
            stopped: None,
        }
    }

    /// Visits all nodes that the visitor does not skip, until it or the control ends the walk.
    pub(super) fn go(&mut self, visitor: &mut impl Visitor) {
        if self.path.is_empty() {
            let bottom = self.roller.cells(&self.ground.judge.relevant);
            self.path.push(bottom);
        }
        let mut node = self.ground.lattice.bottom();
        self.visit(&mut node, 0, 0, visitor);
    }

    /// Visits a node whose last raised attribute is `last`, then those above it; its classes are
    /// those at `depth` of the path. Says whether to go on.
    fn visit(&mut self, node: &mut Node, last: usize, depth: usize, to: &mut impl Visitor) -> bool {
        self.stopped = self.ground.control.stop();
        if self.stopped.is_some() {
            return false;
        }
        let Ground { lattice, judge, layout, control } = self.ground;
        let plan = to.plan(node);
        if plan == Plan::Skip {
            return true;
        }
        if depth > 0 && plan != Plan::Mark {
            let mut classes = match self.path.len() > depth {
                true => std::mem::take(&mut self.path[depth]),
                false => Frequencies::default(),
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
        if plan == Plan::Measure {
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
