//! Rows grouped by columns: the counting behind every number about uniqueness.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::Serialize;

/// How well columns tell rows apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Uniqueness {
    /// How many different values or combinations there are; missing is a value of its own.
    pub distinct: u64,
    /// How many rows share their combination with no other row.
    pub unique_rows: u64,
    /// The same as a share of all rows.
    pub unique_share: f64,
    /// Distinct combinations per row: 1 if every row has its own.
    pub distinction: f64,
    /// The share of all pairs of rows that differ; 0 where there is no pair.
    pub separation: f64,
}

impl Uniqueness {
    /// What follows from the sizes of the groups that share a combination.
    pub(super) fn of(sizes: impl IntoIterator<Item = u64>) -> Self {
        let (mut rows, mut distinct, mut unique_rows, mut same) = (0u64, 0u64, 0u64, 0u128);
        for size in sizes {
            rows += size;
            distinct += 1;
            unique_rows += u64::from(size == 1);
            same += u128::from(size) * u128::from(size.saturating_sub(1));
        }
        let pairs = u128::from(rows) * u128::from(rows.saturating_sub(1));
        Uniqueness {
            distinct,
            unique_rows,
            unique_share: share(unique_rows, rows),
            distinction: share(distinct, rows),
            separation: if pairs == 0 { 0.0 } else { (pairs - same) as f64 / pairs as f64 },
        }
    }

    /// The order from most to least dangerous: who is singled out, then how many groups there are.
    pub(super) fn danger(&self) -> impl Ord + use<> {
        (self.unique_rows, self.distinct)
    }
}

/// `part` of `whole`; nothing of nothing is 0.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A column of codes below `cardinality`.
#[derive(Debug, Clone)]
pub(super) struct CodedColumn<'a> {
    pub(super) codes: Cow<'a, [u32]>,
    pub(super) cardinality: usize,
}

impl CodedColumn<'_> {
    /// All rows in one group.
    pub(super) fn one_group(rows: usize) -> CodedColumn<'static> {
        CodedColumn { codes: vec![0; rows].into(), cardinality: usize::from(rows > 0) }
    }

    /// These groups split by another column. New groups are numbered as they first appear.
    pub(super) fn split(&self, by: &CodedColumn<'_>) -> CodedColumn<'static> {
        const NONE: u32 = u32::MAX;
        let pairs = self.codes.iter().zip(by.codes.iter());
        let mut next = 0;
        let mut number = |slot: &mut u32| {
            if *slot == NONE {
                *slot = next;
                next += 1;
            }
            *slot
        };
        let room = self.cardinality.saturating_mul(by.cardinality);
        // A table with a slot for every possible pair is several times faster than hashing while
        // it is not much larger than what is counted.
        let codes: Vec<u32> = if room <= 4 * self.codes.len() + (1 << 12) {
            let mut slots = vec![NONE; room];
            pairs
                .map(|(&group, &code)| {
                    number(&mut slots[group as usize * by.cardinality + code as usize])
                })
                .collect()
        } else {
            let mut slots: HashMap<u64, u32, FixedState> = HashMap::default();
            slots.reserve(self.cardinality.max(by.cardinality));
            pairs
                .map(|(&group, &code)| {
                    let key = (u64::from(group) << 32) | u64::from(code);
                    number(slots.entry(key).or_insert(NONE))
                })
                .collect()
        };
        CodedColumn { codes: codes.into(), cardinality: next as usize }
    }

    /// How much weight each code has.
    pub(super) fn sizes(&self, weights: &[u64]) -> Vec<u64> {
        let mut sizes = vec![0; self.cardinality];
        for (&code, weight) in self.codes.iter().zip(weights) {
            sizes[code as usize] += weight;
        }
        sizes
    }
}

/// The distinct rows over some columns, with their counts.
///
/// Whatever is asked about combinations of these columns has the same answer here as in the whole
/// table, in a fraction of the time.
#[derive(Debug)]
pub(super) struct DistinctRows {
    pub(super) columns: Vec<CodedColumn<'static>>,
    pub(super) counts: Vec<u64>,
}

impl DistinctRows {
    /// The distinct rows of these columns, which are equally long.
    pub(super) fn new(columns: &[CodedColumn<'_>]) -> Self {
        let rows = columns.first().map_or(0, |column| column.codes.len());
        let mut groups = CodedColumn::one_group(rows);
        for column in columns {
            // Once every row is alone there is nothing left to split.
            if groups.cardinality < rows {
                groups = groups.split(column);
            }
        }
        let mut counts = vec![0; groups.cardinality];
        let mut example = vec![0; groups.cardinality];
        for (row, &group) in groups.codes.iter().enumerate() {
            counts[group as usize] += 1;
            example[group as usize] = row;
        }
        let columns = columns
            .iter()
            .map(|column| CodedColumn {
                codes: example.iter().map(|&row| column.codes[row]).collect(),
                cardinality: column.cardinality,
            })
            .collect();
        DistinctRows { columns, counts }
    }
}
