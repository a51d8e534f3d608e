//! What the methods share that give each row a group of its own making, rather than every value: cutting
//! a table into parts, pricing sets of rows, suppressing outliers.

mod assign;
mod candidates;
mod cut;
mod merits;
mod movable;
mod partition;
mod spread;
mod trim;

pub(crate) use assign::assigned;
pub(crate) use movable::{Movable, SMALL};
pub use partition::{Ahead, Along, Cut, Dimension, Mode};
pub(crate) use partition::{Part, PartitionRules, Piece, partition, pieces};
pub(crate) use spread::Spreads;
pub(crate) use trim::trimmed;
