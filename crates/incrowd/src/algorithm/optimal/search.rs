//! The search as a whole: dives from a pool of open nodes, lowest bound first.
//!
//! A round takes the open nodes of lowest bound, dives below each within a budget, in parallel, and
//! puts what is left back. The lowest bound in the pool is the bound of the whole search. What a dive
//! does depends on nothing but what was known at the start of its round, so the result is the same
//! for any number of threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::cuts::{CutSet, Space};
use crate::solution::StopReason;
use crate::watch::{News, Watch};

use super::dive::{Best, Dive, Sketch, cutoff};
use super::kernel::{Kernel, WithKernel};
use super::layout::{Key, Layout};
use super::node::Ground;

/// What a search found.
pub(super) struct Found {
    pub(super) best: Option<(u64, CutSet)>,
    /// No solution costs less.
    pub(super) bound: u64,
    pub(super) nodes: u64,
    pub(super) stopped: Option<StopReason>,
}

/// A search from a first solution, if there is one.
pub(super) struct Search<'a> {
    pub(super) space: &'a Space<'a>,
    pub(super) first: Option<(u64, CutSet)>,
    pub(super) gap: f64,
    pub(super) watch: &'a Watch<'a>,
}

/// Dives of one round.
const ROUND: usize = 32;
/// Cells that a dive may look at, in the first round and at most.
const BUDGET: (u64, u64) = (100_000, 20_000_000);

impl WithKernel<Found> for Search<'_> {
    fn run<M: Kernel>(self, kernel: &M) -> Found {
        let layout = Layout::new(self.space);
        if layout.bits <= 64 {
            self.rounds::<M, u64>(kernel, layout)
        } else {
            self.rounds::<M, u128>(kernel, layout)
        }
    }
}

impl Search<'_> {
    fn rounds<M: Kernel, K: Key>(self, kernel: &M, layout: Layout) -> Found {
        let Search { space, first, gap, watch } = self;
        let ground =
            Ground { space, kernel, k: space.problem.privacy.k, limit: space.limit, layout };
        let mut pool: BinaryHeap<Reverse<Ordered>> = BinaryHeap::new();
        let mut made = 0;
        pool.push(Reverse(Ordered {
            made,
            sketch: Sketch { bound: 0, choices: ground.layout.choices(space) },
        }));
        let mut best = first;
        let (mut nodes, mut bound, mut stopped) = (0, 0, None);
        let mut budget = BUDGET.0;
        while stopped.is_none() {
            let cost = best.as_ref().map_or(u64::MAX, |(cost, _)| *cost);
            let limit = cutoff(cost, gap);
            let mut batch = Vec::new();
            while let Some(Reverse(next)) = pool.pop() {
                if next.sketch.bound >= limit {
                    pool.clear();
                    break;
                }
                batch.push(next.sketch);
                if batch.len() == ROUND {
                    break;
                }
            }
            if batch.is_empty() {
                break;
            }
            let dives: Vec<(Option<Best>, Vec<Sketch>, u64)> = batch
                .par_iter()
                .with_max_len(1)
                .map(|sketch| {
                    let mut dive: Dive<'_, M, K> = Dive::new(&ground, &watch, cost, gap, budget);
                    dive.run(sketch);
                    (dive.best, dive.open, dive.nodes)
                })
                .collect();
            budget = (budget * 2).min(BUDGET.1);
            for (found, open, looked) in dives {
                nodes += looked;
                if let Some(found) = found
                    && best.as_ref().is_none_or(|(cost, _)| found.cost < *cost)
                {
                    watch.tell(News::Improved { cost: space.price.shown(found.cost) });
                    best = Some((found.cost, found.cuts));
                }
                for sketch in open {
                    made += 1;
                    pool.push(Reverse(Ordered { made, sketch }));
                }
            }
            watch.tell(News::Nodes(nodes));
            if let Some(Reverse(lowest)) = pool.peek() {
                let cost = best.as_ref().map_or(u64::MAX, |(cost, _)| *cost);
                let lowest = lowest.sketch.bound.min(cost);
                if lowest > bound {
                    bound = lowest;
                    watch.tell(News::Bound(space.price.shown(bound)));
                }
                stopped = watch.stop();
            }
        }
        if stopped.is_none() {
            // Whatever was left aside had at least this bound.
            let cost = best.as_ref().map_or(u64::MAX, |(cost, _)| *cost);
            bound = bound.max(cutoff(cost, gap));
            if best.is_some() {
                watch.tell(News::Bound(space.price.shown(bound)));
            }
        }
        Found { best, bound, nodes, stopped }
    }
}

/// An open node in the order in which nodes are taken: lowest bound first, then first made.
struct Ordered {
    made: u64,
    sketch: Sketch,
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.sketch.bound, self.made).cmp(&(other.sketch.bound, other.made))
    }
}
