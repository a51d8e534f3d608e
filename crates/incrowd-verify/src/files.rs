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

impl CsvOptions {
    /// A reader that gives every line as a record, the header too, and leaves it to us to say what
    /// is wrong with a record of another length.
    pub(crate) fn reader<R: Read>(&self, reader: R) -> csv::Reader<R> {
        csv::ReaderBuilder::new()
            .delimiter(self.delimiter)
            .quote(self.quote)
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(1 << 16)
            .from_reader(reader)
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
    release.each(|record, line| verifier.push_fields(record.iter(), line))?;
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
    original.each(|record, line| verifier.push_original_fields(record.iter(), line))?;
    release.each(|record, line| verifier.push_fields(record.iter(), line))?;
    verifier.finish()
}

struct File<R> {
    reader: csv::Reader<R>,
    header: Vec<String>,
    table: Source,
}

impl<R: Read> File<R> {
    fn open(reader: R, options: &CsvOptions, table: Source) -> Result<Self> {
        let mut reader = options.reader(reader);
        let mut record = csv::ByteRecord::new();
        if !reader.read_byte_record(&mut record).map_err(|e| read_error(e, table))? {
            return Err(Error::Empty(table));
        }
        let mut header = Vec::with_capacity(record.len());
        for (at, name) in record.iter().enumerate() {
            let name = std::str::from_utf8(name).map_err(|_| Error::NotUtf8 {
                table,
                place: Place::Line(1),
                column: format!("{}", at + 1),
            })?;
            header.push(name.trim().to_owned());
        }
        Ok(File { reader, header, table })
    }

    fn each(
        &mut self,
        mut push: impl FnMut(&csv::ByteRecord, Option<u64>) -> Result<()>,
    ) -> Result<()> {
        let mut record = csv::ByteRecord::new();
        while self.reader.read_byte_record(&mut record).map_err(|e| read_error(e, self.table))? {
            push(&record, record.position().map(csv::Position::line))?;
        }
        Ok(())
    }
}

pub(crate) fn read_error(error: csv::Error, table: Source) -> Error {
    let cause = match error.into_kind() {
        csv::ErrorKind::Io(cause) => cause,
        other => std::io::Error::other(format!("{other:?}")),
    };
    Error::Io { source_table: table, cause }
}
