//! Which rows go into which class.
//!
//! Where all rows of a combination go one way, the combination decides. Where they are dealt out, a *quota* says
//! how many rows of a combination and target go into each class, and a row's *number* among its likes decides:
//! rows 0 to q - 1 fill the first quota, and so on. So parts of a table can be dealt apart from each other, in any
//! order, if each part knows how many of each kind came before it ([`RowCounts`]).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::classes::ClassAssignment;
use super::{Release, SuppressionMode};
use crate::kit::{Error, Result};
use crate::recoding::{OUTSIDE, ProfileShare};

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowDisposition {
    /// It is released with the labels of a class.
    Class(u32),
    /// It is released with every quasi-identifier blank.
    Blank,
    /// It is not released.
    Dropped,
}

impl Release {
    fn disposition(&self, class: u32) -> RowDisposition {
        if class == OUTSIDE {
            RowDisposition::Dropped
        } else if self.classes.released[class as usize] {
            RowDisposition::Class(class)
        } else {
            match self.suppressed {
                SuppressionMode::Drop => RowDisposition::Dropped,
                SuppressionMode::Blank => RowDisposition::Blank,
            }
        }
    }

    /// Whether rows of one combination may go different ways.
    pub fn deals_rows(&self) -> bool {
        matches!(self.classes.assignment, ClassAssignment::Shares(_))
    }

    /// What becomes of row number `number` (from 0) of a profile and target; the target and the number matter only
    /// where rows are [dealt out](Self::deals_rows). Beyond the last quota a row is dropped: nobody has counted it.
    pub fn disposition_of(&self, cell: u32, target: u32, number: u64) -> RowDisposition {
        match &self.classes.assignment {
            ClassAssignment::Cells(class_of) => self.disposition(class_of[cell as usize]),
            ClassAssignment::Shares(shares) => {
                let mut before = 0;
                for share in &shares[first_quota(shares, (cell, target))..] {
                    if (share.cell, share.target) != (cell, target) {
                        break;
                    }
                    before += share.count;
                    if number < before {
                        return self.disposition(share.class);
                    }
                }
                RowDisposition::Dropped
            }
        }
    }

    /// Assigns row after row, from the first of every kind.
    pub fn assigner(&self) -> RowAssigner<'_> {
        let left = match &self.classes.assignment {
            ClassAssignment::Cells(_) => Vec::new(),
            ClassAssignment::Shares(shares) => shares.iter().map(|share| share.count).collect(),
        };
        RowAssigner { release: self, left }
    }

    /// Assigns row after row, as if so many of each kind had come before.
    pub fn assigner_after(&self, before: &RowCounts) -> RowAssigner<'_> {
        let mut assigner = self.assigner();
        if let ClassAssignment::Shares(shares) = &self.classes.assignment {
            for (&key, &skipped) in &before.0 {
                let mut skipped = skipped;
                let first = first_quota(shares, key);
                for (share, left) in shares[first..].iter().zip(&mut assigner.left[first..]) {
                    if (share.cell, share.target) != key || skipped == 0 {
                        break;
                    }
                    let taken = (*left).min(skipped);
                    *left -= taken;
                    skipped -= taken;
                }
            }
        }
        assigner
    }
}

/// Where the quotas of a profile and target begin.
#[inline]
fn first_quota(shares: &[ProfileShare], key: (u32, u32)) -> usize {
    shares.partition_point(|share| (share.cell, share.target) < key)
}

/// Assigns rows to classes, one after the other. Where the rows of a profile go different ways, each is told the
/// next class that still has room.
#[derive(Debug, Clone)]
pub struct RowAssigner<'a> {
    release: &'a Release,
    /// Rows that each quota still has to take.
    left: Vec<u64>,
}

impl RowAssigner<'_> {
    /// What becomes of the next row of a profile; `target` is asked for only where it matters.
    #[inline]
    pub fn assign(&mut self, cell: u32, target: impl FnOnce() -> u32) -> RowDisposition {
        match &self.release.classes.assignment {
            ClassAssignment::Cells(class_of) => self.release.disposition(class_of[cell as usize]),
            ClassAssignment::Shares(shares) => {
                let key = (cell, target());
                let open = (first_quota(shares, key)..shares.len())
                    .take_while(|&at| (shares[at].cell, shares[at].target) == key)
                    .find(|&at| self.left[at] > 0);
                let Some(at) = open else { return RowDisposition::Dropped };
                self.left[at] -= 1;
                self.release.disposition(shares[at].class)
            }
        }
    }
}

/// How many rows of each kind (profile and target) a part of a table has, or those before it have.
///
/// They travel as a list of profile, target and number, which every format can carry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<(u32, u32, u64)>", from = "Vec<(u32, u32, u64)>")]
pub struct RowCounts(BTreeMap<(u32, u32), u64>);

impl From<RowCounts> for Vec<(u32, u32, u64)> {
    fn from(numbers: RowCounts) -> Self {
        numbers.0.into_iter().map(|((cell, target), rows)| (cell, target, rows)).collect()
    }
}

impl From<Vec<(u32, u32, u64)>> for RowCounts {
    fn from(list: Vec<(u32, u32, u64)>) -> Self {
        RowCounts(list.into_iter().map(|(cell, target, rows)| ((cell, target), rows)).collect())
    }
}

impl RowCounts {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a row.
    pub fn count(&mut self, cell: u32, target: u32) {
        *self.0.entry((cell, target)).or_default() += 1;
    }

    /// Adds the rows of the next part.
    pub fn append(&mut self, part: &RowCounts) -> Result<()> {
        for (&key, &rows) in &part.0 {
            let sum = self.0.entry(key).or_default();
            *sum =
                sum.checked_add(rows).ok_or_else(|| Error::new("there are more than 2^64 rows"))?;
        }
        Ok(())
    }

    /// The number of the next row of a kind.
    pub fn next(&self, cell: u32, target: u32) -> u64 {
        self.0.get(&(cell, target)).copied().unwrap_or(0)
    }
}
