//! Tables as the engine sees them: columns of dictionary codes, and the distinct combinations with their counts.

mod cells;
mod codebook;
mod counter;
mod counts;
mod dictionary;
#[allow(clippy::module_inception, reason = "the type is the module's subject")]
mod table;
mod value;

pub use cells::{CellIndex, Cells, Codes, UNSEEN};
pub(crate) use cells::{Gathered, JointIndex};
pub use codebook::Codebook;
pub use counter::CellCounter;
pub use counts::Counts;
pub use dictionary::Dictionary;
pub use table::{Column, Table};
pub use value::Value;
