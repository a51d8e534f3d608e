//! The classes of a table by its quasi-identifiers.

use incrowd_engine::FrequencyCounts;
use incrowd_engine::table::{Dictionary, ProfileIndex, Profiles, UNSEEN};
use incrowd_engine::value::is_missing;

use super::ClassSizes;

/// The rows of a table as they look by some columns: the classes of those that look alike.
///
/// Values are taken as they are written, so that originals and releases of any kind can be looked at;
/// the texts that mean "missing" are one value.
#[derive(Debug, Clone)]
pub struct TableClasses {
    columns: Vec<(String, Dictionary)>,
    missing: Vec<String>,
    /// The size of each column's domain.
    pub(super) domains: Vec<usize>,
    pub(super) cells: Profiles,
}

/// A table's classes met with a population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PopulationMatch {
    /// For every class the rows in the table and those in the population.
    pub classes: Vec<(u64, u64)>,
    /// Rows of the table that the population has too few of: whoever is in the table should be in the
    /// population.
    pub lacking: u64,
}

impl TableClasses {
    /// The classes of counted rows; `missing` are the texts that mean "missing".
    pub fn new(counts: FrequencyCounts, missing: &[String]) -> Self {
        let codings: Vec<Vec<u32>> =
            counts.columns.iter().map(|(_, known)| coding(known, known, missing)).collect();
        // One more than there are values: the code of missing ones.
        let domains: Vec<usize> = counts.columns.iter().map(|(_, known)| known.len() + 1).collect();
        let codings: Vec<&[u32]> = codings.iter().map(Vec::as_slice).collect();
        let cells = Profiles::of_counter(&counts.cells, &codings, &domains);
        TableClasses { columns: counts.columns, missing: missing.to_vec(), domains, cells }
    }

    /// The names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// How many classes there are of which size.
    pub fn sizes(&self) -> ClassSizes {
        ClassSizes::of(self.cells.counts().iter().copied())
    }

    /// Finds the class of codes of the table itself.
    pub(super) fn of_codes(&self) -> impl FnMut(&[u32]) -> Option<u32> {
        self.finder(&self.columns)
    }

    /// Finds the class of codes of these columns, which begin with those of the table, in their order.
    fn finder(&self, columns: &[(String, Dictionary)]) -> impl FnMut(&[u32]) -> Option<u32> {
        let pairs = self.columns.iter().zip(columns);
        let codings: Vec<Vec<u32>> =
            pairs.map(|((_, known), (_, theirs))| coding(known, theirs, &self.missing)).collect();
        let index = ProfileIndex::new(&self.cells, &self.domains);
        let mut own = vec![0; self.width()];
        move |codes| {
            for ((own, &code), coding) in own.iter_mut().zip(codes).zip(&codings) {
                *own = coding[code as usize];
            }
            index.find(&own)
        }
    }

    /// Looks every class up in a population, whose columns must have been counted in the same order.
    ///
    /// # Panics
    /// If the population was counted by another number of columns.
    pub fn within(&self, population: &FrequencyCounts) -> PopulationMatch {
        assert_eq!(population.columns.len(), self.width(), "both are counted by the same columns");
        let mut find = self.finder(&population.columns);
        let mut there = vec![0u64; self.cells.len()];
        population.cells.for_each(|theirs, rows| {
            if let Some(class) = find(theirs) {
                there[class as usize] += rows;
            }
        });
        let here = self.cells.counts().iter().copied();
        let classes: Vec<(u64, u64)> = here.zip(there).collect();
        let lacking = classes.iter().map(|&(here, there)| here.saturating_sub(there)).sum();
        PopulationMatch { classes, lacking }
    }
}

impl TableClasses {
    /// The people whom the rows of each class stand for. `weighted` was counted by the crowd's columns and, last,
    /// by one whose codes have these weights.
    pub(super) fn people(&self, weighted: &FrequencyCounts, weights: &[f64]) -> Vec<f64> {
        let mut find = self.finder(&weighted.columns);
        let mut parts: Vec<(u32, f64, u64)> = Vec::with_capacity(weighted.cells.len());
        weighted.cells.for_each(|theirs, rows| {
            let weight = theirs.last().and_then(|&code| weights.get(code as usize));
            if let Some((class, &weight)) = find(theirs).zip(weight) {
                parts.push((class, weight, rows));
            }
        });
        // Sums of decimals depend on their order, which must not depend on who counted first.
        parts.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        let mut people = vec![0.0; self.cells.len()];
        for (class, weight, rows) in parts {
            people[class as usize] += weight * rows as f64;
        }
        people
    }
}

/// What the codes of `theirs` are in `known`; values that it lacks are unseen.
fn coding(known: &Dictionary, theirs: &Dictionary, missing: &[String]) -> Vec<u32> {
    (0..theirs.len() as u32)
        .map(|code| {
            let value = theirs.value(code);
            match is_missing(value, missing) {
                true => known.len() as u32,
                false => known.get(value).unwrap_or(UNSEEN),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use incrowd_engine::Table;

    fn counts(rows: &[[&str; 2]]) -> FrequencyCounts {
        let table = Table::from_rows(&["age", "sex"], rows).unwrap();
        FrequencyCounts::of_table(&table, &["age".to_owned(), "sex".to_owned()]).unwrap()
    }

    #[test]
    fn classes_are_looked_up_by_value() {
        let crowd = TableClasses::new(
            counts(&[["25", "F"], ["25", "F"], ["61", "?"], ["61", ""], ["9", "M"]]),
            &["?".to_owned(), String::new()],
        );
        assert_eq!(crowd.sizes(), ClassSizes::of([2, 2, 1]));
        let population =
            counts(&[["61", "?"], ["61", ""], ["61", ""], ["25", "F"], ["25", "M"], ["70", "M"]]);
        let matched = crowd.within(&population);
        let mut classes = matched.classes.clone();
        classes.sort_unstable();
        assert_eq!(classes, [(1, 0), (2, 1), (2, 3)]);
        assert_eq!(matched.lacking, 2);
    }
}
