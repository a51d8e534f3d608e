//! What is told of a run.

pub(crate) mod column_results;
pub(crate) mod details;
pub(crate) mod many_values;
pub(crate) mod requirement_results;
pub(crate) mod results_file;
pub(crate) mod run_report;
pub(crate) mod shareable;
pub(crate) mod statement;
pub(crate) mod status;
pub(crate) mod summary;
pub(crate) mod summary_text;
pub(crate) mod text;
pub(crate) mod trace;

pub use details::bias_text;
pub use requirement_results::RequirementResult;
pub use results_file::ResultsFile;
pub use run_report::{MaskedColumn, UnlinkedUnits, cost_text, gap, gap_text, seconds_text};
pub use shareable::{Optimality, SafeCount, ShareableSummary};
pub use statement::{ColumnResult, Statement, Tone};
pub use summary::RunSummary;
pub use summary_text::TextStyle;
pub use text::{finished_text, finishing_text, names_text, sets_text, unchanged_text};
pub use trace::{TracePoint, Tracer};
