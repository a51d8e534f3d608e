//! Random draws that are the same everywhere.

use crate::SeededRng;

/// What tables are made up with.
pub(super) struct TrapRng(SeededRng);

impl TrapRng {
    pub(super) fn new(seed: u64) -> Self {
        TrapRng(SeededRng::with_state(seed))
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0.below(end)
    }

    /// A number from `low` to `high`, both possible.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high.abs_diff(low) + 1) as i64
    }

    /// A number around `mean`, rarely farther off than three times `spread`.
    pub(super) fn around(&mut self, mean: f64, spread: f64) -> f64 {
        let sum: f64 = (0..12).map(|_| self.below(1 << 20) as f64 / (1u64 << 20) as f64).sum();
        mean + (sum - 6.0) * spread
    }

    /// One of them.
    pub(super) fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len() as u64) as usize]
    }

    /// True in `percent` of a hundred draws.
    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
