//! The run: from a table and a question to a release that was judged.

pub mod assess;
mod compare;
mod demo;
pub mod forms;
pub mod methods;
mod run;

pub use compare::{
    BUILD, Compare, Compared, Comparison, ComparisonTable, Contender, Keep, Reference, USUAL_KS,
    USUAL_METHODS,
};
pub use demo::{MadeUp, hierarchy_text, side_by_side, write_census};
#[cfg(feature = "parquet")]
pub use incrowd_data::MemoryTable;
pub use incrowd_data::{
    Arranger, AskedDisguise, Chunk, ColumnTreatment, ColumnType, Compression, CsvEncoder, Error,
    ErrorKind, Format, Input, IntWidth, Key, Layout, LeftColumn, Mend, NULL, Order, OutputFile,
    OutputFormat, Place, RESTRICTED_ZIP3, ReadOptions, Result, Source, TableWriter, TimeUnit,
    Wanted, discard_unfinished, field_of_text, fresh_seed, read_table, refuse_overwrite,
    text_of_field, visible,
};
pub use incrowd_spec as spec;
pub use incrowd_spec::{Spec, SpecFile};
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
