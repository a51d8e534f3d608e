//! How the values of a column are generalized: a file or a rule.

use std::path::PathBuf;

use incrowd_engine::value::DateUnit;

use super::builtin_hierarchy::BuiltinHierarchy;
use super::choices::named;

/// How the values of a column are generalized.
#[derive(Debug, Clone, PartialEq)]
pub enum Hierarchy {
    /// A file, relative to the spec: ARX's CSV form, or a .toml file that holds a rule. Or one of the words prefix,
    /// countries, icd10, ip and email; a file of such a name is written "./countries".
    File(PathBuf),
    /// A rule.
    Rule(HierarchyRule),
}

/// A hierarchy in words, in a spec or in a TOML file of its own. Exactly one of the rules.
#[derive(Debug, Clone, PartialEq)]
pub enum HierarchyRule {
    /// Numbers in intervals that get wider level by level.
    Intervals {
        /// The width of each level; each a multiple of the one before.
        intervals: Vec<f64>,
        /// Where one interval of every level starts. Default: 0.
        start: f64,
    },
    /// Codes (such as ZIP codes) that lose characters at their end level by level.
    Prefix {
        /// How many characters the levels keep, such as [4, 3, 2]; `true` masks one more per
        /// level.
        prefix: PrefixLengths,
    },
    /// Dates in ever longer periods.
    Date {
        /// The period of each level, from shorter to longer.
        date: Vec<DatePeriod>,
    },
    /// Values in named groups, in order.
    Groups {
        /// The groups.
        groups: Vec<ValueGroup>,
    },
    /// Groups within groups, down to lists of values.
    Tree {
        /// The groups at the top by name. With more than one of them the root `*` is above them.
        tree: Vec<TreeGroup>,
    },
    /// A row for each value, as in ARX's CSV form: the value, then its groups from the narrowest to the widest.
    Rows {
        /// The rows, all of one length.
        rows: Vec<Vec<String>>,
    },
    /// A hierarchy that is ready to use.
    Ready {
        /// Which one.
        ready: BuiltinHierarchy,
        /// The name of a group for values that it does not cover. Default: they are an error.
        other: Option<String>,
    },
}

/// How many characters the levels of a prefix hierarchy keep.
#[derive(Debug, Clone, PartialEq)]
pub enum PrefixLengths {
    /// One fewer per level.
    Every,
    /// So many, from the lowest level to the highest, falling.
    Kept(Vec<u32>),
}

named! {
    /// A period of time, for hierarchies of dates.
    #[derive(PartialOrd)]
    pub enum DatePeriod("period") as incrowd_engine::value::DateUnit {
        /// A second.
        Second = "second" => Second,
        /// A minute.
        Minute = "minute" => Minute,
        /// An hour.
        Hour = "hour" => Hour,
        /// A day, for times.
        Day = "day" => Day,
        /// Monday to Sunday. It lies in no single month or year, so nothing can follow it.
        Week = "week" => Week,
        /// A calendar month.
        Month = "month" => Month,
        /// Three months.
        Quarter = "quarter" => Quarter,
        /// A calendar year.
        Year = "year" => Year,
        /// Ten years, the first of which ends in 0.
        Decade = "decade" => Decade,
    }
}

impl From<DateUnit> for DatePeriod {
    fn from(unit: DateUnit) -> Self {
        match unit {
            DateUnit::Second => DatePeriod::Second,
            DateUnit::Minute => DatePeriod::Minute,
            DateUnit::Hour => DatePeriod::Hour,
            DateUnit::Day => DatePeriod::Day,
            DateUnit::Week => DatePeriod::Week,
            DateUnit::Month => DatePeriod::Month,
            DateUnit::Quarter => DatePeriod::Quarter,
            DateUnit::Year => DatePeriod::Year,
            DateUnit::Decade => DatePeriod::Decade,
        }
    }
}

/// A named group of values.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueGroup {
    /// What the group is called in the release.
    pub name: String,
    /// The values in it, in order.
    pub values: Vec<String>,
}

/// A group in a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeGroup {
    /// What the group is called in the release.
    pub name: String,
    /// What is in it.
    pub members: GroupMembers,
}

/// What is in a group of a tree.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupMembers {
    /// Further groups by name.
    Groups(Vec<TreeGroup>),
    /// Values, in order.
    Values(Vec<String>),
}
