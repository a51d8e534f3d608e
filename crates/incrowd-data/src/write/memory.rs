//! A table written to memory, as Arrow batches.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};

use super::columns::BatchCollector;
use super::layout::TableLayout;
use crate::{Error, Result};

/// A table in memory: batches of one schema. What it holds is what its rows show, and nothing else: no metadata, and
/// no entry of a dictionary that no row has.
#[derive(Debug, Clone)]
pub struct MemoryTable {
    /// The columns.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
}

impl MemoryTable {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Collects encoded rows, as [`CsvEncoder`](super::CsvEncoder) makes them, in memory.
pub struct MemoryWriter {
    collector: BatchCollector,
    batches: Vec<RecordBatch>,
}

impl MemoryWriter {
    /// Starts a table.
    pub fn new(layout: &TableLayout) -> Result<Self> {
        Ok(MemoryWriter { collector: BatchCollector::new(layout)?, batches: Vec::new() })
    }

    /// Adds an encoded row.
    pub fn row(&mut self, row: &[u8]) -> Result<()> {
        if self.collector.row(row)? { self.take() } else { Ok(()) }
    }

    /// Completes the table.
    pub fn finish(mut self) -> Result<MemoryTable> {
        self.take()?;
        Ok(MemoryTable { schema: self.collector.schema().clone(), batches: self.batches })
    }

    fn take(&mut self) -> Result<()> {
        let Some(batch) = self.collector.take() else { return Ok(()) };
        let failed = |e: ArrowError| Error::new(format!("the table cannot be made: {e}"));
        self.batches.push(batch.map_err(failed)?);
        Ok(())
    }
}
