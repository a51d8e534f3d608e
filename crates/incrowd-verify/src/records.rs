//! The records of CSV files, many at a time.
//!
//! Fields are found as they are written, quotes included: whoever has met the same bytes before need
//! not know what they mean. A quote counts at the beginning of a field only, is doubled inside, and
//! what follows a closing one belongs to the field. Lines end in LF, CR LF or CR; empty ones are
//! passed over.

use std::borrow::Cow;
use std::io::{ErrorKind, Read};

use crate::error::{Error, InputTable, Result};

/// How a CSV file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsvOptions {
    /// Stands between fields; a comma by default.
    pub delimiter: u8,
    /// Stands around fields that hold delimiters or line breaks; a double quote by default.
    pub quote: u8,
}

impl Default for CsvOptions {
    fn default() -> Self {
        CsvOptions { delimiter: b',', quote: b'"' }
    }
}

/// How much is read at a time: it fits into a processor's cache.
const BLOCK: usize = 1 << 18;

/// The records of a CSV file, the header among them. Records of another length are given as they
/// are: it is left to the caller to say what is wrong with them.
pub(crate) struct CsvRecords<R> {
    reader: R,
    options: CsvOptions,
    table: InputTable,
    buffer: Vec<u8>,
    /// What of the buffer has been read from the file, and what of that has been given away.
    filled: usize,
    given: usize,
    /// Line feeds before the buffer.
    lines: u64,
    began: bool,
    ended: bool,
    fields: Vec<ByteSpan>,
    /// How many fields there are up to and including each record.
    ends: Vec<usize>,
}

/// Where a field lies, from its first byte to before its last.
pub(crate) type ByteSpan = (usize, usize);

/// Whole records that were read together.
#[derive(Clone, Copy)]
pub(crate) struct RecordBlock<'a> {
    pub(crate) bytes: &'a [u8],
    quote: u8,
    fields: &'a [ByteSpan],
    ends: &'a [usize],
    lines: u64,
}

impl<'a> RecordBlock<'a> {
    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the fields of a record lie.
    #[inline]
    pub(crate) fn record(&self, at: usize) -> &'a [ByteSpan] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.fields[start..self.ends[at]]
    }

    /// What a field says.
    #[inline]
    pub(crate) fn field(&self, (start, end): ByteSpan) -> Cow<'a, [u8]> {
        let raw = &self.bytes[start..end];
        match raw.split_first() {
            Some((&first, rest)) if first == self.quote => unquoted(rest, self.quote),
            _ => Cow::Borrowed(raw),
        }
    }

    /// The line on which a record begins.
    pub(crate) fn line(&self, at: usize) -> u64 {
        let start = self.record(at).first().map_or(0, |&(start, _)| start);
        self.lines + line_feeds(&self.bytes[..start]) + 1
    }
}

impl<R: Read> CsvRecords<R> {
    pub(crate) fn new(reader: R, options: &CsvOptions, table: InputTable) -> Self {
        CsvRecords {
            reader,
            options: *options,
            table,
            buffer: vec![0; BLOCK],
            filled: 0,
            given: 0,
            lines: 0,
            began: false,
            ended: false,
            fields: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// The next records, at least one; nothing at the end. `most` bounds how many.
    pub(crate) fn next(&mut self, most: usize) -> Result<Option<RecordBlock<'_>>> {
        loop {
            self.split(most);
            if !self.ends.is_empty() {
                let bytes = &self.buffer[..self.filled];
                let Self { options, fields, ends, lines, .. } = self;
                return Ok(Some(RecordBlock {
                    bytes,
                    quote: options.quote,
                    fields,
                    ends,
                    lines: *lines,
                }));
            }
            if self.ended {
                return Ok(None);
            }
            self.fill()?;
        }
    }

    /// Reads on behind what has not been given away yet.
    fn fill(&mut self) -> Result<()> {
        self.lines += line_feeds(&self.buffer[..self.given]);
        self.buffer.copy_within(self.given..self.filled, 0);
        self.filled -= self.given;
        self.given = 0;
        if self.filled > self.buffer.len() / 2 {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        while !self.ended && self.filled < self.buffer.len() {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(cause) => return Err(Error::Io { source_table: self.table, cause }),
            }
        }
        if !self.began && self.buffer[..self.filled].starts_with("\u{feff}".as_bytes()) {
            self.given = "\u{feff}".len();
        }
        self.began = true;
        Ok(())
    }

    /// Splits what has been read into records, as far as they are whole.
    fn split(&mut self, most: usize) {
        let Self { buffer, filled, given, fields, ends, options, ended, .. } = self;
        let CsvOptions { delimiter, quote } = *options;
        let text = &buffer[..*filled];
        fields.clear();
        ends.clear();
        let mut field = FieldState::at(*given);
        let mut whole = 0;
        for base in (*given..text.len()).step_by(64) {
            let mut marks = marks(text, base, [delimiter, quote, b'\n', b'\r']);
            while marks != 0 {
                let at = base + marks.trailing_zeros() as usize;
                marks &= marks - 1;
                let byte = text[at];
                if byte == quote || field.open {
                    if byte == quote {
                        field.meet_quote(at);
                    }
                    continue;
                }
                // An empty line has no field.
                if byte == delimiter || at > field.start || fields.len() > whole {
                    fields.push((field.start, at));
                }
                field = FieldState::at(at + 1);
                if byte != delimiter && fields.len() > whole {
                    whole = fields.len();
                    ends.push(whole);
                    *given = at + 1;
                    if ends.len() == most {
                        return;
                    }
                }
            }
        }
        if *ended {
            if field.start < text.len() || fields.len() > whole {
                fields.push((field.start, text.len()));
                ends.push(fields.len());
            }
            *given = text.len();
        } else {
            fields.truncate(whole);
        }
    }
}

/// The field at hand.
struct FieldState {
    start: usize,
    /// Whether it is inside quotes.
    open: bool,
    /// Where the last quote that closed it is.
    closed: Option<usize>,
}

impl FieldState {
    #[inline]
    fn at(start: usize) -> Self {
        FieldState { start, open: false, closed: None }
    }

