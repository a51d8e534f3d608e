//! Reading tables: CSV (plain, gzip, zstd), Parquet and workbooks, as a stream of chunks of strings.
//!
//! A [`Source`] is opened once and read as often as needed, each time in parallel and with a few
//! blocks in memory at most:
//!
//! - [`Source::fold`] gives every worker a state and the chunks in any order: for counting;
//! - [`Source::map_in_order`] works in parallel and delivers the results in input order: for
//!   recoding and writing;
//! - [`read_table`] puts everything into memory as codes.
//!
//! # What a CSV file may look like
//!
//! - Text is UTF-8, with or without a byte order mark. UTF-16 and Windows-1252 are found out, others can be named:
//!   see [`ReadOptions::encoding`].
//! - Lines end with LF or CRLF. A CR elsewhere belongs to the value it stands in.
//! - A field whose very first character is `"` is quoted: it may hold delimiters and newlines, and
//!   `""` stands for a quote. A quote anywhere else is an ordinary character, and text after a
//!   closing quote is added to the value as it is.
//! - Blank lines are never rows, wherever they stand. So in a file with a single column an empty
//!   value must be written as `""`.
//! - The first line that is not blank is the header: one name per column, white space around it
//!   removed, none empty, no two alike. Every row has as many fields as the header.
//! - The delimiter is given, or found among `,` `;` tab `|`: see [`ReadOptions::delimiter`].
//!
//! Values are taken as they stand, white space included; what counts as missing is decided by
//! those who read them.

#[cfg(feature = "parquet")]
mod batches;
mod blocks;
mod chunk;
mod column_mask;
mod converted_file;
mod counted_records;
mod csv;
mod declared_types;
mod dialect;
mod encoding;
mod file;
mod masked_source;
mod parallel_pass;
#[cfg(feature = "parquet")]
mod parquet;
mod sniff;
mod source;
mod spss;
#[cfg(feature = "statistics")]
mod statistics;
mod table;
#[cfg(test)]
mod tests;
mod transformed_source;
mod transforming_decoder;
#[cfg(feature = "excel")]
mod workbook;

use std::path::{Path, PathBuf};

pub use chunk::Chunk;
pub use counted_records::{ColumnDetail, RemoteColumn};
pub use dialect::{ROW_NAMES, first_repeated};
pub use encoding::parse_encoding;
pub use file::unread_scheme;
pub use masked_source::MaskRequest;
pub use source::Source;
pub use table::{read_sample, read_table};
pub use transformed_source::TransformRequest;

/// Where a table is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input, kept in a temporary file so that it can be read twice.
    Stdin,
    /// A file.
    Path(PathBuf),
}

impl<P: AsRef<Path>> From<P> for Input {
    /// A path as typed on the command line: `-` is standard input.
    fn from(path: P) -> Self {
        let path = path.as_ref();
        if path == Path::new("-") { Input::Stdin } else { Input::Path(path.to_owned()) }
    }
}

/// The format of a table on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputFormat {
    /// Delimited text, which may be compressed with gzip or zstd.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// A sheet of a workbook: .xlsx, .xlsb, .xls or .ods.
    Workbook,
    /// Arrow batches in memory.
    Memory,
    /// A data file of SPSS (.sav, .zsav), a data set of Stata (.dta), or a transport file of SAS (.xpt).
    Statistics,
}

/// How to read; the default finds everything out by itself.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The delimiter of a CSV file. `None` looks at the first 64 KB and takes, of `,` `;` tab `|`
    /// in this order, those that split the header; of these the one under which most records have
    /// as many fields as the header; of these the one that gives most fields; of these the first.
    /// If none splits the header, the file has one column.
    pub delimiter: Option<u8>,
    /// The format. `None` tells it by the first bytes of the file.
    pub format: Option<InputFormat>,
    /// The encoding of a text, such as `windows-1252`. `None` takes UTF-16 for what it is, by its byte order mark or
    /// the zeros beside its letters, and anything else for UTF-8, or for Windows-1252 where its bytes are not UTF-8
    /// and could be that. What was found is told by [`Source::notes`].
    pub encoding: Option<String>,
    /// The sheet of a workbook, by its name or its number from 1. `None` takes the first that is not empty.
    pub sheet: Option<String>,
    /// How many times its size a compressed file may unpack to; `None` is 1000, or 1 GiB if that is
    /// more.
    pub max_expansion: Option<u32>,
    /// How many threads read. `None` takes as many as rayon's current pool has.
    pub threads: Option<usize>,
}
