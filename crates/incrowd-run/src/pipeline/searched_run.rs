//! What a search found.

use incrowd_engine::auto::ReleaseKind;
use incrowd_engine::{
    Algorithm as _, Control, FrequencyCounts, Problem, Recoding, Release, SavedRecoding, Solution,
};

use super::certificate::writes_in_search;
use super::timed_search::TimedSearch;
use crate::checks::judgement::Judgement;
use crate::checks::judges::suppressed;
use crate::count::population::PopulationCounts;
use crate::plan::job::Job;
use crate::plan::run_plan::RunPlan;
use crate::recode::release_plan::ReleasePlan;
use crate::recode::saved::saved;
use crate::report::run_report::RunClock;
use crate::{Error, Result};

/// What a search found in a table, with all that is needed to look at the release and to write it.
#[derive(Debug)]
pub struct SearchedRun {
    pub(crate) counts: FrequencyCounts,
    pub(crate) problem: Problem,
    pub(crate) solution: Solution,
    pub(crate) release: Option<Release>,
    pub(crate) population: Option<PopulationCounts>,
    pub(crate) judgement: Judgement,
    pub(crate) started: RunClock,
    /// Columns that follow from quasi-identifiers: classes are narrowed by them.
    pub(crate) implied: Vec<String>,
    /// The kind of recoding, where it was saved and not searched for.
    pub(crate) saved: Option<ReleaseKind>,
}

impl SearchedRun {
    /// The rows as they were counted.
    pub fn counts(&self) -> &FrequencyCounts {
        &self.counts
    }

    /// The question as it was posed.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// How the search ended.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// The recoding, if there is a release.
    pub fn recoding(&self) -> Option<&Recoding> {
        self.solution.recoding().filter(|_| self.release.is_some())
    }

    /// The release as it is planned, if there is one.
    pub fn release(&self) -> Option<&Release> {
        self.release.as_ref()
    }

    /// Whether the same job searches its way to the same release again: not if a clock or a person ended the search.
    pub fn is_repeatable(&self) -> bool {
        self.solution.outcome.stop_reason().is_none()
    }

    /// The recoding, to apply it to new rows later. As confidential as the data.
    pub fn saved_recoding(&self, plan: RunPlan<'_>) -> Option<SavedRecoding> {
        Some(saved(plan.job, plan.source, &self.problem, self.recoding()?))
    }

    /// The question with classes narrowed by the columns that were found to follow from quasi-identifiers.
    pub fn narrowed(&self, job: &Job) -> Job {
        job.narrowed_by(&self.implied)
    }

    /// The release about to be made.
    pub(crate) fn planned<'a>(&'a self, plan: RunPlan<'a>) -> Option<ReleasePlan<'a>> {
        let release = self.release.as_ref().filter(|_| self.solution.recoding().is_some())?;
        let (job, source) = (plan.job, plan.source);
        Some(ReleasePlan { job, source, counts: &self.counts, problem: &self.problem, release })
    }
}

/// Searches, and applies what was found: no release if there is none within the limits.
pub(crate) fn search(
    job: &Job,
    problem: Problem,
    control: &Control,
) -> Result<(Problem, Solution, Option<Release>)> {
    job.check_fixed_ends(&problem)?;
    let solve = |control: &Control| match writes_in_search(&job.method) {
        true => job.method.solve(&problem, control),
        false => job.method.solve(&problem, &control.without_proof()),
    };
    let solution = TimedSearch::run(job.time_limit, control, solve).solution?;
    let solution = job.method.proven(&problem, solution, job.prove, control);
    applied(job, problem, solution)
}

/// Applies a solution: no release if there is none within the limits.
pub(crate) fn applied(
    job: &Job,
    problem: Problem,
    solution: Solution,
) -> Result<(Problem, Solution, Option<Release>)> {
    if job.outside.is_some() && problem.targets.narrowing().next().is_some() {
        return Err(Error::new(
            "min-outside counts whole boxes, but a released column follows from quasi-identifiers",
        )
        .help("leave that column out, make it a quasi-identifier, or leave out min-outside"));
    }
    let solution = match job.outside {
        Some(outside) => outside.merge(&problem, solution),
        None => solution,
    };
    let solution = match &job.labels {
        Some(labels) => labels.draw(&problem, solution),
        None => solution,
    };
    let release_of = |problem: &Problem| match solution.recoding() {
        Some(recoding) if job.write_failing => Some(Release::with_failures(problem, recoding)),
        _ => Release::of_solution(problem, &solution, job.suppressed),
    };
    let Some(release) = release_of(&problem) else { return Ok((problem, solution, None)) };
    let (problem, release) = job.with_ends(problem, release, release_of);
    // Blank rows need company, so keeping them blank can suppress more than the search did.
    let (suppressed, limit) = suppressed(&problem, &release);
    if suppressed > limit {
        let why =
            format!("{suppressed} rows would have to be suppressed, but the limit is {limit}");
        return Ok((problem, Solution::infeasible(why, solution.nodes), None));
    }
    Ok((problem, solution, Some(release)))
}
