//! Distinct rows: what is the same in every column is looked at once.

use super::AnalysisColumn;

/// The distinct rows of a table, by codes, or of a release, by labels.
#[derive(Debug, Clone)]
pub(super) struct DistinctLooks {
    width: usize,
    ids: Vec<u32>,
    /// How many rows are so.
    pub(super) rows: Vec<f64>,
    /// What they weigh together.
    pub(super) weights: Vec<f64>,
    /// The distinct row of each row.
    pub(super) of_row: Vec<u32>,
}

impl DistinctLooks {
    pub(super) fn new(columns: &[AnalysisColumn], weights: &[f64], released: bool) -> Self {
        let of = |column: &AnalysisColumn, row: usize| match released {
            true => column.released[row],
            false => column.original[row],
        };
        let width = columns.len();
        let key = |row: usize| columns.iter().map(move |column| of(column, row));
        let mut order: Vec<u32> = (0..weights.len() as u32).collect();
        // In the order of their values, so that the order of rows does not matter.
        order.sort_by(|&a, &b| key(a as usize).cmp(key(b as usize)).then(a.cmp(&b)));
        let mut looks = DistinctLooks {
            width,
            ids: Vec::new(),
            rows: Vec::new(),
            weights: Vec::new(),
            of_row: vec![0; weights.len()],
        };
        for row in order {
            let row = row as usize;
            let known = looks.ids.len().checked_sub(width).is_some_and(|start| {
                !looks.rows.is_empty() && key(row).eq(looks.ids[start..].iter().copied())
            });
            if !known {
                looks.ids.extend(key(row));
                looks.rows.push(0.0);
                looks.weights.push(0.0);
            }
            let at = looks.rows.len() - 1;
            looks.rows[at] += 1.0;
            looks.weights[at] += weights[row];
            looks.of_row[row] = at as u32;
        }
        looks
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// What a distinct row has in every column.
    pub(super) fn ids(&self, look: usize) -> &[u32] {
        &self.ids[look * self.width..(look + 1) * self.width]
    }

    /// What every distinct row has in a column.
    pub(super) fn column(&self, at: usize) -> impl Iterator<Item = u32> + '_ {
        self.ids.iter().skip(at).step_by(self.width.max(1)).copied()
    }
}
