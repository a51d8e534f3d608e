//! The groups that the values of a column may form, and the changes that a chain may propose.

use crate::kit::SearchRng;
use crate::space::cuts::{Axis, NearestDivision, ProfileGrid};
use crate::value::{Attribute, ClassSummary};

/// The groups that the values of an axis may form.
enum ValueShape {
    /// Any of the values from this one on; one before it means that there is none, and stands alone.
    Sets(usize),
    /// Intervals that the axis allows, nodes of a hierarchy among them.
    Intervals(NearestDivision),
}

/// The shapes of all axes.
pub(super) struct ValueShapes {
    of: Vec<ValueShape>,
}

/// The chances of shifting a cut, of making one, and of taking one back; otherwise many are taken back.
const SHIFT: f64 = 0.35;
const MAKE: f64 = 0.3;
const DROP: f64 = 0.25;

/// The chances that a value goes to another group, that it stands alone, and that two groups become one; otherwise one
/// is divided.
const GO: f64 = 0.4;
const ALONE: f64 = 0.2;
const JOIN: f64 = 0.25;

impl ValueShapes {
    pub(super) fn new(grid: &ProfileGrid<'_>) -> Self {
        let axes = grid.axes.iter().zip(&grid.problem.attributes);
        let shape = |(axis, attribute): (&Axis, &Attribute)| {
            // Values that have an order, and cuts that are asked for, make intervals.
            let text = !attribute.domain.is_numeric() && attribute.domain.is_alphabetical();
            let shows_sets = attribute.summary == ClassSummary::Range && !axis.has_nodes();
            match text && shows_sets && attribute.hierarchy.is_none() && attribute.cuts.is_empty() {
                true => ValueShape::Sets(usize::from(axis.begins_with_missing())),
                false => ValueShape::Intervals(NearestDivision::new(axis)),
            }
        };
        ValueShapes { of: axes.map(shape).collect() }
    }

    /// The smallest groups of an axis: every value by itself, where that is allowed.
    pub(super) fn finest(&self, axis: usize, values: usize) -> Vec<u16> {
        let mut made = vec![true; values + 1];
        if let ValueShape::Intervals(nearest) = &self.of[axis] {
            nearest.mend(&mut made, None);
        }
        slots_of(&made)
    }

    /// Other groups of an axis, or none if nothing was found to do. Values of one slot form a group.
    pub(super) fn propose(
        &self,
        axis: usize,
        slots: &[u16],
        chance: &mut SearchRng,
    ) -> Option<Vec<u16>> {
        let new = match &self.of[axis] {
            ValueShape::Sets(first) => sets(slots, *first, chance),
            ValueShape::Intervals(nearest) => intervals(slots, nearest, chance),
        };
        new.filter(|new| new != slots)
    }
}

fn intervals(slots: &[u16], nearest: &NearestDivision, chance: &mut SearchRng) -> Option<Vec<u16>> {
    if nearest.open.is_empty() {
        return None;
    }
    let values = slots.len();
    let mut made: Vec<bool> =
        (0..=values).map(|at| at == 0 || at == values || slots[at - 1] != slots[at]).collect();
    let cut: Vec<usize> = nearest.open.iter().copied().filter(|&at| made[at]).collect();
    let uncut: Vec<usize> = nearest.open.iter().copied().filter(|&at| !made[at]).collect();
    let draw = chance.share();
    let kept = if draw < SHIFT && !cut.is_empty() {
        let at = chance.of(&cut);
        let far = 1 + chance.below(1 + values / 8);
        let to = if chance.happens(0.5) { at.checked_sub(far)? } else { at + far };
        if to == 0 || to >= values {
            return None;
        }
        made[at] = false;
        made[to] = true;
        Some(to)
    } else if draw < SHIFT + MAKE && !uncut.is_empty() {
        let at = chance.of(&uncut);
        made[at] = true;
        Some(at)
    } else if draw < SHIFT + MAKE + DROP && !cut.is_empty() {
        let at = chance.of(&cut);
        made[at] = false;
        Some(at)
    } else {
        for at in cut {
            made[at] = chance.happens(0.5);
        }
        None
    };
    if !nearest.mend(&mut made, kept) {
        return None;
    }
    Some(slots_of(&made))
}

/// The slots of intervals between cuts.
fn slots_of(made: &[bool]) -> Vec<u16> {
    let mut slot = 0;
    let value = |at: usize| {
        if made[at] {
            slot = at as u16;
        }
        slot
    };
    (0..made.len() - 1).map(value).collect()
}

fn sets(slots: &[u16], first: usize, chance: &mut SearchRng) -> Option<Vec<u16>> {
    let values = slots.len();
    if values < first + 2 {
        return None;
    }
    let mut new = slots.to_vec();
    let any = |chance: &mut SearchRng| first + chance.below(values - first);
    let (value, other) = (any(chance), any(chance));
    let free = (0..values as u16).find(|slot| !slots.contains(slot));
    let draw = chance.share();
    if draw < GO {
        new[value] = slots[other];
    } else if draw < GO + ALONE {
        new[value] = free?;
    } else if draw < GO + ALONE + JOIN {
        for slot in new.iter_mut().filter(|slot| **slot == slots[value]) {
            *slot = slots[other];
        }
    } else {
        let apart = free?;
        for slot in new.iter_mut().filter(|slot| **slot == slots[value]) {
            if chance.happens(0.5) {
                *slot = apart;
            }
        }
    }
    Some(new)
}
