//! The list of checks, and what each looks at.

pub(crate) mod bias;
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

pub use finding::{CheckStatus, Finding};
pub use judgement::Judgement;
pub use list::{CHECKS, ReleaseCheck, checks_page};
