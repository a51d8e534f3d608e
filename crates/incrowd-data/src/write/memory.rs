//! A table written to memory, as Arrow batches.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use incrowd::Control;

use super::columns::Collector;
use super::layout::Layout;
use super::{ColumnType, OutputFile, OutputFormat, TableWriter};
use crate::{Chunk, Error, Result, Source};

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

    /// Writes the table to a file, in the format that its ending names. It appears whole or not at all.
    pub fn write(&self, path: &Path, delimiter: u8) -> Result<()> {
        let names: Vec<String> =
            self.schema.fields().iter().map(|field| field.name().clone()).collect();
        let types = self.schema.fields().iter().map(|field| ColumnType::from(field.data_type()));
        let format = OutputFormat::from_path(path)?;
        let null = Some(format.null());
        let layout = Layout { types: types.collect(), delimiter, null, ..Layout::text(names) };
        let encoder = layout.encoder()?;
        let output = OutputFile::create(path)?;
        let mut writer = TableWriter::new(output, format, &layout)?;
        let source =
            Source::from_batches("the table", self.schema.clone(), self.batches.clone(), Some(1))?
                .with_null("");
        let columns: Vec<usize> = (0..layout.names.len()).collect();
        let rows = |chunk: &Chunk| {
            let rows = (0..chunk.rows()).map(|row| {
                let mut text = Vec::new();
                encoder.row(columns.iter().map(|&at| chunk.field(row, at)), &mut text);
                text
            });
            Ok(rows.collect::<Vec<_>>())
        };
        let write = |rows: Vec<Vec<u8>>| rows.iter().try_for_each(|row| writer.row(row));
        source.map_in_order(&columns, rows, write, &Control::new())?;
        writer.finish()?.commit()
    }
}

/// Collects encoded rows, as [`CsvEncoder`](super::CsvEncoder) makes them, in memory.
pub struct MemoryWriter {
    collector: Collector,
    batches: Vec<RecordBatch>,
}

impl MemoryWriter {
    /// Starts a table.
    pub fn new(layout: &Layout) -> Result<Self> {
        Ok(MemoryWriter { collector: Collector::new(layout)?, batches: Vec::new() })
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
