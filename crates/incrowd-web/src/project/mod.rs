//! A project: the question with its history, the releases that were found and notes, in one file beside the table.

mod approval;
mod file;
mod releases;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use incrowd_run::data::{ErrorReport, OutputFile};
use incrowd_run::spec::{SpecFile, write_spec};
use incrowd_run::{Error, Result, Spec};

pub(crate) use crate::paths::ENDING;
use crate::paths::RootFolder;
use crate::results::{SearchSpec, SpecHistory};
pub(crate) use approval::{
    ApprovalItem, ApprovalRules, ApprovalTick, ReleaseApproval, ReviewComment, ReviewDecision,
    today,
};
pub(crate) use file::{ProjectEntry, ProjectFile};
pub(crate) use releases::{ProjectRelease, ReleaseFigures, file_name};

/// What is kept of the work on a table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Project {
    /// Its file; none for made-up people, who are not kept.
    pub(crate) path: Option<PathBuf>,
    /// The spec file that was opened, if one was.
    pub(crate) spec_file: Option<PathBuf>,
    pub(crate) name: String,
    pub(crate) notes: String,
    /// What is to be done before a release is written.
    pub(crate) rules: ApprovalRules,
    /// The releases, the oldest first.
    pub(crate) releases: Vec<ProjectRelease>,
    /// What the file holds as far as this program has read or written it; none if there is no file yet.
    pub(crate) stored: Option<Arc<str>>,
    /// The version of the session that the file was last compared with.
    pub(crate) checked: u64,
    /// Why the project cannot be kept.
    pub(crate) fault: Option<ErrorReport>,
    /// Whether it was named by somebody.
    pub(crate) is_named: bool,
}

impl Project {
    /// The project of a table or spec that has none yet. Its file appears with the first change.
    pub(crate) fn new(folder: &Path, name: &str, spec_file: Option<PathBuf>) -> Self {
        let free = |number: u32| {
            let name = if number == 1 { name.to_owned() } else { format!("{name} {number}") };
            let path = folder.join(format!("{name}{ENDING}"));
            (!path.exists() && !path.is_symlink()).then_some((name, path))
        };
        let found = (1..10_000).find_map(free);
        let (name, path) = found.map_or((name.to_owned(), None), |(name, path)| (name, Some(path)));
        Project { path, name, spec_file, ..Project::default() }
    }

    /// Whether there is anything to keep.
    pub(crate) fn is_touched(&self, history: &SpecHistory) -> bool {
        self.stored.is_some()
            || self.is_named
            || history.can_undo()
            || history.can_redo()
            || !self.notes.is_empty()
            || self.rules != ApprovalRules::default()
            || !self.releases.is_empty()
    }

    /// The release that answers a question, the last one found first.
    pub(crate) fn release_of(&self, question: &SearchSpec) -> Option<&ProjectRelease> {
        self.releases.iter().rev().find(|release| release.question == *question)
    }

    pub(crate) fn release(&self, id: u64) -> Result<&ProjectRelease> {
        let known = self.releases.iter().find(|release| release.id == id);
        known.ok_or_else(|| Error::new("there is no such release in the project"))
    }

    pub(crate) fn release_mut(&mut self, id: u64) -> Result<&mut ProjectRelease> {
        let known = self.releases.iter_mut().find(|release| release.id == id);
        known.ok_or_else(|| Error::new("there is no such release in the project"))
    }

    /// Everything as the file has it.
    pub(crate) fn to_file(&self, history: &SpecHistory) -> ProjectFile {
        let (specs, at) = history.recent(file::MOST_BYTES);
        ProjectFile {
            format: file::FORMAT,
            name: self.name.clone(),
            table: history.spec().data.input.display().to_string(),
            spec_file: self.spec_file.as_deref().and_then(Path::file_name).map(PathBuf::from),
            specs,
            at,
            notes: self.notes.clone(),
            rules: self.rules.clone(),
            releases: self.releases.iter().map(ProjectRelease::to_record).collect(),
        }
    }

    /// A project that was read, with its history.
    pub(crate) fn of_file(
        read: ProjectFile,
        path: &Path,
        text: Arc<str>,
    ) -> Result<(Self, SpecHistory)> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let spec_path = folder.join("spec.toml");
        let spec = |text: &String| -> Result<Spec> {
            Ok(SpecFile::parse(text, &spec_path).map_err(crate::results::without_lines)?.spec)
        };
        let specs = read.specs.iter().map(spec).collect::<Result<Vec<_>>>()?;
        let history = SpecHistory::of(specs, read.at)
            .ok_or_else(|| file::damaged(path, "it holds no question"))?;
        let releases: Vec<ProjectRelease> = read
            .releases
            .into_iter()
            .map(|record| ProjectRelease::of_record(record, &spec_path))
            .collect::<Result<_>>()?;
        let project = Project {
            path: Some(path.to_owned()),
            spec_file: read.spec_file.map(|name| folder.join(name)),
            name: read.name,
            notes: read.notes,
            rules: read.rules,
            releases,
            stored: Some(text),
            checked: 0,
            fault: None,
            is_named: true,
        };
        Ok((project, history))
    }
}

/// Writes a project in place of the text that it was read as. What another program has written meanwhile stays.
pub(crate) fn store(
    root: &RootFolder,
    path: &Path,
    before: Option<&str>,
    text: &str,
) -> Result<()> {
    root.own(path)?;
    match (std::fs::read(path), before) {
        (Ok(there), Some(before)) if there != before.as_bytes() => return Err(taken(root, path)),
        (Ok(_), None) => return Err(taken(root, path)),
        (Err(e), _) if e.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::file("read", path, &e));
        }
        // A file that was deleted meanwhile is written anew: nothing is lost.
        _ => {}
    }
    OutputFile::create_private(path)?.in_place()?.fill(text)
}

fn taken(root: &RootFolder, path: &Path) -> Error {
    Error::new(format!("{} was changed by another program", root.shown(path)))
        .help("give the project another name here, so that both stay")
}

/// A spec as the file of a project has it.
fn spec_text(spec: &Spec) -> String {
    write_spec(spec)
}
