//! The same question answered by several methods for several k.
//!
//! The table is read and counted once. Every release is made, priced by one metric and read by the
//! independent verifier, as it would be before it is written; none of them is written.

use std::time::Duration;

use incrowd_engine::auto::ProofEffort;
use incrowd_engine::release::LossMeasures;
use incrowd_engine::words::thousands;
use incrowd_engine::{
    Algorithm, Control, MethodChoice, Metric, Problem, Release, Solution, SuppressionMode,
};
use incrowd_verify::{Requirements, Verifier};
use serde::{Deserialize, Serialize};

use crate::pipeline::searched_run::SearchedRun;
use crate::pipeline::timed_search::TimedSearch;
use crate::plan::job::Job;
use crate::report::run_report::{CostProof, why};
use crate::report::status::SearchStatus;
use crate::verify::requirements;
use crate::verify::violation_text::told;
use crate::{Error, Result, Source};

/// What one method found for one k.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// How the search ended.
    pub outcome: SearchStatus,
    /// The outcome in words, with what is proven of the cost.
    pub in_words: String,
    /// Why there is no release, or why the search stopped.
    pub why: Option<String>,
    /// The cost of the release, measured on its classes.
    pub cost: Option<f64>,
    /// A proven lower bound of what the method could have found.
    pub bound: Option<f64>,
    /// The share of the cost that a better search could save at most.
    pub gap: Option<f64>,
    /// Rows suppressed.
    pub suppressed: Option<u64>,
    /// Classes released.
    pub classes: Option<u64>,
    /// The size of the smallest class, as the verifier found it.
    pub achieved_k: Option<u64>,
    /// Every metric that applies.
    pub metrics: Option<LossMeasures>,
    /// What the user should know of how the question was taken, such as automatic bins.
    pub notes: Vec<String>,
    /// Nodes that the search looked at.
    pub nodes: u64,
    /// CPU time of the search.
    pub cpu_seconds: f64,
    /// Wall time of the search.
    pub wall_seconds: f64,
}

impl Trial {
    /// The method cannot do what is asked.
    fn refused(why: String) -> Self {
        Trial {
            outcome: SearchStatus::Refused,
            in_words: format!("refused: {why}"),
            why: Some(why),
            cost: None,
            bound: None,
            gap: None,
            suppressed: None,
            classes: None,
            achieved_k: None,
            metrics: None,
            notes: Vec::new(),
            nodes: 0,
            cpu_seconds: 0.0,
            wall_seconds: 0.0,
        }
    }

    /// Whether the release is proven to be the best that its method could make.
    pub fn is_proven(&self) -> bool {
        self.outcome.is_proven()
    }

    /// Whether the time limit ended the search.
    pub fn is_stopped(&self) -> bool {
        self.outcome.stopped().is_some()
    }

    /// Whether the user ended the search: what it found by then is nobody's result.
    pub fn is_interrupted(&self) -> bool {
        self.outcome.is_interrupted()
    }
}

/// A table that is read and counted, for several methods and several k.
#[derive(Debug, Clone)]
pub struct TrialTable {
    problem: Problem,
    identifying: Vec<String>,
    missing: Vec<String>,
    prove: ProofEffort,
}

impl TrialTable {
    /// Reads and counts a job's table; its k and its method do not matter.
    pub fn new(job: &Job, source: &Source, control: &Control) -> Result<Self> {
        job.refuse_risks()?;
        let problem = SearchedRun::posed(job, source, control)?;
        let (identifying, missing) = (job.identifying.clone(), job.missing.clone());
        Ok(TrialTable { problem, identifying, missing, prove: job.prove })
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.problem.rows
    }

    /// How many distinct combinations of quasi-identifiers there are.
    pub fn cells(&self) -> usize {
        self.problem.cells.len()
    }

    /// The metric that prices every release.
    pub fn metric(&self) -> Metric {
        self.problem.metric
    }

    /// What a method finds for a k, until its time is up or the user ends it. That a method cannot do it is
    /// a result like others.
    pub fn trial(
        &mut self,
        method: &MethodChoice,
        k: u64,
        time_limit: Option<Duration>,
        control: &Control,
    ) -> Result<Trial> {
        let rows = self.problem.rows;
        if k > rows {
            let why = format!("the table has only {} rows", thousands(rows));
            return Ok(Trial::refused(why));
        }
        self.problem.privacy.k = k;
        let timed =
            TimedSearch::run(time_limit, control, |control| method.solve(&self.problem, control));
        let solution = match timed.solution {
            Ok(solution) => solution,
            Err(incrowd_engine::Error { message, help, .. }) => {
                let help = help.map_or_else(String::new, |help| format!(" ({help})"));
                return Ok(Trial::refused(message + &help));
            }
        };
        let solution = method.proven(&self.problem, solution, self.prove, control);
        let mut trial = self.judged(&solution)?;
        (trial.wall_seconds, trial.cpu_seconds) = (timed.wall_seconds, timed.cpu_seconds);
        Ok(trial)
    }

