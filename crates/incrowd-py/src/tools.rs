//! Specs, hierarchies, methods, and the command line.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use incrowd_engine::SavedRecoding;
use incrowd_engine::structure::StructureSpec;
use incrowd_report::NamedTrace;
use incrowd_report::chart::{Axis, LineChart, LineShape, Series, standalone};
use incrowd_run::spec::{Role, SpecFile, hierarchies::Hierarchy, write_spec};
use incrowd_run::{
    Error,
    explore::{
        ColumnSource, build_hierarchy as built, check_hierarchy as checked, nearest_of_table,
        structure_facts,
    },
    plan::load_hierarchy,
    report::TracePoint,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::TableInput;
use crate::errors::{json, raised};
use crate::keyword_args;
use crate::run::{TracePoints, spec_of};
use crate::work::{WatchOptions, work};

/// The spec that keywords stand for, as TOML.
#[pyfunction]
#[pyo3(signature = (base, input, options))]
pub(crate) fn spec_text(
    py: Python<'_>,
    base: Option<&str>,
    input: Option<&str>,
    options: &Bound<'_, PyDict>,
) -> PyResult<String> {
    let keywords = keyword_args::keywords(options)?;
    let file =
        SpecFile::from_keywords(base, input, &keywords).map_err(|error| raised(py, &error))?;
    Ok(write_spec(&file.spec))
}

/// What a spec says, in short: k, and the columns by role. A spec that is wrong is an exception with its line.
#[pyfunction]
pub(crate) fn spec_facts(py: Python<'_>, text: &str, path: &str) -> PyResult<String> {
    let file = SpecFile::parse(text, Path::new(path)).map_err(|error| raised(py, &error))?;
    let spec = &file.spec;
    let names = |role: Role| -> Vec<&str> {
        spec.columns_with(role).map(|column| column.name.as_str()).collect()
    };
    json(&serde_json::json!({
        "input": spec.data.input,
        "output": spec.release.output,
        "k": spec.privacy.k,
        "method": spec.algorithm.method,
        "quasi": names(Role::Quasi),
        "identifying": names(Role::Identifying),
        "sensitive": names(Role::Sensitive),
        "class": names(Role::Class),
        "plain": names(Role::Plain),
        "undecided": names(Role::Undecided),
    }))
}

/// A spec read from a file, its paths as seen from here.
#[pyfunction]
pub(crate) fn spec_from_folder(py: Python<'_>, text: &str, path: &str) -> PyResult<String> {
    let mut file = SpecFile::parse(text, Path::new(path)).map_err(|error| raised(py, &error))?;
    let mut spec = file.spec.clone();
    spec.data.input = file.resolve(&spec.data.input);
    spec.data.population = spec.data.population.map(|path| file.resolve(&path));
    for column in &mut spec.columns {
        if let Some(Hierarchy::File(path)) = &column.hierarchy {
            column.hierarchy = Some(Hierarchy::File(file.resolve(path)));
        }
    }
    file.spec = spec;
    Ok(write_spec(&file.spec))
}

/// The names of all keywords that stand for something in a spec.
#[pyfunction]
pub(crate) fn keywords() -> Vec<String> {
    incrowd_run::spec::keywords()
}

/// The methods there are, or one of them; JSON.
#[pyfunction]
#[pyo3(signature = (name=None))]
pub(crate) fn methods(py: Python<'_>, name: Option<&str>) -> PyResult<String> {
    match name {
        None => json(&incrowd_run::methods::catalogue()),
        Some(name) => json(&incrowd_run::methods::entry(name).map_err(|error| raised(py, &error))?),
    }
}

/// The hierarchy of a column's values, a row for each. The keyword `hierarchy` says how it is made.
#[pyfunction]
pub(crate) fn build_hierarchy(
    py: Python<'_>,
    data: TableInput,
    column: String,
    options: &Bound<'_, PyDict>,
) -> PyResult<Vec<Vec<String>>> {
    let file = spec_of(py, &data, None, options)?;
    work(py, &WatchOptions::NONE, move |control| {
        let given = file.spec.column(&column).and_then(|it| it.hierarchy.as_ref());
        let rule = load_hierarchy(given.ok_or_else(|| Error::new("there is no hierarchy"))?)?;
        of_column(&data, &file, &column, |of| Ok(built(of, &rule, control)?.rows))
    })
}

/// What is wrong with a hierarchy in a file, a sentence each, and how many levels it has above the values; with a table also
/// which values of a column it does not cover.
#[pyfunction]
#[pyo3(signature = (path, data=None, column=None, options=None))]
pub(crate) fn check_hierarchy(
    py: Python<'_>,
    path: std::path::PathBuf,
    data: Option<TableInput>,
    column: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Vec<String>, Option<u32>)> {
    let file = match (&data, options) {
        (Some(data), Some(options)) => Some(spec_of(py, data, None, options)?),
        _ => None,
    };
    work(py, &WatchOptions::NONE, move |control| {
        let found = match (data, column, &file) {
            (Some(data), Some(column), Some(file)) => {
                of_column(&data, file, &column, |of| checked(&path, Some(of), control))?
            }
            _ => checked(&path, None, control)?,
        };
        Ok((found.faults, found.tree.map(|tree| tree.height())))
    })
}

/// Does something with the values of a column, read as a spec says.
fn of_column<T>(
    data: &TableInput,
    file: &SpecFile,
    column: &str,
    with: impl FnOnce(&ColumnSource<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let source = data.open(file)?;
    let missing = file.spec.data.missing_tokens();
    let dates = file.spec.date_formats();
    let decimal = file.spec.data.decimal;
    with(&ColumnSource { source: &source, column, missing: &missing, decimal, dates: &dates })
}

/// Looks for a balanced structure; the facts as JSON.
#[pyfunction]
#[pyo3(signature = (k, domains, rows=None, repeats=1, blanks=None, limit=1_000_000, time_limit=None))]
#[allow(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(crate) fn structure(
    py: Python<'_>,
    k: u32,
    domains: Vec<u32>,
    rows: Option<u32>,
    repeats: u32,
    blanks: Option<u32>,
    limit: u64,
    time_limit: Option<f64>,
) -> PyResult<String> {
    work(py, &WatchOptions::NONE, move |control| {
        let largest = StructureSpec::largest(k, domains);
        let spec = StructureSpec { rows: rows.unwrap_or(largest.rows), repeats, blanks, ..largest };
        let control = control.clone().with_time_limit(time_limit.map(Duration::from_secs_f64));
        let answer = spec.search(limit, &control)?;
        Ok(structure_facts(&spec, &answer)?.to_string())
    })
}

/// Maps a small table to its closest balanced structure; the facts as JSON.
#[pyfunction]
pub(crate) fn nearest_structure(
    py: Python<'_>,
    data: TableInput,
    columns: Vec<String>,
    k: u32,
    limit: u64,
) -> PyResult<String> {
    work(py, &WatchOptions::NONE, move |control| {
        let source = data.open_plainly(&incrowd_run::data::ReadOptions::default())?;
        Ok(nearest_of_table(&source, &columns, k, limit, control)?.to_json(k).to_string())
    })
}

/// What a saved recoding says of itself: k and the columns; an exception if it is none.
#[pyfunction]
pub(crate) fn check_recoding(py: Python<'_>, text: &str) -> PyResult<String> {
    let saved = SavedRecoding::from_json(text).map_err(|error| raised(py, &error.into()))?;
    let quasi: Vec<&str> = saved.attributes.iter().map(|it| it.name.as_str()).collect();
    json(&serde_json::json!({
        "k": saved.k,
        "kind": saved.recoding.kind(),
        "quasi": quasi,
        "plain": saved.plain,
        "identifying": saved.identifying,
    }))
}

/// Traces of searches as one chart; none if there is nothing to draw.
#[pyfunction]
#[pyo3(signature = (title, traces, wall=false))]
pub(crate) fn trace_chart(
    title: &str,
    traces: Vec<(String, TracePoints)>,
    wall: bool,
) -> Option<String> {
    let traces: Vec<NamedTrace> = traces
        .into_iter()
        .map(|(name, points)| {
            let points = points.into_iter().map(|(seconds, cpu_seconds, nodes, cost, bound)| {
                TracePoint { seconds, cpu_seconds, nodes, cost, bound }
            });
            NamedTrace { name, points: points.collect() }
        })
        .collect();
    incrowd_report::trace_chart(title, &traces, wall)
}

/// The charts of a page, each as a file of its own.
#[pyfunction]
pub(crate) fn charts_of(page: &str) -> Vec<String> {
    incrowd_report::chart::charts_of(page)
}

/// A chart of lines, as a file of its own.
#[pyfunction]
pub(crate) fn lines_chart(
    title: &str,
    x: &str,
    y: &str,
    lines: Vec<(String, Vec<(f64, f64)>)>,
) -> String {
    let series = lines.into_iter().map(|(name, mut points)| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series { name, points, shape: LineShape::Straight }
    });
    let (x, y) = (Axis::linear(x), Axis::linear(y));
    let chart = LineChart { title: title.to_owned(), x, y, series: series.collect() };
    standalone(&chart.to_svg())
}

