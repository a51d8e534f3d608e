//! The cover approximation.
//!
//! **What it does**: covers the rows with balls in (weighted) Hamming distance. Again and again the ball of
//! at least k rows is taken that has the least diameter for each row that it newly covers; at most 2k - 1 new
//! rows count, so that no group comes to hold 2k rows that differ. A ball with fewer than k new rows
//! takes rows from groups that can spare them, or joins a group that it meets. The columns in which a group
//! differs are blanked. The search of `cells` then improves the result.
//! **Guarantee**: every class passes, and at most [`ratio`] times the fewest blanks are made, before the
//! improvement as after it (against the optimum without suppressed rows and without models beyond k).
//! **Cost**: distances of all pairs of distinct rows, in blocks above 32,768 of them (the guarantee then
//! holds within each block only, and is not stated).
//! **Example**: Sweeney's twelve people, k = 2.
//! **Reference**: Meyerson and Williams, *On the Complexity of Optimal K-Anonymity* (2004), section 4.

mod distance;
mod greedy;

use super::algorithm::{Algorithm, MethodInfo};
use super::options::{OptionInfo, OptionValues};
use super::recoding_model::RecodingModel;
use super::settings::{NODES, seed, settings};
use crate::kit::Result;
use crate::problem::Problem;
use crate::search::{Control, CoverFacts, Solution, SolutionDetails};
use crate::space::blanking::{
    BlankingBudget, BlankingContext, BlankingPlan, RowGrouping, SuppressionPatterns, check_width,
    hopeless, improve, prove, solution,
};

const IMPROVE: OptionInfo = OptionInfo {
    name: "improve",
    values: OptionValues::Number { default: 50, least: 0, most: 1_000_000, off: Some("off") },
    about: "how many moves the improvement tries for each row that needs blanks, or off",
};

const SEED: OptionInfo = seed("search-seed");

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "cover",
    about: "blanked cells within a proven ratio of the fewest: greedy cover by balls (cell suppression)",
    family: RecodingModel::CellSuppression,
    recoding: "cellwise",
    options: Cover::OPTIONS,
    heeds_levels: false,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

settings! {
    /// The cover approximation.
    pub struct Cover {
        /// Moves of the improvement for each row that needs blanks; 0 for none.
        improve: u64 = IMPROVE,
        /// What its random choices come from.
        seed: u64 = SEED,
        /// The most nodes of the proof that the true ratio is taken from; 0 for none.
        nodes: u64 = NODES,
    }
}

/// How many times the fewest blanks the cover makes at most: 4 (2k - 1) (k - 1) / k times the harmonic
/// number of 2k - 1, which is O(k log k).
///
/// A group S of a best partition has k to 2k - 1 rows and costs at least k times its diameter. The ball of
/// that radius about any row of S that is not covered yet holds S, and has at most twice the diameter; the
/// greedy rule never pays more for a row of S than that, divided by the rows of S not yet covered. Summed
/// up, the balls taken have a diameter of at most 2 H(2k - 1) times that of the best partition's groups.
/// Groups that are joined have a row in common, so the sum does not grow; and s rows within a diameter
/// differ in at most s - 1 times as much, so a group costs at most (2k - 1)(2k - 2) times its diameter.
pub(crate) fn ratio(k: u64) -> f64 {
    if k < 2 {
        return 1.0;
    }
    let k = k as f64;
    let mut harmonic = 0.0;
    let mut at = 1.0;
    // Beyond this the logarithm is as good, and does not take as long.
    while at < 2.0 * k && at < 1e6 {
        harmonic += 1.0 / at;
        at += 1.0;
    }
    harmonic += ((2.0 * k - 1.0) / (at - 1.0)).max(1.0).ln();
    4.0 * (2.0 * k - 1.0) * (k - 1.0) / k * harmonic
}

impl Algorithm for Cover {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        check_width(INFO.name, problem)?;
        let ground = BlankingContext::new(problem);
        if let Some(solution) = hopeless(&ground) {
            return Ok(solution);
        }
        let (covered, blocks, stopped) = greedy::cover(&ground, control);
        let before = ground.cost(&covered);
        let patterns = SuppressionPatterns::new(&ground, control);
        let budget = BlankingBudget { steps: self.improve, seed: self.seed, balance: false };
        let plan = BlankingPlan { budget, nodes: 0 };
        let mut found = improve(&ground, &patterns, &plan, Some(&covered), control);
        found.stopped = found.stopped.or(stopped);
        let free = problem.privacy.is_by_size();
        // Below the true optimum there is nothing: what a proof found is a bound for the cover, too.
        let optimum =
            self.optimum(&ground, &found.grouping, control).or(found.proven.then_some(found.cost));
        if let Some(optimum) = optimum {
            found.bound = Some(optimum);
            found.proven |= found.cost <= optimum + 1e-9 * (1.0 + optimum);
        }
        let above = |least: f64| if least > 0.0 { found.cost / least } else { 1.0 };
        let facts = CoverFacts {
            before_improvement: before,
            cost: found.cost,
            guaranteed: (free && blocks == 1 && stopped.is_none())
                .then(|| ratio(problem.privacy.k)),
            against_bound: found.bound.filter(|&b| b > 0.0 || found.cost == 0.0).map(above),
            against_optimum: optimum.filter(|&b| b > 0.0 || found.cost == 0.0).map(above),
        };
        let mut solution =
            solution("cover", &ground, &found).with_details(SolutionDetails::Cover(facts));
        if blocks > 1 {
            solution.notes.push(format!(
                "the table was covered in {blocks} blocks: the ratio that theory guarantees holds within each"
            ));
        }
        Ok(solution)
    }
}

impl Cover {
    /// What the fewest blanks cost, if a proof comes to an end.
    fn optimum(
        &self,
        ground: &BlankingContext<'_>,
        start: &RowGrouping,
        control: &Control,
    ) -> Option<f64> {
        let proof = prove(ground, start, false, self.nodes, &control.silent())?;
        proof.proven.then(|| ground.cost(&proof.grouping))
    }
}
