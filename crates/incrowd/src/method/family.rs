//! What the releases of an algorithm can look like.
//!
//! Two methods can be compared by cost only with a view to this: whoever may choose among more releases can
//! find a cheaper one. The least cost of a family is no bound for a wider family.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Method;

/// A model of recoding: what the releases of an algorithm can look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// One hierarchy level for each attribute.
    FullDomain,
    /// One map for each attribute: every value is released the same everywhere.
    SingleDimensional,
    /// Boxes over all attributes, disjoint or not: a value may be released differently beside others.
    Multidimensional,
    /// Single cells blanked, all others as they are.
    CellSuppression,
}

impl Family {
    /// The families, narrow ones first.
    pub const ALL: [Family; 4] = [
        Family::FullDomain,
        Family::SingleDimensional,
        Family::Multidimensional,
        Family::CellSuppression,
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Family::FullDomain => "full-domain",
            Family::SingleDimensional => "single-dimensional",
            Family::Multidimensional => "multidimensional",
            Family::CellSuppression => "cell-suppression",
        }
    }

    /// What its releases look like, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Family::FullDomain => "one hierarchy level for each column",
            Family::SingleDimensional => {
                "one map for each column: a value is released the same everywhere"
            }
            Family::Multidimensional => {
                "multidimensional or local: a value may be released differently beside others"
            }
            Family::CellSuppression => "single cells blanked, all others as they are",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Method {
    /// What its releases can look like.
    pub fn family(&self) -> Family {
        match self {
            Method::Datafly(_)
            | Method::Samarati(_)
            | Method::MinGen(_)
            | Method::Incognito(_)
            | Method::Lattice(_) => Family::FullDomain,
            Method::BottomUp(_)
            | Method::TopDown(_)
            | Method::Optimal(_)
            | Method::KOptimize(_)
            | Method::Climb(_)
            | Method::Anneal(_)
            | Method::Genetic(_) => Family::SingleDimensional,
            Method::Mondrian(_) | Method::Cluster(_) | Method::BestLocal(_) => {
                Family::Multidimensional
            }
            Method::MuArgus(_) | Method::Cells(_) | Method::Cover(_) | Method::Balanced(_) => {
                Family::CellSuppression
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::method::METHODS;

    /// The family agrees with the kind of recoding that the registry names.
    #[test]
    fn families_agree_with_the_registry() {
        for info in METHODS {
            let kind = match Method::new(info.name, &[]).unwrap().family() {
                Family::FullDomain | Family::SingleDimensional => "global",
                Family::Multidimensional => "local",
                Family::CellSuppression => "cellwise",
            };
            assert!(info.recoding.contains(kind), "{}: {kind}", info.name);
        }
    }
}
