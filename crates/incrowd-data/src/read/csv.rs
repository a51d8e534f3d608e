//! Splitting a block of CSV into fields.

use std::path::PathBuf;
use std::sync::Arc;

use super::blocks::RecordBlock;
use super::chunk::{Chunk, ChunkLines, FieldSpan};
use super::dialect::{first_record, locate, shown};
use super::parallel_pass::BlockDecoder;
use crate::null::looks_like_null;
use crate::{Error, NULL, Result};

const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Turns blocks into chunks.
#[derive(Debug)]
pub(super) struct CsvParser {
    delimiter: u8,
    /// The names of all columns.
    names: Arc<[String]>,
    path: PathBuf,
    /// For each column of the file, whether it is requested.
    wanted: Vec<bool>,
    /// How many columns are requested, each counted once.
    stride: usize,
    offsets: Arc<[usize]>,
    /// How NULL is spelled, where it is told apart.
    null: Option<&'static str>,
}

/// A record with the wrong number of fields begins here.
struct RaggedRecord(usize);

impl CsvParser {
    /// A parser for the columns at the given positions, in any order.
    pub(super) fn new(
        path: PathBuf,
        delimiter: u8,
        names: Arc<[String]>,
        columns: &[usize],
    ) -> Self {
        let mut wanted = vec![false; names.len()];
        for &column in columns {
            wanted[column] = true;
        }
        let before = |column: usize| wanted[..column].iter().filter(|&&wanted| wanted).count();
        let offsets = columns.iter().map(|&column| before(column)).collect();
        let stride = before(wanted.len());
        CsvParser { delimiter, names, path, wanted, stride, offsets, null: None }
    }

    /// Tells NULL, which is spelled like this and never quoted, from texts.
    pub(super) fn with_null(self, null: Option<&'static str>) -> Self {
        CsvParser { null, ..self }
    }

    /// Finds the fields of all records. Fields that are not slices of the text (those with doubled
    /// quotes) are put together in `extra`, which is thought to follow the text.
    fn parse<const QUOTES: bool>(
        &self,
        text: &[u8],
        spans: &mut Vec<FieldSpan>,
        starts: &mut Vec<u32>,
        extra: &mut Vec<u8>,
    ) -> Result<(), RaggedRecord> {
        let last = self.wanted.len() - 1;
        let mut quoted = QuoteState::default();
        let (mut record, mut start, mut column) = (0, 0, 0);
        for base in (0..text.len()).step_by(64) {
            let mut marks = marks::<QUOTES>(text, base, self.delimiter);
            while marks != 0 {
                let at = base + marks.trailing_zeros() as usize;
                marks &= marks - 1;
                let byte = text[at];
                if QUOTES && (byte == b'"' || quoted.open) {
                    if byte == b'"' {
                        quoted.meet(at, start);
                    }
                    continue;
                }
                let mut end = at;
                if byte == b'\n' {
                    if end > start && text[end - 1] == b'\r' {
                        end -= 1;
                    }
                    if column == 0 && end == start {
                        start = at + 1;
                        record = start;
                        continue;
                    }
                    if column != last {
                        return Err(RaggedRecord(record));
                    }
                    starts.push(record as u32);
                    record = at + 1;
                } else if column == last {
                    return Err(RaggedRecord(record));
                }
                if self.wanted[column] {
                    let is_quoted = QUOTES && quoted.any;
                    let span = match is_quoted {
                        true => quoted.span(text, start, end, extra),
                        false => FieldSpan::new(start, end),
                    };
                    spans.push(match self.null {
                        None => span,
                        Some(null) => beside_null(span, is_quoted, null, text, extra),
                    });
                }
                if QUOTES {
                    quoted = QuoteState::default();
                }
                column = if byte == b'\n' { 0 } else { column + 1 };
                start = at + 1;
            }
        }
        Ok(())
    }

    fn ragged(&self, block: &RecordBlock, text: &[u8], record: usize) -> Error {
        let line = block.first_line + locate(text, self.delimiter, record).lines;
        let found = first_record(&text[record..], self.delimiter).map_or(0, |record| record.fields);
        let (expected, delimiter) = (self.names.len(), shown(self.delimiter));
        let help = if found > expected {
            format!(
                "a value that holds the delimiter {delimiter} must be quoted; \
                 or is the delimiter another one?"
            )
        } else {
            format!("is a value missing, or is the delimiter not {delimiter}?")
        };
        let plural = if found == 1 { "" } else { "s" };
        Error::new(format!("line {line} has {found} field{plural}, but the header has {expected}"))
            .at(&self.path, Some(line), None)
            .help(help)
    }

    fn bad_utf8(&self, block: &RecordBlock, text: &[u8], at: usize) -> Error {
        let position = locate(text, self.delimiter, at);
        let line = block.first_line + position.lines;
        let column = position.field;
        // The header itself is read before there are names.
        let name = self.names.get(column - 1).filter(|name| !name.is_empty());
        let name = name.map_or(String::new(), |name| format!(" ({name:?})"));
        Error::new(format!(
            "line {line}, column {column}{name} is not valid UTF-8: byte 0x{:02X}",
            text[at]
        ))
        .at(&self.path, Some(line), Some(column as u64))
        .help("if the file is in another encoding, name it, for example: --encoding windows-1252")
    }
}

