//! The class and sensitive columns, which models and the classification metric look at.

use std::sync::Arc;

use super::spec::ProblemSpec;
use crate::privacy::{ClassTally, CombinedValues, CountingBasis};
use crate::table::{JointIndex, Profiles};
use crate::value::Domain;

/// A class or sensitive column.
#[derive(Debug, Clone)]
pub struct TargetColumn {
    /// The column's name.
    pub name: String,
    /// Its ordered values.
    pub domain: Domain,
}

/// The class and sensitive columns. A *joint target* is a combination of their values; profiles and
/// classes count joint targets, each model looks at one column of them.
///
/// Behind them is the column that tells people apart, where these may have several rows, and then the columns that narrow
/// classes.
#[derive(Debug, Clone, Default)]
pub struct JointTargets {
    /// The columns.
    pub columns: Vec<TargetColumn>,
    /// The codes of each joint target: those of the columns, then its combinations.
    pub(super) joint: Vec<u32>,
    pub(super) index: JointIndex,
    /// How many columns are counted value by value.
    dense: usize,
    has_units: bool,
    combinations: Vec<ValueCombination>,
}

/// What is counted together: people, what is known, and a value.
#[derive(Debug, Clone, Default)]
struct ValueCombination {
    /// The columns whose values are known.
    known: Vec<usize>,
    /// The sensitive column; without one the known values are counted.
    of: Option<usize>,
    /// What is known and the value, of each combination.
    values: Arc<[(u32, u32, u32)]>,
}

impl JointTargets {
    /// The columns that a question asks for, of which nothing is counted yet.
    pub(super) fn new(columns: Vec<TargetColumn>, spec: &ProblemSpec) -> Self {
        let place = |name: &String| columns.iter().position(|column| column.name == *name);
        let narrowing: Vec<usize> = spec.narrowing.iter().filter_map(place).collect();
        let has_units = spec.unit.is_some();
        let mut sensitive: Vec<usize> =
            spec.models.iter().filter_map(|(name, _)| place(name)).collect();
        sensitive.sort_unstable();
        sensitive.dedup();
        let mut combinations: Vec<ValueCombination> = Vec::new();
        for of in sensitive {
            // What a column tells of itself adds nothing to a model of it.
            let known: Vec<usize> = narrowing.iter().copied().filter(|&it| it != of).collect();
            if has_units || !known.is_empty() {
                combinations.push(ValueCombination { known, of: Some(of), ..Default::default() });
            }
        }
        if !narrowing.is_empty() {
            combinations.push(ValueCombination { known: narrowing, ..Default::default() });
        }
        let dense = spec.targets.len();
        JointTargets { columns, dense, has_units, combinations, ..JointTargets::default() }
    }

    /// How many codes a joint target has.
    fn width(&self) -> usize {
        self.columns.len() + self.combinations.len()
    }

    /// How many columns are counted value by value; units, known values and combinations, of which there are very many,
    /// are not.
    pub(crate) fn dense(&self) -> usize {
        self.dense
    }

    /// The place of the unit of protection in a joint target, where there is one.
    pub(crate) fn unit(&self) -> Option<usize> {
        self.has_units.then_some(self.dense)
    }

    /// How many values there are of each code of a joint target.
    pub(crate) fn widths(&self) -> Vec<usize> {
        let combinations = self.combinations.iter().map(|it| it.values.len());
        self.columns.iter().map(|column| column.domain.len()).chain(combinations).collect()
    }

    /// The codes of a joint target, one per column, and one per pair of a unit and a sensitive value.
    #[inline]
    pub fn of(&self, target: u32) -> &[u32] {
        let width = self.width();
        &self.joint[target as usize * width..(target as usize + 1) * width]
    }

    /// The joint target with these codes.
    pub fn find(&self, codes: &[u32]) -> Option<u32> {
        self.index.get(codes).copied()
    }

    /// An empty tally over these columns.
    pub fn tally(&self) -> ClassTally {
        let dense = self.dense();
        let domains = self.columns[..dense].iter().map(|column| column.domain.len());
        ClassTally::new(&domains.collect::<Vec<_>>(), self.width() - dense)
    }

