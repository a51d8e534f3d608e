//! Verifying tables that lie in CSV files.

use std::io::Read;

use crate::error::{Error, Place, Result, Source};
use crate::records::{CsvOptions, Records};
use crate::requirements::Requirements;
use crate::verdict::Verdict;
use crate::verifier::Verifier;

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
