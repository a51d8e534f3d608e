//! What is wrong with an input, where it is, and how to fix it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// A place in a file; lines and columns count from 1, columns in fields for data files and in
/// characters for spec files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLocation {
    /// The file, or `<stdin>`.
    pub file: PathBuf,
    /// The line, if it is known.
    pub line: Option<u64>,
    /// The column, if it is known.
    pub column: Option<u64>,
}

/// What kind of error it is, for programs that act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Something that was asked for, or in the data, makes no sense.
    Input,
    /// A file could not be read or written.
    File,
    /// The user ended it before it was done.
    Interrupted,
    /// The verifier refused the release.
    Refused,
    /// Nothing says what a column is.
    NoRole,
    /// Rows have values that a saved recoding has not seen.
    Unseen,
    /// Columns would be released as they are that single people out, and nobody said that it is meant.
    Exposed,
    /// Columns have the role "undecided".
    Undecided,
    /// Columns that are released as they are tell what the release hides of others.
    Undoes,
    /// Several rows are of one person, and nobody said whom to protect.
    People,
    /// The release and an earlier one, subtracted, tell fewer people apart than may be.
    Difference,
    /// A database did not do what it was asked.
    Database,
    /// A database could not do it just now: the same call may succeed later.
    TryAgain,
}

impl ErrorKind {
    /// The name that programs know it by; it stays the same.
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::Input => "input",
            ErrorKind::File => "file",
            ErrorKind::Interrupted => "interrupted",
            ErrorKind::Refused => "not-verified",
            ErrorKind::NoRole => "no-role",
            ErrorKind::Unseen => "unseen-values",
            ErrorKind::Exposed => "exposed-columns",
            ErrorKind::Undecided => "undecided-columns",
            ErrorKind::Undoes => "undoing-columns",
            ErrorKind::People => "rows-of-people",
            ErrorKind::Difference => "difference",
            ErrorKind::Database => "database",
            ErrorKind::TryAgain => "try-again",
        }
    }
}

/// What to say of a column so that a run goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnFix {
    /// The column.
    pub column: String,
    /// The role that is safe, by its name in a spec.
    pub role: &'static str,
    /// What is wrong with it, in a sentence without its end.
    pub why: String,
}

impl ColumnFix {
    /// The role of a column that is not released.
    const LEFT_OUT: &'static str = "identifying";

    /// Whether it says whose the rows are rather than what the column is.
    fn is_of_rows(&self) -> bool {
        ["unit", "linked", "same-box"].contains(&self.role)
    }
}

/// What programs are told of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorReport {
    /// The name of its kind; it stays the same.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// The file that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of the file, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Option<u64>>,
    /// The check that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<&'static str>,
    /// What to say of columns so that a run goes on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnFix>,
}

/// An error for people: what is wrong, where, and how to fix it.
///
/// It displays as a short block:
///
/// ```text
/// line 3 has 4 fields, but the header has 5
///   --> patients.csv:3
///   help: ...
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What kind of error it is, for programs.
    pub kind: ErrorKind,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where.
    pub place: Option<Box<FileLocation>>,
    /// The lines of the file with the fault underlined, ready to print. Holds the place already.
    pub snippet: Option<Box<str>>,
    /// How to fix it.
    pub help: Option<String>,
    /// Roles to give to columns, after which the same run goes on. A front end that knows what was typed makes a
    /// line to paste of them.
    pub mends: Vec<ColumnFix>,
    /// The check of a release that refused, by its id.
    pub check: Option<&'static str>,
}

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error that says what is wrong.
    pub fn new(message: impl Into<String>) -> Self {
        Error {
            kind: ErrorKind::Input,
            message: message.into(),
            place: None,
            snippet: None,
            help: None,
            mends: Vec::new(),
            check: None,
        }
    }

    /// A failed operation on a file, e.g. `Error::file("read", path, &e)`.
    pub fn file(doing: &str, path: &Path, cause: &io::Error) -> Self {
        let message = format!("cannot {doing} {}: {cause}", path.display());
        let error = Error { kind: ErrorKind::File, ..Error::new(message) };
        match cause.kind() {
            io::ErrorKind::NotFound => error.help("check the name and the folder"),
            io::ErrorKind::PermissionDenied => {
                error.help(format!("ask for the permission to {doing} it"))
            }
            io::ErrorKind::IsADirectory => error.help("it is a folder: name a file"),
            io::ErrorKind::InvalidData => error.help("the file should be text in UTF-8"),
            _ => error,
        }
    }

    /// The error of something that the user ended before it was done.
    pub fn interrupted() -> Self {
        Error { kind: ErrorKind::Interrupted, ..Error::new("interrupted") }
    }

    /// Whether the user ended it.
    pub fn is_interrupted(&self) -> bool {
        self.kind == ErrorKind::Interrupted
    }

    /// The same error as one of another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// The same error as the refusal of a check.
    #[must_use]
    pub fn of_check(mut self, check: &'static str) -> Self {
        self.check = Some(check);
        self
    }

    /// The same error with what another says, if that is of columns, too: the roles of both fix both.
    #[must_use]
    pub fn with_further(mut self, other: Error) -> Self {
        let is_new = |mend: &&ColumnFix| {
            !self.mends.iter().any(|it| it.column == mend.column && it.role == mend.role)
        };
        let further: Vec<ColumnFix> = other.mends.iter().filter(is_new).cloned().collect();
        if further.is_empty() {
            return self;
        }
        for mend in further {
            let is_role = |it: &&mut ColumnFix| it.column == mend.column && !it.is_of_rows();
            match self.mends.iter_mut().find(is_role) {
                // The more careful role goes first; who is protected is not released besides.
                Some(before) => {
                    before.role = ColumnFix::LEFT_OUT;
                    if mend.is_of_rows() {
                        self.mends.push(mend);
                    }
                }
                None => self.mends.push(mend),
            }
        }
        self.message = format!("{}\nbesides, {}", self.message, other.message);
        self
    }

    /// The same error, saying also where.
    #[must_use]
    pub fn at(mut self, file: &Path, line: Option<u64>, column: Option<u64>) -> Self {
        self.place = Some(Box::new(FileLocation { file: file.to_owned(), line, column }));
        self
    }

    /// The same error, saying also how to fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl Error {
    /// The error for programs: `{"error": {"code", "message", "help"}}`, and which columns it is about.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({ "error": self.report() })
    }

    /// The same as a value of its own.
    pub fn report(&self) -> ErrorReport {
        let place = self.place.as_deref();
        ErrorReport {
            code: self.kind.code(),
            message: self.message.clone(),
            help: self.help.clone(),
            file: place.map(|place| place.file.display().to_string()),
            line: place.map(|place| place.line),
            check: self.check,
            columns: self.mends.clone(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(snippet) = &self.snippet {
            write!(f, "\n{}", snippet.trim_end())?;
        } else if let Some(place) = &self.place {
            write!(f, "\n  --> {}", place.file.display())?;
            if let Some(line) = place.line {
                write!(f, ":{line}")?;
                if let Some(column) = place.column {
                    write!(f, ":{column}")?;
                }
            }
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: ")?;
            for (at, line) in help.lines().enumerate() {
                // Further lines stand below the first; a command to paste begins its line.
                let begin = match at {
                    0 => "",
                    _ if line.starts_with("incrowd ") => "\n",
                    _ => "\n        ",
                };
                write!(f, "{begin}{line}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<incrowd_engine::Error> for Error {
    fn from(error: incrowd_engine::Error) -> Self {
        Error { help: error.help, ..Error::new(error.message) }
    }
}
