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
pub use run::*;
