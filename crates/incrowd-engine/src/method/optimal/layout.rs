//! Packed keys: a cell's value on every axis in one machine word.

use crate::kit::{Error, Result};
use crate::space::cuts::{CutDecision, CutSpace};

/// A packed key.
pub(super) trait CellKey: Copy + Ord + Send + Sync + std::fmt::Debug {
    /// The narrow field of a key.
    fn field(self, shift: u32, mask: u16) -> u16;
    /// The key with that field replaced.
    fn with(self, shift: u32, mask: u16, value: u16) -> Self;
    /// The bits that differ between two values of a field.
    fn flip(shift: u32, one: u16, other: u16) -> Self;
    /// The key with those bits flipped.
    fn flipped(self, flip: Self) -> Self;
    /// All its bits in one word.
    fn folded(self) -> u64;
    /// No field set.
    const ZERO: Self;
}

macro_rules! key {
    ($word:ty) => {
        impl CellKey for $word {
            #[inline]
            fn field(self, shift: u32, mask: u16) -> u16 {
                (self >> shift) as u16 & mask
            }
            #[inline]
            fn with(self, shift: u32, mask: u16, value: u16) -> Self {
                self & !((mask as $word) << shift) | (value as $word) << shift
            }
            #[inline]
            fn flip(shift: u32, one: u16, other: u16) -> Self {
                ((one ^ other) as $word) << shift
            }
            #[inline]
            fn flipped(self, flip: Self) -> Self {
                self ^ flip
            }
            #[inline]
            fn folded(self) -> u64 {
                (self as u64).wrapping_add((self >> (<$word>::BITS / 2)) as u64)
            }
            const ZERO: Self = 0;
        }
    };
}
key!(u64);
key!(u128);

/// Where one axis stands in keys and in arrays over all cuts.
#[derive(Debug, Clone, Copy)]
pub(super) struct AxisField {
    shift: u32,
    mask: u16,
    first: usize,
}

impl AxisField {
    /// The slot of a key's value.
    #[inline]
    pub(super) fn slot<K: CellKey>(self, key: K) -> usize {
        self.first + usize::from(key.field(self.shift, self.mask))
    }
}

/// Where each axis stands in keys and in arrays over all cuts.
#[derive(Debug, Clone)]
pub(super) struct AxisLayout {
    /// By axis: shift and mask of its field.
    pub(super) fields: Vec<(u32, u16)>,
    /// By axis: the *slot* of its position 0; the cut at a position has the slot `first + position`.
    pub(super) first: Vec<usize>,
    /// How many slots there are.
    pub(super) slots: usize,
    /// By slot: its axis.
    pub(super) axis_of: Vec<u8>,
    /// By axis: how many values it has.
    pub(super) values: Vec<usize>,
    /// How many bits a key needs.
    pub(super) bits: u32,
    /// The axis with most information, which is decided last.
    pub(super) last: usize,
    /// Whether that axis has so many cuts that all others are decided first.
    pub(super) last_is_long: bool,
}

impl AxisLayout {
    /// The layout of a space, if its keys are not too long.
    pub(super) fn checked(space: &CutSpace<'_>) -> Result<Self> {
        let layout = Self::new(space);
        if layout.bits > u128::BITS {
            return Err(Error::new(format!(
                "the columns have too many values together: they take {} bits, and the \
                 method supports {}",
                layout.bits,
                u128::BITS
            ))
            .help(
                "name fewer quasi-identifiers, or put values into fewer bins (the option bins)",
            ));
        }
        Ok(layout)
    }

    pub(super) fn new(space: &CutSpace<'_>) -> Self {
        let values: Vec<usize> = space.axes.iter().map(|axis| axis.values()).collect();
        let entropy: Vec<f64> = (0..values.len()).map(|axis| entropy(space, axis)).collect();
        let last = (0..values.len())
            .max_by(|&one, &other| entropy[one].total_cmp(&entropy[other]))
            .unwrap_or(0);
        let mut fields = vec![(0, 0); values.len()];
        let mut bits = 0;
        for axis in 0..values.len() {
            let width = usize::BITS - (values[axis] - 1).leading_zeros();
            fields[axis] = (bits, ((1u32 << width) - 1) as u16);
            bits += width;
        }
        let mut first = Vec::new();
        let (mut slots, mut axis_of) = (0, Vec::new());
        for (axis, &values) in values.iter().enumerate() {
            first.push(slots);
            slots += values + 1;
            axis_of.resize(slots, axis as u8);
        }
        let last_is_long = entropy.get(last).is_some_and(|&bits| bits > LONG);
        AxisLayout { fields, first, slots, axis_of, values, bits, last, last_is_long }
    }

    /// The axis and position of a slot.
    #[inline]
    pub(super) fn cut(&self, slot: usize) -> (usize, usize) {
        let axis = usize::from(self.axis_of[slot]);
        (axis, slot - self.first[axis])
    }

    /// Where an axis stands.
    #[inline]
    pub(super) fn field(&self, axis: usize) -> AxisField {
        let (shift, mask) = self.fields[axis];
        AxisField { shift, mask, first: self.first[axis] }
    }

    /// The slots of an axis.
    #[inline]
    pub(super) fn slots_of(&self, axis: usize) -> std::ops::Range<usize> {
        self.first[axis]..self.first[axis] + self.values[axis] + 1
    }

    /// What is settled beforehand, by slot. The ends of axes count as in.
    pub(super) fn choices(&self, space: &CutSpace<'_>) -> Vec<CutDecision> {
        (0..self.slots)
            .map(|slot| {
                let (axis, position) = self.cut(slot);
                let inner = position > 0 && position < self.values[axis];
                if inner { space.axes[axis].settled(position) } else { CutDecision::In }
            })
            .collect()
    }
}

/// An axis with more bits of information than this is decided last: age in years, but not in bins of
/// five.
const LONG: f64 = 4.5;

/// How much an axis tells about a row, in bits.
fn entropy(space: &CutSpace<'_>, axis: usize) -> f64 {
    let mut counts = vec![0u64; space.axes[axis].values()];
    for (&value, &count) in space.values[axis].iter().zip(&space.counts) {
        counts[usize::from(value)] += u64::from(count);
    }
    let rows = space.problem.rows as f64;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = count as f64 / rows;
            -share * share.log2()
        })
        .sum()
}
