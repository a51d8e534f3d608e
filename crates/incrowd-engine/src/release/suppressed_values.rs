//! Which values the suppressed rows had.

use super::classes::ClassAssignment;
use super::{Release, SuppressionMode};
use crate::problem::Problem;
use crate::recoding::OUTSIDE;

/// How many rows have each value of a column, and how many of these are suppressed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuppressedCounts {
    /// Rows of the table, by code.
    pub rows: Vec<u64>,
    /// Those of them that are suppressed.
    pub suppressed: Vec<u64>,
}

impl SuppressedCounts {
    fn of(values: usize) -> Self {
        SuppressedCounts { rows: vec![0; values], suppressed: vec![0; values] }
    }

    fn add(&mut self, code: u32, rows: u64, suppressed: bool) {
        self.rows[code as usize] += rows;
        if suppressed {
            self.suppressed[code as usize] += rows;
        }
    }
}

/// The values of suppressed rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppressedValues {
    /// By attribute. Rows that are released with every quasi-identifier blank have lost these values, too.
    pub attributes: Vec<SuppressedCounts>,
    /// By target column: only rows that are left out have lost theirs.
    pub targets: Vec<SuppressedCounts>,
    /// How many rows have lost their quasi-identifiers.
    pub suppressed: u64,
    /// How many rows are left out.
    pub dropped: u64,
}

impl Release {
    /// Counts the values of the rows that this release of a problem suppresses.
    pub fn lost(&self, problem: &Problem) -> SuppressedValues {
        let attributes = problem.attributes.iter().map(|of| SuppressedCounts::of(of.domain.len()));
        let targets =
            problem.targets.columns.iter().map(|of| SuppressedCounts::of(of.domain.len()));
        let mut lost = SuppressedValues {
            attributes: attributes.collect(),
            targets: targets.collect(),
            suppressed: 0,
            dropped: 0,
        };
        let cells = &problem.cells;
        // Suppressed, and left out.
        let fate = |class: u32| match self.classes.released.get(class as usize) {
            _ if class == OUTSIDE => (true, true),
            Some(false) => (true, self.suppressed == SuppressionMode::Drop),
            _ => (false, false),
        };
        let add_cell =
            |lost: &mut SuppressedValues, cell: usize, rows: u64, (gone, out): (bool, bool)| {
                for (at, of) in lost.attributes.iter_mut().enumerate() {
                    of.add(cells.code(at, cell), rows, gone);
                }
                lost.suppressed += if gone { rows } else { 0 };
                lost.dropped += if out { rows } else { 0 };
            };
        let add_target = |lost: &mut SuppressedValues, target: u32, rows: u64, out: bool| {
            for (of, &code) in lost.targets.iter_mut().zip(problem.targets.of(target)) {
                of.add(code, rows, out);
            }
        };
        let targets = !problem.targets.columns.is_empty();
        match &self.classes.assignment {
            ClassAssignment::Cells(class_of) => {
                for (cell, &class) in class_of.iter().enumerate() {
                    let fate = fate(class);
                    add_cell(&mut lost, cell, cells.counts()[cell], fate);
                    if targets {
                        for &(target, rows) in cells.targets(cell) {
                            add_target(&mut lost, target, rows, fate.1);
                        }
                    }
                }
            }
            ClassAssignment::Shares(shares) => {
                for share in shares {
                    let fate = fate(share.class);
                    add_cell(&mut lost, share.cell as usize, share.count, fate);
                    if targets {
                        add_target(&mut lost, share.target, share.count, fate.1);
                    }
                }
            }
        }
        lost
    }
}
