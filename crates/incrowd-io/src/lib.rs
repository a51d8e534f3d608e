//! From files to the engine and back.

pub mod assess;
mod compare;
mod demo;
mod error;
pub mod forms;
mod key;
pub mod methods;
mod null;
mod read;
mod run;
pub mod spec;
mod visible;
mod write;

pub use compare::{
    BUILD, Compare, Compared, Comparison, ComparisonTable, Contender, Keep, Reference, USUAL_KS,
    USUAL_METHODS,
};
pub use demo::{MadeUp, hierarchy_text, side_by_side, write_census};
pub use error::{Error, ErrorKind, Mend, Place, Result};
pub use key::Key;
pub use null::{NULL, field_of_text, text_of_field};
pub use read::{
    AskedDisguise, Chunk, ColumnTreatment, Format, Input, LeftColumn, RESTRICTED_ZIP3, ReadOptions,
    Source, Wanted, read_table,
};
pub use run::{
    Alike, BLANK_CLASS, Combination, Elsewhere, Placed, Plan, each_combination, run_elsewhere,
};
pub use run::{
    Anonymize, Anonymized, Answer, Apply, BuiltHierarchy, ColumnOf, ComparedTable, Finishing,
    Found, Frontier, FrontierAnswers, Held, HierarchyCheck, HierarchyRow, Job, NearestOfTable,
    Obstacle, Optimality, RangeEnds, Reached, Results, RunReport, SUPPRESSION_CODES, SafeCount,
    SeenClasses, Series, Shareable, Status, TracePoint, Tracer, TreatedColumn, Trial, Unlinked,
    Unseen, Voice, Warning, apply, build_hierarchy, check_hierarchy, cost_text, count_cells,
    date_forms, ends_text, finished_text, finishing_text, gap, gap_text, hierarchy_files, input_of,
    limit_in_words, load_hierarchy, names_text, nearest_of_table, on_threads, open_input,
    parse_hierarchy_rows, read_classes, read_hierarchy_rows, read_release, reading_of, run,
    run_for_elsewhere, run_held, seconds_text, sets_text, structure_facts, table_from, translated,
    treated, unchanged_text, verify_source, verify_sources,
};
#[cfg(feature = "parquet")]
pub use run::{
    Apart, BlockCounts, BlockFacts, Checked, Checking, Combinations, Counted, Cuts, InMemory,
    Margins, ORDER_COLUMN, Parcel, Parcels, PartBatch, PartRows, ROWS_COLUMN, Reading, RowRecoder,
    Solved, Sum, Treating, UNIT_COLUMN, apply_in_memory, run_in_memory, value_column,
};
pub use spec::{Spec, SpecFile};
pub use visible::visible;
#[cfg(feature = "parquet")]
pub use write::MemoryTable;
pub use write::{
    Arranger, ColumnType, Compression, CsvEncoder, IntWidth, Layout, Order, OutputFile,
    OutputFormat, TableWriter, TimeUnit, discard_unfinished, fresh_seed, refuse_overwrite,
};
