//! `incrowd-bench classification`: how well releases made for classification predict, on the Adult data.

use std::time::Duration;

use incrowd_assess::classify::{ClassificationErrors, ClassificationOptions, FullTableError};
use incrowd_engine::value::Bins;
use incrowd_engine::{
    Algorithm, Control, Limit, MethodChoice, Metric, Problem, ProblemSpec, ProcessTime, Release,
    Solution, SuppressionMode, Table,
};
use incrowd_run::spec::{
    hierarchies::Hierarchy,
    parsing::{parse_duration, parse_limit},
};
use incrowd_run::{
    Result,
    data::{read_table, refuse_overwrite},
    on_threads,
    plan::load_hierarchy,
    report::ResultsFile,
};
use incrowd_term::{CommandOutcome, ProgressDisplay, field, table};

use crate::args::{AgeCoding, ClassificationArgs};
use crate::{CLASS, QUASI, as_json, name, open, parse, unsolved};

/// The columns of the results.
const HEADER: [&str; 14] = [
    "coding",
    "limit",
    "method",
    "k",
    "cm",
    "suppressed",
    "classes",
    "error",
    "standard_error",
    "error_all_rows",
    "leaves",
    "original_error",
    "baseline",
    "cpu_seconds",
];

pub(crate) fn classification(args: &ClassificationArgs) -> Result<CommandOutcome> {
    let methods = args.methods.iter().map(|text| parse(text, &[])).collect::<Result<Vec<_>>>()?;
    let time_limit = parse_duration(&args.time_limit)?;
    refuse_overwrite("the results", &args.files.output, &[("the data", &args.files.data)])?;
    let mut results = ResultsFile::open(&args.files.output, &HEADER)?;
    let bars = ProgressDisplay::new(args.printing.quiet || args.printing.json);
    let words = on_threads(args.files.threads, || {
        let bench = ClassificationExperiment::new(args, time_limit, &bars)?;
        bench.run(&methods, &mut results)?;
        bench.words(&methods)
    })??;
    let interrupted = bars.cancelled();
    drop(bars);
    if args.printing.json {
        let lines: Vec<_> = results.rows().iter().map(|row| as_json(&HEADER, row)).collect();
        let words: Vec<_> = words
            .iter()
            .map(|(method, words)| serde_json::json!({ "method": method, "recoding": words }))
            .collect();
        sayln!(
            "{:#}",
            serde_json::json!({ "results": lines, "words_k": args.words, "words": words })
        );
    } else {
        sayln!("{}", table(&HEADER, results.rows().iter().cloned()));
        for (method, words) in words {
            sayln!("\nk = {}, {method}:\n{}", args.words, words.join("\n"));
        }
    }
    Ok(if interrupted { CommandOutcome::Interrupted } else { CommandOutcome::Done })
}

/// The data, and how well it predicts as it is.
struct ClassificationExperiment<'a> {
    args: &'a ClassificationArgs,
    time_limit: Duration,
    bars: &'a ProgressDisplay,
    table: Table,
    problem: Problem,
    settings: ClassificationOptions,
    original: ClassificationErrors,
}

impl<'a> ClassificationExperiment<'a> {
    fn new(
        args: &'a ClassificationArgs,
        time_limit: Duration,
        bars: &'a ProgressDisplay,
    ) -> Result<Self> {
        let source = open(&args.files.data, Some(";"), args.files.threads)?;
        let names = QUASI.iter().chain([&CLASS]);
        let columns: Vec<usize> = names.map(|name| source.place_of(name)).collect::<Result<_>>()?;
        let mut spec =
            QUASI.iter().fold(ProblemSpec::new(1), |spec, name| spec.quasi(name)).class(CLASS);
        spec.metric = Metric::Cm;
        spec.limit = Limit::from(parse_limit(&args.max_suppressed)?);
        for column in &mut spec.quasi {
            if column.name != "age" {
                let file = Hierarchy::File(args.files.hierarchy(&column.name));
                column.hierarchy = Some(load_hierarchy(&file)?);
            } else if args.coding == AgeCoding::Coarse {
                column.rule.bins = Some(Bins { width: 5.0, start: 16.0 });
            }
        }
        let table = read_table(&source, Some(&columns), &Control::new())?;
        let problem = Problem::of_table(&spec, &table)?;
        let settings = ClassificationOptions {
            folds: args.folds,
            seed: args.seed,
            ..ClassificationOptions::default()
        };
        let original = settings.errors(&table, &QUASI, CLASS)?;
        Ok(ClassificationExperiment { args, time_limit, bars, table, problem, settings, original })
    }

    /// Measures whatever the results lack.
    fn run(&self, methods: &[(String, MethodChoice)], results: &mut ResultsFile) -> Result<()> {
        let coding = name(self.args.coding);
        for &k in &self.args.k {
            for (method_name, method) in methods {
                let limit = self.args.max_suppressed.clone();
                let key = [coding.clone(), limit, method_name.clone(), k.to_string()];
                if results.rows().iter().any(|row| row.starts_with(&key)) {
                    continue;
                }
                let line = self.measure(k, method_name, *method)?;
                // What the user ended is no measurement.
                if self.bars.cancelled() {
                    return Ok(());
                }
                self.bars.announce(&format!("k {k}, {method_name}: error {}", line[3]));
                results.add(key.into_iter().chain(line).collect())?;
            }
        }
        Ok(())
    }

    fn solve(&self, k: u64, method: MethodChoice) -> Result<(Problem, Solution)> {
        let mut problem = self.problem.clone();
        problem.privacy.k = k;
        let control = self.bars.control.silent().with_time_limit(self.time_limit);
        let solution = method.solve(&problem, &control)?;
        Ok((problem, solution))
    }

    /// Solves, and measures the release: the fields behind those that name the instance.
    fn measure(&self, k: u64, name: &str, method: MethodChoice) -> Result<Vec<String>> {
        let cpu = ProcessTime::now();
        let (problem, solution) = self.solve(k, method)?;
        let cpu = cpu.elapsed().as_secs_f64();
        let Some(release) = Release::of_solution(&problem, &solution, SuppressionMode::Drop) else {
            return Err(unsolved(name, &solution));
        };
        let released = release.table_in_order(&problem, &self.table, &self.table.names())?;
        let errors = self.settings.errors(&released, &QUASI, CLASS)?;
        let all = FullTableError::new(&errors, &self.original).map(|all| all.error);
        Ok(vec![
            field(release.measures.cm),
            release.classes.suppressed_rows().to_string(),
            release.classes.released().count().to_string(),
            format!("{:.4}", errors.error),
            format!("{:.4}", errors.standard_error),
            field(all.map(|error| format!("{error:.4}"))),
            format!("{:.1}", errors.leaves),
            format!("{:.4}", self.original.error),
            format!("{:.4}", self.original.baseline),
            format!("{cpu:.3}"),
        ])
    }

    /// The recodings of one k in words. They are searched anew: a search that ends by itself finds the same again.
    fn words(&self, methods: &[(String, MethodChoice)]) -> Result<Vec<(String, Vec<String>)>> {
        let k = self.args.words;
        let mut told = Vec::new();
        for (name, method) in methods.iter().filter(|_| self.args.k.contains(&k)) {
            if self.bars.cancelled() {
                break;
            }
            let (problem, solution) = self.solve(k, *method)?;
            let recoding = solution.recoding().ok_or_else(|| unsolved(name, &solution))?;
            told.push((name.clone(), recoding.describe(&problem.attributes)));
        }
        Ok(told)
    }
}
