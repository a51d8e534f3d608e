//! A cut set and the classes that it makes.

use super::shortest_path::AxisInterval;
use crate::kit::{KeyNumbering, SearchRng};
use crate::space::cuts::axis::CutDecision;
use crate::space::cuts::{CutSet, CutSpace};

/// What does not change during a search.
pub(super) struct ClimbContext<'s, 'p> {
    pub(super) space: &'s CutSpace<'p>,
    pub(super) axes: Vec<AxisIndex>,
    /// Whether a class of which a part passes passes too.
    pub(super) monotone: bool,
}

/// What is known of an axis.
pub(super) struct AxisIndex {
    /// The cells, sorted by their value here.
    pub(super) order: Vec<AxisProfile>,
    /// A random number for each value: it stands for the interval that the value begins.
    marks: Vec<u64>,
    /// The intervals that may be made, sorted.
    pub(super) steps: Vec<AxisInterval>,
    /// The positions where there is a choice.
    pub(super) open: Vec<usize>,
}

/// A cell on an axis.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AxisProfile {
    pub(super) cell: u32,
    pub(super) rows: u32,
    pub(super) value: u16,
}

impl<'s, 'p> ClimbContext<'s, 'p> {
    pub(super) fn new(space: &'s CutSpace<'p>, chance: &mut SearchRng) -> Self {
        let axes = space
            .axes
            .iter()
            .enumerate()
            .map(|(at, axis)| {
                let piece = |cell: u32| AxisProfile {
                    cell,
                    rows: space.counts[cell as usize],
                    value: space.values[at][cell as usize],
                };
                let mut order: Vec<AxisProfile> = (0..space.cells() as u32).map(piece).collect();
                order.sort_by_key(|piece| piece.value);
                let mut steps = Vec::new();
                axis.each_allowed(axis.all_settled(), |first, end| {
                    steps.push((first as u16, end as u16));
                });
                let open = (1..axis.values()).filter(|&at| axis.settled(at) == CutDecision::Open);
                AxisIndex {
                    order,
                    marks: (0..axis.values()).map(|_| chance.word()).collect(),
                    steps,
                    open: open.collect(),
                }
            })
            .collect();
        let monotone = !space.problem.privacy.failing_class_may_have_passing_parts();
        ClimbContext { space, axes, monotone }
    }
}

/// A cut set and the classes that it makes.
#[derive(Clone)]
pub(super) struct ClimbState {
    pub(super) cuts: CutSet,
    /// The class of each cell.
    pub(super) class_of: Vec<u32>,
    pub(super) classes: Vec<ClimbClass>,
}

/// A class of cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClimbClass {
    /// The sum of the marks of its intervals.
    ///
    /// Two classes could have one name, once in the age of the universe. A search that is misled by it
    /// loses a little, and no more: what it returns is priced from the cells themselves.
    pub(super) name: u64,
    /// One of its cells.
    pub(super) cell: u32,
    /// How many it has.
    pub(super) cells: u32,
}

impl ClimbState {
    pub(super) fn new(frame: &ClimbContext<'_, '_>, cuts: CutSet) -> Self {
        let space = frame.space;
        let mut names = vec![0u64; space.cells()];
        for (axis, values) in space.values.iter().enumerate() {
            let marks = marks(frame, &cuts, axis);
            for (name, &value) in names.iter_mut().zip(values) {
                *name = name.wrapping_add(marks[usize::from(value)]);
            }
        }
        let mut board = ClimbState { cuts, class_of: vec![0; space.cells()], classes: Vec::new() };
        board.group(|cell, _| names[cell]);
        board
    }

    /// Divides an axis anew.
    pub(super) fn divide(&mut self, frame: &ClimbContext<'_, '_>, axis: usize, ends: &[u16]) {
        let before = marks(frame, &self.cuts, axis);
        for position in 1..frame.space.axes[axis].values() {
            let made = ends.binary_search(&(position as u16)).is_ok();
            self.cuts.set(axis, position, made);
        }
        let change: Vec<u64> = marks(frame, &self.cuts, axis)
            .iter()
            .zip(before)
            .map(|(now, before)| now.wrapping_sub(before))
            .collect();
        let values = &frame.space.values[axis];
        let classes = std::mem::take(&mut self.classes);
        self.group(|cell, class| {
            classes[class as usize].name.wrapping_add(change[usize::from(values[cell])])
        });
    }

    /// Puts cells into classes by name; a cell's name may depend on its class so far.
    fn group(&mut self, name: impl Fn(usize, u32) -> u64) {
        let mut known = KeyNumbering::default();
        let mut last = None;
        for (cell, class) in self.class_of.iter_mut().enumerate() {
            let name = name(cell, *class);
            // Cells come sorted, so neighbours are often together.
            *class = match last {
                Some((same, class)) if same == name => class,
                _ => known.number(name, |_| true),
            };
            last = Some((name, *class));
            if *class as usize == self.classes.len() {
                self.classes.push(ClimbClass { name, cell: cell as u32, cells: 0 });
            }
            self.classes[*class as usize].cells += 1;
        }
    }
}

/// The mark of each value's interval.
pub(super) fn marks(frame: &ClimbContext<'_, '_>, cuts: &CutSet, axis: usize) -> Vec<u64> {
    let marks = &frame.axes[axis].marks;
    cuts.intervals(axis)
        .flat_map(|(first, end)| std::iter::repeat_n(marks[first], end - first))
        .collect()
}
