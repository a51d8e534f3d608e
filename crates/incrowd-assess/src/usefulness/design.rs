//! Columns of a model: numbers as they are, categories as one column each.

use super::column::{AnalysisColumn, CategoryGroups, GroupShares, filled, filled_shares};
use super::linear::ModelRows;
use super::rows::DistinctLooks;
use super::{AnalysisTable, DESIGN_CATEGORIES};

/// What a coefficient is of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DesignTerm {
    /// The column.
    pub(super) column: usize,
    /// The category, where it is one; an empty name is no value, none is all other values.
    pub(super) category: Option<Option<String>>,
    /// What a number is divided by.
    pub(super) scale: f64,
}

/// The columns of a model for a table and its release: for each side, column and value what stands in the model.
pub(super) struct DesignMatrix {
    pub(super) terms: Vec<DesignTerm>,
    blocks: [Vec<Vec<GroupShares>>; 2],
}

impl DesignMatrix {
    /// Main effects of some columns. Columns of which a side tells nothing are left out.
    pub(super) fn new(
        table: &AnalysisTable,
        columns: impl Iterator<Item = usize>,
        least: u64,
    ) -> Self {
        let mut design = DesignMatrix {
            terms: Vec::new(),
            blocks: [0, 1].map(|_| vec![Vec::new(); table.columns.len()]),
        };
        for at in columns {
            let column = &table.columns[at];
            let added = match column.is_numeric() {
                true => design.number(table, at),
                false => design.category(table, at, &column.categories(DESIGN_CATEGORIES, least)),
            };
            if added.is_none() {
                design.blocks.iter_mut().for_each(|side| side[at].clear());
            }
        }
        design
    }

    fn number(&mut self, table: &AnalysisTable, at: usize) -> Option<()> {
        let column = &table.columns[at];
        let expected = column.expected()?;
        let sides = sides(column);
        let mut values = Vec::new();
        for side in [0, 1] {
            values.push(filled(&expected[side], sides[side], &table.weights[side])?);
        }
        let ones = sides[0].len() as f64;
        let of = |&code: &u32| values[0][code as usize];
        let mean = column.original.iter().map(of).sum::<f64>() / ones;
        let squares: f64 = column.original.iter().map(|code| (of(code) - mean).powi(2)).sum();
        let scale = (squares / ones).sqrt();
        if !(scale.is_finite() && scale > 0.0) {
            return None;
        }
        let term = self.terms.len() as u32 + 1;
        for (side, values) in values.iter().enumerate() {
            let block = values.iter().map(|value| vec![(term, (value - mean) / scale)]);
            self.blocks[side][at] = block.collect();
        }
        self.terms.push(DesignTerm { column: at, category: None, scale });
        Some(())
    }

    fn category(
        &mut self,
        table: &AnalysisTable,
        at: usize,
        groups: &CategoryGroups,
    ) -> Option<()> {
        let column = &table.columns[at];
        let first = self.terms.len() as u32;
        let shares = column.shares(&groups.of_code, |_| None);
        let sides = sides(column);
        let mut blocks = Vec::new();
        for side in [0, 1] {
            let weights = &table.weights[side];
            let known = filled_shares(&shares[side], sides[side], weights, groups.names.len())?;
            // The most frequent category is the one that others are compared with.
            let block = |shares: &GroupShares| -> GroupShares {
                let others = shares.iter().filter(|(group, _)| *group > 0);
                others.map(|&(group, share)| (first + group, share)).collect()
            };
            blocks.push(known.iter().map(block).collect());
        }
        for (side, block) in blocks.into_iter().enumerate() {
            self.blocks[side][at] = block;
        }
        let terms = groups.names.iter().skip(1).cloned();
        self.terms.extend(terms.map(|name| DesignTerm {
            column: at,
            category: Some(name),
            scale: 1.0,
        }));
        Some(())
    }

    /// How many columns the model has, the intercept included.
    pub(super) fn width(&self) -> usize {
        self.terms.len() + 1
    }

    /// What stands in the model for a value, or a label, of a column; nothing for one that is unknown.
    pub(super) fn entries(&self, side: usize, column: usize, id: u32) -> &[(u32, f64)] {
        self.blocks[side][column].get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// Adds the rows of a side; `outcome` tells what is predicted of a row by what it has in every column, if that is known.
    pub(super) fn add(
        &self,
        model: &mut ModelRows,
        looks: &DistinctLooks,
        side: usize,
        weighted: bool,
        outcome: impl Fn(&[u32]) -> Option<f64>,
    ) {
        for look in 0..looks.len() {
            let ids = looks.ids(look);
            let Some(outcome) = outcome(ids) else { continue };
            let blocks = ids.iter().zip(&self.blocks[side]);
            let entries =
                blocks.filter_map(|(&id, block)| block.get(id as usize)).flatten().copied();
            let weight = if weighted { looks.weights[look] } else { looks.rows[look] };
            model.push(entries, outcome, weight, looks.rows[look]);
        }
    }
}

/// What the rows of a column have, before and after.
pub(super) fn sides(column: &AnalysisColumn) -> [&[u32]; 2] {
    [&column.original, &column.released]
}
