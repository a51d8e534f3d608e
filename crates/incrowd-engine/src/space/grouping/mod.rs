//! Searching by small moves: values of one attribute go from one group to another.
//!
//! The cut sets of [`cuts`](crate::space::cuts) divide every attribute into intervals. Here its values are put
//! into *groups*, which may be intervals but need not be. A [`GroupingState`] holds such a grouping with the
//! classes that it makes. It says what a move would cost by looking only at the classes that the move
//! touches, and all its sums are whole numbers: they are the same in whatever order moves were made.

mod change;
mod context;
mod cost_meter;
mod intervals;
mod moves;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use context::{GroupingContext, ValueMove, ValueSlots};
pub(crate) use cost_meter::{GroupingScore, nothing_found};
pub(crate) use state::GroupingState;
