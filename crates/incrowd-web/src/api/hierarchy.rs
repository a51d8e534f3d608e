//! How one column is made less exact.

use std::collections::HashSet;
use std::sync::Arc;

use incrowd_assess::levels::{LevelEffect, level_effects};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::DomainKind;
use incrowd_engine::value::is_missing;
use incrowd_engine::{Control, Table, words};
use incrowd_run::spec::{self, ColumnSection, Role, SpecFile};
use incrowd_run::{
    Error, Job, Result, SearchedRun,
    data::Source,
    demo::hierarchy_text,
    explore::{BuiltHierarchy, ColumnSource, build_hierarchy},
    plan::{load_hierarchy, read_hierarchy_rows},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{NoFields, done};
use crate::session::{Session, open_to_look, without_lines};

#[derive(Deserialize)]
pub(super) struct HierarchyRequest {
    column: String,
}

/// Values that a page gets at most: a tree of more cannot be edited by hand.
const MOST_VALUES: usize = 5_000;

/// A column with its hierarchy.
#[derive(Serialize)]
pub(super) struct HierarchyAnswer {
    column: String,
    kind: &'static str,
    numeric: bool,
    date: bool,
    distinct: u64,
    /// The hierarchy: for each value its labels, from the value itself to the top.
    rows: Option<Vec<Vec<String>>>,
    /// Why there are no rows, if something is wrong.
    fault: Option<String>,
    /// The values with their rows, the most frequent first.
    counts: Vec<(String, u64)>,
    levels: Option<Vec<LevelEffect>>,
    levels_fault: Option<String>,
    /// The hierarchy that suits the codes that the values are.
    codes: Option<String>,
    /// The texts that mean that there is no value.
    missing: Vec<String>,
}

/// The values of a column in their order with their rows, the hierarchy as rows of labels, and what each level does.
pub(super) fn show(session: &Arc<Session>, asked: HierarchyRequest) -> Result<HierarchyAnswer> {
    let HierarchyRequest { column } = asked;
    let (file, opened) = session.file()?;
    let found = opened.found.columns.iter().find(|found| found.name == column);
    let found = found.ok_or_else(|| Error::new(format!("there is no column `{column}`")))?;
    let asked = file.spec.columns.iter().find(|it| it.source_name() == column);
    let source = open_to_look(&file)?;
    let name = asked.map_or(column.as_str(), |asked| asked.name.as_str());
    let (rows, fault) = match built(&file, &source, name) {
        Ok(Some(built)) if built.rows.len() <= MOST_VALUES => (Some(built.rows), None),
        Ok(Some(built)) => (None, Some(format!("the column has {} values", built.rows.len()))),
        Ok(None) => (None, None),
        Err(error) => (None, Some(error.message)),
    };
    let counts = counts(&opened.table, &column);
    let (levels, levels_fault) = match asked.map(|asked| asked.role) {
        Some(Role::Quasi) => match levels(&file, &source, name) {
            Ok(levels) => (levels, None),
            Err(error) => (None, Some(without_lines(error).message)),
        },
        _ => (None, None),
    };
    Ok(HierarchyAnswer {
        kind: found.kind.name(),
        numeric: found.kind.is_numeric(),
        date: found.kind.is_date(),
        distinct: found.uniqueness.distinct,
        rows,
        fault,
        counts,
        levels,
        levels_fault,
        codes: found.codes.as_ref().map(|codes| codes.hierarchy.word()),
        missing: file.spec.data.missing_tokens(),
        column,
    })
}

/// How many rows have each value, the most frequent first.
fn counts(table: &incrowd_engine::Table, column: &str) -> Vec<(String, u64)> {
    let Some(column) = table.column(column) else { return Vec::new() };
    let mut counts = vec![0u64; column.dictionary.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    let mut counts: Vec<(String, u64)> =
        column.dictionary.iter().map(str::to_owned).zip(counts).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    counts.truncate(MOST_VALUES);
    counts
}

/// The hierarchy of a column's values as the spec has it.
fn built(file: &SpecFile, source: &Source, column: &str) -> Result<Option<BuiltHierarchy>> {
    let Some(asked) = file.spec.column(column) else { return Ok(None) };
    let rule = match &asked.hierarchy {
        None => return Ok(None),
        Some(spec::hierarchies::Hierarchy::File(path)) => {
            load_hierarchy(&spec::hierarchies::Hierarchy::File(file.resolve(path)))?
        }
        Some(rule) => load_hierarchy(rule)?,
    };
    let missing = file.spec.data.missing_tokens();
    let dates = file.spec.date_formats();
    let of = ColumnSource {
        source,
        column,
        missing: &missing,
        decimal: asked.decimal.or(file.spec.data.decimal),
        dates: &dates,
    };
    if let HierarchySource::Given(tree) = &rule {
        return Ok(Some(BuiltHierarchy::given(tree.clone())));
    }
    // Codes of digits are codes where the spec says so.
    let _ = asked.r#type.map(DomainKind::from);
    build_hierarchy(&of, &rule, &Control::new()).map(Some)
}

fn levels(file: &SpecFile, source: &Source, column: &str) -> Result<Option<Vec<LevelEffect>>> {
    let job = Job::new(file, source)?;
    let problem = SearchedRun::posed(&job, source, &Control::new())?;
    let at = problem.attributes.iter().position(|it| it.name == column);
    Ok(at.map(|at| level_effects(&problem, at)))
}

#[derive(Deserialize)]
pub(super) struct ImportRequest {
    column: String,
    path: String,
}

/// How many values a file has.
#[derive(Serialize)]
pub(super) struct ImportAnswer {
    values: usize,
}

/// Takes a hierarchy from a file in ARX's form into the spec, where it can be edited.
pub(super) fn import(session: &Arc<Session>, asked: ImportRequest) -> Result<ImportAnswer> {
    let ImportRequest { column, path } = asked;
    let path = session.root.existing(&path)?;
    let rows: Vec<Vec<String>> =
        read_hierarchy_rows(&path)?.into_iter().map(|row| row.fields).collect();
    let values = rows.len();
    replace(session, &column, json!({ "rows": rows }))?;
    Ok(ImportAnswer { values })
}

#[derive(Deserialize)]
pub(super) struct PutHierarchyRequest {
    column: String,
    hierarchy: HierarchySetting,
}

/// A hierarchy as a spec has it, or none.
#[derive(Deserialize)]
struct HierarchySetting(Value);

/// Gives a column another hierarchy: a rule, the name of a file, or none.
pub(super) fn put(session: &Arc<Session>, asked: PutHierarchyRequest) -> Result<NoFields> {
    let PutHierarchyRequest { column, hierarchy } = asked;
    replace(session, &column, hierarchy.0)?;
    done()
}

/// The keys of rules: of the one before none may stay.
const KEYS: [&str; 9] =
    ["intervals", "start", "prefix", "date", "groups", "tree", "rows", "ready", "other"];

fn replace(session: &Arc<Session>, column: &str, mut hierarchy: Value) -> Result<()> {
    if let Value::Object(rule) = &mut hierarchy {
        for key in KEYS {
            rule.entry(key).or_insert(Value::Null);
        }
    }
    let given = !hierarchy.is_null();
    let patch = json!({ "columns": { column: { "hierarchy": hierarchy } } });
    if given {
        // One that does not fit the values never takes the place of the one before.
        let file = session.patched(&patch)?;
        let asked = file.spec.columns.iter().find(|it| it.source_name() == column);
        let name = asked.map_or(column, |asked| asked.name.as_str());
        if let Some(built) = built(&file, &open_to_look(&file)?, name)? {
            let (_, opened) = session.file()?;
            let lacking = lacking(&built, &file, asked, &opened.table);
            if lacking > 0 {
                return Err(Error::new(format!(
                    "the hierarchy lacks {} of `{column}`",
                    words::count(lacking, "value", "values")
                ))
                .help("it stays as it was; add a line for each value, or choose another file"));
            }
        }
    }
    session.patch(&patch)
}

/// How many values of a column a hierarchy says nothing of. Values that are changed as they are read are not known here.
fn lacking(
    built: &BuiltHierarchy,
    file: &SpecFile,
    asked: Option<&ColumnSection>,
    table: &Table,
) -> u64 {
    let Some(asked) = asked else { return 0 };
    let is_changed = !asked.treatment().is_none() || asked.treat.is_some();
    let column = table.column(asked.source_name()).filter(|_| !is_changed);
    let Some(column) = column else { return 0 };
    let missing = file.spec.data.missing_tokens();
    let known: HashSet<&str> =
        built.rows.iter().filter_map(|row| row.first()).map(|value| value.trim()).collect();
    let values = column.dictionary.iter().filter(|value| !is_missing(value, &missing));
    values.filter(|value| !known.contains(value.trim())).count() as u64
}

/// The hierarchy as a file in ARX's form.
pub(super) fn export(
    session: &Arc<Session>,
    asked: HierarchyRequest,
) -> Result<(&'static str, Vec<u8>)> {
    let HierarchyRequest { column } = asked;
    let (file, _) = session.file()?;
    let source = open_to_look(&file)?;
    let asked = file.spec.columns.iter().find(|it| it.source_name() == column);
    let name = asked.map_or(column.as_str(), |asked| asked.name.as_str());
    let built = built(&file, &source, name)?
        .ok_or_else(|| Error::new(format!("`{column}` has no hierarchy")))?;
    Ok(("text/csv; charset=utf-8", hierarchy_text(&built.rows)?))
}
