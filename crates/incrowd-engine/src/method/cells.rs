//! Optimal cell suppression.
//!
//! **What it does**: blanks as few cells as it can, each with its column's weight, so that every row is
//! equal to at least k - 1 others. Rows move between patterns of values and blanks under annealing; a
//! small table is then gone through by branch and bound. Under the weaker reading, in which a blank
//! matches anything, every row gets the fewest blanks with which it fits k rows, fewer where others' blanks
//! are enough.
//! **Guarantee**: every class passes. Proven optimal where the proof ends or the bound is met: no row has
//! fewer blanks than the cheapest pattern that k rows fit. Never more rows suppressed than the limit, none
//! where no limit is named. The same seed and steps give the same result.
//! **Cost**: cells times masks (two to the power of columns) for the patterns, then linear in steps and in
//! rows that need blanks. The proof is exponential and tried for up to 64 rows.
//! **Example**: (1,2,3,TX), (1,2,3,AZ), (8,9,3,TX), (1,2,7,TX) with k = 2 need 8 blanks.
//! **Reference**: the problem is that of Meyerson and Williams, *On the Complexity of Optimal K-Anonymity*
//! (2004), who prove it hard; the search is this engine's own.

use super::algorithm::{Algorithm, MethodInfo};
use super::options::{OptionInfo, OptionValues};
use super::recoding_model::RecodingModel;
use super::settings::{BLANKING_STEPS, NODES, NamedChoice, seed, settings};
use crate::kit::{Result, words};
use crate::problem::Problem;
use crate::search::{Control, Solution};
pub use crate::space::blanking::CrowdSource;
use crate::space::blanking::{
    BlankingBudget, BlankingContext, BlankingPlan, BlankingResult, SuppressionPatterns,
    WildcardMasks, WildcardPlan, check_width, fewest, fewest_for_known, hopeless, improve,
    solution,
};

const SEED: OptionInfo = seed("search-seed");

const CROWD: OptionInfo = OptionInfo {
    name: "crowd",
    values: OptionValues::Words(CrowdSource::NAMES),
    about: "with wildcards: whose blanks count for a row's crowd",
};

const MARGINALS: OptionInfo = OptionInfo {
    name: "marginals",
    values: OptionValues::Number { default: 50, least: 0, most: 1000, off: Some("off") },
    about: "with wildcards: how much dearer blanks of a value are that is blanked more often, in percent",
};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "cells",
    about: "as few blanked cells as possible, proven for small tables (cell suppression)",
    family: RecodingModel::CellSuppression,
    recoding: "cellwise",
    options: CellSuppression::OPTIONS,
    heeds_levels: false,
    heeds_cuts: false,
    heeds_wildcards: true,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

impl NamedChoice for CrowdSource {
    const NAMES: &'static [&'static str] = &["shared", "own", "any"];
    const CHOICES: &'static [Self] = &[CrowdSource::Shared, CrowdSource::Own, CrowdSource::Any];
}

settings! {
    /// Optimal cell suppression.
    pub struct CellSuppression {
        /// Moves for each row that needs blanks.
        steps: u64 = BLANKING_STEPS,
        /// What the random choices come from.
        seed: u64 = SEED,
        /// The most nodes of a proof; 0 for none.
        nodes: u64 = NODES,
        /// Under the weaker reading: whose blanks a row's crowd may come from.
        crowd: CrowdSource = CROWD,
        /// Under the weaker reading: how much blanks keep the distribution of values, in percent; 0 for not at all.
        marginals: u64 = MARGINALS,
    }
}

impl Algorithm for CellSuppression {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn searches_for_known_columns(&self) -> bool {
        true
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        check_width(INFO.name, problem)?;
        let ground = BlankingContext::new(problem);
        if let Some(solution) = hopeless(&ground) {
            return Ok(solution);
        }
        if problem.privacy.wildcards {
            return Ok(self.wild(&ground, control));
        }
        if let Some(known) = problem.privacy.known {
            // Whoever knows all columns sees classes.
            if known.columns >= ground.columns() {
                return self.search(&problem.about_classes(known.k)?, control);
            }
            let found = fewest_for_known(&ground, known, &self.plan(), control);
            // Classes of k rows satisfy it, too. In small tables they may need fewer blanks.
            let inner = problem.about_classes(known.k)?;
            let classes = BlankingContext::new(&inner);
            if problem.rows <= MOST_FOR_BOTH && hopeless(&classes).is_none() {
                let all = self.in_classes(&classes, control);
                if all.cost < found.cost {
                    return Ok(solution("cells", &classes, &all).without_proof());
                }
            }
            return Ok(masked(&ground, &found));
        }
        Ok(solution("cells", &ground, &self.in_classes(&ground, control)))
    }
}

/// In larger tables k for few known columns is not compared with classes of k rows.
const MOST_FOR_BOTH: u64 = 20_000;

impl CellSuppression {
    /// The stronger reading: rows that look alike are classes.
    fn in_classes(&self, ground: &BlankingContext<'_>, control: &Control) -> BlankingResult {
        let patterns = SuppressionPatterns::new(ground, control);
        let budget = BlankingBudget { steps: self.steps, seed: self.seed, balance: false };
        let plan = BlankingPlan { budget, nodes: self.nodes };
        improve(ground, &patterns, &plan, None, control)
    }

    fn plan(&self) -> WildcardPlan {
        WildcardPlan {
            crowd: self.crowd,
            steps: self.steps,
            seed: self.seed,
            drift: self.marginals as f64 / 100.0,
        }
    }

    /// The weaker reading.
    fn wild(&self, ground: &BlankingContext<'_>, control: &Control) -> Solution {
        let wild = fewest(ground, &self.plan(), control);
        let mut solution = masked(ground, &wild);
        let is_blank = |mask: &&u64| mask.count_ones() as usize == ground.columns();
        let rows = wild.masks.iter().filter(is_blank).count() as u64;
        let rows = words::count(rows, "row", "rows");
        solution.notes.push(match self.crowd {
            CrowdSource::Any => format!(
                "crowd=any allows the weaker reading: a row without blanks may share its \
                 class with blanked rows only and stay recognizable; {rows} blank throughout"
            ),
            CrowdSource::Shared => {
                "other rows' blanks count for a row's crowd, and no row has dearer blanks than it \
                 needs by itself; crowd=own counts a row's own blanks only"
                    .to_owned()
            }
            CrowdSource::Own => {
                "every row fits at least k original rows by its own blanks, which are the fewest \
                 for that"
                    .to_owned()
            }
        });
        solution
    }
}

/// The solution that a mask for every row is.
fn masked(ground: &BlankingContext<'_>, found: &WildcardMasks) -> Solution {
    Solution::feasible(ground.masked(&found.masks), found.moves).stopped_by(found.stopped)
}
