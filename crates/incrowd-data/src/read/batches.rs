//! Arrow batches in memory as chunks of strings: tables of data frames and databases.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, SchemaRef};

use super::dialect::check_names;
use super::parallel_pass::{BlockFeed, ReadProgress};
use super::parquet::{BatchFormatter, PositionedBatch, plain_columns};
use crate::{Error, Result};

/// How many rows a chunk has.
const CHUNK_ROWS: usize = 16 << 10;

/// A table in memory, as Arrow batches of one schema.
#[derive(Debug, Clone)]
pub(super) struct MemoryBatches {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl MemoryBatches {
    /// Takes batches; returns the names of the columns too. `path` is for messages.
    pub(super) fn new(
        path: &Path,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
    ) -> Result<(Vec<String>, Self)> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        if names.is_empty() {
            return Err(Error::new(format!("{} has no columns", path.display())));
        }
        check_names(path, None, &names)?;
        if batches.iter().any(|batch| batch.num_columns() != names.len()) {
            let message = format!("the batches of {} have different columns", path.display());
            return Err(Error::new(message));
        }
        Ok((names, MemoryBatches { schema, batches }))
    }

    /// The types of the columns.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The batches themselves.
    pub(super) fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// Whether a column has the empty text among its values, which is not a missing one.
    pub(super) fn has_empty_text(&self) -> bool {
        self.batches.iter().flat_map(RecordBatch::columns).any(|column| has_empty_text(column))
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }

    /// What one pass over the given columns needs.
    pub(super) fn pass(
        &self,
        path: &Path,
        columns: &[usize],
    ) -> Result<(BatchSlices<'_>, BatchFormatter)> {
        plain_columns(path, &self.schema, columns)?;
        let (formatter, columns) = BatchFormatter::new(path, &self.schema, columns);
        let all_rows = self.rows();
        let path = path.to_owned();
        let slices =
            BatchSlices { batches: &self.batches, path, columns, at: (0, 0), rows: 0, all_rows };
        Ok((slices, formatter))
    }
}

fn has_empty_text(column: &dyn Array) -> bool {
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().flatten().any(str::is_empty),
        DataType::LargeUtf8 => column.as_string::<i64>().iter().flatten().any(str::is_empty),
        DataType::Utf8View => column.as_string_view().iter().flatten().any(str::is_empty),
        DataType::Dictionary(..) => has_empty_text(column.as_any_dictionary().values()),
        _ => false,
    }
}

/// Slices of batches, in order.
pub(super) struct BatchSlices<'a> {
    batches: &'a [RecordBatch],
    path: PathBuf,
    /// The columns that are asked for, ascending.
    columns: Vec<usize>,
    /// The batch and the row in it that come next.
    at: (usize, usize),
    rows: u64,
    all_rows: u64,
}

impl BlockFeed for BatchSlices<'_> {
    type Block = PositionedBatch;

    fn next(&mut self, block: &mut PositionedBatch) -> Result<bool> {
        while let Some(batch) = self.batches.get(self.at.0) {
            let (_, from) = self.at;
            let rows = CHUNK_ROWS.min(batch.num_rows() - from);
            if rows == 0 {
                self.at = (self.at.0 + 1, 0);
                continue;
            }
            self.at.1 += rows;
            let slice = batch.slice(from, rows).project(&self.columns).map_err(|cause| {
                Error::new(format!("cannot read {}: {cause}", self.path.display()))
            })?;
            *block = PositionedBatch::new(slice, self.rows);
            self.rows += rows as u64;
            return Ok(true);
        }
        Ok(false)
    }

    fn progress(&self) -> ReadProgress {
        ReadProgress { bytes: self.rows, total: self.all_rows, rows: self.rows }
    }
}
