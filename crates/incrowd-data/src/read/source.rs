//! A table that can be read again and again.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "parquet")]
use super::batches::Batches;
use super::blocks::{BLOCK_SIZE, Block, Blocks, LONGEST_RECORD, cut, unclosed};
use super::chunk::Chunk;
use super::converted::Converted;
use super::csv::Parser;
use super::dialect::{
    check_delimiter, check_names, check_text, detect_delimiter, first_record, name_rows,
};
use super::encoding;
use super::file::{Compression, Handle, fill};
#[cfg(feature = "parquet")]
use super::parquet::ParquetFile;
use super::pass::{self, Decode};
use super::repeated::LeftColumn;
use super::sniff::{self, Looks};
use super::spss;
use super::treating::{Treated, Treating};
#[cfg(feature = "excel")]
use super::workbook::{self, Container};
use super::{Format, Input, ReadOptions};
use crate::{ColumnType, Error, Result};
use incrowd::Control;

/// How much of a text is looked at to find its delimiter.
const SAMPLE: usize = 64 << 10;

/// A table on disk whose columns are known and whose rows can be read as often as needed.
///
/// ```no_run
/// use incrowd::Control;
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
    handle: Handle,
    /// The text that the file was turned into, if it is not UTF-8 text itself.
    text: Option<Handle>,
    notes: Vec<String>,
    options: ReadOptions,
    format: Format,
    pub(super) names: Arc<[String]>,
    pub(super) treated: Treated,
    /// Columns of a counted table that did not come along.
    left: Vec<LeftColumn>,
    /// How NULL is spelled, where it is told apart from the empty text.
    pub(super) null: Option<&'static str>,
    /// The types that the columns of a table of text have where it comes from; nothing if they have none.
    pub(super) types: Vec<ColumnType>,
    kind: Kind,
    threads: usize,
    block_size: usize,
    longest_record: usize,
}

#[derive(Debug)]
enum Kind {
    Csv(Csv),
    #[cfg(feature = "parquet")]
    Parquet(ParquetFile),
    #[cfg(feature = "parquet")]
    Batches(Batches),
}

