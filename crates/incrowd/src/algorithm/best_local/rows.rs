//! The rows that the search moves about.

use super::prices::Prices;
use crate::problem::Problem;
use crate::recoding::Share;

/// The rows, one by one: those of a cell and label lie next to each other.
pub(super) struct Rows<'a> {
    pub(super) problem: &'a Problem,
    pub(super) prices: Prices<'a>,
    cells: Vec<u32>,
    labels: Vec<u32>,
    /// Rows that are a group of their own for good, by cell.
    pub(super) settled: Vec<Share>,
}

/// A cell with at least so many times k identical rows keeps one k less to be moved about: the others
/// stay together, which costs nothing.
const PLENTY: u64 = 4;

impl<'a> Rows<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let cells = &problem.cells;
        let k = problem.privacy.k;
        let mut rows = Rows {
            problem,
            prices: Prices::new(problem),
            cells: Vec::new(),
            labels: Vec::new(),
            settled: Vec::new(),
        };
        for (cell, &count) in cells.counts().iter().enumerate() {
            let free = problem.privacy.requirements.is_empty();
            let plenty = free && u64::from(count) >= PLENTY * k;
            let mut moved = if plenty { (PLENTY - 1) * k } else { u64::from(count) } as u32;
            let unlabelled = [(0, count)];
            let labels = if cells.labelled() { cells.labels(cell) } else { &unlabelled };
            for &(label, count) in labels {
                let here = count.min(moved);
                moved -= here;
                rows.cells.extend((0..here).map(|_| cell as u32));
                rows.labels.extend((0..here).map(|_| label));
                if here < count {
                    // The class is filled in when all groups have theirs.
                    let rest = count - here;
                    rows.settled.push(Share { cell: cell as u32, label, class: 0, count: rest });
                }
            }
        }
        rows
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    #[inline]
    pub(super) fn cell(&self, row: u32) -> u32 {
        self.cells[row as usize]
    }

    /// The joint label of a row, 0 where there are none.
    #[inline]
    pub(super) fn label(&self, row: u32) -> u32 {
        self.labels[row as usize]
    }

    #[inline]
    pub(super) fn code(&self, attribute: usize, row: u32) -> u32 {
        self.problem.cells.code(attribute, self.cell(row) as usize)
    }

    /// The codes of the label columns of a row.
    #[inline]
    pub(super) fn label_codes(&self, row: u32) -> &[u32] {
        self.problem.labels.of(self.label(row))
    }

    /// What rows cost as a group.
    pub(super) fn cost(&self, group: &[u32]) -> f64 {
        let mut price = 0.0;
        let mut codes = Vec::with_capacity(group.len());
        for set in &self.prices.sets {
            codes.clear();
            codes.extend(group.iter().map(|&row| self.code(set.at, row)));
            codes.sort_unstable();
            codes.dedup();
            let mixed = codes.len() > 1 && set.missing == codes.first().copied();
            price += set.of(codes.len() as u32, mixed);
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
