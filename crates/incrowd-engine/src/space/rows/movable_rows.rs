//! Rows one by one, for the searches that put rows rather than values together.

use crate::problem::Problem;
use crate::recoding::ProfileShare;

/// The rows that a search may move about: those of a cell and label lie next to each other.
pub(crate) struct MovableRows {
    /// The cell of each row.
    pub(crate) cells: Vec<u32>,
    /// The joint target of each row, 0 where there are none.
    pub(crate) labels: Vec<u32>,
    /// Where each cell's rows begin, and where the last one's end.
    pub(crate) first: Vec<u32>,
    /// Rows that are a class of their own for good, by cell. Their class is filled in when all groups have
    /// theirs.
    pub(crate) settled: Vec<ProfileShare>,
}

/// A cell with at least so many times k identical rows keeps one k less to be moved about: the others stay
/// together as they are, which costs nothing.
const PLENTY: u64 = 4;

/// In a table of up to so many rows all may be moved about, since any of them may be the company that
/// another row needs: what is proven of such a table is proven of all of its rows.
pub(crate) const SMALL: u64 = 64;

impl MovableRows {
    pub(crate) fn of(problem: &Problem) -> Self {
        let (cells, k) = (&problem.cells, problem.privacy.least_crowd());
        let sets_aside = problem.rows > SMALL && problem.privacy.is_by_size();
        let mut rows = MovableRows {
            cells: Vec::new(),
            labels: Vec::new(),
            first: vec![0],
            settled: Vec::new(),
        };
        for (cell, &count) in cells.counts().iter().enumerate() {
            let plenty = sets_aside && count >= PLENTY.saturating_mul(k);
            let mut moved = if plenty { (PLENTY - 1) * k } else { count };
            let unlabelled = [(0, count)];
            let labels = if cells.has_targets() { cells.targets(cell) } else { &unlabelled };
            for &(label, count) in labels {
                let here = count.min(moved);
                moved -= here;
                rows.cells.extend((0..here).map(|_| cell as u32));
                rows.labels.extend((0..here).map(|_| label));
                if here < count {
                    let rest = count - here;
                    rows.settled.push(ProfileShare {
                        cell: cell as u32,
                        target: label,
                        class: 0,
                        count: rest,
                    });
                }
            }
            rows.first.push(rows.cells.len() as u32);
        }
        rows
    }
}
