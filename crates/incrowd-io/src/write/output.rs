//! Output that appears whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;

use crate::{Error, Result};

/// The temporary files of all outputs that are neither committed nor dropped yet.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Deletes the temporary files of all outputs under way.
///
/// For the handler of an interrupt, which ends the process without dropping anything: call it,
/// then exit. An output whose temporary file is gone can no longer be committed, so whichever
/// comes first, the target is either complete or as it was before.
pub fn discard_unfinished() {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.drain(..) {
        // Nobody is left to tell about a failure.
        let _ = fs::remove_file(path);
    }
}

/// An entry of [`UNFINISHED`], struck off when dropped.
#[derive(Debug)]
struct Listed(PathBuf);

impl Listed {
    fn new(path: &Path) -> Self {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Listed(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        unfinished.retain(|path| *path != self.0);
    }
}

/// A file that appears under its name only when [`commit`](Self::commit)ted.
///
/// Until then everything goes to a temporary file in the target's folder that only the owner may
/// read, because nothing has been verified yet. Dropping the output deletes it: an error, an
/// interrupt or a failed verification leaves no trace, and an older file of that name stays as it
/// was.
///
/// The target `-` means standard output. That, and whatever else cannot be renamed over (a pipe,
/// a device), is collected in the system's temporary folder and copied on commit.
///
/// Writes are not buffered: wrap the output where they are small.
#[derive(Debug)]
pub struct OutputFile {
    file: NamedTempFile,
    target: PathBuf,
    delivery: Delivery,
    _listed: Listed,
}

/// How a committed output reaches its target.
#[derive(Debug)]
enum Delivery {
    /// Renamed to this path (the target, or what it links to), with this mode.
    Rename(PathBuf, Permissions),
    /// Copied to standard output.
    Stdout,
    /// Copied into the pipe or device of the target's name.
    Device,
}

impl OutputFile {
    /// Starts an output that will become `target` (`-` for standard output).
    pub fn create(target: &Path) -> Result<Self> {
        let (delivery, folder) = if target == Path::new("-") {
            (Delivery::Stdout, std::env::temp_dir())
        } else {
            delivery_to(target)?
        };
        let suffix = suffix_of(target);
        let file = tempfile::Builder::new()
            .prefix(".incrowd-")
            .suffix(&suffix)
            .tempfile_in(&folder)
            .map_err(|e| folder_error(&folder, &e))?;
        let listed = Listed::new(file.path());
        Ok(OutputFile { file, target: target.to_owned(), delivery, _listed: listed })
    }

    /// The path asked for, `-` for standard output.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The temporary file, which has the target's extension: what has been written so far can be
    /// read back from here, and verified, before it is committed.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The folder of the temporary file: the right place for other temporary files of the same
    /// size.
    pub fn folder(&self) -> &Path {
        self.file.path().parent().unwrap_or(Path::new("."))
    }

    /// A second handle to what has been written so far, reading from the start.
    pub fn reopen(&self) -> Result<File> {
        self.file.reopen().map_err(|e| Error::file("read back", self.path(), &e))
    }

    /// Writes all there is to write and puts the output in its place.
    pub fn fill(mut self, content: impl AsRef<[u8]>) -> Result<()> {
        self.write_all(content.as_ref()).map_err(|e| Error::file("write", &self.target, &e))?;
        self.commit()
    }

