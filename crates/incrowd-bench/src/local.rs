//! `incrowd-bench local`: methods of multidimensional and local recoding side by side.

use std::time::{Duration, Instant};

use incrowd_assess::queries::{QueryErrors, ReleaseView, Workload};
use incrowd_demo::Census;
use incrowd_engine::release::LossMeasures;
use incrowd_engine::words::thousands;
use incrowd_engine::{
    Algorithm, Control, MethodChoice, Problem, ProblemSpec, ProcessTime, Release, SuppressionMode,
};
use incrowd_run::spec::{
    hierarchies::Hierarchy,
    parsing::{parse_duration, parse_share},
};
use incrowd_run::{
    Error, Result,
    data::{read_table, refuse_overwrite},
    on_threads,
    plan::load_hierarchy,
    report::ResultsFile,
};
use incrowd_term::{CommandOutcome, ProgressDisplay, field};

use crate::args::LocalArgs;
use crate::{QUASI, open, parse, print, unsolved};

/// The attribute whose weight is varied.
const AGE: &str = "age";

/// Questions about ages alone ask for a tenth of them, some seven years.
const AGE_SELECTIVITY: f64 = 0.1;

pub(crate) fn local(args: &LocalArgs) -> Result<CommandOutcome> {
    let methods = args.methods.iter().map(|text| parse(text, &[])).collect::<Result<Vec<_>>>()?;
    if let Some(weight) =
        args.age_weight.iter().find(|weight| !(**weight > 0.0 && weight.is_finite()))
    {
        return Err(Error::new(format!("the weight {weight} is not above 0")));
    }
    let bench = LocalExperiment {
        time_limit: parse_duration(&args.time_limit)?,
        workload: Workload {
            queries: args.queries,
            dimensions: args.dimensions,
            selectivity: parse_share(&args.selectivity)?,
            ..Workload::default()
        },
        methods,
        args,
        bars: ProgressDisplay::new(args.printing.quiet || args.printing.json),
    };
    if let Some(data) = &args.data {
        refuse_overwrite("the results", &args.output, &[("the data", data)])?;
    }
    let mut results = ResultsFile::open(&args.output, &HEADER)?;
    on_threads(args.threads, || bench.run(&mut results))??;
    let interrupted = bench.bars.cancelled();
    drop(bench);
    print(&HEADER, &results, args.printing.json)?;
    Ok(if interrupted { CommandOutcome::Interrupted } else { CommandOutcome::Done })
}

/// All that is measured.
struct LocalExperiment<'a> {
    args: &'a LocalArgs,
    methods: Vec<(String, MethodChoice)>,
    time_limit: Duration,
    workload: Workload,
    bars: ProgressDisplay,
}

