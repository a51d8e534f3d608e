//! Random draws that are the same everywhere.

/// A small generator (splitmix64): good enough to make up tables.
pub(super) struct TrapRng(u64);

impl TrapRng {
    pub(super) fn new(seed: u64) -> Self {
        TrapRng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
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
