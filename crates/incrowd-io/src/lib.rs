//! From files to the engine and back.

mod error;
pub mod methods;
mod read;
mod run;
pub mod spec;
mod write;

pub use error::{Error, ErrorKind, Place, Result};
pub use read::{Chunk, Format, Input, ReadOptions, Source, read_table};
pub use run::{
    Answer, Apply, Comparison, HierarchyRow, Job, Results, RunReport, SeenClasses, Series,
    TracePoint, Tracer, Trial, Unseen, apply, cost_text, count_cells, gap, gap_text, input_of,
    load_hierarchy, on_threads, open_input, parse_hierarchy_rows, read_classes,
    read_hierarchy_rows, read_release, run, seconds_text, translated, unit, verify_source,
    verify_sources,
};
pub use spec::{Spec, SpecFile};
pub use write::{
    Arranger, ColumnType, Compression, CsvEncoder, IntWidth, Layout, Order, OutputFile,
    OutputFormat, TableWriter, TimeUnit, discard_unfinished, fresh_seed, refuse_overwrite,
};
