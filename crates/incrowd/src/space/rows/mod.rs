//! What the methods share that give each row a group of its own making, rather than every value: cutting
//! a table into parts, pricing sets of rows, suppressing outliers.

mod assign;
mod candidates;
mod cut;
mod merits;
mod movable;
mod partition;
mod pieces;
mod rules;
mod split;
mod spread;
mod trim;
mod view;

pub(crate) use assign::assigned;
pub(crate) use movable::{Movable, SMALL};
pub(crate) use partition::partition;
pub(crate) use pieces::{Part, Piece, pieces};
pub(crate) use rules::PartitionRules;
pub use rules::{Ahead, Along, Cut, Dimension, Mode};
pub(crate) use spread::Spreads;
pub(crate) use trim::trimmed;
