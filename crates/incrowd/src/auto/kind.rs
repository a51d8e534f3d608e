//! What a user chooses instead of a method: the kind of release, and how hard to search for it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::method::Family;

/// What a release looks like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Every class has groups of its own: the least loss.
    #[default]
    Local,
    /// A value is released the same in every row.
    Global,
    /// Every column is released at one level of its hierarchy.
    Levels,
    /// Single cells are blank, all others as they are.
    Cells,
}

impl Kind {
    /// The kinds, the default first.
    pub const ALL: [Kind; 4] = [Kind::Local, Kind::Global, Kind::Levels, Kind::Cells];
    /// Their names, in the same order.
    pub const NAMES: [&'static str; 4] = ["local", "global", "levels", "cells"];

    /// The name on the command line and in spec files.
    pub fn name(self) -> &'static str {
        Kind::NAMES[self as usize]
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What its releases look like, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Kind::Local => "every crowd has ranges and groups of its own: loses least",
            Kind::Global => {
                "the same groups in every row: easy to tabulate and to apply to new rows"
            }
            Kind::Levels => "every column at one level of its hierarchy: easiest to read",
            Kind::Cells => "single cells blank, all others exactly as they were",
        }
    }

    /// The kind of the releases of a family of methods.
    pub fn of(family: Family) -> Self {
        match family {
            Family::Multidimensional => Kind::Local,
            Family::SingleDimensional => Kind::Global,
            Family::FullDomain => Kind::Levels,
            Family::CellSuppression => Kind::Cells,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How hard to search. It is counted in steps, so the result depends neither on the machine nor on its threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// A first answer: a second or two for 100,000 rows.
    Quick,
    /// Some seconds for 100,000 rows.
    #[default]
    Normal,
    /// Several methods and ten times the steps.
    Thorough,
}

impl Effort {
    /// The efforts, least first.
    pub const ALL: [Effort; 3] = [Effort::Quick, Effort::Normal, Effort::Thorough];
    /// Their names, in the same order.
    pub const NAMES: [&'static str; 3] = ["quick", "normal", "thorough"];

    /// The name on the command line and in spec files.
    pub fn name(self) -> &'static str {
        Effort::NAMES[self as usize]
    }

    /// What it means, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Effort::Quick => "a first answer, a second or two for 100,000 rows",
            Effort::Normal => "a good one, some seconds for 100,000 rows",
            Effort::Thorough => "more methods and ten times the steps",
        }
    }

    /// The effort of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Effort::ALL.into_iter().find(|effort| effort.name() == name)
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
