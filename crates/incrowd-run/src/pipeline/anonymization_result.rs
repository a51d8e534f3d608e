//! What came of a table that was anonymized in one go.

use std::path::Path;

use incrowd_assess::bias::ColumnBias;
use incrowd_assess::expose::Exposure;
use incrowd_assess::suppression::ColumnLoss;
use incrowd_engine::{Release, Table};
use incrowd_verify::Verdict;

use crate::pipeline::memory_run::{MemoryRun, ReleasedTable};
use crate::plan::warning::Warning;
use crate::report::run_report::RunReport;
use crate::report::status::SearchStatus;
use crate::{Error, ErrorKind, MemoryTable, Result};

/// What a run made of a table in memory.
#[derive(Debug)]
pub struct AnonymizationResult {
    done: MemoryRun,
    table: Option<Table>,
    exposure: Exposure,
}

impl AnonymizationResult {
    pub(super) fn new(done: MemoryRun, table: Option<Table>, exposure: Exposure) -> Self {
        AnonymizationResult { done, table, exposure }
    }

    /// How the search ended.
    pub fn status(&self) -> SearchStatus {
        self.done.report.outcome
    }

    /// The outcome in words, with what is proven of the cost.
    pub fn in_words(&self) -> &str {
        &self.done.report.in_words
    }

    /// What the release costs under the metric.
    pub fn cost(&self) -> Option<f64> {
        self.done.report.cost
    }

    /// What no release of this kind can cost less than, where it is proven.
    pub fn bound(&self) -> Option<f64> {
        self.done.report.bound
    }

    /// The share of the cost that could be saved at most, where it is proven.
    pub fn gap(&self) -> Option<f64> {
        self.done.report.gap
    }

    /// What to know of how the table was taken, a sentence each.
    pub fn notes(&self) -> &[String] {
        &self.done.report.notes
    }

    /// All that there is to tell of the run, every check with its status among it.
    pub fn report(&self) -> &RunReport {
        &self.done.report
    }

    /// The released table, or why there is none.
    pub fn table(&self) -> Result<&Table> {
        self.made(self.table.as_ref())
    }

    /// The released table as Arrow batches, or why there is none.
    pub fn batches(&self) -> Result<&MemoryTable> {
        self.made(self.done.table.as_ref().map(ReleasedTable::table))
    }

    /// What the verifier found.
    pub fn verdict(&self) -> Result<&Verdict> {
        self.made(self.done.report.verdict.as_ref())
    }

    /// What the columns give away that are released as they are.
    pub fn exposure(&self) -> Result<&Exposure> {
        self.made(Some(&self.exposure).filter(|_| self.table.is_some()))
    }

    /// What to think about before publishing the release.
    pub fn warnings(&self) -> &[Warning] {
        &self.done.report.warnings
    }

    /// The classes, measures and labels of the release.
    pub fn release(&self) -> Result<&Release> {
        self.made(self.done.release.as_ref())
    }

    /// Values that disappear with the suppressed rows, and groups that lose far more than their share.
    pub fn losses(&self) -> &[ColumnLoss] {
        &self.done.report.losses
    }

    /// How suppression moves the shares of categories, by column.
    pub fn bias(&self) -> &[ColumnBias] {
        &self.done.report.bias
    }

    fn made<'a, T>(&'a self, it: Option<&'a T>) -> Result<&'a T> {
        it.ok_or_else(|| {
            let message = format!("there is no release: {}", self.in_words());
            Error { kind: ErrorKind::Refused, ..Error::new(message) }
        })
    }

    /// Writes the released table: CSV (plain, gzip, zstd), Parquet or Excel, by the name's ending. The file is read back and
    /// verified, and appears whole or not at all.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        self.made(self.done.table.as_ref())?.write(path.as_ref(), b',')
    }
}
