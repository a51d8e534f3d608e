//! What a table or a release is like: `inspect`, `init`, `verify`, `risk`, `evaluate`.

use std::path::PathBuf;

use incrowd_assess::attack::AttackOptions;
use incrowd_assess::classify::ClassificationOptions;
use incrowd_assess::inspect::InspectOptions;
use incrowd_assess::queries::Workload;
use incrowd_assess::risk::{PopulationSize, RiskOptions};
use incrowd_assess::usefulness::UsefulnessOptions;
use incrowd_report::{PageProvenance, attack_page, evaluation_page, risk_page};
use incrowd_run::assess::{
    AttackSettings, ClassifyOptions, EvaluateOptions, LabelQuestions, QueryOptions, VerifyOptions,
    attack_release, classification_with_test, evaluate as evaluated, inspect_source,
    learning_tables, queries_of, risk_of, verify_release_in, wanted_for_risk, with_labels,
};
use incrowd_run::forms::check_record;
use incrowd_run::spec::{Role, SpecFile, first_spec::draft as drafted, hierarchies::Hierarchy};
use incrowd_run::{
    CertificateCheck, Error, Result,
    data::{ColumnDetail, ReadOptions, RemoteColumn},
    on_threads, treated, verdict_for_messages,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::data::TableInput;
use crate::errors::{json, raised};
use crate::run::spec_of;
use crate::work::{WatchOptions, work};

fn text(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::new(e.to_string()))
}

/// How a release is verified.
pub(crate) fn verify_options(
    file: &SpecFile,
    unchecked: Vec<String>,
    known: Vec<String>,
    links: Option<String>,
) -> Result<VerifyOptions> {
    let asked = VerifyOptions::of_spec(file)?.with_unchecked(unchecked);
    Ok(asked.with_known(known).with_links(links))
}

/// The same of risks, but for how they are measured.
pub(crate) fn risk_options(file: &SpecFile, weight_column: Option<String>) -> RiskOptions {
    let mut asked = RiskOptions::new().with_missing(file.spec.data.missing_tokens());
    if let Some(column) = weight_column {
        asked = asked.with_weight_column(column);
    }
    if let Some(column) = file.spec.privacy.unit_column() {
        asked = asked.with_unit_column(column);
    }
    asked
}

fn inspect_options(file: &SpecFile) -> InspectOptions {
    let dates = file.spec.date_formats();
    InspectOptions::new()
        .with_missing(file.spec.data.missing_tokens())
        .with_dates(dates.general, dates.columns)
}

/// Looks at all columns of a table; JSON.
#[pyfunction]
pub(crate) fn inspect(
    py: Python<'_>,
    data: TableInput,
    options: &Bound<'_, PyDict>,
    in_database: bool,
) -> PyResult<(String, Vec<String>)> {
    let file = spec_of(py, &data, None, options)?;
    work(py, &WatchOptions::NONE, move |control| {
        on_threads(file.spec.algorithm.threads, || {
            let wanted = |_: &str| ColumnDetail::SharedValues;
            let source = treated(&file, data.opened_or_counted(&file, in_database, wanted)?)?;
            let notes = source.left().iter().map(RemoteColumn::note).collect();
            let found = text(&inspect_source(&source, &inspect_options(&file), control)?)?;
            Ok((found, notes))
        })?
    })
}

/// A first spec for a table, as text; JSON of what it rests on.
#[pyfunction]
pub(crate) fn draft(
    py: Python<'_>,
    data: TableInput,
    input: String,
    options: &Bound<'_, PyDict>,
) -> PyResult<(String, String)> {
    let file = spec_of(py, &data, None, options)?;
    work(py, &WatchOptions::NONE, move |control| {
        let source = data.untreated(&file)?;
        let made = drafted(&source, &input, &inspect_options(&file), control)?;
        Ok((made.text, text(&made.found)?))
    })
}

/// Has a release judged; JSON of the verdict, and the verdict in words.
#[pyfunction]
#[pyo3(signature = (data, base, options, original=None, unchecked=Vec::new(), record=None, population=None,
    in_database=false, known=Vec::new(), links=None))]
#[allow(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(crate) fn verify(
    py: Python<'_>,
    data: TableInput,
    base: Option<&str>,
    options: &Bound<'_, PyDict>,
    original: Option<TableInput>,
    unchecked: Vec<String>,
    record: Option<std::path::PathBuf>,
    population: Option<TableInput>,
    in_database: bool,
    known: Vec<String>,
    links: Option<String>,
) -> PyResult<(String, String)> {
    let file = spec_of(py, &data, base, options)?;
    work(py, &WatchOptions::NONE, move |control| {
        on_threads(file.spec.algorithm.threads, || {
            let asked = verify_options(&file, unchecked, known, links)?;
            let wanted = |column: &str| asked.wanted(column);
            let release = data.opened_or_counted(&file, in_database, wanted)?;
            let original = original.map(|it| it.untreated(&file)).transpose()?;
            let people =
                population.map(|it| it.open_plainly(&ReadOptions::default())).transpose()?;
            let (original, people) = (original.as_ref(), people.as_ref());
            let mut verdict = verify_release_in(&release, original, people, &asked, control)?;
            if let Some(path) = &record {
                check_record(path, &release, original)?.add_to(&mut verdict);
            }
            let verdict = verdict_for_messages(verdict);
            Ok((text(&verdict)?, verdict.to_string()))
        })?
    })
}

