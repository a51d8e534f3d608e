//! Values: how a column's values are read and ordered, the trees over them, the groups that stand for them in
//! a release, and what a group is called there.

mod attribute;
mod domain;
mod group;
mod hierarchy;
mod label;
mod number;
mod ready;
mod rule;

pub use attribute::{ArgusSet, Attribute, BLANK, LevelLimits, Summary};
pub use domain::{
    Bins, Coding, Domain, DomainRule, Kind, MISSING_SHOWN, MISSING_TOKENS, is_missing, shown_value,
};
pub use group::{Group, Groups};
pub use hierarchy::{Hierarchy, HierarchyFault, Nested};
pub use label::LONGEST_LABEL;
pub use number::{parse_number, show_number};
pub use ready::Ready;
pub use rule::{DateUnit, HierarchyRule};
