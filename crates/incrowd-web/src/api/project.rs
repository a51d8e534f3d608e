//! The project: its name, its notes and its releases.

use std::sync::Arc;

use incrowd_run::{Error, Result};
use serde::{Deserialize, Serialize};

use super::approval::ApprovalSummary;
use super::{NoFields, done};
use crate::paths::RootFolder;
use crate::project::{ENDING, ProjectEntry, ProjectFile, ProjectRelease, ReleaseFigures};
use crate::session::{ErrorReport, Session, SessionState};

/// The project that is open.
#[derive(Serialize)]
pub(super) struct ProjectSummary {
    name: String,
    /// Its file from the root; none for made-up people, who are not kept.
    path: Option<String>,
    /// Whether there is a file already: it appears with the first change.
    stored: bool,
    /// Why it cannot be saved.
    fault: Option<ErrorReport>,
    /// Whether something would be lost if another table were opened now.
    at_risk: bool,
    notes: String,
    approval: ApprovalSummary,
    releases: Vec<ReleaseEntry>,
}

/// A release of the project.
#[derive(Serialize)]
struct ReleaseEntry {
    id: u64,
    name: String,
    figures: ReleaseFigures,
    /// Whether it is the one that the other pages show.
    present: bool,
    /// Whether it answers the present question.
    current: bool,
    /// Whether it can be had without another search.
    kept: bool,
    written: Vec<String>,
}

impl ProjectSummary {
    pub(super) fn of(state: &SessionState, root: &RootFolder) -> Option<Self> {
        let project = state.project.as_ref()?;
        let question = state.question();
        let entry = |release: &ProjectRelease| ReleaseEntry {
            id: release.id,
            name: release.name.clone(),
            figures: release.figures.clone(),
            present: state.shown().is_some_and(|found| release.is(found)),
            current: question.as_ref() == Some(&release.question),
            kept: release.found.is_some() || release.search.is_some(),
            written: release.written.clone(),
        };
        Some(ProjectSummary {
            name: project.name.clone(),
            path: project.path.as_deref().map(|path| root.shown(path)),
            stored: project.stored.is_some(),
            fault: project.fault.clone(),
            at_risk: project.fault.is_some() || state.has_no_place(),
            notes: project.notes.clone(),
            approval: ApprovalSummary::of(project, state),
            releases: project.releases.iter().map(entry).collect(),
        })
    }
}

/// Projects that are shown at most.
const MOST: usize = 20;

/// Projects below the folder.
#[derive(Serialize)]
pub(super) struct ProjectsAnswer {
    projects: Vec<ProjectEntry>,
}

/// Projects below the folder, the one changed last first.
pub(super) fn projects(session: &Arc<Session>, _: NoFields) -> Result<ProjectsAnswer> {
    let root = &session.root;
    let mut projects: Vec<ProjectEntry> = root
        .files_ending(ENDING)
        .iter()
        .filter_map(|path| ProjectFile::entry(root, path))
        .collect();
    projects.sort_by(|a, b| a.seconds.cmp(&b.seconds).then(a.path.cmp(&b.path)));
    projects.truncate(MOST);
    Ok(ProjectsAnswer { projects })
}

#[derive(Deserialize)]
pub(super) struct RenameRequest {
    name: String,
}

pub(super) fn rename(session: &Arc<Session>, asked: RenameRequest) -> Result<NoFields> {
    session.rename_project(&asked.name)?;
    done()
}

#[derive(Deserialize)]
pub(super) struct DeleteRequest {
    /// The project, from the root.
    path: String,
}

pub(super) fn delete(session: &Arc<Session>, asked: DeleteRequest) -> Result<NoFields> {
    let path = session.root.target(std::path::Path::new(asked.path.trim()))?;
    session.delete_project(&path)?;
    done()
}

#[derive(Deserialize)]
pub(super) struct NotesRequest {
    notes: String,
}

/// Notes may be so long.
const LONGEST_NOTES: usize = 200_000;

pub(super) fn notes(session: &Arc<Session>, asked: NotesRequest) -> Result<NoFields> {
    if asked.notes.len() > LONGEST_NOTES {
        return Err(Error::new("the notes are too long").help("keep them below 200,000 characters"));
    }
    change(session, |state| {
        let project = state.project.as_mut().ok_or_else(nothing)?;
        project.notes = asked.notes;
        Ok(())
    })
}

fn nothing() -> Error {
    Error::new("no table is open").help("open one first")
}

fn change(
    session: &Session,
    change: impl FnOnce(&mut SessionState) -> Result<()>,
) -> Result<NoFields> {
    session.change(change)?;
    done()
}

#[derive(Deserialize)]
pub(super) struct TakeRequest {
    id: u64,
}

/// Makes a release of the project the present one, with its question; what is not kept is searched for again.
pub(super) fn take(session: &Arc<Session>, asked: TakeRequest) -> Result<NoFields> {
    if session.take_release(asked.id)? {
        super::search::begin(session)?;
    }
    done()
}

#[derive(Deserialize)]
pub(super) struct NameRequest {
    id: u64,
    name: String,
}

/// Names may be so long.
const LONGEST_NAME: usize = 200;

pub(super) fn name(session: &Arc<Session>, asked: NameRequest) -> Result<NoFields> {
    let name: String = asked.name.trim().chars().take(LONGEST_NAME).collect();
    if name.is_empty() {
        return Err(Error::new("a release needs a name").help("type one"));
    }
    change(session, |state| {
        state.project.as_mut().ok_or_else(nothing)?.release_mut(asked.id)?.name = name;
        Ok(())
    })
}

#[derive(Deserialize)]
pub(super) struct DropRequest {
    id: u64,
}

/// Takes a release out of the project. Files that were written of it stay.
pub(super) fn drop(session: &Arc<Session>, asked: DropRequest) -> Result<NoFields> {
    change(session, |state| {
        let project = state.project.as_mut().ok_or_else(nothing)?;
        project.release(asked.id)?;
        project.releases.retain(|release| release.id != asked.id);
        Ok(())
    })
}
