//! What is told of a run.

pub(crate) mod many_values;
pub(crate) mod requirement_results;
pub(crate) mod results_file;
pub(crate) mod run_report;
pub(crate) mod shareable;
pub(crate) mod status;
pub(crate) mod text;
pub(crate) mod trace;
