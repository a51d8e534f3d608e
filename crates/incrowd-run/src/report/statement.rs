//! What a summary of a run is made of.

use serde::Serialize;

/// Something that is told under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// The name.
    pub name: String,
    /// What is told; several lines where there are several.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
}

/// How a statement is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// A fact.
    Neutral,
    /// A requirement holds.
    Good,
    /// A requirement fails, or there is no release.
    Bad,
}

/// What happened to a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnResult {
    /// The column.
    pub column: String,
    /// What happened, in words.
    pub what: String,
    /// How much of the detail is kept, from 0 to 1; none where that is not measured.
    pub kept: Option<f64>,
}

impl Statement {
    /// A statement.
    pub(crate) fn new(name: &str, tone: Tone, text: impl Into<String>) -> Self {
        Statement { name: name.to_owned(), text: text.into(), tone }
    }
}
