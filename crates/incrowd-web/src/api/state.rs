//! The state of the session as pages see it, and the calls that change it.

use std::sync::Arc;

use incrowd_engine::words::thousands;
use incrowd_run::spec::{OtherColumns, Role, spec_to_json, write_spec};
use incrowd_run::{InputFormat, Result, RunReport};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{done, given};
use crate::session::{FoundRelease, OpenTable, Session, SessionState};

#[derive(Deserialize)]
struct FilesRequest {
    typed: String,
}

pub(super) fn files(session: &Arc<Session>, value: Value) -> Result<Value> {
    let FilesRequest { typed } = given(value)?;
    Ok(json!({ "entries": session.root.beginning(&typed, 60) }))
}

#[derive(Deserialize)]
struct OpenRequest {
    path: String,
    #[serde(flatten)]
    reading: crate::session::ReadSettings,
}

pub(super) fn open(session: &Arc<Session>, value: Value) -> Result<Value> {
    let OpenRequest { path, reading } = given(value)?;
    session.begin_open_as(&path, reading)?;
    done()
}

pub(super) fn demo(session: &Arc<Session>, _: Value) -> Result<Value> {
    session.begin_demo()?;
    done()
}

pub(super) fn stop(session: &Arc<Session>, _: Value) -> Result<Value> {
    Ok(json!({ "stopped": session.stop() }))
}

pub(super) fn quit(session: &Arc<Session>, _: Value) -> Result<Value> {
    session.quit();
    done()
}

pub(super) fn undo(session: &Arc<Session>, _: Value) -> Result<Value> {
    session.step(true);
    done()
}

pub(super) fn redo(session: &Arc<Session>, _: Value) -> Result<Value> {
    session.step(false);
    done()
}

pub(super) fn spec(session: &Arc<Session>, patch: Value) -> Result<Value> {
    session.patch(&patch)?;
    done()
}

/// Specs below the folder, the newest first.
pub(super) fn recent(session: &Arc<Session>, _: Value) -> Result<Value> {
    Ok(json!({ "specs": session.root.specs(8) }))
}

pub(super) fn dismiss(session: &Arc<Session>, _: Value) -> Result<Value> {
    session.change(|state| state.error = None);
    done()
}

/// All that is small: what is large or confidential has calls of its own.
pub(super) fn state(session: &Arc<Session>, _: Value) -> Result<Value> {
    let work = session.work().map(|work| work.progress.told(work.kind));
    let state = session.state();
    let spec = state.history.as_ref().map(|history| history.spec());
    Ok(json!({
        "version": state.version,
        "incrowd": env!("CARGO_PKG_VERSION"),
        "root": session.root.folder().display().to_string(),
        "file": state.opened.as_deref().map(file),
        "spec": spec.map(spec_to_json),
        "toml": spec.map(write_spec),
        "undo": state.history.as_ref().is_some_and(|history| history.can_undo()),
        "redo": state.history.as_ref().is_some_and(|history| history.can_redo()),
        "columns": columns(&state),
        "combinations": state.opened.as_deref().map(combinations),
        "look": { "pending": state.look.pending, "told": state.look.told },
        "work": work,
        "aside": state.asides(),
        "answer": answer(&state),
        "steps": steps(&state),
        "written": state.written.as_ref().map(|written| &written.told),
        "formed": state.formed.as_ref().map(|formed| &formed.told),
        "recorded": state.recorded,
        "error": state.error,
    }))
}

fn file(opened: &OpenTable) -> Value {
    let source = &opened.source;
    let delimiter = source.delimiter().map(|sign| match sign {
        b'\t' => "tab".to_owned(),
        sign => char::from(sign).to_string(),
    });
    let format = match source.format() {
        InputFormat::Csv => "delimited text",
        InputFormat::Parquet => "Parquet",
        InputFormat::Workbook => "workbook",
        InputFormat::Statistics => "statistics file",
        _ => "table",
    };
    json!({
        "name": opened.shown,
        "rows": opened.found.rows,
        "columns": source.columns().len(),
        "size": source.size(),
        "format": format,
        "delimiter": delimiter,
        "encoding": source.options().encoding,
        "sheet": source.options().sheet,
        "notes": source.notes(),
        "made_up": opened.made_up.is_some(),
        "spec": opened.spec_file.as_ref().map(|path| path.display().to_string()),
    })
}

