//! A whole run: read, count, solve, recode, arrange, verify, write.
//!
//! Nothing appears under the output's name before the independent verifier has read the written
//! rows back and found every requirement met.

#[cfg(feature = "parquet")]
mod anonymize;
#[cfg(feature = "parquet")]
mod apart;
mod apply;
mod backend;
mod check;
mod checks;
mod columns;
mod combinations;
mod compare;
mod count;
mod destination;
mod earlier;
mod exposure;
mod fate;
mod fault;
mod finish;
mod finishing;
mod follower;
mod from_spec;
mod frontier;
mod hierarchies;
mod hierarchy_tools;
mod job;
mod local;
mod losses;
mod many_values;
mod opening;
mod pipeline;
mod planned;
mod population;
mod pose;
mod ranges;
mod reached;
mod recent;
mod recode;
#[cfg(feature = "parquet")]
mod released;
mod report;
mod results;
mod roles;
mod said;
mod saved;
mod seen;
mod series;
mod shareable;
mod spellings;
mod status;
mod structure;
mod subject_refusals;
mod subjects;
mod text;
mod threads;
mod timed;
mod told;
mod trace;
mod truth;
mod voice;
mod warning;
mod watch;

#[cfg(feature = "parquet")]
pub use anonymize::{Anonymize, Anonymized, table_from};
#[cfg(feature = "parquet")]
pub use apart::{
    Apart, BlockCounts, BlockFacts, Checked, Checking, Combinations, Counted, Cuts, Margins,
    ORDER_COLUMN, Parcel, Parcels, PartBatch, PartRows, ROWS_COLUMN, Reading, RowRecoder, Solved,
    Sum, Treating, UNIT_COLUMN, value_column,
};
pub use apply::{Apply, Unseen, apply};
pub use backend::{
    Drawing, FinalRows, ReadBack, Remaining, TableBackend, TableCounts, ValueCounts,
};
pub(crate) use check::{counted, style_of};
pub use check::{date_forms, translated, verify_source, verify_sources};
pub use checks::{CHECKS, Check, CheckStatus, Finding, Judgement, Permit, checks_page};
pub use combinations::{BLANK_CLASS, Combination, each_combination};
pub use compare::{ComparedTable, Trial};
pub use count::count_cells;
#[doc(hidden)]
#[cfg(all(debug_assertions, unix))]
pub use fault::tampering;
pub(crate) use finish::{judge_beyond, judge_replaced};
pub use finishing::{Finished, Finishing};
pub use frontier::{Frontier, FrontierAnswers};
pub use hierarchies::{HierarchyRow, load_hierarchy, parse_hierarchy_rows, read_hierarchy_rows};
pub use hierarchy_tools::{
    BuiltHierarchy, ColumnOf, HierarchyCheck, build_hierarchy, check_hierarchy,
};
pub use job::Job;
pub use local::LocalTable;
pub use losses::SUPPRESSION_CODES;
pub(crate) use opening::treatments;
pub use opening::{hierarchy_files, input_of, open_input, reading_of, treated};
pub use pipeline::{
    CountedRun, FinishedRelease, JudgedRelease, Obstacle, RecodedRelease, RunPlan, SearchedRun,
    StagedRelease, Step, run,
};
pub use planned::ReleasePlan;
pub(crate) use population::count_people;
pub(crate) use pose::{among, build_problem, places, some_rows};
pub use ranges::{RangeEnds, ends_text};
pub use reached::Reached;
pub use recode::LabelPairs;
#[cfg(feature = "parquet")]
pub use released::{MemoryRun, ReleasedTable};
pub use report::{RunReport, TreatedColumn, Unlinked, cost_text, gap, gap_text, seconds_text};
pub use results::Results;
pub use seen::{SeenClasses, read_classes, read_release};
pub use series::{Answer, Series};
pub use shareable::{Optimality, SafeCount, Shareable};
pub use status::Status;
pub use structure::{NearestOfTable, limit_in_words, nearest_of_table, structure_facts};
pub use subjects::{SubjectComparison, SubjectEvidence, is_code};
pub use text::{finished_text, finishing_text, names_text, sets_text, unchanged_text};
pub use threads::on_threads;
pub use trace::{TracePoint, Tracer};
pub use voice::Voice;
pub use warning::Warning;

use saved::saved;
use told::told;
