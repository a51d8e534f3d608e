//! The journalist's risk of a release, before and after.

use incrowd_engine::release::EquivalenceClasses;
use incrowd_engine::table::{ProfileIndex, UNSEEN};
use incrowd_engine::value::Group;
use incrowd_engine::{FrequencyCounts, Problem, Release};
use rayon::prelude::*;
use serde::Serialize;

use super::AttackerRisk;

/// What a journalist who has the population can hope for, from the table and from its release.
///
/// Before, a row hides among the people of the population who have its very values; after, among those whom its
/// released labels fit. Where labels of a local recoding overlap, a person counts for every class that fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JournalistRisk {
    /// How many people the population has.
    pub people: u64,
    /// People with a value that the table lacks. They fit no label but a blank, so that the risk is rather
    /// too high than too low.
    pub unknown: u64,
    /// Rows of the table that the population has too few of; whoever is in the table was taken to be there.
    pub lacking: u64,
    /// From the table as it was.
    pub before: AttackerRisk,
    /// From the release; none if there are too many classes and values to count it.
    pub after: Option<AttackerRisk>,
}

/// The most memory for the classes that fit a value, in words of 64 classes.
const MOST_WORDS: usize = 1 << 25;

impl JournalistRisk {
    /// Meets a release and its table with a population, whose columns are the quasi-identifiers in their
    /// order; `missing` are the texts that mean "missing".
    ///
    /// # Panics
    /// If the population was counted by another number of columns.
    pub fn of_release(
        problem: &Problem,
        release: &Release,
        population: &FrequencyCounts,
        missing: &[String],
        threshold: f64,
    ) -> Self {
        assert_eq!(
            population.columns.len(),
            problem.attributes.len(),
            "the same columns are counted"
        );
        let people = CodedPopulation::new(problem, population, missing);
        let here = problem.cells.counts().iter().copied();
        let before: Vec<(u64, u64)> = here.zip(people.by_cell(problem)).collect();
        let classes = &release.classes;
        let after = people.by_class(problem, classes).map(|there| {
            let here = classes.released().map(|class| classes.sizes[class]);
            AttackerRisk::journalist(here.zip(there), threshold)
        });
        let unknown = |codes: &[u32]| codes.contains(&UNSEEN);
        JournalistRisk {
            people: population.cells.rows(),
            unknown: people.each().filter(|(codes, _)| unknown(codes)).map(|(_, rows)| rows).sum(),
            lacking: before.iter().map(|&(here, there)| here.saturating_sub(there)).sum(),
            before: AttackerRisk::journalist(before, threshold),
            after,
        }
    }
}

/// The population in the codes of a problem.
struct CodedPopulation {
    width: usize,
    codes: Vec<u32>,
    rows: Vec<u64>,
}

impl CodedPopulation {
    fn new(problem: &Problem, population: &FrequencyCounts, missing: &[String]) -> Self {
        let codings: Vec<Vec<u32>> = problem
            .attributes
            .iter()
            .zip(&population.columns)
            .map(|(attribute, (_, theirs))| attribute.domain.codes_of(theirs, missing))
            .collect();
        let mut people = CodedPopulation {
            width: problem.attributes.len(),
            codes: Vec::new(),
            rows: Vec::new(),
        };
        population.cells.for_each(|theirs, rows| {
            let codes = theirs.iter().zip(&codings).map(|(&code, coding)| coding[code as usize]);
            people.codes.extend(codes);
            people.rows.push(rows);
        });
        people
    }

    fn each(&self) -> impl Iterator<Item = (&[u32], u64)> {
        self.codes.chunks_exact(self.width).zip(self.rows.iter().copied())
    }

    /// How many have the values of each cell.
    fn by_cell(&self, problem: &Problem) -> Vec<u64> {
        let index = ProfileIndex::new(&problem.cells, &problem.domains());
        let mut there = vec![0; problem.cells.len()];
        for (codes, rows) in self.each() {
            if let Some(cell) = index.find(codes) {
                there[cell as usize] += rows;
            }
        }
        there
    }

    /// How many fit the labels of each released class.
    fn by_class(&self, problem: &Problem, classes: &EquivalenceClasses) -> Option<Vec<u64>> {
        let released: Vec<usize> = classes.released().collect();
        let words = released.len().div_ceil(64);
        let codes: usize = problem.domains().iter().map(|size| size + 1).sum();
        if codes.saturating_mul(words) > MOST_WORDS {
            return None;
        }
        let fitting: Vec<Vec<u64>> =
            (0..self.width).map(|at| fitting(problem, classes, &released, at, words)).collect();
        let count = |mut there: Vec<u64>, (codes, rows): (&[u32], &u64)| {
            for word in 0..words {
                let fits = codes.iter().zip(&fitting).fold(u64::MAX, |fits, (&code, of)| {
                    let row = of.len() / words - 1;
                    fits & of[row.min(code as usize) * words + word]
                });
                let mut rest = fits;
                while rest != 0 {
                    there[64 * word + rest.trailing_zeros() as usize] += *rows;
                    rest &= rest - 1;
                }
            }
            there
        };
        let none = || vec![0; released.len()];
        let there = self.codes.par_chunks_exact(self.width).zip(&self.rows).fold(none, count);
        Some(there.reduce(none, |mut one, other| {
            one.iter_mut().zip(other).for_each(|(sum, more)| *sum += more);
            one
        }))
    }
}

/// For each value of an attribute, and last for values that the table lacks, one bit for each class whose
/// label fits it.
fn fitting(
    problem: &Problem,
    classes: &EquivalenceClasses,
    released: &[usize],
    at: usize,
    words: usize,
) -> Vec<u64> {
    let attribute = &problem.attributes[at];
    let groups = classes.groups[at].as_slice();
    let mut of_group: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    for (place, &class) in released.iter().enumerate() {
        of_group[classes.ids_of(class)[at] as usize].push(place);
    }
    let values = attribute.domain.len();
    let mut fits = vec![0u64; (values + 1) * words];
    for (group, places) in groups.iter().zip(of_group).filter(|(_, places)| !places.is_empty()) {
        let (first, last) = attribute.span(group);
        let inside = (first..=last).filter(|&code| attribute.contains(group, code));
        let beyond = (*group == Group::Blank).then_some(values as u32);
        for code in inside.chain(beyond) {
            for place in &places {
                fits[code as usize * words + place / 64] |= 1 << (place % 64);
            }
        }
    }
    fits
}
