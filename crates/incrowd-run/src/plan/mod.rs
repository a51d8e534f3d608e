//! From a spec to a run that can start.

pub(crate) mod finishing;
pub(crate) mod from_spec;
pub(crate) mod guess;
pub(crate) mod hierarchies;
pub(crate) mod job;
pub(crate) mod opening;
pub(crate) mod ranges;
pub(crate) mod run_plan;
pub(crate) mod said;
pub(crate) mod threads;
pub(crate) mod voice;
pub(crate) mod warning;
