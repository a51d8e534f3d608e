//! A grouping and the classes that it makes.

use hashbrown::HashTable;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::change::Change;
use super::meter::{Meter, Standing, Sums, group};
use crate::kit::{Error, Result, words};
use crate::privacy::Tally;
use crate::recoding::{Global, Recoding};
use crate::space::cuts::{Axis, Grid};

/// A grouping: by axis, the slot of each value. Values of one slot form a group; what the slots are called
/// means nothing.
pub(crate) type Groups = Vec<Vec<u16>>;

/// A value and the slot that it is to go to.
pub(crate) type Move = (u16, u16);

/// The most counts in the histograms of all classes: 2 GiB of them.
const MOST_COUNTS: usize = 1 << 29;

/// What does not change during a search.
pub(crate) struct Frame<'a> {
    pub(crate) grid: &'a Grid<'a>,
    pub(super) meter: Meter<'a>,
    /// By axis, the cells of each value.
    pub(super) lists: Vec<Lists<u32>>,
    /// By axis, a random number for each slot.
    pub(super) marks: Vec<Vec<u64>>,
    /// The labels of each cell, as places in a histogram, with their rows.
    pub(super) labels: Lists<(u32, u32)>,
    /// Where each label column begins in a histogram, and how long that is in all; empty columns are those
    /// that nobody asks for.
    columns: Vec<usize>,
    pub(super) width: usize,
}

/// Lists one behind the other.
#[derive(Default)]
pub(super) struct Lists<T> {
    starts: Vec<u32>,
    entries: Vec<T>,
}

impl<T> Lists<T> {
    fn new(lists: impl Iterator<Item = Vec<T>>) -> Self {
        let mut all = Lists { starts: vec![0], entries: Vec::new() };
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

impl<'a> Frame<'a> {
    /// Refuses label columns with so many values that the histograms of all classes would fill the memory.
    pub(crate) fn new(grid: &'a Grid<'a>) -> Result<Self> {
        let problem = grid.problem;
        let meter = Meter::new(problem);
        let mut random = Pcg64Mcg::seed_from_u64(0);
        let marks = |axis: &Axis| (0..axis.values()).map(|_| random.random()).collect();
        let marks = grid.axes.iter().map(marks).collect();
        let lists = grid.axes.iter().zip(&grid.values).map(|(axis, values)| {
            let mut cells = vec![Vec::new(); axis.values()];
            for (cell, &value) in values.iter().enumerate() {
                cells[usize::from(value)].push(cell as u32);
            }
            Lists::new(cells.into_iter())
        });
        // Models and a metric look at some label columns, k at none.
        let models = &problem.privacy.requirements;
        let mut columns = vec![0];
        for (at, column) in problem.labels.columns.iter().enumerate() {
            let asked =
                meter.majority_of() == Some(at) || models.iter().any(|model| model.column == at);
            columns.push(columns[at] + if asked { column.domain.len() } else { 0 });
        }
        let width = columns[columns.len() - 1];
        if grid.cells().saturating_mul(width) > MOST_COUNTS {
            return Err(Error::new(format!(
                "the class and sensitive columns have {} values and the table {} combinations: their \
                 histograms would not fit into memory",
                words::thousands(width as u64),
                words::thousands(grid.cells() as u64)
            ))
            .help("put columns into bins to have fewer combinations, or choose mondrian"));
        }
        let mut tally = problem.labels.tally();
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
            entries
        });
        let labels = Lists::new(labels);
        Ok(Frame { grid, meter, lists: lists.collect(), marks, labels, columns, width })
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
    pub(super) fn passes(&self, size: u64, histogram: &[u32], tally: &mut Tally) -> bool {
        let privacy = &self.grid.problem.privacy;
        if size < privacy.k || privacy.requirements.is_empty() {
            return size >= privacy.k;
        }
        tally.size = size;
        for (at, column) in tally.histograms.iter_mut().enumerate() {
            let counts = &histogram[self.columns[at]..self.columns[at + 1]];
            if !counts.is_empty() {
                column.iter_mut().zip(counts).for_each(|(to, &count)| *to = count.into());
            }
        }
        privacy.passes(tally)
    }

    /// The recoding that a grouping stands for.
    pub(crate) fn recoding(&self, groups: &Groups) -> Recoding {
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
        Recoding::Global(Global::new(&problem.attributes, |at, code| {
            released[at][usize::from(self.grid.axes[at].value(code))].clone()
        }))
    }

    /// The grouping that tells nothing: one group for each axis.
    pub(crate) fn collapsed(&self) -> Groups {
        self.grid.axes.iter().map(|axis| vec![0; axis.values()]).collect()
    }
}

/// A grouping and the classes that it makes.
pub(crate) struct Board<'f, 'a> {
    pub(super) frame: &'f Frame<'a>,
    pub(super) groups: Groups,
    /// By axis and slot: how many values it has, what a row pays for it, how many rows of classes that
    /// pass it has.
    pub(super) slots: Vec<Vec<Slot>>,
    /// The class of each cell.
    pub(super) class_of: Vec<u32>,
    pub(super) classes: Vec<Class>,
    /// The histograms of the classes, and the slots of each on every axis.
    pub(super) histograms: Vec<u32>,
    pub(super) class_slots: Vec<u16>,
    /// The classes by name.
    pub(super) index: HashTable<u32>,
    /// Numbers of classes that are no more.
    pub(super) free: Vec<u32>,
    pub(super) sums: Sums,
    pub(super) change: Change,
    pub(super) tally: Tally,
}

/// A group of an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) values: u16,
    pub(super) price: u64,
    pub(super) released: u64,
}

