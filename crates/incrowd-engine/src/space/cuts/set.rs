//! A set of cuts.

use super::{Axis, CutDecision};
use crate::problem::Problem;
use crate::recoding::{GlobalRecoding, Recoding};

/// A set of cuts: for each axis and position whether it is cut there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CutSet {
    /// By axis, then by position; entries 0 and at the end are always true.
    made: Vec<Vec<bool>>,
}

/// What a cut set costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CutCost {
    /// In the space's units.
    pub(crate) cost: u64,
    /// How many rows it suppresses.
    pub(crate) suppressed: u64,
}

impl CutSet {
    /// Only the outer edges and what `made` says of the cut at an axis and position.
    pub(crate) fn new(axes: &[Axis], made: impl Fn(usize, usize) -> bool) -> Self {
        let made = axes
            .iter()
            .enumerate()
            .map(|(axis, values)| {
                let end = values.values();
                (0..=end).map(|at| at == 0 || at == end || made(axis, at)).collect()
            })
            .collect();
        CutSet { made }
    }

    /// The cuts of a recoding by one map per attribute: where neighbouring values go to different groups.
    /// None for other kinds, and for recodings of other domains.
    pub(crate) fn of_recoding(recoding: &Recoding, axes: &[Axis]) -> Option<Self> {
        let Recoding::Global(global) = recoding else { return None };
        let fits = global.maps.len() == axes.len()
            && global
                .maps
                .iter()
                .zip(axes)
                .all(|(map, axis)| map.len() == axis.codes(0..axis.values()).len());
        fits.then(|| {
            CutSet::new(axes, |axis, position| {
                let code = axes[axis].codes(position..position + 1).start as usize;
                global.maps[axis][code - 1] != global.maps[axis][code]
            })
        })
    }

    /// Whether it is cut there.
    pub(crate) fn has(&self, axis: usize, position: usize) -> bool {
        self.made[axis][position]
    }

    /// Makes a cut, or takes it back.
    pub(crate) fn set(&mut self, axis: usize, position: usize, made: bool) {
        self.made[axis][position] = made;
    }

    /// The intervals of an axis, first value and end.
    pub(crate) fn intervals(&self, axis: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let made = &self.made[axis];
        let edges = || made.iter().enumerate().filter(|(_, made)| **made).map(|(at, _)| at);
        edges().zip(edges().skip(1))
    }

    /// The interval that a value of an axis lies in, first value and end.
    pub(crate) fn interval_around(&self, axis: usize, value: usize) -> (usize, usize) {
        let made = &self.made[axis];
        let first = (0..=value).rev().find(|&at| made[at]).unwrap_or(0);
        (first, (value + 1..made.len()).find(|&at| made[at]).unwrap_or(value + 1))
    }

    /// Which interval each value of an axis lies in, numbered from 0.
    pub(crate) fn interval_of(&self, axis: usize) -> Vec<u16> {
        let made = &self.made[axis];
        let mut interval = 0;
        (0..made.len() - 1)
            .map(|value| {
                interval += u16::from(value > 0 && made[value]);
                interval
            })
            .collect()
    }

    /// Whether the axes allow it: their shapes, and the cuts demanded and refused.
    pub(crate) fn is_allowed(&self, axes: &[Axis]) -> bool {
        axes.iter().enumerate().all(|(at, axis)| {
            self.intervals(at).all(|(first, end)| axis.allows(first, end))
                && (1..axis.values()).all(|position| match axis.settled(position) {
                    CutDecision::Open => true,
                    CutDecision::In => self.has(at, position),
                    CutDecision::Out => !self.has(at, position),
                })
        })
    }

    /// The recoding that it stands for.
    pub(crate) fn recoding(&self, problem: &Problem, axes: &[Axis]) -> Recoding {
        let groups: Vec<Vec<_>> = axes
            .iter()
            .enumerate()
            .map(|(at, axis)| {
                self.intervals(at)
                    .flat_map(|(first, end)| {
                        let codes: Vec<u32> = axis.codes(first..end).collect();
                        let group = problem.attributes[at].group(&codes);
                        std::iter::repeat_n(group, codes.len())
                    })
                    .collect()
            })
            .collect();
        Recoding::Global(GlobalRecoding::new(&problem.attributes, |attribute, code| {
            groups[attribute][code as usize].clone()
        }))
    }
}
