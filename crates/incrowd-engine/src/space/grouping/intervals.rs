//! Groupings by intervals.

use super::context::{GroupingContext, ValueMove, ValueSlots};
use super::state::GroupingState;
use crate::space::cuts::CutSet;

impl GroupingContext<'_> {
    /// The grouping of a cut set: an interval's slot is its first value.
    pub(crate) fn intervals(&self, cuts: &CutSet) -> ValueSlots {
        (0..self.grid.axes.len())
            .map(|axis| {
                let intervals = cuts.intervals(axis);
                intervals.flat_map(|(first, end)| vec![first as u16; end - first]).collect()
            })
            .collect()
    }
}

impl GroupingState<'_, '_> {
    /// Where an axis is cut, if its groups are intervals: by position, both ends included.
    pub(crate) fn cuts(&self, axis: usize) -> Vec<bool> {
        let slots = &self.groups[axis];
        let inner = slots.windows(2).map(|pair| pair[0] != pair[1]);
        [true].into_iter().chain(inner).chain([true]).collect()
    }

    /// Takes another grouping by intervals, given by position for each axis; by moves, if few cells move.
    pub(crate) fn go_to(&mut self, cuts: &[Vec<bool>]) {
        let moves: Vec<Vec<ValueMove>> = cuts
            .iter()
            .enumerate()
            .map(|(axis, made)| self.moves_to_intervals(axis, made))
            .collect();
        let cells = |(axis, moves): (usize, &Vec<ValueMove>)| {
            let lists = &self.frame.lists[axis];
            moves.iter().map(|&(value, _)| lists.of(usize::from(value)).len()).sum::<usize>()
        };
        if moves.iter().enumerate().map(cells).sum::<usize>() < self.class_of.len() {
            for (axis, moves) in moves.iter().enumerate().filter(|(_, moves)| !moves.is_empty()) {
                self.propose(axis, moves);
                self.accept();
            }
            return;
        }
        let mut groups = std::mem::take(&mut self.groups);
        for (slots, moves) in groups.iter_mut().zip(&moves) {
            for &(value, slot) in moves {
                slots[usize::from(value)] = slot;
            }
        }
        self.load(groups);
    }

    /// The moves that make intervals of an axis: those between positions that are marked. As few cells
    /// move as can be without much thought: every interval stays where most of it is, if it can.
    pub(crate) fn moves_to_intervals(&self, axis: usize, made: &[bool]) -> Vec<ValueMove> {
        let slots = &self.groups[axis];
        let lists = &self.frame.lists[axis];
        let mut intervals = Vec::new();
        let mut first = 0;
        let edge = |at: &usize| *at == slots.len() || made[*at];
        for end in (1..=slots.len()).filter(edge) {
            // The slot that most cells of the interval are in.
            let (mut best, mut run) = ((0, slots[first]), (0, slots[first]));
            for (at, &slot) in slots[first..end].iter().enumerate() {
                if slot != run.1 {
                    run = (0, slot);
                }
                run.0 += lists.of(first + at).len();
                best = if run.0 > best.0 { run } else { best };
            }
            intervals.push((best.0, first, end, best.1));
            first = end;
        }
        intervals.sort_unstable_by_key(|&(cells, first, ..)| (std::cmp::Reverse(cells), first));
        let mut taken = vec![false; slots.len()];
        let mut homeless = Vec::new();
        let mut moves = Vec::new();
        let mut settle = |first: usize, end: usize, slot: u16| {
            let stray = (first..end).filter(|&value| slots[value] != slot);
            moves.extend(stray.map(|value| (value as u16, slot)));
        };
        for (_, first, end, slot) in intervals {
            if std::mem::replace(&mut taken[usize::from(slot)], true) {
                homeless.push((first, end));
            } else {
                settle(first, end, slot);
            }
        }
        let mut free = (0..slots.len()).filter(|&slot| !taken[slot]);
        for (first, end) in homeless {
            // There are no more intervals than values, hence than slots.
            let slot = free.next().unwrap_or(first);
            settle(first, end, slot as u16);
        }
        moves
    }
}