/// A class of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Class {
    /// The sum of the marks of its groups.
    ///
    /// Two classes could have one name, once in the age of the universe. A search that is misled by it
    /// loses a little, and no more: what it returns is measured from the cells themselves.
    pub(super) name: u64,
    pub(super) size: u64,
    pub(super) passes: bool,
}

impl<'f, 'a> Board<'f, 'a> {
    pub(crate) fn new(frame: &'f Frame<'a>, groups: Groups) -> Self {
        let mut board = Board {
            frame,
            slots: frame
                .grid
                .axes
                .iter()
                .map(|axis| vec![Slot::default(); axis.values()])
                .collect(),
            class_of: vec![0; frame.grid.cells()],
            classes: Vec::new(),
            histograms: Vec::new(),
            class_slots: Vec::new(),
            index: HashTable::new(),
            free: Vec::new(),
            sums: Sums::default(),
            change: Change::default(),
            tally: frame.grid.problem.labels.tally(),
            groups: Vec::new(),
        };
        board.load(groups);
        board
    }

    /// How good the grouping is.
    pub(crate) fn standing(&self) -> Standing {
        self.frame.meter.standing(&self.sums)
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> u64 {
        self.frame.grid.problem.rows
    }

    /// The recoding that the grouping at hand stands for.
    pub(crate) fn recoding(&self) -> Recoding {
        self.frame.recoding(&self.groups)
    }

    pub(crate) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// How many values a slot has.
    pub(crate) fn slot_values(&self, axis: usize, slot: u16) -> usize {
        usize::from(self.slots[axis][usize::from(slot)].values)
    }

    /// Takes another grouping, and works everything out anew.
    pub(crate) fn load(&mut self, groups: Groups) {
        let frame = self.frame;
        let grid = frame.grid;
        self.groups = groups;
        self.classes.clear();
        self.histograms.clear();
        self.class_slots.clear();
        self.index.clear();
        self.free.clear();
        let mut names = vec![0u64; grid.cells()];
        for (axis, values) in grid.values.iter().enumerate() {
            let marks = &frame.marks[axis];
            let of_value: Vec<u64> =
                self.groups[axis].iter().map(|&slot| marks[usize::from(slot)]).collect();
            for (name, &value) in names.iter_mut().zip(values) {
                *name = name.wrapping_add(of_value[usize::from(value)]);
            }
        }
        let width = frame.width;
        let mut last = None;
        for (cell, &name) in names.iter().enumerate() {
            // Cells come sorted, so neighbours are often together.
            let class = match last {
                Some((same, class)) if same == name => class,
                _ => {
                    let classes = &mut self.classes;
                    let known =
                        self.index.find(name, |&class| classes[class as usize].name == name);
                    match known {
                        Some(&class) => class,
                        None => {
                            let class = classes.len() as u32;
                            classes.push(Class { name, size: 0, passes: false });
                            let name = |&class: &u32| classes[class as usize].name;
                            self.index.insert_unique(name(&class), class, name);
                            self.histograms.resize(self.histograms.len() + width, 0);
                            let slots = grid.values.iter().zip(&self.groups);
                            let slot =
                                slots.map(|(values, slots)| slots[usize::from(values[cell])]);
                            self.class_slots.extend(slot);
                            class
                        }
                    }
                }
            };
            last = Some((name, class));
            self.class_of[cell] = class;
            let class = class as usize;
            self.classes[class].size += u64::from(grid.counts[cell]);
            let histogram = &mut self.histograms[class * width..(class + 1) * width];
            for &(at, rows) in frame.labels.of(cell) {
                histogram[at as usize] += rows;
            }
        }
        self.sum_up();
    }

    /// Works out the slots and sums from the classes.
    fn sum_up(&mut self) {
        let frame = self.frame;
        let (axes, width) = (self.groups.len(), frame.width);
        for axis in 0..axes {
            self.slots[axis].fill(Slot::default());
            for &slot in &self.groups[axis] {
                self.slots[axis][usize::from(slot)].values += 1;
            }
            for slot in 0..self.slots[axis].len() {
                self.slots[axis][slot].price = self.price_of(axis, slot as u16, &[]);
            }
        }
        let mut sums = Sums { widths: vec![0; axes], ..Sums::default() };
        for (at, class) in self.classes.iter_mut().enumerate() {
            let histogram = &self.histograms[at * width..(at + 1) * width];
            class.passes = frame.passes(class.size, histogram, &mut self.tally);
            if !class.passes {
                sums.suppressed += class.size;
                continue;
            }
            sums.classes += 1;
            sums.crowd += frame.meter.crowd(class.size, frame.majority(histogram));
            for (axis, &slot) in self.class_slots[at * axes..(at + 1) * axes].iter().enumerate() {
                self.slots[axis][usize::from(slot)].released += class.size;
            }
        }
        for (axis, slots) in self.slots.iter().enumerate() {
            sums.widths[axis] = slots.iter().map(|slot| slot.released * slot.price).sum();
        }
        self.sums = sums;
    }

    /// What a row pays for a slot of an axis once some values have moved.
    pub(super) fn price_of(&self, axis: usize, slot: u16, moves: &[Move]) -> u64 {
        if !self.frame.meter.looks_at_groups() {
            return 0;
        }
        let now = |value: u16| {
            let moved = moves.iter().find(|(moved, _)| *moved == value);
            moved.map_or(self.groups[axis][usize::from(value)], |&(_, slot)| slot)
        };
        let all = 0..self.groups[axis].len() as u16;
        let values: Vec<u16> = all.filter(|&value| now(value) == slot).collect();
        if values.is_empty() {
            return 0;
        }
        self.frame.meter.group(self.frame.grid, axis, &values)
    }
}