/// Who could be found in a table; JSON, the page, and whether all was looked at.
#[pyfunction]
#[pyo3(signature = (data, options, threshold, size, population=None, sampling_fraction=None,
    population_size=None, weight_column=None, in_database=false, progress=None, keep=false, control=None))]
#[allow(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(crate) fn risk(
    py: Python<'_>,
    data: TableInput,
    options: &Bound<'_, PyDict>,
    threshold: f64,
    size: usize,
    population: Option<TableInput>,
    sampling_fraction: Option<f64>,
    population_size: Option<u64>,
    weight_column: Option<String>,
    in_database: bool,
    progress: Option<&Bound<'_, PyAny>>,
    keep: bool,
    control: Option<TableInput>,
) -> PyResult<(String, String, bool)> {
    let file = spec_of(py, &data, None, options)?;
    let sampling = match (sampling_fraction, population_size) {
        (Some(fraction), _) => PopulationSize::Fraction(fraction),
        (None, Some(people)) => PopulationSize::People(people),
        (None, None) => PopulationSize::Unknown,
    };
    work(py, &WatchOptions { progress, keep }, move |watch| {
        let asked = risk_options(&file, weight_column)
            .with_threshold(threshold)
            .with_size(size)
            .with_sampling(sampling);
        on_threads(file.spec.algorithm.threads, || {
            let quasi = names(&file, Role::Quasi);
            let wanted = |column: &str| wanted_for_risk(column, &quasi, &asked);
            let source = treated(&file, data.opened_or_counted(&file, in_database, wanted)?)?;
            let population =
                population.map(|it| it.open_plainly(&ReadOptions::default())).transpose()?;
            let others = control.map(|it| it.open_plainly(&ReadOptions::default())).transpose()?;
            let labels =
                LabelQuestions { control: others.as_ref(), hierarchies: hierarchies(&file) };
            let found = risk_of(&source, &quasi, population.as_ref(), &asked, watch)?;
            let found = with_labels(found, &source, &quasi, &labels, &asked, watch)?;
            Ok((text(&found)?, risk_page(&found, &PageProvenance::new()), found.complete))
        })?
    })
}

/// Attacks a release; JSON and the page.
#[pyfunction]
#[pyo3(signature = (release, original, options, known, secret, attempts, confidence, seed, control=None))]
#[allow(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(crate) fn attack(
    py: Python<'_>,
    release: TableInput,
    original: TableInput,
    options: &Bound<'_, PyDict>,
    known: Vec<String>,
    secret: Vec<String>,
    attempts: u64,
    confidence: f64,
    seed: u64,
    control: Option<TableInput>,
) -> PyResult<(String, String)> {
    let file = spec_of(py, &original, None, options)?;
    work(py, &WatchOptions::NONE, move |watch| {
        on_threads(file.spec.algorithm.threads, || {
            let release = release.open_plainly(&ReadOptions::default())?;
            let original = original.untreated(&file)?;
            let control = control.map(|it| it.untreated(&file)).transpose()?;
            let asked = AttackOptions::new()
                .with_known(known)
                .with_secret(secret)
                .with_attempts(attempts)
                .with_confidence(confidence)
                .with_seed(seed);
            let mut settings = AttackSettings::new(asked)
                .with_missing(file.spec.data.missing_tokens())
                .with_dates(file.spec.date_formats())
                .with_decimal(file.spec.data.decimal);
            for (column, hierarchy) in hierarchies(&file) {
                settings = settings.with_hierarchy(column, hierarchy);
            }
            let found = attack_release(&release, &original, control.as_ref(), &settings, watch)?;
            Ok((text(&found)?, attack_page(&found, &PageProvenance::new())))
        })?
    })
}

pub(crate) fn names(file: &SpecFile, role: Role) -> Vec<String> {
    file.spec.columns_with(role).map(|column| column.name.clone()).collect()
}

fn hierarchies(file: &SpecFile) -> Vec<(String, Hierarchy)> {
    let columns = file.spec.columns.iter();
    columns.filter_map(|it| Some((it.name.clone(), it.hierarchy.clone()?))).collect()
}

/// Measures a release against its original; JSON and the page.
#[pyfunction]
#[pyo3(signature = (release, original, options, k=None, blank_suppressed=false, all=true, statistics=true,
    outcomes=Vec::new(), subgroups=Vec::new(), same_order=false))]
