//! `incrowd-bench search`: how near to the least cost the incomplete searches come, and how soon.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use incrowd_engine::{Control, Event, MethodChoice, ProcessTime, StopReason};
use incrowd_run::spec::parsing::parse_limit;
use incrowd_run::{
    Error, Result,
    data::refuse_overwrite,
    explore::ParameterSweep,
    on_threads,
    report::{ResultsFile, TracePoint, Tracer},
};
use incrowd_term::{CommandOutcome, ProgressDisplay, field, json_text, maybe, table};

use crate::args::SearchArgs;
use crate::sheet::ResultSheet;
use crate::{SolveOptions, as_json, name, parse};

pub(crate) fn search(args: &SearchArgs) -> Result<CommandOutcome> {
    let steps_off = [("steps", "off")];
    let methods: Vec<(String, MethodChoice)> =
        args.methods.iter().map(|text| parse(text, &steps_off)).collect::<Result<_>>()?;
    let Some((first, _)) = methods.first() else {
        return Err(Error::new("no method is named").help("name one, such as -m climb"));
    };
    let mut at = args.at.clone();
    at.sort_unstable();
    at.dedup();
    let bars = ProgressDisplay::new(args.printing.quiet || args.printing.json);
    let bench = SearchExperiment {
        optima: args.optima.as_deref().map(read_optima).transpose()?.unwrap_or_default(),
        methods: &methods,
        args,
        at,
        bars: &bars,
    };
    let largest = args.k.iter().copied().max().unwrap_or(1);
    let method = first.split(':').next().unwrap_or_default();
    let asked = SolveOptions { method, time_limit: None };
    let mut tables = Vec::new();
    for &coding in &args.adult.coding {
        let table = crate::adult(&args.adult.files, coding.into(), largest, &asked, &bars)?;
        tables.push((name(coding), table));
    }
    let mut taken = vec![("the data", args.adult.files.data.as_path())];
    taken.extend(args.optima.as_deref().map(|path| ("the least costs", path)));
    refuse_overwrite("the results", &args.adult.files.output, &taken)?;
    let mut results = ResultsFile::open(&args.adult.files.output, &HEADER)?;
    let whole = on_threads(args.adult.files.threads, || bench.run(&tables, &mut results))??;
    summarize(&results, &bench.optima, args.printing.json)?;
    Ok(if whole { CommandOutcome::Done } else { CommandOutcome::Interrupted })
}

/// Coding, metric, limit and k.
type InstanceKey = [String; 4];

/// The columns of the results: a row for each instance, method and moment.
const HEADER: [&str; 11] = [
    "coding",
    "metric",
    "limit",
    "k",
    "method",
    "at_cpu_seconds",
    "cost",
    "optimum",
    "gap",
    "steps",
    "cpu_seconds",
];

/// Reads least costs: what `incrowd-bench paper` has proven, or a table of instances and costs.
fn read_optima(path: &Path) -> Result<BTreeMap<InstanceKey, f64>> {
    let sheet = ResultSheet::read(path)?;
    let column = |names: &[&str]| {
        sheet.column(names).ok_or_else(|| {
            Error::new(format!("there is no column `{}`", names[0]))
                .at(path, Some(1), None)
                .help("the columns are coding, metric, limit, k and cost")
        })
    };
    let of_instance = [
        column(&["coding"])?,
        column(&["metric"])?,
        column(&["limit", "sup_limit"])?,
        column(&["k"])?,
    ];
    let cost = column(&["cost"])?;
    let outcome = sheet.column(&["outcome"]);
    let mut optima = BTreeMap::new();
    for (at, row) in sheet.rows().iter().enumerate() {
        let field = |at: usize| row.get(at).map_or("", String::as_str);
        if outcome.is_some_and(|outcome| field(outcome) != "optimal") {
            continue;
        }
        let cost = incrowd_engine::value::parse_number(field(cost)).ok_or_else(|| {
            Error::new(format!("the cost `{}` is not a number", field(cost))).at(
                path,
                Some(at as u64 + 2),
                None,
            )
        })?;
        let [coding, metric, limit, k] = of_instance.map(|at| field(at).to_lowercase());
        let limit = if limit == "inf" { "all".to_owned() } else { limit };
        optima.insert([coding, metric, limit, k], cost);
    }
    Ok(optima)
}

/// The instances to solve, and how.
struct SearchExperiment<'a> {
    args: &'a SearchArgs,
    methods: &'a [(String, MethodChoice)],
    optima: BTreeMap<InstanceKey, f64>,
    at: Vec<u32>,
    bars: &'a ProgressDisplay,
}

