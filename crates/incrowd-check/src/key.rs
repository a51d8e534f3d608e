//! Combinations of values in one machine word, and where they are in a list.

use std::fmt::Debug;

use crate::error::{Error, Result};

/// A word with a field for every column.
pub(crate) trait Key: Copy + Ord + Debug {
    const ZERO: Self;
    fn field(self, field: Field) -> usize;
    fn with(self, field: Field, value: u16) -> Self;
    /// The bits in which two keys differ, added to others.
    fn spread(self, one: Self, other: Self) -> Self;
    fn hash(self) -> u64;
}

/// Where a column stands in a key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) shift: u32,
    pub(crate) mask: u16,
}

/// The fields of columns of so many values each, one behind the other, and how many bits they take.
pub(crate) fn fields(values: impl Iterator<Item = usize>) -> Result<(Vec<Field>, u32)> {
    let (mut fields, mut bits) = (Vec::new(), 0);
    for values in values {
        let width = usize::BITS - (values - 1).leading_zeros();
        // A column of one value takes no bits.
        let shift = if width == 0 { 0 } else { bits };
        fields.push(Field { shift, mask: ((1u32 << width) - 1) as u16 });
        bits += width;
    }
    if bits > u128::BITS {
        return Err(Error::Question("its columns have too many values together".to_owned()));
    }
    Ok((fields, bits))
}

macro_rules! key {
    ($word:ty) => {
        impl Key for $word {
            const ZERO: Self = 0;
            #[inline]
            fn field(self, field: Field) -> usize {
                usize::from((self >> field.shift) as u16 & field.mask)
            }
            #[inline]
            fn with(self, field: Field, value: u16) -> Self {
                self & !(<$word>::from(field.mask) << field.shift)
                    | <$word>::from(value) << field.shift
            }
            #[inline]
            fn spread(self, one: Self, other: Self) -> Self {
                self | one ^ other
            }
            #[inline]
            fn hash(self) -> u64 {
                let folded = (self as u64) ^ (self >> (<$word>::BITS / 2)) as u64;
                folded.wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    ^ folded.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32
            }
        }
    };
}
key!(u64);
key!(u128);

/// Where keys are in a list: a hash table that is emptied at once.
#[derive(Default)]
pub(crate) struct Places {
    slots: Vec<(u32, u32)>,
    round: u32,
}

impl Places {
    /// Empties the table and makes room for so many keys.
    pub(crate) fn clear(&mut self, keys: usize) {
        let size = (2 * keys).next_power_of_two().max(16);
        if self.slots.len() < size {
            self.slots = vec![(0, 0); size];
            self.round = 0;
        }
        self.round += 1;
    }

    /// The place of a key; if it has none yet, it gets this one.
    #[inline]
    pub(crate) fn find_or_put<K: Key>(
        &mut self,
        key: K,
        place: usize,
        known: impl Fn(usize) -> K,
    ) -> Option<usize> {
        let at = self.at(key, known);
        match self.slots[at] {
            (round, found) if round == self.round => Some(found as usize),
            _ => {
                self.slots[at] = (self.round, place as u32);
                None
            }
        }
    }

    /// The place of a key, if it has one.
    #[inline]
    pub(crate) fn find<K: Key>(&self, key: K, known: impl Fn(usize) -> K) -> Option<usize> {
        let (round, found) = self.slots[self.at(key, known)];
        (round == self.round).then_some(found as usize)
    }

    #[inline]
    fn at<K: Key>(&self, key: K, known: impl Fn(usize) -> K) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.hash() >> 20) as usize & mask;
        while self.slots[at].0 == self.round && known(self.slots[at].1 as usize) != key {
            at = (at + 1) & mask;
        }
        at
    }
}
