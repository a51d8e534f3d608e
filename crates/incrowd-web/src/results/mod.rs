//! What was asked and what was found, as a session and a project keep it.

mod found;
mod history;
mod progress;
mod summaries;

use incrowd_run::Error;

pub(crate) use found::{
    AttackResult, FoundRelease, ReleaseAlternatives, ReleaseForms, SearchSpec, UtilityResult,
    WrittenRelease,
};
pub(crate) use history::SpecHistory;
pub(crate) use progress::{ProgressPoint, TaskProgress, WorkState};
pub(crate) use summaries::{
    AnalystStatistics, AppliedRecoding, AttackResultRow, AttackSummary, FormFile, FormsSummary,
    PredictionSummary, QuerySummary, RecordSummary, RiskResult, UtilitySummary, WrittenFile,
    WrittenSummary,
};

/// Nobody has written the lines of a spec that pages have put together.
pub(crate) fn without_lines(error: Error) -> Error {
    Error { snippet: None, place: None, ..error }
}
