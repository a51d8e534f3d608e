//! A table that can be read again and again.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "parquet")]
use super::batches::MemoryBatches;
use super::blocks::{BLOCK_SIZE, BlockReader, LONGEST_RECORD, RecordBlock, cut, unclosed};
use super::chunk::Chunk;
use super::converted_file::ConvertedFile;
use super::counted_records::RemoteColumn;
use super::csv::CsvParser;
use super::dialect::{
    check_delimiter, check_names, check_text, detect_delimiter, first_record, name_rows,
};
use super::encoding;
use super::file::{FileHandle, InputCompression, fill};
use super::parallel_pass::{self, BlockDecoder};
#[cfg(feature = "parquet")]
use super::parquet::ParquetFile;
use super::sniff::{self, FileSignature};
use super::spss;
use super::transforming_decoder::{TransformedColumns, TransformingDecoder};
#[cfg(feature = "excel")]
use super::workbook::{self, WorkbookContainer};
use super::{Input, InputFormat, ReadOptions};
use crate::{ColumnType, Error, Result};
use incrowd_engine::Control;

/// How much of a text is looked at to find its delimiter.
const SAMPLE: usize = 64 << 10;

/// A table on disk whose columns are known and whose rows can be read as often as needed.
///
/// ```no_run
/// use incrowd_engine::Control;
/// use incrowd_data::{Input, ReadOptions, Source};
/// let source = Source::open(&Input::from("patients.csv"), &ReadOptions::default())?;
/// let counts = source.fold(&[0], || 0, |count, chunk| {
///     *count += chunk.column(0).filter(|value| value.is_empty()).count();
///     Ok(())
/// }, &Control::new())?;
/// let missing: usize = counts.iter().sum();
/// # Ok::<(), incrowd_data::Error>(())
/// ```
#[derive(Debug)]
pub struct Source {
    handle: FileHandle,
    /// The text that the file was turned into, if it is not UTF-8 text itself.
    text: Option<FileHandle>,
    notes: Vec<String>,
    options: ReadOptions,
    format: InputFormat,
    pub(super) names: Arc<[String]>,
    pub(super) treated: TransformedColumns,
    /// Columns of a counted table that did not come along.
    left: Vec<RemoteColumn>,
    /// How NULL is spelled, where it is told apart from the empty text.
    pub(super) null: Option<&'static str>,
    /// The types that the columns of a table of text have where it comes from; nothing if they have none.
    pub(super) types: Vec<ColumnType>,
    kind: SourceKind,
    threads: usize,
    block_size: usize,
    longest_record: usize,
}

#[derive(Debug)]
enum SourceKind {
    Csv(CsvLayout),
    #[cfg(feature = "parquet")]
    Parquet(ParquetFile),
    #[cfg(feature = "parquet")]
    Batches(MemoryBatches),
}

/// Where the rows of a text are and how they are delimited.
#[derive(Debug)]
struct CsvLayout {
    compression: InputCompression,
    delimiter: u8,
    /// How many bytes of decoded text, and lines, come before the first row.
    start: u64,
    lines: u64,
}

impl Source {
    /// Opens a table: finds out what it is and reads the names of its columns.
    ///
    /// Standard input, and pipes given by name, are copied to a temporary file first.
    pub fn open(input: &Input, options: &ReadOptions) -> Result<Self> {
        Source::new(FileHandle::open(input)?, options)
    }

    /// The names of the sheets of a workbook, in their order; none of any other file.
    pub fn sheets(input: &Input) -> Result<Vec<String>> {
        sheets(input)
    }

    /// A table in an open file, which need not have a name; `name` is for messages, and its end may tell the format.
    pub fn of_file(file: std::fs::File, name: &Path, options: &ReadOptions) -> Result<Self> {
        Source::new(FileHandle::of_file(file, name.to_owned())?, options)
    }

    /// Copies all of `input` to a temporary file and opens that; `name` is for messages.
    pub fn from_reader(input: &mut dyn Read, name: &str, options: &ReadOptions) -> Result<Self> {
        Source::new(FileHandle::spool(input, name.into())?, options)
    }

