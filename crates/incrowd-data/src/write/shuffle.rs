//! A uniform shuffle of more rows than memory holds.

use std::path::{Path, PathBuf};

use incrowd_engine::Shuffler;

use super::arena::{PackedRow, RowArena};
use super::spool::{PARTS, Spool};
use crate::Result;

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
pub(super) struct ShuffleBuckets {
    spool: Spool,
    folder: PathBuf,
    budget: usize,
}

impl ShuffleBuckets {
    /// Empty buckets in `folder`, for a memory budget.
    pub(super) fn new(folder: &Path, budget: usize) -> Result<Self> {
        let mut spool = Spool::new(folder, budget)?;
        for _ in 0..PARTS {
            spool.add_part();
        }
        Ok(ShuffleBuckets { spool, folder: folder.to_owned(), budget })
    }

    /// Throws a row into a random bucket.
    pub(super) fn push(&mut self, row: PackedRow<'_>, random: &mut Shuffler) -> Result<()> {
        self.spool.push(random.below(PARTS as u32) as usize, row)
    }

    /// Gives all rows, shuffled, to `emit`. The arena is where they are shuffled: one for all
    /// levels of the recursion, so that its depth costs no memory.
    pub(super) fn finish(
        mut self,
        random: &mut Shuffler,
        arena: &mut RowArena,
        emit: &mut impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        self.spool.close()?;
        for bucket in 0..PARTS {
            if self.spool.fits(bucket, self.budget) {
                self.spool.load(bucket, arena)?;
                arena.shuffle(|n| random.below(n));
                arena.rows().try_for_each(|row| emit(row.bytes))?;
            } else {
                let mut smaller = ShuffleBuckets::new(&self.folder, self.budget)?;
                self.spool.read(bucket).for_each(|row| smaller.push(row, random))?;
                smaller.finish(random, arena, emit)?;
            }
        }
        Ok(())
    }
}
