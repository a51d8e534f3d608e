//! What does not change while groupings are searched: cells by value, labels, and what is asked of classes.

use super::cost_meter::{CostMeter, group};
use crate::kit::{Error, Result, SearchRng, words};
use crate::privacy::ClassTally;
use crate::recoding::{GlobalRecoding, Recoding};
use crate::space::cuts::{Axis, ProfileGrid};

/// A grouping: by axis, the slot of each value. Values of one slot form a group; what the slots are called
/// means nothing.
pub(crate) type ValueSlots = Vec<Vec<u16>>;

/// A value and the slot that it is to go to.
pub(crate) type ValueMove = (u16, u16);

/// The most counts in the histograms of all classes: 2 GiB of them.
const MOST_COUNTS: usize = 1 << 29;

/// What does not change during a search.
pub(crate) struct GroupingContext<'a> {
    pub(crate) grid: &'a ProfileGrid<'a>,
    pub(super) meter: CostMeter<'a>,
    /// By axis, the cells of each value.
    pub(super) lists: Vec<PackedLists<u32>>,
    /// By axis, a random number for each slot.
    pub(super) marks: Vec<Vec<u64>>,
    /// The labels of each cell, as places in a histogram, with their rows.
    pub(super) labels: PackedLists<(u32, u32)>,
    /// Where each label column begins in a histogram, and how long that is in all; empty columns are those
    /// that nobody asks for.
    columns: Vec<usize>,
    pub(super) width: usize,
}

/// Lists one behind the other.
#[derive(Default)]
pub(super) struct PackedLists<T> {
    starts: Vec<u32>,
    entries: Vec<T>,
}

impl<T> PackedLists<T> {
    fn new(lists: impl Iterator<Item = Vec<T>>) -> Self {
        let mut all = PackedLists { starts: vec![0], entries: Vec::new() };
        for mut list in lists {
            all.entries.append(&mut list);
            all.starts.push(all.entries.len() as u32);
        }
        all
    }

    #[inline]
    pub(super) fn of(&self, at: usize) -> &[T] {
        &self.entries[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

impl<'a> GroupingContext<'a> {
    /// Refuses label columns with so many values that the histograms of all classes would fill the memory.
    pub(crate) fn new(grid: &'a ProfileGrid<'a>) -> Result<Self> {
        let problem = grid.problem;
        let meter = CostMeter::new(problem);
        let mut chance = SearchRng::of_seed(0);
        let marks = |axis: &Axis| (0..axis.values()).map(|_| chance.word()).collect();
        let marks = grid.axes.iter().map(marks).collect();
        let lists = grid.axes.iter().zip(&grid.values).map(|(axis, values)| {
            let mut cells = vec![Vec::new(); axis.values()];
            for (cell, &value) in values.iter().enumerate() {
                cells[usize::from(value)].push(cell as u32);
            }
            PackedLists::new(cells.into_iter())
        });
        // Models and a metric look at some label columns, k at none.
        let models = &problem.privacy.requirements;
        let mut columns = vec![0];
        let dense = problem.targets.dense();
        for (at, values) in problem.targets.widths().into_iter().enumerate() {
            let asked =
                meter.majority_of() == Some(at) || models.iter().any(|it| it.place(dense) == at);
            columns.push(columns[at] + if asked { values } else { 0 });
        }
        let width = columns[columns.len() - 1];
        if grid.cells().saturating_mul(width) > MOST_COUNTS {
            return Err(Error::new(format!(
                "the class and sensitive columns have {} values, the table {} combinations: \
                 too many for memory",
                words::thousands(width as u64),
                words::thousands(grid.cells() as u64)
            ))
            .help(
                "put columns into bins (--bins) to have fewer combinations, or choose mondrian",
            ));
        }
        let mut tally = problem.targets.tally();
        let labels = (0..grid.cells()).map(|cell| {
            if width == 0 {
                return Vec::new();
            }
            tally.clear();
            grid.tally(cell, &mut tally);
            let mut entries = Vec::new();
            for (at, histogram) in tally.histograms.iter().enumerate() {
                if columns[at] < columns[at + 1] {
                    let held = histogram.iter().zip(columns[at] as u32..);
                    entries.extend(
                        held.filter(|(rows, _)| **rows > 0).map(|(&rows, at)| (at, rows as u32)),
                    );
                }
            }
            for (counts, start) in tally.sparse.iter().zip(&columns[tally.histograms.len()..]) {
                let mut held: Vec<(u32, u32)> =
                    counts.iter().map(|(at, rows)| (*start as u32 + at, rows as u32)).collect();
                held.sort_unstable();
                entries.extend(held);
            }
            entries
        });
        let labels = PackedLists::new(labels);
        Ok(GroupingContext { grid, meter, lists: lists.collect(), marks, labels, columns, width })
    }

    /// The part of a histogram that is the class column's, where the metric asks for it.
    #[inline]
    pub(super) fn majority<'h>(&self, histogram: &'h [u32]) -> &'h [u32] {
        match self.meter.majority_of() {
            Some(at) => &histogram[self.columns[at]..self.columns[at + 1]],
            None => &[],
        }
    }

    /// Whether a class passes.
    pub(super) fn passes(&self, size: u64, histogram: &[u32], tally: &mut ClassTally) -> bool {
        let privacy = &self.grid.problem.privacy;
        if size < privacy.k || privacy.is_by_size() {
            return size >= privacy.k;
        }
        tally.clear();
        tally.size = size;
        let dense = tally.histograms.len();
        for (at, held) in tally.sparse.iter_mut().enumerate() {
            let counts = &histogram[self.columns[dense + at]..self.columns[dense + at + 1]];
            let counts = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            counts.for_each(|(value, &count)| held.add(value as u32, count.into()));
        }
        for (at, column) in tally.histograms.iter_mut().enumerate() {
            let counts = &histogram[self.columns[at]..self.columns[at + 1]];
            if !counts.is_empty() {
                column.iter_mut().zip(counts).for_each(|(to, &count)| *to = count.into());
            }
        }
        privacy.passes(tally)
    }

    /// The recoding that a grouping stands for.
    pub(crate) fn recoding(&self, groups: &ValueSlots) -> Recoding {
        let problem = self.grid.problem;
        let released: Vec<Vec<_>> = groups
            .iter()
            .enumerate()
            .map(|(axis, slots)| {
                let attribute = &problem.attributes[axis];
                let members = |slot: u16| -> Vec<u16> {
                    (0..slots.len() as u16).filter(|&v| slots[usize::from(v)] == slot).collect()
                };
                let group = |&slot: &u16| group(attribute, self.grid, axis, &members(slot));
                slots.iter().map(group).collect()
            })
            .collect();
        Recoding::Global(GlobalRecoding::new(&problem.attributes, |at, code| {
            released[at][usize::from(self.grid.axes[at].value(code))].clone()
        }))
    }

    /// The grouping that tells nothing: one group for each axis.
    pub(crate) fn collapsed(&self) -> ValueSlots {
        self.grid.axes.iter().map(|axis| vec![0; axis.values()]).collect()
    }
}
