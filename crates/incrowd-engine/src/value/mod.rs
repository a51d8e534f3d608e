//! Values: how a column's values are read and ordered, the trees over them, the groups that stand for them in
//! a release, and what a group is called there.

mod attribute;
mod builtin;
mod coding;
mod date;
mod decimal;
mod detect;
mod domain;
mod fixed_list;
mod group;
mod hierarchy;
mod known_values;
mod label;
mod label_cover;
mod leaf_order;
mod missing;
mod number;
mod rounding;
mod rule;
mod scale;
mod set;
mod spelling;
mod transform;

pub use attribute::{ArgusSet, Attribute, ClassSummary, LevelLimits};
pub use builtin::BuiltinHierarchy;
pub(crate) use coding::dates_among;
pub use coding::{Bins, DomainCoding, DomainKind, DomainRule};
pub use date::{
    DateColumn, DateFormat, DateReadings, DateScale, DateUnit, DetectedDates, Moment, ParsedDate,
    YEAR_PIVOT, check_units, civil_of, detect_dates, parse_day, read_dates, show_day,
};
pub use decimal::Decimal;
pub use detect::{DetectedNumbers, NumberReadings, decimal_sign, detect};
pub use domain::Domain;
pub use group::{BLANK, Group, GroupSet};
pub use hierarchy::{Hierarchy, HierarchyFault, NestedHierarchy};
pub(crate) use known_values::KnownValues;
pub use missing::{MISSING_SHOWN, MISSING_TOKENS, is_missing, shown_value};
pub use number::{NumberFormat, parse_number, show_number};
pub use rounding::RangeRounding;
pub use rule::HierarchyRule;
pub use scale::{Scale, ValueBounds};
pub use set::LONGEST_LABEL;
pub use spelling::spelling;
pub use transform::{ColumnTransform, FittedTransform};
