//! From files to the engine and back.

pub mod assess;
mod error;
mod read;
mod run;
pub mod spec;
mod write;

pub use error::{Error, ErrorKind, Place, Result};
pub use read::{Chunk, Format, Input, ReadOptions, Source, read_table};
pub use run::{
    Answer, Apply, COMMAND_LINE, Comparison, HierarchyRow, Job, Results, RunReport, SeenClasses,
    Series, TracePoint, Tracer, Trial, Unseen, apply, cost_text, count_cells, gap, gap_text,
    input_of, load_hierarchy, parse_hierarchy_rows, read_classes, read_hierarchy_rows,
    read_release, run, translated, unit, verify_source, verify_sources,
};
pub use spec::{Spec, SpecFile};
pub use write::{
    Arranger, ColumnType, Compression, CsvEncoder, IntWidth, Layout, Order, OutputFile,
    OutputFormat, TableWriter, TimeUnit, discard_unfinished, fresh_seed, refuse_overwrite,
};
