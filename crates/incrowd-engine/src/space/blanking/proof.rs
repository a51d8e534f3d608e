//! The best partition of a small table, by branch and bound.
//!
//! A group of 2k rows or more can be split without a further blank, so groups of k to 2k - 1 rows suffice.
//! (Where a split saves nothing, both parts have the blanks of the whole: the balance stays the same, too.)

use super::balance::BlankBalance;
use super::branch_and_bound::{PartitionSearch, ScoredGrouping};
use super::context::{BlankingContext, RowGrouping};
use super::small_table::SmallTable;
use crate::search::{Control, StopReason};
use crate::space::rows::SMALL;

/// What a proof came to.
pub(crate) struct PartitionProof {
    pub(crate) grouping: RowGrouping,
    pub(crate) nodes: u64,
    /// Whether nothing better exists.
    pub(crate) proven: bool,
    /// Why it was given up, if the control ended it.
    pub(crate) stopped: Option<StopReason>,
}

/// Proves a grouping best or finds a better one: fewest blanks by weight and, with `balance`, then the
/// smallest spread over columns, then the fewest blanks in the row that has most. None if the table is too
/// large, or if models beyond k ask for more than groups of k to 2k - 1 rows.
pub(crate) fn prove(
    ground: &BlankingContext<'_>,
    start: &RowGrouping,
    balance: bool,
    most_nodes: u64,
    control: &Control,
) -> Option<PartitionProof> {
    let free = ground.problem.privacy.is_by_size();
    // A bit for each row.
    if ground.problem.rows > SMALL || ground.columns() > 64 || !free || most_nodes == 0 {
        return None;
    }
    let small = SmallTable::new(ground);
    let leaf = |grouping: &RowGrouping| ScoredGrouping {
        grouping: grouping.clone(),
        cost: ground.cost(grouping),
        spread: BlankBalance::of(ground, grouping),
    };
    let mut search = PartitionSearch::new(&small, leaf(start), most_nodes, control);
    search.run(false);
    if balance && search.is_done() {
        // The balance was not looked at so far.
        search.best = leaf(&search.best.grouping);
        search.run(true);
    }
    Some(PartitionProof {
        proven: search.is_done(),
        nodes: search.nodes,
        stopped: search.stopped,
        grouping: search.best.grouping,
    })
}