    /// What a solution is worth: its release made, measured and verified.
    fn judged(&self, solution: &Solution) -> Result<Trial> {
        let problem = &self.problem;
        let release = Release::of_solution(problem, solution, SuppressionMode::Drop);
        let limit = problem.limit.rows(problem.rows, problem.rows);
        let suppressed = release.as_ref().map(|release| problem.rows - release.rows());
        if let Some(suppressed) = suppressed.filter(|&suppressed| suppressed > limit) {
            let why =
                format!("{suppressed} rows would have to be suppressed, but the limit is {limit}");
            return self.judged(&Solution::infeasible(why, solution.nodes));
        }
        let achieved_k = release.as_ref().map(|release| self.verified(release)).transpose()?;
        let cost = release.as_ref().and_then(|r| r.measures.cost(problem.metric));
        let CostProof { bound, gap, in_words } = CostProof::new(&solution.outcome, cost);
        Ok(Trial {
            outcome: SearchStatus::from(&solution.outcome),
            in_words,
            why: why(&solution.outcome),
            cost,
            bound,
            gap,
            suppressed,
            classes: release.as_ref().map(|release| release.classes.released().count() as u64),
            achieved_k: achieved_k.flatten(),
            metrics: release.map(|release| release.measures),
            notes: solution.notes.clone(),
            nodes: solution.nodes,
            ..Trial::refused(String::new())
        })
    }

    /// Has the released labels read by the independent verifier; returns the size of the smallest class.
    fn verified(&self, release: &Release) -> Result<Option<u64>> {
        let problem = &self.problem;
        let requirements =
            requirements::requirements(problem, &self.identifying, &self.missing, &|_, _| None)?;
        let verdict = verify(problem, release, &requirements).map_err(|e| {
            Error::new(format!("a release could not be verified: {e}"))
                .help("please report this as a fault of incrowd")
        })?;
        if verdict.holds {
            return Ok(verdict.k);
        }
        let what: Vec<String> = verdict.violations.iter().map(told).collect();
        Err(Error::new(format!("a release failed verification: {}", what.join("; ")))
            .help("please report this as a fault of incrowd"))
    }
}

/// Shows the verifier the rows of a release, class by class.
fn verify(
    problem: &Problem,
    release: &Release,
    requirements: &Requirements,
) -> incrowd_verify::Result<incrowd_verify::Verdict> {
    let labels = &problem.targets;
    let quasi = 0..problem.attributes.len();
    let mut header: Vec<&str> =
        quasi.clone().flat_map(|at| release.names(at)).map(String::as_str).collect();
    header.extend(labels.columns.iter().map(|column| column.name.as_str()));
    let mut verifier = Verifier::new(&header, requirements)?;
    let classes = &release.classes;
    for class in classes.released() {
        let shown: Vec<&str> = quasi
            .clone()
            .flat_map(|at| &release.labels(at)[release.label_of(at, class as u32) as usize])
            .map(String::as_str)
            .collect();
        if labels.columns.is_empty() {
            verifier.push_counted(shown.iter().copied(), classes.sizes[class])?;
        }
        for &(label, count) in classes.targets(class) {
            let values = labels.of(label).iter().zip(&labels.columns);
            let values: Vec<&str> =
                values.map(|(&code, column)| column.domain.label(code)).collect();
            verifier.push_counted(shown.iter().chain(&values).copied(), count)?;
        }
    }
    verifier.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd_engine::{Control, METHODS, Model, ProblemSpec, Table};

    use super::*;

    fn comparison() -> TrialTable {
        let row = |at: usize| {
            [(at * 7 % 23).to_string(), ["a", "b", "c"][at % 3].into(), (at % 4).to_string()]
        };
        let rows: Vec<[String; 3]> = (0..60).map(row).collect();
        let table = Table::from_rows(&["age", "job", "ill"], &rows).unwrap();
        let mut spec = ProblemSpec::new(1).quasi("age").quasi("job");
        spec = spec.sensitive("ill", Model::DistinctL { l: 2 });
        spec.metric = Metric::Dm;
        let problem = Problem::of_table(&spec, &table).unwrap();
        let (identifying, missing) = (Vec::new(), Vec::new());
        TrialTable { problem, identifying, missing, prove: ProofEffort::default() }
    }

    #[test]
    fn every_method_is_priced_and_verified_or_says_why_not() {
        let mut comparison = comparison();
        for info in METHODS {
            let method = MethodChoice::new(info.name, &[]).unwrap();
            for k in [2, 5, 61] {
                let trial = comparison.trial(&method, k, None, &Control::new()).unwrap();
                let Some(metrics) = &trial.metrics else {
                    assert!(trial.why.is_some(), "{} {k}: {trial:?}", info.name);
                    continue;
                };
                assert_eq!(trial.cost, Some(metrics.dm as f64), "{}", info.name);
                assert!(trial.achieved_k.unwrap() >= k, "{} {k}", info.name);
                let text = serde_json::to_string(&trial).unwrap();
                let again: Trial = serde_json::from_str(&text).unwrap();
                assert_eq!(again.outcome, trial.outcome);
                assert_eq!(again.metrics.unwrap().dm, metrics.dm);
            }
        }
        let optimal = MethodChoice::new("optimal", &[]).unwrap();
        assert!(comparison.trial(&optimal, 2, None, &Control::new()).unwrap().is_proven());
    }

    #[test]
    fn a_release_that_breaks_a_requirement_is_found_out() {
        let comparison = comparison();
        let problem = &comparison.problem;
        let method = MethodChoice::new("mondrian", &[]).unwrap();
        let mut wider = problem.clone();
        wider.privacy.k = 5;
        let solution = method.solve(problem, &Control::default()).unwrap();
        let release = Release::of_solution(problem, &solution, SuppressionMode::Drop).unwrap();
        assert!(comparison.verified(&release).is_ok());
        let strict = TrialTable { problem: wider, ..comparison };
        let error = strict.verified(&release).unwrap_err();
        assert!(error.to_string().contains("failed verification"), "{error}");
    }
}
