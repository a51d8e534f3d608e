//! Runs: `anonymize`, `apply`, `frontier`, `compare`.

use std::path::{Path, PathBuf};

use incrowd_engine::SavedRecoding;
use incrowd_engine::auto::ReleaseKind;
use incrowd_report::{RunPage, compare_chart, compare_page, run_page};
use incrowd_run::spec::{
    SpecFile, SuppressionMode,
    parsing::{parse_delimiter, parse_duration, parse_limit},
    write_spec,
};
use incrowd_run::{
    ApplyOptions, Error, ErrorKind, Job, MemoryRun, Result, RunPlan, UnseenPolicy,
    compare::{CacheLocation, Compare},
    data::{MemoryTable, Order},
    explore::FrontierRequest,
    on_threads,
    report::{TracePoint, Tracer},
};
use incrowd_sql::postgres::{Database, DatabaseRequest, Placement};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::{ArrowTable, TableInput};
use crate::errors::{json, raised};
use crate::keyword_args::keywords;
use crate::work::{WatchOptions, work};

/// Points of a search as Python has them: seconds, CPU seconds, nodes, cost and bound.
pub(crate) type TracePoints = Vec<(f64, f64, u64, Option<f64>, Option<f64>)>;

/// A run and what it made.
#[pyclass(name = "Run", frozen, module = "incrowd._incrowd")]
pub(crate) struct FinishedRun {
    file: Option<SpecFile>,
    job: Option<Job>,
    name: String,
    done: MemoryRun,
    trace: Vec<TracePoint>,
    notes: Vec<String>,
}

#[pymethods]
impl FinishedRun {
    /// The facts of the run.
    fn json(&self) -> PyResult<String> {
        json(&self.done.report)
    }

    /// What to know of how the table was taken.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The released table, if there is one.
    fn table(&self) -> Option<ArrowTable> {
        self.done.table.as_ref().map(|released| ArrowTable::from(released.table().clone()))
    }

    /// Judges what was read back of a copy of the release that waits elsewhere to be shown; an exception if it is another one,
    /// or fails.
    fn judge_copy(&self, py: Python<'_>, copy: &Bound<'_, ArrowTable>) -> PyResult<()> {
        let copy = MemoryTable::from(copy.get().clone());
        let judge = || match &self.done.table {
            None => Err(Error::new("there is no release to copy")),
            Some(table) => table.judge_copy(&copy),
        };
        py.detach(judge).map_err(|error| raised(py, &error))
    }

    /// Writes the release to a file, in the format that its ending names; it appears whole or not at all.
    #[pyo3(signature = (path, delimiter=","))]
    fn write(&self, py: Python<'_>, path: PathBuf, delimiter: &str) -> PyResult<()> {
        let write = || -> Result<()> {
            let delimiter = parse_delimiter(delimiter)? as u8;
            match &self.done.table {
                None => Err(Error::new("there is no release to write")),
                Some(table) => table.write(&path, delimiter),
            }
        };
        py.detach(write).map_err(|error| raised(py, &error))
    }

    /// The recoding as JSON, if there is one.
    fn recoding(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.done.recoding.as_ref().map(SavedRecoding::to_json))
    }

    /// The report, one HTML page; none for a recoding that was applied. The confidential one tells of suppressed rows.
    #[pyo3(signature = (confidential=false))]
    fn page(&self, py: Python<'_>, confidential: bool) -> Option<String> {
        let (file, job) = (self.file.as_ref()?, self.job.as_ref()?);
        py.detach(|| {
            let page = RunPage::new(file, job, self.name.clone(), &self.done.report);
            let page = page.with_trace(&self.trace);
            Some(run_page(&if confidential { page.confidential() } else { page }))
        })
    }

    /// The spec that was run.
    fn spec(&self) -> Option<String> {
        self.file.as_ref().map(|file| write_spec(&file.spec))
    }

    /// How the search went: seconds, CPU seconds, nodes, cost and bound.
    fn trace(&self) -> TracePoints {
        let point = |it: &TracePoint| (it.seconds, it.cpu_seconds, it.nodes, it.cost, it.bound);
        self.trace.iter().map(point).collect()
    }
}

/// The spec that a call stands for.
pub(crate) fn spec_of(
    py: Python<'_>,
    data: &TableInput,
    base: Option<&str>,
    options: &Bound<'_, PyDict>,
) -> PyResult<SpecFile> {
    let given = keywords(options)?;
    SpecFile::from_keywords(base, Some(&data.input()), &given).map_err(|e| raised(py, &e))
}

