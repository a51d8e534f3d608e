//! The list of checks, and what each looks at.

pub(crate) mod earlier_releases;
pub(crate) mod evidence;
pub(crate) mod exposure;
pub(crate) mod finding;
pub(crate) mod implied;
pub(crate) mod judgement;
pub(crate) mod judges;
pub(crate) mod list;
pub(crate) mod roles;
pub(crate) mod spellings;
pub(crate) mod subject_evidence;
pub(crate) mod subject_refusals;
pub(crate) mod subjects;
pub(crate) mod truth;

pub use evidence::{FinalRows, ReadBack, RemainingRelease, TableCounts, ValueCounts};
pub use finding::{CheckStatus, Finding};
pub use judgement::{Judgement, ReleasePermit};
pub use list::{CHECKS, ReleaseCheck, checks_page};
pub use subject_evidence::{SubjectEvidence, ValueForm};
pub use subjects::SubjectComparison;
