//! Pieces of a table: the rows that parts of it consist of.

use crate::problem::Problem;

/// Some rows of a cell; all of them unless they have been dealt out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProfileRows {
    pub(crate) cell: u32,
    pub(crate) label: u32,
    pub(crate) count: u64,
}

/// The whole table. Targets matter to a class only if a model looks at them, or if rows of one cell may go
/// different ways.
pub(crate) fn pieces(problem: &Problem, by_label: bool) -> Vec<ProfileRows> {
    let cells = &problem.cells;
    let mut pieces = Vec::with_capacity(cells.len());
    for (cell, &count) in cells.counts().iter().enumerate() {
        let cell_at = cell as u32;
        if by_label && cells.has_targets() {
            let labels = cells.targets(cell).iter();
            pieces.extend(labels.map(|&(label, count)| ProfileRows {
                cell: cell_at,
                label,
                count,
            }));
        } else {
            pieces.push(ProfileRows { cell: cell_at, label: 0, count });
        }
    }
    pieces
}

/// A part of the table that was cut no further.
pub(crate) type TablePart = Vec<ProfileRows>;
