//! In which columns every row needs a crowd: all of them, or every set of a few.

use crate::privacy::sets;
use crate::problem::Problem;

/// The sets of columns in which at least k rows must be the same as each row.
pub(crate) struct CrowdRule {
    pub(super) k: u64,
    /// The columns of each set, as a mask.
    pub(super) sets: Vec<u64>,
}

impl CrowdRule {
    /// All columns together, or every set of as many as somebody may know. Fewer columns have larger crowds.
    pub(super) fn of(problem: &Problem) -> Self {
        let width = problem.attributes.len();
        let columns = problem.privacy.known.map_or(width, |known| known.columns);
        let mask = |set: Vec<usize>| set.into_iter().map(|at| 1u64 << at).sum();
        CrowdRule {
            k: problem.privacy.least_crowd(),
            sets: sets(width, columns).into_iter().map(mask).collect(),
        }
    }

    /// Whether all columns are looked at together.
    pub(super) fn is_whole(&self) -> bool {
        self.sets.len() == 1
    }
}
