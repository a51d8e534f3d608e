//! Non-uniform entropy.
//!
//! **What it does**: the sum over rows and attributes of -log2 P(original value | released value), with
//! probabilities from the original column: the bits needed to restore the values.
//! **Cost**: separable: log2 of the rows that a released group covers, less log2 of the rows with the
//! original value; the second sum does not depend on the release.
//! **Example**: a value held by 1 row in 4 costs 2 bits when it is blanked.
//! **Reference**: Gionis and Tassa, *k-Anonymization with Minimal Loss of Information* (2009).

use crate::value::{Attribute, Group};

/// Prices groups of one attribute by the original column.
pub(crate) struct EntropyPricing {
    marginal: Vec<u64>,
    /// Rows with a code below the index.
    below: Vec<u64>,
}

impl EntropyPricing {
    pub(crate) fn new(marginal: Vec<u64>) -> Self {
        let mut below = vec![0];
        for (at, &count) in marginal.iter().enumerate() {
            below.push(below[at] + count);
        }
        EntropyPricing { marginal, below }
    }

    /// log2 of the original rows that a group covers.
    pub(crate) fn group(&self, attribute: &Attribute, group: &Group) -> f64 {
        let covered: u64 = match group {
            Group::Set(codes) => codes.iter().map(|&code| self.marginal[code as usize]).sum(),
            other => {
                let (first, last) = attribute.span(other);
                self.below[last as usize + 1] - self.below[first as usize]
            }
        };
        log2(covered)
    }

    /// The same for a value that is not released.
    pub(crate) fn everything(&self) -> f64 {
        log2(self.below[self.marginal.len()])
    }

    /// The sum over rows of log2 of the rows with the same original value.
    pub(crate) fn original(&self) -> f64 {
        self.marginal.iter().map(|&count| count as f64 * log2(count)).sum()
    }
}

fn log2(count: u64) -> f64 {
    (count.max(1) as f64).log2()
}