/// Where the rows of a text are and how they are delimited.
#[derive(Debug)]
struct Csv {
    compression: Compression,
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
        Source::new(Handle::open(input)?, options)
    }

    /// A table in an open file, which need not have a name; `name` is for messages, and its end may tell the format.
    pub fn of_file(file: std::fs::File, name: &Path, options: &ReadOptions) -> Result<Self> {
        Source::new(Handle::of_file(file, name.to_owned())?, options)
    }

    /// Copies all of `input` to a temporary file and opens that; `name` is for messages.
    pub fn from_reader(input: &mut dyn Read, name: &str, options: &ReadOptions) -> Result<Self> {
        Source::new(Handle::spool(input, name.into())?, options)
    }

    /// A table in memory, as Arrow batches of one schema; `name` is for messages.
    #[cfg(feature = "parquet")]
    pub fn from_batches(
        name: &str,
        schema: arrow_schema::SchemaRef,
        batches: Vec<arrow_array::RecordBatch>,
        threads: Option<usize>,
    ) -> Result<Self> {
        let (names, batches) = Batches::new(Path::new(name), schema, batches)?;
        let options = ReadOptions { threads, ..ReadOptions::default() };
        let handle = Handle::nowhere(name.into(), batches.rows());
        Ok(Source::of(handle, Format::Memory, names, Kind::Batches(batches), options))
    }

    /// A table that was counted where it lies: text with commas between fields, the names of the columns first. The first
    /// field of every other record tells how many rows look like that; as a column it is not there. `left` are columns of
    /// the table that did not come along; `name` is for messages.
    pub fn from_counted(
        input: &mut dyn Read,
        name: &str,
        left: Vec<LeftColumn>,
        threads: Option<usize>,
    ) -> Result<Self> {
        let handle = Handle::spool(input, name.into())?;
        let (names, csv) = Csv::open(&handle, Compression::Repeated, Some(b','))?;
        let options = ReadOptions { threads, ..ReadOptions::default() };
        Ok(Source { left, ..Source::of(handle, Format::Csv, names, Kind::Csv(csv), options) })
    }

    /// Refuses a [counted table](Self::from_counted) where the rows themselves are needed, for what `asker` says.
    pub fn needs_rows(&self, asker: &str) -> Result<()> {
        match &self.kind {
            Kind::Csv(Csv { compression: Compression::Repeated, .. }) => Err(Error::new(format!(
                "{asker} needs the rows of {}, which was counted where it lies",
                self.name()
            ))
            .help("leave out --in-database")),
            _ => Ok(()),
        }
    }

    /// The columns of a [counted table](Self::from_counted) that did not come along.
    pub fn left(&self) -> &[LeftColumn] {
        &self.left
    }

    /// A table that is read as it is.
    fn of(
        handle: Handle,
        format: Format,
        names: Vec<String>,
        kind: Kind,
        options: ReadOptions,
    ) -> Self {
        Source {
            handle,
            text: None,
            notes: Vec::new(),
            format,
            names: names.into(),
            treated: Treated::default(),
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
            Kind::Batches(table) => Some(table.batches()),
            _ => None,
        }
    }

    fn new(mut handle: Handle, options: &ReadOptions) -> Result<Self> {
        handle.limit(options.max_expansion);
        let mut head = Vec::new();
        fill(&mut handle.reader(0), &mut head, sniff::LOOKED_AT)
            .map_err(|cause| Error::file("read", handle.path(), &cause))?;
        let looks = match options.format {
            Some(Format::Parquet) => Looks::Parquet,
            Some(Format::Csv) => Looks::Text,
            Some(Format::Workbook | Format::Statistics | Format::Memory) | None => {
                sniff::looks(handle.path(), &head)?
            }
        };
        let (format, converted) = match looks {
            Looks::Parquet => (Format::Parquet, None),
            Looks::Zip | Looks::Compound => {
                (Format::Workbook, Some(open_workbook(&handle, looks, options.sheet.as_deref())?))
            }
            Looks::Spss | Looks::Stata | Looks::SasTransport => {
                let encoding = options.encoding.as_deref();
                (Format::Statistics, Some(open_statistics(&handle, looks, encoding)?))
            }
            Looks::Text => {
                let compression = Compression::of(&head);
                let text = encoding::converted(&handle, compression, options.encoding.as_deref())?;
                (Format::Csv, text)
            }
        };
        if options.sheet.is_some() && format != Format::Workbook {
            let file = handle.path().display();
            return Err(Error::new(format!("{file} is not a workbook: it has no sheets"))
                .help("leave out --sheet, or `sheet` in [data]"));
        }
        let (text, notes) = match converted {
            None => (None, Vec::new()),
            Some(Converted { text, notes }) => (Some(text), notes),
        };
        let (names, kind) = match (format, &text) {
            (Format::Parquet, _) => open_parquet(&handle)?,
            (_, Some(text)) => {
                // What we wrote down ourselves has commas.
                let delimiter = if format == Format::Csv { options.delimiter } else { Some(b',') };
                let (names, csv) = Csv::open(text, Compression::None, delimiter)?;
                (names, Kind::Csv(csv))
            }
            (_, None) => {
                let (names, csv) = Csv::open(&handle, Compression::of(&head), options.delimiter)?;
                (names, Kind::Csv(csv))
            }
        };
        Ok(Source { text, notes, ..Source::of(handle, format, names, kind, options.clone()) })
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
    pub fn format(&self) -> Format {
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
            Kind::Csv(csv) => (self.format == Format::Csv).then_some(csv.delimiter),
            #[cfg(feature = "parquet")]
            Kind::Parquet(_) | Kind::Batches(_) => None,
        }
    }

    /// The types of the columns of a Parquet file or of batches, one field per column; `None` for other formats.
    #[cfg(feature = "parquet")]
    pub fn schema(&self) -> Option<&arrow_schema::SchemaRef> {
        match &self.kind {
            Kind::Csv(_) => None,
            Kind::Parquet(file) => Some(file.schema()),
            Kind::Batches(table) => Some(table.schema()),
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
            Kind::Csv(csv) => {
                let (blocks, parser) = (self.blocks(csv)?, self.parser(csv, columns));
                let parser = Treating::new(parser, &self.treated, columns);
                pass::fold(blocks, &parser, self.threads, init, step, control)
            }
            #[cfg(feature = "parquet")]
            Kind::Parquet(file) => {
                let (batches, formatter) = file.pass(&self.handle, columns)?;
                let formatter = formatter.telling_null(self.tells_null());
                let formatter = Treating::new(formatter, &self.treated, columns);
                pass::fold(batches, &formatter, self.threads, init, step, control)
            }
            #[cfg(feature = "parquet")]
            Kind::Batches(table) => {
                let (slices, formatter) = table.pass(self.path(), columns)?;
                let formatter = formatter.telling_null(self.tells_null());
                let formatter = Treating::new(formatter, &self.treated, columns);
                pass::fold(slices, &formatter, self.threads, init, step, control)
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
        self.map_treated(&Treated::default(), columns, work, collect, control)
    }

    /// The same with columns treated like this, of those that are needed for it.
    fn map_treated<T: Send>(
        &self,
        treated: &Treated,
        columns: &[usize],
        work: impl Fn(&Chunk) -> Result<T> + Sync,
        collect: impl FnMut(T) -> Result<()>,
        control: &Control,
    ) -> Result<()> {
        match &self.kind {
            Kind::Csv(csv) => {
                let (blocks, parser) = (self.blocks(csv)?, self.parser(csv, columns));
                let parser = Treating::new(parser, treated, columns);
                pass::map_in_order(blocks, &parser, self.threads, work, collect, control)
            }
            #[cfg(feature = "parquet")]
            Kind::Parquet(file) => {
                let (batches, formatter) = file.pass(&self.handle, columns)?;
                let formatter = formatter.telling_null(self.tells_null());
                let formatter = Treating::new(formatter, treated, columns);
                pass::map_in_order(batches, &formatter, self.threads, work, collect, control)
            }
            #[cfg(feature = "parquet")]
            Kind::Batches(table) => {
                let (slices, formatter) = table.pass(self.path(), columns)?;
                let formatter = formatter.telling_null(self.tells_null());
                let formatter = Treating::new(formatter, treated, columns);
                pass::map_in_order(slices, &formatter, self.threads, work, collect, control)
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

    fn blocks(&self, csv: &Csv) -> Result<Blocks> {
        let handle = self.text.as_ref().unwrap_or(&self.handle);
        let input = csv
            .compression
            .decoder(handle, csv.start)
            .map_err(|cause| csv.compression.error(self.path(), &cause))?;
        Ok(Blocks {
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

    fn parser(&self, csv: &Csv, columns: &[usize]) -> Parser {
        let path = self.path().to_owned();
        Parser::new(path, csv.delimiter, Arc::clone(&self.names), columns).with_null(self.null)
    }
}

impl Csv {
    /// Finds the delimiter and the names of the columns.
    fn open(
        handle: &Handle,
        compression: Compression,
        delimiter: Option<u8>,
    ) -> Result<(Vec<String>, Csv)> {
        let path = handle.path();
        let delimiter = delimiter.map(check_delimiter).transpose()?;
        let failed = |cause| compression.error(path, &cause);
        let mut input = compression.decoder(handle, 0).map_err(failed)?.input;
        let mut head = Vec::new();
        let mut size = SAMPLE;
        loop {
            let missing = size - head.len();
            let ended = fill(&mut input, &mut head, missing).map_err(failed)?;
            if compression != Compression::None {
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
                let block = Block { bytes, quotes: true, first_line: lines + 1, first_row: 0 };
                let names = header(path, delimiter, block, record.fields)?;
                let end = record.end + 1;
                let lines = memchr::memchr_iter(b'\n', &text[..end]).count() as u64;
                // A newline that was added at the end of the file is not skipped but not there.
                let start = (mark + end) as u64;
                return Ok((names, Csv { compression, delimiter, start, lines }));
            }
            if ended {
                return Err(no_header(path, text, delimiter));
            }
            if size >= LONGEST_RECORD {
                return Err(Error::new(format!("{} has no end of its first line", path.display()))
                    .at(path, Some(1), None)
                    .help("is this a table with one record per line?"));
            }
            size *= 2;
        }
    }
}

/// The names in the header, which is the only record of `block`.
fn header(path: &Path, delimiter: u8, mut block: Block, fields: usize) -> Result<Vec<String>> {
    let line = block.first_line;
    let unnamed = vec![String::new(); fields].into();
    let columns: Vec<usize> = (0..fields).collect();
    let parser = Parser::new(path.to_owned(), delimiter, unnamed, &columns);
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
fn open_parquet(handle: &Handle) -> Result<(Vec<String>, Kind)> {
    let (names, file) = ParquetFile::open(handle)?;
    Ok((names, Kind::Parquet(file)))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(handle: &Handle) -> Result<(Vec<String>, Kind)> {
    Err(Error::new(format!("{} is a Parquet file", handle.path().display()))
        .help("this program was built without Parquet: convert the file to CSV"))
}

#[cfg(feature = "excel")]
fn open_workbook(handle: &Handle, looks: Looks, sheet: Option<&str>) -> Result<Converted> {
    let container = if looks == Looks::Zip { Container::Zip } else { Container::Compound };
    workbook::read(handle, container, sheet)
}

#[cfg(not(feature = "excel"))]
fn open_workbook(handle: &Handle, _: Looks, _: Option<&str>) -> Result<Converted> {
    Err(Error::new(format!("{} is a zip archive or an Excel workbook", handle.path().display()))
        .help("this program was built without Excel: save the sheet as CSV"))
}

#[cfg(feature = "statistics")]
fn open_statistics(handle: &Handle, looks: Looks, encoding: Option<&str>) -> Result<Converted> {
    match looks {
        Looks::Spss => spss::read(handle, encoding),
        Looks::Stata => super::statistics::stata(handle, encoding),
        _ => super::statistics::sas_transport(handle),
    }
}

#[cfg(not(feature = "statistics"))]
fn open_statistics(handle: &Handle, looks: Looks, encoding: Option<&str>) -> Result<Converted> {
    if looks == Looks::Spss {
        return spss::read(handle, encoding);
    }
    Err(Error::new(format!("{} is of a statistics program", handle.path().display()))
        .help("this program was built without such formats: convert the file to CSV"))
}
