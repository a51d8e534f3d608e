//! What a run has to tell.

use std::path::PathBuf;
use std::time::Instant;

use cpu_time::ProcessTime;
use incrowd::{Measures, Outcome, Problem, Recoding, Release, Solution};
use incrowd_verify::Verdict;
use serde::Serialize;

use super::Job;
use crate::Source;

/// The facts of a run, for people and for programs.
#[derive(Debug, Clone, Serialize)]
pub struct RunReport {
    /// `optimal`, `feasible`, `stopped` or `infeasible`.
    pub outcome: &'static str,
    /// Why there is no solution, or why the search stopped.
    pub why: Option<String>,
    /// The algorithm.
    pub method: &'static str,
    /// The metric that was minimized.
    pub metric: &'static str,
    /// The cost under that metric.
    pub cost: Option<f64>,
    /// A proven lower bound of the cost.
    pub bound: Option<f64>,
    /// The k asked for.
    pub k: u64,
    /// The size of the smallest class.
    pub achieved_k: Option<u64>,
    /// Rows of the input.
    pub rows: u64,
    /// Distinct quasi-identifier combinations of the input.
    pub cells: usize,
    /// Classes released.
    pub classes: usize,
    /// Rows released, blank ones included.
    pub released: u64,
    /// Rows suppressed.
    pub suppressed: u64,
    /// Every metric that applies.
    pub metrics: Option<Measures>,
    /// Columns that are released as they are.
    pub unchanged: Vec<String>,
    /// What the user should think about.
    pub warnings: Vec<String>,
    /// The recoding in words, a line per attribute.
    pub recoding: Vec<String>,
    /// The kind of recoding.
    pub recoding_kind: Option<&'static str>,
    /// Nodes that the search looked at.
    pub nodes: u64,
    /// CPU time of the whole run.
    pub cpu_seconds: f64,
    /// Wall time of the whole run.
    pub wall_seconds: f64,
    /// Where the release was written; none for a dry run.
    pub output: Option<PathBuf>,
    /// What the independent verifier found in the written release; none for a dry run.
    pub verdict: Option<Verdict>,
}

impl RunReport {
    pub(super) fn unsolved(
        job: &Job,
        problem: &Problem,
        solution: &Solution,
        wall: Instant,
        cpu: ProcessTime,
    ) -> Self {
        let (why, bound) = match &solution.outcome {
            Outcome::Optimal => (None, None),
            Outcome::Feasible { bound } => (None, *bound),
            Outcome::Infeasible { why } => (Some(why.clone()), None),
            Outcome::Stopped { reason, bound } => (
                Some(match reason {
                    incrowd::StopReason::TimeLimit => "the time limit was reached".to_owned(),
                    incrowd::StopReason::Cancelled => "it was interrupted".to_owned(),
                }),
                *bound,
            ),
        };
        RunReport {
            outcome: solution.outcome.name(),
            why,
            method: job.method.info().name,
            metric: problem.metric.name(),
            cost: None,
            bound,
            k: problem.privacy.k,
            achieved_k: None,
            rows: problem.rows,
            cells: problem.cells.len(),
            classes: 0,
            released: 0,
            suppressed: 0,
            metrics: None,
            unchanged: Vec::new(),
            warnings: Vec::new(),
            recoding: Vec::new(),
            recoding_kind: None,
            nodes: solution.nodes,
            cpu_seconds: cpu.elapsed().as_secs_f64(),
            wall_seconds: wall.elapsed().as_secs_f64(),
            output: None,
            verdict: None,
        }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "a report gathers what the steps of a run produced"
    )]
    pub(super) fn new(
        job: &Job,
        source: &Source,
        problem: &Problem,
        solution: &Solution,
        recoding: &Recoding,
        release: &Release,
        verdict: Option<Verdict>,
        wall: Instant,
        cpu: ProcessTime,
    ) -> Self {
        let classes = &release.classes;
        let cost = release.measures.cost(problem.metric);
        let unsolved = Self::unsolved(job, problem, solution, wall, cpu);
        RunReport {
            cost,
            // What is proven optimal is its own bound.
            bound: if solution.outcome == Outcome::Optimal { cost } else { unsolved.bound },
            achieved_k: verdict.as_ref().map_or_else(
                || classes.released().map(|class| classes.sizes[class]).min(),
                |v| v.k,
            ),
            classes: classes.released().count(),
            released: release.rows(),
            suppressed: problem.rows
                - classes.released().map(|class| classes.sizes[class]).sum::<u64>(),
            metrics: Some(release.measures.clone()),
            unchanged: job.plain_columns(source),
            warnings: job.warnings(source),
            recoding: recoding.describe(&problem.attributes),
            recoding_kind: Some(recoding.kind()),
            output: verdict.as_ref().and(job.output.clone()),
            verdict,
            ..unsolved
        }
    }
}
