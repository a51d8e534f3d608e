//! How far suppression moves the shares of categories.
//!
//! For a category v of a column, with n rows of the table's N, and d of them among the D that are suppressed:
//!
//! ```text
//! shift(v) = (n - d) / (N - D)  -  n / N
//! ```
//!
//! No share moves by more than the share of suppressed rows, s = D / N. With p = n / N and q = d / N the shift is
//! `(p s - q) / (1 - s)`. It is largest for q = 0, where p is at most 1 - s: at most s. It is least for the largest q: for p
//! at least s that is s, and the shift is `-s (1 - p) / (1 - s)`, at least -s; for a smaller p everything of the category is
//! gone, and the shift is -p, above -s.

use super::suppressed_values::{SuppressedCounts, SuppressedValues};
use crate::problem::Problem;

/// A column of at most so many values is one of categories.
pub const CATEGORIES: usize = 50;

/// Shares are quotients, which are not exact.
const SLACK: f64 = 1e-9;

/// How far the share of a category moves: its share of the rows that are left minus its share of all rows. Both pairs count
/// rows and those of them that are suppressed. None where no row is left.
pub fn share_shift((rows, suppressed): (u64, u64), (all, gone): (u64, u64)) -> Option<f64> {
    let left = all.checked_sub(gone).filter(|&left| left > 0)?;
    let share = rows.checked_sub(suppressed)? as f64 / left as f64;
    Some(share - rows as f64 / all as f64)
}

/// The share that moves most.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareShift {
    /// The column of the category.
    pub column: String,
    /// How far its share moves, up or down.
    pub size: f64,
}

impl ShareShift {
    /// Whether it is within a limit.
    pub fn is_within(&self, limit: f64) -> bool {
        self.size <= limit + SLACK
    }
}

impl SuppressedCounts {
    /// The farthest that the share of a value moves; none where there are too many values for categories, or no row is left.
    fn farthest(&self) -> Option<f64> {
        if self.rows.iter().filter(|&&rows| rows > 0).count() > CATEGORIES {
            return None;
        }
        let total = (self.rows.iter().sum(), self.suppressed.iter().sum());
        let each = self.rows.iter().zip(&self.suppressed);
        let shifts = each.map(|(&rows, &gone)| Some(share_shift((rows, gone), total)?.abs()));
        shifts.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
    }
}

impl SuppressedValues {
    /// The share that suppression moves most, over the released columns of categories that the problem knows; none where there
    /// is no such column.
    pub fn largest_shift(&self, problem: &Problem) -> Option<ShareShift> {
        let unit = problem.privacy.unit();
        let attributes = problem.attributes.iter().map(|it| &it.name).zip(&self.attributes);
        let targets = problem.targets.columns.iter().map(|it| &it.name).zip(&self.targets);
        let targets = targets.enumerate().filter(|(at, _)| Some(*at) != unit).map(|(_, it)| it);
        let shifts = attributes.chain(targets).filter_map(|(name, counts)| {
            Some(ShareShift { column: name.clone(), size: counts.farthest()? })
        });
        // Of equals the first column.
        shifts.reduce(|one, other| if other.size > one.size { other } else { one })
    }
}
