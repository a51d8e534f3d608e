//! Where a release goes, and what was written there before it is shown to anybody.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use incrowd_data::{Checksum, ChecksumReader, truth};
use incrowd_engine::search::RunPhase;
use incrowd_engine::{Control, Event};
use incrowd_verify::{CsvOptions, Requirements, verify_csv};

use crate::checks::evidence::ReadBack;
use crate::verify::requirements;
use crate::verify::requirements::verify_source;
use crate::{
    ColumnType, Compression, Error, ErrorKind, NULL, OutputFile, OutputFormat, ReadOptions, Result,
    Source, TableLayout, TableWriter,
};

/// Where a release goes, before anything is written to it.
#[allow(clippy::large_enum_variant, reason = "there is one in a run")]
pub(crate) enum ReleaseDestination {
    File {
        file: OutputFile,
        format: OutputFormat,
        /// How NULL is spelled on the way there.
        null: &'static str,
        /// What stands between fields, whatever the job says.
        delimiter: Option<u8>,
    },
    #[cfg(feature = "parquet")]
    Memory,
}

impl ReleaseDestination {
    /// What stands between fields there, whatever a job says.
    pub(crate) fn delimiter(&self) -> Option<u8> {
        match self {
            ReleaseDestination::File { delimiter, .. } => *delimiter,
            #[cfg(feature = "parquet")]
            ReleaseDestination::Memory => None,
        }
    }

    /// Whether it is a text file, which spreadsheets open.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, ReleaseDestination::File { format: OutputFormat::Csv(_), .. })
    }

    pub(crate) fn create(target: &Path) -> Result<Self> {
        let format = OutputFormat::from_path(target)?;
        let file = OutputFile::create(target)?;
        Ok(ReleaseDestination::File { file, format, null: format.null(), delimiter: None })
    }

    /// The same for a file that is no link.
    pub(crate) fn create_in_place(target: &Path) -> Result<Self> {
        let format = OutputFormat::from_path(target)?;
        let file = OutputFile::create(target)?.in_place()?;
        Ok(ReleaseDestination::File { file, format, null: format.null(), delimiter: None })
    }

    /// The same for a text file that a database reads.
    pub(crate) fn create_for_database(target: &Path) -> Result<Self> {
        let format = OutputFormat::from_path(target)?;
        let (file, delimiter) = (OutputFile::create(target)?, Some(b','));
        Ok(ReleaseDestination::File { file, format, null: NULL, delimiter })
    }

    /// How NULL is spelled in encoded rows on the way there.
    pub(crate) fn null(&self) -> &'static str {
        match self {
            ReleaseDestination::File { null, .. } => null,
            #[cfg(feature = "parquet")]
            ReleaseDestination::Memory => NULL,
        }
    }

    /// How a value of a column of some type reads where it was written there, if otherwise than before.
    pub(crate) fn reads_back(&self, kind: &ColumnType, text: &str) -> Option<String> {
        match self {
            #[cfg(feature = "parquet")]
            ReleaseDestination::Memory
            | ReleaseDestination::File { format: OutputFormat::Parquet, .. } => {
                kind.read_back(text)
            }
            ReleaseDestination::File { format: OutputFormat::Xlsx, .. } => {
                let truth = (*kind == ColumnType::Boolean).then(|| truth(text));
                truth.flatten().map(|truth| truth.to_string())
            }
            _ => None,
        }
    }

    /// A folder for rows that memory cannot hold.
    pub(crate) fn folder(&self) -> PathBuf {
        match self {
            ReleaseDestination::File { file, .. } => file.folder().to_owned(),
            #[cfg(feature = "parquet")]
            ReleaseDestination::Memory => tempfile::env::temp_dir(),
        }
    }
}

/// A release that is written but not yet verified.
pub(crate) struct WrittenRelease {
    body: ReleaseStorage,
    /// How many rows were written.
    rows: u64,
    /// How NULL is spelled in it, where it is told apart from the empty text.
    null: Option<&'static str>,
    /// Where people are protected and what tells them apart is not released: who each released row is of.
    pub(crate) units: Option<Vec<u64>>,
    /// Whether it is a text file with texts that a spreadsheet would take for formulas.
    pub(crate) formulas: bool,
}

#[allow(clippy::large_enum_variant, reason = "there is one in a run")]
enum ReleaseStorage {
    File {
        file: OutputFile,
        format: OutputFormat,
        delimiter: u8,
    },
    #[cfg(feature = "parquet")]
    Memory(crate::MemoryTable),
}

/// Gives encoded rows, one by one.
pub(crate) type RowEmitter<'e> = dyn FnMut(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> + 'e;

