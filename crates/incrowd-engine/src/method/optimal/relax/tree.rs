//! The tree of the relaxation: nodes of lowest bound first, several at once.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::context::RelaxationContext;
use super::volume::{NodeOutcome, RelaxationNode, STEP, VolumeSchedule, halves, work};
use crate::kit::SearchRng;
use crate::search::Control;

/// So many nodes are worked on side by side. It decides what is found, and so does not depend on the machine.
const BATCH: usize = 8;

/// The first node is worked on so often before it is divided: all below it begins with its multipliers.
const VISITS: u32 = 8;

/// How long the first node is worked on each time, and every other.
const FIRST: VolumeSchedule = VolumeSchedule { rounds: 60, every: 5, cells: 300, taken: 120 };
const OTHERS: VolumeSchedule = VolumeSchedule { rounds: 40, every: 10, cells: 100, taken: 120 };

/// The same where rows may be suppressed: there every cell has its own conflicts. More of them at once make every round longer
/// before they matter.
const FIRST_PRICED: VolumeSchedule =
    VolumeSchedule { rounds: 60, every: 5, cells: 700, taken: 700 };
const OTHERS_PRICED: VolumeSchedule =
    VolumeSchedule { rounds: 40, every: 10, cells: 800, taken: 800 };

/// Open nodes may take so many bytes; the search goes on no further then.
const MEMORY: usize = 1 << 30;

struct QueuedNode {
    node: RelaxationNode,
    number: u64,
}

impl Ord for QueuedNode {
    /// The lowest bound first, then the oldest.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |open: &QueuedNode| (open.node.bound, open.number);
        key(other).cmp(&key(self))
    }
}

impl PartialOrd for QueuedNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for QueuedNode {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for QueuedNode {}

/// The open nodes.
pub(super) struct RelaxationTree {
    ground: RelaxationContext,
    open: BinaryHeap<QueuedNode>,
    made: u64,
    /// How many nodes were worked on.
    pub(super) nodes: u64,
    /// The cells in a random order, around which conflicts are looked for.
    order: Vec<u32>,
}

/// What a batch of nodes brought.
pub(super) struct BatchProgress {
    /// No cut set costs less, unless it costs at least what is known.
    pub(super) bound: Option<i64>,
    /// How likely each cut is in some of the nodes, by attribute and position, and whether that is the only cut set
    /// of the node.
    pub(super) proposals: Vec<(Vec<Vec<f64>>, bool)>,
}

impl RelaxationTree {
    pub(super) fn new(ground: RelaxationContext) -> Self {
        let mut order: Vec<u32> = (0..ground.counts.len() as u32)
            .filter(|&cell| u64::from(ground.counts[cell as usize]) < ground.k)
            .collect();
        let mut chance = SearchRng::of_seed(3);
        for at in (1..order.len()).rev() {
            order.swap(at, chance.below(at + 1));
        }
        let allowed = ground.fields.iter().map(|field| field.allowed.clone()).collect();
        let node = RelaxationNode {
            allowed,
            weighed: Vec::new(),
            bound: 0,
            depth: 0,
            step: STEP.0,
            visits: 0,
        };
        let open = BinaryHeap::from([QueuedNode { node, number: 0 }]);
        RelaxationTree { ground, open, made: 1, nodes: 0, order }
    }

    /// Works on the nodes of lowest bound. `below` is what a cut set must cost less than.
    pub(super) fn step(&mut self, below: i64, control: &Control) -> BatchProgress {
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some(open) = self.open.pop()
        {
            if open.node.bound < below {
                batch.push(open);
            }
        }
        let (ground, order) = (&self.ground, &self.order);
        let worked: Vec<NodeOutcome> = batch
            .into_par_iter()
            .with_max_len(1)
            .map(|QueuedNode { node, number }| {
                let pace = match (node.depth, ground.suppressed) {
                    (0, None) => FIRST,
                    (_, None) => OTHERS,
                    (0, Some(_)) => FIRST_PRICED,
                    (_, Some(_)) => OTHERS_PRICED,
                };
                let mut chance = SearchRng::new(4, number, u64::from(node.visits));
                work(ground, node, below, pace, order, &mut chance, control)
            })
            .collect();
        let mut proposals = Vec::new();
        for NodeOutcome { node, division, cut, .. } in worked {
            self.nodes += 1;
            let Some(node) = node else { continue };
            proposals.push((cut, division.is_none()));
            let Some(division) = division else { continue };
            if node.depth == 0 && node.visits < VISITS {
                self.open.push(QueuedNode { node, number: 0 });
                continue;
            }
            for node in halves(ground, &node, division) {
                self.open.push(QueuedNode { node, number: self.made });
                self.made += 1;
            }
        }
        let bound = self.open.peek().map(|open| open.node.bound);
        BatchProgress { bound, proposals }
    }

    /// Whether the first node is not divided yet.
    pub(super) fn has_just_begun(&self) -> bool {
        self.open.peek().is_some_and(|open| open.node.depth == 0)
    }

    /// Whether there is memory for more nodes.
    pub(super) fn has_room(&self) -> bool {
        let each: usize = self.ground.fields.iter().map(|field| field.costs.len()).sum();
        self.open.len().saturating_mul(each + 16_384) < MEMORY
    }
}
