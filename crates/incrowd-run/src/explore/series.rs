//! The same question for several k and several limits.
//!
//! The table is read and counted once. In a *chained* series every answer helps with the next: what was
//! found for a larger k or a smaller limit holds for the others too and seeds their search, and some
//! answers control from others without a search.

use std::time::Duration;

use incrowd_engine::auto::ProofEffort;
use incrowd_engine::{
    Algorithm, Control, Limit, Method, MethodChoice, Problem, Recoding, Release, SuppressionMode,
};
use serde::{Serialize, Serializer};

use crate::pipeline::searched_run::SearchedRun;
use crate::pipeline::timed_search::TimedSearch;
use crate::plan::job::Job;
use crate::report::run_report::{CostProof, cost_text, gap, gap_text, seconds_text, why};
use crate::report::status::SearchStatus;
use crate::spec::parsing::SuppressionLimit;
use crate::{Result, Source};

/// What was found for one k and one limit.
#[derive(Debug, Clone, Serialize)]
pub struct SweepAnswer {
    /// The least size of a class.
    pub k: u64,
    /// Most rows that may be suppressed.
    #[serde(serialize_with = "as_text")]
    pub limit: SuppressionLimit,
    /// The kind of release.
    pub kind: &'static str,
    /// How the search ended.
    pub outcome: SearchStatus,
    /// The outcome in words, with what is proven of the cost.
    pub in_words: String,
    /// Why there is no solution, or why the search stopped.
    pub why: Option<String>,
    /// The cost.
    pub cost: Option<f64>,
    /// A proven lower bound of the cost.
    pub bound: Option<f64>,
    /// The share of the cost that could be saved at most.
    pub gap: Option<f64>,
    /// Rows suppressed.
    pub suppressed: Option<u64>,
    /// Classes released.
    pub classes: Option<usize>,
    /// Nodes that the search looked at.
    pub nodes: u64,
    /// CPU time of the search.
    pub cpu_seconds: f64,
    /// Wall time of the search.
    pub wall_seconds: f64,
    /// Whether it follows from other answers, without a search.
    pub derived: bool,
    /// The k and the limit of the stricter answer whose release this one is, where its own search found none as good.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_texts")]
    pub carried_from: Option<(u64, SuppressionLimit)>,
    #[serde(skip)]
    recoding: Option<Recoding>,
}

fn as_text<S: Serializer>(limit: &SuppressionLimit, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(limit)
}

fn as_texts<S: Serializer>(
    from: &Option<(u64, SuppressionLimit)>,
    out: S,
) -> Result<S::Ok, S::Error> {
    out.collect_seq(from.iter().flat_map(|(k, limit)| [k.to_string(), limit.to_string()]))
}

impl SweepAnswer {
    /// Whether the solution is proven to be the best there is.
    pub fn is_proven(&self) -> bool {
        self.outcome.is_proven()
    }

    /// Whether the user ended the search.
    pub fn is_interrupted(&self) -> bool {
        self.outcome.is_interrupted()
    }

    /// The answer in a few words, for progress.
    pub fn in_short(&self) -> String {
        if self.derived {
            return format!("{}, follows from the others", self.in_words);
        }
        // Where there is a bound but no proof, the words say the cost already.
        let cost = match self.cost.filter(|_| self.is_proven() || self.bound.is_none()) {
            Some(cost) => format!(", cost {}", cost_text(cost)),
            None => String::new(),
        };
        format!("{}{cost}, {}", self.in_words, seconds_text(self.wall_seconds))
    }
}

/// A question asked for several k and limits.
#[derive(Debug, Clone)]
pub struct ParameterSweep {
    problem: Problem,
    method: MethodChoice,
    time_limit: Option<Duration>,
    chained: bool,
    prove: ProofEffort,
    answers: Vec<SweepAnswer>,
}

