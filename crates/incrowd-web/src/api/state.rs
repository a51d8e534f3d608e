//! The state of the session as pages see it, and the calls that change it.

use std::sync::Arc;

use incrowd_run::Result;
use incrowd_run::data::{Input, InputFormat, Source};
use incrowd_run::spec::{OtherColumns, Role, spec_to_json, write_spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::ReleaseSummary;
use super::project::ProjectSummary;
use super::steps::{StepStates, steps};
use super::{NoFields, done};
use crate::paths::{FileEntry, RecentSpec};
use crate::session::{
    ErrorReport, FormsSummary, OpenRequest, OpenTable, RecordSummary, Session, SessionState,
    SpecAnalysis, WorkState, WrittenSummary,
};

#[derive(Deserialize)]
pub(super) struct FilesRequest {
    typed: String,
}

/// Files and folders that begin so.
#[derive(Serialize)]
pub(super) struct FilesAnswer {
    entries: Vec<FileEntry>,
}

pub(super) fn files(session: &Arc<Session>, asked: FilesRequest) -> Result<FilesAnswer> {
    Ok(FilesAnswer { entries: session.root.beginning(&asked.typed, 60) })
}

#[derive(Deserialize)]
pub(super) struct ReadingRequest {
    path: String,
}

/// What there is to choose before a file is opened.
#[derive(Serialize)]
pub(super) struct ReadingAnswer {
    /// The sheets of a workbook.
    sheets: Vec<String>,
}

/// What there is to choose before a file is opened.
pub(super) fn reading(session: &Arc<Session>, asked: ReadingRequest) -> Result<ReadingAnswer> {
    let path = session.root.existing(&asked.path)?;
    let sheets = if path.is_file() { Source::sheets(&Input::from(path))? } else { Vec::new() };
    Ok(ReadingAnswer { sheets })
}

pub(super) fn open(session: &Arc<Session>, asked: OpenRequest) -> Result<NoFields> {
    session.begin_open(asked)?;
    done()
}

#[derive(Deserialize)]
pub(super) struct DemoRequest {
    /// Whether work that cannot be saved may be lost.
    #[serde(default)]
    discard: bool,
}

pub(super) fn demo(session: &Arc<Session>, asked: DemoRequest) -> Result<NoFields> {
    session.begin_demo(asked.discard)?;
    done()
}

/// Whether something went on.
#[derive(Serialize)]
pub(super) struct StopAnswer {
    stopped: bool,
}

pub(super) fn stop(session: &Arc<Session>, _: NoFields) -> Result<StopAnswer> {
    Ok(StopAnswer { stopped: session.stop() })
}

pub(super) fn quit(session: &Arc<Session>, _: NoFields) -> Result<NoFields> {
    session.quit();
    done()
}

pub(super) fn undo(session: &Arc<Session>, _: NoFields) -> Result<NoFields> {
    session.step(true);
    done()
}

pub(super) fn redo(session: &Arc<Session>, _: NoFields) -> Result<NoFields> {
    session.step(false);
    done()
}

/// A change of the spec: a JSON merge patch.
#[derive(Deserialize)]
pub(super) struct SpecPatch(Value);

pub(super) fn spec(session: &Arc<Session>, patch: SpecPatch) -> Result<NoFields> {
    session.patch(&patch.0)?;
    done()
}

/// Specs below the folder.
#[derive(Serialize)]
pub(super) struct RecentAnswer {
    specs: Vec<RecentSpec>,
}

/// Specs below the folder, the newest first.
pub(super) fn recent(session: &Arc<Session>, _: NoFields) -> Result<RecentAnswer> {
    Ok(RecentAnswer { specs: session.root.specs(8) })
}

pub(super) fn dismiss(session: &Arc<Session>, _: NoFields) -> Result<NoFields> {
    session.change(|state| state.error = None);
    done()
}

/// The present spec, with the keys that its file has.
#[derive(Serialize)]
struct SpecJson(Value);

/// Where the session is.
#[derive(Serialize)]
pub(super) struct StateAnswer {
    /// Counts every change.
    version: u64,
    /// The version of the program.
    incrowd: &'static str,
    /// The folder below which everything happens.
    root: String,
    file: Option<FileSummary>,
    spec: Option<SpecJson>,
    /// The spec as its file.
    toml: Option<String>,
    /// Whether there is something to undo.
    undo: bool,
    redo: bool,
    columns: Vec<ColumnSummary>,
    combinations: Option<Vec<ColumnCombination>>,
    look: SpecAnalysis,
    work: Option<WorkState>,
    /// What goes on beside.
    aside: Vec<&'static str>,
    answer: Option<ReleaseSummary>,
    steps: StepStates,
    project: Option<ProjectSummary>,
    written: Option<WrittenSummary>,
    formed: Option<FormsSummary>,
    recorded: Option<RecordSummary>,
    error: Option<ErrorReport>,
}

/// All that is small: what is large or confidential has calls of its own.
pub(super) fn state(session: &Arc<Session>, _: NoFields) -> Result<StateAnswer> {
    let work = session.work().map(|work| work.progress.told(work.kind));
    let state = session.state();
    let spec = state.history.as_ref().map(|history| history.spec());
    Ok(StateAnswer {
        version: state.version,
        incrowd: env!("CARGO_PKG_VERSION"),
        root: session.root.folder().display().to_string(),
        file: state.opened.as_deref().map(file),
        spec: spec.map(|spec| SpecJson(spec_to_json(spec))),
        toml: spec.map(write_spec),
        undo: state.history.as_ref().is_some_and(|history| history.can_undo()),
        redo: state.history.as_ref().is_some_and(|history| history.can_redo()),
        columns: columns(&state),
        combinations: state.opened.as_deref().map(combinations),
        look: state.look.clone(),
        work,
        aside: state.asides(),
        answer: ReleaseSummary::of(&state),
        steps: steps(&state),
        project: ProjectSummary::of(&state, &session.root),
        written: state.written.as_ref().map(|written| written.told.clone()),
        formed: state.formed.as_ref().map(|formed| formed.told.clone()),
        recorded: state.recorded.clone(),
        error: state.error.clone(),
    })
}

/// The table that is open.
#[derive(Serialize)]
struct FileSummary {
    name: String,
    rows: u64,
    columns: usize,
    size: u64,
    format: &'static str,
    delimiter: Option<String>,
    encoding: Option<String>,
    sheet: Option<String>,
    notes: Vec<String>,
    /// Whether nobody in it exists.
    made_up: bool,
    /// The spec that was opened, if one was.
    spec: Option<String>,
}

fn file(opened: &OpenTable) -> FileSummary {
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
    FileSummary {
        name: opened.shown.clone(),
        rows: opened.found.rows,
        columns: source.columns().len(),
        size: source.size(),
        format,
        delimiter,
        encoding: source.options().encoding.clone(),
        sheet: source.options().sheet.clone(),
        notes: source.notes().to_vec(),
        made_up: opened.made_up.is_some(),
        spec: opened.spec_file.as_ref().map(|path| path.display().to_string()),
    }
}

/// A column: what was found in it, and what the spec says of it.
#[derive(Serialize)]
struct ColumnSummary {
    name: String,
    /// Its name in the release.
    released: Option<String>,
    kind: &'static str,
    missing: u64,
    distinct: u64,
    separation: f64,
    unique_share: f64,
    role: Option<Role>,
    guessed: Role,
    /// Why that role was guessed.
    reason: String,
    note: Option<String>,
    /// Why it must not be released as it is unless somebody says so.
    exposed: Option<String>,
    codes: Option<CodesSummary>,
    /// Whether the spec gives it a hierarchy.
    hierarchy: bool,
    treat: Option<TreatmentSummary>,
    follows: Option<String>,
    narrowing: bool,
    accept: bool,
}

/// What codes the values of a column are, and the hierarchy that suits them.
#[derive(Serialize)]
struct CodesSummary {
    what: String,
    word: String,
    certain: bool,
}

/// What is put in place of the values of a column.
#[derive(Serialize)]
struct TreatmentSummary {
    /// As the spec says it.
    text: String,
    words: String,
    needs_key: bool,
}

/// Columns that single people out together.
#[derive(Serialize)]
struct ColumnCombination {
    columns: Vec<String>,
    unique_share: f64,
}

/// The columns with what was found in them, without a value.
fn columns(state: &SessionState) -> Vec<ColumnSummary> {
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
            ColumnSummary {
                name: found.name.clone(),
                released: column.map(|column| column.name.clone()),
                kind: found.kind.name(),
                missing: found.missing,
                distinct: found.uniqueness.distinct,
                separation: found.uniqueness.separation,
                unique_share: found.uniqueness.unique_share,
                role: column.map(|column| column.role).or(left_out),
                guessed: Role::from(found.role),
                reason: found.reason.clone(),
                note: found.note.clone(),
                exposed: found.exposed.as_ref().map(|exposed| exposed.why.clone()),
                codes: found.codes.as_ref().map(|codes| CodesSummary {
                    what: codes.what.clone(),
                    word: codes.hierarchy.word(),
                    certain: codes.certain,
                }),
                hierarchy: column.is_some_and(|column| column.hierarchy.is_some()),
                treat: column.and_then(|it| it.treat.as_ref()).map(|treat| TreatmentSummary {
                    text: treat.to_string(),
                    words: treat.words(),
                    needs_key: treat.needs_key(),
                }),
                follows: column.and_then(|column| column.follows.clone()),
                narrowing: column.is_some_and(|column| column.narrowing),
                accept: column.is_some_and(|column| column.accept),
            }
        })
        .collect()
}

/// The columns that single people out, the worst first.
fn combinations(opened: &OpenTable) -> Vec<ColumnCombination> {
    let found = &opened.found.combinations;
    let all = found.pairs.iter().take(3).chain(found.triples.iter().take(3));
    all.map(|it| ColumnCombination {
        columns: it.columns.clone(),
        unique_share: it.uniqueness.unique_share,
    })
    .collect()
}
