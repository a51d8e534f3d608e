//! Output that appears whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufRead, ErrorKind, IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};

use super::checksum::Checksum;
use super::temporary::{TemporaryFile, UnfinishedEntry, keep};
use crate::{Error, Result};

/// A file that appears under its name only when [`commit`](Self::commit)ted.
///
/// Until then everything goes to a temporary file in the target's folder that only the owner may
/// read, because nothing has been verified yet; where the system can, it has no name at all. Dropping the output deletes
/// it: an error, an interrupt or a failed verification leaves no trace, and an older file of that name stays as it
/// was.
///
/// The target `-` means standard output. That, and whatever else cannot be renamed over (a pipe,
/// a device), is collected in the system's temporary folder and copied on commit.
///
/// Writes are not buffered: wrap the output where they are small.
#[derive(Debug)]
pub struct OutputFile {
    file: TemporaryFile,
    target: PathBuf,
    delivery: Delivery,
    written: Checksum,
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
            (Delivery::Stdout, tempfile::env::temp_dir())
        } else {
            delivery_to(target)?
        };
        let file = TemporaryFile::create(&folder, &suffix_of(target))
            .map_err(|e| folder_error(&folder, &e))?;
        Ok(OutputFile { file, target: target.to_owned(), delivery, written: Checksum::default() })
    }

    /// The same for what nobody but the owner may read, whatever the system's mask says and whatever was there before: a
    /// recoding, a trace, a page for the data's owner.
    pub fn create_private(target: &Path) -> Result<Self> {
        #[cfg_attr(not(unix), allow(unused_mut, reason = "only Unix has modes of files"))]
        let mut output = OutputFile::create(target)?;
        #[cfg(unix)]
        if let Delivery::Rename(_, permissions) = &mut output.delivery {
            use std::os::unix::fs::PermissionsExt;
            *permissions = Permissions::from_mode(0o600);
        }
        Ok(output)
    }

    /// Refuses a target that is a link or no plain file: for files that the program names by itself, such as a report
    /// beside a release. Whoever names a link means what it leads to; a link that lies where nobody has looked may have
    /// been laid by somebody else. A committed output takes the place of a name and follows no link, so it does not
    /// matter what lies there later on.
    pub fn in_place(self) -> Result<Self> {
        let plain = match &self.delivery {
            Delivery::Rename(path, _) => {
                let folder = folder_of(&self.target).canonicalize();
                let name = self.target.file_name();
                *path == self.target
                    || folder
                        .ok()
                        .zip(name)
                        .is_some_and(|(folder, name)| folder.join(name) == *path)
            }
            Delivery::Stdout | Delivery::Device => false,
        };
        if plain {
            return Ok(self);
        }
        Err(Error::new(format!(
            "{} is a link or a special file that was not named as output",
            self.target.display()
        ))
        .help("move it away, or name the file to write to"))
    }

    /// The path asked for, `-` for standard output.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Where tests find what has been written so far.
    #[cfg(test)]
    pub(super) fn path(&self) -> PathBuf {
        self.file.path()
    }

    /// The folder of the temporary file: the right place for other temporary files of the same
    /// size.
    pub fn folder(&self) -> &Path {
        self.file.folder()
    }

    /// A second handle to what has been written so far, reading from the start.
    pub fn reopen(&self) -> Result<File> {
        self.file.reopen().map_err(|e| Error::file("read back", &self.target, &e))
    }

    /// The sum over all that was written so far.
    pub fn checksum(&self) -> Checksum {
        self.written
    }

    /// Changes a byte of what was written, behind the back of everybody: a fault for tests.
    #[cfg(all(debug_assertions, unix))]
    pub fn tamper(&self) -> Result<()> {
        use std::os::unix::fs::FileExt as _;
        let failed = |e: io::Error| Error::file("tamper with", &self.target, &e);
        let at = self.file.file().metadata().map_err(failed)?.len().saturating_sub(2);
        let mut byte = [0];
        self.reopen()?.read_exact_at(&mut byte, at).map_err(failed)?;
        let other = if byte == *b"7" { b"8" } else { b"7" };
        self.file.file().write_all_at(other, at).map_err(failed)
    }

    /// Writes all there is to write and puts the output in its place.
    pub fn fill(self, content: impl AsRef<[u8]>) -> Result<()> {
        self.filled(content)?.commit()
    }

    /// The same, but the output does not get its name yet.
    pub fn filled(mut self, content: impl AsRef<[u8]>) -> Result<Self> {
        self.write_all(content.as_ref()).map_err(|e| Error::file("write", &self.target, &e))?;
        Ok(self)
    }

    /// Puts the output in its place: flushed to disk, then renamed, so that the target is at any
    /// moment either the old file or the whole new one.
    pub fn commit(self) -> Result<()> {
        OutputFile::commit_all(vec![self])
    }

    /// Puts several outputs in their places, all of them or none: what can fail is done before the first gets its name,
    /// and should one not get it, those before it are taken back. What goes to a pipe goes first.
    pub fn commit_all(outputs: Vec<OutputFile>) -> Result<()> {
        if outputs.iter().any(|output| output.file.is_given_up()) {
            return Err(Error::interrupted());
        }
        let several = outputs.len() > 1;
        let mut named: Vec<(TemporaryFile, PathBuf, PathBuf)> = Vec::new();
        let mut copied: Vec<(TemporaryFile, PathBuf, bool)> = Vec::new();
        for OutputFile { file, target, delivery, .. } in outputs {
            match delivery {
                Delivery::Rename(path, permissions) => {
                    let failed = |e: io::Error| write_error(&target, &e);
                    set_permissions(file.file(), permissions).map_err(failed)?;
                    file.file().sync_all().map_err(failed)?;
                    named.push((file, path, target));
                }
                Delivery::Stdout => copied.push((file, target, true)),
                Delivery::Device => copied.push((file, target, false)),
            }
        }
        for (mut file, target, standard) in copied {
            let delivered = match standard {
                true if io::stdout().is_terminal() => {
                    show(file.file_mut(), &mut io::stdout().lock())
                }
                true => deliver(file.file_mut(), &mut io::stdout().lock()),
                false => OpenOptions::new()
                    .write(true)
                    .open(&target)
                    .and_then(|mut device| deliver(file.file_mut(), &mut device)),
            };
            delivered.map_err(|e| write_error(&target, &e))?;
        }
        let mut done: Vec<ReplacedFile> = Vec::new();
        for (file, path, target) in named {
            let replaced = ReplacedFile::new(&path, several);
            if let Err(e) = file.persist(&path) {
                done.into_iter().rev().for_each(ReplacedFile::put_back);
                return Err(write_error(&target, &e));
            }
            done.push(replaced);
        }
        done.iter().for_each(|replaced| sync_folder(folder_of(&replaced.path)));
        Ok(())
    }
}

