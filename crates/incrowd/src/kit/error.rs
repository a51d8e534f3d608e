//! The engine's one error: something was asked of it that makes no sense.

/// A misuse of the engine, in words a user can act on.
///
/// Errors are for misuse only. That a problem has no solution, or that a search was stopped, is an
/// [`Outcome`](crate::Outcome), not an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl Error {
    /// An error that says what is wrong.
    pub fn new(message: impl Into<String>) -> Self {
        Error { message: message.into(), help: None }
    }

    /// The same error, saying also how to mend it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The engine's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;
