//! Files below the folder named at launch, and no others.

use std::path::{Component, Path, PathBuf};

use incrowd_run::{Error, Result};
use serde::Serialize;

/// How the names of projects end.
pub(crate) const ENDING: &str = ".incrowd";

/// The folder below which everything happens.
#[derive(Debug, Clone)]
pub(crate) struct RootFolder(PathBuf);

/// A file or folder that can be chosen.
#[derive(Debug, Serialize)]
pub(crate) struct FileEntry {
    /// Its name, with a `/` behind a folder's.
    name: String,
    /// Its path from the root.
    path: String,
    folder: bool,
    size: u64,
    /// What it probably is: table, spec, project, recoding, or nothing of interest.
    kind: &'static str,
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink())
}

fn leads_elsewhere(shown: &str) -> Error {
    Error::new(format!("{shown} is a link, and links are not followed here"))
        .help("delete the link, or choose another name")
}

/// A folder that only its owner can look into, gone as soon as it is dropped.
pub(crate) fn private_folder(parent: &Path, prefix: &str) -> std::io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    builder.tempdir_in(parent)
}

/// A spec that can be opened.
#[derive(Debug, Serialize)]
pub(crate) struct RecentSpec {
    /// Its path from the root.
    path: String,
    /// The table that it names.
    table: String,
    k: u64,
    /// How long ago it was changed.
    seconds: u64,
}

/// Specs and projects are looked for so deep, ...
const DEEPEST: u32 = 3;

/// ... and among so many files.
const MOST_LOOKED_AT: usize = 5_000;

const TABLES: [&str; 13] = [
    ".csv", ".csv.gz", ".csv.zst", ".tsv", ".txt", ".parquet", ".xlsx", ".xls", ".ods", ".sav",
    ".dta", ".xpt", ".zsav",
];

impl RootFolder {
    pub(crate) fn new(folder: &Path) -> Result<Self> {
        let folder = folder.canonicalize().map_err(|e| Error::file("open", folder, &e))?;
        Ok(RootFolder(folder))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// How a file is called from here.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.0).unwrap_or(path).display().to_string()
    }

    /// An existing file or folder, wherever links lead, if it lies below the root.
    pub(crate) fn existing(&self, path: &str) -> Result<PathBuf> {
        let path = self.joined(path)?;
        let real = path.canonicalize().map_err(|e| {
            let what = format!("there is no file {}", self.shown(&path));
            match e.kind() {
                std::io::ErrorKind::NotFound => {
                    Error::new(what).help("check the name; Tab completes it")
                }
                _ => Error::file("open", &path, &e),
            }
        })?;
        self.inside(real)
    }

    /// A file that may not exist yet, in a folder that does.
    pub(crate) fn target(&self, path: &Path) -> Result<PathBuf> {
        let path = if path.is_absolute() { path.to_owned() } else { self.0.join(path) };
        let named = path.file_name().filter(|name| !name.to_string_lossy().contains('\0'));
        let (Some(folder), Some(name)) = (path.parent(), named) else {
            return Err(Error::new("this is not a file name"));
        };
        let folder = folder.canonicalize().map_err(|e| Error::file("write to", folder, &e))?;
        let target = self.inside(folder.join(name))?;
        // A link at the end leads elsewhere when it is written to.
        match target.canonicalize() {
            Ok(real) => self.inside(real),
            Err(_) if is_link(&target) => Err(leads_elsewhere(&self.shown(&target))),
            Err(_) => Ok(target),
        }
    }

    /// A file that the program has named by itself, to be read or written: it must lie where its name says.
    pub(crate) fn own(&self, path: &Path) -> Result<PathBuf> {
        if is_link(path) {
            return Err(leads_elsewhere(&self.shown(path)));
        }
        self.target(path)
    }

    fn joined(&self, path: &str) -> Result<PathBuf> {
        if path.contains('\0') {
            return Err(Error::new("this is not a file name"));
        }
        Ok(self.0.join(path.trim()))
    }

    fn inside(&self, path: PathBuf) -> Result<PathBuf> {
        let escapes = path.components().any(|part| part == Component::ParentDir);
        if path.starts_with(&self.0) && !escapes {
            return Ok(path);
        }
        Err(Error::new(format!("the file is outside the folder {}", self.0.display())).help(
            "only files below that folder can be opened: start `incrowd serve` with another one",
        ))
    }

    /// The specs below the root, the one changed last first; at most so many.
    pub(crate) fn specs(&self, most: usize) -> Vec<RecentSpec> {
        let mut found: Vec<RecentSpec> =
            self.files_ending(".toml").iter().filter_map(|path| self.recent(path)).collect();
        found.sort_by(|a, b| a.seconds.cmp(&b.seconds).then(a.path.cmp(&b.path)));
        found.truncate(most);
        found
    }

