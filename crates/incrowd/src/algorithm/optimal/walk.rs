//! A walk over sorted cells that adds up by prefix.
//!
//! Cells are sorted by key, so those that agree on the higher fields are neighbours. Counting rows by the
//! values of one field, or of two, need not touch every cell for every field: rows are added up as
//! long as the field and all above it stay the same, and counted once then.

use super::kernel::{Kernel, Word};
use super::layout::Key;
use super::node::Cell;

/// The most attributes a search can have: every field takes a bit at least, and more than 128 do not
/// fit in a key.
pub(super) const MOST_AXES: usize = 128;

/// The fields that are walked over, from the highest to the lowest.
pub(super) struct Walk {
    fields: Vec<(u32, u16)>,
    /// For each bit of a key: which of the fields it belongs to.
    level: [u8; 128],
    sums: [Word; MOST_AXES],
}

impl Walk {
    pub(super) fn new() -> Self {
        Walk { fields: Vec::new(), level: [0; 128], sums: [Word::default(); MOST_AXES] }
    }

    /// Forgets all fields.
    pub(super) fn clear(&mut self) {
        self.fields.clear();
    }

    /// Adds a field below those before it.
    pub(super) fn push(&mut self, (shift, mask): (u32, u16)) {
        let level = self.fields.len() as u8;
        for bit in shift..shift + mask.count_ones() {
            self.level[bit as usize] = level;
        }
        self.fields.push((shift, mask));
    }

    /// Calls `enter` with a level and a value whenever a field changes, and keeps what it returns in
    /// `places`; calls `count` with a level, the places of the fields up to it, and the rows that share
    /// them. Cells must not differ in any other field.
    #[inline]
    pub(super) fn over<M: Kernel, K: Key>(
        &mut self,
        kernel: &M,
        cells: &[Cell<K, M::Load>],
        enter: impl Fn(usize, u16) -> usize,
        places: &mut [usize; MOST_AXES],
        mut count: impl FnMut(usize, &[usize], Word),
    ) {
        let Some(first) = cells.first() else { return };
        let levels = self.fields.len();
        let Some(lowest) = levels.checked_sub(1) else { return };
        for (level, &(shift, mask)) in self.fields.iter().enumerate() {
            places[level] = enter(level, first.key.field(shift, mask));
        }
        self.sums[..levels].fill(Word::default());
        let mut key = first.key;
        for cell in cells {
            if let Some(bit) = cell.key.top_difference(key) {
                let changed = usize::from(self.level[bit as usize & 127]);
                self.close(changed, lowest, places, &mut count);
                let fields = self.fields.iter().enumerate().skip(changed);
                for (place, (level, &(shift, mask))) in places[changed..].iter_mut().zip(fields) {
                    *place = enter(level, cell.key.field(shift, mask));
                }
                key = cell.key;
            }
            self.sums[lowest].add(kernel.word(&cell.load));
        }
        self.close(0, lowest, places, &mut count);
    }

    /// Counts the rows of all levels from the lowest up to one.
    #[inline]
    fn close(
        &mut self,
        changed: usize,
        lowest: usize,
        places: &[usize; MOST_AXES],
        count: &mut impl FnMut(usize, &[usize], Word),
    ) {
        for level in (changed..=lowest).rev() {
            let sum = std::mem::take(&mut self.sums[level]);
            count(level, &places[..=level], sum);
            if level > 0 {
                self.sums[level - 1].add(sum);
            }
        }
    }
}
