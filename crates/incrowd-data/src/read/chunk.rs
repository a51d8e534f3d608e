//! A run of rows as strings.

use std::sync::Arc;

/// Where a field lies in the text of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FieldSpan {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl FieldSpan {
    /// A span within a text that is known to be shorter than 4 GB.
    #[inline]
    pub(super) fn new(start: usize, end: usize) -> Self {
        FieldSpan { start: start as u32, end: end as u32 }
    }
}

#[cfg(feature = "parquet")]
impl From<(usize, usize)> for FieldSpan {
    #[inline]
    fn from((start, end): (usize, usize)) -> Self {
        FieldSpan::new(start, end)
    }
}

/// A run of consecutive rows: the requested columns as strings.
///
/// All text lies in one buffer; a field is a slice of it. Workers reuse their chunk, so a pass
/// allocates nothing per row.
#[derive(Debug, Default)]
pub struct Chunk {
    pub(super) text: String,
    pub(super) spans: Vec<FieldSpan>,
    /// Where the first span of each requested column is.
    pub(super) offsets: Arc<[usize]>,
    /// How far apart the spans of neighbouring rows are.
    pub(super) stride: usize,
    pub(super) rows: usize,
    pub(super) first_row: u64,
    pub(super) lines: Option<ChunkLines>,
}

/// Where the rows of a chunk of CSV lie in the file.
#[derive(Debug, Default)]
pub(super) struct ChunkLines {
    /// The line, from 1, with which the chunk's text begins.
    pub(super) first: u64,
    /// Where each row begins in the text.
    pub(super) starts: Vec<u32>,
}

impl Chunk {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The value in a row of the chunk; `column` counts the requested columns.
    #[inline]
    pub fn field(&self, row: usize, column: usize) -> &str {
        &self.text[self.span(row, column)]
    }

    /// The same as bytes, which are had a little sooner.
    #[inline]
    pub fn bytes(&self, row: usize, column: usize) -> &[u8] {
        &self.text.as_bytes()[self.span(row, column)]
    }

    /// Where a value lies in the text.
    #[inline]
    fn span(&self, row: usize, column: usize) -> std::ops::Range<usize> {
        let span = self.spans[row * self.stride + self.offsets[column]];
        span.start as usize..span.end as usize
    }

    /// The values of a column, row by row; `column` counts the requested columns.
    #[inline]
    pub fn column(&self, column: usize) -> impl Iterator<Item = &str> {
        let spans = self.spans.get(self.offsets[column]..).unwrap_or_default();
        spans
            .iter()
            .step_by(self.stride)
            .take(self.rows)
            .map(|span| &self.text[span.start as usize..span.end as usize])
    }

    /// How many rows of the source come before this chunk.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// The line on which a row of the chunk begins, counted from 1; `None` where there are no
    /// lines, as in Parquet. It is found by counting, so it is meant for messages.
    pub fn line(&self, row: usize) -> Option<u64> {
        let lines = self.lines.as_ref()?;
        let before = &self.text.as_bytes()[..lines.starts[row] as usize];
        Some(lines.first + memchr::memchr_iter(b'\n', before).count() as u64)
    }
}
