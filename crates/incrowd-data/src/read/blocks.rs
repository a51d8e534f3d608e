//! Cutting a CSV stream into blocks of whole records.

use std::path::{Path, PathBuf};

use super::dialect::QuoteTracker;
use super::file::{DecodedStream, InputCompression, fill};
use super::parallel_pass::{BlockFeed, ReadProgress};
use crate::{Error, Result};

/// How many bytes of text a block has, about: small enough for a core's cache together with what
/// is made of it, large enough to make handing it over cheap.
pub(super) const BLOCK_SIZE: usize = 512 << 10;

/// The longest record that is taken for one: without a limit, a quote that is never closed would
/// bring the rest of the file into memory.
pub(super) const LONGEST_RECORD: usize = 64 << 20;

/// Whole records, each ended by a newline.
#[derive(Debug, Default)]
pub(super) struct RecordBlock {
    pub(super) bytes: Vec<u8>,
    /// Whether there may be quotes in it.
    pub(super) quotes: bool,
    /// The line, from 1, with which it begins.
    pub(super) first_line: u64,
    /// How many rows come before it.
    pub(super) first_row: u64,
}

/// The blocks of a stream, in order.
pub(super) struct BlockReader {
    pub(super) input: DecodedStream,
    pub(super) compression: InputCompression,
    pub(super) delimiter: u8,
    /// The name of the file, for messages.
    pub(super) path: PathBuf,
    /// The size of a block and the longest record; see the constants.
    pub(super) size: usize,
    pub(super) longest: usize,
    /// What has been read behind the last block.
    pub(super) rest: Vec<u8>,
    pub(super) ended: bool,
    pub(super) line: u64,
    pub(super) row: u64,
    /// The size of the file.
    pub(super) total: u64,
}

impl BlockFeed for BlockReader {
    type Block = RecordBlock;

    fn next(&mut self, block: &mut RecordBlock) -> Result<bool> {
        let bytes = &mut block.bytes;
        bytes.clear();
        bytes.append(&mut self.rest);
        let mut target = self.size;
        loop {
            if !self.ended && bytes.len() < target {
                let missing = target - bytes.len();
                self.ended = fill(&mut self.input.input, bytes, missing)
                    .map_err(|cause| self.compression.error(&self.path, &cause))?;
                if self.ended && bytes.last().is_some_and(|&last| last != b'\n') {
                    bytes.push(b'\n');
                }
            }
            let cut = cut(bytes, self.delimiter);
            if cut.end > 0 {
                self.rest.extend_from_slice(&bytes[cut.end..]);
                bytes.truncate(cut.end);
                block.quotes = cut.quotes;
                block.first_line = self.line;
                block.first_row = self.row;
                self.line += cut.lines;
                self.row += cut.rows;
                return Ok(true);
            }
            if self.ended {
                if bytes.is_empty() {
                    return Ok(false);
                }
                // Every record ends with a newline, so what does not end is a quoted field.
                return Err(unclosed(&self.path, self.line + cut.quote_line));
            }
            if bytes.len() >= self.longest {
                return Err(self.too_long(&cut));
            }
            target = (2 * target).max(bytes.len() + 1);
        }
    }

    fn progress(&self) -> ReadProgress {
        ReadProgress { bytes: self.input.position(), total: self.total, rows: self.row }
    }
}

impl BlockReader {
    fn too_long(&self, cut: &BlockCut) -> Error {
        let megabytes = self.longest >> 20;
        let line = self.line + if cut.open { cut.quote_line } else { 0 };
        if cut.open {
            let message = format!("the quote on line {line} is not closed within {megabytes} MB");
            return Error::new(message).at(&self.path, Some(line), None).help(CLOSE_QUOTE);
        }
        Error::new(format!("line {line} is longer than {megabytes} MB"))
            .at(&self.path, Some(line), None)
            .help("is this a table with one record per line?")
    }
}

const CLOSE_QUOTE: &str = "close it; a quote inside a quoted value is written twice (\"\")";

/// The error of a text that ends inside quotes.
pub(super) fn unclosed(path: &Path, line: u64) -> Error {
    Error::new(format!("the quote opened on line {line} is never closed"))
        .at(path, Some(line), None)
        .help(CLOSE_QUOTE)
}

/// Where the last whole record of a text ends, and what lies before.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct BlockCut {
    end: usize,
    lines: u64,
    rows: u64,
    quotes: bool,
    /// Whether the text ends inside quotes, and how many lines come before these.
    open: bool,
    pub(super) quote_line: u64,
}

/// Finds the last newline outside quotes in a text that begins with a record.
pub(super) fn cut(text: &[u8], delimiter: u8) -> BlockCut {
    let mut cut = BlockCut::default();
    let mut quotes = QuoteTracker::default();
    let (mut lines, mut any) = (0, false);
    for at in memchr::memchr2_iter(b'"', b'\n', text) {
        if text[at] == b'"' {
            any = true;
            if quotes.meet(text, at, delimiter) {
                cut.quote_line = lines;
            }
        } else {
            lines += 1;
            if !quotes.open() {
                let line = &text[cut.end..at];
                cut.rows += u64::from(!line.is_empty() && line != b"\r");
                cut.lines = lines;
                cut.quotes = any;
                cut.end = at + 1;
            }
        }
    }
    cut.open = quotes.open();
    cut
}
