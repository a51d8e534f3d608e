//! Sorting more rows than memory holds.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::{Path, PathBuf};

use super::arena::{PackedRow, RowArena};
use super::spool::{PARTS, PartReader, Spool};
use crate::Result;

/// Sorted runs of rows on disk, to be merged.
#[derive(Debug)]
pub(super) struct SortedRuns {
    spool: Spool,
    folder: PathBuf,
    budget: usize,
}

impl SortedRuns {
    /// No runs yet; in `folder`, for a memory budget.
    pub(super) fn new(folder: &Path, budget: usize) -> Result<Self> {
        Ok(SortedRuns { spool: Spool::new(folder, budget)?, folder: folder.to_owned(), budget })
    }

    /// Adds the rows of an arena as a run and empties it.
    pub(super) fn add(&mut self, arena: &mut RowArena) -> Result<()> {
        arena.sort();
        let run = self.spool.add_part();
        arena.rows().try_for_each(|row| self.spool.push(run, row))?;
        arena.clear();
        self.spool.close_part(run)
    }

    /// Gives all rows, sorted, to `emit`.
    pub(super) fn finish(mut self, mut emit: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        // A merge holds a block of each of its runs: too many are first merged to fewer.
        while self.spool.parts() > PARTS {
            let mut longer = SortedRuns::new(&self.folder, self.budget)?;
            for first in (0..self.spool.parts()).step_by(PARTS) {
                let run = longer.spool.add_part();
                let last = (first + PARTS).min(self.spool.parts());
                merge(&self.spool, first..last, |row| longer.spool.push(run, row))?;
                longer.spool.close_part(run)?;
            }
            self = longer;
        }
        merge(&self.spool, 0..self.spool.parts(), |row| emit(row.bytes))
    }
}

/// Gives the rows of some sorted parts, sorted, to `emit`.
fn merge(
    spool: &Spool,
    parts: std::ops::Range<usize>,
    mut emit: impl FnMut(PackedRow<'_>) -> Result<()>,
) -> Result<()> {
    let mut heads = BinaryHeap::with_capacity(parts.len());
    for part in parts {
        let mut reader = spool.read(part);
        if reader.advance()? {
            heads.push(RunHead(reader));
        }
    }
    while let Some(mut head) = heads.peek_mut() {
        emit(head.0.row())?;
        if !head.0.advance()? {
            PeekMut::pop(head);
        }
    }
    Ok(())
}

/// A run, ordered by its current row, smallest first in a heap.
struct RunHead<'s>(PartReader<'s>);

impl Ord for RunHead<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.row().bytes.cmp(self.0.row().bytes)
    }
}

impl PartialOrd for RunHead<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RunHead<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for RunHead<'_> {}
