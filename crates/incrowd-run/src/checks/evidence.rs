//! What the checks judge: what was counted, recoded and read back.

use incrowd_assess::bias::SuppressionEffect;
use incrowd_assess::expose::{Exposure, UnchangedColumn, ValueTally};
use incrowd_engine::{Control, FrequencyCounts, Release};
use incrowd_verify::{Requirements, Verdict};

use super::subject_evidence::SubjectEvidence;
use super::subjects::{SubjectComparison, SubjectLinkage};
use crate::plan::finishing::FinishingResult;
use crate::plan::job::Job;
use crate::plan::run_plan::ImpliedColumns;
use crate::recode::pass::LabelPairs;
use crate::recode::release_plan::ReleasePlan;
use crate::{Error, Source};

/// What was counted of a table.
#[derive(Debug)]
pub struct TableCounts {
    /// The combinations.
    pub counts: FrequencyCounts,
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
    pub remaining: Option<RemainingRelease>,
    /// What was left out then.
    pub finished: FinishingResult,
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
pub struct RemainingRelease {
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
    pub singled_out: Option<(Vec<UnchangedColumn>, Option<UnchangedColumn>)>,
}

/// All that is known of a run at some stage.
#[derive(Clone)]
pub(crate) struct RunEvidence<'a> {
    pub(crate) job: &'a Job,
    /// The table's columns.
    pub(crate) source: &'a Source,
    /// What the back end cannot do.
    pub(crate) lacks: Option<&'a Error>,
    pub(crate) counted: Option<CountedEvidence<'a>>,
    pub(crate) release: Option<FinishedEvidence<'a>>,
    /// What was read back; none as long as nothing was.
    pub(crate) read_back: Option<&'a ReadBack>,
    /// What suppression does to the columns, by their values; none as long as nobody has counted them.
    pub(crate) effects: Option<&'a [SuppressionEffect]>,
    /// Whether nothing is written.
    pub(crate) dry: bool,
    /// Columns that another check has refused: what they would do beside others need not be told.
    pub(crate) to_leave_out: Vec<String>,
    pub(crate) control: Control,
}

impl<'a> RunEvidence<'a> {
    /// What is known before anything is counted.
    pub(crate) fn of_back_end(job: &'a Job, source: &'a Source, lacks: Option<&'a Error>) -> Self {
        RunEvidence {
            job,
            source,
            lacks,
            counted: None,
            release: None,
            read_back: None,
            effects: None,
            dry: false,
            to_leave_out: Vec::new(),
            control: Control::new(),
        }
    }
}

/// What was counted.
#[derive(Clone, Copy)]
pub(crate) struct CountedEvidence<'a> {
    pub(crate) table: &'a TableCounts,
    /// Rows to look at closely, if they can be had.
    pub(crate) sample: Option<&'a Source>,
    pub(crate) implied: &'a ImpliedEvidence,
    pub(crate) comparison: &'a SubjectComparison,
    pub(crate) subjects: &'a [(usize, SubjectEvidence)],
}

/// Which released columns follow from quasi-identifiers.
#[derive(Debug)]
pub(crate) enum ImpliedEvidence {
    /// No column could.
    NotAsked,
    /// No rows can be had to find out.
    Unknown,
    /// These do, and these tell something together.
    Found(ImpliedColumns),
}

impl ImpliedEvidence {
    /// The columns that follow.
    pub(crate) fn columns(&self) -> Vec<String> {
        match self {
            ImpliedEvidence::Found(found) => found.names(),
            _ => Vec::new(),
        }
    }
}

/// A release that is finished.
#[derive(Clone, Copy)]
pub(crate) struct FinishedEvidence<'a> {
    /// The release as it was planned.
    pub(crate) plan: &'a ReleasePlan<'a>,
    pub(crate) pairs: &'a LabelPairs,
    pub(crate) rows: &'a FinalRows,
    pub(crate) requirements: &'a Requirements,
    pub(crate) subjects: &'a SubjectLinkage,
}
