//! Distinct tuples of codes with their counts: the GROUP BY of the verifier.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Distinct tuples of a fixed width in order of first appearance, how often each occurred and the
/// first rows that carried it. Everything lies in flat arrays: a tuple of eight codes that
/// remembers four rows takes about 60 bytes.
pub(crate) struct Tuples {
    width: usize,
    /// How many rows are remembered per tuple.
    keep: usize,
    keys: Vec<u32>,
    counts: Vec<u32>,
    rows: Vec<u32>,
    table: HashTable<u32>,
}

impl Tuples {
    pub(crate) fn new(width: usize, keep: usize) -> Self {
        Tuples {
            width,
            keep,
            keys: Vec::new(),
            counts: Vec::new(),
            rows: Vec::new(),
            table: HashTable::new(),
        }
    }

    /// Counts one occurrence in a row and returns the tuple's place.
    #[inline]
    pub(crate) fn add(&mut self, key: &[u32], row: u32) -> u32 {
        debug_assert_eq!(key.len(), self.width);
        let Self { width, keep, keys, counts, rows, table } = self;
        let key_at = |keys: &[u32], tuple: u32| {
            let start = tuple as usize * *width;
            start..(start + *width).min(keys.len())
        };
        let entry = table.entry(
            hash_codes(key),
            |&tuple| keys[key_at(keys, tuple)] == *key,
            |&tuple| hash_codes(&keys[key_at(keys, tuple)]),
        );
        match entry {
            Entry::Occupied(found) => {
                let tuple = *found.get();
                self.add_again(tuple, row)
            }
            Entry::Vacant(place) => {
                let tuple = counts.len() as u32;
                place.insert(tuple);
                keys.extend_from_slice(key);
                counts.push(1);
                if *keep > 0 {
                    rows.push(row);
                    rows.resize(counts.len() * *keep, 0);
                }
                tuple
            }
        }
    }

    /// Counts one more occurrence of a tuple, whose place is known, in a row.
    #[inline]
    pub(crate) fn add_again(&mut self, tuple: u32, row: u32) -> u32 {
        let count = &mut self.counts[tuple as usize];
        if (*count as usize) < self.keep {
            self.rows[tuple as usize * self.keep + *count as usize] = row;
        }
        *count += 1;
        tuple
    }

    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(crate) fn key(&self, tuple: usize) -> &[u32] {
        &self.keys[tuple * self.width..][..self.width]
    }

    pub(crate) fn count(&self, tuple: usize) -> u32 {
        self.counts[tuple]
    }

    pub(crate) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The first rows that carried the tuple, as many as are remembered.
    pub(crate) fn rows(&self, tuple: usize) -> &[u32] {
        &self.rows[tuple * self.keep..][..self.keep.min(self.counts[tuple] as usize)]
    }

    /// Gives the memory of the hash table back once nothing more will be added.
    pub(crate) fn close(&mut self) {
        self.table = HashTable::new();
    }
}

/// A fixed hash of codes, two at a time: the high and low half of a 128-bit product folded
/// together spread every input bit over both the bucket and the tag bits.
#[inline]
pub(crate) fn hash_codes(codes: &[u32]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * u128::from(FACTOR);
        (product as u64) ^ (product >> 64) as u64
    };
    let mut hash = 0x243f_6a88_85a3_08d3;
    let mut pairs = codes.chunks_exact(2);
    for pair in &mut pairs {
        hash = fold(hash, u64::from(pair[0]) | u64::from(pair[1]) << 32);
    }
    if let [last] = pairs.remainder() {
        hash = fold(hash, u64::from(*last));
    }
    fold(hash, codes.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_first_rows() {
        let mut tuples = Tuples::new(2, 2);
        for (row, key) in [[1, 2], [2, 1], [1, 2], [1, 2]].iter().enumerate() {
            tuples.add(key, row as u32 + 1);
        }
        assert_eq!(tuples.len(), 2);
        assert_eq!(tuples.counts(), [3, 1]);
        assert_eq!(tuples.rows(0), [1, 3]);
        assert_eq!(tuples.rows(1), [2]);
        assert_eq!(tuples.key(1), [2, 1]);
    }

    #[test]
    fn a_tuple_of_no_codes_is_one_group() {
        let mut tuples = Tuples::new(0, 0);
        assert_eq!(tuples.add(&[], 1), 0);
        assert_eq!(tuples.add(&[], 2), 0);
        assert_eq!(tuples.count(0), 2);
        assert!(tuples.rows(0).is_empty());
    }
}
