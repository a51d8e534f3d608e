//! A change of a grouping: the classes that gain or lose rows, and by how many.

use hashbrown::HashTable;

use super::context::ValueMove;
use super::cost_meter::ClassSums;

/// A class that does not exist yet.
pub(super) const NEW: u32 = u32::MAX;

/// A change that has been worked out, and memory for the next.
#[derive(Default)]
pub(super) struct GroupingChange {
    pub(super) axis: usize,
    pub(super) moves: Vec<ValueMove>,
    /// Values that go from one slot to another together: where they begin in `moves`.
    pub(super) flows: Vec<usize>,
    pub(super) altered: Vec<ClassChange>,
    /// By altered class, what its histogram gains.
    pub(super) gains: Vec<i32>,
    /// The slots that gain or lose values: each slot, the price it will have, and the rows of passing
    /// classes that it gains.
    pub(super) slots: Vec<(u16, u64, i64)>,
    pub(super) sums: ClassSums,
    /// Names of new classes, where several flows can lead into one.
    pub(super) fresh: HashTable<u32>,
    /// The classes that a flow touches, the rows that leave each, and their histograms.
    pub(super) touched: Vec<(u32, u64)>,
    pub(super) leaving: Vec<u32>,
    /// By class: when it was last touched, and its place then. By class: when it was last altered.
    pub(super) touch: Vec<(u64, u32)>,
    pub(super) alter: Vec<(u64, u32)>,
    pub(super) time: u64,
    pub(super) histogram: Vec<u32>,
}

/// A class that gains or loses rows.
#[derive(Clone, Copy)]
pub(super) struct ClassChange {
    pub(super) class: u32,
    /// The name that it has or will have, and a class that differs from it in the axis at most.
    pub(super) name: u64,
    pub(super) like: u32,
    pub(super) slot: u16,
    pub(super) rows: i64,
    pub(super) passes: bool,
    pub(super) released: i64,
}

impl GroupingChange {
    /// The moves of a flow.
    pub(super) fn flow(&self, at: usize) -> std::ops::Range<usize> {
        self.flows[at]..self.flows.get(at + 1).copied().unwrap_or(self.moves.len())
    }

    /// The place of a class among those altered; it is added if it is not there yet.
    pub(super) fn place(
        &mut self,
        class: u32,
        new: ClassChange,
        started: u64,
        width: usize,
    ) -> usize {
        let next = self.altered.len();
        if class != NEW {
            let alter = &mut self.alter[class as usize];
            if alter.0 == started {
                return alter.1 as usize;
            }
            *alter = (started, next as u32);
        } else if self.flows.len() > 1 {
            // One flow alone leads to a different class from each that it touches.
            let altered = &self.altered;
            let name = |&at: &u32| altered[at as usize].name;
            if let Some(&at) = self.fresh.find(new.name, |at| name(at) == new.name) {
                return at as usize;
            }
            let hash = |&at: &u32| if at as usize == next { new.name } else { name(&at) };
            self.fresh.insert_unique(new.name, next as u32, hash);
        }
        self.altered.push(new);
        self.gains.resize(self.gains.len() + width, 0);
        next
    }

    /// Adds or takes away the rows that leave a touched class.
    pub(super) fn alter_by(
        &mut self,
        place: usize,
        touched: usize,
        sign: i32,
        rows: u64,
        width: usize,
    ) {
        self.altered[place].rows += i64::from(sign) * rows as i64;
        let leaving = &self.leaving[touched * width..(touched + 1) * width];
        let gains = &mut self.gains[place * width..(place + 1) * width];
        for (gain, &rows) in gains.iter_mut().zip(leaving) {
            *gain = gain.wrapping_add(sign.wrapping_mul(rows as i32));
        }
    }
}

impl ClassChange {
    pub(super) fn of(class: u32, name: u64, like: u32, slot: u16) -> Self {
        ClassChange { class, name, like, slot, rows: 0, passes: false, released: 0 }
    }
}