impl ParameterSweep {
    /// Reads and counts a job's table. The job's k must be the largest that will be asked for, its time
    /// limit is one for each answer.
    pub fn new(job: &Job, source: &Source, chained: bool, control: &Control) -> Result<Self> {
        job.refuse_risks()?;
        let problem = SearchedRun::posed(job, source, control)?;
        let (method, time_limit) = (job.method, job.time_limit);
        // What takes minutes is not done for each of many questions.
        let prove = ProofEffort::default();
        Ok(ParameterSweep { problem, method, time_limit, chained, prove, answers: Vec::new() })
    }

    /// With more or less work to prove how little releases of the kind local can cost.
    #[must_use]
    pub fn with_prove(mut self, prove: ProofEffort) -> Self {
        self.prove = prove;
        self
    }

    /// The same table and method for another metric, with no answers yet.
    #[must_use]
    pub fn with_metric(&self, metric: incrowd_engine::Metric) -> Self {
        let mut series = ParameterSweep { answers: Vec::new(), ..self.clone() };
        series.problem.metric = metric;
        series
    }

    /// The same question for another method, with no answers yet.
    #[must_use]
    pub fn with_method(&self, method: MethodChoice, time_limit: Option<Duration>) -> Self {
        let problem = method.ready(self.problem.clone());
        ParameterSweep { problem, method, time_limit, answers: Vec::new(), ..self.clone() }
    }

    /// How many rows the table has.
    pub fn table_rows(&self) -> u64 {
        self.problem.rows
    }

    /// What the user should know of how the table is taken, such as automatic bins.
    pub fn notes(&self) -> Result<Vec<String>> {
        Ok(self.method.cut_rules().map_or(Ok(Vec::new()), |rules| rules.notes(&self.problem))?)
    }

    /// The order in which every answer helps the next ones most: large k first, and for each k no
    /// suppression, then any number of rows, then the limits between, which often control from those two.
    pub fn order(&self, ks: &[u64], limits: &[SuppressionLimit]) -> Vec<(u64, SuppressionLimit)> {
        let mut ks = ks.to_vec();
        ks.sort_unstable_by(|a, b| b.cmp(a));
        ks.dedup();
        let rank = |limit: &SuppressionLimit| match self.rows(*limit) {
            0 => (0, 0),
            rows if rows >= self.problem.rows => (1, 0),
            rows => (2, rows),
        };
        let mut limits = limits.to_vec();
        limits.sort_by_key(rank);
        limits.dedup();
        ks.iter().flat_map(|&k| limits.iter().map(move |&limit| (k, limit))).collect()
    }

    fn rows(&self, limit: SuppressionLimit) -> u64 {
        Limit::from(limit).rows(self.problem.rows, self.problem.rows)
    }

    /// The answer for a k and a limit: the best found until time is up or the user ends the search.
    pub fn solve(
        &mut self,
        k: u64,
        limit: SuppressionLimit,
        control: &Control,
    ) -> Result<SweepAnswer> {
        let answer = match self.derive(k, limit) {
            Some(answer) => answer,
            None => self.search(k, limit, control)?,
        };
        let answer = self.carried(answer);
        self.answers.push(answer.clone());
        Ok(answer)
    }

    /// All answers so far, in the order in which they were found, none of which costs more than one for a larger k
    /// and a narrower limit: what was found for these later is carried to those before.
    pub fn settled(&mut self) -> Vec<SweepAnswer> {
        let mut order: Vec<usize> = (0..self.answers.len()).collect();
        // The strictest first: what is carried to one can be carried on.
        order.sort_by_key(|&at| {
            let answer = &self.answers[at];
            (std::cmp::Reverse(answer.k), self.rows(answer.limit))
        });
        for at in order {
            self.answers[at] = self.carried(self.answers[at].clone());
        }
        self.answers.clone()
    }

