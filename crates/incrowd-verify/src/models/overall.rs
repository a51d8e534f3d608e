//! What classes and the whole table hold of a sensitive column.

/// The distribution of a sensitive column over the whole table, by value.
pub(crate) struct OverallDistribution {
    pub(crate) counts: Vec<u64>,
    pub(crate) total: u64,
}

impl OverallDistribution {
    pub(crate) fn new(counts: Vec<u64>) -> Self {
        let total = counts.iter().sum();
        OverallDistribution { counts, total }
    }

    /// A value's share of the class divided by its share of the table.
    pub(super) fn ratio(&self, value: u32, count: u64, size: u64) -> f64 {
        let here = count as f64 * self.total as f64;
        here / (size as f64 * self.counts[value as usize] as f64)
    }

    pub(super) fn share(&self, value: u32) -> f64 {
        self.counts[value as usize] as f64 / self.total as f64
    }
}

/// The sensitive values of a class with their counts, in any order.
pub(crate) type Histogram = [(u32, u64)];
