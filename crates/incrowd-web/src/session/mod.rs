//! What is open, what is asked, what was found: the state that all tabs share.

mod open_table;
mod projects;
mod records;
mod spec_analysis;
mod task_runner;
mod tickets;
#[cfg(feature = "server")]
mod visits;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use incrowd_engine::{CancelToken, Control};
pub(crate) use incrowd_run::data::ErrorReport;
use incrowd_run::data::{Input, ReadOptions, Source};
use incrowd_run::spec::{ColumnSection, Role, SpecFile, spec_patched};
use incrowd_run::{Error, Result, Spec};
use serde_json::Value;

use crate::paths::RootFolder;
use crate::project::Project;
pub(crate) use crate::results::{
    AnalystStatistics, AppliedRecoding, AttackResult, AttackResultRow, AttackSummary, FormFile,
    FormsSummary, FoundRelease, PredictionSummary, ProgressPoint, QuerySummary, RecordSummary,
    ReleaseAlternatives, ReleaseForms, RiskResult, SearchSpec, SpecHistory, TaskProgress,
    UtilityResult, UtilitySummary, WorkState, WrittenFile, WrittenRelease, WrittenSummary,
    without_lines,
};
pub(crate) use open_table::{OpenRequest, OpenTable};
pub(crate) use records::{RecordTable, RecordsOrder};
pub(crate) use spec_analysis::{SpecAnalysis, open_to_look};
pub(crate) use task_runner::TaskRunner;
use tickets::DownloadTicket;
pub(crate) use tickets::TicketContent;

/// The session of a launch.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) root: RootFolder,
    state: Mutex<SessionState>,
    pub(crate) runner: TaskRunner,
    /// Held while the file of the project is written.
    saving: Mutex<()>,
    /// Held while a change of the spec is checked: two at once are made one after the other, and none is lost.
    editing: Mutex<()>,
}

/// All that changes.
#[derive(Debug, Default)]
pub(crate) struct SessionState {
    /// Counts every change that tabs should see.
    pub(crate) version: u64,
    /// The table.
    pub(crate) opened: Option<Arc<OpenTable>>,
    /// The specs, the present one among them.
    pub(crate) history: Option<SpecHistory>,
    /// What is kept of all that.
    pub(crate) project: Option<Project>,
    /// What somebody has looked at: roles and goals that were guessed are nobody's decision before.
    pub(crate) looked_at: LookedAt,
    /// What follows from the present spec before any search.
    pub(crate) look: SpecAnalysis,
    /// The release that was found, and the question that it answers.
    found: Option<Arc<FoundRelease>>,
    /// The best that the search that goes on had found when somebody asked.
    so_far: Option<Arc<FoundRelease>>,
    /// Releases to choose from.
    pub(crate) alternatives: Option<Arc<ReleaseAlternatives>>,
    /// Who could be found, before and after.
    pub(crate) risk: Option<(SearchSpec, RiskResult)>,
    /// Who stands out, record by record.
    pub(crate) records: Option<Arc<RecordTable>>,
    /// What attacks on a release came to.
    pub(crate) attacked: Option<AttackResult>,
    /// What the release is still good for.
    pub(crate) usefulness: Option<UtilityResult>,
    /// What was written.
    pub(crate) written: Option<WrittenRelease>,
    /// What approvers file about it.
    pub(crate) formed: Option<ReleaseForms>,
    /// How it stands on record.
    pub(crate) recorded: Option<RecordSummary>,
    /// What a saved recoding does to new rows.
    pub(crate) again: Option<AppliedRecoding>,
    /// What went wrong last, until something else happens.
    pub(crate) error: Option<ErrorReport>,
    work: Option<RunningTask>,
    /// Work that is done beside: each kind at most once, the newest only.
    aside: Vec<(&'static str, CancelToken)>,
    looking: Option<CancelToken>,
    /// Whether the spec must be looked at as soon as the present work is over.
    look_wanted: bool,
    tickets: Vec<DownloadTicket>,
    #[cfg(feature = "server")]
    visits: visits::Visits,
    #[cfg_attr(not(feature = "server"), allow(dead_code, reason = "a tab is closed, not ended"))]
    quit: bool,
}

/// The steps of the question that somebody has looked at.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LookedAt {
    pub(crate) columns: bool,
    pub(crate) goals: bool,
}

/// Work that goes on.
#[derive(Debug, Clone)]
pub(crate) struct RunningTask {
    pub(crate) kind: &'static str,
    cancel: CancelToken,
    pub(crate) progress: TaskProgress,
}

