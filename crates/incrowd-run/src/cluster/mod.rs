//! Runs whose rows lie elsewhere, in many parts: they are counted, recoded and verified where they are.
//!
//! A run goes in steps, and what passes between them travels as bytes. [`Apart`] is a question put to a table of which
//! only the columns are known. Its [`Reading`] goes to the rows, and [`Counted`] comes back from every part and is
//! merged. From it [`Apart::solve`] makes a [`Solved`], refusing all that a run on one machine refuses. Its
//! [`RowRecoder`] goes to the rows, which must be those that were counted. Of what was written [`Checked`] is made, again
//! part by part, and [`Solved::finish`] judges it and tells of the run. Nothing grows with the rows here.
//!
//! Where the combinations are too many for one place they stay where the rows are: [`Combinations`] counts them,
//! [`Margins`] of them come here, [`Cuts`] part the table into blocks, and each block is [solved](Apart::solve_block) by
//! itself.

mod block_facts;
mod blocks;
mod checked;
mod combinations;
mod counted;
mod cuts;
mod kept;
mod parcels;
mod question;
mod reading;
mod recoder;
mod recoding;
mod sent;
mod solved;
mod sums;
mod table;
mod texts;
mod thinned;
mod treating;

pub use block_facts::BlockFacts;
pub use checked::{Checked, Checking};
pub use combinations::{Combinations, Margins, ROWS_COLUMN, value_column};
pub use counted::Counted;
pub use cuts::{BlockCounts, Cuts};
pub use parcels::{Parcel, Parcels};
pub use question::Apart;
pub use reading::Reading;
pub use recoder::{ORDER_COLUMN, PartBatch, PartRows, RowRecoder, UNIT_COLUMN};
pub use solved::Solved;
pub use sums::Sum;
pub use treating::Treating;