/// A place that has got a new file.
struct ReplacedFile {
    path: PathBuf,
    existed: bool,
    /// The file that was there, while it may be wanted again.
    kept: Option<(tempfile::TempPath, UnfinishedEntry)>,
}

impl ReplacedFile {
    fn new(path: &Path, several: bool) -> Self {
        let existed = fs::symlink_metadata(path).is_ok();
        let kept = if existed && several { keep(path) } else { None };
        ReplacedFile { path: path.to_owned(), existed, kept }
    }

    /// What was there before is there again, as far as that can be.
    fn put_back(self) {
        let _ = match self.kept {
            Some((kept, _listed)) => kept.persist(&self.path).map_err(|e| e.error),
            None if !self.existed => fs::remove_file(&self.path),
            None => Ok(()),
        };
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.file.file_mut().write(bytes)?;
        self.written.add(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.file_mut().flush()
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

/// The same for a terminal, which must not obey what stands in the file.
fn show(file: &mut File, terminal: &mut impl Write) -> io::Result<()> {
    file.rewind()?;
    let mut reader = io::BufReader::new(file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        terminal.write_all(crate::visible(&String::from_utf8_lossy(&line)).as_bytes())?;
        line.clear();
    }
    terminal.flush()
}

/// Looks at what is at `target` now, and decides how to get the output there and in which folder
/// to write it meanwhile.
fn delivery_to(target: &Path) -> Result<(Delivery, PathBuf)> {
    match fs::metadata(target) {
        Ok(found) if found.is_dir() => {
            Err(Error::new(format!("cannot write {}: it is a folder", target.display()))
                .help("give the path of a file, such as one inside that folder"))
        }
        Ok(found) if !found.is_file() => Ok((Delivery::Device, tempfile::env::temp_dir())),
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

#[cfg(not(target_os = "wasi"))]
fn set_permissions(file: &fs::File, permissions: Permissions) -> io::Result<()> {
    file.set_permissions(permissions)
}

/// Files there have no permissions.
#[cfg(target_os = "wasi")]
fn set_permissions(_: &fs::File, _: Permissions) -> io::Result<()> {
    Ok(())
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
            .help("choose another folder; a temporary file beside the target is needed")
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
    fn several_outputs_appear_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let content = |name: &str| fs::read_to_string(path(name)).ok();
        fs::write(path("old"), "old").unwrap();
        let outputs = || {
            let names = ["new", "old", "last"];
            names.map(|name| {
                let mut output = OutputFile::create(&path(name)).unwrap();
                output.write_all(name.as_bytes()).unwrap();
                output
            })
        };
        let fresh = outputs().map(|mut output| {
            output.write_all(b"!").unwrap();
            output
        });
        // Somebody makes a folder of the name of the last one meanwhile.
        fs::create_dir_all(path("last/full")).unwrap();
        assert!(OutputFile::commit_all(fresh.into()).is_err());
        assert_eq!((content("new"), content("old").as_deref()), (None, Some("old")));
        assert_eq!(names(folder.path()), ["last", "old"]);
        fs::remove_dir_all(path("last")).unwrap();
        let mut again: Vec<OutputFile> = outputs().into();
        again[1].write_all(b" and new").unwrap();
        OutputFile::commit_all(again).unwrap();
        assert_eq!(content("old").as_deref(), Some("old and new"));
        assert_eq!(names(folder.path()), ["last", "new", "old"]);
    }

    #[cfg(unix)]
    #[test]
    fn private_files_are_private_whatever_was_there() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recoding.json");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        OutputFile::create_private(&path).unwrap().fill("new").unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        OutputFile::create_private(&path).unwrap().fill("again").unwrap();
        assert_eq!(mode(), 0o600);
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
            assert_eq!(mode(&output.path()), 0o600);
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
        assert!(output.folder().starts_with(tempfile::env::temp_dir()));
        output.write_all(b"a,b\n1,2\n").unwrap();
        let path = output.path();
        let mut copied = Vec::new();
        deliver(output.file.file_mut(), &mut copied).unwrap();
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
