//! People who have several rows: whom to find among the classes of all of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use incrowd_engine::FrequencyCounts;
use incrowd_engine::value::{is_missing, spelling};
use serde::Serialize;

use super::TableClasses;

/// People as they were counted, each once in every class that holds a row of theirs.
#[derive(Debug, Clone)]
pub(super) struct SubjectCounts {
    /// The rows of the table.
    rows: u64,
    /// How many people there are.
    subjects: u64,
    /// The codes of a combination, and who has it.
    memberships: Vec<(Vec<u32>, u32)>,
}

/// How many people a table is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubjectFacts {
    /// The column that tells them apart.
    pub column: String,
    /// How many there are.
    pub subjects: u64,
    /// Those who are alone in a class of theirs.
    pub unique: u64,
}

impl SubjectCounts {
    /// Reads rows that were counted by the quasi-identifiers and, last, by what tells people apart. Rows that do not say
    /// whose they are are taken to be of one person, so that the risk is rather too high than too low.
    pub(super) fn read(counts: &FrequencyCounts, missing: &[String]) -> Self {
        let quasi = counts.columns.len().saturating_sub(1);
        let mut known: HashMap<Cow<'_, str>, u32> = HashMap::new();
        // Spellings of one name are one person.
        let subject: Vec<u32> = counts.columns.last().map_or_else(Vec::new, |(_, texts)| {
            let subjects = texts.iter().map(|text| {
                let next = known.len() as u32;
                let told =
                    if is_missing(text, missing) { Cow::Borrowed("") } else { spelling(text) };
                *known.entry(told).or_insert(next)
            });
            subjects.collect()
        });
        let mut rows = 0;
        let mut met: HashSet<(Vec<u32>, u32)> = HashSet::new();
        counts.cells.for_each(|codes, count| {
            rows += count;
            let who = codes.last().map_or(0, |&code| subject[code as usize]);
            met.insert((codes[..quasi].to_vec(), who));
        });
        let subjects = met.iter().map(|it| it.1).collect::<HashSet<_>>().len() as u64;
        let mut memberships: Vec<(Vec<u32>, u32)> = met.into_iter().collect();
        memberships.sort_unstable();
        SubjectCounts { rows, subjects, memberships }
    }

    /// People in place of rows, counted by the quasi-identifiers.
    pub(super) fn counts(&self, counts: &FrequencyCounts) -> FrequencyCounts {
        let quasi = counts.columns.len().saturating_sub(1);
        let columns = counts.columns[..quasi].to_vec();
        let mut cells = FrequencyCounts::new(columns.iter().map(|(name, _)| name.as_str())).cells;
        self.memberships.iter().for_each(|(codes, _)| cells.add(codes, 1));
        FrequencyCounts { columns, cells }
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn subjects(&self) -> u64 {
        self.subjects
    }

    /// The greatest of the figures of a person's classes, for each person; `of_class` has one for each class.
    pub(super) fn greatest(&self, classes: &TableClasses, of_class: &[f64]) -> Vec<f64> {
        let mut greatest: BTreeMap<u32, f64> = BTreeMap::new();
        let mut found = classes.of_codes();
        for (codes, subject) in &self.memberships {
            let Some(class) = found(codes) else { continue };
            let figure = of_class[class as usize];
            let known = greatest.entry(*subject).or_insert(figure);
            *known = known.max(figure);
        }
        greatest.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::super::{AssessedTable, PopulationSize, RiskOptions, assess};
    use super::*;
    use incrowd_engine::{Control, Table};

    /// Ann has two rows that look alike and one of her own, Bob and Cid one each that look like Ann's first.
    const ROWS: [[&str; 2]; 6] =
        [["25", "Ann"], ["25", "ann"], ["61", "Ann"], ["25", "Bob"], ["25", "Cid"], ["30", ""]];

    #[test]
    fn a_person_is_at_the_risk_of_the_smallest_class() {
        let table = Table::from_rows(&["age", "who"], &ROWS).unwrap();
        let names = ["age".to_owned(), "who".to_owned()];
        let counts = FrequencyCounts::of_table(&table, &names).unwrap();
        let missing = [String::new()];
        let counted = AssessedTable::of_people("t", &counts, &missing);
        let options = RiskOptions::new().with_threshold(0.5).with_unit_column("who");
        let report = assess(counted.clone(), None, &options, &Control::new()).unwrap();
        // Spelled in two ways, Ann would be two people: it is told apart by letters here.
        let subjects = report.subjects.unwrap();
        assert_eq!((report.rows, subjects.subjects, subjects.unique), (6, 5, 2));
        // Of 25: Ann, ann, Bob and Cid, a quarter each. Ann is alone with 61, nobody with 30.
        assert_eq!(report.prosecutor.records_at_risk, 2);
        assert!((report.prosecutor.average - (1.0 + 3.0 * 0.25 + 1.0) / 5.0).abs() < 1e-12);
        assert!((report.prosecutor.share_at_risk - 0.4).abs() < 1e-12);
        let options = options.with_sampling(PopulationSize::People(50));
        let report = assess(counted, None, &options, &Control::new()).unwrap();
        let fraction = report.population_uniqueness.unwrap().sampling_fraction;
        assert!((fraction - 0.1).abs() < 1e-12, "five people of fifty: {fraction}");
    }

    #[test]
    fn the_greatest_figure_counts_for_each() {
        let table = Table::from_rows(&["age", "who"], &ROWS).unwrap();
        let names = ["age".to_owned(), "who".to_owned()];
        let counts = FrequencyCounts::of_table(&table, &names).unwrap();
        let subjects = SubjectCounts::read(&counts, &[]);
        let classes = TableClasses::new(subjects.counts(&counts), &[]);
        let sizes: Vec<f64> = classes.cells.counts().iter().map(|&size| size as f64).collect();
        let mut greatest = subjects.greatest(&classes, &sizes);
        greatest.sort_by(f64::total_cmp);
        assert_eq!(greatest, [1.0, 4.0, 4.0, 4.0, 4.0]);
    }
}