    /// A table in memory, as Arrow batches of one schema; `name` is for messages.
    #[cfg(feature = "parquet")]
    pub fn from_batches(
        name: &str,
        schema: arrow_schema::SchemaRef,
        batches: Vec<arrow_array::RecordBatch>,
        threads: Option<usize>,
    ) -> Result<Self> {
        let (names, batches) = MemoryBatches::new(Path::new(name), schema, batches)?;
        let options = ReadOptions { threads, ..ReadOptions::default() };
        let handle = FileHandle::nowhere(name.into(), batches.rows());
        Ok(Source::of(handle, InputFormat::Memory, names, SourceKind::Batches(batches), options))
    }

    /// A table that was counted where it lies: text with commas between fields, the names of the columns first. The first
    /// field of every other record tells how many rows look like that; as a column it is not there. `left` are columns of
    /// the table that did not come along; `name` is for messages.
    pub fn from_counted(
        input: &mut dyn Read,
        name: &str,
        left: Vec<RemoteColumn>,
        threads: Option<usize>,
    ) -> Result<Self> {
        let handle = FileHandle::spool(input, name.into())?;
        let (names, csv) = CsvLayout::open(&handle, InputCompression::Repeated, Some(b','))?;
        let options = ReadOptions { threads, ..ReadOptions::default() };
        Ok(Source {
            left,
            ..Source::of(handle, InputFormat::Csv, names, SourceKind::Csv(csv), options)
        })
    }

    /// Refuses a [counted table](Self::from_counted) where the rows themselves are needed, for what `asker` says.
    pub fn needs_rows(&self, asker: &str) -> Result<()> {
        match &self.kind {
            SourceKind::Csv(CsvLayout { compression: InputCompression::Repeated, .. }) => {
                Err(Error::new(format!(
                    "{asker} needs the rows of {}, which were only counted where they lie",
                    self.name()
                ))
                .help("leave out --in-database, or give the table as a file or a data frame"))
            }
            _ => Ok(()),
        }
    }

    /// The columns of a [counted table](Self::from_counted) that did not come along.
    pub fn left(&self) -> &[RemoteColumn] {
        &self.left
    }

    /// A table that is read as it is.
    fn of(
        handle: FileHandle,
        format: InputFormat,
        names: Vec<String>,
        kind: SourceKind,
        options: ReadOptions,
    ) -> Self {
        Source {
            handle,
            text: None,
            notes: Vec::new(),
            format,
            names: names.into(),
            treated: TransformedColumns::default(),
            left: Vec::new(),
            null: None,
            types: Vec::new(),
            kind,
            threads: options.threads.unwrap_or_else(rayon::current_num_threads).max(1),
            block_size: BLOCK_SIZE,
            longest_record: LONGEST_RECORD,
            options,
        }
    }

    /// The batches of a table in memory; `None` for files.
    #[cfg(feature = "parquet")]
    pub fn batches(&self) -> Option<&[arrow_array::RecordBatch]> {
        match &self.kind {
            SourceKind::Batches(table) => Some(table.batches()),
            _ => None,
        }
    }

