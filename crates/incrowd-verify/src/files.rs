//! Verifying tables that lie in CSV files.

use std::io::Read;

use crate::bulk_collector::BulkCollector;
use crate::collected_tables::CollectedTables;
use crate::error::{Error, InputPosition, InputTable, Result};
use crate::judge;
use crate::narrowed_classes;
use crate::records::{CsvOptions, CsvRecords, RecordBlock};
use crate::requirements::Requirements;
use crate::verdict::Verdict;

/// Verifies a release from the release alone.
pub fn verify_csv(
    release: impl Read,
    options: &CsvOptions,
    requirements: &Requirements,
) -> Result<Verdict> {
    let release = CsvFile::open(release, options, InputTable::Release)?;
    let collected = CollectedTables::new(&release.header, requirements)?;
    judge_rows(release, collected, options)
}

/// Verifies a release and compares it with the table it was made from.
pub fn verify_csv_against(
    release: impl Read,
    options: &CsvOptions,
    original: impl Read,
    original_options: &CsvOptions,
    requirements: &Requirements,
) -> Result<Verdict> {
    let release = CsvFile::open(release, options, InputTable::Release)?;
    let mut original = CsvFile::open(original, original_options, InputTable::Original)?;
    let mut collected = CollectedTables::new(&release.header, requirements)?;
    collected.compare_with(&original.header)?;
    original.each(|block| {
        (0..block.len()).try_for_each(|at| {
            let fields = block.record(at).iter().map(|&span| block.field(span));
            collected.push_original(fields, 1).map_err(|error| (at, error))
        })
    })?;
    judge_rows(release, collected, options)
}

/// Hands over some fields of every record of a CSV file as text, in the order of `columns`; ends when `each` says so.
/// For whoever wants to see a table as the verifier does.
pub fn read_csv(
    reader: impl Read,
    options: &CsvOptions,
    columns: &[&str],
    mut each: impl FnMut(&[&str]) -> Result<bool>,
) -> Result<()> {
    let table = InputTable::Original;
    let mut file = CsvFile::open(reader, options, table)?;
    let place = |name: &&str| {
        let mut found = (0..file.header.len()).filter(|&at| file.header[at] == *name);
        match (found.next(), found.next()) {
            (Some(at), None) => Ok(at),
            (Some(_), Some(_)) => Err(Error::DuplicateColumn { table, column: (*name).to_owned() }),
            (None, _) => {
                let columns = file.header.clone();
                Err(Error::MissingColumn { table, column: (*name).to_owned(), columns })
            }
        }
    };
    let places: Vec<usize> = columns.iter().map(place).collect::<Result<_>>()?;
    let expected = file.header.len();
    while let Some(block) = file.records.next(usize::MAX)? {
        for at in 0..block.len() {
            let record = block.record(at);
            let place = || InputPosition::Line(block.line(at));
            if record.len() != expected {
                return Err(Error::Ragged { table, place: place(), expected, found: record.len() });
            }
            let fields: Vec<_> = places.iter().map(|&at| block.field(record[at])).collect();
            let texts: Vec<&str> = fields
                .iter()
                .zip(columns)
                .map(|(field, column)| {
                    std::str::from_utf8(field).map_err(|_| Error::NotUtf8 {
                        table,
                        place: place(),
                        column: (*column).to_owned(),
                    })
                })
                .collect::<Result<_>>()?;
            if !each(&texts)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Judges all rows of a release.
fn judge_rows<R: Read>(
    mut release: CsvFile<R>,
    mut collected: CollectedTables,
    options: &CsvOptions,
) -> Result<Verdict> {
    let requirements = &collected.requirements;
    let columns = requirements.narrowing.clone();
    let narrowed = narrowed_classes::requirements(requirements);
    let narrowed = narrowed.map(|it| CollectedTables::new(&release.header, &it)).transpose()?;
    let mut narrowed = narrowed.map(|it| (BulkCollector::new(&it, options.delimiter), it));
    let mut bulk = BulkCollector::new(&collected, options.delimiter);
    release.each(|block| {
        bulk.push(&mut collected, block)?;
        narrowed.as_mut().map_or(Ok(()), |(bulk, collected)| bulk.push(collected, block))
    })?;
    let mut verdict = judge::verdict(collected)?;
    if let Some((_, collected)) = narrowed {
        narrowed_classes::add(&mut verdict, judge::verdict(collected)?, &columns);
    }
    Ok(verdict)
}

/// A CSV file whose header has been read.
struct CsvFile<R> {
    records: CsvRecords<R>,
    header: Vec<String>,
}

impl<R: Read> CsvFile<R> {
    fn open(reader: R, options: &CsvOptions, table: InputTable) -> Result<Self> {
        let mut records = CsvRecords::new(reader, options, table);
        let Some(block) = records.next(1)? else { return Err(Error::Empty(table)) };
        let mut header = Vec::with_capacity(block.record(0).len());
        for (&span, number) in block.record(0).iter().zip(1..) {
            let name = block.field(span);
            let name = std::str::from_utf8(&name).map_err(|_| Error::NotUtf8 {
                table,
                place: InputPosition::Line(1),
                column: format!("{number}"),
            })?;
            header.push(name.trim().to_owned());
        }
        Ok(CsvFile { records, header })
    }

    /// Hands over all rows; what is wrong with one is told with its line.
    fn each(
        &mut self,
        mut push: impl FnMut(&RecordBlock<'_>) -> Result<(), (usize, Error)>,
    ) -> Result<()> {
        while let Some(block) = self.records.next(usize::MAX)? {
            push(&block).map_err(|(at, error)| error.on_line(block.line(at)))?;
        }
        Ok(())
    }
}
