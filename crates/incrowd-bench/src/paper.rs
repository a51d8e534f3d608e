//! `incrowd-bench paper`: the experiments of Bayardo and Agrawal on the Adult data.

use std::time::Duration;

use incrowd_engine::MethodChoice;
use incrowd_run::spec::parsing::{SuppressionLimit, parse_duration, parse_limit};
use incrowd_run::{
    Result,
    data::refuse_overwrite,
    explore::{ParameterSweep, SweepAnswer},
    on_threads,
    report::ResultsFile,
};
use incrowd_term::{CommandOutcome, ProgressDisplay, field, json_text, seconds, table};

use crate::args::{AgeCoding, PaperArgs};
use crate::name;

/// The paper's own algorithm.
const BASELINE: &str = "k-optimize";
pub(crate) const PROVER: &str = "optimal";

/// Seconds: searches that take less may be run several times.
const QUICK: f64 = 10.0;

/// How a search begins: from nothing, or with the least cost without suppression.
pub(crate) const FROM_NOTHING: &str = "nothing";
const SEEDED: &str = "seeded";

pub(crate) fn paper(args: &PaperArgs) -> Result<CommandOutcome> {
    let grid = PaperGrid {
        limits: args.limits.iter().map(|text| parse_limit(text)).collect::<Result<_>>()?,
        time_limit: parse_duration(&args.time_limit)?,
        baseline: match args.baseline {
            true => Some((
                MethodChoice::new(BASELINE, &[])?,
                parse_duration(&args.baseline_time_limit)?,
            )),
            false => None,
        },
        args,
    };
    let bars = ProgressDisplay::new(args.printing.quiet || args.printing.json);
    let mut tables = Vec::new();
    let largest = args.k.iter().copied().max().unwrap_or(1);
    let asked = crate::SolveOptions { method: PROVER, time_limit: Some(grid.time_limit) };
    for &coding in &args.adult.coding {
        tables.push((
            coding,
            crate::adult(&args.adult.files, coding.into(), largest, &asked, &bars)?,
        ));
    }
    refuse_overwrite(
        "the results",
        &args.adult.files.output,
        &[("the data", &args.adult.files.data)],
    )?;
    let mut results = ResultsFile::open(&args.adult.files.output, &HEADER)?;
    let ended = on_threads(args.adult.files.threads, || grid.run(tables, &mut results, &bars))??;
    drop(bars);
    let rows: Vec<ResultRow<'_>> =
        results.rows().iter().filter_map(|row| ResultRow::read(row)).collect();
    let agree = summarize(&rows, args.printing.json)?;
    Ok(match ended {
        GridCompletion::Early => CommandOutcome::Interrupted,
        GridCompletion::Whole if agree => CommandOutcome::Done,
        GridCompletion::Whole => CommandOutcome::Unmet,
    })
}

/// Whether a grid was run to its end.
enum GridCompletion {
    Whole,
    Early,
}

/// The instances to solve, and how.
struct PaperGrid<'a> {
    args: &'a PaperArgs,
    limits: Vec<SuppressionLimit>,
    time_limit: Duration,
    baseline: Option<(MethodChoice, Duration)>,
}

