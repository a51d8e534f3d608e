//! The project of the session: saved as it goes, opened again, with the releases that were found.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use incrowd_engine::Control;
use incrowd_run::{
    Error, Job, LocalTable, Result, RunPlan, SavedSearch, Spec, open_input, reading_of,
};

use super::{FoundRelease, Session, SessionState};
use crate::project::{ENDING, Project, ProjectRelease, file_name, store};

/// How often it is looked whether there is something to save.
#[cfg(feature = "server")]
const SAVE: std::time::Duration = std::time::Duration::from_secs(1);

/// So many releases stay in memory; the others are restored when somebody asks for them.
const IN_MEMORY: usize = 6;

impl Session {
    /// Saves the project as it goes, on a thread of its own, for as long as there is a session.
    #[cfg(feature = "server")]
    pub(crate) fn save_as_it_goes(self: &Arc<Session>) -> Result<()> {
        let session = Arc::downgrade(self);
        let save = move || {
            loop {
                std::thread::sleep(SAVE);
                let Some(session) = session.upgrade() else { return };
                // What went wrong stands in the state.
                let _ = session.save();
            }
        };
        self.runner.start("save", save)
    }

    /// Saves the project if there is something to save.
    pub(crate) fn save(&self) -> Result<()> {
        let _one = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let (path, before, file, version) = {
            let state = self.state();
            let (Some(project), Some(history)) = (&state.project, &state.history) else {
                return Ok(());
            };
            let is_known = project.checked == state.version && project.fault.is_none();
            if is_known || !project.is_touched(history) {
                return Ok(());
            }
            let Some(path) = project.path.clone() else { return Ok(()) };
            (path, project.stored.clone(), project.to_file(history), state.version)
        };
        let text: Arc<str> = file.to_text()?.into();
        let done = match before.as_ref() == Some(&text) {
            true => Ok(()),
            false => store(&self.root, &path, before.as_deref(), &text),
        };
        let mut state = self.state();
        // Another one was opened, or it has another name by now.
        let project = state.project.as_mut().filter(|it| it.path.as_ref() == Some(&path));
        let Some(project) = project else { return done };
        project.checked = version;
        let fault = done.as_ref().err().map(Error::report);
        if done.is_ok() {
            project.stored = Some(text);
        }
        if project.fault != fault {
            project.fault = fault;
            state.version += 1;
        }
        done
    }

    /// Saves the project before something else takes its place. Refused if that would lose something, unless it may.
    pub(crate) fn leave(&self, discard: bool) -> Result<()> {
        if discard {
            return Ok(());
        }
        if self.state().has_no_place() {
            return Err(Error::new("work on made-up people is not kept")
                .help("open the other table all the same if nothing of it is needed"));
        }
        self.save().map_err(|error| {
            Error::new(format!("the project cannot be saved: {}", error.message))
                .help("give it another name, or open the other table all the same and lose it")
        })
    }

    /// Gives the project another name, and its file with it.
    pub(crate) fn rename_project(&self, name: &str) -> Result<()> {
        let name = name.trim();
        let called = file_name(name).ok_or_else(|| {
            Error::new("this cannot be the name of a project")
                .help("use letters, digits, spaces, and - _ . ( ) + , only")
        })?;
        let _one = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.state();
        let folder = state.opened.as_ref().map(|opened| opened.folder.clone());
        let made_up = state.opened.as_ref().is_some_and(|opened| opened.made_up.is_some());
        let (Some(project), Some(folder)) = (&mut state.project, folder) else {
            return Err(Error::new("no table is open").help("open one first"));
        };
        if project.name == name {
            return Ok(());
        }
        if !made_up {
            let path = folder.join(called);
            self.root.own(&path)?;
            if path.exists() {
                let shown = self.root.shown(&path);
                return Err(
                    Error::new(format!("{shown} already exists")).help("choose another name")
                );
            }
            // What another program has made of the old file is not ours to move.
            match (&project.path, &project.stored, &project.fault) {
                (Some(before), Some(stored), None)
                    if std::fs::read(before).is_ok_and(|there| there == stored.as_bytes()) =>
                {
                    self.root.own(before)?;
                    std::fs::rename(before, &path)
                        .map_err(|e| Error::file("rename", before, &e))?;
                }
                _ => project.stored = None,
            }
            project.path = Some(path);
        }
        project.name = name.to_owned();
        (project.is_named, project.fault) = (true, None);
        state.version += 1;
        Ok(())
    }

    /// Deletes the file of a project. The one that is open is closed: otherwise its file would come back with the next
    /// change.
    pub(crate) fn delete_project(&self, path: &Path) -> Result<()> {
        let _one = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        self.root.own(path)?;
        let mut state = self.state();
        let of_state = state.project.as_ref().and_then(|project| project.path.as_deref());
        let is_open = of_state == Some(path);
        if is_open && state.work.is_some() {
            return Err(
                Error::new("another computation is running").help("wait for it, or stop it")
            );
        }
        let is_project = path.to_string_lossy().ends_with(ENDING);
        let is_there = path.is_file();
        if !is_project || !is_there && !is_open {
            return Err(Error::new(format!("{} is no project", self.root.shown(path)))
                .help("only projects can be deleted here"));
        }
        if is_there {
            std::fs::remove_file(path).map_err(|e| Error::file("delete", path, &e))?;
        }
        if is_open {
            state.close();
        }
        state.version += 1;
        Ok(())
    }

