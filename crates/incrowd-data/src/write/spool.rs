//! Rows that do not fit into memory, in a temporary file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::arena::{PackedRow, RowArena, pack, unpack};
use crate::{Error, Result};

/// How many parts a spool has open at a time: the buckets of a shuffle, the runs of a merge.
pub(super) const PARTS: usize = 256;

/// Several sequences of rows (*parts*) in one temporary file.
///
/// Rows are added to any part at any time. Each part has a buffer; a full one becomes a *block*,
/// appended to the file, so the file is written front to back whatever the order of the parts,
/// and reading a part means reading its blocks. Blocks hold whole rows. With [`PARTS`] parts the
/// buffers together take a quarter of the memory budget.
///
/// The file has no name (or is deleted when closed, where a system cannot do that), so nothing is
/// left of it however the process ends.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    folder: PathBuf,
    end: u64,
    block_size: usize,
    parts: Vec<SpoolPart>,
}

#[derive(Debug, Default)]
struct SpoolPart {
    buffer: Vec<u8>,
    blocks: Vec<SpoolBlock>,
    rows: usize,
    packed: usize,
    /// What the rows count for.
    counted: usize,
}

#[derive(Debug, Clone, Copy)]
struct SpoolBlock {
    offset: u64,
    length: usize,
}

impl Spool {
    /// An empty spool in `folder`, for a memory budget.
    pub(super) fn new(folder: &Path, budget: usize) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|e| spool_error(folder, &e))?;
        let block_size = (budget / 4 / PARTS).clamp(1 << 9, 1 << 18);
        Ok(Spool { file, folder: folder.to_owned(), end: 0, block_size, parts: Vec::new() })
    }

    /// How many parts there are.
    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Adds an empty part and returns its number.
    pub(super) fn add_part(&mut self) -> usize {
        self.parts.push(SpoolPart::default());
        self.parts.len() - 1
    }

    /// Adds a row to a part.
    pub(super) fn push(&mut self, part: usize, row: PackedRow<'_>) -> Result<()> {
        let length = row.packed();
        if self.parts[part].buffer.len() + length > self.block_size {
            self.write_block(part)?;
        }
        let part = &mut self.parts[part];
        if part.buffer.capacity() == 0 {
            part.buffer.reserve_exact(self.block_size.max(length));
        }
        pack(row, &mut part.buffer);
        part.rows += 1;
        part.packed += length;
        part.counted += row.counted();
        Ok(())
    }

    /// Writes out what a part still has in its buffer and frees that: the part is complete.
    pub(super) fn close_part(&mut self, part: usize) -> Result<()> {
        self.write_block(part)?;
        self.parts[part].buffer = Vec::new();
        Ok(())
    }

    /// Closes all parts.
    pub(super) fn close(&mut self) -> Result<()> {
        (0..self.parts.len()).try_for_each(|part| self.close_part(part))
    }

    /// Whether a part can be [`load`](Self::load)ed within a budget. A single row always can.
    pub(super) fn fits(&self, part: usize, budget: usize) -> bool {
        let SpoolPart { rows, packed, counted, .. } = self.parts[part];
        rows <= 1 || RowArena::memory_for(counted, rows) <= budget && packed <= RowArena::LARGEST
    }

    /// Replaces the rows of an arena by those of a closed part.
    pub(super) fn load(&self, part: usize, arena: &mut RowArena) -> Result<()> {
        let SpoolPart { blocks, rows, packed, .. } = &self.parts[part];
        arena.refill(*packed, *rows, |mut space| {
            for block in blocks {
                let (here, after) = space.split_at_mut(block.length);
                self.read_block(*block, here)?;
                space = after;
            }
            Ok(())
        })
    }

    /// Reads a closed part row by row, with one block of it in memory.
    pub(super) fn read(&self, part: usize) -> PartReader<'_> {
        PartReader {
            spool: self,
            blocks: self.parts[part].blocks.iter(),
            block: Vec::new(),
            position: 0,
        }
    }

    fn write_block(&mut self, part: usize) -> Result<()> {
        let part = &mut self.parts[part];
        if part.buffer.is_empty() {
            return Ok(());
        }
        self.file.write_all(&part.buffer).map_err(|e| spool_error(&self.folder, &e))?;
        part.blocks.push(SpoolBlock { offset: self.end, length: part.buffer.len() });
        self.end += part.buffer.len() as u64;
        part.buffer.clear();
        // A row larger than a block has made the buffer larger than a buffer should be.
        part.buffer.shrink_to(self.block_size);
        Ok(())
    }

    fn read_block(&self, block: SpoolBlock, space: &mut [u8]) -> Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(block.offset))
            .and_then(|_| file.read_exact(space))
            .map_err(|e| spool_error(&self.folder, &e))
    }
}

/// The rows of one part of a [`Spool`], in the order in which they were added.
#[derive(Debug)]
pub(super) struct PartReader<'s> {
    spool: &'s Spool,
    blocks: std::slice::Iter<'s, SpoolBlock>,
    block: Vec<u8>,
    position: usize,
}

impl PartReader<'_> {
    /// Goes to the next row; false at the end.
    pub(super) fn advance(&mut self) -> Result<bool> {
        self.position += self.row().packed();
        if self.position < self.block.len() {
            return Ok(true);
        }
        let Some(&block) = self.blocks.next() else { return Ok(false) };
        self.block.resize(block.length, 0);
        self.position = 0;
        self.spool.read_block(block, &mut self.block)?;
        Ok(true)
    }

    /// The current row; empty before the first and after the last.
    pub(super) fn row(&self) -> PackedRow<'_> {
        let row = self.block.get(self.position..).and_then(unpack);
        row.map_or_else(PackedRow::default, |(row, _)| row)
    }

    /// Gives all rows to `emit`.
    pub(super) fn for_each(
        &mut self,
        mut emit: impl FnMut(PackedRow<'_>) -> Result<()>,
    ) -> Result<()> {
        while self.advance()? {
            emit(self.row())?;
        }
        Ok(())
    }
}

fn spool_error(folder: &Path, cause: &io::Error) -> Error {
    Error::file("write a temporary file in", folder, cause)
        .help("make room on that disk, choose another temporary folder, or allow more memory")
}
