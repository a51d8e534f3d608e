//! k for everybody of whom only a few columns are known.
//!
//! Whoever knows at most `columns` quasi-identifiers of a person must find k rows that look alike in them, whichever
//! they are. Fewer columns are shared by at least as many rows, so sets of exactly that many are counted, and k for all of
//! them follows from k for classes: a release that is k-anonymous satisfies it, but it takes far less.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::kit::{Error, KeyedHashState, Result, words};

/// k rows for every combination of at most so many quasi-identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownColumns {
    /// The least rows that look alike.
    pub k: u64,
    /// How many columns somebody may know.
    pub columns: usize,
}

/// So many looks at a row in a set of columns are made at most to check a release once.
const MOST_LOOKS: u64 = 20_000_000_000;

impl KnownColumns {
    /// Refuses numbers that make no sense, or that would take days to check.
    pub(crate) fn validate(&self, width: usize, rows: u64) -> Result<()> {
        if self.columns == 0 || self.k == 0 {
            return Err(Error::new("known columns and k must be at least 1"));
        }
        let sets = number_of_sets(width, self.columns.min(width));
        if sets.saturating_mul(rows.max(1)) > MOST_LOOKS {
            return Err(Error::new(format!(
                "{} of {width} columns make {} sets, too many to count all of them",
                self.columns,
                words::thousands(sets)
            ))
            .help("choose fewer known columns, or fewer quasi-identifiers"));
        }
        Ok(())
    }
}

/// How many sets of so many columns there are.
fn number_of_sets(width: usize, columns: usize) -> u64 {
    let of = |sets: u64, at: u64| sets.saturating_mul(width as u64 - at) / (at + 1);
    (0..columns as u64).fold(1, of)
}

/// All sets of so many columns, ascending.
pub(crate) fn sets(width: usize, columns: usize) -> Vec<Vec<usize>> {
    let columns = columns.min(width);
    let mut all = Vec::new();
    let mut set: Vec<usize> = (0..columns).collect();
    loop {
        all.push(set.clone());
        let Some(at) = (0..columns).rev().find(|&at| set[at] < width - columns + at) else {
            return all;
        };
        set[at] += 1;
        for next in at + 1..columns {
            set[next] = set[next - 1] + 1;
        }
    }
}

/// What rows look like: items of some rows each, with a label for each column.
pub(crate) struct LabelTable {
    /// By column, the label of each item.
    pub(crate) labels: Vec<Vec<u32>>,
    /// How many labels each column has.
    pub(crate) sizes: Vec<usize>,
    /// How many rows each item has; those without any do not count.
    pub(crate) counts: Vec<u64>,
}

/// Up to so many combinations are counted in an array.
const DENSE: u128 = 1 << 20;

impl LabelTable {
    /// The items that too few rows look like in these columns.
    pub(crate) fn small(&self, set: &[usize], k: u64) -> Vec<u32> {
        let number = set.iter().fold(1u128, |all, &at| all.saturating_mul(self.sizes[at] as u128));
        let items = || (0..self.counts.len()).filter(|&item| self.counts[item] > 0);
        let key = |item: usize| {
            set.iter().fold(0u128, |key, &at| {
                key.wrapping_mul(self.sizes[at] as u128) + u128::from(self.labels[at][item])
            })
        };
        if number <= DENSE {
            // Column by column: nothing is looked at twice, and the numbers are small.
            let mut keys = vec![0u32; self.counts.len()];
            for &at in set {
                let size = self.sizes[at] as u32;
                let labels = keys.iter_mut().zip(&self.labels[at]);
                labels.for_each(|(key, &label)| *key = *key * size + label);
            }
            let mut counts = vec![0u64; number as usize];
            let rows = keys.iter().zip(&self.counts);
            rows.for_each(|(&key, &rows)| counts[key as usize] += rows);
            let is_small = |&item: &usize| counts[keys[item] as usize] < k;
            return items().filter(is_small).map(|item| item as u32).collect();
        }
        let mut counts: hashbrown::HashMap<u128, u64, KeyedHashState> =
            hashbrown::HashMap::default();
        items().for_each(|item| *counts.entry(key(item)).or_insert(0) += self.counts[item]);
        items().filter(|&item| counts[&key(item)] < k).map(|item| item as u32).collect()
    }

    /// The same for many sets, each with its items.
    pub(crate) fn all_small(&self, sets: &[Vec<usize>], k: u64) -> Vec<Vec<u32>> {
        sets.par_iter().map(|set| self.small(set, k)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_all_there_are() {
        assert_eq!(sets(4, 2).len() as u64, number_of_sets(4, 2));
        assert_eq!(sets(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(sets(2, 5), [[0, 1]]);
        assert_eq!(number_of_sets(20, 3), 1140);
    }

    #[test]
    fn few_that_look_alike_are_found() {
        let looks = LabelTable {
            labels: vec![vec![0, 0, 1], vec![0, 1, 1]],
            sizes: vec![2, 2],
            counts: vec![2, 3, 1],
        };
        assert_eq!(looks.small(&[0], 2), [2]);
        assert_eq!(looks.small(&[1], 3), [0]);
        assert_eq!(looks.small(&[0, 1], 3), [0, 2]);
        assert!(looks.small(&[0], 1).is_empty());
    }
}
