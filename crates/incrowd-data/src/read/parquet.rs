//! Parquet files as chunks of strings.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::arrow::{TextBuffer, readable};
use arrow_array::{Array, RecordBatch};
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::file::reader::{ChunkReader, Length};

use super::chunk::{Chunk, FieldSpan};
use super::dialect::check_names;
use super::file::{FileHandle, FileReader};
use super::parallel_pass::{BlockDecoder, BlockFeed, ReadProgress};
use crate::{Error, NULL, Result, field_of_text};

/// How many rows a batch has, and so a chunk.
const BATCH_ROWS: usize = 16 << 10;

/// What is known of a Parquet file before its rows are read.
#[derive(Debug)]
pub(super) struct ParquetFile {
    metadata: ArrowReaderMetadata,
}

impl ParquetFile {
    /// Reads the metadata; returns the names of the columns too.
    pub(super) fn open(handle: &FileHandle) -> Result<(Vec<String>, Self)> {
        let path = handle.path().to_owned();
        let file = ParquetBytes::new(handle);
        let metadata = careful(&path, || {
            ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
                .map_err(|cause| damaged(&path, &cause))
        })?;
        let names: Vec<String> =
            metadata.schema().fields().iter().map(|field| field.name().clone()).collect();
        if names.is_empty() {
            return Err(Error::new(format!("{} has no columns", path.display())));
        }
        let groups = metadata.metadata().row_groups().iter();
        let sizes = groups.map(|group| u64::try_from(group.total_byte_size()).unwrap_or(0));
        handle.refuse_expansion(sizes.fold(0, u64::saturating_add))?;
        check_names(&path, None, &names)?;
        Ok((names, ParquetFile { metadata }))
    }

    /// The types of the columns.
    pub(super) fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// Whether a column may have the empty text among its values, which is not a missing one. Files tell their least values.
    pub(super) fn may_have_empty_text(&self) -> bool {
        let groups = self.metadata.metadata().row_groups().iter();
        let mut columns = groups.flat_map(|group| group.columns());
        columns.any(|column| {
            let is_text = column.column_type() == parquet::basic::Type::BYTE_ARRAY;
            let told = column.statistics();
            let least = told.and_then(|statistics| statistics.min_bytes_opt());
            let missing = told.and_then(|statistics| statistics.null_count_opt());
            let has_values = missing != u64::try_from(column.num_values()).ok();
            is_text && has_values && least.is_none_or(<[u8]>::is_empty)
        })
    }

    /// What one pass over the given columns needs.
    pub(super) fn pass(
        &self,
        handle: &FileHandle,
        columns: &[usize],
    ) -> Result<(ParquetBatches, BatchFormatter)> {
        let path = handle.path().to_owned();
        plain_columns(&path, self.schema(), columns)?;
        let (formatter, sorted) = BatchFormatter::new(&path, self.schema(), columns);
        let batches = careful(&path, || {
            let metadata = self.metadata.clone();
            let mask = ProjectionMask::roots(metadata.parquet_schema(), sorted);
            let bytes = ParquetBytes::new(handle);
            ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, metadata)
                .with_projection(mask)
                .with_batch_size(BATCH_ROWS)
                .build()
                .map_err(|cause| damaged(&path, &cause))
        })?;
        let all_rows = self.metadata.metadata().file_metadata().num_rows();
        let all_rows = u64::try_from(all_rows).unwrap_or(0);
        Ok((ParquetBatches { batches, path, row: 0, all_rows, total: handle.len() }, formatter))
    }
}

/// Refuses columns whose values have no plain text.
pub(super) fn plain_columns(path: &Path, schema: &SchemaRef, columns: &[usize]) -> Result<()> {
    for &column in columns {
        let field = schema.field(column);
        if !readable(field.data_type()) {
            return Err(Error::new(format!(
                "column {:?} of {} holds values of an unsupported type: {}",
                field.name(),
                path.display(),
                field.data_type()
            ))
            .help("leave it out, or convert it to plain columns first"));
        }
    }
    Ok(())
}

/// The decoder is meant to refuse damaged files but is known to panic on some, which must not bring
/// the program down.
fn careful<T>(path: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(damaged(path, &"its parts are inconsistent")))
}

fn damaged(path: &Path, cause: &dyn Display) -> Error {
    Error::new(format!("cannot read {} as Parquet: {cause}", path.display()))
        .help("the file is damaged or incomplete: copy or make it again")
}

/// The batches of a file, in order. Row groups may be far larger than memory allows to hold several
/// of, so batches are decoded one after the other and turned into text in parallel.
pub(super) struct ParquetBatches {
    batches: ParquetRecordBatchReader,
    path: PathBuf,
    row: u64,
    all_rows: u64,
    total: u64,
}

/// A batch and how many rows come before it.
#[derive(Debug, Default)]
pub(super) struct PositionedBatch {
    rows: Option<RecordBatch>,
    first_row: u64,
}