    /// Puts the output in its place: flushed to disk, then renamed, so that the target is at any
    /// moment either the old file or the whole new one.
    pub fn commit(self) -> Result<()> {
        let OutputFile { mut file, target, delivery, _listed } = self;
        let failed = |e: &io::Error| write_error(&target, e);
        match delivery {
            Delivery::Rename(path, permissions) => {
                file.as_file().set_permissions(permissions).map_err(|e| failed(&e))?;
                file.as_file().sync_all().map_err(|e| failed(&e))?;
                file.persist(&path).map_err(|e| failed(&e.error))?;
                sync_folder(folder_of(&path));
                Ok(())
            }
            Delivery::Stdout => deliver(file.as_file_mut(), &mut io::stdout().lock()),
            Delivery::Device => OpenOptions::new()
                .write(true)
                .open(&target)
                .and_then(|mut device| deliver(file.as_file_mut(), &mut device)),
        }
        .map_err(|e| failed(&e))
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

/// The error for a failed write of an output, saying what may help.
pub(super) fn write_error(target: &Path, cause: &io::Error) -> Error {
    let error = if target == Path::new("-") {
        Error::new(format!("cannot write to standard output: {cause}"))
    } else {
        Error::file("write", target, cause)
    };
    match cause.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            error.help("make room on that disk, or write to another one")
        }
        _ => error,
    }
}

/// Copies the whole of `file` to `sink`. A reader that has seen enough is no error.
fn deliver(file: &mut File, sink: &mut impl Write) -> io::Result<()> {
    file.rewind()?;
    match io::copy(file, sink).and_then(|_| sink.flush()) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Looks at what is at `target` now, and decides how to get the output there and in which folder
/// to write it meanwhile.
fn delivery_to(target: &Path) -> Result<(Delivery, PathBuf)> {
    match fs::metadata(target) {
        Ok(found) if found.is_dir() => {
            Err(Error::new(format!("cannot write {}: it is a folder", target.display()))
                .help("give the path of a file, such as one inside that folder"))
        }
        Ok(found) if !found.is_file() => Ok((Delivery::Device, std::env::temp_dir())),
        Ok(found) if found.permissions().readonly() => {
            Err(Error::new(format!("cannot write {}: the file is read-only", target.display()))
                .help("make it writable, delete it, or choose another name"))
        }
        Ok(found) => {
            // A link stays a link: the file behind it is the one to replace.
            let path = fs::canonicalize(target).map_err(|e| write_error(target, &e))?;
            let folder = folder_of(&path).to_owned();
            Ok((Delivery::Rename(path, found.permissions()), folder))
        }
        Err(e) if e.kind() == ErrorKind::NotFound => {
            if fs::symlink_metadata(target).is_ok() {
                return Err(Error::new(format!(
                    "cannot write {}: it is a link to a file that does not exist",
                    target.display()
                ))
                .help("delete the link, or give the path of the file itself"));
            }
            if target.file_name().is_none() || ends_with_separator(target) {
                return Err(Error::new(format!("'{}' is not a file name", target.display()))
                    .help("give the path of a file, such as release.csv"));
            }
            let folder = folder_of(target).to_owned();
            let permissions = usual_permissions(&folder).map_err(|e| folder_error(&folder, &e))?;
            Ok((Delivery::Rename(target.to_owned(), permissions), folder))
        }
        Err(e) => Err(write_error(target, &e)),
    }
}

/// The permissions a file made in the plainest way gets in `folder`. The only safe way to know
/// the process's mask is to make such a file.
fn usual_permissions(folder: &Path) -> io::Result<Permissions> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".incrowd-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(Permissions::from_mode(0o666));
    }
    Ok(builder.tempfile_in(folder)?.as_file().metadata()?.permissions())
}

/// Why no file can be made in `folder`, in words.
fn folder_error(folder: &Path, cause: &io::Error) -> Error {
    let shown = folder.display();
    if !folder.exists() {
        Error::new(format!("the folder {shown} does not exist"))
            .help("create it, or write to another folder")
    } else if !folder.is_dir() {
        Error::new(format!("{shown} is not a folder")).help("write to another folder")
    } else if cause.kind() == ErrorKind::PermissionDenied {
        Error::new(format!("cannot write into the folder {shown}: permission denied"))
            .help("write to another folder; a temporary file beside the target is needed")
    } else {
        write_error(folder, cause)
    }
}

/// Whether a path can only be a folder's.
fn ends_with_separator(path: &Path) -> bool {
    path.to_string_lossy().ends_with(std::path::is_separator)
}

/// The folder a path is in, `.` for a bare name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// The last extension, or the last two as in `.csv.gz`, with the dots: enough to tell the format.
fn suffix_of(target: &Path) -> String {
    let extension = |path: &Path| path.extension().map(|e| e.to_string_lossy().into_owned());
    let last = extension(target);
    let inner = target.file_stem().and_then(|stem| extension(Path::new(stem)));
    // Long ones are not extensions, only names with dots, and could make a name too long.
    [inner, last].into_iter().flatten().filter(|e| e.len() <= 8).map(|e| format!(".{e}")).collect()
}

