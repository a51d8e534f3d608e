//! The file of a project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use incrowd_run::{Error, Result};
use serde::{Deserialize, Serialize};

use super::approval::ApprovalRules;
use super::releases::ReleaseRecord;
use crate::paths::{ENDING, RootFolder};

/// The version of the format that this program writes and reads.
pub(super) const FORMAT: u32 = 1;

/// Specs of the history are kept up to so many bytes: groups of many values by hand make them large.
pub(super) const MOST_BYTES: usize = 4 << 20;

/// A file above this size is no project of ours.
const LARGEST: u64 = 512 << 20;

/// A project on disk. It holds values of the table, so only its owner may read it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectFile {
    #[serde(rename = "incrowd-project")]
    pub(super) format: u32,
    pub(crate) name: String,
    /// The table, from the folder of the project.
    pub(crate) table: String,
    #[serde(default)]
    pub(crate) spec_file: Option<PathBuf>,
    /// The specs in their order, as their files would have them, and which is the present one.
    pub(crate) specs: Vec<String>,
    pub(crate) at: usize,
    #[serde(default)]
    pub(crate) notes: String,
    #[serde(default)]
    pub(crate) rules: ApprovalRules,
    #[serde(default)]
    pub(crate) releases: Vec<ReleaseRecord>,
}

/// A project that can be opened.
#[derive(Debug, Serialize)]
pub(crate) struct ProjectEntry {
    /// Its path from the root.
    pub(crate) path: String,
    pub(crate) name: String,
    /// The table that it is about.
    pub(crate) table: String,
    pub(crate) releases: usize,
    /// How long ago it was changed.
    pub(crate) seconds: u64,
    /// Why it cannot be opened.
    pub(crate) fault: Option<String>,
}

impl ProjectFile {
    /// Reads a project, with the text that it was read as.
    pub(crate) fn read(path: &Path) -> Result<(Self, Arc<str>)> {
        let about = std::fs::metadata(path).map_err(|e| Error::file("open", path, &e))?;
        if !about.is_file() || about.len() > LARGEST {
            return Err(damaged(path, "it is no plain file, or too large"));
        }
        let text = std::fs::read_to_string(path).map_err(|e| Error::file("read", path, &e))?;
        #[derive(Deserialize)]
        struct FormatVersion {
            #[serde(rename = "incrowd-project")]
            format: u32,
        }
        let of_json = |e: serde_json::Error| damaged(path, &e.to_string());
        let FormatVersion { format } = serde_json::from_str(&text).map_err(of_json)?;
        if format != FORMAT {
            return Err(damaged(path, &format!("its format is {format}, and {FORMAT} is known")));
        }
        let file = serde_json::from_str(&text).map_err(of_json)?;
        Ok((file, text.into()))
    }

    pub(crate) fn to_text(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| Error::new(format!("the project cannot be kept: {e}")))?;
        Ok(text + "\n")
    }

    /// The project of that file for a list.
    pub(crate) fn entry(root: &RootFolder, path: &Path) -> Option<ProjectEntry> {
        let changed = std::fs::metadata(path).and_then(|about| about.modified()).ok()?;
        let seconds = changed.elapsed().map_or(0, |since| since.as_secs());
        let entry = |name, table, releases, fault| ProjectEntry {
            path: root.shown(path),
            name,
            table,
            releases,
            seconds,
            fault,
        };
        Some(match Self::read(path) {
            Ok((file, _)) => entry(file.name, file.table, file.releases.len(), None),
            Err(error) => {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                entry(name, String::new(), 0, Some(error.message))
            }
        })
    }

    /// The project in a folder that was changed last and is about that table or that spec file.
    pub(crate) fn find(
        folder: &Path,
        table: &Path,
        spec_file: Option<&Path>,
    ) -> Result<Option<PathBuf>> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Ok(None) };
        let mut found = Vec::new();
        for entry in entries.filter_map(std::result::Result::ok) {
            let path = entry.path();
            // What a link leads to may lie elsewhere.
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if !is_file || !path.to_string_lossy().ends_with(ENDING) {
                continue;
            }
            let usual = spec_file.unwrap_or(table).file_name().unwrap_or_default();
            let is_usual = path.file_stem() == Some(usual);
            let read = match Self::read(&path) {
                Ok((read, _)) => read,
                // Rather a question than a project that is begun anew beside one that somebody has worked on.
                Err(error) if is_usual => return Err(error),
                Err(_) => continue,
            };
            let about = match spec_file {
                Some(file) => read.spec_file.as_deref() == file.file_name().map(Path::new),
                None => read.spec_file.is_none() && folder.join(&read.table) == table,
            };
            if about {
                let changed = entry.metadata().and_then(|about| about.modified()).ok();
                found.push((changed, path));
            }
        }
        found.sort();
        Ok(found.pop().map(|(_, path)| path))
    }
}

pub(super) fn damaged(path: &Path, why: &str) -> Error {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Error::new(format!("the project {name} cannot be read: {why}"))
        .help("move that file away to begin a new project with the table")
}
