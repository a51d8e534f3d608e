//! Values: how a column's values are read and ordered, the trees over them, the groups that stand for them in
//! a release, and what a group is called there.

mod arrange;
mod attribute;
mod coding;
mod date;
mod decimal;
mod detect;
mod domain;
mod group;
mod hierarchy;
mod known;
mod label;
mod missing;
mod number;
mod ready;
mod rounding;
mod rule;
mod scale;
mod set;
mod spelling;
mod treatment;

pub use attribute::{ArgusSet, Attribute, LevelLimits, Summary};
pub(crate) use coding::dates_among;
pub use coding::{Bins, Coding, DomainRule, Kind};
pub use date::{
    DateFormat, DateReadings, DateScale, DateUnit, Dates, FoundDates, Moment, Reading, YEAR_PIVOT,
    check_units, civil_of, detect_dates, parse_day, read_dates, show_day,
};
pub use decimal::Decimal;
pub use detect::{Detected, Readings, decimal_sign, detect};
pub use domain::Domain;
pub use group::{BLANK, Group, Groups};
pub use hierarchy::{Hierarchy, HierarchyFault, Nested};
pub(crate) use known::KnownValues;
pub use label::LONGEST_LABEL;
pub use missing::{MISSING_SHOWN, MISSING_TOKENS, is_missing, shown_value};
pub use number::{NumberFormat, parse_number, show_number};
pub use ready::Ready;
pub use rounding::Ranges;
pub use rule::HierarchyRule;
pub use scale::{Bounds, Scale};
pub use spelling::spelling;
pub use treatment::{Treater, Treatment};
