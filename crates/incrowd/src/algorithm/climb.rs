//! Local search over cut sets.
//!
//! **What it does**: divides every attribute into intervals and improves that step by step: a step is the
//! exact best division of one attribute while the others stay. It starts often, and where no step helps
//! it takes detours.
//! **Guarantee**: k-anonymous (and every other model asked for) and within the limit; no promise about
//! cost, though it is often the least there is. The same seed gives the same result.
//! **Cost**: a step takes one pass over the cells, and as many sums as there are pairs of cells that differ
//! in that attribute only.
//! **Example**: the Adult census data by discernibility, five-year ages, k = 50: 9,466,920, the least cost
//! of all, in half a second.
//! **Reference**: the space is that of Bayardo and Agrawal, *Data Privacy through Optimal
//! k-Anonymization* (2005); iterated local search: Lourenço, Martin and Stützle (2003).

use super::{Algorithm, MethodInfo, OptionInfo, OptionValues};
use crate::Result;
use crate::cuts::{Climbed, CutRules, Effort, Space, climb};
use crate::problem::Problem;
use crate::solution::{Outcome, Solution};
use crate::watch::{News, Watch};

const RESTARTS: OptionInfo = OptionInfo {
    name: "restarts",
    values: OptionValues::Number {
        default: Effort::DEFAULT.restarts as u64,
        least: 0,
        most: 1_000_000,
        off: None,
    },
    about: "how often to start again: more take longer and may find better",
};

const SEED: OptionInfo = OptionInfo {
    name: "climb-seed",
    values: OptionValues::Number {
        default: Effort::DEFAULT.seed,
        least: 0,
        most: u64::MAX,
        off: None,
    },
    about: "what the random choices come from: the same seed gives the same result",
};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "climb",
    about: "good intervals for every attribute, fast (single-dimensional, local search)",
    recoding: "global",
    options: &[super::CUTS, super::BINS, RESTARTS, SEED],
};

/// Local search over cut sets: improves the intervals of one attribute at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Climb {
    /// What may be cut.
    pub rules: CutRules,
    /// How often to start again.
    pub restarts: u32,
    /// What the random choices come from.
    pub seed: u64,
}

impl Default for Climb {
    fn default() -> Self {
        let Effort { restarts, seed } = Effort::DEFAULT;
        Climb { rules: CutRules::default(), restarts, seed }
    }
}

impl Algorithm for Climb {
    fn solve(&self, problem: &Problem, watch: &Watch<'_>) -> Result<Solution> {
        let space = Space::new(problem, self.rules)?;
        let effort = Effort { restarts: self.restarts, seed: self.seed };
        let mut nodes = 0;
        let climbed = climb(&space, &[], effort, watch, &mut |better: &Climbed| {
            nodes += 1;
            watch.tell(News::Improved { cost: space.price.shown(better.priced.cost) });
        });
        let Some(climbed) = climbed else { return Ok(space.infeasible(1)) };
        let recoding = climbed.cuts.recoding(problem, &space.axes);
        let mut solution = Solution::feasible(recoding, nodes);
        if let Some(reason) = watch.stop() {
            solution.outcome = Outcome::Stopped { reason, bound: None };
        }
        Ok(solution)
    }
}
