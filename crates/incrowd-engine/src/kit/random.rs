//! Random choices that are the same on every machine.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A generator with the few draws that searches need. Nothing here calls a mathematical function that
/// machines round differently.
#[derive(Clone)]
pub(crate) struct SearchRng(Pcg64Mcg);

impl SearchRng {
    /// The generator of one part of a search in one round.
    pub(crate) fn new(seed: u64, round: u64, part: u64) -> Self {
        const ODD: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F];
        let mixed = seed ^ round.wrapping_add(1).wrapping_mul(ODD[0]);
        SearchRng(Pcg64Mcg::seed_from_u64(mixed ^ part.wrapping_add(1).wrapping_mul(ODD[1])))
    }

    /// The generator of a seed alone.
    pub(crate) fn of_seed(seed: u64) -> Self {
        SearchRng(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Any number.
    pub(crate) fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Whether something happens that happens in this share of all cases.
    pub(crate) fn happens(&mut self, share: f64) -> bool {
        self.0.random_bool(share)
    }

    /// A number below `end`, which is not 0, each exactly as likely; [`below`](Chance::below) is faster.
    pub(crate) fn evenly(&mut self, end: u64) -> u64 {
        self.0.random_range(0..end)
    }

    /// A place in a list of that length, which is not 0, each exactly as likely.
    pub(crate) fn place(&mut self, length: usize) -> usize {
        self.0.random_range(0..length)
    }

    /// A number below `end`, which is not 0.
    #[inline]
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.0.next_u64()) * end as u128) >> 64) as usize
    }

    /// One of a list that is not empty.
    #[inline]
    pub(crate) fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A number from 0 to 1, not 1 itself.
    #[inline]
    pub(crate) fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An exponentially distributed number of mean 1: the negative logarithm of a share.
    pub(crate) fn exponential(&mut self) -> f64 {
        let bits = self.0.next_u64() | 1;
        let halvings = bits.leading_zeros();
        // From 1 to 2, whose logarithm is twice the inverse hyperbolic tangent of (m - 1) / (m + 1).
        let m = (bits << halvings) as f64 / (1u64 << 63) as f64;
        let z = (m - 1.0) / (m + 1.0);
        let square = z * z;
        let series = [1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0];
        let sum = series.iter().fold(0.0, |sum, term| sum * square + term);
        (f64::from(halvings) + 1.0) * std::f64::consts::LN_2 - 2.0 * z * sum
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}
