//! The rows that the search moves about.

use super::LabelPricing;
use super::prices::LocalPrices;
use crate::problem::Problem;
use crate::recoding::ProfileShare;
use crate::space::rows::MovableRows;

/// The rows, one by one: those of a cell and label lie next to each other.
pub(super) struct LocalRows<'a> {
    pub(super) problem: &'a Problem,
    pub(super) prices: LocalPrices<'a>,
    movable: MovableRows,
}

impl<'a> LocalRows<'a> {
    pub(super) fn new(problem: &'a Problem, labels: LabelPricing) -> Self {
        LocalRows {
            problem,
            prices: LocalPrices::new(problem, labels),
            movable: MovableRows::of(problem),
        }
    }

    /// Rows that are a group of their own for good, by cell.
    pub(super) fn settled(&self) -> &[ProfileShare] {
        &self.movable.settled
    }

    pub(super) fn len(&self) -> usize {
        self.movable.cells.len()
    }

    #[inline]
    pub(super) fn cell(&self, row: u32) -> u32 {
        self.movable.cells[row as usize]
    }

    /// The rows of each cell.
    pub(super) fn by_cell(&self) -> Vec<Vec<u32>> {
        let cells = self.movable.first.windows(2);
        cells.map(|ends| (ends[0]..ends[1]).collect()).collect()
    }

    /// The joint target of a row, 0 where there are none.
    #[inline]
    pub(super) fn label(&self, row: u32) -> u32 {
        self.movable.labels[row as usize]
    }

    #[inline]
    pub(super) fn code(&self, attribute: usize, row: u32) -> u32 {
        self.problem.cells.code(attribute, self.cell(row) as usize)
    }

    /// The codes of the label columns of a row.
    #[inline]
    pub(super) fn label_codes(&self, row: u32) -> &[u32] {
        self.problem.targets.of(self.label(row))
    }

    /// What rows cost as a group.
    pub(super) fn cost(&self, group: &[u32]) -> f64 {
        let mut price = 0.0;
        let mut codes = Vec::with_capacity(group.len());
        for (number, set) in self.prices.sets.iter().enumerate() {
            codes.clear();
            codes.extend(group.iter().map(|&row| self.code(set.at, row)));
            codes.sort_unstable();
            codes.dedup();
            price += self.prices.of_values(number, &codes);
        }
        for span in &self.prices.spans {
            let codes = || group.iter().map(|&row| self.code(span.at, row));
            if let (Some(low), Some(high)) = (codes().min(), codes().max()) {
                price += span.of(low, high);
            }
        }
        f64::from(price) * group.len() as f64
    }
}
