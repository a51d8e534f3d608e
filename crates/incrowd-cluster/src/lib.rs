//! Runs whose rows lie elsewhere, in many parts: they are counted, recoded and verified where they are.
//!
//! A run goes in steps, and what passes between them travels as bytes. [`DistributedRun`] is a question put to a table of which
//! only the columns are known. Its [`ReadingPlan`] goes to the rows, and [`PartialCounts`] comes back from every part and is
//! merged. From it [`DistributedRun::solve`] makes a [`SolvedRun`], refusing all that a run on one machine refuses. Its
//! [`RowRecoder`] goes to the rows, which must be those that were counted. Of what was written [`PartialVerification`] is made, again
//! part by part, and [`SolvedRun::finish`] judges it and tells of the run. Nothing grows with the rows here.
//!
//! Where the combinations are too many for one place they stay where the rows are: [`CombinationCounter`] counts them,
//! [`MarginalCounts`] of them come here, [`PartitionTree`] part the table into blocks, and each block is [solved](DistributedRun::solve_block) by
//! itself.
//!
//! Runs are those of [`incrowd_run`], through its [back ends](incrowd_run::backend): the same pipeline and the same checks.

mod block_facts;
mod blocks;
mod column_tally;
mod combinations;
mod counted_table;
mod distributed_run;
mod hash_sample;
mod kept_rows;
mod messages;
mod parcels;
mod partial_counts;
mod partial_verification;
mod partition_tree;
mod reading_plan;
mod recoder;
mod recoding_message;
mod released_rows;
mod row_checksum;
mod solved_run;
mod table;
mod text_source;
mod transform_inputs;

pub use block_facts::BlockFacts;
pub use column_tally::ColumnTally;
pub use combinations::{CombinationCounter, MarginalCounts, ROWS_COLUMN, value_column};
pub use counted_table::CountedTable;
pub use distributed_run::DistributedRun;
pub use parcels::{ParcelBuffer, RowParcel};
pub use partial_counts::PartialCounts;
pub use partial_verification::{PartialVerification, VerificationPlan};
pub use partition_tree::{BlockCounts, PartitionTree};
pub use reading_plan::ReadingPlan;
pub use recoder::{ORDER_COLUMN, PartBatch, PartRows, RowRecoder, UNIT_COLUMN};
pub use released_rows::ReleasedRows;
pub use row_checksum::RowChecksum;
pub use solved_run::SolvedRun;
pub use transform_inputs::TransformInputs;