    /// Numbers the combinations of the joint targets.
    pub(super) fn combine(&mut self) {
        if self.combinations.is_empty() {
            return;
        }
        let (width, unit) = (self.columns.len(), self.has_units.then_some(self.dense));
        let codes = std::mem::take(&mut self.joint);
        let none = || vec![JointIndex::default(); self.combinations.len()];
        let (mut numbers, mut known) = (none(), none());
        let mut values: Vec<Vec<(u32, u32, u32)>> = vec![Vec::new(); self.combinations.len()];
        for joint in codes.chunks_exact(width) {
            self.joint.extend_from_slice(joint);
            for (at, ValueCombination { known: columns, of, .. }) in
                self.combinations.iter().enumerate()
            {
                let mut key: Vec<u32> = columns.iter().map(|&column| joint[column]).collect();
                let next = known[at].len() as u32;
                let shared = *known[at].entry(key.clone()).or_insert(next);
                key.extend(of.iter().chain(&unit).map(|&column| joint[column]));
                let next = numbers[at].len() as u32;
                let number = *numbers[at].entry(key).or_insert(next);
                if number == next {
                    let whose = unit.map_or(0, |unit| joint[unit]);
                    values[at].push(match of {
                        Some(of) => (shared, joint[*of], whose),
                        None => (0, shared, whose),
                    });
                }
                self.joint.push(number);
            }
        }
        for (combination, values) in self.combinations.iter_mut().zip(values) {
            combination.values = values.into();
        }
    }

    /// Whether somebody has rows in several of the profiles.
    pub(super) fn is_scattered(&self, cells: &Profiles) -> bool {
        if !self.has_units {
            return false;
        }
        let unit = self.dense;
        let mut cell_of = vec![None; self.columns[unit].domain.len()];
        let mut scattered = false;
        for cell in 0..cells.len() {
            for &(target, _) in cells.targets(cell) {
                let place = &mut cell_of[self.of(target)[unit] as usize];
                scattered |= place.is_some_and(|other| other != cell);
                *place = Some(cell);
            }
        }
        scattered
    }

    /// What a requirement on a sensitive column counts.
    pub(super) fn counted(&self, column: usize) -> CountingBasis {
        match self.combinations.iter().position(|it| it.of == Some(column)) {
            Some(at) => {
                CountingBasis::Combined(self.combined(self.columns.len() - self.dense + at))
            }
            None => CountingBasis::Rows,
        }
    }

    /// What k counts for whoever knows the columns that narrow classes, if there are any, and the first of these.
    pub(super) fn narrowed(&self) -> Option<(usize, CombinedValues)> {
        let at = self.combinations.iter().position(|it| it.of.is_none())?;
        let first = *self.combinations[at].known.first()?;
        Some((first, self.combined(self.columns.len() - self.dense + at)))
    }

    /// For each joint target the number of the combination of values that narrow classes, if any do.
    pub(crate) fn narrowing_of_targets(&self) -> Option<Vec<u32>> {
        let at = self.combinations.iter().position(|it| it.of.is_none())?;
        let values = &self.combinations[at].values;
        let targets = self.joint.chunks_exact(self.width().max(1));
        Some(targets.map(|codes| values[codes[self.columns.len() + at] as usize].1).collect())
    }

    /// What a tally counts of combinations in one of its places for many values.
    pub(super) fn combined(&self, at: usize) -> CombinedValues {
        let combination = &self.combinations[at + self.dense - self.columns.len()];
        CombinedValues { at, values: Arc::clone(&combination.values), by_units: self.has_units }
    }

    /// The places of the columns that narrow classes.
    pub(crate) fn narrowing_places(&self) -> &[usize] {
        let narrowing = self.combinations.iter().find(|it| it.of.is_none());
        narrowing.map_or(&[], |it| &it.known)
    }

    /// The columns that narrow classes.
    pub fn narrowing(&self) -> impl Iterator<Item = &TargetColumn> {
        self.narrowing_places().iter().map(|&at| &self.columns[at])
    }
}
