//! How one column is made less exact.

use std::sync::Arc;

use incrowd_assess::levels::level_effects;
use incrowd_engine::Control;
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::DomainKind;
use incrowd_run::spec::{self, Role, SpecFile};
use incrowd_run::{
    BuiltHierarchy, ColumnSource, Error, Job, Result, SearchedRun, Source, build_hierarchy,
    hierarchy_text, load_hierarchy, read_hierarchy_rows,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{done, given, shown};
use crate::session::{Session, open_to_look, without_lines};

#[derive(Deserialize)]
struct HierarchyRequest {
    column: String,
}

/// Values that a page gets at most: a tree of more cannot be edited by hand.
const MOST_VALUES: usize = 5_000;

/// The values of a column in their order with their rows, the hierarchy as rows of labels, and what each level does.
pub(super) fn show(session: &Arc<Session>, value: Value) -> Result<Value> {
    let HierarchyRequest { column } = given(value)?;
    let (file, opened) = session.file()?;
    let found = opened.found.columns.iter().find(|found| found.name == column);
    let found = found.ok_or_else(|| Error::new(format!("there is no column `{column}`")))?;
    let asked = file.spec.columns.iter().find(|it| it.source_name() == column);
    let source = open_to_look(&file)?;
    let name = asked.map_or(column.as_str(), |asked| asked.name.as_str());
    let built = built(&file, &source, name);
    let (rows, fault) = match &built {
        Ok(Some(built)) if built.rows.len() <= MOST_VALUES => (json!(built.rows), Value::Null),
        Ok(Some(built)) => {
            (Value::Null, json!(format!("the column has {} values", built.rows.len())))
        }
        Ok(None) => (Value::Null, Value::Null),
        Err(error) => (Value::Null, json!(error.message)),
    };
    let counts = counts(&opened.table, &column);
    let levels = match asked.map(|asked| asked.role) {
        Some(Role::Quasi) => levels(&file, &source, name),
        _ => Ok(Value::Null),
    };
    Ok(json!({
        "column": column,
        "kind": found.kind.name(),
        "numeric": found.kind.is_numeric(),
        "date": found.kind.is_date(),
        "distinct": found.uniqueness.distinct,
        "rows": rows,
        "fault": fault,
        "counts": counts,
        "levels": levels.as_ref().ok(),
        "levels_fault": levels.as_ref().err().map(|error| without_lines(error.clone()).message),
        "codes": shown(&found.codes.as_ref().map(|codes| codes.hierarchy.word()))?,
        "missing": file.spec.data.missing_tokens(),
    }))
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
        Some(spec::Hierarchy::File(path)) => {
            load_hierarchy(&spec::Hierarchy::File(file.resolve(path)))?
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

fn levels(file: &SpecFile, source: &Source, column: &str) -> Result<Value> {
    let job = Job::new(file, source)?;
    let problem = SearchedRun::posed(&job, source, &Control::new())?;
    let at = problem.attributes.iter().position(|it| it.name == column);
    match at {
        None => Ok(Value::Null),
        Some(at) => shown(&level_effects(&problem, at)),
    }
}

#[derive(Deserialize)]
struct ImportRequest {
    column: String,
    path: String,
}

/// Takes a hierarchy from a file in ARX's form into the spec, where it can be edited.
pub(super) fn import(session: &Arc<Session>, value: Value) -> Result<Value> {
    let ImportRequest { column, path } = given(value)?;
    let path = session.root.existing(&path)?;
    let rows: Vec<Vec<String>> =
        read_hierarchy_rows(&path)?.into_iter().map(|row| row.fields).collect();
    let values = rows.len();
    replace(session, &column, json!({ "rows": rows }))?;
    Ok(json!({ "values": values }))
}

#[derive(Deserialize)]
struct PutHierarchyRequest {
    column: String,
    hierarchy: Value,
}

/// Gives a column another hierarchy: a rule, the name of a file, or none.
pub(super) fn put(session: &Arc<Session>, value: Value) -> Result<Value> {
    let PutHierarchyRequest { column, hierarchy } = given(value)?;
    replace(session, &column, hierarchy)?;
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
    session.patch(&json!({ "columns": { column: { "hierarchy": hierarchy } } }))
}

/// The hierarchy as a file in ARX's form.
pub(super) fn export(session: &Arc<Session>, value: Value) -> Result<(&'static str, Vec<u8>)> {
    let HierarchyRequest { column } = given(value)?;
    let (file, _) = session.file()?;
    let source = open_to_look(&file)?;
    let asked = file.spec.columns.iter().find(|it| it.source_name() == column);
    let name = asked.map_or(column.as_str(), |asked| asked.name.as_str());
    let built = built(&file, &source, name)?
        .ok_or_else(|| Error::new(format!("`{column}` has no hierarchy")))?;
    Ok(("text/csv; charset=utf-8", hierarchy_text(&built.rows)?))
}
