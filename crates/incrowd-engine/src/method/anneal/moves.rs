//! The moves that a chain may propose.

use super::AllowedGroups;
use crate::kit::SearchRng;
use crate::problem::Problem;
use crate::space::cuts::{CutDecision, NearestDivision};
use crate::space::grouping::{GroupingContext, GroupingState, ValueMove, ValueSlots};
use crate::value::ClassSummary;

/// The groups that the values of an axis may form.
pub(super) enum GroupShape {
    /// Any; or, where the first value is a missing one, any of the others.
    Sets {
        /// Whether the first value stands alone or with all others.
        missing: bool,
    },
    /// Intervals that the axis allows.
    Intervals(NearestDivision),
}

/// The shapes of all axes.
pub(super) struct GroupShapes {
    pub(super) of: Vec<GroupShape>,
    /// The attributes that had to be intervals although any groups were asked for.
    held: Vec<usize>,
}

/// The share of collapsing moves that join whole groups.
const JOIN: f64 = 0.25;
/// The share of moves that shift a boundary instead of making or dropping one.
const SHIFT: f64 = 0.35;

impl GroupShapes {
    pub(super) fn new(frame: &GroupingContext<'_>, groups: AllowedGroups) -> Self {
        let grid = frame.grid;
        let mut shapes = GroupShapes { of: Vec::new(), held: Vec::new() };
        for (at, (axis, attribute)) in grid.axes.iter().zip(&grid.problem.attributes).enumerate() {
            // A mean, a pair of bounds and a node say nothing of what lies between.
            let tells_sets = matches!(attribute.summary, ClassSummary::Range | ClassSummary::Nodes);
            let shows_sets = tells_sets && !axis.has_nodes();
            if groups == AllowedGroups::Any && shows_sets {
                shapes.of.push(GroupShape::Sets { missing: axis.begins_with_missing() });
            } else {
                shapes.of.push(GroupShape::Intervals(NearestDivision::new(axis)));
                if groups == AllowedGroups::Any {
                    shapes.held.push(at);
                }
            }
        }
        shapes
    }

    /// What the user should know.
    pub(super) fn notes(&self, problem: &Problem) -> Vec<String> {
        let note = |&at: &usize| {
            let attribute = &problem.attributes[at];
            let (how, what) = match attribute.summary {
                ClassSummary::Node => ("nodes of its hierarchy", "values below one node"),
                _ => ("means, medians or bounds", "neighbours"),
            };
            let name = &attribute.name;
            format!("column {name:?} is released as {how}: only {what} are put together")
        };
        self.held.iter().map(note).collect()
    }

    /// The most general grouping that is allowed.
    pub(super) fn collapsed(&self, frame: &GroupingContext<'_>) -> ValueSlots {
        let mut groups = frame.collapsed();
        for (axis, shape) in self.of.iter().enumerate() {
            if let GroupShape::Intervals(_) = shape {
                let mut slot = 0;
                for value in 1..groups[axis].len() {
                    if frame.grid.axes[axis].settled(value) == CutDecision::In {
                        slot = value as u16;
                    }
                    groups[axis][value] = slot;
                }
            }
        }
        groups
    }

    /// Makes up moves of an axis; with this chance values are to be taken apart. Leaves `moves` empty if
    /// it finds nothing to do.
    pub(super) fn draw(
        &self,
        axis: usize,
        board: &GroupingState<'_, '_>,
        apart: f64,
        chance: &mut SearchRng,
        moves: &mut Vec<ValueMove>,
    ) {
        moves.clear();
        match &self.of[axis] {
            GroupShape::Sets { missing } => sets(axis, board, *missing, apart, chance, moves),
            GroupShape::Intervals(nearest) => {
                *moves = intervals(axis, board, nearest, apart, chance).unwrap_or_default();
            }
        }
    }
}

/// Winkler's moves: a value leaves its group and stands alone, or another joins it, alone or with its whole
/// group.
fn sets(
    axis: usize,
    board: &GroupingState<'_, '_>,
    missing: bool,
    apart: f64,
    chance: &mut SearchRng,
    moves: &mut Vec<ValueMove>,
) {
    let slots = &board.groups()[axis];
    let values = slots.len();
    let first = usize::from(missing);
    if values < 2 {
        return;
    }
    let whole = slots.iter().all(|slot| *slot == slots[0]);
    let value = chance.below(values);
    let home = slots[value];
    let free = |not: u16| {
        (0..values as u16).find(|&slot| slot != not && board.slot_values(axis, slot) == 0)
    };
    if missing && value == 0 {
        // Missing values go to all others, or leave them.
        if whole {
            moves.extend(free(home).map(|slot| (0, slot)));
        } else {
            moves.extend((1..values as u16).map(|value| (value, home)));
        }
        return;
    }
    let alone = board.slot_values(axis, home) == 1;
    if whole || (!alone && chance.share() < apart) {
        let Some(slot) = free(home) else { return };
        moves.push((value as u16, slot));
        if missing && whole {
            // The missing values cannot stay with the others; where there are none they have a home.
            if values > 2 {
                let other = (0..values as u16).find(|&other| other != home && other != slot);
                moves.extend(other.map(|other| (0, other)));
            }
        }
        return;
    }
    // One of the values outside.
    let outside = || (first..values).filter(|&other| slots[other] != home);
    let many = outside().count();
    if many == 0 {
        return;
    }
    let Some(other) = outside().nth(chance.below(many)) else { return };
    if chance.share() < JOIN {
        let theirs = slots[other];
        let joining = (0..values).filter(|&value| slots[value] == theirs);
        moves.extend(joining.map(|value| (value as u16, home)));
    } else {
        moves.push((other as u16, home));
    }
}

/// A cut is made, dropped or shifted.
fn intervals(
    axis: usize,
    board: &GroupingState<'_, '_>,
    nearest: &NearestDivision,
    apart: f64,
    chance: &mut SearchRng,
) -> Option<Vec<ValueMove>> {
    let mut made = board.cuts(axis);
    let adds = chance.share() < apart;
    let shifts = chance.share() < SHIFT;
    let of_kind = |made: &[bool], adds: bool| -> Vec<usize> {
        nearest.open.iter().copied().filter(|&at| made[at] != adds).collect()
    };
    let mut kind = of_kind(&made, adds && !shifts);
    let mut target = adds && !shifts;
    if kind.is_empty() {
        target = !target;
        kind = of_kind(&made, target);
    }
    if kind.is_empty() {
        return None;
    }
    let position = chance.of(&kind);
    made[position] = target;
    let mut kept = position;
    if shifts && !target {
        // As far as to the cuts on either side.
        let left = (0..position).rev().find(|&at| made[at])?;
        let right = (position + 1..made.len()).find(|&at| made[at])?;
        let near: Vec<usize> = nearest
            .open
            .iter()
            .copied()
            .filter(|&at| left < at && at < right && at != position)
            .collect();
        if !near.is_empty() {
            kept = chance.of(&near);
            made[kept] = true;
        }
    }
    nearest.mend(&mut made, Some(kept)).then(|| board.moves_to_intervals(axis, &made))
}
