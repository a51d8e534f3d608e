//! Finding cells by their keys.

use super::layout::CellKey;

/// Where cells stand: a table of places, open addressing, at most a quarter full: most keys that
/// are not there are told by one look.
#[derive(Debug, Default)]
pub(super) struct CellHashTable {
    table: Vec<u32>,
    shift: u32,
}

const NONE: u32 = u32::MAX;

impl CellHashTable {
    /// Takes in keys, which are all different, with their places; there are at most so many.
    pub(super) fn fill<K: CellKey>(&mut self, most: usize, keys: impl Iterator<Item = (usize, K)>) {
        self.clear(most);
        for (place, key) in keys {
            let mut at = self.home(key);
            while self.table[at] != NONE {
                at = (at + 1) & (self.table.len() - 1);
            }
            self.table[at] = place as u32;
        }
    }

    /// Makes room for so many keys, and forgets all others.
    pub(super) fn clear(&mut self, keys: usize) {
        let bits = (4 * keys).next_power_of_two().ilog2().max(4);
        self.shift = 64 - bits;
        self.table.clear();
        self.table.resize(1 << bits, NONE);
    }

    /// The place of a key; if it has none, `place` becomes its place.
    #[inline]
    pub(super) fn find_or_put<K: CellKey>(
        &mut self,
        key: K,
        place: usize,
        key_at: impl Fn(usize) -> K,
    ) -> Option<usize> {
        let mut at = self.home(key);
        loop {
            let known = self.table[at];
            if known == NONE {
                self.table[at] = place as u32;
                return None;
            }
            if key_at(known as usize) == key {
                return Some(known as usize);
            }
            at = (at + 1) & (self.table.len() - 1);
        }
    }

    #[inline]
    fn home<K: CellKey>(&self, key: K) -> usize {
        (key.folded().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Whether a key may have a place.
    #[inline]
    pub(super) fn may_hold<K: CellKey>(&self, key: K) -> bool {
        self.table[self.home(key)] != NONE
    }

    /// The place of the cell with that key.
    #[inline]
    pub(super) fn find<K: CellKey>(&self, key: K, key_at: impl Fn(usize) -> K) -> Option<usize> {
        let mut at = self.home(key);
        loop {
            let place = self.table[at];
            if place == NONE {
                return None;
            }
            if key_at(place as usize) == key {
                return Some(place as usize);
            }
            at = (at + 1) & (self.table.len() - 1);
        }
    }
}
