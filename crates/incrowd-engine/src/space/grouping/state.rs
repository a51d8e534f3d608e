//! A grouping and the classes that it makes.

use hashbrown::HashTable;

use super::change::GroupingChange;
use super::context::{GroupingContext, ValueMove, ValueSlots};
use super::cost_meter::{ClassSums, GroupingScore};
use crate::privacy::ClassTally;
use crate::recoding::Recoding;

/// A grouping and the classes that it makes.
pub(crate) struct GroupingState<'f, 'a> {
    pub(super) frame: &'f GroupingContext<'a>,
    pub(super) groups: ValueSlots,
    /// By axis and slot: how many values it has, what a row pays for it, how many rows of classes that
    /// pass it has.
    pub(super) slots: Vec<Vec<GroupSlot>>,
    /// The class of each cell.
    pub(super) class_of: Vec<u32>,
    pub(super) classes: Vec<GroupingClass>,
    /// The histograms of the classes, and the slots of each on every axis.
    pub(super) histograms: Vec<u32>,
    pub(super) class_slots: Vec<u16>,
    /// The classes by name.
    pub(super) index: HashTable<u32>,
    /// Numbers of classes that are no more.
    pub(super) free: Vec<u32>,
    pub(super) sums: ClassSums,
    pub(super) change: GroupingChange,
    pub(super) tally: ClassTally,
}

/// A group of an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct GroupSlot {
    pub(super) values: u16,
    pub(super) price: u64,
    pub(super) released: u64,
}

/// A class of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupingClass {
    /// The sum of the marks of its groups.
    ///
    /// Two classes could have one name, once in the age of the universe. A search that is misled by it
    /// loses a little, and no more: what it returns is measured from the cells themselves.
    pub(super) name: u64,
    pub(super) size: u64,
    pub(super) passes: bool,
}

impl<'f, 'a> GroupingState<'f, 'a> {
    pub(crate) fn new(frame: &'f GroupingContext<'a>, groups: ValueSlots) -> Self {
        let mut board = GroupingState {
            frame,
            slots: frame
                .grid
                .axes
                .iter()
                .map(|axis| vec![GroupSlot::default(); axis.values()])
                .collect(),
            class_of: vec![0; frame.grid.cells()],
            classes: Vec::new(),
            histograms: Vec::new(),
            class_slots: Vec::new(),
            index: HashTable::new(),
            free: Vec::new(),
            sums: ClassSums::default(),
            change: GroupingChange::default(),
            tally: frame.grid.problem.targets.tally(),
            groups: Vec::new(),
        };
        board.load(groups);
        board
    }

    /// How good the grouping is.
    pub(crate) fn standing(&self) -> GroupingScore {
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

    pub(crate) fn groups(&self) -> &ValueSlots {
        &self.groups
    }

    /// How many values a slot has.
    pub(crate) fn slot_values(&self, axis: usize, slot: u16) -> usize {
        usize::from(self.slots[axis][usize::from(slot)].values)
    }

    /// Takes another grouping, and works everything out anew.
    pub(crate) fn load(&mut self, groups: ValueSlots) {
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
                            classes.push(GroupingClass { name, size: 0, passes: false });
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
            self.slots[axis].fill(GroupSlot::default());
            for &slot in &self.groups[axis] {
                self.slots[axis][usize::from(slot)].values += 1;
            }
            for slot in 0..self.slots[axis].len() {
                self.slots[axis][slot].price = self.price_of(axis, slot as u16, &[]);
            }
        }
        let mut sums = ClassSums { widths: vec![0; axes], ..ClassSums::default() };
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
    pub(super) fn price_of(&self, axis: usize, slot: u16, moves: &[ValueMove]) -> u64 {
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
