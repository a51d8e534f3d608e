//! The one way from a question to a release, for every back end and every front end.
//!
//! ```text
//! RunPlan ▶ CountedRun ▶ SearchedRun ▶ RecodedRelease ▶ FinishedRelease ▶ JudgedRelease ▶ StagedRelease ▶ committed
//! ```
//!
//! Each state is what the step before it made; a [back end](TableBackend) does what depends on where rows lie. The
//! [checks](crate::checks::list) look at the evidence as it comes. A release is shown to others in one place,
//! [`StagedRelease::commit`], and only with the permit of all checks. A saved recoding [enters](crate::pipeline::apply) after
//! the search.

#[cfg(feature = "parquet")]
pub(crate) mod anonymization_result;
#[cfg(feature = "parquet")]
pub(crate) mod anonymize;
pub(crate) mod apply;
pub(crate) mod block_run;
mod certificate;
pub(crate) mod counted_run;
#[cfg(feature = "parquet")]
pub(crate) mod memory_run;
pub(crate) mod obstacle;
pub(crate) mod release;
pub(crate) mod run;
pub(crate) mod saved_search;
pub(crate) mod searched_run;
pub(crate) mod staged_release;
pub(crate) mod timed_search;
