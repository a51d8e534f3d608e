//! The argument of a search, written down as it is made.

use std::fmt;
use std::io::{Error, Result, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

/// The question that a proof answers, as the checker of certificates reads it. Its columns are described in the page on
/// certificates.
#[derive(Debug, Clone, Serialize)]
pub struct ProofQuestion {
    /// Which releases it is about: `intervals`, `levels` or `groups`.
    pub kind: &'static str,
    /// What they cost: `dm`, `cm` or `ncp`.
    pub metric: &'static str,
    /// The least size of a class.
    pub k: u64,
    /// The rows of the table.
    pub rows: u64,
    /// The most rows that may be suppressed.
    pub limit: u64,
    /// The quasi-identifiers.
    pub columns: Vec<ProofColumn>,
    /// The class column, where the metric looks at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<ProofClassColumn>,
    /// All combinations in order: two bytes for each column's value, four for the rows, four for those of the second
    /// class value, the low byte first. A certificate holds their hash.
    #[serde(skip)]
    pub profiles: Vec<u8>,
}

/// A quasi-identifier of a question.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ProofColumn {
    /// Its name.
    pub name: String,
    /// Its values in order, those together that are never told apart; none for a missing one.
    pub values: Vec<Vec<Option<String>>>,
    /// Which intervals there may be.
    pub shape: ProofShape,
    /// Cuts that must be made, by the number of values before them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<usize>,
    /// Cuts that must not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<usize>,
    /// By level, the group of each value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Vec<u32>>,
    /// What differences cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<ProofPrice>,
}

/// Which intervals of a column there may be.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProofShape {
    /// Any.
    #[default]
    Free,
    /// The first value alone or with all others.
    FirstAloneOrAll,
    /// These, by first value and end.
    Nodes(Vec<(u16, u16)>),
}

/// What a column costs where groups differ in it.
#[derive(Debug, Clone, Serialize)]
pub struct ProofPrice {
    /// By the `range` of numbers or the size of the `set`.
    pub by: &'static str,
    /// What the whole column costs, in parts of 2^40 of a suppressed row.
    pub whole: u64,
}

/// The class column of a question.
#[derive(Debug, Clone, Serialize)]
pub struct ProofClassColumn {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<Option<String>>,
}

/// Where a search writes its argument. Clones write to the same place.
#[derive(Clone)]
pub struct ProofLog(Arc<Mutex<ProofRecord>>);

struct ProofRecord {
    sink: Box<dyn Write + Send>,
    question: Option<ProofQuestion>,
    claim: u64,
    failed: Option<Error>,
}

impl fmt::Debug for ProofLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProofLog").finish_non_exhaustive()
    }
}

impl ProofLog {
    /// A log that goes there.
    pub fn new(sink: impl Write + Send + 'static) -> Self {
        let (question, claim, failed) = (None, 0, None);
        ProofLog(Arc::new(Mutex::new(ProofRecord {
            sink: Box::new(sink),
            question,
            claim,
            failed,
        })))
    }

    fn record(&self) -> MutexGuard<'_, ProofRecord> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the proof of a question. Only the first search of a run does: a log holds one proof.
    pub(crate) fn begin(&self, question: ProofQuestion) -> bool {
        let mut record = self.record();
        let first = record.question.is_none();
        record.question.get_or_insert(question);
        first
    }

    /// Adds steps.
    pub(crate) fn write(&self, steps: &[u8]) {
        let mut record = self.record();
        if record.failed.is_none()
            && let Err(error) = record.sink.write_all(steps)
        {
            record.failed = Some(error);
        }
    }

    /// Says what is proven.
    pub(crate) fn claim(&self, claim: u64) {
        self.record().claim = claim;
    }

    /// Ends the log: the question and the claim, if a search wrote a proof.
    pub fn finish(&self) -> Result<Option<(ProofQuestion, u64)>> {
        let mut record = self.record();
        if let Some(error) = record.failed.take() {
            return Err(error);
        }
        record.sink.flush()?;
        let claim = record.claim;
        Ok(record.question.take().map(|question| (question, claim)))
    }
}
