//! The engine's own local recoding.

mod anneal;
mod block;
mod chance;
mod near;
mod outcome;
mod packed;
mod prices;
mod rows;
mod search;
mod split;

use super::{Algorithm, MethodInfo, OptionInfo, OptionValues};
use crate::Result;
use crate::problem::Problem;
use crate::solution::Solution;
use crate::watch::Watch;

const STEPS: OptionInfo = OptionInfo {
    name: "steps",
    values: OptionValues::Number {
        default: BestLocal::DEFAULT.steps,
        least: 0,
        most: 1_000_000,
        off: None,
    },
    about: "how many looks at a row in a group to take, for each row: more take longer and find better",
};

const SEED: OptionInfo = OptionInfo {
    name: "search-seed",
    values: OptionValues::Number {
        default: BestLocal::DEFAULT.seed,
        least: 0,
        most: u64::MAX,
        off: None,
    },
    about: "what the random choices come from: the same seed gives the same result",
};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "best-local",
    about: "groups of least penalty: top-down splits, clustering and annealing (local recoding)",
    recoding: "local",
    options: &[STEPS, SEED],
};

/// The engine's own local recoding: top-down splits, clustering and annealing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BestLocal {
    /// How many looks at a row in a group to take, for each row of the table.
    pub steps: u64,
    /// What the random choices come from.
    pub seed: u64,
}

impl BestLocal {
    const DEFAULT: Self = BestLocal { steps: 1_400, seed: 1 };
}

impl Default for BestLocal {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Algorithm for BestLocal {
    fn solve(&self, problem: &Problem, watch: &Watch<'_>) -> Result<Solution> {
        outcome::solve(self, problem, watch)
    }
}
