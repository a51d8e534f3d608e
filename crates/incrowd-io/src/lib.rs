//! From files to the engine and back.

mod error;
mod read;
mod run;
pub mod spec;
mod write;

pub use error::{Error, Place, Result};
pub use read::{
    Chunk, Format, Input, Monitor, Progress, ReadOptions, Source, interrupted, is_interrupted,
    read_table,
};
pub use run::{
    Answer, Apply, COMMAND_LINE, Comparison, Follow, HierarchyRow, Job, Phase, Results, RunReport,
    SeenClasses, Series, TracePoint, Traced, Trial, Unfollowed, Unseen, apply, cost_text,
    count_cells, gap, gap_text, input_of, load_hierarchy, parse_hierarchy_rows, read_classes,
    read_hierarchy_rows, read_release, run, translated, unit, verify_source, verify_sources,
};
pub use spec::{Spec, SpecFile};
pub use write::{
    Arranger, ColumnType, Compression, CsvEncoder, IntWidth, Layout, Order, OutputFile,
    OutputFormat, TableWriter, TimeUnit, discard_unfinished, fresh_seed, refuse_overwrite,
};