    /// The release as it was found, from what was kept of it.
    pub(crate) fn restored(
        &self,
        release: &ProjectRelease,
        control: &Control,
    ) -> Result<FoundRelease> {
        let gone = || {
            Error::new(format!("{} is too large to be kept in the project", release.name))
                .help("search again")
        };
        let saved = SavedSearch::from_json(release.search.as_deref().ok_or_else(gone)?)?;
        let (_, opened) = self.spec()?;
        let file = self.checked(release.spec.clone(), &opened)?;
        let source = open_input(&file)?;
        let job = Job::new(&file, &source)?;
        let mut table = LocalTable::dry(&source);
        let found = saved.restored(&file, RunPlan::new(&job, &source), &mut table, control)?;
        let report = found.report(&job, &source, control)?;
        Ok(FoundRelease::new(file, job, source, found, report, Vec::new(), Vec::new()))
    }

    /// Takes up the release of the present question, if there is one in the project.
    pub(super) fn recall(self: &Arc<Self>) {
        let known = {
            let state = self.state();
            let release = state.question().and_then(|question| {
                let current = state.found.as_ref().is_some_and(|found| found.question == question);
                let project = state.project.as_ref().filter(|_| !current);
                project?.release_of(&question).cloned()
            });
            release.filter(|_| state.work.is_none())
        };
        if let Some(release) = known {
            // Without it the question is there all the same, and can be searched.
            let _ = self.begin_recall(release);
        }
    }

    /// Whether the present question is answered, or is just being.
    pub(crate) fn has_answer(&self) -> bool {
        let state = self.state();
        let question = state.question();
        state.work.is_some()
            || state.found.as_ref().map(|found| &found.question) == question.as_ref()
    }

    fn begin_recall(self: &Arc<Self>, release: ProjectRelease) -> Result<()> {
        if let Some(found) = &release.found {
            self.change(|state| state.found = Some(found.clone()));
            return Ok(());
        }
        if release.search.is_none() {
            return Ok(());
        }
        self.begin(
            "restore",
            move |session, control, progress| {
                progress.phase("look");
                Ok((release.id, Arc::new(session.restored(&release, control)?)))
            },
            |state, (id, found)| state.restore(id, found),
        )
    }

    /// Makes a release of the project the present one, with its question. Tells whether it must be searched for.
    pub(crate) fn take_release(self: &Arc<Self>, id: u64) -> Result<bool> {
        let (spec, _) = self.spec()?;
        let release = {
            let state = self.state();
            if state.work.is_some() {
                return Err(
                    Error::new("another computation is running").help("wait for it, or stop it")
                );
            }
            let project = state.project.as_ref().ok_or_else(|| Error::new("no table is open"))?;
            project.release(id)?.clone()
        };
        if !is_read_alike(&release.spec, &spec) {
            return Err(Error::new(format!(
                "{} was found in the table as it was read before",
                release.name
            ))
            .help("choose the delimiter, encoding and sheet of then on the first page"));
        }
        let is_kept = release.found.is_some() || release.search.is_some();
        let (now, opened) = (release.spec.clone(), self.spec()?.1);
        self.checked(now.clone(), &opened)?;
        self.turn(&spec, now);
        // A change of the question has recalled it already.
        let current = self.state().found.as_ref().is_some_and(|it| it.question == release.question);
        if !current && self.state().work.is_none() {
            self.begin_recall(release)?;
        }
        Ok(!is_kept)
    }
}

/// Whether two specs read the table in the same way.
pub(super) fn is_read_alike(one: &Spec, other: &Spec) -> bool {
    let reading = |spec: &Spec| {
        let options = reading_of(spec);
        (options.delimiter, options.encoding, options.sheet, spec.data.input.clone())
    };
    reading(one) == reading(other)
}

impl SessionState {
    /// Whether there is work that no project can keep.
    pub(crate) fn has_no_place(&self) -> bool {
        let (Some(project), Some(history)) = (&self.project, &self.history) else { return false };
        project.path.is_none() && project.is_touched(history)
    }

    /// A release that was just found becomes a part of the project.
    pub(crate) fn keep(&mut self, mut release: ProjectRelease) {
        if let Some(found) = &release.found {
            self.take_found(found.clone());
        }
        let Some(project) = &mut self.project else { return };
        let alike = |it: &ProjectRelease| {
            let (one, other) = (&it.figures, &release.figures);
            it.question == release.question
                && (one.cost, one.released, one.classes, one.repeatable)
                    == (other.cost, other.released, other.classes, other.repeatable)
        };
        // The same release once more.
        match project.releases.iter().position(alike) {
            Some(at) => {
                let before = &project.releases[at];
                (release.id, release.name) = (before.id, before.name.clone());
                release.written.clone_from(&before.written);
                release.approval.clone_from(&before.approval);
                project.releases[at] = release;
            }
            None => project.releases.push(release),
        }
        self.forget_most();
    }

    /// A release of the project is in memory again.
    pub(crate) fn restore(&mut self, id: u64, found: Arc<FoundRelease>) {
        self.found = Some(found.clone());
        if let Some(Ok(release)) = self.project.as_mut().map(|project| project.release_mut(id)) {
            release.found = Some(found);
        }
        self.forget_most();
    }

    /// Gives back the memory of releases that can be restored, but for the last ones.
    fn forget_most(&mut self) {
        let Some(project) = &mut self.project else { return };
        let shown = self.found.clone();
        let is_shown = |it: &ProjectRelease| shown.as_ref().is_some_and(|shown| it.is(shown));
        let held = project.releases.iter_mut().rev();
        let held = held.filter(|it| it.found.is_some() && !is_shown(it));
        held.skip(IN_MEMORY).filter(|it| it.search.is_some()).for_each(|it| it.found = None);
    }

    /// The number of the next release.
    pub(crate) fn next_release(&self) -> u64 {
        let releases = self.project.iter().flat_map(|project: &Project| &project.releases);
        releases.map(|release| release.id).max().unwrap_or(0) + 1
    }
}
