//! What a run asks of a table, wherever its rows lie: in files, in memory, in a database, on a cluster.
//!
//! The [pipeline](crate::pipeline) is the same for all of them. A back end counts, recodes, writes where nobody sees it, reads back,
//! and shows the release to others when it is told to. It decides nothing: what it finds is evidence for the
//! [checks](crate::checks::list).

use incrowd_assess::bias::SuppressionEffect;
use incrowd_engine::{Control, Problem, Table};
use incrowd_verify::Requirements;

use crate::checks::evidence::{FinalRows, ReadBack, TableCounts};
use crate::checks::judgement::ReleasePermit;
use crate::checks::subject_evidence::SubjectEvidence;
use crate::checks::subjects::SubjectComparison;
use crate::plan::job::Job;
use crate::plan::run_plan::RunPlan;
use crate::recode::pass::LabelPairs;
use crate::recode::release_plan::ReleasePlan;
use crate::report::run_report::RunReport;
use crate::{Error, OutputFile, Result, Source};

/// A table that a run counts, recodes and releases.
pub trait TableBackend: Send {
    /// What of a job cannot be done here, with what helps; none if all can.
    fn lacks(&self, _job: &Job) -> Option<Error> {
        None
    }

    /// Counts the combinations of the columns that the question is about, and the values of columns that nobody has named.
    fn count(&mut self, plan: RunPlan<'_>, control: &Control) -> Result<TableCounts>;

    /// Rows that share values of a column, for every column of the comparison. A column that cannot be read tells nobody
    /// apart: of it no rows are told. A column that is left out is one that nobody can tell of.
    fn subjects(
        &mut self,
        plan: RunPlan<'_>,
        comparison: &SubjectComparison,
        rows: u64,
        control: &Control,
    ) -> Result<Vec<(usize, SubjectEvidence)>>;

    /// Rows by chance, or all of few: `known` columns as they are before any treatment, then `released` ones as they are
    /// released. Values may be stood for by others that are equal, greater and less as they are. None where rows cannot be
    /// had.
    fn rows_by_chance(
        &mut self,
        plan: RunPlan<'_>,
        known: &[usize],
        released: &[usize],
        control: &Control,
    ) -> Result<Option<Table>>;

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

    /// What suppression does to the columns. `plan` has the release as it is at last.
    fn suppression_effects(
        &mut self,
        plan: &ReleasePlan<'_>,
        rows: &FinalRows,
        control: &Control,
    ) -> Result<Vec<SuppressionEffect>>;

    /// Whether whoever asks gets a preview of the release with it.
    fn draws(&self) -> PreviewScope {
        PreviewScope::OnRequest
    }

    /// What there is to tell of the release that the plan does not know.
    fn tell(&self, _problem: &Problem, report: RunReport) -> RunReport {
        report
    }

    /// Shows the release to others, and gives the files their names with it.
    fn commit(&mut self, permit: ReleasePermit, files: Vec<OutputFile>) -> Result<()>;
}

/// Which previews of a release are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewScope {
    /// Those that the job asks for.
    OnRequest,
    /// The one that may be shared.
    Shared,
    /// The one that may be shared, and the one for the owner of the table.
    Both,
    /// None: what is here knows a part of the release only.
    None,
}