    fn new(mut handle: FileHandle, options: &ReadOptions) -> Result<Self> {
        handle.limit(options.max_expansion);
        let head = head_of(&handle)?;
        let looks = match options.format {
            Some(InputFormat::Parquet) => FileSignature::Parquet,
            Some(InputFormat::Csv) => FileSignature::Text,
            Some(InputFormat::Workbook | InputFormat::Statistics | InputFormat::Memory) | None => {
                sniff::looks(handle.path(), &head)?
            }
        };
        let (format, converted) = match looks {
            FileSignature::Parquet => (InputFormat::Parquet, None),
            FileSignature::Zip | FileSignature::Compound => (
                InputFormat::Workbook,
                Some(open_workbook(&handle, looks, options.sheet.as_deref())?),
            ),
            FileSignature::Spss | FileSignature::Stata | FileSignature::SasTransport => {
                let encoding = options.encoding.as_deref();
                (InputFormat::Statistics, Some(open_statistics(&handle, looks, encoding)?))
            }
            FileSignature::Text => {
                let compression = InputCompression::of(&head);
                let text = encoding::converted(&handle, compression, options.encoding.as_deref())?;
                (InputFormat::Csv, text)
            }
        };
        if options.sheet.is_some() && format != InputFormat::Workbook {
            let file = handle.path().display();
            return Err(Error::new(format!("{file} is not a workbook: it has no sheets"))
                .help("leave out --sheet, or `sheet` in [data]"));
        }
        let (text, notes) = match converted {
            None => (None, Vec::new()),
            Some(ConvertedFile { text, notes }) => (Some(text), notes),
        };
        let (names, kind) = match (format, &text) {
            (InputFormat::Parquet, _) => open_parquet(&handle)?,
            (_, Some(text)) => {
                // What we wrote down ourselves has commas.
                let delimiter =
                    if format == InputFormat::Csv { options.delimiter } else { Some(b',') };
                let (names, csv) = CsvLayout::open(text, InputCompression::None, delimiter)?;
                (names, SourceKind::Csv(csv))
            }
            (_, None) => {
                let (names, csv) =
                    CsvLayout::open(&handle, InputCompression::of(&head), options.delimiter)?;
                (names, SourceKind::Csv(csv))
            }
        };
        let opened =
            Source { text, notes, ..Source::of(handle, format, names, kind, options.clone()) };
        Ok(opened.with_null_beside_empty_text())
    }

    /// Tells NULL from the empty text where the table may have both: text has one for them, and is left as it is. For a whole
    /// table: of its parts some may have the empty text and others not.
    #[must_use]
    pub fn with_null_beside_empty_text(self) -> Self {
        let may = match &self.kind {
            SourceKind::Csv(_) => false,
            #[cfg(feature = "parquet")]
            SourceKind::Parquet(file) => file.may_have_empty_text(),
            #[cfg(feature = "parquet")]
            SourceKind::Batches(table) => table.has_empty_text(),
        };
        if may { self.with_null("") } else { self }
    }

    /// The same source read in blocks of about `size` bytes, with records of at most `longest`.
    #[cfg(test)]
    pub(super) fn with_sizes(mut self, size: usize, longest: usize) -> Self {
        self.block_size = size;
        self.longest_record = longest;
        self
    }

    /// The names of the columns, in order.
    pub fn columns(&self) -> &[String] {
        &self.names
    }

    /// The place of a column, or an error that suggests the nearest name.
    pub fn place_of(&self, name: &str) -> Result<usize> {
        self.names.iter().position(|column| column == name).ok_or_else(|| {
            Error::new(format!("{} has no column `{name}`", self.name()))
                .help(crate::suggest(name, self.names.iter().map(String::as_str)))
        })
    }

    /// The name of the file for messages, `<stdin>` for standard input.
    pub fn name(&self) -> String {
        self.path().display().to_string()
    }

