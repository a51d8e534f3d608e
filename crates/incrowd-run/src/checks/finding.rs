//! What a check found.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::plan::warning::Warning;
use crate::{Error, ErrorKind, Result};

/// What became of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckStatus {
    /// The release passes.
    Passed,
    /// It does not.
    Failed,
    /// It does not, and somebody has said that it is meant.
    Waived,
    /// Nothing of the kind is asked for.
    NotAsked,
    /// Nothing was written that could be looked at.
    NotRun,
}

impl CheckStatus {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            CheckStatus::Passed => "passed",
            CheckStatus::Failed => "failed",
            CheckStatus::Waived => "waived",
            CheckStatus::NotAsked => "not-asked",
            CheckStatus::NotRun => "not-run",
        }
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The check.
    pub id: &'static str,
    /// What became of it.
    pub status: CheckStatus,
    /// What was counted.
    pub figures: BTreeMap<&'static str, Value>,
    /// Why it failed, and what to do.
    #[serde(skip)]
    pub(crate) error: Option<Box<Error>>,
    /// What to think about.
    #[serde(skip)]
    pub(crate) warnings: Vec<Warning>,
}

impl Finding {
    pub(crate) fn new(status: CheckStatus) -> Self {
        let (figures, warnings) = (BTreeMap::new(), Vec::new());
        Finding { id: "", status, figures, error: None, warnings }
    }

    /// The outcome of something that refuses by an error.
    pub(crate) fn of(outcome: Result<Vec<Warning>>) -> Result<Self> {
        match outcome {
            Ok(warnings) => Ok(Finding { warnings, ..Finding::new(CheckStatus::Passed) }),
            Err(error) if is_refusal(&error) => Ok(Finding::failed(error)),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn failed(error: Error) -> Self {
        Finding { error: Some(Box::new(error)), ..Finding::new(CheckStatus::Failed) }
    }

    pub(crate) fn with(mut self, name: &'static str, figure: impl Into<Value>) -> Self {
        self.figures.insert(name, figure.into());
        self
    }
}

/// Whether an error is a judgement of the release rather than a fault on the way.
fn is_refusal(error: &Error) -> bool {
    !matches!(error.kind, ErrorKind::Interrupted | ErrorKind::File | ErrorKind::Database)
}
