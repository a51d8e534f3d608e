//! Bottom up: every group that fails is merged with the one with which it costs least.
//!
//! The paper takes the least NCP(G + G'). That charges G for what G' costs already, so groups join small
//! ones far away rather than large ones nearby; what a merger adds to the whole table's penalty is
//! NCP(G + G') - NCP(G'), and that is what is least here.

use super::group::ClusterGroups;
use crate::search::StopReason;
use crate::space::rows::ProfileRows;

/// Clusters a block; `Err` if the search must stop.
pub(super) fn cluster(
    groups: &mut ClusterGroups<'_>,
    block: &[ProfileRows],
) -> Result<(), StopReason> {
    // Identical rows cost nothing together: they begin as one group. Pieces of a cell lie side by side.
    for same in block.chunk_by(|a, b| a.cell == b.cell) {
        groups.push(same.to_vec());
    }
    let mut alive: Vec<usize> = (0..groups.len()).collect();
    while alive.iter().any(|&at| !groups.passes(at)) {
        for place in 0..alive.len() {
            let group = alive[place];
            if groups.size(group) == 0 || groups.passes(group) {
                continue;
            }
            groups.check()?;
            if let Some(other) = cheapest(groups, group, &alive) {
                groups.merge(group, other);
            }
        }
        // Divided before they can grow any further, and counted among the groups from now on.
        groups.divide_large();
        alive = (0..groups.len()).filter(|&at| groups.size(at) > 0).collect();
        if alive.len() == 1 {
            break;
        }
    }
    Ok(())
}

/// The group by which the penalty of all rows grows least if another one joins it, the first of equals.
fn cheapest(groups: &ClusterGroups<'_>, group: usize, alive: &[usize]) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for &other in alive {
        if other == group || groups.size(other) == 0 {
            continue;
        }
        let growth = groups.joint_penalty(group, other) - groups.penalty(other);
        if best.is_none_or(|best| growth < best.0) {
            best = Some((growth, other));
        }
    }
    best.map(|best| best.1)
}