/// Runs the command line; the exit code.
#[pyfunction]
pub(crate) fn command_line(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| {
        let hidden = incrowd_engine::words::values_are_hidden();
        let code = incrowd_cli::run(args);
        incrowd_engine::words::hide_values(hidden);
        code
    })
}

/// Lets messages of this process tell values of people, or keep them back; whether they told them before.
#[pyfunction]
pub(crate) fn show_values(show: bool) -> bool {
    let before = !incrowd_engine::words::values_are_hidden();
    incrowd_engine::words::hide_values(!show);
    before
}

/// Whether messages of this process tell values of people.
#[pyfunction]
pub(crate) fn values_are_shown() -> bool {
    !incrowd_engine::words::values_are_hidden()
}

/// The parts of the name of a table in a database, without their quotes.
#[pyfunction]
pub(crate) fn name_parts(py: Python<'_>, written: &str) -> PyResult<Vec<String>> {
    incrowd_sql::name_parts(written).map_err(|error| raised(py, &error.into()))
}

/// The options of every command: the command, the option's name, whether it takes a value, and its help.
#[pyfunction]
pub(crate) fn command_options() -> Vec<(String, String, bool, String)> {
    let options = incrowd_cli::options().into_iter();
    options.map(|it| (it.command, it.name, it.takes_value, it.help)).collect()
}

/// Made-up people, as CSV: for examples and tests.
#[pyfunction]
#[pyo3(signature = (rows, seed=1, wide=false))]
pub(crate) fn demo_people(py: Python<'_>, rows: u64, seed: u64, wide: bool) -> PyResult<String> {
    work(py, &WatchOptions::NONE, move |_| {
        let mut census = incrowd_demo::Census::new(rows, seed);
        if wide {
            census = census.widened();
        }
        let mut text = Vec::new();
        census.write_csv(&mut text).map_err(|e| Error::new(e.to_string()))?;
        String::from_utf8(text).map_err(|e| Error::new(e.to_string()))
    })
}
