//! The run: from a table and a question to a release that was judged.
//!
//! [`RunPlan`] is a question put to a table; [`RunPlan::stage`] goes all the way to a [`StagedRelease`], which others see when it
//! is committed. Where rows lie is a [`TableBackend`](backend::TableBackend); what a release must pass is the list [`checks::CHECKS`].
#![cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "tables in memory are not there"))]

pub mod assess;
pub mod backend;
pub mod checks;
pub mod compare;
mod count;
pub mod demo;
pub mod explore;
pub mod forms;
pub mod methods;
mod pipeline;
pub mod plan;
mod question_hash;
pub mod recode;
pub mod report;
mod verify;

#[doc(hidden)]
#[cfg(all(debug_assertions, unix))]
pub use backend::fault::tampering;
pub use backend::local::LocalTable;
pub(crate) use checks::finding::Finding;
#[doc(hidden)]
#[cfg(debug_assertions)]
pub use checks::judgement::skipping_check;
pub use count::cells::count_cells;
pub(crate) use explore::hierarchy_tools::ColumnSource;
pub(crate) use explore::trial::{Trial, TrialTable};
pub use incrowd_data as data;
pub(crate) use incrowd_data::{
    Arranger, Chunk, ColumnDetail, ColumnFix, ColumnType, Compression, CsvEncoder, Input,
    InputFormat, MaskRequest, NULL, Order, OutputFile, OutputFormat, ReadOptions, RemoteColumn,
    SecretKey, Source, TableLayout, TableWriter, TransformRequest, read_sample, read_table,
    refuse_overwrite,
};
pub use incrowd_data::{Error, ErrorKind, Result};
#[cfg(feature = "parquet")]
pub(crate) use incrowd_data::{MemoryTable, fresh_seed};
pub use incrowd_spec as spec;
pub use incrowd_spec::{Spec, SpecFile};
pub use incrowd_verify::Verdict;
#[cfg(feature = "parquet")]
pub use pipeline::anonymization_result::AnonymizationResult;
#[cfg(feature = "parquet")]
pub use pipeline::anonymize::{Anonymize, hierarchy_from, table_from};
pub use pipeline::apply::{ApplyOptions, UnseenPolicy, apply};
pub use pipeline::block_run::BlockRun;
pub use pipeline::counted_run::CountedRun;
#[cfg(feature = "parquet")]
pub use pipeline::memory_run::{MemoryRun, ReleasedTable};
pub use pipeline::obstacle::Obstacle;
pub use pipeline::release::{FinishedRelease, JudgedRelease, RecodedRelease, StepContext};
pub use pipeline::run::run;
pub use pipeline::saved_search::SavedSearch;
pub use pipeline::searched_run::SearchedRun;
pub use pipeline::staged_release::StagedRelease;
pub(crate) use plan::finishing::FinishingPlan;
pub(crate) use plan::hierarchies::load_hierarchy;
pub use plan::interface::Interface;
pub use plan::job::Job;
pub use plan::opening::{
    detail_needed, hierarchy_files, input_of, open_input, reading_of, treated,
};
pub use plan::run_plan::RunPlan;
pub use plan::threads::on_threads;
pub use plan::warning::Warning;
pub(crate) use recode::read_back::{SeenClasses, read_attribute, read_classes, read_release};
pub use report::run_report::RunReport;
pub(crate) use report::run_report::{cost_text, seconds_text};
pub(crate) use report::shareable::ShareableSummary;
pub use report::status::SearchStatus;
pub use verify::certificate_check::CertificateCheck;
pub use verify::requirements::{date_forms, translated, verify_source, verify_sources};
pub use verify::violation_text::verdict_for_messages;