/// What a tab hears.
pub(crate) struct SessionEvent {
    /// Changes whenever there is something new.
    #[cfg_attr(not(feature = "server"), allow(dead_code, reason = "for several tabs"))]
    pub(crate) mark: (u64, u64),
    pub(crate) news: SessionNews,
}

/// A line of what a tab hears; an empty object says no more than that the server is there.
#[derive(Debug, serde::Serialize)]
pub(crate) struct SessionNews {
    version: u64,
    work: Option<WorkState>,
}

impl Session {
    pub(crate) fn new(root: RootFolder, runner: TaskRunner) -> Arc<Self> {
        let state = Mutex::new(SessionState::default());
        let (saving, editing) = (Mutex::new(()), Mutex::new(()));
        Arc::new(Session { root, state, runner, saving, editing })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and lets all tabs know.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut SessionState) -> T) -> T {
        let mut state = self.state();
        state.version += 1;
        change(&mut state)
    }

    pub(crate) fn quit(&self) {
        let mut state = self.state();
        state.quit = true;
        state.cancel_all();
    }

    pub(crate) fn pulse(&self) -> SessionEvent {
        let state = self.state();
        let progress = state.work.as_ref().map(|work| work.progress.told(work.kind));
        let serial = state.work.as_ref().map_or(0, |work| work.progress.serial());
        let news = SessionNews { version: state.version, work: progress };
        SessionEvent { mark: (state.version, serial), news }
    }

    /// The work that goes on.
    pub(crate) fn work(&self) -> Option<RunningTask> {
        self.state().work.clone()
    }

    /// Ends the work that goes on; a search keeps what it has found.
    pub(crate) fn stop(&self) -> bool {
        match &self.state().work {
            None => false,
            Some(work) => {
                work.cancel.cancel();
                true
            }
        }
    }

    /// Begins work on a thread of its own, one at a time. What it returns changes the state; an error is shown.
    pub(crate) fn begin<T: Send + 'static>(
        self: &Arc<Self>,
        kind: &'static str,
        work: impl FnOnce(&Arc<Session>, &Control, &TaskProgress) -> Result<T> + Send + 'static,
        then: impl FnOnce(&mut SessionState, T) + Send + 'static,
    ) -> Result<()> {
        let (cancel, progress) = (CancelToken::new(), TaskProgress::new());
        {
            let mut state = self.state();
            if let Some(work) = &state.work {
                return Err(Error::new(format!("{} is still running", said(work.kind)))
                    .help("wait for it, or stop it"));
            }
            state.version += 1;
            state.error = None;
            let (cancel, progress) = (cancel.clone(), progress.clone());
            state.work = Some(RunningTask { kind, cancel, progress });
        }
        let session = self.clone();
        let control = progress.listen(&self.runner.control(&cancel));
        let run = move || {
            let run = || session.runner.install(|| work(&session, &control, &progress));
            // A fault in one computation must not leave the session at work for ever.
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))
                .unwrap_or_else(|_| Err(Error::new("fault of incrowd: the work ended early")));
            let look = session.change(|state| {
                state.work = None;
                state.show_so_far(None);
                match done {
                    Ok(done) => then(state, done),
                    Err(error) if error.is_interrupted() => {}
                    Err(error) => state.error = Some(error.report()),
                }
                std::mem::take(&mut state.look_wanted)
            });
            if look {
                session.look_again();
            }
        };
        self.runner.start(kind, run).inspect_err(|_| self.change(|state| state.work = None))
    }

    /// Begins work that nothing else waits for, such as looking for risks. The same kind that goes on is given up.
    pub(crate) fn begin_aside<T: Send + 'static>(
        self: &Arc<Self>,
        kind: &'static str,
        work: impl FnOnce(&Arc<Session>, &Control) -> Result<T> + Send + 'static,
        then: impl FnOnce(&mut SessionState, T) + Send + 'static,
    ) -> Result<()> {
        let cancel = CancelToken::new();
        self.change(|state| {
            state.error = None;
            state.give_up(kind);
            state.aside.push((kind, cancel.clone()));
        });
        let session = self.clone();
        let run = move || {
            let control = session.runner.control(&cancel);
            let run = std::panic::AssertUnwindSafe(|| work(&session, &control));
            let done = std::panic::catch_unwind(run)
                .unwrap_or_else(|_| Err(Error::new("fault of incrowd: the work ended early")));
            if cancel.is_cancelled() {
                return;
            }
            session.change(|state| {
                state.aside.retain(|(known, _)| *known != kind);
                match done {
                    Ok(done) => then(state, done),
                    Err(error) => state.error = Some(error.report()),
                }
            });
        };
        self.runner.start(kind, run).inspect_err(|_| self.change(|state| state.give_up(kind)))
    }

    /// The present spec, checked, with the place that relative paths start from.
    pub(crate) fn file(&self) -> Result<(SpecFile, Arc<OpenTable>)> {
        let (spec, opened) = self.spec()?;
        Ok((self.checked(spec, &opened)?, opened))
    }

    fn spec(&self) -> Result<(Spec, Arc<OpenTable>)> {
        let state = self.state();
        let nothing = || Error::new("no table is open").help("open one first");
        let opened = state.opened.clone().ok_or_else(nothing)?;
        let spec = state.history.as_ref().ok_or_else(nothing)?.spec().clone();
        Ok((spec, opened))
    }

    fn checked(&self, spec: Spec, opened: &OpenTable) -> Result<SpecFile> {
        let file = SpecFile::from_spec(spec, &opened.spec_path()).map_err(without_lines)?;
        self.check_paths(&file, opened)?;
        Ok(file)
    }

    /// What a spec reads lies below the root, or is one of the files that were made up.
    pub(crate) fn check_paths(&self, file: &SpecFile, opened: &OpenTable) -> Result<()> {
        let made_up = opened.made_up.as_ref().map(|it| RootFolder::new(it.folder())).transpose()?;
        let spec = &file.spec;
        let hierarchies = spec.columns.iter().filter_map(|column| match &column.hierarchy {
            Some(incrowd_run::spec::hierarchies::Hierarchy::File(path)) => Some(path),
            _ => None,
        });
        let read = hierarchies.chain([&spec.data.input]).chain(&spec.data.population);
        for path in read.chain(&spec.data.earlier) {
            let path = file.resolve(path);
            let path = path.to_string_lossy();
            if made_up.as_ref().is_none_or(|folder| folder.existing(&path).is_err()) {
                self.root.existing(&path)?;
            }
        }
        // A key that is not there yet is made.
        for key in spec.release.key_file.iter().chain(&spec.release.seed_file) {
            let key = file.resolve(key);
            if made_up.as_ref().is_none_or(|folder| folder.target(&key).is_err()) {
                self.root.target(&key)?;
            }
        }
        Ok(())
    }

    /// The present spec with a change.
    pub(crate) fn patched(&self, patch: &Value) -> Result<SpecFile> {
        let (spec, opened) = self.spec()?;
        let file = spec_patched(&spec, patch, opened.names(), &opened.spec_path())
            .map_err(without_lines)?;
        self.check_paths(&file, &opened)?;
        Ok(file)
    }

    /// Changes the spec by a patch; what was asked before can be had back.
    pub(crate) fn patch(self: &Arc<Self>, patch: &Value) -> Result<()> {
        let _alone = self.editing.lock().unwrap_or_else(PoisonError::into_inner);
        let (spec, _) = self.spec()?;
        let file = self.patched(patch)?;
        if file.spec.data.population != spec.data.population {
            check_population(&file)?;
        }
        self.turn(&spec, file.spec);
        Ok(())
    }

    /// Says anew what the columns are.
    pub(crate) fn replace_columns(self: &Arc<Self>, columns: Vec<ColumnSection>) -> Result<()> {
        let _alone = self.editing.lock().unwrap_or_else(PoisonError::into_inner);
        let (spec, opened) = self.spec()?;
        let mut changed = spec.clone();
        changed.columns = columns;
        let file = self.checked(changed, &opened)?;
        self.turn(&spec, file.spec);
        Ok(())
    }

    /// Goes from one spec to another, which can be undone.
    fn turn(self: &Arc<Self>, before: &Spec, spec: Spec) {
        if spec == *before {
            return;
        }
        self.change(|state| {
            state.error = None;
            if let Some(history) = &mut state.history {
                history.push(spec);
            }
        });
        self.look_again();
        self.recall();
    }

    /// Goes to another spec of the history, and to the release that belongs to it.
    pub(crate) fn step(self: &Arc<Self>, back: bool) {
        self.change(|state| {
            state.error = None;
            if let Some(history) = &mut state.history {
                if back { history.undo() } else { history.redo() }
            }
        });
        self.look_again();
        self.recall();
    }
}

