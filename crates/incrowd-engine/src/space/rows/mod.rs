//! What the methods share that give each row a group of its own making, rather than every value: cutting
//! a table into parts, pricing sets of rows, suppressing outliers.

mod assign;
mod candidates;
mod cut;
mod cut_merits;
mod movable_rows;
mod outliers;
mod part_view;
mod partition;
mod parts;
mod rules;
mod split;
mod spread;

pub(crate) use assign::assigned;
pub(crate) use movable_rows::{MovableRows, SMALL};
pub(crate) use outliers::trimmed;
pub(crate) use partition::partition;
pub(crate) use parts::{ProfileRows, TablePart, pieces};
pub(crate) use rules::PartitionRules;
pub use rules::{DimensionRule, HierarchyCuts, LookAhead, PartitionMode, SplitCriterion};
pub(crate) use spread::SpreadTable;