impl SearchExperiment<'_> {
    /// Runs whatever the results lack; says whether it came to the end.
    fn run(&self, tables: &[(String, ParameterSweep)], results: &mut ResultsFile) -> Result<bool> {
        let limit = parse_limit(&self.args.max_suppressed)?;
        let mut ks = self.args.k.clone();
        ks.sort_unstable_by(|a, b| b.cmp(a));
        ks.dedup();
        for (coding, table) in tables {
            for &metric in &self.args.adult.metric {
                let table = table.with_metric(metric.into());
                for &k in &ks {
                    let instance = [coding.clone(), name(metric), limit.to_string(), k.to_string()];
                    for (method, chosen) in self.methods {
                        let key = [instance.as_slice(), std::slice::from_ref(method)].concat();
                        let has = |at: &u32| {
                            let at = at.to_string();
                            results.rows().iter().any(|row| row[..5] == key && row[5] == at)
                        };
                        if self.at.iter().all(has) {
                            continue;
                        }
                        if self.bars.cancelled() {
                            return Ok(false);
                        }
                        let lacking: Vec<u32> =
                            self.at.iter().copied().filter(|at| !has(at)).collect();
                        let mut series = table.with_method(*chosen, None);
                        let Some(run) = self.solve(&key.join(", "), &mut series, k, limit)? else {
                            return Ok(false);
                        };
                        for at in lacking {
                            results.add(self.row(&key, &instance, at, &run))?;
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    /// Runs one search; nothing if the user ended it.
    fn solve(
        &self,
        what: &str,
        series: &mut ParameterSweep,
        k: u64,
        limit: incrowd_run::spec::parsing::SuppressionLimit,
    ) -> Result<Option<Vec<TracePoint>>> {
        let most = self.at.last().copied().unwrap_or(1);
        let traced = Tracer::new();
        let control = traced.listen(&self.bars.control);
        let control = within_cpu_time(control, Duration::from_secs(most.into()));
        self.bars.part(what);
        series.solve(k, limit, &control)?;
        if self.bars.cancelled() {
            return Ok(None);
        }
        let points = traced.points();
        let cost = points.last().and_then(|point| point.cost);
        self.bars.announce(&format!("{what}: {}", maybe(cost, incrowd_run::report::cost_text)));
        Ok(Some(points))
    }

    /// What was known after so many CPU seconds.
    fn row(
        &self,
        key: &[String],
        instance: &InstanceKey,
        at: u32,
        run: &[TracePoint],
    ) -> Vec<String> {
        let known = run.iter().take_while(|point| point.cpu_seconds <= f64::from(at)).last();
        let cost = known.and_then(|point| point.cost);
        let optimum = self.optima.get(instance).copied();
        let gap = cost.zip(optimum).map(|(cost, optimum)| gap(cost, optimum));
        let spent = run.last().map_or(0.0, |point| point.cpu_seconds);
        let mut row = key.to_vec();
        row.extend([
            at.to_string(),
            field(cost),
            field(optimum),
            gap.map_or(String::new(), |gap| format!("{gap:.6}")),
            field(known.map(|point| point.nodes)),
            format!("{:.3}", spent.min(f64::from(at))),
        ]);
        row
    }
}

/// How much more than the least a solution costs, as a share of the least.
fn gap(cost: f64, least: f64) -> f64 {
    if cost <= least { 0.0 } else { (cost - least) / least }
}

/// The same control, which ends a search also after so much CPU time of the whole process.
fn within_cpu_time(control: Control, most: Duration) -> Control {
    let start = Arc::new(Mutex::new(ProcessTime::now()));
    let read = |start: &Mutex<ProcessTime>| *start.lock().unwrap_or_else(PoisonError::into_inner);
    let begun = start.clone();
    control
        .with_listener(move |event| {
            if let Event::Phase(_) = event {
                *begun.lock().unwrap_or_else(PoisonError::into_inner) = ProcessTime::now();
            }
        })
        .with_stop(move || (read(&start).elapsed() >= most).then_some(StopReason::Cancelled))
}

/// What all results of a method at one moment come to.
#[derive(serde::Serialize)]
struct AnytimeSummary {
    method: String,
    at_cpu_seconds: u32,
    instances: usize,
    reached: usize,
    within_1_percent: usize,
    mean_gap: f64,
    largest_gap: f64,
}

fn summarize(results: &ResultsFile, optima: &BTreeMap<InstanceKey, f64>, json: bool) -> Result<()> {
    let cost = |row: &[String]| row[6].parse::<f64>().ok();
    let instance = |row: &[String]| -> InstanceKey {
        [row[0].clone(), row[1].clone(), row[2].clone(), row[3].clone()]
    };
    // What is proven, or else the best that anybody found.
    let mut least: BTreeMap<InstanceKey, f64> = BTreeMap::new();
    for row in results.rows() {
        if let Some(cost) = cost(row) {
            let known = least.entry(instance(row)).or_insert(f64::INFINITY);
            *known = known.min(cost);
        }
    }
    least.extend(optima.iter().map(|(instance, cost)| (instance.clone(), *cost)));
    let mut gaps: BTreeMap<(String, u32), Vec<f64>> = BTreeMap::new();
    for row in results.rows() {
        let found = cost(row).zip(least.get(&instance(row)));
        let gap = found.map_or(f64::INFINITY, |(cost, &least)| gap(cost, least));
        gaps.entry((row[4].clone(), row[5].parse().unwrap_or(0))).or_default().push(gap);
    }
    let summaries: Vec<AnytimeSummary> = gaps
        .into_iter()
        .map(|((method, at_cpu_seconds), gaps)| AnytimeSummary {
            method,
            at_cpu_seconds,
            instances: gaps.len(),
            reached: gaps.iter().filter(|gap| **gap <= 0.0).count(),
            within_1_percent: gaps.iter().filter(|gap| **gap <= 0.01).count(),
            mean_gap: gaps.iter().sum::<f64>() / gaps.len() as f64,
            largest_gap: gaps.iter().copied().fold(0.0, f64::max),
        })
        .collect();
    if json {
        let rows: Vec<serde_json::Value> =
            results.rows().iter().map(|row| as_json(&HEADER, row)).collect();
        let facts = serde_json::json!({ "summary": summaries, "results": rows });
        sayln!("{}", json_text("summary", &facts)?);
        return Ok(());
    }
    let header = ["method", "CPU s", "instances", "least cost", "within 1%", "mean gap", "largest"];
    let percent = |gap: f64| format!("{:.2}%", gap * 100.0);
    let lines = summaries.into_iter().map(|summary| {
        vec![
            summary.method,
            summary.at_cpu_seconds.to_string(),
            summary.instances.to_string(),
            summary.reached.to_string(),
            summary.within_1_percent.to_string(),
            percent(summary.mean_gap),
            percent(summary.largest_gap),
        ]
    });
    sayln!("{}", table(&header, lines));
    Ok(())
}
