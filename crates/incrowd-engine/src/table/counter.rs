//! Counting rows by their combination of codes.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::kit::KeyedHashState;

/// Counts rows by their combination of codes, with memory for the distinct combinations only.
///
/// The columns are those a problem needs: first the quasi-identifiers, then the columns whose
/// histogram matters (class and sensitive). Codes are dictionary codes: counting starts before all
/// values are known. Counters of parts of a table are merged.
#[derive(Debug, Clone)]
pub struct ProfileCounter {
    width: usize,
    rows: u64,
    store: CounterStore,
}

/// The combinations counted so far.
#[derive(Debug, Clone)]
enum CounterStore {
    /// A combination packed into one word lies in the table itself, beside its count: a row touches
    /// one place in memory. `bits` are the columns' shares of the word.
    Narrow { bits: Vec<u32>, index: HashTable<(u64, u64)> },
    /// Combinations that do not fit lie one after the other.
    Wide { keys: Vec<u32>, counts: Vec<u64>, index: HashTable<u32> },
}

/// How many rows are counted together.
const TOGETHER: usize = 128;

fn hash_word(word: u64) -> u64 {
    KeyedHashState::default().hash_one(word)
}

fn hash_key(key: &[u32]) -> u64 {
    KeyedHashState::default().hash_one(key)
}

impl ProfileCounter {
    /// A counter over that many columns.
    pub fn new(width: usize) -> Self {
        let bits = vec![(64 / width.max(1) as u32).min(16); width];
        let store = if bits.contains(&0) {
            CounterStore::Wide { keys: Vec::new(), counts: Vec::new(), index: HashTable::new() }
        } else {
            CounterStore::Narrow { bits, index: HashTable::new() }
        };
        ProfileCounter { width, rows: 0, store }
    }

    /// Counts `count` rows that carry `key`.
    ///
    /// # Panics
    /// If the key is not as wide as the counter.
    #[inline]
    pub fn add(&mut self, key: &[u32], count: u64) {
        assert_eq!(key.len(), self.width, "a key has one code per column");
        self.rows += count;
        if let CounterStore::Narrow { bits, index } = &mut self.store {
            if let Some(word) = pack(key, bits) {
                add_word(index, word, count);
                return;
            }
            self.make_room(key);
        }
        match &mut self.store {
            CounterStore::Narrow { bits, index } => {
                let word = pack(key, bits).expect("room was just made");
                add_word(index, word, count);
            }
            CounterStore::Wide { keys, counts, index } => add_key(keys, counts, index, key, count),
        }
    }

    /// Counts many rows, whose keys lie one behind the other.
    pub fn add_all(&mut self, keys: &[u32]) {
        let width = self.width.max(1);
        for keys in keys.chunks(TOGETHER * width) {
            // A glance at all places lets the memory of many arrive at once.
            if let CounterStore::Narrow { bits, index } = &self.store {
                let known = keys.chunks_exact(width).filter(|key| {
                    pack(key, bits).is_some_and(|word| {
                        index.find(hash_word(word), |entry| entry.0 == word).is_some()
                    })
                });
                std::hint::black_box(known.count());
            }
            keys.chunks_exact(width).for_each(|key| self.add(key, 1));
        }
    }

    /// Deals the bits of a word out anew so that `key` fits, or stores combinations at full length.
    #[cold]
    fn make_room(&mut self, key: &[u32]) {
        let mut largest = key.to_vec();
        self.each(|codes, _| {
            for (largest, &code) in largest.iter_mut().zip(codes) {
                *largest = code.max(*largest);
            }
        });
        let needed: Vec<u32> =
            largest.iter().map(|code| (u32::BITS - code.leading_zeros()).max(1)).collect();
        let total: u32 = needed.iter().sum();
        let mut roomier = ProfileCounter {
            width: self.width,
            rows: 0,
            store: if total > u64::BITS {
                CounterStore::Wide { keys: Vec::new(), counts: Vec::new(), index: HashTable::new() }
            } else {
                let spare = (u64::BITS - total) / self.width as u32;
                let bits = needed.iter().map(|bits| (bits + spare).min(u32::BITS)).collect();
                CounterStore::Narrow { bits, index: HashTable::new() }
            },
        };
        self.each(|codes, count| roomier.add(codes, count));
        self.store = roomier.store;
    }

    /// Adds what another counter has counted, its codes translated column by column.
    pub fn merge(&mut self, other: &ProfileCounter, translation: &[Vec<u32>]) {
        let mut key = vec![0; self.width];
        other.each(|codes, count| {
            for ((to, from), table) in key.iter_mut().zip(codes).zip(translation) {
                *to = table[*from as usize];
            }
            self.add(&key, count);
        });
    }

