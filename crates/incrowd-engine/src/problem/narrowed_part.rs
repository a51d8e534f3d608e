//! The rows of a table that share the values of its narrowing columns, as a question of their own.

use std::collections::BTreeMap;

use super::Problem;
use crate::privacy::Model;

/// The rows of a table by the values of its narrowing columns.
pub(crate) struct NarrowedParts<'a> {
    whole: &'a Problem,
    /// The number of the combination of values, by joint target.
    number_of: Vec<u32>,
    /// The combinations of values in their order, each with its number and how many rows have it.
    combinations: Vec<(Vec<String>, u32, u64)>,
}

/// The rows that share the values of all narrowing columns.
pub(crate) struct NarrowedPart {
    /// The question about these rows alone. No value narrows its classes any more: all rows have the same.
    pub(crate) problem: Problem,
    /// The profile of the whole table that each of its profiles is a part of.
    pub(crate) cells: Vec<u32>,
}

impl NarrowedParts<'_> {
    /// How many parts there are.
    pub(crate) fn len(&self) -> usize {
        self.combinations.len()
    }

    /// The values that the rows of each part share, as they are written, and how many rows these are.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (&[String], u64)> {
        self.combinations.iter().map(|(values, _, rows)| (values.as_slice(), *rows))
    }

    /// A part.
    pub(crate) fn part(&self, at: usize) -> NarrowedPart {
        let number = self.combinations[at].1;
        let is_in = |target: u32| self.number_of[target as usize] == number;
        let (part, cells) = self.whole.cells.of_targets(is_in);
        let mut problem = Problem { cells: part, ..self.whole.clone() };
        problem.rows = problem.cells.counts().iter().sum();
        problem.privacy.requirements.retain(|it| !matches!(it.model, Model::EachValue { .. }));
        NarrowedPart { problem, cells }
    }
}

impl Problem {
    /// The rows by the values of narrowing columns; none where no column narrows classes.
    ///
    /// A class of one part's rows meets the requirements of the whole table if it meets those of its part, and so does a
    /// union of such classes: narrowed classes are those of one part. A requirement on the release as a whole, on a
    /// population, or on people with rows in several parts does not fall into parts, and neither do totals that must stay.
    pub(crate) fn narrowed_parts(&self) -> Option<NarrowedParts<'_>> {
        let falls_into_parts = self.privacy.unit().is_none()
            && !self.privacy.goes_beyond_classes()
            && !self.privacy.wildcards
            && self.survey_weight.is_none()
            && self.calibrated.is_empty();
        let number_of = self.targets.narrowing_of_targets().filter(|_| falls_into_parts)?;
        let mut combinations: BTreeMap<Vec<String>, (u32, u64)> = BTreeMap::new();
        let mut rows = vec![0; number_of.len()];
        for cell in 0..self.cells.len() {
            for &(target, count) in self.cells.targets(cell) {
                rows[target as usize] += count;
            }
        }
        for (target, (&number, &rows)) in (0..).zip(number_of.iter().zip(&rows)) {
            combinations.entry(self.narrowing_values(target)).or_insert((number, 0)).1 += rows;
        }
        let combinations = combinations.into_iter();
        let combinations = combinations.map(|(values, (number, rows))| (values, number, rows));
        Some(NarrowedParts { whole: self, number_of, combinations: combinations.collect() })
    }

    /// The values of the narrowing columns that the rows of a joint target have, as they are written.
    pub(crate) fn narrowing_values(&self, target: u32) -> Vec<String> {
        let codes = self.targets.of(target);
        let value = |&at: &usize| self.targets.columns[at].domain.label(codes[at]).to_owned();
        self.targets.narrowing_places().iter().map(value).collect()
    }
}