impl BlockDecoder<RecordBlock> for CsvParser {
    fn decode(&self, block: &mut RecordBlock, chunk: &mut Chunk) -> Result<()> {
        // The chunk takes the block's text, the block gets the chunk's old buffer to be filled.
        let buffer = std::mem::take(&mut chunk.text).into_bytes();
        let mut text = std::mem::replace(&mut block.bytes, buffer);
        let mut extra = Vec::new();
        let ChunkLines { first, starts } = chunk.lines.get_or_insert_default();
        chunk.spans.clear();
        starts.clear();
        *first = block.first_line;
        let parsed = if block.quotes {
            self.parse::<true>(&text, &mut chunk.spans, starts, &mut extra)
        } else {
            self.parse::<false>(&text, &mut chunk.spans, starts, &mut extra)
        };
        let length = text.len();
        text.append(&mut extra);
        let checked = String::from_utf8(text);
        // Whichever fault comes first in the file is reported.
        match (parsed, checked) {
            (Ok(()), Ok(text)) => chunk.text = text,
            (Err(RaggedRecord(record)), Ok(text)) => {
                return Err(self.ragged(block, &text.as_bytes()[..length], record));
            }
            (parsed, Err(error)) => {
                let at = error.utf8_error().valid_up_to();
                let text = &error.as_bytes()[..length];
                return Err(match parsed {
                    Err(RaggedRecord(record)) if record <= at => self.ragged(block, text, record),
                    _ => self.bad_utf8(block, text, at),
                });
            }
        }
        chunk.rows = starts.len();
        chunk.first_row = block.first_row;
        chunk.stride = self.stride;
        chunk.offsets = Arc::clone(&self.offsets);
        Ok(())
    }
}

/// Where the field that stands for a value lies, in `text` or in `extra` behind it, where NULL is spelled like this.
fn beside_null(
    span: FieldSpan,
    is_quoted: bool,
    null: &str,
    text: &[u8],
    extra: &mut Vec<u8>,
) -> FieldSpan {
    let (start, end) = (span.start as usize, span.end as usize);
    let value = match start.checked_sub(text.len()) {
        None => text.get(start..end),
        Some(from) => extra.get(from..end - text.len()),
    };
    let value = value.unwrap_or_default();
    let is_null = !is_quoted && value == null.as_bytes();
    let field = match (is_null, looks_like_null(value)) {
        (true, _) if null == NULL => return span,
        (true, _) => NULL.as_bytes().to_vec(),
        (false, true) => [b"\\", value].concat(),
        (false, false) => return span,
    };
    let from = text.len() + extra.len();
    extra.extend_from_slice(&field);
    FieldSpan::new(from, text.len() + extra.len())
}

/// What is known of the quotes of a field.
#[derive(Default)]
struct QuoteState {
    /// Whether the field is quoted.
    any: bool,
    open: bool,
    /// Where the last quote that closed it is.
    close: usize,
    doubled: bool,
}

impl QuoteState {
    /// Meets the quote at `at` in the field that begins at `start`.
    #[inline(always)]
    fn meet(&mut self, at: usize, start: usize) {
        if self.open {
            self.open = false;
            self.close = at;
        } else if at == start {
            self.any = true;
            self.open = true;
        } else if self.any && at == self.close + 1 {
            self.doubled = true;
            self.open = true;
        }
    }

    /// The value of the quoted field that begins at `start` and ends before `end`.
    fn span(&self, text: &[u8], start: usize, end: usize, extra: &mut Vec<u8>) -> FieldSpan {
        if !self.doubled && self.close + 1 == end {
            return FieldSpan::new(start + 1, self.close);
        }
        let from = text.len() + extra.len();
        let mut inside = &text[start + 1..self.close];
        while let Some(quote) = memchr::memchr(b'"', inside) {
            extra.extend_from_slice(&inside[..=quote]);
            inside = inside.get(quote + 2..).unwrap_or_default();
        }
        extra.extend_from_slice(inside);
        extra.extend_from_slice(&text[self.close + 1..end]);
        FieldSpan::new(from, text.len() + extra.len())
    }
}

/// A bit for each of the 64 bytes at `base` that is a delimiter, a newline or, if asked for, a
/// quote. Marks are dense in a table, so finding all at once is faster than one after the other.
#[inline(always)]
fn marks<const QUOTES: bool>(text: &[u8], base: usize, delimiter: u8) -> u64 {
    let rest = &text[base..];
    let mut padded = [0; 64];
    let window = rest.first_chunk::<64>().unwrap_or_else(|| {
        padded[..rest.len()].copy_from_slice(rest);
        &padded
    });
    let mut marks = 0;
    for (at, word) in window.as_chunks::<8>().0.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let mut hits = equal_bytes(word, delimiter) | equal_bytes(word, b'\n');
        if QUOTES {
            hits |= equal_bytes(word, b'"');
        }
        // The multiplication brings the eight lowest bits of the bytes together at the top.
        marks |= ((hits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at);
    }
    marks
}

/// The highest bit of each byte of a word that is `byte`.
#[inline(always)]
fn equal_bytes(word: u64, byte: u8) -> u64 {
    let difference = word ^ u64::from_ne_bytes([byte; 8]);
    !(((difference & LOW_BITS) + LOW_BITS) | difference | LOW_BITS)
}
