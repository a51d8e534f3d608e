//! Verifying tables that lie in CSV files.

use std::io::Read;

use crate::error::{Error, Place, Result, Source};
use crate::requirements::Requirements;
use crate::verdict::Verdict;
use crate::verifier::Verifier;

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

/// Verifies a release from the release alone.
pub fn verify_csv(
    release: impl Read,
    options: &CsvOptions,
    requirements: &Requirements,
) -> Result<Verdict> {
    let mut release = File::open(release, options, Source::Release)?;
    let mut verifier = Verifier::new(&release.header, requirements)?;
    release.each(|record| verifier.push_fields(record.iter()))?;
    verifier.finish()
}

/// Verifies a release and compares it with the table it was made from.
pub fn verify_csv_against(
    release: impl Read,
    options: &CsvOptions,
    original: impl Read,
    original_options: &CsvOptions,
    requirements: &Requirements,
) -> Result<Verdict> {
    let mut release = File::open(release, options, Source::Release)?;
    let mut original = File::open(original, original_options, Source::Original)?;
    let mut verifier = Verifier::new(&release.header, requirements)?;
    verifier.compare_with(&original.header)?;
    original.each(|record| verifier.push_original_fields(record.iter()))?;
    release.each(|record| verifier.push_fields(record.iter()))?;
    verifier.finish()
}

/// A CSV file whose header has been read.
struct File<R> {
    records: Records<R>,
    header: Vec<String>,
}

impl<R: Read> File<R> {
    fn open(reader: R, options: &CsvOptions, table: Source) -> Result<Self> {
        let mut records = Records::new(reader, options, table);
        let Some(record) = records.next()? else { return Err(Error::Empty(table)) };
        let mut header = Vec::with_capacity(record.len());
        for (name, number) in record.iter().zip(1..) {
            let name = std::str::from_utf8(name).map_err(|_| Error::NotUtf8 {
                table,
                place: Place::Line(1),
                column: format!("{number}"),
            })?;
            header.push(name.trim().to_owned());
        }
        Ok(File { records, header })
    }

    /// Hands over every row; what is wrong with one is told with its line.
    fn each(&mut self, mut push: impl FnMut(&csv::ByteRecord) -> Result<()>) -> Result<()> {
        while let Some(record) = self.records.next()? {
            if let Err(error) = push(record) {
                return Err(error.on_line(self.records.line()));
            }
        }
        Ok(())
    }
}