    /// An answer, or a better one that was found for a larger k and a narrower limit. Whatever those release, this
    /// question allows: classes that are large enough for them are large enough for it, and those that it releases
    /// beside them cost less than suppressed.
    fn carried(&self, answer: SweepAnswer) -> SweepAnswer {
        if !self.chained || answer.is_proven() {
            return answer;
        }
        let (k, limit) = (answer.k, answer.limit);
        let rows = self.rows(limit);
        let stricter = self.answers.iter().filter(|other| {
            (other.k, other.limit) != (k, limit) && other.k >= k && self.rows(other.limit) <= rows
        });
        let mut problem = None;
        let mut best = answer;
        for other in stricter {
            let Some(recoding) = &other.recoding else { continue };
            // As it was told; priced under this question it may be cheaper still.
            if best.cost.is_some_and(|cost| other.cost.is_none_or(|others| cost <= others)) {
                continue;
            }
            let problem = problem.get_or_insert_with(|| {
                let mut problem = self.problem.clone();
                (problem.privacy.k, problem.limit) = (k, limit.into());
                problem
            });
            let release = Release::new(problem, recoding, SuppressionMode::Drop);
            let suppressed = problem.rows - release.rows();
            let cost = release.measures.cost(problem.metric);
            let Some(cost) = cost.filter(|_| suppressed <= rows) else { continue };
            if best.cost.is_none_or(|known| cost < known) {
                best.cost = Some(cost);
                best.gap = best.bound.map(|bound| gap(cost, bound));
                best.suppressed = Some(suppressed);
                best.classes = Some(release.classes.released().count());
                best.recoding = Some(recoding.clone());
                best.carried_from = Some((other.k, other.limit));
                best.in_words = carried_words(&best);
            }
        }
        best
    }

    /// The answer by two searches: without suppression first, then from what that found. Nodes and times
    /// are those of both, the outcome is that of the second, and other answers are not looked at.
    pub fn solve_seeded(
        &self,
        k: u64,
        limit: SuppressionLimit,
        control: &Control,
    ) -> Result<SweepAnswer> {
        let mut series = ParameterSweep { chained: true, answers: Vec::new(), ..self.clone() };
        let seed = series.solve(k, SuppressionLimit::Rows(0), control)?;
        if seed.is_interrupted() {
            return Ok(seed);
        }
        let answer = series.solve(k, limit, control)?;
        Ok(SweepAnswer {
            nodes: seed.nodes + answer.nodes,
            cpu_seconds: seed.cpu_seconds + answer.cpu_seconds,
            wall_seconds: seed.wall_seconds + answer.wall_seconds,
            ..answer
        })
    }

    /// The answer, if it follows from those before.
    fn derive(&self, k: u64, limit: SuppressionLimit) -> Option<SweepAnswer> {
        let rows = self.rows(limit);
        let proven = || self.answers.iter().filter(|a| self.chained && a.k == k && a.is_proven());
        // The best under a wider limit, if it keeps to this one; else the best under a narrower one,
        // if even a wider limit would not save anything.
        let keeps = proven()
            .find(|a| self.rows(a.limit) >= rows && a.suppressed.is_some_and(|gone| gone <= rows));
        let source = keeps.or_else(|| {
            proven().filter(|narrow| self.rows(narrow.limit) <= rows).find(|narrow| {
                proven().any(|wide| self.rows(wide.limit) >= rows && wide.cost == narrow.cost)
            })
        })?;
        Some(SweepAnswer {
            limit,
            nodes: 0,
            cpu_seconds: 0.0,
            wall_seconds: 0.0,
            derived: true,
            ..source.clone()
        })
    }

