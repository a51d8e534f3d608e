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

use super::algorithm::{Algorithm, MethodInfo};
use super::options::{OptionInfo, OptionValues};
use super::recoding_model::RecodingModel;
use super::settings::{BLANKING_STEPS, NODES, NamedChoice, seed, settings};
use crate::kit::{Result, words};
use crate::problem::Problem;
use crate::search::{Control, Solution};
use crate::space::blanking::{
    BlankingBudget, BlankingContext, BlankingPlan, SuppressionPatterns, check_width, fewest,
    hopeless, improve, solution,
};

const SEED: OptionInfo = seed("search-seed");

const CROWD: OptionInfo = OptionInfo {
    name: "crowd",
    values: OptionValues::Words(CrowdSource::NAMES),
    about: "with wildcards: every row fits k rows by its own blanks, or by anybody's",
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

/// Under the weaker reading: whose blanks a row's crowd may come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CrowdSource {
    /// The row's own: it fits k original rows.
    #[default]
    Own,
    /// Anybody's: its crowd may owe its size to other rows' blanks.
    Any,
}

impl NamedChoice for CrowdSource {
    const NAMES: &'static [&'static str] = &["own", "any"];
    const CHOICES: &'static [Self] = &[CrowdSource::Own, CrowdSource::Any];
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
    }
}

impl Algorithm for CellSuppression {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        check_width(INFO.name, problem)?;
        let ground = BlankingContext::new(problem);
        if let Some(solution) = hopeless(&ground) {
            return Ok(solution);
        }
        let patterns = SuppressionPatterns::new(&ground, control);
        if problem.privacy.wildcards {
            return Ok(self.wild(&ground, &patterns, control));
        }
        let budget = BlankingBudget { steps: self.steps, seed: self.seed, balance: false };
        let plan = BlankingPlan { budget, nodes: self.nodes };
        let found = improve(&ground, &patterns, &plan, None, control);
        Ok(solution("cells", &ground, &found))
    }
}

impl CellSuppression {
    /// The weaker reading.
    fn wild(
        &self,
        ground: &BlankingContext<'_>,
        patterns: &SuppressionPatterns,
        control: &Control,
    ) -> Solution {
        let wild = fewest(ground, patterns, self.crowd == CrowdSource::Own, control);
        let recoding = ground.masked(&wild.masks);
        let mut solution = Solution::feasible(recoding, 1).stopped_by(wild.stopped);
        let is_blank = |mask: &&u64| mask.count_ones() as usize == ground.columns();
        let rows = wild.masks.iter().filter(is_blank).count() as u64;
        let rows = words::count(rows, "row", "rows");
        solution.notes.push(if self.crowd == CrowdSource::Any {
            format!(
                "crowd=any allows the weaker reading: a row without blanks may share its \
                 class with blanked rows only and stay recognizable; {rows} blank throughout"
            )
        } else {
            "every row fits at least k original rows by its own blanks, which are the fewest for that"
                .to_owned()
        });
        solution
    }
}
