//! The temperature of an annealing.

use super::SearchRng;

/// A temperature that falls by the same ratio from stair to stair.
pub(crate) struct GeometricCooling {
    temperature: f64,
    ratio: f64,
}

impl GeometricCooling {
    /// From a temperature down to a share of it, in so many stairs, a power of two: the ratio of two
    /// stairs is a root by square roots, which are the same on every machine; powers are not.
    pub(crate) fn new(hot: f64, cold: f64, stairs: u64) -> Self {
        let ratio = (0..stairs.trailing_zeros()).fold(cold, |ratio, _| ratio.sqrt());
        GeometricCooling { temperature: hot, ratio }
    }

    /// The temperature of this stair.
    pub(crate) fn temperature(&self) -> f64 {
        self.temperature
    }

    /// The temperature of the next stair.
    pub(crate) fn next(&self) -> f64 {
        self.temperature * self.ratio
    }

    /// Goes to the next stair.
    pub(crate) fn fall(&mut self) {
        self.temperature *= self.ratio;
    }

    /// By how much a move may make things worse, by chance: more than the temperature ever more seldom.
    #[inline]
    pub(crate) fn worse_by(&self, chance: &mut SearchRng) -> f64 {
        self.temperature * chance.exponential()
    }
}
