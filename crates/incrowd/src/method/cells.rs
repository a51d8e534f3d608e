//! Optimal cell suppression.
//!
//! **What it does**: blanks as few cells as it can, each with its column's weight, so that every row is
//! equal to at least k - 1 others. Rows move between patterns of values and blanks under annealing; a
//! small table is then gone through by branch and bound. Under the weaker reading, in which a blank
//! matches anything, every row gets the fewest blanks with which it fits k rows.
//! **Guarantee**: every class passes. Proven optimal where the proof ends or the bound is met: no row has
//! fewer blanks than the cheapest pattern that k rows fit. Never more rows suppressed than the limit, none
//! where no limit is named. The same seed and steps give the same result.
//! **Cost**: cells times masks (two to the power of columns) for the patterns, then linear in steps and in
//! rows that need blanks. The proof is exponential and tried for up to 64 rows.
//! **Example**: (1,2,3,TX), (1,2,3,AZ), (8,9,3,TX), (1,2,7,TX) with k = 2 need 8 blanks.
//! **Reference**: the problem is that of Meyerson and Williams, *On the Complexity of Optimal K-Anonymity*
//! (2004), who prove it hard; the search is this engine's own.

use super::{Algorithm, MethodInfo, OptionInfo, OptionValues};
use crate::kit::{Error, Result, words};
use crate::problem::Problem;
use crate::search::{Control, Outcome, Solution};
use crate::space::blanking::{Budget, Ground, Patterns, Plan, fewest, hopeless, improve, solution};

/// How long a method that blanks cells searches.
pub(super) const STEPS: OptionInfo = OptionInfo {
    name: "steps",
    values: OptionValues::Number {
        default: CellSuppression::DEFAULT.steps,
        least: 0,
        most: 1_000_000,
        off: None,
    },
    about: "how many moves to try for each row that needs blanks: more take longer and find better",
};

/// What the random choices of such a method come from.
pub(super) const SEED: OptionInfo = OptionInfo {
    name: "search-seed",
    values: OptionValues::Number {
        default: CellSuppression::DEFAULT.seed,
        least: 0,
        most: u64::MAX,
        off: None,
    },
    about: "what the random choices come from: the same seed gives the same result",
};

/// How long it tries to prove its result for a small table.
pub(super) const NODES: OptionInfo = OptionInfo {
    name: "nodes",
    values: OptionValues::Number {
        default: CellSuppression::DEFAULT.nodes,
        least: 0,
        most: u64::MAX,
        off: Some("off"),
    },
    about: "the most nodes of a proof, which is tried for up to 64 rows",
};

const CROWD: OptionInfo = OptionInfo {
    name: "crowd",
    values: OptionValues::Words(&["own", "any"]),
    about: "with wildcards: every row fits k rows by its own blanks, or by anybody's",
};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "cells",
    about: "as few blanked cells as possible, proven for small tables (cell suppression)",
    recoding: "cellwise",
    options: &[STEPS, SEED, NODES, CROWD],
};

/// Optimal cell suppression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellSuppression {
    /// Moves for each row that needs blanks.
    pub steps: u64,
    /// What the random choices come from.
    pub seed: u64,
    /// The most nodes of a proof.
    pub nodes: u64,
    /// Under the weaker reading: whether a row's crowd may owe its size to other rows' blanks.
    pub any: bool,
}

impl CellSuppression {
    const DEFAULT: Self = CellSuppression { steps: 50, seed: 1, nodes: 1_000_000, any: false };
}

impl Default for CellSuppression {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Refuses a table that is too wide for a mask of its columns.
pub(super) fn check_width(method: &str, problem: &Problem) -> Result<()> {
    if problem.attributes.len() <= 64 {
        return Ok(());
    }
    Err(Error::new(format!("{method} takes at most 64 quasi-identifiers"))
        .help("name fewer of them, or choose best-local"))
}

impl Algorithm for CellSuppression {
    fn solve(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        check_width("cells", problem)?;
        let ground = Ground::new(problem);
        if let Some(solution) = hopeless(&ground) {
            return Ok(solution);
        }
        let patterns = Patterns::new(&ground, control);
        if problem.privacy.wildcards {
            return Ok(self.wild(&ground, &patterns, control));
        }
        let budget = Budget { steps: self.steps, seed: self.seed, balance: false };
        let plan = Plan { budget, nodes: self.nodes };
        let found = improve(&ground, &patterns, &plan, None, control);
        Ok(solution("cells", &ground, &found))
    }
}

impl CellSuppression {
    /// The weaker reading.
    fn wild(&self, ground: &Ground<'_>, patterns: &Patterns, control: &Control) -> Solution {
        let wild = fewest(ground, patterns, !self.any, control);
        let mut solution = Solution::feasible(ground.masked(&wild.masks), 1);
        if let Some(reason) = wild.stopped {
            solution.outcome = Outcome::Stopped { reason, bound: None };
        }
        let is_blank = |mask: &&u64| mask.count_ones() as usize == ground.columns();
        let rows = wild.masks.iter().filter(is_blank).count() as u64;
        let rows = words::count(rows, "row", "rows");
        solution.notes.push(if self.any {
            format!(
                "crowd=any takes the weaker reading to the letter: a row without blanks may owe its crowd \
                 to other rows' blanks and stay as recognizable as it was; {rows} blank throughout"
            )
        } else {
            "every row fits at least k original rows by its own blanks, which are the fewest for that"
                .to_owned()
        });
        solution
    }
}
