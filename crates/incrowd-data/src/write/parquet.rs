//! Writing Parquet.

use std::path::PathBuf;

use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::columns::BatchCollector;
use super::output::write_error;
use super::{OutputFile, TableLayout};
use crate::{Error, Result};

/// The size at which a row group is written: what the writer keeps in memory.
const ROW_GROUP_BYTES: usize = 16 << 20;

/// Turns encoded rows back into columns and writes them as Parquet: strings with dictionaries,
/// everything compressed with zstd.
pub(super) struct ParquetSink {
    writer: ArrowWriter<OutputFile>,
    target: PathBuf,
    collector: BatchCollector,
}

impl ParquetSink {
    pub(super) fn new(output: OutputFile, layout: &TableLayout) -> Result<Self> {
        let collector = BatchCollector::new(layout)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
            .set_created_by(concat!("incrowd ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let target = output.target().to_owned();
        let writer = ArrowWriter::try_new(output, collector.schema().clone(), Some(properties))
            .map_err(|e| failed(&target, &e))?;
        Ok(ParquetSink { writer, target, collector })
    }

    pub(super) fn row(&mut self, row: &[u8]) -> Result<()> {
        if self.collector.row(row)? { self.write_batch() } else { Ok(()) }
    }

    pub(super) fn finish(mut self) -> Result<OutputFile> {
        self.write_batch()?;
        let ParquetSink { writer, target, .. } = self;
        writer.into_inner().map_err(|e| failed(&target, &e))
    }

    fn write_batch(&mut self) -> Result<()> {
        let Some(batch) = self.collector.take() else { return Ok(()) };
        batch
            .map_err(ParquetError::from)
            .and_then(|batch| self.writer.write(&batch))
            .map_err(|e| failed(&self.target, &e))
    }
}

impl std::fmt::Debug for ParquetSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetSink")
            .field("schema", self.collector.schema())
            .finish_non_exhaustive()
    }
}

fn failed(target: &std::path::Path, cause: &ParquetError) -> Error {
    if let ParquetError::External(cause) = cause
        && let Some(cause) = cause.downcast_ref::<std::io::Error>()
    {
        return write_error(target, cause);
    }
    Error::new(format!("cannot write {}: {cause}", target.display()))
}

#[cfg(test)]
#[path = "parquet_tests.rs"]
mod tests;
