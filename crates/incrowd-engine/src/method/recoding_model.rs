//! What the releases of an algorithm can look like.
//!
//! Two methods can be compared by cost only with a view to this: whoever may choose among more releases can
//! find a cheaper one. The least cost of a family is no bound for a wider family.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A model of recoding: what the releases of an algorithm can look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RecodingModel {
    /// One hierarchy level for each attribute.
    FullDomain,
    /// One map for each attribute: every value is released the same everywhere.
    SingleDimensional,
    /// Boxes over all attributes, disjoint or not: a value may be released differently beside others.
    Multidimensional,
    /// Single cells blanked, all others as they are.
    CellSuppression,
    /// One map for each attribute, and single cells blanked.
    RecodingWithBlanks,
}

impl RecodingModel {
    /// The families, narrow ones first.
    pub const ALL: [RecodingModel; 5] = [
        RecodingModel::FullDomain,
        RecodingModel::SingleDimensional,
        RecodingModel::Multidimensional,
        RecodingModel::CellSuppression,
        RecodingModel::RecodingWithBlanks,
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            RecodingModel::FullDomain => "full-domain",
            RecodingModel::SingleDimensional => "single-dimensional",
            RecodingModel::Multidimensional => "multidimensional",
            RecodingModel::CellSuppression => "cell-suppression",
            RecodingModel::RecodingWithBlanks => "recoding-with-blanks",
        }
    }

    /// What its releases look like, in a line.
    pub fn about(self) -> &'static str {
        match self {
            RecodingModel::FullDomain => "one hierarchy level for each column",
            RecodingModel::SingleDimensional => {
                "one map for each column: a value is released the same everywhere"
            }
            RecodingModel::Multidimensional => {
                "multidimensional or local: a value may be released differently beside others"
            }
            RecodingModel::CellSuppression => "single cells blanked, all others as they are",
            RecodingModel::RecodingWithBlanks => {
                "one map for each column: a value is released the same everywhere, or blank"
            }
        }
    }
}

impl fmt::Display for RecodingModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
