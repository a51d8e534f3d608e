//! What a user chooses instead of a method: the kind of release, and how hard to search for it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::method::RecodingModel;

/// What a release looks like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseKind {
    /// Every class has groups of its own: the least loss.
    #[default]
    Local,
    /// A value is released the same in every row.
    Global,
    /// Every column is released at one level of its hierarchy.
    Levels,
    /// Single cells are blank, all others as they are.
    Cells,
    /// A value is released the same in every row, or blank.
    Mixed,
}

impl ReleaseKind {
    /// The kinds, the default first.
    pub const ALL: [ReleaseKind; 5] = [
        ReleaseKind::Local,
        ReleaseKind::Global,
        ReleaseKind::Levels,
        ReleaseKind::Cells,
        ReleaseKind::Mixed,
    ];
    /// Their names, in the same order.
    pub const NAMES: [&'static str; 5] = ["local", "global", "levels", "cells", "mixed"];

    /// The name on the command line and in spec files.
    pub fn name(self) -> &'static str {
        ReleaseKind::NAMES[self as usize]
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        ReleaseKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What its releases look like, in a line.
    pub fn about(self) -> &'static str {
        match self {
            ReleaseKind::Local => "every crowd has ranges and groups of its own: loses least",
            ReleaseKind::Global => {
                "the same groups in every row: easy to tabulate and to apply to new rows"
            }
            ReleaseKind::Levels => "every column at one level of its hierarchy: easiest to read",
            ReleaseKind::Cells => "single cells blank, all others exactly as they were",
            ReleaseKind::Mixed => "the same groups in every row, and single cells blank",
        }
    }

    /// The kind of the releases of a family of methods.
    pub fn of(family: RecodingModel) -> Self {
        match family {
            RecodingModel::Multidimensional => ReleaseKind::Local,
            RecodingModel::SingleDimensional => ReleaseKind::Global,
            RecodingModel::FullDomain => ReleaseKind::Levels,
            RecodingModel::CellSuppression => ReleaseKind::Cells,
            RecodingModel::RecodingWithBlanks => ReleaseKind::Mixed,
        }
    }
}

impl fmt::Display for ReleaseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How hard to search. It is counted in steps, so the result depends neither on the machine nor on its threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchEffort {
    /// A first answer: a second or two for 100,000 rows.
    Quick,
    /// Some seconds for 100,000 rows.
    #[default]
    Normal,
    /// Several methods and ten times the steps.
    Thorough,
}

impl SearchEffort {
    /// The efforts, least first.
    pub const ALL: [SearchEffort; 3] =
        [SearchEffort::Quick, SearchEffort::Normal, SearchEffort::Thorough];
    /// Their names, in the same order.
    pub const NAMES: [&'static str; 3] = ["quick", "normal", "thorough"];

    /// The name on the command line and in spec files.
    pub fn name(self) -> &'static str {
        SearchEffort::NAMES[self as usize]
    }

    /// What it means, in a line.
    pub fn about(self) -> &'static str {
        match self {
            SearchEffort::Quick => "a first answer, a second or two for 100,000 rows",
            SearchEffort::Normal => "a good one, some seconds for 100,000 rows",
            SearchEffort::Thorough => "more methods and ten times the steps",
        }
    }

    /// The effort of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        SearchEffort::ALL.into_iter().find(|effort| effort.name() == name)
    }
}

impl fmt::Display for SearchEffort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
