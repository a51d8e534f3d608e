//! From a spec to a run that can start.

pub(crate) mod declaration;
pub(crate) mod finishing;
pub(crate) mod from_spec;
pub(crate) mod guessed_roles;
pub(crate) mod hierarchies;
pub(crate) mod interface;
pub(crate) mod job;
pub(crate) mod opening;
pub(crate) mod ranges;
pub(crate) mod run_plan;
pub(crate) mod threads;
pub(crate) mod warning;
