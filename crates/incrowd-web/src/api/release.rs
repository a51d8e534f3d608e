//! What became of the table.

use std::sync::Arc;

use incrowd_assess::withheld as why;
use incrowd_run::{Error, Result, sets_text};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{given, shown};
use crate::session::{FoundRelease, Session};

/// The release that was found.
pub(super) fn kept(session: &Session) -> Result<Arc<FoundRelease>> {
    let found = session.state().found.clone();
    found
        .filter(|kept| kept.found.release().is_some())
        .ok_or_else(|| Error::new("there is no release yet").help("search for one first"))
}

/// The release beside its table.
pub(super) fn release(session: &Arc<Session>, _: Value) -> Result<Value> {
    let kept = kept(session)?;
    let report = &kept.report;
    Ok(json!({
        "picture": shown(&report.picture())?,
        "recoding": report.recoding,
        "kind": report.recoding_kind,
        "unchanged": shown(&report.unchanged)?,
        "unchanged_together": shown(&report.unchanged_together)?,
        "tells": shown(&report.tells)?,
        "losses": report.losses.iter()
            .flat_map(|loss| loss.without_counts(report.k).into_iter().map(|words| json!({
                "column": loss.column, "words": words,
            })))
            .collect::<Vec<_>>(),
        "sets": report.unrelated_sets.iter().map(sets_text).collect::<Vec<_>>(),
        "metrics": shown(&report.metrics)?,
        "blanks": shown(&report.blanks)?,
        "tried": shown(&report.auto)?,
    }))
}

#[derive(Deserialize)]
struct RowsRequest {
    #[serde(default)]
    from: usize,
    count: usize,
    /// Whether to show what each row was before.
    #[serde(default)]
    original: bool,
}

/// Rows that are sent at once, at most.
const MOST_ROWS: usize = 200;

/// Some rows of the release, in an order of their own.
pub(super) fn rows(session: &Arc<Session>, value: Value) -> Result<Value> {
    let RowsRequest { from, count, original } = given(value)?;
    let kept = kept(session)?;
    let (_, opened) = session.file()?;
    let made = kept.rows(&opened.table)?;
    let table = made.table.as_ref().unwrap_or(&opened.table);
    let release = kept.found.release().ok_or_else(|| Error::new("there is no release"))?;
    let problem = kept.found.problem();
    let from = from.min(made.released.len());
    let to = from.saturating_add(count.min(MOST_ROWS)).min(made.released.len());
    let names = kept.source.columns();
    let mut header: Vec<(String, &str)> = Vec::new();
    // For each released column its attribute, or the column that stays as it is.
    let mut columns: Vec<Result<usize, &incrowd_engine::table::Column>> = Vec::new();
    for &(at, role) in &kept.job.columns {
        let name = &names[at];
        let attribute = problem.attributes.iter().position(|it| it.name == *name);
        match (attribute, table.column(name)) {
            (Some(attribute), _) => {
                header.extend(release.names(attribute).iter().map(|it| (it.clone(), "quasi")));
                columns.push(Ok(attribute));
            }
            (None, Some(column)) => {
                header.push((name.clone(), role_name(role)));
                columns.push(Err(column));
            }
            (None, None) => {}
        }
    }
    let field = |row: u32, class: Option<u32>| -> Vec<Vec<String>> {
        let shown = |column: &Result<usize, &incrowd_engine::table::Column>| match (column, class) {
            (Ok(at), Some(class)) => {
                release.labels(*at)[release.label_of(*at, class) as usize].clone()
            }
            (Ok(at), None) => vec!["*".to_owned(); release.names(*at).len()],
            (Err(column), _) => vec![column.value(row as usize).to_owned()],
        };
        columns.iter().map(shown).collect()
    };
    let told: Vec<Value> = made.released[from..to]
        .iter()
        .map(|&(row, class)| {
            let size = class.map(|class| release.classes.sizes[class as usize]);
            let before: Option<Vec<&str>> = original.then(|| {
                let of = |it: &incrowd_engine::value::Attribute| {
                    table.column(&it.name).map_or("", |column| column.value(row as usize))
                };
                problem.attributes.iter().map(of).collect()
            });
            let fields: Vec<String> = field(row, class).concat();
            json!({ "class": class, "size": size, "fields": fields, "before": before })
        })
        .collect();
    let attributes: Vec<&str> = problem.attributes.iter().map(|it| it.name.as_str()).collect();
    Ok(json!({
        "from": from,
        "all": made.released.len(),
        "header": header,
        "attributes": attributes,
        "rows": told,
    }))
}

fn role_name(role: incrowd_run::spec::Role) -> &'static str {
    use incrowd_run::spec::KeywordChoice;
    role.name()
}

/// Classes that are shown at most.
const MOST_CLASSES: usize = 300;

/// The classes that are not released.
pub(super) fn withheld(session: &Arc<Session>, _: Value) -> Result<Value> {
    let kept = kept(session)?;
    let (problem, release) = (kept.found.problem(), kept.found.release());
    let release = release.ok_or_else(|| Error::new("there is no release"))?;
    let (classes, all) = why::withheld(problem, release, MOST_CLASSES);
    Ok(json!({
        "attributes": problem.attributes.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(),
        "classes": shown(&classes)?,
        "all": all,
        "rows": kept.report.suppressed,
        "outside": release.classes.outside,
    }))
}

#[derive(Deserialize)]
struct ReasonRequest {
    class: usize,
}

/// Why a class is withheld, and what would save it.
pub(super) fn reason(session: &Arc<Session>, value: Value) -> Result<Value> {
    let ReasonRequest { class } = given(value)?;
    let kept = kept(session)?;
    let release = kept.found.release().ok_or_else(|| Error::new("there is no release"))?;
    match why::reason(kept.found.problem(), release, class) {
        Some(reason) => shown(&reason),
        None => Err(Error::new("this crowd is released")),
    }
}
