//! From a spec to a run that can start.

pub(crate) mod declaration;
pub(crate) mod finishing;
pub(crate) mod from_spec;
pub(crate) mod guessed_roles;
pub(crate) mod hierarchies;
pub(crate) mod interface;
pub(crate) mod job;
pub(crate) mod opening;
pub(crate) mod ranges;
pub(crate) mod run_plan;
pub(crate) mod threads;
pub(crate) mod warning;

pub use finishing::{FinishingPlan, FinishingResult};
pub use guessed_roles::{GuessedRole, guess_from};
pub use hierarchies::{HierarchyRow, load_hierarchy, parse_hierarchy_rows, read_hierarchy_rows};
pub use ranges::{RangeEnds, ends_text};