    /// The name of the file without its folder, for whatever may be shared: where a file lies is nobody's
    /// business.
    pub fn file_name(&self) -> String {
        let name = self.path().file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| self.name())
    }

    /// The name of the file, for [`Error::at`].
    pub fn path(&self) -> &Path {
        self.handle.path()
    }

    /// The size of the file in bytes, compressed if it is.
    pub fn size(&self) -> u64 {
        self.handle.len()
    }

    /// The bytes of the file as they are, compressed if it is, from the first one on.
    pub fn bytes(&self) -> impl Read {
        self.handle.reader(0)
    }

    /// The format of the file.
    pub fn format(&self) -> InputFormat {
        self.format
    }

    /// How it was said that the file is to be read.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// What people should know about how the file was taken, a sentence each: which sheet of several, an encoding
    /// that was found out, cells that could not be taken.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The delimiter, given or found; `None` for all but text.
    pub fn delimiter(&self) -> Option<u8> {
        match &self.kind {
            SourceKind::Csv(csv) => (self.format == InputFormat::Csv).then_some(csv.delimiter),
            #[cfg(feature = "parquet")]
            SourceKind::Parquet(_) | SourceKind::Batches(_) => None,
        }
    }

    /// The types of the columns of a Parquet file or of batches, one field per column; `None` for other formats.
    #[cfg(feature = "parquet")]
    pub fn schema(&self) -> Option<&arrow_schema::SchemaRef> {
        match &self.kind {
            SourceKind::Csv(_) => None,
            SourceKind::Parquet(file) => Some(file.schema()),
            SourceKind::Batches(table) => Some(table.schema()),
        }
    }

    /// Runs `step` over all chunks, in parallel and in any order, with one state per thread, and
    /// returns the states.
    ///
    /// Which chunks meet in a state differs from run to run, so what is made of the states must
    /// not depend on it. `columns` says which columns the chunks hold, in which order.
    pub fn fold<S: Send>(
        &self,
        columns: &[usize],
        init: impl Fn() -> S + Sync,
        step: impl Fn(&mut S, &Chunk) -> Result<()> + Sync,
        control: &Control,
    ) -> Result<Vec<S>> {
        self.check_columns(columns)?;
        let columns = &self.treated.needed(columns)[..];
        match &self.kind {
            SourceKind::Csv(csv) => {
                let (blocks, parser) = (self.blocks(csv)?, self.parser(csv, columns));
                let parser = TransformingDecoder::new(parser, &self.treated, columns);
                parallel_pass::fold(blocks, &parser, self.threads, init, step, control)
            }
            #[cfg(feature = "parquet")]
            SourceKind::Parquet(file) => {
                let (batches, formatter) = file.pass(&self.handle, columns)?;
                let formatter = formatter.telling_null(self.tells_null());
                let formatter = TransformingDecoder::new(formatter, &self.treated, columns);
                parallel_pass::fold(batches, &formatter, self.threads, init, step, control)
            }
            #[cfg(feature = "parquet")]
            SourceKind::Batches(table) => {
                let (slices, formatter) = table.pass(self.path(), columns)?;
                let formatter = formatter.telling_null(self.tells_null());
                let formatter = TransformingDecoder::new(formatter, &self.treated, columns);
                parallel_pass::fold(slices, &formatter, self.threads, init, step, control)
            }
        }
    }

    /// Runs `work` over all chunks in parallel and gives the results to `collect` in input order,
    /// on the calling thread.
    ///
    /// `columns` says which columns the chunks hold, in which order.
    pub fn map_in_order<T: Send>(
        &self,
        columns: &[usize],
        work: impl Fn(&Chunk) -> Result<T> + Sync,
        collect: impl FnMut(T) -> Result<()>,
        control: &Control,
    ) -> Result<()> {
        self.check_columns(columns)?;
        let columns = &self.treated.needed(columns)[..];
        self.map_treated(&self.treated, columns, work, collect, control)
    }

    /// The same with all values as they stand in the table, whatever is done to them otherwise.
    pub fn map_untreated<T: Send>(
        &self,
        columns: &[usize],
        work: impl Fn(&Chunk) -> Result<T> + Sync,
        collect: impl FnMut(T) -> Result<()>,
        control: &Control,
    ) -> Result<()> {
        self.check_columns(columns)?;
        self.map_treated(&TransformedColumns::default(), columns, work, collect, control)
    }

    /// The same with columns treated like this, of those that are needed for it.
    fn map_treated<T: Send>(
        &self,
        treated: &TransformedColumns,
        columns: &[usize],
        work: impl Fn(&Chunk) -> Result<T> + Sync,
        collect: impl FnMut(T) -> Result<()>,
        control: &Control,
    ) -> Result<()> {
        match &self.kind {
            SourceKind::Csv(csv) => {
                let (blocks, parser) = (self.blocks(csv)?, self.parser(csv, columns));
                let parser = TransformingDecoder::new(parser, treated, columns);
                parallel_pass::map_in_order(blocks, &parser, self.threads, work, collect, control)
            }
            #[cfg(feature = "parquet")]
            SourceKind::Parquet(file) => {
                let (batches, formatter) = file.pass(&self.handle, columns)?;
                let formatter = formatter.telling_null(self.tells_null());
                let formatter = TransformingDecoder::new(formatter, treated, columns);
                parallel_pass::map_in_order(
                    batches,
                    &formatter,
                    self.threads,
                    work,
                    collect,
                    control,
                )
            }
            #[cfg(feature = "parquet")]
            SourceKind::Batches(table) => {
                let (slices, formatter) = table.pass(self.path(), columns)?;
                let formatter = formatter.telling_null(self.tells_null());
                let formatter = TransformingDecoder::new(formatter, treated, columns);
                parallel_pass::map_in_order(
                    slices,
                    &formatter,
                    self.threads,
                    work,
                    collect,
                    control,
                )
            }
        }
    }

    fn check_columns(&self, columns: &[usize]) -> Result<()> {
        self.handle.check_unchanged()?;
        match columns.iter().find(|&&column| column >= self.names.len()) {
            None => Ok(()),
            Some(column) => Err(Error::new(format!(
                "there is no column {} in {}, which has {}",
                column + 1,
                self.name(),
                self.names.len()
            ))),
        }
    }

    fn blocks(&self, csv: &CsvLayout) -> Result<BlockReader> {
        let handle = self.text.as_ref().unwrap_or(&self.handle);
        let input = csv
            .compression
            .decoder(handle, csv.start)
            .map_err(|cause| csv.compression.error(self.path(), &cause))?;
        Ok(BlockReader {
            input,
            compression: csv.compression,
            delimiter: csv.delimiter,
            path: self.path().to_owned(),
            size: self.block_size,
            longest: self.longest_record,
            rest: Vec::new(),
            ended: false,
            line: csv.lines + 1,
            row: 0,
            total: handle.len(),
        })
    }

    fn parser(&self, csv: &CsvLayout, columns: &[usize]) -> CsvParser {
        let path = self.path().to_owned();
        CsvParser::new(path, csv.delimiter, Arc::clone(&self.names), columns).with_null(self.null)
    }
}

