//! Balanced cell suppression.
//!
//! **What it does**: of all ways to blank the fewest cells (by weight) takes the one that spreads them most
//! evenly: first over columns, the most blanks in a column less the fewest; then over rows, the most
//! blanks in a row. The search is that of `cells`, followed by moves that cost nothing and even out; a small
//! table is then gone through by branch and bound with the same three goals.
//! **Guarantee**: every class passes; proven where the proof ends. Never more blanks than `cells` with the
//! same seed and steps.
//! **Cost**: as `cells`, twice the moves.
//! **Example**: the 18 rows of the paper's Table I, k = 2: 16 blanks, four in each column.
//! **Reference**: Al-Fedaghi, *Balanced k-Anonymization* (2005).

use super::algorithm::{Algorithm, MethodInfo};
use super::options::OptionInfo;
use super::recoding_model::RecodingModel;
use super::settings::{BLANKING_STEPS, NODES, seed, settings};
use crate::kit::Result;
use crate::problem::Problem;
use crate::search::{Control, Solution};
use crate::space::blanking::{
    BlankingBudget, BlankingContext, BlankingPlan, SuppressionPatterns, check_width, hopeless,
    improve, solution,
};

const SEED: OptionInfo = seed("search-seed");

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "balanced",
    about: "as few blanked cells as possible, spread evenly over columns and rows (cell suppression)",
    family: RecodingModel::CellSuppression,
    recoding: "cellwise",
    options: BalancedSuppression::OPTIONS,
    heeds_levels: false,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

settings! {
    /// Balanced cell suppression.
    pub struct BalancedSuppression {
        /// Moves for each row that needs blanks, for the number of blanks and again for their balance.
        steps: u64 = BLANKING_STEPS,
        /// What the random choices come from.
        seed: u64 = SEED,
        /// The most nodes of a proof; 0 for none.
        nodes: u64 = NODES,
    }
}

impl Algorithm for BalancedSuppression {
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
        let budget = BlankingBudget { steps: self.steps, seed: self.seed, balance: true };
        let plan = BlankingPlan { budget, nodes: self.nodes };
        let found = improve(&ground, &patterns, &plan, None, control);
        Ok(solution("balanced", &ground, &found))
    }
}
