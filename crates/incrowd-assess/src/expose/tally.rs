//! Values counted in bounded memory.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

/// Counts how often values occur, by a hash of each; beyond a number of different values only a share of them is
/// counted, chosen by the hash. Which rows are alone is decided exactly for those, so that their number in the
/// whole is well estimated. The counts do not depend on the order of the rows, nor on how parts are merged, and
/// travel from one process to another.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "SerializedTally", from = "SerializedTally")]
pub struct ValueTally {
    /// Only values whose hash ends in so many zeros are counted.
    level: u32,
    most: usize,
    values: HashMap<u64, ValueCount, FixedState>,
}

#[derive(Debug, Clone)]
struct ValueCount {
    rows: u64,
    text: Box<str>,
}

/// A tally on its way: values by their hashes, in their order.
#[derive(Serialize, Deserialize)]
struct SerializedTally {
    level: u32,
    most: usize,
    values: Vec<(u64, u64, Box<str>)>,
}

impl From<ValueTally> for SerializedTally {
    fn from(tally: ValueTally) -> Self {
        let ValueTally { level, most, values } = tally;
        let values = values.into_iter().map(|(hash, it)| (hash, it.rows, it.text));
        let mut values: Vec<_> = values.collect();
        values.sort_unstable();
        SerializedTally { level, most, values }
    }
}

impl From<SerializedTally> for ValueTally {
    fn from(sent: SerializedTally) -> Self {
        let mut tally = ValueTally::new(sent.most);
        tally.level = sent.level.min(64);
        for (hash, rows, text) in sent.values {
            if hash.trailing_zeros() >= tally.level {
                tally.count(hash, rows, text);
            }
        }
        tally
    }
}

/// The hash of a value.
#[inline]
pub fn value_hash(value: &str) -> u64 {
    FixedState::default().hash_one(value.as_bytes())
}

/// The hash of two things together.
#[inline]
pub fn pair_hash(one: u64, two: u64) -> u64 {
    let product = u128::from(one ^ 0x9e37_79b9_7f4a_7c15) * u128::from(two | 1);
    let mixed = (product >> 64) as u64 ^ product as u64 ^ two.rotate_left(29);
    mixed.wrapping_mul(0xd1b5_4a32_d192_ed03) ^ mixed >> 31
}

impl ValueTally {
    /// Counts up to `most` different values exactly.
    pub fn new(most: usize) -> Self {
        ValueTally { level: 0, most: most.max(1), values: HashMap::default() }
    }

    /// Counts a row with this value.
    #[inline]
    pub fn add(&mut self, value: &str) {
        let hash = value_hash(value);
        if hash.trailing_zeros() < self.level {
            return;
        }
        match self.values.get_mut(&hash) {
            Some(counted) => counted.rows += 1,
            None => self.count(hash, 1, value.into()),
        }
    }

    #[inline]
    fn count(&mut self, hash: u64, rows: u64, text: Box<str>) {
        self.values.entry(hash).or_insert(ValueCount { rows: 0, text }).rows += rows;
        while self.values.len() > self.most {
            self.raise(self.level + 1);
        }
    }

    #[cold]
    fn raise(&mut self, level: u32) {
        self.level = level;
        self.values.retain(|hash, _| hash.trailing_zeros() >= level);
    }

    /// Adds what was counted of another part of the table.
    pub fn merge(&mut self, other: ValueTally) {
        if other.level > self.level {
            self.raise(other.level);
        }
        #[allow(clippy::iter_over_hash_type, reason = "sums do not depend on the order")]
        for (hash, counted) in other.values {
            if hash.trailing_zeros() >= self.level {
                self.count(hash, counted.rows, counted.text);
            }
        }
    }

    /// One value of how many was counted.
    pub fn scale(&self) -> u64 {
        1 << self.level.min(63)
    }

    /// Whether only a share of the values was counted.
    pub fn is_estimate(&self) -> bool {
        self.level > 0
    }

    /// How many different values there are, about.
    pub fn distinct(&self) -> u64 {
        (self.values.len() as u64).saturating_mul(self.scale())
    }

    /// How many rows have a value of their own.
    pub fn unique_rows(&self) -> u64 {
        let alone = self.values.values().filter(|counted| counted.rows == 1).count();
        (alone as u64).saturating_mul(self.scale())
    }

    /// The values that were counted with how often each occurs, by their text.
    pub fn values(&self) -> Vec<(&str, u64)> {
        let kept = self.values.values();
        let mut values: Vec<(&str, u64)> = kept.map(|it| (&*it.text, it.rows)).collect();
        values.sort_unstable();
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tallied(values: impl Iterator<Item = u32>, most: usize) -> ValueTally {
        let mut tally = ValueTally::new(most);
        values.for_each(|value| tally.add(&value.to_string()));
        tally
    }

    #[test]
    fn few_values_are_counted_exactly() {
        let tally = tallied((0..1000).map(|at| at % 700), 1000);
        assert_eq!((tally.unique_rows(), tally.is_estimate()), (400, false));
        assert_eq!(tally.values().len(), 700);
        assert_eq!(tally.values()[0], ("0", 2));
    }

    #[test]
    fn many_values_are_estimated_well_and_alike_however_they_are_parted() {
        let value = |at: u32| if at < 60_000 { at } else { at % 20_000 };
        let whole = tallied((0..100_000).map(value), 5_000);
        // 40,000 values occur once.
        assert!(whole.is_estimate() && whole.unique_rows().abs_diff(40_000) < 2_500);
        let mut parts = tallied((0..30_000).map(value), 5_000);
        parts.merge(tallied((30_000..31_000).map(value), 5_000));
        parts.merge(tallied((31_000..100_000).map(value), 5_000));
        assert_eq!(parts.unique_rows(), whole.unique_rows());
        assert_eq!(parts.values(), whole.values());
    }

    #[test]
    fn pairs_hash_to_different_places() {
        let hashes: std::collections::BTreeSet<u64> = (0..300)
            .flat_map(|one| {
                (0..300u32).map(move |two| pair_hash(one, value_hash(&two.to_string())))
            })
            .collect();
        assert_eq!(hashes.len(), 90_000);
        let even = hashes.iter().filter(|hash| hash.trailing_zeros() >= 3).count();
        assert!(even.abs_diff(90_000 / 8) < 500, "{even}");
    }
}