impl WrittenRelease {
    /// Writes rows as a layout says.
    pub(crate) fn write(
        destination: ReleaseDestination,
        layout: &TableLayout,
        emit: &mut RowEmitter<'_>,
    ) -> Result<Self> {
        let mut rows = 0;
        let body = match destination {
            ReleaseDestination::File { file, format, .. } => {
                let mut writer = TableWriter::new(file, format, layout)?;
                emit(&mut |row| {
                    rows += 1;
                    writer.row(row)
                })?;
                ReleaseStorage::File { file: writer.finish()?, format, delimiter: layout.delimiter }
            }
            #[cfg(feature = "parquet")]
            ReleaseDestination::Memory => {
                let mut writer = incrowd_data::MemoryWriter::new(layout)?;
                emit(&mut |row| {
                    rows += 1;
                    writer.row(row)
                })?;
                ReleaseStorage::Memory(writer.finish()?)
            }
        };
        Ok(WrittenRelease { body, rows, null: layout.null, units: None, formulas: false })
    }

    /// The file, which has no name yet.
    pub(crate) fn file(&self) -> Option<&OutputFile> {
        match &self.body {
            ReleaseStorage::File { file, .. } => Some(file),
            #[cfg(feature = "parquet")]
            ReleaseStorage::Memory(_) => None,
        }
    }

    /// The file, or the table in memory.
    #[cfg(feature = "parquet")]
    pub(crate) fn into_release(self) -> Result<OutputFile, crate::MemoryTable> {
        match self.body {
            ReleaseStorage::File { file, .. } => Ok(file),
            ReleaseStorage::Memory(table) => Err(table),
        }
    }

    /// The file.
    #[cfg(not(feature = "parquet"))]
    pub(crate) fn into_release(self) -> Result<OutputFile, std::convert::Infallible> {
        let ReleaseStorage::File { file, .. } = self.body;
        Ok(file)
    }

    /// The release, to be read back.
    pub(crate) fn open(&self) -> Result<Source> {
        let source = match &self.body {
            ReleaseStorage::File { file, delimiter, .. } => {
                let options = ReadOptions { delimiter: Some(*delimiter), ..ReadOptions::default() };
                Source::of_file(file.reopen()?, file.target(), &options)?
            }
            #[cfg(feature = "parquet")]
            ReleaseStorage::Memory(table) => {
                let (schema, batches) = (table.schema.clone(), table.batches.clone());
                Source::from_batches("the release", schema, batches, None)?
            }
        };
        Ok(match (self.null, &self.body) {
            (None, _) => source.with_null(None),
            // An empty cell is NULL rather than the empty text.
            (_, ReleaseStorage::File { format: OutputFormat::Xlsx, .. }) => source.with_null(""),
            (Some(null), _) => source.with_null(null),
        })
    }

    /// Reads the release back, has it verified, and tells whether it is what was written.
    pub(crate) fn read_back(
        &self,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<ReadBack> {
        control.tell(Event::Phase(RunPhase::Verify));
        crate::backend::fault::strike(self.file())?;
        let mut read = Checksum::default();
        let verdict = match (&self.body, &self.units) {
            (
                ReleaseStorage::File { file, format: OutputFormat::Csv(compression), delimiter },
                None,
            ) if self.null.is_none() => {
                let mut reader = ChecksumReader::new(file.reopen()?, &mut read);
                let options = CsvOptions { delimiter: *delimiter, ..CsvOptions::default() };
                let failed = |e: std::io::Error| Error::file("read back", file.target(), &e);
                let verdict = match compression {
                    Compression::None => verify_csv(&mut reader, &options, requirements),
                    Compression::Gzip => {
                        let reader = flate2::read::GzDecoder::new(&mut reader);
                        verify_csv(reader, &options, requirements)
                    }
                    Compression::Zstd => {
                        let reader = zstd::Decoder::new(&mut reader).map_err(failed)?;
                        verify_csv(reader, &options, requirements)
                    }
                };
                // What stands behind the end of compressed data was written, too.
                reader.read_to_end(&mut Vec::new()).map_err(failed)?;
                verdict.map_err(|e| {
                    Error::new(format!("the release could not be verified: {e}"))
                        .of_kind(ErrorKind::Refused)
                        .of_check("read-back")
                })?
            }
            (_, None) => verify_source(&self.open()?, requirements, control)?,
            (_, Some(units)) => {
                requirements::judge_units(&self.open()?, units, requirements, control)?
            }
        };
        let same = match self.file() {
            None => true,
            Some(file) => {
                let failed = |e: std::io::Error| Error::file("read back", file.target(), &e);
                if read == Checksum::default() {
                    read = Checksum::of(file.reopen()?).map_err(failed)?;
                }
                read == file.checksum()
            }
        };
        let same = Some(same && verdict.rows == self.rows);
        Ok(ReadBack { verdict, same, formulas: self.formulas, singled_out: None })
    }
}
