//! For back ends: what a run asks of a table, wherever its rows lie.
//!
//! A back end is a type that implements [`TableBackend`]. It is handed to [`RunPlan::stage`](crate::RunPlan::stage), which
//! goes all the way, or to the steps one by one: [`RunPlan::search`](crate::RunPlan::search), then
//! [`StepContext::judge`](crate::StepContext::judge), [`JudgedRelease::stage`](crate::JudgedRelease::stage) and
//! [`StagedRelease::commit`](crate::StagedRelease::commit).
//!
//! A back end brings evidence: [`TableCounts`], [`SubjectEvidence`], [`FinalRows`], [`ReadBack`]. The
//! [list of checks](crate::checks::CHECKS) decides, and what is missing counts as failed. A back end cannot make a
//! [`ReleasePermit`], cannot find [`ImpliedColumns`] by itself, and cannot lessen what a release must hold.

pub(crate) mod destination;
pub(crate) mod fault;
pub(crate) mod fingerprint;
pub(crate) mod local;
pub(crate) mod table_backend;

pub use fingerprint::{Fingerprint, RowFingerprinter};
pub use table_backend::{PreviewScope, TableBackend};

pub use crate::checks::evidence::{
    FinalRows, ReadBack, RemainingRelease, TableCounts, ValueCounts,
};
pub use crate::checks::judgement::ReleasePermit;
pub use crate::checks::subject_evidence::{SubjectEvidence, ValueForm};
pub use crate::checks::subjects::SubjectComparison;
pub use crate::count::cells::watched_each;
pub use crate::plan::opening::treatments;
pub use crate::plan::run_plan::ImpliedColumns;
pub use crate::recode::columns::ReleasedColumns;
pub use crate::recode::pass::{LabelPairs, OutputColumn, changed};
pub use crate::recode::release_plan::ReleasePlan;
