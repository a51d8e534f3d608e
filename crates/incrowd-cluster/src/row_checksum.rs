//! Whether a part of a table is the same when it is read again.

use incrowd_assess::expose::{pair_hash, value_hash};
use incrowd_run::Error;
use serde::{Deserialize, Serialize};

/// What is remembered of the rows of a part: how many there are, a sum that does not depend on their order, and one
/// that does. Against chance and changed data, not against somebody who wants them to be equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowChecksum {
    /// How many rows there are.
    pub rows: u64,
    pub(super) content: (u64, u64),
    pub(super) order: u64,
}

impl RowChecksum {
    /// Takes a row: the hashes of its values.
    #[inline]
    pub(super) fn add(&mut self, row: u64) {
        self.rows += 1;
        self.content.0 = self.content.0.wrapping_add(row);
        self.content.1 = self.content.1.wrapping_add(pair_hash(row, 0xc0_47e7));
        self.order = pair_hash(self.order ^ row, self.rows);
    }

    /// Takes so many equal rows; their order does not matter any more.
    pub(super) fn add_many(&mut self, row: u64, times: u64) {
        self.rows = self.rows.wrapping_add(times);
        self.content.0 = self.content.0.wrapping_add(row.wrapping_mul(times));
        let other = pair_hash(row, 0xc0_47e7).wrapping_mul(times);
        self.content.1 = self.content.1.wrapping_add(other);
        self.order = 0;
    }

    /// Whether the rows are the same, in whatever order.
    pub(super) fn same_rows(&self, other: &RowChecksum) -> bool {
        (self.rows, self.content) == (other.rows, other.content)
    }

    /// Adds the rows of another part; their order is lost.
    pub(super) fn merge(&mut self, other: &RowChecksum) {
        self.rows = self.rows.wrapping_add(other.rows);
        self.content.0 = self.content.0.wrapping_add(other.content.0);
        self.content.1 = self.content.1.wrapping_add(other.content.1);
        self.order = 0;
    }
}

/// The hash of a row's values.
#[inline]
pub(super) fn row_hash<'v>(values: impl Iterator<Item = &'v str>) -> u64 {
    combined(values.map(value_hash))
}

/// The hash of a row from those of its values.
#[inline]
pub(super) fn combined(hashes: impl Iterator<Item = u64>) -> u64 {
    hashes.zip(1..).fold(0, |all, (hash, at)| pair_hash(all ^ hash, at))
}

/// A part that is not the one that was counted.
pub(super) fn differs() -> Error {
    Error::new("the table changed between two reads, or its parts differ from read to read")
        .help("write the table to files and anonymize those, or try again when nothing changes it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(rows: &[&[&str]]) -> RowChecksum {
        let mut sum = RowChecksum::default();
        rows.iter().for_each(|row| sum.add(row_hash(row.iter().copied())));
        sum
    }

    #[test]
    fn rows_in_another_order_are_the_same_rows() {
        let (one, other) = (sum(&[&["a", "b"], &["c", ""]]), sum(&[&["c", ""], &["a", "b"]]));
        assert!(one.same_rows(&other) && one != other);
        let mut merged = sum(&[&["a", "b"]]);
        merged.merge(&sum(&[&["c", ""]]));
        assert!(merged.same_rows(&one));
    }

    #[test]
    fn other_rows_are_not() {
        let one = sum(&[&["a", "b"], &["c", ""]]);
        for other in [
            sum(&[&["a", "b"]]),
            sum(&[&["a", "b"], &["c", "d"]]),
            sum(&[&["b", "a"], &["c", ""]]),
            sum(&[&["a", ""], &["c", "b"]]),
            sum(&[&["a", "b"], &["c", ""], &["c", ""]]),
        ] {
            assert!(!one.same_rows(&other));
        }
    }
}
