//! What others know of a row beside its quasi-identifiers: the values of the columns that narrow classes.

use super::Problem;

/// For each joint target what is known of its rows.
#[derive(Debug, Clone)]
pub(crate) struct NarrowingValues {
    /// The number of the combination of values that narrow classes, by joint target.
    of_target: Vec<u32>,
}

impl NarrowingValues {
    /// The combination that the rows of a joint target have.
    #[inline]
    pub(crate) fn of(&self, target: u32) -> u32 {
        self.of_target[target as usize]
    }
}

impl Problem {
    /// What narrows classes, if anything does.
    pub(crate) fn narrowing_values(&self) -> Option<NarrowingValues> {
        Some(NarrowingValues { of_target: self.targets.narrowing_of_targets()? })
    }
}