    /// The files below the root whose names end so. Not all folders are looked into where there are very many.
    pub(crate) fn files_ending(&self, end: &str) -> Vec<PathBuf> {
        let mut folders = vec![(self.0.clone(), 0)];
        let (mut found, mut looked_at) = (Vec::new(), 0);
        while let Some((folder, depth)) = folders.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.filter_map(std::result::Result::ok) {
                looked_at += 1;
                let Ok(name) = entry.file_name().into_string() else { continue };
                // What a link leads to may lie elsewhere.
                let Ok(kind) = entry.file_type() else { continue };
                if name.starts_with('.') || looked_at > MOST_LOOKED_AT {
                    continue;
                }
                if kind.is_dir() && depth < DEEPEST {
                    folders.push((entry.path(), depth + 1));
                } else if kind.is_file() && name.to_lowercase().ends_with(end) {
                    found.push(entry.path());
                }
            }
        }
        found
    }

    /// A spec, if that is one: other programs have files with this ending, too.
    fn recent(&self, path: &Path) -> Option<RecentSpec> {
        let spec = incrowd_run::SpecFile::read(path).ok()?.spec;
        let changed = std::fs::metadata(path).and_then(|about| about.modified()).ok()?;
        Some(RecentSpec {
            path: self.shown(path),
            table: spec.data.input.display().to_string(),
            k: spec.privacy.k,
            seconds: changed.elapsed().map_or(0, |since| since.as_secs()),
        })
    }

    /// The files and folders whose path begins like this, folders first; at most so many.
    pub(crate) fn beginning(&self, typed: &str, most: usize) -> Vec<FileEntry> {
        let (folder, start) = match typed.rsplit_once('/') {
            Some((folder, start)) => (format!("{folder}/"), start.to_lowercase()),
            None => (String::new(), typed.to_lowercase()),
        };
        let Ok(place) = self.existing(if folder.is_empty() { "." } else { &folder }) else {
            return Vec::new();
        };
        let Ok(entries) = std::fs::read_dir(&place) else { return Vec::new() };
        let mut found: Vec<FileEntry> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let name = entry.file_name().into_string().ok()?;
                let hidden = name.starts_with('.') && !start.starts_with('.');
                if hidden || !name.to_lowercase().starts_with(&start) {
                    return None;
                }
                let about = std::fs::metadata(entry.path()).ok()?;
                let path = format!("{folder}{name}");
                let kind = if about.is_dir() { "folder" } else { kind(&name) };
                let name = if about.is_dir() { format!("{name}/") } else { name };
                Some(FileEntry { name, path, folder: about.is_dir(), size: about.len(), kind })
            })
            .filter(|entry| entry.folder || !entry.kind.is_empty())
            .collect();
        found.sort_by(|a, b| b.folder.cmp(&a.folder).then(a.name.cmp(&b.name)));
        found.truncate(most);
        found
    }
}

fn kind(name: &str) -> &'static str {
    let name = name.to_lowercase();
    if TABLES.iter().any(|end| name.ends_with(end)) {
        "table"
    } else if name.ends_with(".toml") {
        "spec"
    } else if name.ends_with(ENDING) {
        "project"
    } else if name.ends_with(".json") {
        "recoding"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn nothing_outside_the_folder_is_reached() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("in");
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        std::fs::write(outer.path().join("secret.csv"), "a\n1\n").unwrap();
        std::fs::write(folder.join("t.csv"), "a\n1\n").unwrap();
        std::fs::write(folder.join("sub/u.parquet"), "").unwrap();
        std::fs::write(folder.join("notes.doc"), "").unwrap();
        let root = RootFolder::new(&folder).unwrap();
        assert!(root.existing("t.csv").is_ok() && root.existing("sub/../t.csv").is_ok());
        assert!(root.existing(folder.join("t.csv").to_str().unwrap()).is_ok());
        for outside in ["../secret.csv", "/etc/passwd", "sub/../../secret.csv", "..", "a\0b"] {
            assert!(root.existing(outside).is_err(), "{outside}");
            assert!(root.target(Path::new(outside)).is_err(), "{outside}");
        }
        let missing = root.existing("no.csv").unwrap_err();
        assert!(missing.message.contains("no file no.csv"), "{missing}");
        assert!(root.target(Path::new("new.csv")).is_ok());
        assert!(root.target(Path::new("nowhere/new.csv")).is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outer.path().join("secret.csv"), folder.join("link.csv"))
                .unwrap();
            assert!(root.existing("link.csv").is_err());
            assert!(root.target(Path::new("link.csv")).is_err());
            std::fs::remove_file(folder.join("link.csv")).unwrap();
        }
        let names = |typed: &str| -> Vec<String> {
            root.beginning(typed, 10).into_iter().map(|entry| entry.path).collect()
        };
        assert_eq!(names(""), ["sub", "t.csv"]);
        assert_eq!(names("sub/"), ["sub/u.parquet"]);
        assert_eq!(names("T"), ["t.csv"]);
        assert!(names("../").is_empty());
        std::fs::write(folder.join("Cargo.toml"), "[package]\n").unwrap();
        std::fs::write(
            folder.join("sub/s.toml"),
            "[data]\ninput = \"t.csv\"\n[columns]\na.role = \"quasi\"\n[privacy]\nk = 3\n",
        )
        .unwrap();
        let specs: Vec<(String, u64)> =
            root.specs(5).into_iter().map(|it| (it.path, it.k)).collect();
        assert_eq!(specs, [("sub/s.toml".to_owned(), 3)]);
    }
}
