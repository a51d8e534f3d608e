//! The best release without knowing methods.
//!
//! [`AutoMethod`] chooses a method by the [`ReleaseKind`] of release that is asked for, the size of the table, the metric and the
//! [`SearchEffort`]; it may try several and keeps the best. [`MethodChoice`] is what a run is told: auto, or a method by name.
//! This module stands above all methods: it may know every one of them, and none knows it.

mod algorithm;
mod by_narrowing;
mod ladders;
mod method_choice;
mod plan;
mod prove;
mod release_kind;
mod search;
mod settings;
#[cfg(test)]
mod tests;

pub use method_choice::MethodChoice;
pub use prove::ProofEffort;
pub use release_kind::{ReleaseKind, SearchEffort};
pub use settings::AutoMethod;
