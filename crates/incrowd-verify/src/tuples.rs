//! Distinct tuples of codes with their counts: the GROUP BY of the verifier.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::keyed_hash::words;

/// Distinct tuples of a fixed width in order of first appearance, how often each occurred and the
/// first rows that carried it. Everything lies in flat arrays: a tuple of eight codes that
/// remembers four rows takes about 60 bytes.
pub(crate) struct TupleCounts {
    width: usize,
    /// How many rows are remembered per tuple.
    keep: usize,
    keys: Vec<u32>,
    counts: Vec<u64>,
    rows: RowNumbers,
    table: HashTable<u32>,
}

impl TupleCounts {
    pub(crate) fn new(width: usize, keep: usize) -> Self {
        TupleCounts {
            width,
            keep,
            keys: Vec::new(),
            counts: Vec::new(),
            rows: RowNumbers::default(),
            table: HashTable::new(),
        }
    }

    /// Counts `count` occurrences, in neighbouring rows from `row` on, and returns the tuple's
    /// place.
    #[inline]
    pub(crate) fn add(&mut self, key: &[u32], row: u64, count: u64) -> u32 {
        let tuple = self.find_or_add(key);
        self.add_again(tuple, row, count)
    }

    /// Counts more occurrences of a tuple whose place is known.
    #[inline]
    pub(crate) fn add_again(&mut self, tuple: u32, row: u64, count: u64) -> u32 {
        let before = self.counts[tuple as usize];
        if before < self.keep as u64 {
            let start = tuple as usize * self.keep;
            let end = (self.keep as u64).min(before + count) as usize;
            for (at, row) in (before as usize..end).zip(row..) {
                self.rows.set(start + at, row);
            }
        }
        self.counts[tuple as usize] = before + count;
        tuple
    }

    /// Looks at the counts of tuples that are due soon: their memory then arrives for all at once.
    pub(crate) fn glance(&self, tuples: impl Iterator<Item = u32>) {
        std::hint::black_box(tuples.fold(0, |all, tuple| all ^ self.counts[tuple as usize]));
    }

    /// The place of a tuple, which has no occurrence yet if it is new.
    #[inline]
    pub(crate) fn find_or_add(&mut self, key: &[u32]) -> u32 {
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
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(place) => {
                let tuple = counts.len() as u32;
                place.insert(tuple);
                keys.extend_from_slice(key);
                counts.push(0);
                rows.resize(counts.len() * *keep);
                tuple
            }
        }
    }

    /// Adds a tuple with its count and the first of its rows, in order. The rows remembered are
    /// the first of all. Nothing if there are fewer rows than must be known.
    pub(crate) fn add_counted(&mut self, key: &[u32], count: u64, first: &[u64]) -> Option<u32> {
        let tuple = self.find_or_add(key);
        let (before, total) = (self.rows(tuple as usize), self.counts[tuple as usize] + count);
        let mut known: Vec<u64> = before.chain(first.iter().copied()).collect();
        known.sort_unstable();
        let needed = self.keep.min(usize::try_from(total).unwrap_or(usize::MAX));
        for (at, row) in known.get(..needed)?.iter().enumerate() {
            self.rows.set(tuple as usize * self.keep + at, *row);
        }
        self.counts[tuple as usize] = total;
        Some(tuple)
    }

    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// How many rows are remembered per tuple.
    pub(crate) fn keep(&self) -> usize {
        self.keep
    }

    pub(crate) fn key(&self, tuple: usize) -> &[u32] {
        &self.keys[tuple * self.width..][..self.width]
    }

    pub(crate) fn keys(&self) -> &[u32] {
        &self.keys
    }

    pub(crate) fn count(&self, tuple: usize) -> u64 {
        self.counts[tuple]
    }

    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The first rows that carried the tuple, as many as are remembered.
    pub(crate) fn rows(&self, tuple: usize) -> impl Iterator<Item = u64> + use<'_> {
        let known = self.keep.min(usize::try_from(self.counts[tuple]).unwrap_or(usize::MAX));
        (0..known).map(move |at| self.rows.get(tuple * self.keep + at))
    }

    /// Numbers the remembered rows anew.
    pub(crate) fn renumber(&mut self, number: impl Fn(u64) -> u64) {
        for tuple in 0..self.len() {
            let rows: Vec<u64> = self.rows(tuple).collect();
            for (at, row) in rows.into_iter().enumerate() {
                self.rows.set(tuple * self.keep + at, number(row));
            }
        }
    }

    /// Gives the memory of the hash table back once nothing more will be added.
    pub(crate) fn close(&mut self) {
        self.table = HashTable::new();
    }

    /// Changes the codes of all tuples, which must be closed and remain distinct.
    pub(crate) fn recode(&mut self, change: impl Fn(&mut [u32])) {
        if self.width > 0 {
            self.keys.chunks_exact_mut(self.width).for_each(change);
        }
    }

    /// Puts the tuples, which must be closed, into the order of their first rows and returns the
    /// new place of each. Without remembered rows their order stays.
    pub(crate) fn sort_by_row(&mut self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        if self.keep > 0 {
            order.sort_by_key(|&tuple| self.rows(tuple as usize).next());
        }
        let mut place = vec![0; order.len()];
        let mut sorted = TupleCounts::new(self.width, self.keep);
        for (&tuple, at) in order.iter().zip(0..) {
            place[tuple as usize] = at;
            let tuple = tuple as usize;
            sorted.keys.extend_from_slice(self.key(tuple));
            sorted.counts.push(self.counts[tuple]);
            sorted.rows.resize(sorted.counts.len() * self.keep);
            for (nth, row) in self.rows(tuple).enumerate() {
                sorted.rows.set(at as usize * self.keep + nth, row);
            }
        }
        *self = sorted;
        place
    }
}

