//! The simplest random numbers, for tests whose cases were chosen with them.

/// A linear congruential generator (Knuth's MMIX) that gives its upper bits. [`SeededRng`](crate::SeededRng) is the
/// better one; here the numbers must stay what they were.
#[derive(Debug, Clone)]
pub struct LinearRng(u64);

impl LinearRng {
    /// The generator in this state.
    #[must_use]
    pub fn new(state: u64) -> Self {
        LinearRng(state)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Whether something happens that does so once in so many cases.
    pub fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }
}
