//! Files that are opened once and read from the start as often as needed.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::Input;
use super::counted_records::RepeatingReader;
use crate::{Error, Result};

/// An open file that any number of readers read at positions of their own.
///
/// It stays open between the passes, so all of them see the same file even if another one takes
/// its name meanwhile, and a temporary file needs no name at all: nothing of standard input is
/// left behind, however the program ends.
#[derive(Debug)]
pub(super) struct FileHandle {
    /// None of a table that lies in memory.
    file: Option<Arc<File>>,
    path: PathBuf,
    len: u64,
    modified: Option<SystemTime>,
    /// How many bytes it may unpack to.
    most: u64,
}

/// A file that unpacks to less is no danger, however small it is.
const HARMLESS: u64 = 1 << 30;
/// The same where a limit is given.
const NOTHING: u64 = 1 << 20;
/// How many times its size a file may unpack to, unless told otherwise: more than gzip makes of anything.
const EXPANSION: u32 = 1000;

/// A file that unpacks to more than it may.
#[derive(Debug, Clone, Copy)]
pub(super) struct OversizeError(u64);

impl std::fmt::Display for OversizeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "it unpacks to more than {} bytes", self.0)
    }
}

impl std::error::Error for OversizeError {}

/// Bytes up to a limit; what comes behind it is an error.
struct LimitedReader<R> {
    input: R,
    left: u64,
    most: u64,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(OversizeError(self.most))),
        }
        Ok(count)
    }
}

/// The scheme of an address that nothing here reads, and what to do instead; none for files and PostgreSQL.
pub fn unread_scheme(input: &Path) -> Option<(String, &'static str)> {
    let text = input.to_str()?;
    let scheme = match text.starts_with("jdbc:") {
        true => "jdbc",
        false => text.split_once("://")?.0,
    };
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    if scheme.len() < 2 || !scheme.chars().all(is_scheme) || scheme.starts_with("postgres") {
        return None;
    }
    let help = match scheme {
        "jdbc" if text.starts_with("jdbc:postgresql:") => "write postgres://user@host/database",
        "http" | "https" | "ftp" | "s3" | "gs" | "abfs" | "abfss" | "az" | "hdfs" => {
            "download the file first, or give a data frame of it to incrowd.anonymize in Python"
        }
        "file" => "write the path without file://",
        _ => "export the table to CSV or Parquet, or give a data frame of it to incrowd.anonymize",
    };
    Some((format!("{scheme}:"), help))
}

impl FileHandle {
    /// Opens a file. What can be read only once (standard input, pipes) is copied to a temporary
    /// file.
    pub(super) fn open(input: &Input) -> Result<Self> {
        let path = match input {
            Input::Stdin => return FileHandle::spool(&mut io::stdin().lock(), "<stdin>".into()),
            Input::Path(path) => path,
        };
        let failed = |cause: io::Error| Error::file("read", path, &cause);
        let mut file = File::open(path).map_err(|cause| match unread_scheme(path) {
            Some((scheme, help)) => {
                Error::new(format!("{scheme} addresses cannot be read")).help(help)
            }
            None => failed(cause),
        })?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            let message = format!("{} is a folder, not a file", path.display());
            return Err(Error::new(message).help("name the file to read"));
        }
        if !metadata.is_file() {
            return FileHandle::spool(&mut file, path.clone());
        }
        Ok(FileHandle::new(file, path.clone(), &metadata))
    }

    /// Copies all of `input` to a temporary file.
    pub(super) fn spool(input: &mut dyn Read, path: PathBuf) -> Result<Self> {
        let failed = |cause| Error::file("write the temporary file", &path, &cause);
        let mut file = tempfile::tempfile().map_err(failed)?;
        io::copy(input, &mut file).map_err(failed)?;
        file.flush().map_err(failed)?;
        file.rewind().map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        Ok(FileHandle::new(file, path, &metadata))
    }

    /// A file that has been written before, under the name of what it was made from.
    pub(super) fn of_file(file: File, path: PathBuf) -> Result<Self> {
        let metadata =
            file.metadata().map_err(|e| Error::file("write the temporary file", &path, &e))?;
        Ok(FileHandle::new(file, path, &metadata))
    }

    fn new(file: File, path: PathBuf, metadata: &Metadata) -> Self {
        let (len, modified) = (metadata.len(), metadata.modified().ok());
        let most = HARMLESS.max(len.saturating_mul(EXPANSION.into()));
        FileHandle { file: Some(Arc::new(file)), path, len, modified, most }
    }

    /// The name of a table that lies in memory, and how much there is of it. It has no bytes to read.
    #[cfg(feature = "parquet")]
    pub(super) fn nowhere(path: PathBuf, len: u64) -> Self {
        FileHandle { file: None, path, len, modified: None, most: u64::MAX }
    }

    /// Says how many times its size the file may unpack to.
    pub(super) fn limit(&mut self, expansion: Option<u32>) {
        // Whoever says how much means it.
        if let Some(times) = expansion {
            self.most = NOTHING.max(self.len.saturating_mul(times.into()));
        }
    }

    /// The error of a file that would unpack to so many bytes, if those are too many.
    pub(super) fn refuse_expansion(&self, bytes: u64) -> Result<()> {
        match bytes > self.most {
            true => Err(too_large(&self.path, OversizeError(self.most))),
            false => Ok(()),
        }
    }

    /// The name for messages.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The size in bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Fails if the file has been written to since it was opened: two passes over it would
    /// disagree.
    pub(super) fn check_unchanged(&self) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let metadata = file.metadata().map_err(|cause| Error::file("read", &self.path, &cause))?;
        if metadata.len() == self.len && metadata.modified().ok() == self.modified {
            return Ok(());
        }
        Err(Error::new(format!("{} has changed while it was being read", self.path.display()))
            .help("run again when nothing writes to it"))
    }

    /// All bytes of the file.
    pub(super) fn all(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.reader(0).read_to_end(&mut bytes);
        read.map_err(|e| Error::file("read", &self.path, &e))?;
        Ok(bytes)
    }

    /// A reader that starts at `at`.
    pub(super) fn reader(&self, at: u64) -> FileReader {
        FileReader { file: self.file.clone(), at, position: Arc::new(AtomicU64::new(at)) }
    }
}

