//! The records of a table one by one: who stands in how large a class, and by which columns.

use std::cmp::Ordering;

use incrowd_engine::{Error, FrequencyCounts, Result, Table};
use rayon::prelude::*;
use serde::Serialize;

use super::TableClasses;

/// Of more columns not every combination is looked at.
const MOST_COLUMNS: usize = 16;

/// Every record of a table with the class that it stands in by the quasi-identifiers.
#[derive(Debug, Clone)]
pub struct RecordClasses {
    classes: TableClasses,
    /// The class of each record.
    class_of: Vec<u32>,
}

/// By what records are put in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordOrder {
    /// As they stand in the table.
    Table,
    /// By the size of their class.
    ClassSize,
    /// By the values of a column of the table, numbers as numbers.
    Column(usize),
}

/// A combination of columns that singles a record out among fewer than k, while no part of it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordKey {
    /// The columns.
    pub columns: Vec<String>,
    /// Records that look like it there, itself among them.
    pub records: u64,
}

impl RecordClasses {
    /// The records of a table by some columns; `missing` are the texts that mean "missing".
    pub fn new(table: &Table, quasi: &[String], missing: &[String]) -> Result<Self> {
        let counts = FrequencyCounts::of_table(table, quasi)
            .map_err(|name| Error::new(format!("there is no column `{name}`")))?;
        let columns: Vec<_> = quasi.iter().filter_map(|name| table.column(name)).collect();
        let classes = TableClasses::new(counts, missing);
        let mut find = classes.of_codes();
        let mut key = vec![0; columns.len()];
        let class_of = (0..table.rows()).map(|row| {
            for (code, column) in key.iter_mut().zip(&columns) {
                *code = column.codes[row];
            }
            find(&key).ok_or_else(|| Error::new("fault of incrowd: a record has no class"))
        });
        let class_of = class_of.collect::<Result<_>>()?;
        drop(find);
        Ok(RecordClasses { classes, class_of })
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.class_of.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.class_of.is_empty()
    }

    /// How many records look like this one, itself among them.
    pub fn class_size(&self, record: usize) -> u64 {
        self.classes.cells.counts()[self.class_of[record] as usize]
    }

    /// The records whose class has at most so many, in an order; equal ones as they stand in the table.
    pub fn ordered(
        &self,
        table: &Table,
        at_most: u64,
        order: RecordOrder,
        descending: bool,
    ) -> Vec<u32> {
        let records = 0..self.class_of.len() as u32;
        let mut found: Vec<u32> =
            records.filter(|&it| self.class_size(it as usize) <= at_most).collect();
        let sorted = |found: Vec<u32>, key: &(dyn Fn(u32) -> u64 + Sync)| -> Vec<u32> {
            let turned = |key: u64| if descending { u64::MAX - key } else { key };
            let mut keyed: Vec<(u64, u32)> =
                found.into_par_iter().map(|it| (turned(key(it)), it)).collect();
            keyed.par_sort_unstable();
            keyed.into_iter().map(|(_, it)| it).collect()
        };
        match order {
            RecordOrder::Table if descending => found.reverse(),
            RecordOrder::Table => {}
            RecordOrder::ClassSize => {
                found = sorted(found, &|it| self.class_size(it as usize));
            }
            RecordOrder::Column(at) => {
                let column = &table.columns()[at];
                let ranks = ranks(column.dictionary.iter());
                found = sorted(found, &|it| ranks[column.codes[it as usize] as usize]);
            }
        }
        found
    }

    /// The smallest combinations of columns by which fewer than `k` records look like this one: no part of such a
    /// combination does. Those of fewest columns come first. None of more than sixteen columns.
    pub fn keys(&self, record: usize, k: u64) -> Vec<RecordKey> {
        let (cells, width) = (&self.classes.cells, self.classes.width());
        if width > MOST_COLUMNS {
            return Vec::new();
        }
        // Records by the set of columns in which they look like this one; then by all sets that lie in it.
        let mut alike = vec![0u64; 1 << width];
        let own: Vec<u32> =
            (0..width).map(|at| cells.code(at, self.class_of[record] as usize)).collect();
        for (cell, &count) in cells.counts().iter().enumerate() {
            let same = |at: &usize| cells.code(*at, cell) == own[*at];
            let set = (0..width).filter(same).fold(0usize, |set, at| set | 1 << at);
            alike[set] += count;
        }
        for at in 0..width {
            for set in 0..alike.len() {
                if set >> at & 1 == 0 {
                    alike[set] += alike[set | 1 << at];
                }
            }
        }
        let parts = |set: usize| (0..width).filter(move |at| set >> at & 1 == 1);
        let minimal =
            |&set: &usize| alike[set] < k && parts(set).all(|at| alike[set & !(1 << at)] >= k);
        let mut found: Vec<usize> = (1..alike.len()).filter(minimal).collect();
        found.sort_by_key(|&set| (set.count_ones(), alike[set], set));
        let names: Vec<&str> = self.classes.columns().collect();
        let key = |set: usize| RecordKey {
            columns: parts(set).map(|at| names[at].to_owned()).collect(),
            records: alike[set],
        };
        found.into_iter().map(key).collect()
    }
}

