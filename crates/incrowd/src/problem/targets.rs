//! The class and sensitive columns, which models and the classification metric look at.

use std::sync::Arc;

use crate::privacy::{Counted, Tally};
use crate::table::{Cells, JointIndex};
use crate::value::Domain;

/// A class or sensitive column.
#[derive(Debug, Clone)]
pub struct TargetColumn {
    /// The column's name.
    pub name: String,
    /// Its ordered values.
    pub domain: Domain,
}

/// The class and sensitive columns. A *joint target* is a combination of their values; cells and
/// classes count joint targets, each model looks at one column of them.
///
/// Where people are protected who may have several rows, the last column is the one that tells them apart.
#[derive(Debug, Clone, Default)]
pub struct Targets {
    /// The columns.
    pub columns: Vec<TargetColumn>,
    /// The codes of each joint target: those of the columns, then its pairs.
    pub(super) joint: Vec<u32>,
    pub(super) index: JointIndex,
    pub(super) units: Option<Units>,
}

/// The units of protection: people or households.
#[derive(Debug, Clone, Default)]
pub(super) struct Units {
    /// The sensitive columns whose values are counted by units, each with the value of each pair of unit and value.
    pub(super) pairs: Vec<(usize, Arc<[u32]>)>,
}

impl Targets {
    /// How many codes a joint target has.
    fn width(&self) -> usize {
        self.columns.len() + self.units.as_ref().map_or(0, |units| units.pairs.len())
    }

    /// How many columns are counted value by value; units and pairs, of which there are very many, are not.
    pub(crate) fn dense(&self) -> usize {
        self.columns.len() - usize::from(self.units.is_some())
    }

    /// How many values there are of each code of a joint target.
    pub(crate) fn widths(&self) -> Vec<usize> {
        let pairs =
            self.units.iter().flat_map(|units| &units.pairs).map(|(_, values)| values.len());
        self.columns.iter().map(|column| column.domain.len()).chain(pairs).collect()
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
    pub fn tally(&self) -> Tally {
        let dense = self.dense();
        let domains = self.columns[..dense].iter().map(|column| column.domain.len());
        Tally::new(&domains.collect::<Vec<_>>(), self.width() - dense)
    }

    /// Counts the values of these columns by units, which the last column tells apart. Returns whether a unit has rows in
    /// several of the `cells`.
    pub(super) fn count_units(&mut self, mut sensitive: Vec<usize>, cells: &Cells) -> bool {
        sensitive.sort_unstable();
        sensitive.dedup();
        let (width, unit) = (self.columns.len(), self.columns.len() - 1);
        let codes = std::mem::take(&mut self.joint);
        let mut known = vec![JointIndex::default(); sensitive.len()];
        let mut values: Vec<Vec<u32>> = vec![Vec::new(); sensitive.len()];
        for joint in codes.chunks_exact(width) {
            self.joint.extend_from_slice(joint);
            for (at, &column) in sensitive.iter().enumerate() {
                let next = known[at].len() as u32;
                let pair = *known[at].entry(vec![joint[unit], joint[column]]).or_insert(next);
                if pair == next {
                    values[at].push(joint[column]);
                }
                self.joint.push(pair);
            }
        }
        let values = values.into_iter().map(Arc::from);
        self.units = Some(Units { pairs: sensitive.into_iter().zip(values).collect() });
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
    pub(super) fn counted(&self, column: usize) -> Counted {
        let pairs = self.units.iter().flat_map(|units| &units.pairs).enumerate();
        match pairs.into_iter().find(|(_, (of, _))| *of == column) {
            // The units themselves come first.
            Some((at, (_, values))) => {
                Counted::UnitsWithValue { at: at + 1, values: Arc::clone(values) }
            }
            None => Counted::Rows,
        }
    }
}