/// Reads a [`FileHandle`] from a position of its own.
#[derive(Debug)]
pub(super) struct FileReader {
    file: Option<Arc<File>>,
    at: u64,
    position: Arc<AtomicU64>,
}

impl FileReader {
    /// Another reader of the same file, which starts at `at`.
    #[cfg(feature = "parquet")]
    pub(super) fn from(&self, at: u64) -> Self {
        FileReader { file: self.file.clone(), at, position: Arc::new(AtomicU64::new(at)) }
    }

    /// How far the reader has come: for progress, through whatever decoders wrap it.
    pub(super) fn position(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.position)
    }
}

impl Read for FileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(file) = &self.file else { return Ok(0) };
        let got = read_at(file, buffer, self.at)?;
        self.at += got as u64;
        self.position.store(self.at, Ordering::Relaxed);
        Ok(got)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

/// Elsewhere a file has one place to read at, which its readers take turns with.
#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    io::Seek::seek(&mut file, io::SeekFrom::Start(at))?;
    file.read(buffer)
}

/// How a text file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputCompression {
    None,
    Gzip,
    Zstd,
    /// Each record once, with how often it is meant: a counted table.
    Repeated,
}

impl InputCompression {
    /// Told by the first bytes of a file.
    pub(super) fn of(magic: &[u8]) -> Self {
        match magic {
            [0x1f, 0x8b, ..] => InputCompression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => InputCompression::Zstd,
            _ => InputCompression::None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            InputCompression::None => "plain",
            InputCompression::Gzip => "gzip",
            InputCompression::Zstd => "zstd",
            InputCompression::Repeated => "counted",
        }
    }

    /// A decoder over a reader, `skip` decoded bytes in.
    pub(super) fn decoder(self, handle: &FileHandle, skip: u64) -> io::Result<DecodedStream> {
        let raw = handle.reader(if self == InputCompression::None { skip } else { 0 });
        let position = raw.position();
        let mut input: Box<dyn Read + Send> = match self {
            InputCompression::None => return Ok(DecodedStream { input: Box::new(raw), position }),
            InputCompression::Gzip => {
                Box::new(limited(flate2::read::MultiGzDecoder::new(raw), handle))
            }
            InputCompression::Repeated => Box::new(RepeatingReader::new(raw)),
            InputCompression::Zstd => {
                Box::new(limited(zstd::stream::read::Decoder::new(raw)?, handle))
            }
        };
        io::copy(&mut input.by_ref().take(skip), &mut io::sink())?;
        Ok(DecodedStream { input, position })
    }

    /// What a failure while decoding means.
    pub(super) fn error(self, path: &Path, cause: &io::Error) -> Error {
        let (name, file) = (self.name(), path.display());
        if let Some(large) = cause.get_ref().and_then(|cause| cause.downcast_ref::<OversizeError>())
        {
            return too_large(path, *large);
        }
        if self == InputCompression::None || cause.raw_os_error().is_some() {
            return Error::file("read", path, cause);
        }
        if cause.kind() == io::ErrorKind::UnexpectedEof {
            let message = format!("{file} ends in the middle of its {name} data");
            return Error::new(message).help("the file is incomplete: copy or make it again");
        }
        Error::new(format!("{file} does not decompress as {name}: {cause}"))
            .help("the file is damaged: copy or make it again")
    }
}

fn limited<R: Read>(input: R, handle: &FileHandle) -> LimitedReader<R> {
    LimitedReader { input, left: handle.most, most: handle.most }
}

fn too_large(path: &Path, large: OversizeError) -> Error {
    Error::new(format!("{}: {large}", path.display())).help(
        "the file may be meant to fill disk or memory; if you trust it, raise \
         --max-expansion (in [data])",
    )
}

/// A stream of decoded bytes that tells how much of the file it has used.
pub(super) struct DecodedStream {
    pub(super) input: Box<dyn Read + Send>,
    position: Arc<AtomicU64>,
}

impl DecodedStream {
    /// How many bytes of the file have been read.
    pub(super) fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }
}

/// Reads the next `count` bytes into the end of `buffer`; says whether the input has ended.
pub(super) fn fill(input: &mut dyn Read, buffer: &mut Vec<u8>, count: usize) -> io::Result<bool> {
    buffer.reserve(count);
    Ok(input.take(count as u64).read_to_end(buffer)? < count)
}