impl PositionedBatch {
    /// A batch with so many rows before it.
    pub(super) fn new(rows: RecordBatch, first_row: u64) -> Self {
        PositionedBatch { rows: Some(rows), first_row }
    }
}

impl BlockFeed for ParquetBatches {
    type Block = PositionedBatch;

    fn next(&mut self, block: &mut PositionedBatch) -> Result<bool> {
        let ParquetBatches { batches, path, .. } = self;
        block.rows =
            careful(path, || batches.next().transpose().map_err(|cause| damaged(path, &cause)))?;
        block.first_row = self.row;
        self.row += block.rows.as_ref().map_or(0, |batch| batch.num_rows() as u64);
        Ok(block.rows.is_some())
    }

    fn progress(&self) -> ReadProgress {
        // The decoder reads here and there, so the share of the rows stands for that of the bytes.
        let share = u128::from(self.row) * u128::from(self.total);
        let bytes = share.checked_div(u128::from(self.all_rows)).unwrap_or(0);
        ReadProgress { bytes: bytes as u64, total: self.total, rows: self.row }
    }
}

/// Turns batches into text.
#[derive(Debug)]
pub(super) struct BatchFormatter {
    path: PathBuf,
    /// The names of the columns in a batch.
    names: Vec<String>,
    /// For each requested column, which column of a batch it is.
    places: Vec<usize>,
    /// Whether NULL is told apart from the empty text.
    tells_null: bool,
}

impl BatchFormatter {
    /// For these columns of a schema; also tells which columns the batches must have, ascending.
    pub(super) fn new(path: &Path, schema: &SchemaRef, columns: &[usize]) -> (Self, Vec<usize>) {
        let mut sorted = columns.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let places =
            columns.iter().map(|column| sorted.partition_point(|other| other < column)).collect();
        let names = sorted.iter().map(|&column| schema.field(column).name().clone()).collect();
        (BatchFormatter { path: path.to_owned(), names, places, tells_null: false }, sorted)
    }

    /// Tells NULL from the empty text, or not.
    pub(super) fn telling_null(self, tells_null: bool) -> Self {
        BatchFormatter { tells_null, ..self }
    }
}

impl BlockDecoder<PositionedBatch> for BatchFormatter {
    fn decode(&self, block: &mut PositionedBatch, chunk: &mut Chunk) -> Result<()> {
        let mut text = TextBuffer {
            text: std::mem::take(&mut chunk.text),
            spans: std::mem::take(&mut chunk.spans),
        };
        text.text.clear();
        text.spans.clear();
        chunk.rows = 0;
        if let Some(batch) = block.rows.take() {
            chunk.rows = batch.num_rows();
            for (name, column) in self.names.iter().zip(batch.columns()) {
                careful(&self.path, || {
                    text.push_column(column as &dyn Array).map_err(|fault| {
                        let row = block.first_row + fault.row as u64 + 1;
                        let what = fault.what;
                        Error::new(format!("column {name:?}, row {row} {what}"))
                            .at(&self.path, None, None)
                    })
                })?;
                if self.tells_null {
                    beside_null(&mut text, column);
                }
            }
        }
        chunk.text = text.text;
        chunk.spans = text.spans;
        chunk.first_row = block.first_row;
        chunk.stride = 1;
        chunk.offsets = self.places.iter().map(|place| place * chunk.rows).collect();
        chunk.lines = None;
        Ok(())
    }
}

/// Lets the fields of the last column stand for its values where NULL is told apart from the empty text.
fn beside_null(text: &mut TextBuffer<FieldSpan>, column: &dyn Array) {
    let nulls = column.logical_nulls();
    let first = text.spans.len().saturating_sub(column.len());
    let null = text.text.len();
    text.text.push_str(NULL);
    let null = FieldSpan::new(null, text.text.len());
    for (row, span) in text.spans.iter_mut().skip(first).enumerate() {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            *span = null;
            continue;
        }
        let value = text.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        if let Cow::Owned(field) = field_of_text(value) {
            let start = text.text.len();
            text.text.push_str(&field);
            *span = FieldSpan::new(start, text.text.len());
        }
    }
}

/// A file as the decoder wants it.
#[derive(Debug)]
struct ParquetBytes {
    file: Arc<FileReader>,
    len: u64,
}

impl ParquetBytes {
    fn new(handle: &FileHandle) -> Self {
        ParquetBytes { file: Arc::new(handle.reader(0)), len: handle.len() }
    }
}

impl Length for ParquetBytes {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for ParquetBytes {
    type T = BufReader<FileReader>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(BufReader::new(self.file.from(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        // A damaged file may ask for any length: take what there is before giving room to it.
        let mut bytes = Vec::new();
        self.file.from(start).take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(parquet::errors::ParquetError::EOF(format!(
                "it ends {} bytes too early",
                length - bytes.len()
            )));
        }
        Ok(bytes.into())
    }
}
