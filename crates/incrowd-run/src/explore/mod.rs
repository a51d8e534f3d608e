//! Questions about many releases, none of which is written.

pub(crate) mod frontier;
pub(crate) mod hierarchy_tools;
pub(crate) mod series;
pub(crate) mod structure;
pub(crate) mod trial;

pub use frontier::{FrontierAnswers, FrontierRequest};
pub use hierarchy_tools::{
    BuiltHierarchy, ColumnSource, HierarchyCheck, build_hierarchy, check_hierarchy,
};
pub use series::{ParameterSweep, SweepAnswer};
pub use structure::{TableStructure, limit_in_words, nearest_of_table, structure_facts};
pub use trial::{Trial, TrialTable};
