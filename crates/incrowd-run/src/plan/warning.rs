//! What the user should think about before publishing a release.

use std::fmt;

use serde::Serialize;

/// Columns that a warning names; the others are counted.
pub(crate) const NAMED: usize = 5;

/// Something to think about, for people and for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The name that programs know it by; it stays the same.
    pub code: &'static str,
    /// The warning in a sentence without its end.
    pub message: String,
}

impl Warning {
    /// A warning.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Warning { code, message: message.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
