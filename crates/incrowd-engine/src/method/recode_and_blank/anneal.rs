//! One chain of the search over recodings.

use super::estimate::{BlankingEstimate, EstimateScratch, RecodingState};
use super::shapes::ValueShapes;
use crate::kit::{GeometricCooling, SearchRng};
use crate::search::IncumbentReporter;

/// The best recoding that a chain has found.
pub(super) struct AnnealedRecoding {
    pub(super) state: RecodingState,
    pub(super) steps: u64,
}

/// A chain of the search.
pub(super) struct RecodingChain<'c, 'a> {
    estimate: &'c BlankingEstimate<'a>,
    shapes: &'c ValueShapes,
    state: RecodingState,
    chance: SearchRng,
    herald: &'c IncumbentReporter<'c>,
}

/// The temperature at first and in the end, as shares of what the start costs.
const HOT: f64 = 0.004;
const COLD: f64 = 0.02;

/// The temperature falls in so many stages, a power of two.
const STAGES: u64 = 64;

/// A proposal that finds nothing to do is made again, up to so many times.
const TRIES: usize = 32;

impl<'c, 'a> RecodingChain<'c, 'a> {
    pub(super) fn new(
        estimate: &'c BlankingEstimate<'a>,
        shapes: &'c ValueShapes,
        state: RecodingState,
        chance: SearchRng,
        herald: &'c IncumbentReporter<'c>,
    ) -> Self {
        RecodingChain { estimate, shapes, state, chance, herald }
    }

    /// Searches for so many steps; a step is a look at a recoding.
    pub(super) fn run(mut self, steps: u64) -> AnnealedRecoding {
        let mut scratch = EstimateScratch::default();
        let mut cost = self.estimate.cost(&self.state, &mut scratch);
        let mut best = (cost, self.state.slots.clone());
        let mut cooling = GeometricCooling::new(HOT * cost, COLD, STAGES);
        let stage = steps.div_ceil(STAGES).max(1);
        let mut made = 0;
        while made < steps && self.herald.stop().is_none() {
            let Some((axis, slots)) = self.proposal() else { break };
            made += 1;
            let allowed = cost + cooling.worse_by(&mut self.chance);
            let before = self.estimate.change(&mut self.state, axis, slots);
            let new = self.estimate.cost(&self.state, &mut scratch);
            if new <= allowed {
                cost = new;
                if cost < best.0 {
                    best = (cost, self.state.slots.clone());
                }
            } else {
                self.estimate.exchange(&mut self.state, axis, before);
            }
            if made % stage == 0 {
                cooling.fall();
                self.herald.worked(stage);
            }
        }
        let mut state = self.state;
        for (axis, slots) in best.1.into_iter().enumerate() {
            self.estimate.change(&mut state, axis, slots);
        }
        AnnealedRecoding { state, steps: made }
    }

    /// Other groups of some axis.
    fn proposal(&mut self) -> Option<(usize, Vec<u16>)> {
        let axes = self.state.slots.len();
        for _ in 0..TRIES * axes {
            let axis = self.chance.below(axes);
            let slots = &self.state.slots[axis];
            if let Some(new) = self.shapes.propose(axis, slots, &mut self.chance) {
                return Some((axis, new));
            }
        }
        None
    }
}