#[allow(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(crate) fn evaluate(
    py: Python<'_>,
    release: TableInput,
    original: TableInput,
    options: &Bound<'_, PyDict>,
    k: Option<u64>,
    blank_suppressed: bool,
    all: bool,
    statistics: bool,
    outcomes: Vec<String>,
    subgroups: Vec<String>,
    same_order: bool,
) -> PyResult<(String, String)> {
    let file = spec_of(py, &original, None, options)?;
    work(py, &WatchOptions::NONE, move |control| {
        on_threads(file.spec.algorithm.threads, || {
            let original = original.open(&file)?;
            let release = release.open_plainly(&ReadOptions::default())?;
            let asked = if all { EvaluateOptions::all() } else { EvaluateOptions::new() };
            let compared = UsefulnessOptions::new()
                .with_outcomes(outcomes)
                .with_subgroups(subgroups)
                .with_same_order(same_order);
            let asked = asked
                .with_k(k)
                .with_blank_suppressed(blank_suppressed)
                .with_statistics(statistics.then_some(compared));
            let found = evaluated(&file, &original, &release, &asked, control)?;
            Ok((text(&found)?, evaluation_page(&found, &PageProvenance::new())))
        })?
    })
}

/// Numbers row by row, and the class of each row.
type LearningTable<'py> = (Bound<'py, PyBytes>, Vec<String>);

/// What learners take: the names of columns, and for the release, its original and the test rows the numbers, row by row in the
/// machine's order of bytes, and the class of each row.
#[pyfunction]
pub(crate) fn learning<'py>(
    py: Python<'py>,
    release: TableInput,
    original: TableInput,
    test: TableInput,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Vec<String>, Vec<LearningTable<'py>>)> {
    let file = spec_of(py, &original, None, options)?;
    let found = work(py, &WatchOptions::NONE, move |control| {
        on_threads(file.spec.algorithm.threads, || {
            let original = original.open(&file)?;
            let release = release.open_plainly(&ReadOptions::default())?;
            let test = test.open(&file)?;
            learning_tables(&file, &original, &release, &test, control)
        })?
    })?;
    let bytes = |numbers: &[f64]| -> Bound<'py, PyBytes> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        PyBytes::new(py, &bytes)
    };
    let features = &found.features;
    let tables = vec![
        (bytes(&features.release), found.release),
        (bytes(&features.original), found.original),
        (bytes(&features.test), found.test),
    ];
    Ok((features.names.clone(), tables))
}

/// Asks random questions of a release and of its original; JSON.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(crate) fn queries(
    py: Python<'_>,
    release: TableInput,
    original: TableInput,
    options: &Bound<'_, PyDict>,
    queries: u32,
    dimensions: u32,
    selectivity: f64,
    columns: Vec<String>,
    seed: u64,
) -> PyResult<String> {
    let file = spec_of(py, &original, None, options)?;
    work(py, &WatchOptions::NONE, move |control| {
        let original = original.untreated(&file)?;
        let release = release.open_plainly(&ReadOptions::default())?;
        let mut asked = QueryOptions::new(names(&file, Role::Quasi))
            .with_missing(file.spec.data.missing_tokens())
            .with_dates(file.spec.date_formats())
            .with_workload(Workload { queries, dimensions, selectivity, columns, seed });
        for (column, hierarchy) in hierarchies(&file) {
            asked = asked.with_hierarchy(column, hierarchy);
        }
        text(&queries_of(&release, &original, &asked, control)?)
    })
}

/// Cross-validates decision trees; JSON.
#[pyfunction]
#[pyo3(signature = (release, options, class_, folds, seed, least_leaf, depth, original=None, test=None))]
#[allow(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(crate) fn classification(
    py: Python<'_>,
    release: TableInput,
    options: &Bound<'_, PyDict>,
    class_: String,
    folds: u32,
    seed: u64,
    least_leaf: u32,
    depth: u32,
    original: Option<TableInput>,
    test: Option<TableInput>,
) -> PyResult<String> {
    let file = spec_of(py, &release, None, options)?;
    work(py, &WatchOptions::NONE, move |control| {
        on_threads(file.spec.algorithm.threads, || {
            let release = release.untreated(&file)?;
            let open = |data: Option<TableInput>| {
                data.map(|it| it.open_plainly(&ReadOptions::default())).transpose()
            };
            let (original, test) = (open(original)?, open(test)?);
            let settings = ClassificationOptions { folds, seed, least_leaf, depth };
            let mut asked =
                ClassifyOptions::new(names(&file, Role::Quasi), class_).with_settings(settings);
            for (column, hierarchy) in hierarchies(&file) {
                asked = asked.with_hierarchy(column, hierarchy);
            }
            let (original, test) = (original.as_ref(), test.as_ref());
            text(&classification_with_test(&release, original, test, &asked, control)?)
        })?
    })
}

/// Checks a certificate against its table, as JSON and in words.
#[pyfunction]
#[pyo3(signature = (table, certificate, release=None))]
pub(crate) fn check(
    py: Python<'_>,
    table: PathBuf,
    certificate: PathBuf,
    release: Option<PathBuf>,
) -> PyResult<(String, String)> {
    let checked = py
        .detach(|| CertificateCheck::of_files(&table, &certificate, release.as_deref()))
        .map_err(|error| raised(py, &error))?;
    Ok((json(&checked)?, checked.text))
}
