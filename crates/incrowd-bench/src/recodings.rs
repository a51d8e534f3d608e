//! `incrowd-bench recodings`: what freer recoding saves, discernibility over k on the Adult data.
//!
//! The comparison that LeFevre et al. draw for Mondrian: full-domain, single-dimensional and
//! multidimensional recoding of the same table, nothing suppressed.

use incrowd_engine::{MethodChoice, Metric};
use incrowd_run::spec::parsing::{SuppressionLimit, parse_duration};
use incrowd_run::{
    Error, Result,
    data::refuse_overwrite,
    explore::{ParameterSweep, SweepAnswer},
    on_threads,
    report::ResultsFile,
};
use incrowd_term::{CommandOutcome, ProgressDisplay, field};

use crate::args::{AgeCoding, RecodingsArgs};
use crate::{AgeSettings, SolveOptions, parse, print};

pub(crate) fn recodings(args: &RecodingsArgs) -> Result<CommandOutcome> {
    let methods = args.methods.iter().map(|text| parse(text, &[])).collect::<Result<Vec<_>>>()?;
    let Some((first, _)) = methods.first() else {
        return Err(Error::new("no method is named").help("name one, such as -m mondrian"));
    };
    let bars = ProgressDisplay::new(args.printing.quiet || args.printing.json);
    let largest = args.k.iter().copied().max().unwrap_or(1);
    let asked = SolveOptions {
        method: first.split(':').next().unwrap_or_default(),
        time_limit: Some(parse_duration(&args.time_limit)?),
    };
    // Every age, with a hierarchy: full-domain recoding needs one.
    let ages = AgeSettings { coding: AgeCoding::Fine, hierarchy: true };
    let series = crate::adult(&args.files, ages, largest, &asked, &bars)?.with_metric(Metric::Dm);
    refuse_overwrite("the results", &args.files.output, &[("the data", &args.files.data)])?;
    let mut results = ResultsFile::open(&args.files.output, &HEADER)?;
    let whole = on_threads(args.files.threads, || {
        run(args, &methods, &series, asked.time_limit, &mut results, &bars)
    })??;
    drop(bars);
    print(&HEADER, &results, args.printing.json)?;
    Ok(if whole { CommandOutcome::Done } else { CommandOutcome::Interrupted })
}

/// The columns of the results.
pub(crate) const HEADER: [&str; 9] = [
    "method",
    "k",
    "dm",
    "bound",
    "outcome",
    "classes",
    "average_class",
    "cpu_seconds",
    "wall_seconds",
];

/// Measures whatever the results lack; says whether it came to the end.
fn run(
    args: &RecodingsArgs,
    methods: &[(String, MethodChoice)],
    series: &ParameterSweep,
    time_limit: Option<std::time::Duration>,
    results: &mut ResultsFile,
    bars: &ProgressDisplay,
) -> Result<bool> {
    for &k in &args.k {
        for (name, method) in methods {
            let key = [name.clone(), k.to_string()];
            if results.rows().iter().any(|row| row.starts_with(&key)) {
                continue;
            }
            if bars.cancelled() {
                return Ok(false);
            }
            bars.part(&format!("{name}, k {k}"));
            let mut of_method = series.with_method(*method, time_limit);
            let answer = of_method.solve(k, SuppressionLimit::Rows(0), &bars.control)?;
            bars.announce(&format!("{name}, k {k}: {}", answer.in_short()));
            // What the user ended is no measurement.
            if answer.is_interrupted() {
                return Ok(false);
            }
            results.add(key.into_iter().chain(fields(&answer, series.table_rows())).collect())?;
        }
    }
    Ok(true)
}

/// The fields behind those that name the instance.
fn fields(answer: &SweepAnswer, rows: u64) -> Vec<String> {
    // As LeFevre et al. normalize it: how many times k the average class is.
    let average = answer
        .classes
        .filter(|&classes| classes > 0)
        .map(|classes| format!("{:.3}", rows as f64 / classes as f64 / answer.k as f64));
    vec![
        field(answer.cost),
        field(answer.bound),
        answer.outcome.to_string(),
        field(answer.classes),
        field(average),
        format!("{:.3}", answer.cpu_seconds),
        format!("{:.3}", answer.wall_seconds),
    ]
}
