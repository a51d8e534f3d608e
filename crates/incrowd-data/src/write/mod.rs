//! From recoded rows to a file.
//!
//! Rows travel as encoded CSV rows, which are cheap to hold, to spill to disk and to move:
//!
//! ```text
//! CsvEncoder ─▶ Arranger ─▶ TableWriter ─▶ OutputFile ─▶ (verified) ─▶ commit
//!  labels to     shuffles     CSV, gzip,    a temporary                 renamed to
//!  bytes         or sorts     zstd, Parquet file                        the target
//! ```
//!
//! ```
//! use incrowd_data::{Arranger, OutputFormat, TableLayout, Order, OutputFile, TableWriter, fresh_seed};
//!
//! let folder = tempfile::tempdir()?;
//! let target = folder.path().join("release.csv");
//! let layout = TableLayout::text(["age", "disease"]);
//!
//! let output = OutputFile::create(&target)?;
//! let order = Order::Shuffled { seed: fresh_seed() };
//! let mut arranger = Arranger::new(order, Arranger::DEFAULT_MEMORY, output.folder());
//! let encoder = layout.encoder()?;
//! let mut row = Vec::new();
//! for fields in [["[25-28]", "Flu"], ["[25-28]", "Hang Nail"]] {
//!     row.clear();
//!     encoder.row(fields, &mut row);
//!     arranger.push(&row)?;
//! }
//!
//! let mut table = TableWriter::new(output, OutputFormat::from_path(&target)?, &layout)?;
//! arranger.finish(|row| table.row(row))?;
//! let output = table.finish()?;
//! // Here the release is read back from `output.reopen()` and verified.
//! output.commit()?;
//! assert!(std::fs::read_to_string(&target)?.starts_with("age,disease\n[25-28],"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "excel")]
mod archive;
mod arena;
mod arrange;
mod checksum;
mod column_type;
#[cfg(feature = "parquet")]
mod columns;
mod encode;
mod format;
mod layout;
#[cfg(feature = "parquet")]
mod memory;
mod output;
mod overwrite;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parse;
mod shuffle;
mod sort;
mod spool;
mod table;
mod temporary;
#[cfg(feature = "excel")]
mod xlsx;

pub use arrange::{Arranger, Order, fresh_seed};
pub use checksum::{Checksum, ChecksumReader};
pub use column_type::{ColumnType, IntWidth, TimeUnit, truth};
pub use encode::CsvEncoder;
pub use format::{Compression, OutputFormat};
pub use layout::TableLayout;
#[cfg(feature = "parquet")]
pub use memory::{MemoryTable, MemoryWriter};
pub use output::OutputFile;
pub use overwrite::refuse_overwrite;
pub use table::TableWriter;
pub use temporary::discard_unfinished;