impl CsvLayout {
    /// Finds the delimiter and the names of the columns.
    fn open(
        handle: &FileHandle,
        compression: InputCompression,
        delimiter: Option<u8>,
    ) -> Result<(Vec<String>, CsvLayout)> {
        let path = handle.path();
        let delimiter = delimiter.map(check_delimiter).transpose()?;
        let failed = |cause| compression.error(path, &cause);
        let mut input = compression.decoder(handle, 0).map_err(failed)?.input;
        let mut head = Vec::new();
        let mut size = SAMPLE;
        loop {
            let missing = size - head.len();
            let ended = fill(&mut input, &mut head, missing).map_err(failed)?;
            if compression != InputCompression::None {
                sniff::check_inside(path, &head)?;
            }
            let mark = check_text(path, &head)?;
            if ended && head[mark..].last().is_some_and(|&last| last != b'\n') {
                head.push(b'\n');
            }
            let text = &head[mark..];
            let delimiter = delimiter.unwrap_or_else(|| detect_delimiter(text));
            if let Some(record) = first_record(text, delimiter) {
                let lines = memchr::memchr_iter(b'\n', &text[..record.start]).count() as u64;
                let bytes = text[record.start..=record.end].to_vec();
                let block =
                    RecordBlock { bytes, quotes: true, first_line: lines + 1, first_row: 0 };
                let names = header(path, delimiter, block, record.fields)?;
                let end = record.end + 1;
                let lines = memchr::memchr_iter(b'\n', &text[..end]).count() as u64;
                // A newline that was added at the end of the file is not skipped but not there.
                let start = (mark + end) as u64;
                return Ok((names, CsvLayout { compression, delimiter, start, lines }));
            }
            if ended {
                return Err(no_header(path, text, delimiter));
            }
            if size >= LONGEST_RECORD {
                return Err(Error::new(format!(
                    "{} has no line end within its first part",
                    path.display()
                ))
                .at(path, Some(1), None)
                .help("is this a table with one record per line?"));
            }
            size *= 2;
        }
    }
}