/// The columns with what was found in them, without a value.
fn columns(state: &SessionState) -> Vec<Value> {
    let (Some(opened), Some(history)) = (&state.opened, &state.history) else { return Vec::new() };
    let spec = history.spec();
    let of = |name: &str| spec.columns.iter().find(|column| column.source_name() == name);
    // What becomes of a column that nobody has named.
    let left_out = (spec.other() == OtherColumns::Drop).then_some(Role::Identifying);
    opened
        .found
        .columns
        .iter()
        .map(|found| {
            let column = of(&found.name);
            json!({
                "name": found.name,
                "released": column.map(|column| column.name.as_str()),
                "kind": found.kind.name(),
                "missing": found.missing,
                "distinct": found.uniqueness.distinct,
                "separation": found.uniqueness.separation,
                "unique_share": found.uniqueness.unique_share,
                "role": column.map(|column| column.role).or(left_out).map(|role| role.to_string()),
                "guessed": Role::from(found.role).to_string(),
                "reason": found.reason,
                "note": found.note,
                "exposed": found.exposed.as_ref().map(|exposed| &exposed.why),
                "codes": found.codes.as_ref().map(|codes| json!({
                    "what": codes.what, "word": codes.hierarchy.word(), "certain": codes.certain,
                })),
                "hierarchy": column.is_some_and(|column| column.hierarchy.is_some()),
                "treat": column.and_then(|it| it.treat.as_ref()).map(|treat| json!({
                    "text": treat.to_string(),
                    "words": treat.words(),
                    "needs_key": treat.needs_key(),
                })),
                "follows": column.and_then(|column| column.follows.as_deref()),
                "narrowing": column.is_some_and(|column| column.narrowing),
                "accept": column.is_some_and(|column| column.accept),
            })
        })
        .collect()
}

/// The columns that single people out, the worst first.
fn combinations(opened: &OpenTable) -> Vec<Value> {
    let found = &opened.found.combinations;
    let all = found.pairs.iter().take(3).chain(found.triples.iter().take(3));
    all.map(|it| json!({ "columns": it.columns, "unique_share": it.uniqueness.unique_share }))
        .collect()
}

/// What the status bar shows.
fn answer(state: &SessionState) -> Option<Value> {
    let kept = state.found.as_deref()?;
    let stale = state.question().as_ref() != Some(&kept.question);
    let verified = state.written.as_ref().is_some_and(|written| written.question == kept.question);
    Some(answered(kept, stale, verified))
}

fn answered(kept: &FoundRelease, stale: bool, verified: bool) -> Value {
    let RunReport { outcome, in_words, why, method, kind, metric, cost, bound, gap, .. } =
        &kept.report;
    let report = &kept.report;
    let after = report.picture().map(|picture| &picture.after);
    json!({
        "stale": stale,
        "verified": verified,
        "outcome": outcome.to_string(),
        "in_words": in_words,
        "why": why,
        "method": method,
        "chosen": report.auto.as_ref().map(|chosen| &chosen.why),
        "kind": kind,
        "metric": metric,
        "cost": cost,
        "bound": bound,
        "gap": gap,
        "proven": report.proven,
        "k": report.k,
        "achieved_k": report.achieved_k,
        "unit": report.unit,
        "rows": report.rows,
        "released": report.released,
        "suppressed": report.suppressed,
        "classes": report.classes,
        "gcp": report.released_gcp,
        "highest": after.map(|after| after.highest),
        "average": after.map(|after| after.average),
        "made": report.metrics.is_some(),
        "repeatable": kept.found.is_repeatable(),
        "nodes": report.nodes,
        "seconds": kept.trace.last().map(|point| point.seconds),
        "requirements": report.requirements,
        "context": report.context,
        "unlinked": report.unlinked,
        "failing_rows": report.failing_rows,
        "notes": report.notes,
        "warnings": report.warnings.iter()
            .map(|warning| json!({ "code": warning.code, "message": warning.message }))
            .collect::<Vec<_>>(),
    })
}

