//! The class and sensitive columns, which models and the classification metric look at.

use crate::privacy::Tally;
use crate::table::JointIndex;
use crate::value::Domain;

/// A class or sensitive column.
#[derive(Debug, Clone)]
pub struct LabelColumn {
    /// The column's name.
    pub name: String,
    /// Its ordered values.
    pub domain: Domain,
}

/// The class and sensitive columns. A *joint label* is a combination of their values; cells and
/// classes count joint labels, each model looks at one column of them.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    /// The columns.
    pub columns: Vec<LabelColumn>,
    pub(super) joint: Vec<u32>,
    pub(super) index: JointIndex,
}

impl Labels {
    /// The codes of a joint label, one per column.
    #[inline]
    pub fn of(&self, label: u32) -> &[u32] {
        let width = self.columns.len();
        &self.joint[label as usize * width..(label as usize + 1) * width]
    }

    /// The joint label with these codes.
    pub fn find(&self, codes: &[u32]) -> Option<u32> {
        self.index.get(codes).copied()
    }

    /// An empty tally over these columns.
    pub fn tally(&self) -> Tally {
        Tally::new(&self.columns.iter().map(|column| column.domain.len()).collect::<Vec<_>>())
    }
}