impl LocalExperiment<'_> {
    /// Measures whatever the results lack.
    fn run(&self, results: &mut ResultsFile) -> Result<()> {
        let sizes: Vec<Option<u64>> = match self.args.rows.as_slice() {
            [] => vec![None],
            rows => rows.iter().map(|&rows| Some(rows)).collect(),
        };
        for size in sizes {
            let mut problem = self.problem(size)?;
            let age = problem.attributes.iter().position(|attribute| attribute.name == AGE);
            for &k in &self.args.k {
                if k > problem.rows {
                    return Err(Error::new(format!(
                        "k is {k}, but the table has only {} rows",
                        thousands(problem.rows)
                    )));
                }
                problem.privacy.k = k;
                for &weight in &self.args.age_weight {
                    for (name, method) in &self.methods {
                        if self.bars.cancelled() {
                            return Ok(());
                        }
                        let key = [
                            problem.rows.to_string(),
                            name.clone(),
                            k.to_string(),
                            weight.to_string(),
                        ];
                        if results.rows().iter().any(|row| row.starts_with(&key)) {
                            continue;
                        }
                        if let Some(age) = age {
                            problem.attributes[age].weight = weight;
                        }
                        let line = self.measure(&mut problem, name, *method)?;
                        // What the user ended is no measurement.
                        if self.bars.cancelled() {
                            return Ok(());
                        }
                        self.bars.announce(&format!(
                            "{} rows, k {k}, {name}: GCP {}",
                            thousands(problem.rows),
                            line[0]
                        ));
                        results.add(key.into_iter().chain(line).collect())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The table as a question; made-up people if a number of them is given.
    fn problem(&self, size: Option<u64>) -> Result<Problem> {
        let folder;
        let path = match (&self.args.data, size) {
            (Some(data), None) => data.clone(),
            (_, size) => {
                folder = tempfile::tempdir()
                    .map_err(|e| Error::new(format!("cannot make a temporary folder: {e}")))?;
                let path = folder.path().join("people.csv");
                Census::new(size.unwrap_or(1), 1)
                    .write_file(&path)
                    .map_err(|e| Error::file("write", &path, &e))?;
                path
            }
        };
        let source = open(&path, self.args.delimiter.as_deref(), self.args.threads)?;
        let columns: Vec<usize> =
            QUASI.iter().map(|name| source.place_of(name)).collect::<Result<_>>()?;
        let mut spec = QUASI.iter().fold(ProblemSpec::new(1), |spec, name| spec.quasi(name));
        if let Some(folder) = &self.args.hierarchies {
            for column in &mut spec.quasi {
                let file = folder.join(format!("adult_hierarchy_{}.csv", column.name));
                column.hierarchy = Some(load_hierarchy(&Hierarchy::File(file))?);
            }
        }
        let table = read_table(&source, Some(&columns), &Control::new())?;
        Ok(Problem::of_table(&spec, &table)?)
    }

    /// Solves, and measures the release: the fields behind those that name the instance.
    fn measure(
        &self,
        problem: &mut Problem,
        name: &str,
        method: MethodChoice,
    ) -> Result<Vec<String>> {
        let control = self.bars.control.silent().with_time_limit(self.time_limit);
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let solution = method.solve(problem, &control)?;
        let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        let Some(release) = Release::of_solution(problem, &solution, SuppressionMode::Drop) else {
            return Err(unsolved(name, &solution));
        };
        let seen = ReleaseView::of_release(problem, &release);
        let ask = |workload: Workload| -> Result<Option<QueryErrors>> {
            match workload.queries {
                0 => Ok(None),
                _ => Ok(Some(workload.errors(problem, &seen)?)),
            }
        };
        let queries = ask(self.workload.clone())?;
        let columns = vec![AGE.to_owned()];
        let ages = ask(Workload {
            dimensions: 1,
            selectivity: AGE_SELECTIVITY,
            columns,
            ..self.workload.clone()
        })?;
        // Weights steer the search; what it cost is measured without them.
        problem.attributes.iter_mut().for_each(|attribute| attribute.weight = 1.0);
        let measures = LossMeasures::of(problem, &release.classes);
        let error = |error: Option<f64>| field(error.map(|error| format!("{error:.4}")));
        Ok(vec![
            format!("{:.4}", measures.gcp),
            measures.dm.to_string(),
            format!("{:.2}", measures.average.rows),
            error(queries.as_ref().map(|errors| errors.mean)),
            error(queries.map(|errors| errors.median)),
            error(ages.as_ref().map(|errors| errors.mean)),
            error(ages.map(|errors| errors.median)),
            format!("{cpu:.3}"),
            format!("{wall:.3}"),
            field(peak_mb()),
        ])
    }
}

/// The most memory that this process has held so far, where the system tells.
fn peak_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}

/// The columns of the results.
pub(crate) const HEADER: [&str; 14] = [
    "rows",
    "method",
    "k",
    "age_weight",
    "gcp",
    "dm",
    "average_class",
    "query_mean",
    "query_median",
    "age_query_mean",
    "age_query_median",
    "cpu_seconds",
    "wall_seconds",
    "peak_mb",
];