    #[inline]
    fn meet_quote(&mut self, at: usize) {
        if self.open {
            self.open = false;
            self.closed = Some(at);
        } else if at == self.start || self.closed.is_some_and(|closed| closed + 1 == at) {
            self.open = true;
        }
    }
}

/// What a quoted field says, from what follows its first quote.
fn unquoted(raw: &[u8], quote: u8) -> Cow<'_, [u8]> {
    let find = |bytes: &[u8]| bytes.iter().position(|&byte| byte == quote);
    match find(raw) {
        None => return Cow::Borrowed(raw),
        Some(at) if at + 1 == raw.len() => return Cow::Borrowed(&raw[..at]),
        Some(_) => {}
    }
    let mut text = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = find(rest) {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if rest.first() != Some(&quote) {
            break;
        }
        text.push(quote);
        rest = &rest[1..];
    }
    text.extend_from_slice(rest);
    Cow::Owned(text)
}

fn line_feeds(bytes: &[u8]) -> u64 {
    // Sums of single bytes are taken many at a time.
    let few = |bytes: &[u8]| bytes.iter().map(|&byte| u8::from(byte == b'\n')).sum::<u8>();
    bytes.chunks(usize::from(u8::MAX)).map(|bytes| u64::from(few(bytes))).sum()
}

/// A bit for each of the 64 bytes from `base` on that is one of four.
#[inline]
fn marks(text: &[u8], base: usize, [a, b, c, d]: [u8; 4]) -> u64 {
    let rest = &text[base..];
    let mut padded = [0; 64];
    let window = rest.first_chunk::<64>().unwrap_or_else(|| {
        // None of the four is this byte.
        padded = [(0..=4).find(|byte| ![a, b, c, d].contains(byte)).unwrap_or(0); 64];
        padded[..rest.len()].copy_from_slice(rest);
        &padded
    });
    // Without a branch, so that many bytes are compared at a time.
    let hits = window.map(|byte| u8::from((byte == a) | (byte == b) | (byte == c) | (byte == d)));
    let eights = hits.as_chunks::<8>().0.iter().zip(0..);
    eights.fold(0, |marks, (&eight, at)| {
        // The factor brings the marks of the eight bytes together in the highest byte.
        let brought = u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        marks | brought << (8 * at)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use proptest::prelude::*;

    /// Gives a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(space.len()).min(self.0.len());
            space[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn records(text: &[u8], step: usize, most: usize, room: usize) -> Vec<(u64, Vec<Vec<u8>>)> {
        let mut records =
            CsvRecords::new(Slow(text, step), &CsvOptions::default(), InputTable::Release);
        records.buffer.truncate(room);
        let mut found = Vec::new();
        while let Some(block) = records.next(most).unwrap() {
            for at in 0..block.len() {
                let fields = block.record(at).iter().map(|&span| block.field(span).into_owned());
                found.push((block.line(at), fields.collect()));
            }
        }
        found
    }

    proptest! {
        /// The reader of the csv crate says what the fields of any bytes are.
        #[test]
        fn fields_are_those_of_the_csv_crate(
            text in prop::collection::vec(prop::sample::select(&b"\",\n\ra \xff\",\nbc"[..]), 0..300),
            (step, most, room) in (1..200_usize, 1..20_usize, 8..90_usize),
            marked in any::<bool>(),
        ) {
            let mut text = text;
            if marked {
                text.splice(..0, "\u{feff}".bytes());
            }
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(&text[..]);
            let expected: Vec<Vec<Vec<u8>>> = reader
                .byte_records()
                .map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect())
                .collect();
            let found = records(&text, step, most, room);
            let fields: Vec<Vec<Vec<u8>>> = found.into_iter().map(|(_, fields)| fields).collect();
            prop_assert_eq!(fields, expected);
        }
    }

    #[test]
    fn lines_are_those_where_records_begin() {
        let text = b"a,b\r\n\r\n1,\"x\ny\"\r\n2,z\n\n\n3,w";
        let lines =
            |room| records(text, 5, 2, room).iter().map(|found| found.0).collect::<Vec<_>>();
        assert_eq!(lines(16), [1, 3, 5, 8]);
        assert_eq!(lines(1 << 10), [1, 3, 5, 8]);
    }
}