/// Anonymizes a table.
#[pyfunction]
#[pyo3(signature = (data, base, options, population=None, progress=None, keep=false))]
pub(crate) fn anonymize(
    py: Python<'_>,
    data: TableInput,
    base: Option<&str>,
    options: &Bound<'_, PyDict>,
    population: Option<TableInput>,
    progress: Option<&Bound<'_, PyAny>>,
    keep: bool,
) -> PyResult<FinishedRun> {
    let file = spec_of(py, &data, base, options)?;
    work(py, &WatchOptions { progress, keep }, move |control| {
        let mut file = file;
        let release = std::mem::take(&mut file.spec.release);
        // Files are written of what is in memory, by the result itself.
        file.spec.release = incrowd_run::spec::ReleaseSection {
            output: None,
            recoding: None,
            report: None,
            internal_report: None,
            ..release
        };
        if file.spec.release.into.is_some() {
            return on_threads(file.spec.algorithm.threads, || into_database(file, control))?;
        }
        on_threads(file.spec.algorithm.threads, || {
            let source = data.open(&file)?;
            let population = population
                .map(|population| {
                    population.open_plainly(&incrowd_run::data::ReadOptions::default())
                })
                .transpose()?;
            let job = Job::new(&file, &source)?;
            let tracer = Tracer::new();
            let control = tracer.listen(control);
            let plan = RunPlan::new(&job, &source).with_population(population.as_ref());
            let done = plan.run_in_memory(&control)?;
            Ok(FinishedRun {
                name: source.file_name(),
                notes: source.notes().to_vec(),
                trace: tracer.points(),
                job: Some(job),
                done,
                file: Some(file),
            })
        })?
    })
}

/// A run whose release goes into a table of its database.
fn into_database(file: SpecFile, control: &incrowd_engine::Control) -> Result<FinishedRun> {
    let mut database = Database::open(&file, control)?;
    let file = database.understood(&file);
    let source = database.source(&file)?;
    let job = Job::new(&file, &source)?;
    let tracer = Tracer::new();
    let control = tracer.listen(control);
    let mut backend = database.backend(&job, &source, &control)?;
    let staged = RunPlan::new(&job, &source).stage(&mut *backend, &control)?;
    let report = staged.commit(&mut *backend, [])?;
    drop(backend);
    Ok(FinishedRun {
        name: source.file_name(),
        notes: source.notes().to_vec(),
        trace: tracer.points(),
        job: Some(job),
        done: MemoryRun::elsewhere(report),
        file: Some(file),
    })
}

/// How a saved recoding is applied, by the keywords of a call.
pub(crate) fn application(
    py: Python<'_>,
    recoding: &str,
    unseen: &str,
    suppressed: &str,
    earlier: Vec<PathBuf>,
    seed_file: Option<&Path>,
) -> PyResult<ApplyOptions> {
    let asked = || -> Result<ApplyOptions> {
        let unseen = match unseen {
            "refuse" => UnseenPolicy::Refuse,
            "suppress" => UnseenPolicy::Suppress,
            other => {
                return Err(Error::new(format!("unknown choice for unseen values `{other}`"))
                    .help("known: refuse, suppress"));
            }
        };
        Ok(ApplyOptions {
            recoding: SavedRecoding::from_json(recoding)?,
            unseen,
            output: None,
            delimiter: None,
            order: Order::shuffled(seed_file)?,
            suppressed: suppressed.parse::<SuppressionMode>()?.into(),
            earlier,
        })
    };
    asked().map_err(|e| raised(py, &e))
}

/// An error in the words of Python.
pub(crate) fn with_keywords(error: Error) -> Error {
    match error.kind {
        ErrorKind::Unseen => error.help(
            "suppress such rows with unseen=\"suppress\", or anonymize the new table by itself",
        ),
        _ => error,
    }
}

/// Where new rows are in a database, and where their release goes: relation, condition, target, placement, grants, and whether
/// rows stay there.
#[derive(FromPyObject)]
pub(crate) struct DatabasePlaces(String, Option<String>, Option<String>, String, Vec<String>, bool);

impl DatabasePlaces {
    fn request(self, address: String, threads: Option<u32>) -> DatabaseRequest {
        let DatabasePlaces(relation, filter, into, placement, grant, in_database) = self;
        let placement = match placement.as_str() {
            "replace" => Placement::Replace,
            "append" => Placement::Append,
            _ => Placement::Create,
        };
        let threads = threads.map(|n| n as usize);
        DatabaseRequest { address, relation, filter, into, placement, grant, in_database, threads }
    }
}

