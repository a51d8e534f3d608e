//! Data as the engine sees it: columns of codes, ordered domains, hierarchies, cells.

mod cells;
mod counter;
mod dictionary;
mod domain;
mod hierarchy;
mod number;
mod rule;
#[allow(clippy::module_inception, reason = "the type is the module's subject")]
mod table;

pub use cells::{CellIndex, Cells, Codes, Counts, UNSEEN};
pub(crate) use cells::{Gathered, JointIndex};
pub use counter::CellCounter;
pub use dictionary::Dictionary;
pub(crate) use domain::range_label;
pub use domain::{Bins, Coding, Domain, DomainRule, Kind, MISSING_TOKENS};
pub use hierarchy::{Hierarchy, HierarchyFault, Nested};
pub use number::parse_number;
pub(crate) use number::show_number;
pub use rule::{DateUnit, HierarchyRule};
pub use table::{Column, Table};
