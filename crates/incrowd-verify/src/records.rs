//! The records of CSV files.

use std::io::Read;

use crate::error::{Error, Result, Source};

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

/// The records of a CSV file, the header among them. Records of another length are given as they
/// are: it is left to the caller to say what is wrong with them.
pub(crate) struct Records<R> {
    reader: csv::Reader<R>,
    record: csv::ByteRecord,
    table: Source,
    /// Whether lines end in CR LF, known from the first record on.
    crlf: Option<bool>,
}

impl<R: Read> Records<R> {
    pub(crate) fn new(reader: R, options: &CsvOptions, table: Source) -> Self {
        let reader = csv::ReaderBuilder::new()
            .delimiter(options.delimiter)
            .quote(options.quote)
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(1 << 16)
            .from_reader(reader);
        Records { reader, record: csv::ByteRecord::new(), table, crlf: None }
    }

    pub(crate) fn next(&mut self) -> Result<Option<&csv::ByteRecord>> {
        let more = self.reader.read_byte_record(&mut self.record).map_err(|error| {
            let cause = match error.into_kind() {
                csv::ErrorKind::Io(cause) => cause,
                other => std::io::Error::other(format!("{other:?}")),
            };
            Error::Io { source_table: self.table, cause }
        })?;
        if more && self.crlf.is_none() {
            self.crlf = Some(self.reader.position().line() == 1 + self.breaks());
        }
        Ok(more.then_some(&self.record))
    }

    /// The line on which the latest record begins. The reader's own answer for where it began
    /// comes before the blank lines (and the LF of CR LF) that it skipped, so we count back from
    /// where it stands now: behind an LF, but before the LF of CR LF.
    pub(crate) fn line(&self) -> u64 {
        let began = self.record.position().map_or(1, csv::Position::line);
        let behind = self.breaks() + u64::from(self.crlf != Some(true));
        self.reader.position().line().saturating_sub(behind).max(began)
    }

    /// Line breaks inside the latest record.
    fn breaks(&self) -> u64 {
        self.record.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64
    }
}