/// Makes a rename last through a power cut. Not every system can, and the data is safe without.
fn sync_folder(folder: &Path) {
    if cfg!(unix) {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

    use std::io::Read;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn commit_makes_the_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.csv.gz");
        let mut output = OutputFile::create(&target).unwrap();
        output.write_all(b"hello").unwrap();
        assert!(!target.exists());
        assert_eq!(output.folder(), folder.path());
        assert!(output.path().to_str().unwrap().ends_with(".csv.gz"));
        let mut read = String::new();
        output.reopen().unwrap().read_to_string(&mut read).unwrap();
        assert_eq!(read, "hello");
        output.write_all(b" world").unwrap();
        output.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"hello world");
        assert_eq!(names(folder.path()), ["out.csv.gz"]);
    }

    #[test]
    fn dropping_leaves_nothing_and_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.csv");
        let mut output = OutputFile::create(&target).unwrap();
        output.write_all(b"lost").unwrap();
        drop(output);
        assert!(names(folder.path()).is_empty());

        fs::write(&target, "old").unwrap();
        let mut output = OutputFile::create(&target).unwrap();
        output.write_all(b"lost").unwrap();
        drop(output);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["out.csv"]);

        let mut output = OutputFile::create(&target).unwrap();
        output.write_all(b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        output.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
    }

    #[test]
    fn outputs_under_way_are_listed_for_the_interrupt_handler() {
        // The list is the process's: discarding it here would hit tests that run at the same time.
        let listed = |path: &Path| UNFINISHED.lock().unwrap().iter().any(|p| p == path);
        let folder = tempfile::tempdir().unwrap();
        let dropped = OutputFile::create(&folder.path().join("a")).unwrap();
        let committed = OutputFile::create(&folder.path().join("b")).unwrap();
        let paths = [dropped.path().to_owned(), committed.path().to_owned()];
        assert!(paths.iter().all(|path| listed(path)));
        drop(dropped);
        committed.commit().unwrap();
        assert!(!paths.iter().any(|path| listed(path)));
    }

    #[test]
    fn an_output_whose_temporary_file_is_gone_cannot_be_committed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.csv");
        fs::write(&target, "old").unwrap();
        let output = OutputFile::create(&target).unwrap();
        fs::remove_file(output.path()).unwrap();
        assert!(output.commit().is_err());
        assert_eq!(fs::read(&target).unwrap(), b"old");
    }

    #[test]
    fn bad_targets_are_refused_with_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let message = |target: &Path| OutputFile::create(target).unwrap_err().message;
        assert!(message(folder.path()).ends_with("it is a folder"));
        assert!(message(&folder.path().join("no/out.csv")).ends_with("no does not exist"));
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(message(&file.join("out.csv")).contains("cannot write"));
        let mut permissions = fs::metadata(&file).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&file, permissions).unwrap();
        assert!(message(&file).ends_with("the file is read-only"));
        assert!(message(Path::new("")).ends_with("is not a file name"));
        assert!(message(&folder.path().join("new/")).ends_with("is not a file name"));
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{PermissionsExt, symlink};

        use super::*;

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o777
        }

        #[test]
        fn a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own() {
            let folder = tempfile::tempdir().unwrap();
            let plain = folder.path().join("plain");
            fs::write(&plain, "").unwrap();
            let target = folder.path().join("out.csv");
            let output = OutputFile::create(&target).unwrap();
            assert_eq!(mode(output.path()), 0o600);
            output.commit().unwrap();
            assert_eq!(mode(&target), mode(&plain));
            fs::set_permissions(&target, Permissions::from_mode(0o640)).unwrap();
            OutputFile::create(&target).unwrap().commit().unwrap();
            assert_eq!(mode(&target), 0o640);
        }

        #[test]
        fn a_folder_that_may_not_be_written_is_named() {
            let folder = tempfile::tempdir().unwrap();
            fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
            // Root may write anywhere.
            if fs::write(folder.path().join("probe"), "").is_err() {
                let error = OutputFile::create(&folder.path().join("out.csv")).unwrap_err();
                assert!(error.message.ends_with("permission denied"), "{error}");
            }
            fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        }

        #[test]
        fn links_are_written_through() {
            let folder = tempfile::tempdir().unwrap();
            let elsewhere = tempfile::tempdir().unwrap();
            let real = elsewhere.path().join("real.csv");
            let link = folder.path().join("link.csv");
            symlink(&real, &link).unwrap();
            let dangling = OutputFile::create(&link).unwrap_err();
            assert!(dangling.message.contains("a link to a file that does not exist"));
            fs::write(&real, "old").unwrap();
            let mut output = OutputFile::create(&link).unwrap();
            output.write_all(b"new").unwrap();
            output.commit().unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read(&real).unwrap(), b"new");
        }

        #[test]
        fn devices_are_written_to_not_replaced() {
            let null = Path::new("/dev/null");
            let mut output = OutputFile::create(null).unwrap();
            output.write_all(b"gone").unwrap();
            output.commit().unwrap();
            assert!(!fs::metadata(null).unwrap().is_file());
        }
    }

    #[test]
    fn standard_output_is_spooled_and_copied() {
        let mut output = OutputFile::create(Path::new("-")).unwrap();
        assert!(output.path().starts_with(std::env::temp_dir()));
        output.write_all(b"a,b\n1,2\n").unwrap();
        let path = output.path().to_owned();
        let mut copied = Vec::new();
        deliver(output.file.as_file_mut(), &mut copied).unwrap();
        assert_eq!(copied, b"a,b\n1,2\n");
        drop(output);
        assert!(!path.exists());
    }

    #[test]
    fn a_broken_pipe_is_no_error_but_a_full_disk_is() {
        struct Failing(ErrorKind);
        impl Write for Failing {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"rows").unwrap();
        deliver(&mut file, &mut Failing(ErrorKind::BrokenPipe)).unwrap();
        let full = deliver(&mut file, &mut Failing(ErrorKind::StorageFull)).unwrap_err();
        assert!(write_error(Path::new("-"), &full).help.unwrap().contains("make room"));
    }

    #[test]
    fn suffixes_tell_the_format() {
        assert_eq!(suffix_of(Path::new("a/b.csv.gz")), ".csv.gz");
        assert_eq!(suffix_of(Path::new("b.parquet")), ".parquet");
        assert_eq!(suffix_of(Path::new("b")), "");
        assert_eq!(suffix_of(Path::new("-")), "");
        assert_eq!(suffix_of(Path::new("a.very long middle.csv")), ".csv");
    }
}
