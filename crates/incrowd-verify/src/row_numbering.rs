//! The numbers of rows, also where a table comes in parts.

use crate::error::{Error, InputTable, Result};

/// More rows than this are refused: products of counts, summed over all values, then stay within 127
/// bits, and every count is exact as a double.
pub(crate) const MOST: u64 = 1 << 47;

/// The rows of a table so far, by parts in the order of their numbers. Rows are numbered from 1
/// through all parts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowNumbering {
    total: u64,
    /// The number of each part and how many rows it has; never empty.
    parts: Vec<(u64, u64)>,
}

impl RowNumbering {
    pub(crate) fn of_part(number: u64) -> Self {
        RowNumbering { total: 0, parts: vec![(number, 0)] }
    }

    /// From parts with their rows, if these could have been collected.
    pub(crate) fn of_parts(parts: Vec<(u64, u64)>) -> Option<Self> {
        let total = parts.iter().try_fold(0_u64, |sum, &(_, rows)| sum.checked_add(rows))?;
        let ascending = parts.windows(2).all(|pair| pair[0].0 < pair[1].0);
        (total <= MOST && ascending && !parts.is_empty()).then_some(RowNumbering { total, parts })
    }

    pub(crate) fn parts(&self) -> &[(u64, u64)] {
        &self.parts
    }

    #[inline]
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The number of the first of `count` rows that follow all others; they count only once they
    /// are [added](Self::add).
    #[inline]
    pub(crate) fn next(&self, count: u64, table: InputTable) -> Result<u64> {
        if count > MOST - self.total { Err(Error::TooManyRows(table)) } else { Ok(self.total + 1) }
    }

    /// Counts rows that follow all others.
    #[inline]
    pub(crate) fn add(&mut self, count: u64) {
        self.total += count;
        if let Some((_, rows)) = self.parts.last_mut() {
            *rows += count;
        }
    }

    /// Takes up the parts of another table. Rows of one part follow each other in the order of the
    /// calls. Returns how the rows known so far and those of the other are numbered from now on.
    pub(crate) fn merge(
        &mut self,
        other: &RowNumbering,
        table: InputTable,
    ) -> Result<(RowRenumbering, RowRenumbering)> {
        self.next(other.total, table)?;
        let (mut ours, mut theirs) = (RowRenumbering::default(), RowRenumbering::default());
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let mut left = self.parts.iter().peekable();
        let mut right = other.parts.iter().peekable();
        let mut start = 0;
        loop {
            let next = [left.peek(), right.peek()];
            let Some(number) = next.iter().flatten().map(|part| part.0).min() else { break };
            let mut part = (number, 0);
            for (side, shifts) in [(&mut left, &mut ours), (&mut right, &mut theirs)] {
                if let Some(&(_, rows)) = side.next_if(|&&(own, _)| own == number) {
                    shifts.push(rows, start);
                    start += rows;
                    part.1 += rows;
                }
            }
            parts.push(part);
        }
        *self = RowNumbering { total: start, parts };
        Ok((ours, theirs))
    }
}

/// How rows are numbered anew: stretches of rows keep together and move back.
#[derive(Default)]
pub(crate) struct RowRenumbering {
    /// The last row of each stretch as it was numbered, and by how much the stretch moves.
    stretches: Vec<(u64, u64)>,
}

impl RowRenumbering {
    fn push(&mut self, rows: u64, start: u64) {
        let before = self.stretches.last().map_or(0, |&(last, _)| last);
        self.stretches.push((before + rows, start - before));
    }

    /// Whether every row keeps its number.
    pub(crate) fn is_none(&self) -> bool {
        self.stretches.iter().all(|&(_, shift)| shift == 0)
    }

    /// The new number of a row.
    pub(crate) fn of(&self, row: u64) -> u64 {
        let at = self.stretches.partition_point(|&(last, _)| last < row);
        row + self.stretches.get(at).map_or(0, |&(_, shift)| shift)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn rows_of_parts_follow_each_other_by_number() {
        let mut first = RowNumbering::of_part(7);
        first.add(3);
        let mut second = RowNumbering::of_part(2);
        second.add(10);
        let (ours, theirs) = first.merge(&second, InputTable::Release).unwrap();
        assert!(theirs.is_none());
        assert_eq!((ours.of(1), ours.of(3), theirs.of(10)), (11, 13, 10));
        assert_eq!(first.parts(), [(2, 10), (7, 3)]);
        let mut third = RowNumbering::of_part(2);
        third.add(5);
        let (ours, theirs) = first.merge(&third, InputTable::Release).unwrap();
        assert_eq!((ours.of(10), ours.of(11), theirs.of(1)), (10, 16, 11));
        assert_eq!(first.total(), 18);
    }

    #[test]
    fn too_many_rows_are_refused() {
        let mut rows = RowNumbering::of_part(0);
        assert!(rows.next(MOST, InputTable::Release).is_ok());
        rows.add(MOST);
        assert!(rows.next(1, InputTable::Release).is_err());
        assert!(rows.clone().merge(&rows, InputTable::Release).is_err());
        assert_eq!(RowNumbering::of_parts(vec![(0, u64::MAX), (1, 1)]), None);
        assert_eq!(RowNumbering::of_parts(vec![(1, 1), (1, 1)]), None);
    }
}
