//! Numbers for keys.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Numbers for keys, in the order in which they are first met: a GROUP BY whose keys stay where they are. Of
/// a key only the hash is kept.
#[derive(Debug, Default)]
pub(crate) struct KeyNumbering {
    known: HashTable<(u64, u32)>,
}

impl KeyNumbering {
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }

    /// The number of a key of which nothing but the hash is known, if it has one.
    #[inline]
    pub(crate) fn find(&self, hash: u64) -> Option<u32> {
        self.known.find(hash, |it| it.0 == hash).map(|it| it.1)
    }

    /// The number of a key, the next one if it is new; `same` says whether a key of the same hash is the same.
    #[inline]
    pub(crate) fn number(&mut self, hash: u64, same: impl Fn(u32) -> bool) -> u32 {
        let next = self.known.len() as u32;
        let found = self.known.entry(hash, |it| it.0 == hash && same(it.1), |it| it.0);
        match found {
            Entry::Occupied(entry) => entry.get().1,
            Entry::Vacant(slot) => {
                slot.insert((hash, next));
                next
            }
        }
    }
}
