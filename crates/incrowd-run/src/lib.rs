//! The run: from a table and a question to a release that was judged.
//!
//! [`RunPlan`] is a question put to a table; [`RunPlan::stage`] goes all the way to a [`StagedRelease`], which others see when it
//! is committed. Where rows lie is a [`TableBackend`]; what a release must pass is the list [`CHECKS`].
#![cfg_attr(
    not(feature = "parquet"),
    allow(dead_code, reason = "tables in memory and on clusters are not there")
)]

pub mod assess;
mod backend;
mod checks;
#[cfg(feature = "parquet")]
mod cluster;
mod compare;
mod count;
mod demo;
mod explore;
pub mod forms;
pub mod methods;
mod pipeline;
mod plan;
mod recode;
mod report;
mod verify;

#[doc(hidden)]
#[cfg(all(debug_assertions, unix))]
pub use backend::fault::tampering;
pub use backend::local::LocalTable;
pub use backend::table_backend::{Drawing, TableBackend};
pub use checks::evidence::{FinalRows, ReadBack, Remaining, TableCounts, ValueCounts};
pub use checks::finding::{CheckStatus, Finding};
#[doc(hidden)]
#[cfg(debug_assertions)]
pub use checks::judgement::skipping_check;
pub use checks::judgement::{Judgement, Permit};
pub use checks::list::{CHECKS, Check, checks_page};
pub use checks::subject_evidence::{SubjectEvidence, ValueForm};
pub use checks::subjects::SubjectComparison;
#[cfg(feature = "parquet")]
pub use cluster::{
    Apart, BlockCounts, BlockFacts, Checked, Checking, Combinations, Counted, Cuts, Margins,
    ORDER_COLUMN, Parcel, Parcels, PartBatch, PartRows, ROWS_COLUMN, Reading, RowRecoder, Solved,
    Sum, Treating, UNIT_COLUMN, value_column,
};
pub use compare::{
    BUILD, Compare, Compared, Comparison, ComparisonTable, Contender, Keep, Reference, USUAL_KS,
    USUAL_METHODS,
};
pub use count::cells::count_cells;
pub use demo::{MadeUp, hierarchy_text, side_by_side, write_census};
pub use explore::frontier::{Frontier, FrontierAnswers};
pub use explore::hierarchy_tools::{
    BuiltHierarchy, ColumnOf, HierarchyCheck, build_hierarchy, check_hierarchy,
};
pub use explore::series::{Answer, Series};
pub use explore::structure::{NearestOfTable, limit_in_words, nearest_of_table, structure_facts};
pub use explore::trial::{ComparedTable, Trial};
#[cfg(feature = "parquet")]
pub use incrowd_data::MemoryTable;
pub use incrowd_data::{
    Arranger, AskedDisguise, Chunk, ColumnTreatment, ColumnType, Compression, CsvEncoder, Error,
    ErrorKind, Format, Input, IntWidth, Key, Layout, LeftColumn, Mend, NULL, Order, OutputFile,
    OutputFormat, Place, RESTRICTED_ZIP3, ReadOptions, Result, Source, TableWriter, TimeUnit,
    Wanted, discard_unfinished, field_of_text, fresh_seed, read_sample, read_table,
    refuse_overwrite, text_of_field, visible,
};
pub use incrowd_spec as spec;
pub use incrowd_spec::{Spec, SpecFile};
#[cfg(feature = "parquet")]
pub use pipeline::anonymize::{Anonymize, Anonymized, table_from};
pub use pipeline::apply::{Apply, Unseen, apply};
pub use pipeline::counted::CountedRun;
pub use pipeline::obstacle::Obstacle;
pub use pipeline::release::{FinishedRelease, JudgedRelease, RecodedRelease, Step};
#[cfg(feature = "parquet")]
pub use pipeline::released::{MemoryRun, ReleasedTable};
pub use pipeline::run::run;
pub use pipeline::searched::SearchedRun;
pub use pipeline::staged::StagedRelease;
pub use plan::finishing::{Finished, Finishing};
pub use plan::guess::{GuessedRole, guess_from};
pub use plan::hierarchies::{
    HierarchyRow, load_hierarchy, parse_hierarchy_rows, read_hierarchy_rows,
};
pub use plan::job::Job;
pub use plan::opening::{hierarchy_files, input_of, open_input, reading_of, treated};
pub use plan::ranges::{RangeEnds, ends_text};
pub use plan::run_plan::RunPlan;
pub use plan::threads::on_threads;
pub use plan::voice::Voice;
pub use plan::warning::Warning;
pub use recode::combinations::{BLANK_CLASS, Combination, each_combination};
pub use recode::losses::SUPPRESSION_CODES;
pub use recode::pass::LabelPairs;
pub use recode::release_plan::ReleasePlan;
pub use recode::seen::{SeenClasses, read_classes, read_release};
pub use report::reached::Reached;
pub use report::results::Results;
pub use report::run_report::{
    RunReport, TreatedColumn, Unlinked, cost_text, gap, gap_text, seconds_text,
};
pub use report::shareable::{Optimality, SafeCount, Shareable};
pub use report::status::Status;
pub use report::text::{finished_text, finishing_text, names_text, sets_text, unchanged_text};
pub use report::trace::{TracePoint, Tracer};
pub use verify::requirements::{date_forms, translated, verify_source, verify_sources};