/// Numbers of rows in 32 bits each until one does not fit, which it does in few tables.
#[derive(Default)]
struct RowNumbers {
    low: Vec<u32>,
    /// The upper halves, if any is not zero.
    high: Vec<u32>,
}

impl RowNumbers {
    #[inline]
    fn resize(&mut self, length: usize) {
        self.low.resize(length, 0);
        if !self.high.is_empty() {
            self.high.resize(length, 0);
        }
    }

    #[inline]
    fn set(&mut self, at: usize, number: u64) {
        let high = (number >> 32) as u32;
        self.low[at] = number as u32;
        if high > 0 && self.high.is_empty() {
            self.high.resize(self.low.len(), 0);
        }
        if !self.high.is_empty() {
            self.high[at] = high;
        }
    }

    fn get(&self, at: usize) -> u64 {
        u64::from(self.low[at]) | u64::from(self.high.get(at).copied().unwrap_or(0)) << 32
    }
}

/// A hash of codes, two at a time, under keys of this process: the high and low half of a 128-bit product folded
/// together spread every input bit over both the bucket and the tag bits.
#[inline]
pub(crate) fn hash_codes(codes: &[u32]) -> u64 {
    let [start, factor] = words();
    let fold = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * u128::from(factor);
        (product as u64) ^ (product >> 64) as u64
    };
    let mut hash = start;
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
        let mut tuples = TupleCounts::new(2, 2);
        for (row, key) in [[1, 2], [2, 1], [1, 2], [1, 2]].iter().enumerate() {
            tuples.add(key, row as u64 + 1, 1);
        }
        assert_eq!(tuples.len(), 2);
        assert_eq!(tuples.counts(), [3, 1]);
        assert_eq!(tuples.rows(0).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(tuples.rows(1).collect::<Vec<_>>(), [2]);
        assert_eq!(tuples.key(1), [2, 1]);
    }

    #[test]
    fn a_tuple_of_no_codes_is_one_group() {
        let mut tuples = TupleCounts::new(0, 0);
        assert_eq!(tuples.add(&[], 1, 1), 0);
        assert_eq!(tuples.add(&[], 2, 1), 0);
        assert_eq!(tuples.count(0), 2);
        assert_eq!(tuples.rows(0).count(), 0);
    }

    #[test]
    fn rows_beyond_32_bits() {
        let far = 1 << 40;
        let mut tuples = TupleCounts::new(1, 3);
        tuples.add(&[5], 1, 1);
        tuples.add(&[6], 2, far);
        tuples.add(&[5], 2 + far, 1 << 33);
        assert_eq!(tuples.counts(), [1 + (1 << 33), far]);
        assert_eq!(tuples.rows(0).collect::<Vec<_>>(), [1, 2 + far, 3 + far]);
        assert_eq!(tuples.rows(1).collect::<Vec<_>>(), [2, 3, 4]);
        tuples.add_counted(&[6], 2, &[3 + far, 4 + far]);
        assert_eq!(tuples.rows(1).collect::<Vec<_>>(), [2, 3, 4]);
        tuples.close();
        tuples.renumber(|row| if row == 1 { 6 } else { row });
        assert_eq!(tuples.sort_by_row(), [1, 0]);
        assert_eq!(tuples.key(0), [6]);
    }
}