impl PaperGrid<'_> {
    /// Solves every instance that the results lack.
    fn run(
        &self,
        tables: Vec<(AgeCoding, ParameterSweep)>,
        results: &mut ResultsFile,
        bars: &ProgressDisplay,
    ) -> Result<GridCompletion> {
        for (coding, table) in tables {
            for &metric in &self.args.adult.metric {
                let series = table.with_metric(metric.into());
                let baseline =
                    self.baseline.map(|(method, time)| series.with_method(method, Some(time)));
                for (k, limit) in series.order(&self.args.k, &self.limits) {
                    // The baseline has a chance only where the prover is done.
                    let mut proven = true;
                    let methods = [(PROVER, Some(&series)), (BASELINE, baseline.as_ref())];
                    for (method, series) in methods {
                        let Some(series) = series.filter(|_| proven) else { continue };
                        for start in self.starts(limit) {
                            let key = RunKey {
                                coding: name(coding),
                                metric: name(metric),
                                limit,
                                k,
                                method,
                                start,
                            };
                            let Some(done) = self.solve(&key, series, results, bars)? else {
                                return Ok(GridCompletion::Early);
                            };
                            proven &= done;
                        }
                    }
                }
            }
        }
        Ok(GridCompletion::Whole)
    }

    /// Solves an instance unless the results have it; says whether it is proven, or nothing if the user
    /// ended the search. A search that the user ended is no result: the next run makes it anew.
    fn solve(
        &self,
        key: &RunKey,
        series: &ParameterSweep,
        results: &mut ResultsFile,
        bars: &ProgressDisplay,
    ) -> Result<Option<bool>> {
        let known = results.rows().iter().filter_map(|row| ResultRow::read(row));
        if let Some(row) = known.into_iter().find(|row| row.is(key)) {
            return Ok(Some(row.is_proven()));
        }
        if bars.cancelled() {
            return Ok(None);
        }
        bars.part(&key.to_string());
        let once = || match key.start {
            SEEDED => series.solve_seeded(key.k, key.limit, &bars.control),
            _ => series.clone().solve(key.k, key.limit, &bars.control),
        };
        let mut answer = once()?;
        for _ in 1..self.args.runs {
            if !answer.is_proven() || answer.wall_seconds >= QUICK || bars.cancelled() {
                break;
            }
            let again = once()?;
            if !again.is_interrupted() && again.wall_seconds < answer.wall_seconds {
                answer = again;
            }
        }
        bars.announce(&format!("{key}: {}", answer.in_short()));
        if answer.is_interrupted() {
            return Ok(None);
        }
        results.add(key.row(&answer))?;
        Ok(Some(answer.is_proven()))
    }

    /// How searches under a limit begin. Without suppression there is nothing to be seeded with.
    fn starts(&self, limit: SuppressionLimit) -> impl Iterator<Item = &'static str> {
        let seeded = self.args.seeded && limit != SuppressionLimit::Rows(0);
        [FROM_NOTHING].into_iter().chain(seeded.then_some(SEEDED))
    }
}

/// The columns of the results.
pub(crate) const HEADER: [&str; 14] = [
    "coding",
    "metric",
    "limit",
    "k",
    "cost",
    "bound",
    "outcome",
    "suppressed",
    "classes",
    "nodes",
    "cpu_seconds",
    "wall_seconds",
    "method",
    "start",
];

/// What an instance is called.
struct RunKey {
    coding: String,
    metric: String,
    limit: SuppressionLimit,
    k: u64,
    method: &'static str,
    start: &'static str,
}

impl std::fmt::Display for RunKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let RunKey { coding, metric, limit, k, method, start } = self;
        let seeded = if *start == SEEDED { ", seeded" } else { "" };
        write!(f, "{coding}, {metric}, limit {limit}, k {k}, {method}{seeded}")
    }
}

impl RunKey {
    fn row(&self, answer: &SweepAnswer) -> Vec<String> {
        vec![
            self.coding.clone(),
            self.metric.clone(),
            self.limit.to_string(),
            self.k.to_string(),
            field(answer.cost),
            field(answer.bound),
            answer.outcome.to_string(),
            field(answer.suppressed),
            field(answer.classes),
            answer.nodes.to_string(),
            format!("{:.3}", answer.cpu_seconds),
            format!("{:.3}", answer.wall_seconds),
            self.method.to_owned(),
            self.start.to_owned(),
        ]
    }
}

/// A row of the results, as far as the summary looks at it.
struct ResultRow<'a> {
    /// Coding, metric, limit and k.
    instance: [&'a str; 4],
    cost: Option<f64>,
    outcome: &'a str,
    wall_seconds: f64,
    method: &'a str,
    start: &'a str,
}

impl<'a> ResultRow<'a> {
    /// A row as it stands in the file; none if somebody put something else there.
    fn read(row: &'a [String]) -> Option<Self> {
        let field = |name: &str| {
            let at = HEADER.iter().position(|column| *column == name)?;
            row.get(at).map(String::as_str)
        };
        Some(ResultRow {
            instance: [field("coding")?, field("metric")?, field("limit")?, field("k")?],
            cost: field("cost")?.parse().ok(),
            outcome: field("outcome")?,
            wall_seconds: field("wall_seconds")?.parse().ok()?,
            method: field("method")?,
            start: field("start")?,
        })
    }

    fn is(&self, key: &RunKey) -> bool {
        let (limit, k) = (key.limit.to_string(), key.k.to_string());
        self.instance == [&key.coding, &key.metric, &limit, k.as_str()]
            && (self.method, self.start) == (key.method, key.start)
    }

