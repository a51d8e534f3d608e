//! The relaxation for metrics that charge for widths, where no row may be suppressed.
//!
//! The bounds of the dives are built from cells, and say little of such metrics: the price of a class does not grow
//! with its rows. Here the crowd is relaxed instead of the cost. What is found is a tree of its own beside the dives;
//! they share what is known of solutions, and the better bound counts.

mod conflict;
mod context;
mod lagrangian;
mod separation;
mod sweep;
#[cfg(test)]
mod tests;
mod tree;
mod volume;

use crate::search::Control;
use crate::space::cuts::{ClassPricing, CutDecision, CutSet, CutSpace};
use context::{AttributeIntervals, RelaxationContext};
use sweep::LastAxisSweep;
use tree::{BatchProgress, RelaxationTree};

/// Attributes with more values, and tables of more bits, are left to the dives.
const MOST_VALUES: usize = 256;
const MOST_BITS: usize = 1 << 31;

/// Cuts at least as likely as one of these make a cut set; the first that keeps to the limit counts.
const LIKELY: [f64; 6] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.97];

/// The relaxation of a space.
pub(super) struct Relaxation<'a> {
    space: &'a CutSpace<'a>,
    way: RelaxationStrategy,
}

/// How it is gone through.
enum RelaxationStrategy {
    Tree(RelaxationTree),
    Sweep(LastAxisSweep),
}

/// What a step brought.
pub(super) struct RelaxationStep {
    /// No cut set costs less than this, or than what one had to cost less than; none if that is all there is.
    pub(super) bound: Option<u64>,
    /// Cut sets that might be good, or nearly so.
    pub(super) proposals: Vec<CutSet>,
}

impl<'a> Relaxation<'a> {
    /// The relaxation, where there is one.
    pub(super) fn new(space: &'a CutSpace<'a>) -> Option<Self> {
        let ClassPricing::Widths(widths) = &space.price else { return None };
        // It counts rows; where people of a population count, it has nothing to say.
        if space.problem.population.is_some() {
            return None;
        }
        let values: usize = space.axes.iter().map(|axis| axis.values() + 1).sum();
        let fits = space.axes.iter().all(|axis| axis.values() <= MOST_VALUES)
            && values.saturating_mul(space.cells()) <= MOST_BITS;
        if !fits {
            return None;
        }
        let fields = space.axes.iter().enumerate().map(|(at, axis)| {
            let values = axis.values();
            let mut below = vec![0i64; values + 1];
            for (&value, &count) in space.values[at].iter().zip(&space.counts) {
                below[usize::from(value) + 1] += i64::from(count);
            }
            for value in 0..values {
                below[value + 1] += below[value];
            }
            let settled = |position: usize, choice: CutDecision| {
                (1..values).contains(&position) && axis.settled(position) == choice
            };
            let allowed = |first: usize, end: usize| {
                axis.allows(first, end)
                    && !settled(first, CutDecision::Out)
                    && !settled(end, CutDecision::Out)
                    && !(first + 1..end).any(|position| settled(position, CutDecision::In))
            };
            let price = |first: usize, end: usize| widths.of(at, first, end) as i64;
            AttributeIntervals::new(values, &below, price, allowed)
        });
        let ground = RelaxationContext::new(
            fields.collect(),
            space.values.clone(),
            space.counts.clone(),
            space.problem.privacy.k,
            (space.limit > 0).then_some(widths.suppressed as i64),
        );
        let privacy = &space.problem.privacy;
        // The size of a class must be all that counts, or what looks like the best may be none.
        let by_size = privacy.is_by_size()
            && privacy.overall.is_nothing()
            && privacy.known.is_none()
            && !privacy.wildcards;
        let exact = by_size && (space.limit == 0 || space.limit >= space.problem.rows);
        let way = match exact {
            false => RelaxationStrategy::Tree(RelaxationTree::new(ground)),
            true => LastAxisSweep::new(ground).map_or_else(
                |it| RelaxationStrategy::Tree(RelaxationTree::new(*it)),
                RelaxationStrategy::Sweep,
            ),
        };
        Some(Relaxation { space, way })
    }

    /// Works on some nodes. `below` is what a cut set must cost less than.
    pub(super) fn step(&mut self, below: u64, control: &Control) -> RelaxationStep {
        let below = i64::try_from(below).unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
        let BatchProgress { bound, proposals } = match &mut self.way {
            RelaxationStrategy::Tree(tree) => tree.step(below, control),
            RelaxationStrategy::Sweep(sweep) => sweep.step(below, control),
        };
        let mut sets = Vec::new();
        for (at, (likely, is_only)) in proposals.into_iter().enumerate() {
            if is_only {
                sets.push(self.cut_set(&likely, LIKELY[0]));
            } else if at == 0 {
                sets.extend(self.rounded(&likely));
            }
        }
        let bound = bound.map(|bound| u64::try_from(bound.min(below)).unwrap_or(0));
        RelaxationStep { bound, proposals: sets }
    }

    /// Whether there is memory to go on.
    pub(super) fn can_go_on(&self) -> bool {
        match &self.way {
            RelaxationStrategy::Tree(tree) => tree.has_room(),
            RelaxationStrategy::Sweep(_) => true,
        }
    }

    /// Whether its first node is still worked on, so that its bound says little yet.
    pub(super) fn has_just_begun(&self) -> bool {
        match &self.way {
            RelaxationStrategy::Tree(tree) => tree.has_just_begun(),
            RelaxationStrategy::Sweep(sweep) => sweep.goes_on_alone(),
        }
    }

    /// How many nodes were worked on since it was asked last.
    pub(super) fn worked(&mut self) -> u64 {
        std::mem::take(match &mut self.way {
            RelaxationStrategy::Tree(tree) => &mut tree.nodes,
            RelaxationStrategy::Sweep(sweep) => &mut sweep.nodes,
        })
    }

    fn cut_set(&self, likely: &[Vec<f64>], least: f64) -> CutSet {
        CutSet::new(&self.space.axes, |axis, position| likely[axis][position] >= least)
    }

    /// The likely cuts, as many of them as can be made.
    fn rounded(&self, likely: &[Vec<f64>]) -> Option<CutSet> {
        let sets = LIKELY.iter().map(|&least| self.cut_set(likely, least));
        sets.filter(|cuts| cuts.is_allowed(&self.space.axes))
            .find(|cuts| self.space.price(cuts).suppressed <= self.space.limit)
    }
}
