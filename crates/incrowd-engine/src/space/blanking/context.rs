//! Rows, what a blank costs, and the way from groups of rows to a recoding.

use crate::cost::Metric;
use crate::problem::Problem;
use crate::recoding::{BoxAssignment, BoxSet, OUTSIDE, ProfileShare, Recoding};
use crate::space::rows::MovableRows;
use crate::value::Group;

/// The rows that a search may move about, and what their blanks cost.
pub(crate) struct BlankingContext<'a> {
    pub(crate) problem: &'a Problem,
    /// What a blank costs in each column.
    pub(crate) weights: Vec<f64>,
    /// What the problem's metric charges for a blank of weight 1, if all that it charges for is blanks.
    pub(crate) unit: Option<f64>,
    /// Most rows that may be suppressed.
    pub(crate) limit: usize,
    /// What a value costs that is kept, by column and code; empty where kept values cost nothing.
    kept: Vec<Vec<f64>>,
    rows: MovableRows,
}

/// Groups of rows, and the rows that are suppressed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RowGrouping {
    pub(crate) groups: Vec<Vec<u32>>,
    pub(crate) out: Vec<u32>,
}

impl<'a> BlankingContext<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Self {
        let (weights, unit) = weights(problem);
        BlankingContext {
            problem,
            weights,
            unit,
            // Suppression is asked for, or there is none.
            limit: problem.limit.rows(problem.rows, 0) as usize,
            kept: Vec::new(),
            rows: MovableRows::of(problem),
        }
    }

    /// The rows of a table that is recoded already: a blank has its price in each column, and so has
    /// every value that is kept.
    pub(crate) fn of_recoded(
        problem: &'a Problem,
        blank: Vec<f64>,
        kept: Vec<Vec<f64>>,
        limit: u64,
    ) -> Self {
        let rows = MovableRows::of(problem);
        BlankingContext { problem, weights: blank, unit: None, limit: limit as usize, kept, rows }
    }

    /// What a row of a cell pays for the values that a mask keeps.
    #[inline]
    pub(crate) fn kept_price(&self, cell: u32, mask: u64) -> f64 {
        let kept = self.kept.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 0);
        kept.map(|(at, prices)| prices[self.problem.cells.code(at, cell as usize) as usize]).sum()
    }

    pub(crate) fn k(&self) -> usize {
        self.problem.privacy.least_crowd() as usize
    }

    /// How many rows may be moved about.
    pub(crate) fn len(&self) -> usize {
        self.rows.cells.len()
    }

    pub(crate) fn columns(&self) -> usize {
        self.weights.len()
    }

    #[inline]
    pub(crate) fn cell(&self, row: u32) -> u32 {
        self.rows.cells[row as usize]
    }

    #[inline]
    pub(crate) fn code(&self, column: usize, row: u32) -> u32 {
        self.problem.cells.code(column, self.cell(row) as usize)
    }

    /// The rows of a cell that may be moved about.
    #[inline]
    pub(crate) fn rows_of(&self, cell: u32) -> std::ops::Range<u32> {
        self.rows.first[cell as usize]..self.rows.first[cell as usize + 1]
    }

    /// The codes of the label columns of a row.
    pub(crate) fn label_codes(&self, row: u32) -> &[u32] {
        self.problem.targets.of(self.rows.labels[row as usize])
    }

    /// How many rows of each cell stay as they are.
    pub(crate) fn settled(&self) -> Vec<u32> {
        let mut settled = vec![0; self.problem.cells.len()];
        for share in &self.rows.settled {
            settled[share.cell as usize] += share.count as u32;
        }
        settled
    }

    /// What a row costs that is blank throughout.
    pub(crate) fn whole(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The columns in which the rows of a group differ.
    pub(crate) fn differing<'b>(&'b self, group: &'b [u32]) -> impl Iterator<Item = usize> + 'b {
        (0..self.columns()).filter(move |&column| {
            let mut codes = group.iter().map(|&row| self.code(column, row));
            let first = codes.next();
            codes.any(|code| Some(code) != first)
        })
    }

    /// What the blanks of groups and of suppressed rows cost.
    pub(crate) fn cost(&self, grouping: &RowGrouping) -> f64 {
        let each = grouping.groups.iter().map(|group| {
            let Some(&first) = group.first() else { return 0.0 };
            let (mut blank, mut kept) = (0.0, 0.0);
            let mut differing = self.differing(group).peekable();
            for at in 0..self.columns() {
                if differing.next_if_eq(&at).is_some() {
                    blank += self.weights[at];
                } else if let Some(prices) = self.kept.get(at) {
                    kept += prices[self.code(at, first) as usize];
                }
            }
            group.len() as f64 * (blank + kept)
        });
        each.sum::<f64>() + grouping.out.len() as f64 * self.whole()
    }

    /// The groups as classes: those with the fewest blanks first, so that new rows get as many values as
    /// some class allows.
    pub(crate) fn recoding(&self, grouping: &RowGrouping) -> Recoding {
        let kept = |row: u32, blank: &[usize]| -> Vec<Group> {
            let code = |at| self.code(at, row);
            (0..self.columns())
                .map(|at| if blank.contains(&at) { Group::Blank } else { single(code(at)) })
                .collect()
        };
        let mut order: Vec<(f64, &[u32], Vec<usize>)> = grouping
            .groups
            .iter()
            .filter(|group| !group.is_empty())
            .map(|group| {
                let blank: Vec<usize> = self.differing(group).collect();
                (blank.iter().map(|&at| self.weights[at]).sum(), group.as_slice(), blank)
            })
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut boxes = BoxSet::new(self.columns());
        let mut shares: Vec<ProfileShare> = Vec::with_capacity(self.len());
        for settled in &self.rows.settled {
            let class = boxes.len() as u32;
            let code = |at| self.problem.cells.code(at, settled.cell as usize);
            boxes.push((0..self.columns()).map(|at| single(code(at))));
            shares.push(ProfileShare { class, ..*settled });
        }
        for (_, group, blank) in order {
            let class = boxes.len() as u32;
            boxes.push(kept(group[0], &blank).into_iter());
            shares.extend(group.iter().map(|&row| self.share(row, class)));
        }
        shares.extend(grouping.out.iter().map(|&row| self.share(row, OUTSIDE)));
        Recoding::Cellwise(BoxAssignment::of_rows(boxes, shares))
    }

    fn share(&self, row: u32, class: u32) -> ProfileShare {
        ProfileShare {
            cell: self.cell(row),
            target: self.rows.labels[row as usize],
            class,
            count: 1,
        }
    }

    /// Rows released each with the columns that its own mask names blank.
    pub(crate) fn masked(&self, masks: &[u64]) -> Recoding {
        let mut boxes = BoxSet::new(self.columns());
        let mut shares: Vec<ProfileShare> = Vec::with_capacity(self.len());
        let mut rows: Vec<(u64, u32)> = masks.iter().copied().zip(0..self.len() as u32).collect();
        rows.sort_unstable_by_key(|&(mask, row)| (mask.count_ones(), self.cell(row), mask, row));
        let mut last = None;
        for (mask, row) in rows {
            if last != Some((mask, self.cell(row))) {
                last = Some((mask, self.cell(row)));
                boxes.push((0..self.columns()).map(|at| {
                    if mask >> at & 1 == 1 { Group::Blank } else { single(self.code(at, row)) }
                }));
            }
            shares.push(self.share(row, boxes.len() as u32 - 1));
        }
        for settled in &self.rows.settled {
            let code = |at| self.problem.cells.code(at, settled.cell as usize);
            boxes.push((0..self.columns()).map(|at| single(code(at))));
            shares.push(ProfileShare { class: boxes.len() as u32 - 1, ..*settled });
        }
        Recoding::Cellwise(BoxAssignment::of_rows(boxes, shares))
    }
}

fn single(code: u32) -> Group {
    Group::Range { first: code, last: code }
}

/// What a blank costs in each column, and what the problem's metric charges for a blank of weight 1: none
/// if it charges for anything else.
fn weights(problem: &Problem) -> (Vec<f64>, Option<f64>) {
    let attributes = &problem.attributes;
    let own: Vec<f64> = attributes.iter().map(|attribute| attribute.weight).collect();
    let weights = match problem.metric {
        Metric::Blanks | Metric::Ncp | Metric::Loss => own,
        Metric::Precision => vec![1.0; own.len()],
        _ => return (own, None),
    };
    let price = problem.group_prices(problem.metric);
    let free = attributes.iter().enumerate().all(|(at, attribute)| {
        (0..attribute.domain.len() as u32).all(|code| price.of(at, &single(code)) == 0.0)
    });
    let unit = price.of(0, &Group::Blank) / weights[0];
    let even = weights
        .iter()
        .enumerate()
        .all(|(at, weight)| (price.of(at, &Group::Blank) / weight - unit).abs() <= 1e-9 * unit);
    (weights, (free && even).then_some(unit))
}