/// Applies a saved recoding to new rows.
#[pyfunction]
#[pyo3(signature = (recoding, data, unseen="refuse", suppressed="drop", earlier=Vec::new(), seed_file=None, threads=None, progress=None, database=None))]
#[allow(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(crate) fn apply(
    py: Python<'_>,
    recoding: String,
    data: TableInput,
    unseen: &str,
    suppressed: &str,
    earlier: Vec<std::path::PathBuf>,
    seed_file: Option<std::path::PathBuf>,
    threads: Option<u32>,
    progress: Option<&Bound<'_, PyAny>>,
    database: Option<DatabasePlaces>,
) -> PyResult<FinishedRun> {
    let application =
        application(py, &recoding, unseen, suppressed, earlier, seed_file.as_deref())?;
    work(py, &WatchOptions { progress, keep: false }, move |control| {
        on_threads(threads, || {
            let options = incrowd_run::data::ReadOptions {
                threads: threads.map(|n| n as usize),
                ..incrowd_run::data::ReadOptions::default()
            };
            let (source, mut done) = match database {
                None => {
                    let source = application.treated(data.open_plainly(&options)?)?;
                    let done =
                        application.run_in_memory(&source, control).map_err(with_keywords)?;
                    (source, done)
                }
                Some(places) => {
                    let request = places.request(data.input(), threads);
                    let mut database = Database::open_for(&request, control)?;
                    match request.into {
                        None => {
                            let source = database.source_of(&application)?;
                            let done = application.run_in_memory(&source, control);
                            (source, done.map_err(with_keywords)?)
                        }
                        Some(_) => {
                            let report =
                                database.apply(&application, control).map_err(with_keywords)?;
                            return Ok(FinishedRun {
                                file: None,
                                job: None,
                                name: request.relation,
                                notes: Vec::new(),
                                done: MemoryRun::elsewhere(report),
                                trace: Vec::new(),
                            });
                        }
                    }
                }
            };
            done.recoding = Some(application.recoding.clone());
            Ok(FinishedRun {
                file: None,
                job: None,
                name: source.file_name(),
                notes: source.notes().to_vec(),
                done,
                trace: Vec::new(),
            })
        })?
    })
}

/// The least cost for several k and limits; JSON of the answers, notes, and whether it was interrupted.
#[pyfunction]
#[pyo3(signature = (data, base, options, ks, limits, kinds, progress=None, keep=false))]
#[allow(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(crate) fn frontier(
    py: Python<'_>,
    data: TableInput,
    base: Option<&str>,
    options: &Bound<'_, PyDict>,
    ks: Vec<u64>,
    limits: Vec<String>,
    kinds: Vec<String>,
    progress: Option<&Bound<'_, PyAny>>,
    keep: bool,
) -> PyResult<(String, Vec<String>, bool)> {
    let file = spec_of(py, &data, base, options)?;
    let limits: Result<Vec<_>> = limits.iter().map(|limit| parse_limit(limit)).collect();
    let known = |name: &String| {
        ReleaseKind::from_name(name).ok_or_else(|| {
            let unknown = Error::new(format!("there is no kind `{name}`"));
            raised(py, &unknown.help(format!("known: {}", ReleaseKind::NAMES.join(", "))))
        })
    };
    let kinds: Vec<ReleaseKind> = kinds.iter().map(known).collect::<PyResult<_>>()?;
    let asked =
        FrontierRequest::new(ks).with_limits(limits.map_err(|e| raised(py, &e))?).with_kinds(kinds);
    let found = work(py, &WatchOptions { progress, keep }, move |control| {
        let source = data.open(&file)?;
        asked.run(&file, &source, control)
    })?;
    Ok((json(&found.answers)?, found.notes, found.interrupted))
}

/// Several methods for several k; JSON, the page, the chart, CSV, notes, and whether it was interrupted.
#[pyfunction]
#[pyo3(signature = (data, base, options, ks, methods, time_limit=None, cache=None, no_cache=false, progress=None, keep=false))]
#[allow(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
#[allow(clippy::type_complexity, reason = "Python takes the parts apart at once")]
pub(crate) fn compare(
    py: Python<'_>,
    data: TableInput,
    base: Option<&str>,
    options: &Bound<'_, PyDict>,
    ks: Vec<u64>,
    methods: Vec<String>,
    time_limit: Option<&str>,
    cache: Option<PathBuf>,
    no_cache: bool,
    progress: Option<&Bound<'_, PyAny>>,
    keep: bool,
) -> PyResult<(String, String, String, String, Vec<String>, bool)> {
    let file = spec_of(py, &data, base, options)?;
    let kept = match (cache, no_cache) {
        (_, true) => CacheLocation::Nothing,
        (None, false) => CacheLocation::Usual,
        (Some(folder), false) => CacheLocation::In(folder),
    };
    let mut asked = Compare::new().with_methods(methods).with_ks(ks).with_keep(kept);
    match time_limit {
        None => {}
        Some("none") => asked = asked.with_time_limit(None),
        Some(text) => {
            let limit = parse_duration(text).map_err(|e| raised(py, &e))?;
            asked = asked.with_time_limit(Some(limit));
        }
    }
    work(py, &WatchOptions { progress, keep }, move |control| {
        let source = data.open(&file)?;
        let found = asked.run(&file, &source, control)?;
        let text = serde_json::to_string(&found).map_err(|e| Error::new(e.to_string()))?;
        let (page, chart) = (compare_page(&found, None), compare_chart(&found));
        Ok((text, page, chart, found.to_csv(), found.cache_notes.clone(), found.interrupted))
    })
}
