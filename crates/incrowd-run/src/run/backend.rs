//! What a run asks of a table, wherever its rows lie: in files, in memory, in a database, on a cluster.
//!
//! The [pipeline](super::pipeline) is the same for all of them. A back end counts, recodes, writes where nobody sees it, reads back,
//! and shows the release to others when it is told to. It decides nothing: what it finds is evidence for the
//! [checks](super::checks).

use incrowd::{Control, Counts, Problem, Release};
use incrowd_assess::expose::{Exposure, Unchanged, ValueTally};
use incrowd_assess::suppression::ColumnLoss;
use incrowd_verify::{Requirements, Verdict};

use super::checks::Permit;
use super::finishing::Finished;
use super::pipeline::RunPlan;
use super::planned::ReleasePlan;
use super::recode::LabelPairs;
use super::subjects::{SubjectComparison, SubjectEvidence};
use super::{Job, RunReport};
use crate::{Error, OutputFile, Result, Source};

/// A table that a run counts, recodes and releases.
pub trait TableBackend: Send {
    /// What of a job cannot be done here, with what helps; none if all can.
    fn lacks(&self, _job: &Job) -> Option<Error> {
        None
    }

    /// Counts the combinations of the columns that the question is about, and the values of columns that nobody has named.
    fn count(&mut self, plan: RunPlan<'_>, control: &Control) -> Result<TableCounts>;

    /// Rows that share values of a column, for each column that may tell people apart. A column that cannot be read tells
    /// nobody apart.
    fn subjects(
        &mut self,
        plan: RunPlan<'_>,
        comparison: &SubjectComparison,
        rows: u64,
        control: &Control,
    ) -> Result<Vec<(usize, SubjectEvidence)>>;

    /// Rows to look at closely, by chance or all of them; none where they cannot be had.
    fn sample(&self) -> Option<&Source>;

    /// Makes the rows of the release, unseen by others; tells which combination became which class.
    fn recode(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<LabelPairs>;

    /// Does what needs all rows at once, and tells what the rows are at last.
    fn finish(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<FinalRows>;

    /// What a value of a column that stays as it is reads like where it is written, if otherwise than in the table.
    fn reads_back(&self, _plan: &ReleasePlan<'_>, _column: &str, _value: &str) -> Option<String> {
        None
    }

    /// Writes the rows where nobody sees them. False where nothing is to be written.
    fn stage(&mut self, plan: &ReleasePlan<'_>, control: &Control) -> Result<bool>;

    /// Reads back what was written and has it verified.
    fn read_back(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<ReadBack>;

    /// What suppression takes from the columns. `plan` has the release as it is at last.
    fn losses(
        &mut self,
        plan: &ReleasePlan<'_>,
        rows: &FinalRows,
        control: &Control,
    ) -> Result<Vec<ColumnLoss>>;

    /// Whether whoever asks gets a picture of the release with it.
    fn draws(&self) -> Drawing {
        Drawing::OnRequest
    }

    /// What there is to tell of the release that the plan does not know.
    fn tell(&self, _problem: &Problem, report: RunReport) -> RunReport {
        report
    }

    /// Shows the release to others, and gives the files their names with it.
    fn commit(&mut self, permit: Permit, files: Vec<OutputFile>) -> Result<()>;
}

/// Which pictures of a release are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawing {
    /// Those that the job asks for.
    OnRequest,
    /// The one that may be shared.
    Shared,
    /// The one that may be shared, and the one for the owner of the table.
    Both,
    /// None: what is here knows a part of the release only.
    None,
}

/// What was counted of a table.
#[derive(Debug)]
pub struct TableCounts {
    /// The combinations.
    pub counts: Counts,
    /// The columns that nobody has named, in the order of the job.
    pub watched: Vec<ValueCounts>,
    /// How many rows the table has; those that were counted may be some of them.
    pub rows: u64,
}

/// The values of a column with how often each occurs; of very many values a share.
#[derive(Debug, Clone, Default)]
pub struct ValueCounts {
    /// The values.
    pub values: Vec<(String, u64)>,
    /// One of so many values is there.
    pub scale: u64,
}

impl ValueCounts {
    /// How many different values there are, about.
    pub fn distinct(&self) -> u64 {
        (self.values.len() as u64).saturating_mul(self.scale)
    }
}

impl From<&ValueTally> for ValueCounts {
    fn from(tally: &ValueTally) -> Self {
        let values = tally.values().into_iter();
        let values = values.map(|(value, rows)| (value.to_owned(), rows)).collect();
        ValueCounts { values, scale: tally.scale() }
    }
}

/// The rows of a release as they are at last.
#[derive(Debug, Clone, Default)]
pub struct FinalRows {
    /// What the columns give away that stay as they are.
    pub exposure: Exposure,
    /// The release that is left, where rows were left out when all were there.
    pub remaining: Option<Remaining>,
    /// What was left out then.
    pub finished: Finished,
    /// What stood in the way, as the refusal of a check.
    pub obstacle: Option<Error>,
}

impl FinalRows {
    /// The release as it is at last.
    pub fn release<'a>(&'a self, planned: &'a Release) -> &'a Release {
        self.remaining.as_ref().map_or(planned, |remaining| &remaining.release)
    }
}

/// A release of which rows were left out when all were there.
#[derive(Debug, Clone)]
pub struct Remaining {
    /// Its classes, measures and labels.
    pub release: Release,
    /// For each row of the input, whether it is released.
    pub kept: Vec<bool>,
}

/// What was read back.
#[derive(Debug, Clone)]
pub struct ReadBack {
    /// What the independent verifier found.
    pub verdict: Verdict,
    /// Whether it is what was written; none if nobody can tell.
    pub same: Option<bool>,
    /// Whether it holds texts that a spreadsheet would take for formulas.
    pub formulas: bool,
    /// How many rows the unchanged columns single out, each and together, where that is known of what was written only.
    pub singled_out: Option<(Vec<Unchanged>, Option<Unchanged>)>,
}
