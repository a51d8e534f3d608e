//! Cell suppression: what the methods that blank single cells share.
//!
//! A group of rows is released with the values on which its rows agree; the columns in which they differ
//! are blank for all of them. So a solution is a partition of the rows, and what it costs is, for every
//! group, its size times the weight of its differing columns.
//!
//! [`BlankingContext`] holds the rows and turns groups into a recoding. [`SuppressionPatterns`] are the combinations of values
//! and blanks that enough rows fit: a row's cheapest pattern bounds what it must pay, and a search moves
//! rows between patterns. [`prove`] goes through all partitions of a small table. [`fewest`] is for the
//! weaker reading, in which a blank matches anything: [`OwnBlanks`](own_blanks::OwnBlanks) are what each row
//! needs by itself, [`SharedCrowds`](shared_crowds::SharedCrowds) what is enough together.

mod balance;
mod branch_and_bound;
mod context;
mod crowd_rule;
mod known_counts;
mod marginal_drift;
mod merge_failing;
mod own_blanks;
mod patterns;
mod proof;
mod search;
mod settled_crowds;
mod shared_crowds;
mod small_table;
mod solve;
mod state;
mod wildcard_crowds;

pub(crate) use context::{BlankingContext, RowGrouping};
pub(crate) use patterns::SuppressionPatterns;
pub(crate) use proof::prove;
pub(crate) use search::BlankingBudget;
pub(crate) use solve::{BlankingPlan, BlankingResult, check_width, hopeless, improve, solution};
pub use wildcard_crowds::CrowdSource;
pub(crate) use wildcard_crowds::{WildcardMasks, WildcardPlan, fewest, fewest_for_known};
