//! The class and sensitive columns, which models and the classification metric look at.

use crate::privacy::Tally;
use crate::table::JointIndex;
use crate::value::Domain;

/// A class or sensitive column.
#[derive(Debug, Clone)]
pub struct TargetColumn {
    /// The column's name.
    pub name: String,
    /// Its ordered values.
    pub domain: Domain,
}

/// The class and sensitive columns. A *joint target* is a combination of their values; cells and
/// classes count joint targets, each model looks at one column of them.
#[derive(Debug, Clone, Default)]
pub struct Targets {
    /// The columns.
    pub columns: Vec<TargetColumn>,
    pub(super) joint: Vec<u32>,
    pub(super) index: JointIndex,
}

impl Targets {
    /// The codes of a joint target, one per column.
    #[inline]
    pub fn of(&self, target: u32) -> &[u32] {
        let width = self.columns.len();
        &self.joint[target as usize * width..(target as usize + 1) * width]
    }

    /// The joint target with these codes.
    pub fn find(&self, codes: &[u32]) -> Option<u32> {
        self.index.get(codes).copied()
    }

    /// An empty tally over these columns.
    pub fn tally(&self) -> Tally {
        Tally::new(&self.columns.iter().map(|column| column.domain.len()).collect::<Vec<_>>())
    }
}
