//! Random numbers for tests, with nothing of the engine's in them.

use std::ops::RangeInclusive;

/// Random numbers: the same for the same seed, anywhere (SplitMix64).
#[derive(Debug, Clone)]
pub struct SeededRng(u64);

impl SeededRng {
    /// Dice that fall so for this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        SeededRng(seed.wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    /// The generator in exactly this state, for tables that were made up with it.
    #[must_use]
    pub fn with_state(state: u64) -> Self {
        SeededRng(state)
    }

    /// Any number.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to before `end`.
    ///
    /// # Panics
    ///
    /// There is none below 0.
    pub fn below<N: TryFrom<u64> + TryInto<u64>>(&mut self, end: N) -> N {
        let end: u64 = end.try_into().ok().filter(|&end| end > 0).expect("an end above 0");
        N::try_from(self.word() % end).ok().expect("what is below a number is of its kind")
    }

    /// A number of a range.
    pub fn within(&mut self, range: &RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    /// Whether something happens that does so often.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of them.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Any order of them.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}