    fn is_proven(&self) -> bool {
        self.outcome == "optimal"
    }

    fn name(&self) -> String {
        let [coding, metric, limit, k] = self.instance;
        format!("{coding}, {metric}, limit {limit}, k {k}")
    }
}

/// What all results in the file come to, those of earlier runs included.
#[derive(serde::Serialize)]
struct MethodSummary {
    method: &'static str,
    start: &'static str,
    instances: usize,
    proven: usize,
    wall_seconds: f64,
    slowest: Option<String>,
    slowest_seconds: f64,
}

impl MethodSummary {
    fn new(method: &'static str, start: &'static str, rows: &[ResultRow<'_>]) -> Self {
        let of_method = || rows.iter().filter(|row| (row.method, row.start) == (method, start));
        let slowest = of_method().max_by(|a, b| a.wall_seconds.total_cmp(&b.wall_seconds));
        MethodSummary {
            method,
            start,
            instances: of_method().count(),
            proven: of_method().filter(|row| row.is_proven()).count(),
            wall_seconds: of_method().map(|row| row.wall_seconds).sum(),
            slowest: slowest.map(ResultRow::name),
            slowest_seconds: slowest.map_or(0.0, |row| row.wall_seconds),
        }
    }
}

/// The prover and the baseline on one instance.
#[derive(serde::Serialize)]
struct BaselineComparison {
    instance: String,
    optimal_seconds: f64,
    baseline_seconds: f64,
    /// How many times faster the prover was; at least, if the baseline did not finish.
    ratio: f64,
    baseline_finished: bool,
    /// Whether both proved the same cost, where both proved one.
    same_cost: bool,
}

/// Prints the summary; says whether both methods agree wherever both finished.
fn summarize(rows: &[ResultRow<'_>], json: bool) -> Result<bool> {
    let searches = [PROVER, BASELINE].map(|method| [(method, FROM_NOTHING), (method, SEEDED)]);
    let summaries: Vec<MethodSummary> = searches
        .into_iter()
        .flatten()
        .map(|(method, start)| MethodSummary::new(method, start, rows))
        .filter(|summary| summary.instances > 0)
        .collect();
    let of =
        |method| rows.iter().filter(move |row| (row.method, row.start) == (method, FROM_NOTHING));
    let mut compared: Vec<BaselineComparison> = of(PROVER)
        .filter_map(|row| {
            let other = of(BASELINE).find(|other| other.instance == row.instance)?;
            Some(BaselineComparison {
                instance: row.name(),
                optimal_seconds: row.wall_seconds,
                baseline_seconds: other.wall_seconds,
                // Times are written to the millisecond.
                ratio: other.wall_seconds.max(0.001) / row.wall_seconds.max(0.001),
                baseline_finished: other.is_proven(),
                same_cost: !(row.is_proven() && other.is_proven()) || row.cost == other.cost,
            })
        })
        .collect();
    compared.sort_by(|a, b| b.baseline_seconds.total_cmp(&a.baseline_seconds));
    let agree = compared.iter().all(|comparison| comparison.same_cost);
    if json {
        let facts = serde_json::json!({ "summary": summaries, "baseline": compared });
        sayln!("{}", json_text("summary", &facts)?);
        return Ok(agree);
    }
    let header = ["method", "from", "proven", "total time", "slowest", ""];
    let lines = summaries.into_iter().map(|summary| {
        vec![
            summary.method.to_owned(),
            summary.start.to_owned(),
            format!("{} of {}", summary.proven, summary.instances),
            seconds(summary.wall_seconds),
            seconds(summary.slowest_seconds),
            summary.slowest.unwrap_or_default(),
        ]
    });
    sayln!("{}", table(&header, lines));
    if !compared.is_empty() {
        let header = ["instance", PROVER, BASELINE, "times faster"];
        let lines = compared.iter().map(|comparison| {
            let least = if comparison.baseline_finished { "" } else { "at least " };
            vec![
                comparison.instance.clone(),
                seconds(comparison.optimal_seconds),
                seconds(comparison.baseline_seconds),
                format!("{least}{:.1}", comparison.ratio),
            ]
        });
        sayln!("\n{}", table(&header, lines));
    }
    for comparison in compared.iter().filter(|comparison| !comparison.same_cost) {
        eprintln!("error: the two methods prove different costs for {}", comparison.instance);
    }
    Ok(agree)
}