    fn search(
        &mut self,
        k: u64,
        limit: SuppressionLimit,
        control: &Control,
    ) -> Result<SweepAnswer> {
        self.problem.privacy.k = k;
        self.problem.limit = limit.into();
        let known: Vec<&Recoding> = match self.chained {
            true => self.answers.iter().filter_map(|answer| answer.recoding.as_ref()).collect(),
            false => Vec::new(),
        };
        let timed = TimedSearch::run(self.time_limit, control, |control| match self.method {
            MethodChoice::Named(Method::Optimal(optimal)) => {
                optimal.solve_from(&self.problem, &known, control)
            }
            MethodChoice::Named(Method::KOptimize(paper)) => {
                paper.solve_from(&self.problem, &known, control)
            }
            method => method.solve(&self.problem, control),
        });
        let solution = timed.solution?;
        let solution = self.method.proven(&self.problem, solution, self.prove, control);
        let release = Release::of_solution(&self.problem, &solution, SuppressionMode::Drop);
        let cost = release.as_ref().and_then(|r| r.measures.cost(self.problem.metric));
        let CostProof { bound, gap, in_words } = CostProof::new(&solution.outcome, cost);
        let (reason, nodes) = (why(&solution.outcome), solution.nodes);
        Ok(SweepAnswer {
            k,
            limit,
            kind: self.method.kind().name(),
            outcome: SearchStatus::from(&solution.outcome),
            in_words,
            why: reason,
            cost,
            bound,
            gap,
            suppressed: release.as_ref().map(|release| self.problem.rows - release.rows()),
            classes: release.as_ref().map(|release| release.classes.released().count()),
            nodes,
            cpu_seconds: timed.cpu_seconds,
            wall_seconds: timed.wall_seconds,
            derived: false,
            carried_from: None,
            recoding: solution.into_recoding(),
        })
    }
}

