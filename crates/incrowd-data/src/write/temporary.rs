//! Where an output is until it has its name.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{NamedTempFile, TempPath};

/// The temporary files with a name of all outputs that are neither committed nor dropped yet, and how often all were
/// given up.
static UNFINISHED: Mutex<(u64, Vec<PathBuf>)> = Mutex::new((0, Vec::new()));

/// Gives up all outputs under way: deletes their temporary files, and lets none of them be committed any more.
///
/// For the handler of an interrupt, which ends the process without dropping anything: call it,
/// then exit. Whichever comes first, a target is either complete or as it was before.
pub fn discard_unfinished() {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    unfinished.0 += 1;
    for path in unfinished.1.drain(..) {
        // Nobody is left to tell about a failure.
        let _ = fs::remove_file(path);
    }
}

/// An entry of [`UNFINISHED`], struck off when dropped.
#[derive(Debug)]
pub(super) struct UnfinishedEntry(PathBuf);

impl UnfinishedEntry {
    fn new(path: &Path) -> Self {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).1.push(path.to_owned());
        UnfinishedEntry(path.to_owned())
    }
}

impl Drop for UnfinishedEntry {
    fn drop(&mut self) {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        unfinished.1.retain(|path| *path != self.0);
    }
}

/// The bytes of an output before it has its name, readable by nobody but the owner.
#[derive(Debug)]
pub(super) struct TemporaryFile {
    body: TemporaryStorage,
    folder: PathBuf,
    /// How often outputs had been given up when it began.
    since: u64,
}

#[derive(Debug)]
enum TemporaryStorage {
    /// Without a name in any folder: whatever ends the process, even `kill -9` or a power cut, nothing is left of it.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// Where the system or the file system cannot do that.
    Named(NamedTempFile, UnfinishedEntry),
}

impl TemporaryFile {
    /// An empty file in a folder.
    pub(super) fn create(folder: &Path, suffix: &str) -> io::Result<Self> {
        let since = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).0;
        let body = match TemporaryStorage::unnamed(folder) {
            Some(body) => body,
            None => {
                let file = hidden(suffix).tempfile_in(folder)?;
                let listed = UnfinishedEntry::new(file.path());
                TemporaryStorage::Named(file, listed)
            }
        };
        Ok(TemporaryFile { body, folder: folder.to_owned(), since })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where tests find its bytes.
    #[cfg(test)]
    pub(super) fn path(&self) -> PathBuf {
        match &self.body {
            #[cfg(target_os = "linux")]
            TemporaryStorage::Unnamed(file) => linux::path_of(file),
            TemporaryStorage::Named(file, _) => file.path().to_owned(),
        }
    }

    pub(super) fn file(&self) -> &File {
        match &self.body {
            #[cfg(target_os = "linux")]
            TemporaryStorage::Unnamed(file) => file,
            TemporaryStorage::Named(file, _) => file.as_file(),
        }
    }

    pub(super) fn file_mut(&mut self) -> &mut File {
        match &mut self.body {
            #[cfg(target_os = "linux")]
            TemporaryStorage::Unnamed(file) => file,
            TemporaryStorage::Named(file, _) => file.as_file_mut(),
        }
    }

    /// A second handle with a position of its own, at the start.
    pub(super) fn reopen(&self) -> io::Result<File> {
        match &self.body {
            #[cfg(target_os = "linux")]
            TemporaryStorage::Unnamed(file) => File::open(linux::path_of(file)),
            TemporaryStorage::Named(file, _) => file.reopen(),
        }
    }

    /// Whether all outputs have been given up since it began.
    pub(super) fn is_given_up(&self) -> bool {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).0 != self.since
    }

    /// Gives it its name, in the place of whatever has that name.
    pub(super) fn persist(self, target: &Path) -> io::Result<()> {
        match self.body {
            #[cfg(target_os = "linux")]
            TemporaryStorage::Unnamed(file) => match linux::link(&file, target) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    // A link replaces nothing, a rename does.
                    let linked =
                        hidden("").make_in(&self.folder, |path| linux::link(&file, path))?;
                    let listed = UnfinishedEntry::new(linked.path());
                    let renamed = linked.persist(target).map(|_| ()).map_err(|e| e.error);
                    drop(listed);
                    renamed
                }
                other => other,
            },
            TemporaryStorage::Named(file, _listed) => {
                file.persist(target).map(|_| ()).map_err(|e| e.error)
            }
        }
    }
}

impl TemporaryStorage {
    #[cfg(target_os = "linux")]
    fn unnamed(folder: &Path) -> Option<Self> {
        linux::unnamed(folder).map(TemporaryStorage::Unnamed)
    }

    #[cfg(not(target_os = "linux"))]
    fn unnamed(_: &Path) -> Option<Self> {
        None
    }
}

fn hidden(suffix: &str) -> tempfile::Builder<'_, '_> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".incrowd-").suffix(suffix);
    builder
}

/// A second name for a file that is about to be replaced, so that it can be put back; none where file systems have no such
/// names.
pub(super) fn keep(path: &Path) -> Option<(TempPath, UnfinishedEntry)> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let kept = hidden("").make_in(folder, |other| fs::hard_link(path, other)).ok()?;
    let listed = UnfinishedEntry::new(kept.path());
    Some((kept.into_temp_path(), listed))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

    /// A file that has no name yet.
    pub(super) fn unnamed(folder: &Path) -> Option<File> {
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        let file: File = openat(CWD, folder, flags, Mode::RUSR | Mode::WUSR).ok()?.into();
        // Without /proc it could never get one.
        path_of(&file).exists().then_some(file)
    }

    pub(super) fn path_of(file: &File) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }

    pub(super) fn link(file: &File, target: &Path) -> io::Result<()> {
        Ok(linkat(CWD, path_of(file), CWD, target, AtFlags::SYMLINK_FOLLOW)?)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

    use std::io::Write;

    use super::*;

    /// Nothing is to be seen of an output under way, whatever ends the process.
    #[cfg(target_os = "linux")]
    #[test]
    fn nothing_has_a_name_before_it_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let mut output = TemporaryFile::create(folder.path(), ".csv").unwrap();
        output.file_mut().write_all(b"half of it").unwrap();
        if matches!(output.body, TemporaryStorage::Unnamed(_)) {
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let (new, old) = (folder.path().join("new"), folder.path().join("old"));
        fs::write(&old, "old").unwrap();
        output.persist(&new).unwrap();
        assert_eq!(fs::read(&new).unwrap(), b"half of it");
        let mut output = TemporaryFile::create(folder.path(), ".csv").unwrap();
        output.file_mut().write_all(b"over it").unwrap();
        output.persist(&old).unwrap();
        assert_eq!(fs::read(&old).unwrap(), b"over it");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_is_kept_can_be_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old");
        fs::write(&path, "old").unwrap();
        let (kept, _listed) = keep(&path).unwrap();
        TemporaryFile::create(folder.path(), "").unwrap().persist(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        kept.persist(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
