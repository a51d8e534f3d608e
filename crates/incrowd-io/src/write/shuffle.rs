//! A uniform shuffle of more rows than memory holds.

use std::path::{Path, PathBuf};

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use super::arena::{Arena, Kept};
use super::spool::{PARTS, Spool};
use crate::Result;

/// The random numbers of a shuffle: the same for a seed on any machine.
#[derive(Debug)]
pub(super) struct Random(Pcg64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(Pcg64::seed_from_u64(seed))
    }

    /// A number below `n`, all equally likely: the whole part of a random fraction times `n`,
    /// drawn again in the rare case that would favour some numbers (Lemire 2019).
    pub(super) fn below(&mut self, n: u32) -> u32 {
        let mut product = u64::from(self.0.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let surplus = n.wrapping_neg() % n;
            while (product as u32) < surplus {
                product = u64::from(self.0.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    fn bucket(&mut self) -> usize {
        self.below(PARTS as u32) as usize
    }
}

/// Rows thrown into random buckets on disk, to be shuffled one bucket at a time.
///
/// # Why this is uniform
///
/// Give each row an independent uniform random number in [0, 1) and sort by it: any order is
/// equally likely. Now look at these numbers digit by digit, in base [`PARTS`]. The first digits
/// say in which of so many stretches of the output a row belongs. They are independent of the
/// other digits, so among the rows that share the first digit the rest is again a list of
/// independent uniform numbers, and the order by it is again uniform. The bucket drawn for a row
/// is its first digit; buckets are given back one after the other, and each is put into a uniform
/// order by itself: by Fisher and Yates' method if it fits into memory, otherwise by the next
/// digit.
#[derive(Debug)]
pub(super) struct Buckets {
    spool: Spool,
    folder: PathBuf,
    budget: usize,
}

impl Buckets {
    /// Empty buckets in `folder`, for a memory budget.
    pub(super) fn new(folder: &Path, budget: usize) -> Result<Self> {
        let mut spool = Spool::new(folder, budget)?;
        for _ in 0..PARTS {
            spool.add_part();
        }
        Ok(Buckets { spool, folder: folder.to_owned(), budget })
    }

    /// Throws a row into a random bucket.
    pub(super) fn push(&mut self, row: Kept<'_>, random: &mut Random) -> Result<()> {
        self.spool.push(random.bucket(), row)
    }

    /// Gives all rows, shuffled, to `emit`. The arena is where they are shuffled: one for all
    /// levels of the recursion, so that its depth costs no memory.
    pub(super) fn finish(
        mut self,
        random: &mut Random,
        arena: &mut Arena,
        emit: &mut impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        self.spool.close()?;
        for bucket in 0..PARTS {
            if self.spool.fits(bucket, self.budget) {
                self.spool.load(bucket, arena)?;
                arena.shuffle(|n| random.below(n));
                arena.rows().try_for_each(|row| emit(row.bytes))?;
            } else {
                let mut smaller = Buckets::new(&self.folder, self.budget)?;
                self.spool.read(bucket).for_each(|row| smaller.push(row, random))?;
                smaller.finish(random, arena, emit)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_same_everywhere() {
        let mut random = Random::new(2026);
        let drawn: Vec<u32> = (0..6).map(|_| random.below(1000)).collect();
        // From a second implementation of PCG64, written from its definition.
        assert_eq!(drawn, [851, 780, 464, 22, 36, 7]);
    }

    #[test]
    fn numbers_below_n_are_equally_likely() {
        // 3 * 2^30 is where a plain remainder would be wrong most often.
        let n = 3 << 30;
        let mut random = Random::new(1);
        let mut thirds = [0u32; 3];
        for _ in 0..30_000 {
            thirds[(random.below(n) >> 30) as usize] += 1;
        }
        assert!(thirds.iter().all(|&count| count.abs_diff(10_000) < 300), "{thirds:?}");
        assert!((0..100).all(|_| random.below(1) == 0));
    }
}
