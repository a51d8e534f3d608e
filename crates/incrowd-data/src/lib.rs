//! Tables: read from files and memory, their values treated on the way, arranged and written.
//!
//! [`Source`] is a table whose rows can be read again and again, whatever it lies in. [`Arranger`] and [`TableWriter`] put
//! rows in order and write them; an [`OutputFile`] has no name before it is committed. Errors say where they are and how to fix them.

#[cfg(feature = "parquet")]
pub mod arrow;
mod dates;
mod error;
mod mask_method;
mod null;
mod read;
mod secret_key;
mod suggest;
mod visible;
mod write;

pub use dates::{DateFormats, parse_age_day, parse_date_format};
pub use error::{ColumnFix, Error, ErrorKind, ErrorReport, FileLocation, Result};
pub use mask_method::{MaskMethod, ZipCensus};
pub use null::{NULL, field_of_text, text_of_field};
pub use read::{
    Chunk, ColumnDetail, Input, InputFormat, MaskRequest, ROW_NAMES, ReadOptions, RemoteColumn,
    Source, TransformRequest, first_repeated, parse_encoding, read_sample, read_table,
    unread_scheme,
};
pub use secret_key::SecretKey;
pub use suggest::{nearest, suggest};
pub use visible::{acts, visible};
pub use write::{
    Arranger, Checksum, ChecksumReader, ColumnType, Compression, CsvEncoder, IntWidth, Order,
    OutputFile, OutputFormat, TableLayout, TableWriter, TimeUnit, discard_unfinished, fresh_seed,
    refuse_overwrite, truth,
};
#[cfg(feature = "parquet")]
pub use write::{MemoryTable, MemoryWriter};
