//! What every search has in common: a [`Control`] that steers it and hears of it, and a [`Solution`].

mod control;
mod incumbent_reporter;
mod proof_log;
mod solution;

pub use control::{CancelToken, Control, Event, RunPhase, StopReason};
pub(crate) use incumbent_reporter::IncumbentReporter;
pub use proof_log::{
    ProofClassColumn, ProofColumn, ProofLog, ProofPrice, ProofQuestion, ProofShape,
};
pub use solution::{
    CoverFacts, FrontierPoint, LatticeFacts, Outcome, RankedNode, SelectedMethod, Solution,
    SolutionDetails, TriedMethod,
};
