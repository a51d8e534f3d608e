//! Columns that are functions of others, found in the original by counting alone.
//!
//! A column that stays as it is and that follows from quasi-identifiers is known to whoever knows those: it narrows classes. Here
//! functions of one and of two columns are found, each by the records that share what it is a function of. This is a second
//! opinion on what a run finds by other means.

use std::collections::{BTreeMap, HashMap};

/// A function holds for at least this share of the records that share what it is a function of: slips are allowed for, ...
const AGREE: f64 = 0.99;
/// ... of at least so many records, a quarter of all in a small table, ...
const RECORDS: usize = 50;
/// ... and a guess without it is wrong this many times as often, ...
const BETTER: usize = 5;
/// ... and of so many records at least.
const ERRORS: usize = 5;
/// So many records are looked at.
const MOST: usize = 100_000;

/// Collects records, and tells which columns are functions of others.
#[derive(Debug)]
pub struct DependencyFinder {
    known: Vec<String>,
    asked: Vec<String>,
    /// Each record's values, the known columns first.
    records: Vec<Vec<u32>>,
    codes: Vec<HashMap<String, u32>>,
}

/// A column that is a function of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionalDependency {
    /// The column.
    pub column: String,
    /// What it is a function of.
    pub of: Vec<String>,
}

/// The code of a value that is missing.
const NONE: u32 = u32::MAX;

impl DependencyFinder {
    /// For records of these columns: `asked` may be functions of `known`.
    pub fn new(known: Vec<String>, asked: Vec<String>) -> Self {
        let codes = vec![HashMap::new(); known.len() + asked.len()];
        DependencyFinder { known, asked, records: Vec::new(), codes }
    }

    /// Takes a record: the values of the known columns, then those of the asked ones. None is missing.
    pub fn push<'a>(&mut self, values: impl IntoIterator<Item = Option<&'a str>>) {
        if self.records.len() >= MOST {
            return;
        }
        let codes = self.codes.iter_mut().zip(values).map(|(codes, value)| match value {
            None => NONE,
            Some(value) => {
                let next = codes.len() as u32;
                *codes.entry(value.trim().to_owned()).or_insert(next)
            }
        });
        self.records.push(codes.collect());
    }

    /// The columns that are functions, each of as few columns as can be.
    pub fn find(&self) -> Vec<FunctionalDependency> {
        let known = self.known.len();
        let mut found = Vec::new();
        for (at, column) in self.asked.iter().enumerate() {
            let ones = (0..known).map(|one| vec![one]);
            let pairs = (0..known).flat_map(|one| (0..one).map(move |other| vec![other, one]));
            let of = ones.chain(pairs).find(|of| self.is_function(known + at, of));
            if let Some(of) = of {
                let of = of.iter().map(|&at| self.known[at].clone()).collect();
                found.push(FunctionalDependency { column: column.clone(), of });
            }
        }
        found
    }

    fn is_function(&self, column: usize, of: &[usize]) -> bool {
        let mut groups: BTreeMap<Vec<u32>, BTreeMap<u32, usize>> = BTreeMap::new();
        let mut all: BTreeMap<u32, usize> = BTreeMap::new();
        for record in &self.records {
            let key: Vec<u32> = of.iter().map(|&at| record[at]).collect();
            if record[column] == NONE || key.contains(&NONE) {
                continue;
            }
            *groups.entry(key).or_default().entry(record[column]).or_default() += 1;
            *all.entry(record[column]).or_default() += 1;
        }
        let records: usize = all.values().sum();
        let usual = all.iter().max_by_key(|&(value, count)| (*count, std::cmp::Reverse(*value)));
        let Some((&usual, _)) = usual.filter(|_| all.len() > 1) else { return false };
        let (mut covered, mut right, mut guessed) = (0, 0, 0);
        for values in groups.values() {
            let size: usize = values.values().sum();
            if size < 2 {
                continue;
            }
            for (&value, &count) in values {
                // What the other records of the group say.
                let others = |other: u32, count: usize| count - usize::from(other == value);
                let most = values.iter().map(|(&other, &count)| others(other, count)).max();
                let said = values.iter().filter(|&(&other, &n)| Some(others(other, n)) == most);
                let said: Vec<u32> = said.map(|(&other, _)| other).collect();
                covered += count;
                right += if said == [value] { count } else { 0 };
                guessed += if value == usual { count } else { 0 };
            }
        }
        covered >= RECORDS.min(records / 4).max(RECORDS / 5)
            && 2 * covered >= records
            && right as f64 >= AGREE * covered as f64
            && covered - guessed >= ERRORS
            && BETTER * (covered - right) <= covered - guessed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_one_and_two_columns_are_found() {
        let names = |names: &[&str]| names.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
        let mut functions =
            DependencyFinder::new(names(&["a", "b"]), names(&["tens", "sum", "coin", "gap"]));
        let mut state = 1_u64;
        for row in 0..2_000_u64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let (a, b) = ((state >> 33) % 60, (state >> 45) % 9);
            let coin = if (state >> 55).is_multiple_of(20) { "yes" } else { "no" };
            let values = [a.to_string(), b.to_string(), (a / 10).to_string(), (a + b).to_string()];
            let [a, b, tens, sum] = values.each_ref().map(|it| Some(it.as_str()));
            let gap = if row.is_multiple_of(50) { tens } else { None };
            functions.push([a, b, tens, sum, Some(coin), gap]);
        }
        let found = functions.find();
        let of = |column: &str| found.iter().find(|it| it.column == column).map(|it| it.of.clone());
        assert_eq!(of("tens"), Some(names(&["a"])));
        assert_eq!(of("sum"), Some(names(&["a", "b"])));
        assert_eq!(of("coin"), None);
    }
}
