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
pub use backend::table_backend::{PreviewScope, TableBackend};
pub use checks::evidence::{FinalRows, ReadBack, RemainingRelease, TableCounts, ValueCounts};
pub use checks::finding::{CheckStatus, Finding};
#[doc(hidden)]
#[cfg(debug_assertions)]
pub use checks::judgement::skipping_check;
pub use checks::judgement::{Judgement, ReleasePermit};
pub use checks::list::{CHECKS, ReleaseCheck, checks_page};
pub use checks::subject_evidence::{SubjectEvidence, ValueForm};
pub use checks::subjects::SubjectComparison;
#[cfg(feature = "parquet")]
pub use cluster::{
    BlockCounts, BlockFacts, CombinationCounter, DistributedRun, MarginalCounts, ORDER_COLUMN,
    ParcelBuffer, PartBatch, PartRows, PartialCounts, PartialVerification, PartitionTree,
    ROWS_COLUMN, ReadingPlan, RowChecksum, RowParcel, RowRecoder, SolvedRun, TransformInputs,
    UNIT_COLUMN, VerificationPlan, value_column,
};
pub use compare::{
    BUILD, CacheLocation, Compare, ComparedMethod, ComparedTrial, Comparison, ComparisonTable,
    ReferenceCost, USUAL_KS, USUAL_METHODS,
};
pub use count::cells::count_cells;
pub use demo::{SyntheticCensus, hierarchy_text, side_by_side, write_census};
pub use explore::frontier::{FrontierAnswers, FrontierRequest};
pub use explore::hierarchy_tools::{
    BuiltHierarchy, ColumnSource, HierarchyCheck, build_hierarchy, check_hierarchy,
};
pub use explore::series::{ParameterSweep, SweepAnswer};
pub use explore::structure::{TableStructure, limit_in_words, nearest_of_table, structure_facts};
pub use explore::trial::{Trial, TrialTable};
#[cfg(feature = "parquet")]
pub use incrowd_data::MemoryTable;
pub use incrowd_data::{
    Arranger, Chunk, ColumnDetail, ColumnFix, ColumnType, Compression, CsvEncoder, Error,
    ErrorKind, ErrorReport, FileLocation, Input, InputFormat, IntWidth, MaskRequest, NULL, Order,
    OutputFile, OutputFormat, RESTRICTED_ZIP3, ReadOptions, RemoteColumn, Result, SecretKey,
    Source, TableLayout, TableWriter, TimeUnit, TransformRequest, discard_unfinished,
    field_of_text, fresh_seed, read_sample, read_table, refuse_overwrite, text_of_field, visible,
};
pub use incrowd_spec as spec;
pub use incrowd_spec::{Spec, SpecFile};
pub use incrowd_verify::Verdict;
#[cfg(feature = "parquet")]
pub use pipeline::anonymization_result::AnonymizationResult;
#[cfg(feature = "parquet")]
pub use pipeline::anonymize::{Anonymize, hierarchy_from, table_from};
pub use pipeline::apply::{ApplyOptions, UnseenPolicy, apply};
pub use pipeline::counted_run::CountedRun;
#[cfg(feature = "parquet")]
pub use pipeline::memory_run::{MemoryRun, ReleasedTable};
pub use pipeline::obstacle::Obstacle;
pub use pipeline::release::{FinishedRelease, JudgedRelease, RecodedRelease, StepContext};
pub use pipeline::run::run;
pub use pipeline::searched_run::SearchedRun;
pub use pipeline::staged_release::StagedRelease;
pub use plan::finishing::{FinishingPlan, FinishingResult};
pub use plan::guessed_roles::{GuessedRole, guess_from};
pub use plan::hierarchies::{
    HierarchyRow, load_hierarchy, parse_hierarchy_rows, read_hierarchy_rows,
};
pub use plan::interface::Interface;
pub use plan::job::Job;
pub use plan::opening::{
    detail_needed, hierarchy_files, input_of, open_input, reading_of, treated,
};
pub use plan::ranges::{RangeEnds, ends_text};
pub use plan::run_plan::RunPlan;
pub use plan::threads::on_threads;
pub use plan::warning::Warning;
pub use recode::combinations::{BLANK_CLASS, RecodedCombination, each_combination};
pub use recode::pass::LabelPairs;
pub use recode::read_back::{SeenClasses, read_classes, read_release};
pub use recode::release_plan::ReleasePlan;
pub use recode::suppression_losses::SUPPRESSION_CODES;
pub use report::requirement_results::RequirementResult;
pub use report::results_file::ResultsFile;
pub use report::run_report::{
    MaskedColumn, RunReport, UnlinkedUnits, cost_text, gap, gap_text, seconds_text,
};
pub use report::shareable::{Optimality, SafeCount, ShareableSummary};
pub use report::status::SearchStatus;
pub use report::text::{finished_text, finishing_text, names_text, sets_text, unchanged_text};
pub use report::trace::{TracePoint, Tracer};
pub use verify::requirements::{date_forms, translated, verify_source, verify_sources};
