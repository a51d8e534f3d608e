//! Top down: rows are divided between two that are far apart, again and again; then the groups that fail
//! are repaired.

use super::group::{ClusterGroups, farthest, rows_of, take};
use crate::kit::SearchRng;
use crate::search::StopReason;
use crate::space::rows::{ProfileRows, SpreadTable, TablePart};

/// How often the two rows may be moved farther apart.
const ROUNDS: usize = 6;

/// Clusters a block; `Err` if the search must stop.
pub(super) fn cluster(
    groups: &mut ClusterGroups<'_>,
    block: &[ProfileRows],
    seed: u64,
) -> Result<(), StopReason> {
    let mut chance = SearchRng::of_seed(seed);
    let mut open = vec![block.to_vec()];
    while let Some(part) = open.pop() {
        groups.check()?;
        if rows_of(&part) <= groups.k() {
            groups.push(part);
            continue;
        }
        match divide(groups.spreads, part, &mut chance) {
            Ok((left, right)) => {
                open.push(right);
                open.push(left);
            }
            Err(alike) => groups.push(alike),
        }
    }
    mend(groups)?;
    groups.divide_large();
    Ok(())
}

/// The rows on either side of two that are far apart; all of them if none differ.
fn divide(
    spreads: &SpreadTable,
    mut part: TablePart,
    chance: &mut SearchRng,
) -> Result<(TablePart, TablePart), TablePart> {
    let (one, other) = far_apart(spreads, &part, chance);
    let seeds = [part[one], part[other]];
    let [cell, far] = seeds.map(|seed| spreads.cell(seed.cell));
    // A bin has a width, so a row may cost something by itself; what matters is what the other one adds.
    if one == other || spreads.joint_penalty(cell, far) <= spreads.penalty(cell) {
        return Err(part);
    }
    let mut spread = seeds.map(|seed| spreads.cell(seed.cell).to_vec());
    let mut sizes = seeds.map(|seed| seed.count as f64);
    let mut penalties = [0, 1].map(|side: usize| sizes[side] * spreads.penalty(&spread[side]));
    let mut sides = seeds.map(|seed| vec![seed]);
    let mut index = 0;
    part.retain(|_| {
        index += 1;
        index - 1 != one && index - 1 != other
    });
    shuffle(&mut part, chance);
    for piece in part {
        let (cell, rows) = (spreads.cell(piece.cell), piece.count as f64);
        let then = [0, 1]
            .map(|side: usize| (sizes[side] + rows) * spreads.joint_penalty(&spread[side], cell));
        let side = usize::from(then[1] - penalties[1] < then[0] - penalties[0]);
        spreads.add(&mut spread[side], cell);
        sizes[side] += rows;
        penalties[side] = then[side];
        sides[side].push(piece);
    }
    let [left, right] = sides;
    Ok((left, right))
}

/// Two rows that are far apart: the farthest from a random one, the farthest from that, and so on while
/// the distance grows.
fn far_apart(
    spreads: &SpreadTable,
    part: &[ProfileRows],
    chance: &mut SearchRng,
) -> (usize, usize) {
    let mut row = chance.evenly(rows_of(part));
    let mut one = 0;
    while row >= part[one].count {
        row -= part[one].count;
        one += 1;
    }
    let distance = |one: usize, other: usize| {
        spreads.joint_penalty(spreads.cell(part[one].cell), spreads.cell(part[other].cell))
    };
    let mut other = farthest(spreads, spreads.cell(part[one].cell), part);
    for _ in 1..ROUNDS {
        let next = farthest(spreads, spreads.cell(part[other].cell), part);
        if distance(other, next) <= distance(one, other) {
            break;
        }
        (one, other) = (other, next);
    }
    (one, other)
}

fn shuffle(part: &mut TablePart, chance: &mut SearchRng) {
    for at in (1..part.len()).rev() {
        part.swap(at, chance.evenly(at as u64 + 1) as usize);
    }
}

/// Lets every group that fails take rows from a large group or join the nearest one, whichever costs less.
fn mend(groups: &mut ClusterGroups<'_>) -> Result<(), StopReason> {
    // One group is all that is left at worst, and a whole block passes.
    loop {
        let mut mended = true;
        for group in 0..groups.len() {
            if groups.size(group) == 0 || groups.passes(group) {
                continue;
            }
            groups.check()?;
            mended = false;
            let Some((join_cost, host)) = nearest_group(groups, group) else { return Ok(()) };
            match cheapest_loan(groups, group).filter(|loan| loan.cost < join_cost) {
                Some(RowTransfer { lender, taken, kept, .. }) => {
                    groups.replace(group, taken);
                    groups.replace(lender, kept);
                }
                None => groups.merge(group, host),
            }
        }
        if mended {
            return Ok(());
        }
    }
}

/// The group that costs least to join, and what it costs.
fn nearest_group(groups: &ClusterGroups<'_>, group: usize) -> Option<(f64, usize)> {
    let own = groups.penalty(group);
    let mut best: Option<(f64, usize)> = None;
    for other in (0..groups.len()).filter(|&other| other != group && groups.size(other) > 0) {
        let cost = groups.joint_penalty(group, other) - own - groups.penalty(other);
        if best.is_none_or(|best| cost < best.0) {
            best = Some((cost, other));
        }
    }
    best
}

/// Rows that a small group takes from a large one.
struct RowTransfer {
    cost: f64,
    lender: usize,
    /// The small group with them.
    taken: TablePart,
    /// The large one without.
    kept: TablePart,
}

/// The k - |G| rows of a group of at least 2k - |G| rows that cost a group G least, if both would pass.
fn cheapest_loan(groups: &ClusterGroups<'_>, group: usize) -> Option<RowTransfer> {
    let (k, size) = (groups.k(), groups.size(group));
    if size >= k {
        return None;
    }
    let mut best: Option<RowTransfer> = None;
    for lender in (0..groups.len()).filter(|&at| at != group && groups.size(at) >= 2 * k - size) {
        let loan = loan(groups, group, lender, k - size);
        let better = best.as_ref().is_none_or(|best| loan.cost < best.cost);
        if better && groups.would_pass(&loan.taken) && groups.would_pass(&loan.kept) {
            best = Some(loan);
        }
    }
    best
}

/// The rows of a donor group that are nearest to a group, moved there.
fn loan(groups: &ClusterGroups<'_>, group: usize, lender: usize, rows: u64) -> RowTransfer {
    let spreads = groups.spreads;
    let mut nearest: TablePart = groups.part(lender).clone();
    let spread = groups.spread(group);
    // The nearest last, so that they can be taken off the end; the first of equals.
    nearest.sort_by(|a, b| {
        let far = |piece: &ProfileRows| spreads.joint_penalty(spread, spreads.cell(piece.cell));
        far(b).total_cmp(&far(a)).then((b.cell, b.label).cmp(&(a.cell, a.label)))
    });
    let mut taken = groups.part(group).clone();
    let mut missing = rows;
    while missing > 0 && !nearest.is_empty() {
        let last = nearest.len() - 1;
        let piece = take(&mut nearest, last, missing);
        missing -= piece.count;
        taken.push(piece);
    }
    let penalty = |part: &[ProfileRows]| {
        let mut spread = vec![0; spreads.stride()];
        part.iter().for_each(|piece| spreads.add(&mut spread, spreads.cell(piece.cell)));
        rows_of(part) as f64 * spreads.penalty(&spread)
    };
    let before = groups.penalty(group) + groups.penalty(lender);
    RowTransfer { cost: penalty(&taken) + penalty(&nearest) - before, lender, taken, kept: nearest }
}