impl SessionState {
    /// A table that was opened, in place of all that was there.
    fn take(&mut self, opened: OpenTable, history: SpecHistory, project: Project) {
        self.close();
        // A question that was worked on before, or written down, is somebody's own.
        let own = project.is_touched(&history) || opened.spec_file.is_some();
        self.looked_at = LookedAt { columns: own, goals: own };
        self.opened = Some(Arc::new(opened));
        self.history = Some(history);
        self.project = Some(project);
        self.look_wanted = true;
    }

    /// Nothing is open any more.
    fn close(&mut self) {
        for kind in self.asides() {
            self.give_up(kind);
        }
        (self.opened, self.history, self.project) = (None, None, None);
        self.look = SpecAnalysis::default();
        self.looked_at = LookedAt::default();
        (self.found, self.so_far) = (None, None);
        (self.alternatives, self.risk) = (None, None);
        (self.usefulness, self.written, self.attacked) = (None, None, None);
        (self.formed, self.recorded, self.records) = (None, None, None);
    }

    /// What goes on beside.
    pub(crate) fn asides(&self) -> Vec<&'static str> {
        self.aside.iter().map(|(kind, _)| *kind).collect()
    }

    fn give_up(&mut self, kind: &str) {
        self.aside.iter().filter(|(known, _)| *known == kind).for_each(|(_, it)| it.cancel());
        self.aside.retain(|(known, _)| *known != kind);
    }

    fn cancel_all(&mut self) {
        self.aside.iter().for_each(|(_, cancel)| cancel.cancel());
        if let Some(work) = &self.work {
            work.cancel.cancel();
        }
        if let Some(looking) = &self.looking {
            looking.cancel();
        }
    }

    /// The work that goes on.
    pub(crate) fn work(&self) -> Option<&RunningTask> {
        self.work.as_ref()
    }

    /// The release that pages show: the best so far of a search that goes on, if somebody asked for it.
    pub(crate) fn shown(&self) -> Option<&Arc<FoundRelease>> {
        self.so_far.as_ref().or(self.found.as_ref())
    }

    /// Shows the best so far of the search that goes on, or what was there before.
    pub(crate) fn show_so_far(&mut self, found: Option<Arc<FoundRelease>>) {
        if found.is_some() || self.so_far.is_some() {
            self.forget_derived();
        }
        self.so_far = found;
    }

    /// Takes up the end of a search.
    pub(crate) fn take_found(&mut self, found: Arc<FoundRelease>) {
        // What was worked out is of another release, even of the same question.
        if self.found.as_ref().is_some_and(|before| before.question == found.question) {
            self.forget_derived();
        }
        self.found = Some(found);
    }

    /// Forgets what was worked out beside from the release that is shown.
    fn forget_derived(&mut self) {
        ["risk", "use", "attack"].into_iter().for_each(|kind| self.give_up(kind));
        (self.risk, self.usefulness) = (None, None);
        // What was found out about a file of another tool stays.
        self.attacked.take_if(|attacked| attacked.question.is_some());
    }

    /// The release that answers the present question, if there is one.
    pub(crate) fn current_release(&self) -> Option<&Arc<FoundRelease>> {
        let question = self.question()?;
        let made = self.shown().filter(|kept| kept.found.release().is_some());
        made.filter(|kept| kept.question == question)
    }

    /// The question that the present spec puts.
    pub(crate) fn question(&self) -> Option<SearchSpec> {
        Some(SearchSpec::of(self.history.as_ref()?.spec()))
    }
}

fn said(kind: &str) -> &'static str {
    match kind {
        "open" => "the reading of a table",
        "restore" => "the reading of a release",
        "search" => "a search",
        "compare" => "a comparison",
        "finish" => "the writing of a release",
        "record" => "the writing of a record",
        _ => "a computation",
    }
}

/// Refuses a population that does not have the quasi-identifiers, before it takes the place of another.
fn check_population(file: &SpecFile) -> Result<()> {
    let Some(path) = &file.spec.data.population else { return Ok(()) };
    let people = Source::open(&Input::from(file.resolve(path)), &ReadOptions::default())?;
    let quasi = file.spec.columns_with(Role::Quasi).map(|column| column.name.as_str());
    let lacking: Vec<&str> =
        quasi.filter(|name| !people.columns().iter().any(|it| it == name)).collect();
    match lacking.is_empty() {
        true => Ok(()),
        false => Err(Error::new(format!(
            "{} lacks the quasi-identifiers {}",
            people.file_name(),
            lacking.join(", ")
        ))
        .help("a population has the same columns as the table; it stays as it was")),
    }
}
