//! How evenly a search lets blanks lie over columns and rows.

use super::{BlankingContext, RowGrouping};
use crate::release::spread;

/// What is balanced: first the spread over columns, then the most blanks in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlankBalance {
    pub(crate) columns: u64,
    pub(crate) row: u64,
}

impl BlankBalance {
    /// That of blanks per column and rows per number of blanks.
    pub(crate) fn new(columns: &[u64], rows: &[u32]) -> Self {
        let row = rows.iter().rposition(|&rows| rows > 0).unwrap_or(0) as u64;
        BlankBalance { columns: spread(columns), row }
    }

    /// No blanks of this cost lie more evenly over so many rows.
    pub(crate) fn least(weights: &[f64], rows: u64, cost: f64) -> Self {
        let even = weights.iter().all(|weight| *weight == weights[0]);
        if !even {
            return BlankBalance { columns: 0, row: 0 };
        }
        let blanks = (cost / weights[0]).round() as u64;
        let columns = u64::from(!blanks.is_multiple_of(weights.len() as u64));
        BlankBalance { columns, row: blanks.div_ceil(rows) }
    }

    pub(crate) fn of(ground: &BlankingContext<'_>, grouping: &RowGrouping) -> Self {
        let width = ground.columns();
        let mut columns = vec![grouping.out.len() as u64; width];
        let mut row = if grouping.out.is_empty() { 0 } else { width as u64 };
        for group in &grouping.groups {
            let mut blank = 0;
            for at in ground.differing(group) {
                columns[at] += group.len() as u64;
                blank += 1;
            }
            row = row.max(blank);
        }
        BlankBalance { columns: spread(&columns), row }
    }
}
