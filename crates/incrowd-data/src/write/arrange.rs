//! The order of the rows of a release.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use incrowd_engine::{ShuffleKey, Shuffler};
use rand::TryRng;
use rand::rngs::SysRng;

use super::arena::{PackedRow, RowArena};
use super::shuffle::ShuffleBuckets;
use super::sort::SortedRuns;
use super::spool::Spool;
use crate::{Error, Result, SecretKey};

/// In which order rows are released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Any order is equally likely. The same seed, rows and memory budget give the same order.
    ///
    /// Whoever knows the seed can put the rows back into the order of the input. Use a
    /// [`fresh_seed`] for a release, and a fixed one where runs must be repeatable and the order
    /// of the input is no secret.
    Shuffled {
        /// The seed; a number makes one, too.
        seed: ShuffleKey,
    },
    /// By the bytes of the encoded rows.
    Sorted,
    /// As they came. The order of the input may tell who is who: warn about it.
    Kept,
}

impl Order {
    /// Shuffled by the key in a file, which is made if it is not there, or by one that nobody keeps.
    pub fn shuffled(key_file: Option<&Path>) -> Result<Self> {
        let seed = match key_file {
            Some(path) => SecretKey::open(path)?.0.of_order(),
            None => fresh_seed(),
        };
        Ok(Order::Shuffled { seed })
    }
}

/// A seed of 256 bits from the system's randomness: nobody can find it by trying.
pub fn fresh_seed() -> ShuffleKey {
    let mut bytes = [0; 32];
    if SysRng.try_fill_bytes(&mut bytes).is_err() {
        // The standard library draws the keys of its hashers from the same source, and has a way out where it is closed.
        for word in bytes.chunks_exact_mut(8) {
            word.copy_from_slice(&RandomState::new().hash_one(()).to_le_bytes());
        }
    }
    ShuffleKey::new(bytes)
}

/// Takes encoded rows in one order and gives them back in another, within a memory budget.
///
/// Rows are held in memory up to the budget and beyond that in temporary files, of which nothing
/// is left afterwards. A shuffle then throws each row into a random bucket and shuffles one bucket
/// at a time, which is as uniform as shuffling all at once; sorting merges sorted runs; keeping
/// the order is a queue.
#[derive(Debug)]
pub struct Arranger {
    order: Order,
    budget: usize,
    folder: PathBuf,
    random: Shuffler,
    rows: u64,
    arena: RowArena,
    overflow: Option<SpillStorage>,
}

/// Where the rows are that do not fit into memory.
#[derive(Debug)]
enum SpillStorage {
    /// All rows, to be shuffled.
    Buckets(ShuffleBuckets),
    /// All rows but those in the arena, to be merged with them.
    Runs(SortedRuns),
    /// All rows, in one part, as they came.
    Queue(Spool),
}

impl Arranger {
    /// The memory budget where nothing speaks for another: 64 MiB.
    pub const DEFAULT_MEMORY: usize = 64 << 20;

    /// An arranger that holds about `memory` bytes of rows (at most 4 GiB), and more than that in
    /// temporary files in `folder`, which needs as much room as the output does uncompressed.
    pub fn new(order: Order, memory: usize, folder: &Path) -> Self {
        let seed = if let Order::Shuffled { seed } = order { seed } else { 0.into() };
        Arranger {
            order,
            budget: memory.min(RowArena::LARGEST),
            folder: folder.to_owned(),
            random: Shuffler::new(seed),
            rows: 0,
            arena: RowArena::default(),
            overflow: None,
        }
    }

    /// How many rows there are so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[u8]) -> Result<()> {
        self.keep(PackedRow::whole(row))
    }

    /// Adds bytes that stand for a row of some length, from which the receiver will make that row.
    /// The order of rows is the same as if they were whole, except for [`Order::Sorted`].
    pub fn push_short(&mut self, bytes: &[u8], length: usize) -> Result<()> {
        self.keep(PackedRow { bytes, length })
    }

    fn keep(&mut self, row: PackedRow<'_>) -> Result<()> {
        let length = row.bytes.len().max(row.length);
        if length >= RowArena::LARGEST {
            return Err(Error::new(format!("a row of {length} bytes is too long to be written"))
                .help("rows must be shorter than 4 GiB"));
        }
        self.rows += 1;
        self.store(row)
    }

    /// Adds many rows: the bytes of all of them, and where each ends.
    ///
    /// # Panics
    ///
    /// If the ends decrease or lie beyond the bytes.
    pub fn push_many(&mut self, bytes: &[u8], ends: &[usize]) -> Result<()> {
        let mut start = 0;
        for &end in ends {
            self.push(&bytes[start..end])?;
            start = end;
        }
        Ok(())
    }

    /// Gives the rows, in order, to `emit`; its first error ends that and is returned.
    pub fn finish(mut self, mut emit: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match self.overflow {
            None => {
                match self.order {
                    Order::Shuffled { .. } => self.arena.shuffle(|n| self.random.below(n)),
                    Order::Sorted => self.arena.sort(),
                    Order::Kept => {}
                }
                self.arena.rows().try_for_each(|row| emit(row.bytes))
            }
            Some(SpillStorage::Buckets(buckets)) => {
                buckets.finish(&mut self.random, &mut self.arena, &mut emit)
            }
            Some(SpillStorage::Runs(mut runs)) => {
                runs.add(&mut self.arena)?;
                drop(self.arena);
                runs.finish(emit)
            }
            Some(SpillStorage::Queue(mut queue)) => {
                queue.close()?;
                queue.read(0).for_each(|row| emit(row.bytes))
            }
        }
    }

    fn store(&mut self, row: PackedRow<'_>) -> Result<()> {
        match &mut self.overflow {
            Some(SpillStorage::Buckets(buckets)) => buckets.push(row, &mut self.random),
            Some(SpillStorage::Queue(queue)) => queue.push(0, row),
            None | Some(SpillStorage::Runs(_)) if self.arena.has_room(row, self.budget) => {
                self.arena.push(row);
                Ok(())
            }
            None | Some(SpillStorage::Runs(_)) => {
                self.spill()?;
                self.store(row)
            }
        }
    }

    /// Moves the rows in memory to disk.
    fn spill(&mut self) -> Result<()> {
        let (folder, budget) = (self.folder.as_path(), self.budget);
        self.overflow = Some(match (self.overflow.take(), self.order) {
            (Some(SpillStorage::Runs(mut runs)), _) => {
                runs.add(&mut self.arena)?;
                SpillStorage::Runs(runs)
            }
            (_, Order::Sorted) => {
                let mut runs = SortedRuns::new(folder, budget)?;
                runs.add(&mut self.arena)?;
                SpillStorage::Runs(runs)
            }
            (_, Order::Shuffled { .. }) => {
                let mut buckets = ShuffleBuckets::new(folder, budget)?;
                let rows = std::mem::take(&mut self.arena);
                rows.rows().try_for_each(|row| buckets.push(row, &mut self.random))?;
                SpillStorage::Buckets(buckets)
            }
            (_, Order::Kept) => {
                let mut queue = Spool::new(folder, budget)?;
                queue.add_part();
                let rows = std::mem::take(&mut self.arena);
                rows.rows().try_for_each(|row| queue.push(0, row))?;
                SpillStorage::Queue(queue)
            }
        });
        Ok(())
    }
}

#[cfg(test)]
#[path = "arrange_tests.rs"]
mod tests;
