//! The engine's one error: something was asked of it that makes no sense.

/// What kind of misuse an error tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The question makes no sense: a column that is not there, a k of 0, a model without its column.
    Question,
    /// The method cannot answer this question; another one may.
    Method,
    /// A value cannot be read as it was said to be read.
    Value,
    /// Values can be read in two ways, and nothing decides.
    Ambiguous,
    /// Something saved or sent by another program cannot be read.
    Saved,
    /// The rows are not those that were counted.
    Changed,
}

/// A misuse of the engine, in words a user can act on.
///
/// Errors are for misuse only. That a problem has no solution, or that a search was stopped, is an
/// [`Outcome`](crate::Outcome), not an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct Error {
    /// What kind of misuse it is, for programs.
    pub kind: ErrorKind,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

impl Error {
    /// An error that says what is wrong.
    pub fn new(message: impl Into<String>) -> Self {
        Error { kind: ErrorKind::Question, message: message.into(), help: None }
    }

    /// The same error, of another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// The same error, saying also how to fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The engine's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;
