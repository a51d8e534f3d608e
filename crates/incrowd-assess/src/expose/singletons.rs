//! Which values occur once, counted in bounded memory.

use serde::{Deserialize, Serialize};

/// Says of a stored hash that it has occurred several times.
const SEVERAL: u64 = 1 << 63;

/// Counts the hashes that occur once; beyond a number of different ones only a share of them is looked at, chosen by the hash.
/// What is told does not depend on the order of the rows, nor on how parts are merged.
///
/// Every released row is looked up here: the hashes lie in one array, so that a row costs one look at a far place.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "SerializedSingletons", from = "SerializedSingletons")]
pub(super) struct SingletonCounter {
    /// Only hashes that end in so many zeros are looked at.
    level: u32,
    most: usize,
    different: usize,
    /// Hashes where they belong, or behind that; 0 where there is none.
    slots: Vec<u64>,
}

/// The same on its way to another process: hashes in their order, and whether each has occurred several times.
#[derive(Serialize, Deserialize)]
struct SerializedSingletons {
    level: u32,
    most: usize,
    hashes: Vec<(u64, bool)>,
}

impl From<SingletonCounter> for SerializedSingletons {
    fn from(alone: SingletonCounter) -> Self {
        let mut hashes: Vec<(u64, bool)> = alone.stored().map(apart).collect();
        hashes.sort_unstable();
        SerializedSingletons { level: alone.level, most: alone.most, hashes }
    }
}

impl From<SerializedSingletons> for SingletonCounter {
    fn from(sent: SerializedSingletons) -> Self {
        let mut alone = SingletonCounter::new(sent.most);
        alone.level = sent.level.min(64);
        sent.hashes.into_iter().for_each(|(hash, several)| alone.put(hash, several));
        alone
    }
}

fn apart(stored: u64) -> (u64, bool) {
    (stored & !SEVERAL, stored & SEVERAL != 0)
}

impl SingletonCounter {
    /// Looks at up to `most` different hashes exactly.
    pub(super) fn new(most: usize) -> Self {
        SingletonCounter { level: 0, most: most.max(1), different: 0, slots: vec![0; 64] }
    }

    /// Counts a hash.
    #[inline]
    pub(super) fn add(&mut self, hash: u64) {
        self.put(hash, false);
    }

    /// Glances at where a hash lies.
    #[inline]
    pub(super) fn expect(&self, hash: u64) {
        if hash.trailing_zeros() >= self.level {
            std::hint::black_box(self.slots[self.place(hash & !SEVERAL)]);
        }
    }

    #[inline]
    fn put(&mut self, hash: u64, several: bool) {
        if hash.trailing_zeros() < self.level {
            return;
        }
        // Neither the bit that says something else, nor no hash at all.
        let hash = match hash & !SEVERAL {
            0 => 1 << 62,
            hash => hash,
        };
        let at = self.find(hash);
        match self.slots[at] {
            0 => {
                self.slots[at] = if several { hash | SEVERAL } else { hash };
                self.different += 1;
                if self.different * 2 > self.slots.len() || self.different > self.most {
                    self.make_room();
                }
            }
            _ => self.slots[at] |= SEVERAL,
        }
    }

    /// Where a hash belongs.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        // Hashes that are looked at may all end alike.
        hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 20 & (self.slots.len() - 1)
    }

    /// Where a hash lies, or would lie.
    #[inline]
    fn find(&self, hash: u64) -> usize {
        let last = self.slots.len() - 1;
        let mut at = self.place(hash);
        while self.slots[at] != 0 && self.slots[at] & !SEVERAL != hash {
            at = (at + 1) & last;
        }
        at
    }

    fn stored(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().copied().filter(|&slot| slot != 0)
    }

    /// Forgets the hashes that are not looked at; looks at fewer where there are too many, and lets them lie further apart.
    #[cold]
    fn make_room(&mut self) {
        let looked_at = |stored: &u64| stored.trailing_zeros() >= self.level;
        let mut kept: Vec<u64> = self.stored().filter(looked_at).collect();
        while kept.len() > self.most {
            self.level += 1;
            kept.retain(|stored| stored.trailing_zeros() >= self.level);
        }
        self.different = kept.len();
        self.slots = vec![0; (kept.len() * 4).next_power_of_two().max(64)];
        for stored in kept {
            let at = self.find(stored & !SEVERAL);
            self.slots[at] = stored;
        }
    }

    /// Adds what was counted of another part.
    pub(super) fn merge(&mut self, other: &SingletonCounter) {
        if other.level > self.level {
            self.level = other.level;
            self.make_room();
        }
        other.stored().map(apart).for_each(|(hash, several)| self.put(hash, several));
    }

    /// Whether only a share of the hashes was looked at.
    pub(super) fn is_estimate(&self) -> bool {
        self.level > 0
    }

    /// How many hashes occur once, about.
    pub(super) fn number(&self) -> u64 {
        let alone = self.stored().filter(|stored| stored & SEVERAL == 0).count() as u64;
        alone.saturating_mul(1 << self.level.min(63))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::value_hash;
    use super::*;

    fn counted(values: impl Iterator<Item = u32>, most: usize) -> SingletonCounter {
        let mut alone = SingletonCounter::new(most);
        values.for_each(|value| alone.add(value_hash(&value.to_string())));
        alone
    }

    #[test]
    fn few_are_counted_exactly() {
        for different in [1, 31, 32, 33, 700, 5_000] {
            let value = |at: u32| (at.wrapping_mul(2_654_435_761) >> 8) % different;
            let mut times: BTreeMap<u32, u32> = BTreeMap::new();
            (0..6_000).for_each(|at| *times.entry(value(at)).or_default() += 1);
            let alone = counted((0..6_000).map(value), 5_000);
            let expected = times.values().filter(|&&times| times == 1).count() as u64;
            assert_eq!((alone.number(), alone.is_estimate()), (expected, false), "{different}");
        }
    }

    #[test]
    fn many_are_estimated_well_and_alike_however_they_are_parted() {
        let value = |at: u32| if at < 60_000 { at } else { at % 20_000 };
        let whole = counted((0..100_000).map(value), 5_000);
        // 40,000 values occur once.
        assert!(whole.is_estimate() && whole.number().abs_diff(40_000) < 2_500);
        let mut parts = counted((30_000..31_000).map(value), 5_000);
        for others in [0..30_000, 31_000..100_000] {
            let sent = SerializedSingletons::from(counted(others.map(value), 5_000));
            parts.merge(&SingletonCounter::from(sent));
        }
        assert_eq!((parts.number(), parts.level), (whole.number(), whole.level));
    }

    #[test]
    fn the_hash_of_nothing_is_one_as_well() {
        let mut alone = SingletonCounter::new(10);
        [0, SEVERAL, 5].into_iter().for_each(|hash| alone.add(hash));
        assert_eq!(alone.number(), 1);
    }
}
