//! What every search has in common: a [`Control`] that steers it and hears of it, and a [`Solution`].

mod control;
mod herald;
mod solution;

pub use control::{Cancel, Control, Event, Phase, StopReason};
pub(crate) use herald::Herald;
pub use solution::{
    Chosen, CoverFacts, Details, FrontierPoint, LatticeFacts, Outcome, RankedNode, Solution, Tried,
};
