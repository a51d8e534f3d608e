//! A block of a table that is solved by itself, where the combinations are too many for one place.

use incrowd_engine::{Control, FrequencyCounts, Problem, Release, Solution};

use super::searched_run::search;
use crate::Result;
use crate::checks::truth::check_truth;
use crate::count::build_problem::build_problem;
use crate::plan::run_plan::RunPlan;
use crate::recode::pass::LabelPairs;
use crate::recode::release_plan::ReleasePlan;
use crate::report::run_report::why;
use crate::verify::requirements::requirements;

/// What a search found in a block of a table. Labels that do not contain what they stand for were refused; all other checks
/// judge the release of all blocks.
#[derive(Debug)]
pub struct BlockRun {
    problem: Problem,
    solution: Solution,
    release: Option<Release>,
}

impl RunPlan<'_> {
    /// Searches in a block of the table, of which all rows are counted. `overall` tells how many rows of the whole table
    /// have each code of a target column: models compare classes with the table and not with the block.
    pub fn search_block(
        self,
        counts: &FrequencyCounts,
        overall: impl Fn(&Problem, usize) -> Vec<u64>,
        control: &Control,
    ) -> Result<BlockRun> {
        let RunPlan { job, source, .. } = self;
        let problem = build_problem(&job.problem, counts, source, &job.missing, control)?;
        let mut problem = job.method.ready(problem);
        give_backgrounds(&mut problem, overall);
        let (problem, solution, release) = search(job, problem, control)?;
        let found = BlockRun { problem, solution, release };
        if let Some(plan) = found.planned(self, counts) {
            let nothing = |_: &str, _: &str| None;
            let problem = plan.problem;
            let mut asked = requirements(problem, &job.identifying, &job.missing, &nothing)?;
            asked.reference = job.reference;
            check_truth(&plan, &LabelPairs::of_release(plan.release), &asked, control)?;
        }
        Ok(found)
    }
}

impl BlockRun {
    /// The question as it was posed for the block.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// How the search ended.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// Why there is no solution, or why the search stopped.
    pub fn why(&self) -> Option<String> {
        why(&self.solution.outcome)
    }

    /// The release of the block as it is planned, if there is one.
    pub fn planned<'a>(
        &'a self,
        plan: RunPlan<'a>,
        counts: &'a FrequencyCounts,
    ) -> Option<ReleasePlan<'a>> {
        let (job, source) = (plan.job, plan.source);
        let release = self.release.as_ref()?;
        Some(ReleasePlan { job, source, counts, problem: &self.problem, release })
    }
}

/// Lets models compare classes with the whole table and not with a part of it.
fn give_backgrounds(problem: &mut Problem, overall: impl Fn(&Problem, usize) -> Vec<u64>) {
    let wholes: Vec<Vec<u64>> =
        (0..problem.targets.columns.len()).map(|at| overall(problem, at)).collect();
    for requirement in &mut problem.privacy.requirements {
        let rows = &wholes[requirement.column];
        let total = rows.iter().sum::<u64>().max(1) as f64;
        if !requirement.background.shares.is_empty() {
            requirement.background.shares = rows.iter().map(|&n| n as f64 / total).collect();
        }
    }
}