/// Where each step stands: `done`, `open` (can be taken), `todo` (needs a decision), `stale` or `closed`, and why.
fn steps(state: &SessionState) -> Value {
    let Some(history) = &state.history else {
        let closed = |_| json!({ "state": "closed", "note": "open a table first" });
        let names =
            ["columns", "goals", "search", "alternatives", "release", "risk", "use", "finish"];
        let mut steps: serde_json::Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), closed(name))).collect();
        steps.insert("open".to_owned(), json!({ "state": "todo", "note": "choose a table" }));
        steps.insert("again".to_owned(), json!({ "state": "open", "note": "" }));
        return Value::Object(steps);
    };
    let spec = history.spec();
    let undecided = spec.columns_with(Role::Undecided).count();
    let quasi = spec.columns_with(Role::Quasi).count();
    let told = &state.look.told;
    let refused = told["refused"]["message"].as_str();
    let infeasible = told["infeasible"].as_str();
    let step = |state: &str, note: String| json!({ "state": state, "note": note });
    let columns = match (undecided, quasi) {
        (0, 0) => step("todo", "no column is a quasi-identifier".to_owned()),
        (0, _) => step("done", format!("{quasi} that others may know")),
        (1, _) => step("todo", "1 column is undecided".to_owned()),
        _ => step("todo", format!("{undecided} columns are undecided")),
    };
    let ready = undecided == 0 && quasi > 0;
    let goals = match (infeasible, refused.filter(|_| ready)) {
        (Some(_), _) => step("todo", "cannot be met".to_owned()),
        (_, Some(_)) => step("todo", "needs a look".to_owned()),
        _ if !ready => step("open", String::new()),
        _ => step("done", format!("k = {}", spec.privacy.k)),
    };
    let question = state.question();
    let fresh = |of: Option<&crate::session::SearchSpec>| of.is_some() && of == question.as_ref();
    let found = state.found.as_deref();
    let made = found.is_some_and(|kept| kept.report.metrics.is_some());
    let current = fresh(found.map(|kept| &kept.question));
    let search = match (found, current) {
        (Some(_), true) if made => step("done", "found".to_owned()),
        (Some(_), true) => step("todo", "there is no release".to_owned()),
        (Some(_), false) => step("stale", "the question has changed".to_owned()),
        (None, _) if ready => step("open", String::new()),
        (None, _) => step("closed", "columns first".to_owned()),
    };
    let after = |done: bool| match (made, current) {
        (false, _) => step("closed", "search first".to_owned()),
        (true, false) => step("stale", "of the question before".to_owned()),
        (true, true) if done => step("done", String::new()),
        (true, true) => step("open", String::new()),
    };
    let any =
        state.history.as_ref().map(|history| crate::session::SearchSpec::of_any(history.spec()));
    let alternatives = match &state.alternatives {
        Some(known) if Some(&known.question) == any.as_ref() => {
            let found: usize = known.comparisons.iter().map(|it| it.known().0).sum();
            step("done", format!("{} releases", thousands(found as u64)))
        }
        Some(_) => step("stale", "of the question before".to_owned()),
        None if ready => step("open", String::new()),
        None => step("closed", "columns first".to_owned()),
    };
    let written = fresh(state.written.as_ref().map(|written| &written.question));
    json!({
        "open": step("done", state.opened.as_ref().map_or_else(String::new, |opened| {
            format!("{} rows", thousands(opened.found.rows))
        })),
        "columns": columns,
        "goals": goals,
        "search": search,
        "alternatives": alternatives,
        "release": after(false),
        "risk": after(fresh(state.risk.as_ref().map(|(question, _)| question))),
        "use": after(fresh(state.usefulness.as_ref().map(|use_| &use_.question))),
        "finish": if written { step("done", "written and verified".to_owned()) } else { after(false) },
        "again": step("open", String::new()),
    })
}