/// What is known of an answer that another search found.
fn carried_words(answer: &SweepAnswer) -> String {
    let Some((k, limit)) = answer.carried_from else { return answer.in_words.clone() };
    let head = format!("{}, found for k {k} and limit {limit}", answer.outcome);
    match (answer.cost, answer.bound, answer.gap) {
        (Some(cost), Some(bound), Some(gap)) => format!(
            "{head}: cost {}, bound {}, gap {}",
            cost_text(cost),
            cost_text(bound),
            gap_text(gap)
        ),
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use SuppressionLimit::{All, Percent, Rows};
    use incrowd_engine::{ProblemSpec, Table};

    use super::*;

    /// A series over ten rows.
    fn series(chained: bool) -> ParameterSweep {
        let rows: Vec<[String; 1]> = (0..10).map(|at| [at.to_string()]).collect();
        let table = Table::from_rows(&["age"], &rows).unwrap();
        let problem = Problem::of_table(&ProblemSpec::new(2).quasi("age"), &table).unwrap();
        let method = MethodChoice::new("optimal", &[]).unwrap();
        ParameterSweep {
            problem,
            method,
            time_limit: None,
            chained,
            prove: ProofEffort::default(),
            answers: Vec::new(),
        }
    }

    fn answer(
        k: u64,
        limit: SuppressionLimit,
        outcome: SearchStatus,
        cost: f64,
        suppressed: u64,
    ) -> SweepAnswer {
        SweepAnswer {
            k,
            limit,
            kind: "global",
            outcome,
            in_words: outcome.to_string(),
            why: None,
            cost: Some(cost),
            bound: Some(cost),
            gap: Some(0.0),
            suppressed: Some(suppressed),
            classes: Some(1),
            nodes: 7,
            cpu_seconds: 1.0,
            wall_seconds: 1.0,
            derived: false,
            carried_from: None,
            recoding: None,
        }
    }

    #[test]
    fn the_order_is_large_k_first_then_no_limit_all_and_the_limits_between() {
        let order = series(true).order(&[2, 5, 2], &[Percent(30.0), All, Rows(2), Rows(0), All]);
        let limits = [Rows(0), All, Rows(2), Percent(30.0)];
        let expected: Vec<(u64, SuppressionLimit)> =
            [5, 2].into_iter().flat_map(|k| limits.map(|limit| (k, limit))).collect();
        assert_eq!(order, expected);
    }

    #[test]
    fn answers_follow_from_proven_ones_only() {
        let mut series = series(true);
        series.answers = vec![
            answer(5, Rows(0), SearchStatus::Optimal, 40.0, 0),
            answer(5, All, SearchStatus::Optimal, 30.0, 3),
            answer(4, Rows(0), SearchStatus::Optimal, 20.0, 0),
            answer(4, All, SearchStatus::Optimal, 20.0, 9),
            answer(3, Rows(0), SearchStatus::Optimal, 20.0, 0),
            answer(3, All, SearchStatus::Stopped(incrowd_engine::StopReason::TimeLimit), 10.0, 1),
        ];
        // The best without a limit suppresses 3 rows: it is the best for a limit of 3, not of 2.
        let found = series.derive(5, Percent(30.0)).unwrap();
        assert!(found.derived && found.limit == Percent(30.0) && found.nodes == 0);
        assert_eq!((found.cost, found.suppressed), (Some(30.0), Some(3)));
        assert!(series.derive(5, Rows(2)).is_none());
        // A limit saves nothing at all: every one between costs the same, and need not suppress.
        let found = series.derive(4, Rows(1)).unwrap();
        assert_eq!((found.cost, found.suppressed), (Some(20.0), Some(0)));
        // What is not proven proves nothing, and another k is another question.
        assert!(series.derive(3, Rows(5)).is_none());
        assert!(series.derive(2, Rows(5)).is_none());
        series.chained = false;
        assert!(series.derive(5, Rows(3)).is_none());
    }

    /// Random tables, searched with hardly any time: an answer for a smaller k and a wider limit never costs more.
    #[test]
    fn a_weaker_question_never_costs_more() {
        use incrowd_engine::StopReason;
        use incrowd_testing::LinearRng;
        use std::sync::atomic::{AtomicU64, Ordering};

        let mut rng = LinearRng::new(7);
        let mut random = move |end: u64| rng.below(end);
        let mut carried = 0;
        for case in 0..incrowd_testing::cases(200) {
            let rows: Vec<[String; 3]> = (0..20 + random(60))
                .map(|_| [9, 14, 5].map(|values| random(values).to_string()))
                .collect();
            let table = Table::from_rows(&["a", "b", "c"], &rows).unwrap();
            let mut spec = ProblemSpec::new(8).quasi("a").quasi("b").quasi("c");
            spec.metric = [
                incrowd_engine::Metric::Dm,
                incrowd_engine::Metric::Ncp,
                incrowd_engine::Metric::Loss,
            ][random(3) as usize];
            let problem = Problem::of_table(&spec, &table).unwrap();
            let name = ["optimal", "mondrian", "climb"][random(3) as usize];
            let method = MethodChoice::new(name, &[]).unwrap();
            let mut series = ParameterSweep {
                problem,
                method,
                time_limit: None,
                chained: true,
                prove: ProofEffort::default(),
                answers: Vec::new(),
            };
            for (k, limit) in series.order(&[2, 3, 5, 8], &[Rows(0), Rows(2), Percent(10.0), All]) {
                let left = AtomicU64::new(random(40));
                let control = Control::new().with_stop(move || {
                    let before = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| {
                        Some(n.saturating_sub(1))
                    });
                    before.is_ok_and(|n| n == 0).then_some(StopReason::TimeLimit)
                });
                series.solve(k, limit, &control).unwrap();
            }
            let answers = series.settled();
            carried += answers.iter().filter(|answer| answer.carried_from.is_some()).count();
            for strict in &answers {
                for weak in &answers {
                    if weak.k > strict.k || series.rows(weak.limit) < series.rows(strict.limit) {
                        continue;
                    }
                    let cost = |answer: &SweepAnswer| answer.cost.unwrap_or(f64::INFINITY);
                    assert!(
                        cost(weak) <= cost(strict) * (1.0 + 1e-12),
                        "{case}, {name}: {weak:?} beside {strict:?}"
                    );
                    let allowed = series.rows(weak.limit);
                    assert!(weak.suppressed.is_none_or(|gone| gone <= allowed), "{weak:?}");
                }
            }
        }
        assert!(carried > 0);
    }
}
