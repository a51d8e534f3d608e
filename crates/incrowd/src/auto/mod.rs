//! The best release without knowing methods.
//!
//! [`Auto`] chooses a method by the [`Kind`] of release that is asked for, the size of the table, the metric and the
//! [`Effort`]; it may try several and keeps the best. [`Approach`] is what a run is told: auto, or a method by name.
//! This room stands above all methods: it may know every one of them, and none knows it.

mod approach;
mod kind;
mod ladders;
mod plan;
mod prove;
mod search;
mod settings;
#[cfg(test)]
mod tests;

pub use approach::Approach;
pub use kind::{Effort, Kind};
pub use prove::Prove;
pub use settings::Auto;