/// The names in the header, which is the only record of `block`.
fn header(
    path: &Path,
    delimiter: u8,
    mut block: RecordBlock,
    fields: usize,
) -> Result<Vec<String>> {
    let line = block.first_line;
    let unnamed = vec![String::new(); fields].into();
    let columns: Vec<usize> = (0..fields).collect();
    let parser = CsvParser::new(path.to_owned(), delimiter, unnamed, &columns);
    let mut chunk = Chunk::default();
    parser.decode(&mut block, &mut chunk)?;
    let mut names: Vec<String> =
        columns.iter().map(|&column| chunk.field(0, column).trim().to_owned()).collect();
    name_rows(&mut names);
    check_names(path, Some(line), &names)?;
    Ok(names)
}

/// Why a file that has been read to its end has no header.
fn no_header(path: &Path, text: &[u8], delimiter: u8) -> Error {
    let file = path.display();
    let blank = text.iter().all(|byte| matches!(byte, b'\r' | b'\n'));
    if blank {
        let what = if text.is_empty() { "is empty" } else { "holds nothing but blank lines" };
        return Error::new(format!("{file} {what}"))
            .help("the first line of a table holds the names of its columns");
    }
    unclosed(path, 1 + cut(text, delimiter).quote_line)
}

#[cfg(feature = "parquet")]
fn open_parquet(handle: &FileHandle) -> Result<(Vec<String>, SourceKind)> {
    let (names, file) = ParquetFile::open(handle)?;
    Ok((names, SourceKind::Parquet(file)))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(handle: &FileHandle) -> Result<(Vec<String>, SourceKind)> {
    Err(Error::new(format!("{} is a Parquet file", handle.path().display()))
        .help("this program was built without Parquet: convert the file to CSV"))
}

/// The first bytes of a file, by which formats are told.
fn head_of(handle: &FileHandle) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    fill(&mut handle.reader(0), &mut head, sniff::LOOKED_AT)
        .map_err(|cause| Error::file("read", handle.path(), &cause))?;
    Ok(head)
}

#[cfg(feature = "excel")]
fn open_workbook(
    handle: &FileHandle,
    looks: FileSignature,
    sheet: Option<&str>,
) -> Result<ConvertedFile> {
    workbook::read(handle, container(looks), sheet)
}

#[cfg(feature = "excel")]
fn container(looks: FileSignature) -> WorkbookContainer {
    match looks {
        FileSignature::Zip => WorkbookContainer::Zip,
        _ => WorkbookContainer::Compound,
    }
}

#[cfg(feature = "excel")]
fn sheets(input: &Input) -> Result<Vec<String>> {
    let handle = FileHandle::open(input)?;
    match sniff::looks(handle.path(), &head_of(&handle)?)? {
        looks @ (FileSignature::Zip | FileSignature::Compound) => {
            workbook::sheets(&handle, container(looks))
        }
        _ => Ok(Vec::new()),
    }
}

#[cfg(not(feature = "excel"))]
fn sheets(_: &Input) -> Result<Vec<String>> {
    Ok(Vec::new())
}

#[cfg(not(feature = "excel"))]
fn open_workbook(handle: &FileHandle, _: FileSignature, _: Option<&str>) -> Result<ConvertedFile> {
    Err(Error::new(format!("{} is a zip archive or an Excel workbook", handle.path().display()))
        .help("this program was built without Excel: save the sheet as CSV"))
}

#[cfg(feature = "statistics")]
fn open_statistics(
    handle: &FileHandle,
    looks: FileSignature,
    encoding: Option<&str>,
) -> Result<ConvertedFile> {
    match looks {
        FileSignature::Spss => spss::read(handle, encoding),
        FileSignature::Stata => super::statistics::stata(handle, encoding),
        _ => super::statistics::sas_transport(handle),
    }
}

#[cfg(not(feature = "statistics"))]
fn open_statistics(
    handle: &FileHandle,
    looks: FileSignature,
    encoding: Option<&str>,
) -> Result<ConvertedFile> {
    if looks == FileSignature::Spss {
        return spss::read(handle, encoding);
    }
    Err(Error::new(format!("{} is of a statistics program", handle.path().display()))
        .help("this program was built without such formats: convert the file to CSV"))
}
