//! Cell suppression: what the methods that blank single cells share.
//!
//! A group of rows is released with the values on which its rows agree; the columns in which they differ
//! are blank for all of them. So a solution is a partition of the rows, and what it costs is, for every
//! group, its size times the weight of its differing columns.
//!
//! [`BlankingContext`] holds the rows and turns groups into a recoding. [`SuppressionPatterns`] are the combinations of values
//! and blanks that enough rows fit: a row's cheapest pattern bounds what it must pay, and a search moves
//! rows between patterns. [`prove`] goes through all partitions of a small table. [`crowds`] are for the
//! weaker reading, in which a blank matches anything.

mod balance;
mod branch_and_bound;
mod context;
mod merge_failing;
mod patterns;
mod proof;
mod search;
mod small_table;
mod solve;
mod state;
mod wildcard_crowds;

pub(crate) use context::{BlankingContext, RowGrouping};
pub(crate) use patterns::SuppressionPatterns;
pub(crate) use proof::prove;
pub(crate) use search::BlankingBudget;
pub(crate) use solve::{BlankingPlan, check_width, hopeless, improve, solution};
pub(crate) use wildcard_crowds::fewest;