    /// Gives every distinct combination and how many rows carry it, in an order that depends on nothing but the codes and,
    /// where combinations are long, on which of them was counted first.
    pub fn for_each(&self, mut each: impl FnMut(&[u32], u64)) {
        let CounterStore::Narrow { bits, index } = &self.store else { return self.each(each) };
        // The hash table has another order in every process.
        let mut words: Vec<(u64, u64)> = index.iter().copied().collect();
        words.sort_unstable();
        let mut key = vec![0; self.width];
        for (word, count) in words {
            unpack(word, bits, &mut key);
            each(&key, count);
        }
    }

    /// The same in any order.
    fn each(&self, mut each: impl FnMut(&[u32], u64)) {
        match &self.store {
            CounterStore::Narrow { bits, index } => {
                let mut key = vec![0; self.width];
                for &(word, count) in index {
                    unpack(word, bits, &mut key);
                    each(&key, count);
                }
            }
            // A table without columns has no combinations; chunks of 0 would panic.
            CounterStore::Wide { keys, counts, .. } => {
                for (key, &count) in keys.chunks_exact(self.width.max(1)).zip(counts) {
                    each(key, count);
                }
            }
        }
    }

    /// How many distinct combinations there are.
    pub fn len(&self) -> usize {
        match &self.store {
            CounterStore::Narrow { index, .. } => index.len(),
            CounterStore::Wide { counts, .. } => counts.len(),
        }
    }

    /// Whether nothing has been counted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rows have been counted.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

/// The codes side by side in one word, if each fits into its share.
#[inline]
fn pack(key: &[u32], bits: &[u32]) -> Option<u64> {
    let (mut word, mut over, mut shift) = (0u64, 0u64, 0);
    for (&code, &bits) in key.iter().zip(bits) {
        let code = u64::from(code);
        over |= code >> bits;
        word |= code << shift;
        shift += bits;
    }
    (over == 0).then_some(word)
}

fn unpack(word: u64, bits: &[u32], key: &mut [u32]) {
    let mut shift = 0;
    for (code, &bits) in key.iter_mut().zip(bits) {
        *code = (word >> shift & ((1 << bits) - 1)) as u32;
        shift += bits;
    }
}

#[inline]
fn add_word(index: &mut HashTable<(u64, u64)>, word: u64, count: u64) {
    let hash = hash_word(word);
    match index.find_mut(hash, |entry| entry.0 == word) {
        Some(entry) => entry.1 += count,
        None => {
            index.insert_unique(hash, (word, count), |entry| hash_word(entry.0));
        }
    }
}

fn add_key(
    keys: &mut Vec<u32>,
    counts: &mut Vec<u64>,
    index: &mut HashTable<u32>,
    key: &[u32],
    count: u64,
) {
    let width = key.len();
    let of = |keys: &[u32], entry: u32| -> u64 {
        let start = entry as usize * width;
        hash_key(&keys[start..start + width])
    };
    let hash = hash_key(key);
    let same = |&entry: &u32| keys[entry as usize * width..(entry as usize + 1) * width] == *key;
    if let Some(&entry) = index.find(hash, same) {
        counts[entry as usize] += count;
        return;
    }
    let entry = counts.len() as u32;
    keys.extend_from_slice(key);
    counts.push(count);
    index.insert_unique(hash, entry, |&entry| of(keys, entry));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn counted(counter: &ProfileCounter) -> BTreeMap<Vec<u32>, u64> {
        let mut counts = BTreeMap::new();
        counter.for_each(|key, count| assert!(counts.insert(key.to_vec(), count).is_none()));
        counts
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(256)))]

        /// Small codes, codes that outgrow their share, and codes that outgrow the word.
        #[test]
        fn counts_are_those_of_a_plain_map(
            width in 1usize..12,
            rows in prop::collection::vec((prop::array::uniform12(0u32..4), 0u32..13, 0usize..12), 1..60),
        ) {
            let mut counter = ProfileCounter::new(width);
            let mut plain: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            let mut together = Vec::new();
            for (codes, magnitude, at) in rows {
                let mut key = codes[..width].to_vec();
                key[at % width] <<= 2 * magnitude;
                counter.add(&key, 1);
                together.extend_from_slice(&key);
                *plain.entry(key).or_default() += 1;
            }
            let mut at_once = ProfileCounter::new(width);
            at_once.add_all(&together);
            prop_assert_eq!(counted(&at_once), counted(&counter));
            prop_assert_eq!(counter.len(), plain.len());
            prop_assert_eq!(counter.rows(), plain.values().sum::<u64>());
            prop_assert_eq!(counted(&counter), plain);
        }
    }

    #[test]
    fn a_very_wide_table_is_counted_too() {
        let mut counter = ProfileCounter::new(100);
        counter.add(&[7; 100], 1);
        counter.add(&[7; 100], 2);
        assert_eq!(counted(&counter), BTreeMap::from([(vec![7; 100], 3)]));
    }
}