/// The place of each value in their order: numbers by size, then texts.
fn ranks<'a>(values: impl Iterator<Item = &'a str>) -> Vec<u64> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|it| it.is_finite());
    let values: Vec<(Option<f64>, &str)> = values.map(|text| (number(text), text)).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| match (values[one].0, values[other].0) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => values[one].1.cmp(values[other].1),
    });
    let mut ranks = vec![0; values.len()];
    for (rank, at) in (0..).zip(order) {
        ranks[at] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn table(rows: &[[&str; 3]]) -> (Table, Vec<String>) {
        let names = ["age", "sex", "zip"];
        (Table::from_rows(&names, rows).unwrap(), names.map(str::to_owned).to_vec())
    }

    #[test]
    fn records_have_the_classes_that_a_count_finds() {
        let mut noise = 7u32;
        for _ in 0..60 {
            let mut random = |below: u32| {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ["1", "2", "30", "?"][(noise >> 16) as usize % below as usize]
            };
            let rows: Vec<[&str; 3]> = (0..24).map(|_| [random(4), random(2), random(3)]).collect();
            let (table, quasi) = table(&rows);
            let records = RecordClasses::new(&table, &quasi, &["?".to_owned()]).unwrap();
            for (at, row) in rows.iter().enumerate() {
                let count = |columns: &[usize]| {
                    let like = |it: &&[&str; 3]| columns.iter().all(|&c| it[c] == row[c]);
                    rows.iter().filter(like).count() as u64
                };
                assert_eq!(records.class_size(at), count(&[0, 1, 2]));
                for k in [2, 5] {
                    let mut wanted = Vec::new();
                    for set in 1usize..8 {
                        let columns: Vec<usize> = (0..3).filter(|c| set >> c & 1 == 1).collect();
                        let parts = columns.iter().map(|left| {
                            count(
                                &columns.iter().copied().filter(|c| c != left).collect::<Vec<_>>(),
                            )
                        });
                        if count(&columns) < k && parts.into_iter().all(|part| part >= k) {
                            let names = columns.iter().map(|&c| quasi[c].clone()).collect();
                            wanted.push(RecordKey { columns: names, records: count(&columns) });
                        }
                    }
                    let mut found = records.keys(at, k);
                    assert!(found.is_sorted_by_key(|key| key.columns.len()));
                    let by = |it: &RecordKey| it.columns.clone();
                    found.sort_by_key(by);
                    wanted.sort_by_key(by);
                    assert_eq!(found, wanted);
                }
            }
        }
    }

    #[test]
    fn records_are_put_in_order() {
        let (table, quasi) = table(&[
            ["30", "F", "b"],
            ["9", "F", "a"],
            ["?", "F", "c"],
            ["9", "F", "a"],
            ["100", "M", "a"],
        ]);
        let records = RecordClasses::new(&table, &quasi, &["?".to_owned()]).unwrap();
        let by = |order, descending| records.ordered(&table, 9, order, descending);
        assert_eq!(by(RecordOrder::Table, true), [4, 3, 2, 1, 0]);
        assert_eq!(by(RecordOrder::ClassSize, false), [0, 2, 4, 1, 3]);
        assert_eq!(by(RecordOrder::ClassSize, true), [1, 3, 0, 2, 4]);
        assert_eq!(by(RecordOrder::Column(0), false), [1, 3, 0, 4, 2]);
        assert_eq!(records.ordered(&table, 1, RecordOrder::Table, false), [0, 2, 4]);
        assert_eq!((records.len(), records.is_empty()), (5, false));
    }
}
