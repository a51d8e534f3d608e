//! Tables as the engine sees them: columns of dictionary codes, and the distinct combinations with their counts.

mod cells;
mod counter;
mod dictionary;
#[allow(clippy::module_inception, reason = "the table itself")]
mod table;

pub use cells::{CellIndex, Cells, Codes, Counts, UNSEEN};
pub(crate) use cells::{Gathered, JointIndex};
pub use counter::CellCounter;
pub use dictionary::Dictionary;
pub use table::{Column, Table};
