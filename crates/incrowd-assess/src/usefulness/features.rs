//! Tables as learners see them: numbers as they are, categories as one column each.

use super::AnalysisTable;
use super::design::DesignMatrix;

/// The columns of a model for a release, its original and rows that are in neither, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningFeatures {
    /// What each column is of: a name, and for a category also the value.
    pub names: Vec<String>,
    /// The rows of the release, one after another.
    pub release: Vec<f64>,
    /// Those of the original.
    pub original: Vec<f64>,
    /// Those of the rows that are in neither.
    pub test: Vec<f64>,
}

impl AnalysisTable {
    /// The columns of a model; `test` has for every column the codes of further rows, of which some may be unknown. Numbers are
    /// standardized by the original; a category counts for the share of the label that it is.
    pub fn features(&self, least: u64, test: &[Vec<u32>]) -> LearningFeatures {
        let design = DesignMatrix::new(self, 0..self.columns.len(), least);
        let width = design.terms.len();
        let name = |term: &super::design::DesignTerm| {
            let column = &self.columns[term.column].name;
            match &term.category {
                None => column.clone(),
                Some(category) => format!("{column}={}", category.as_deref().unwrap_or("*")),
            }
        };
        let rows = |side: usize, rows: usize, id: &dyn Fn(usize, usize) -> u32| {
            let mut values = vec![0.0; rows * width];
            for (row, values) in values.chunks_exact_mut(width.max(1)).enumerate() {
                for at in 0..self.columns.len() {
                    for (term, value) in design.entries(side, at, id(at, row)) {
                        values[*term as usize - 1] = *value;
                    }
                }
            }
            values
        };
        let tested = test.first().map_or(0, Vec::len);
        LearningFeatures {
            names: design.terms.iter().map(name).collect(),
            original: rows(0, self.weights[0].len(), &|at, row| self.columns[at].original[row]),
            release: rows(1, self.weights[1].len(), &|at, row| self.columns[at].released[row]),
            test: rows(0, tested, &|at, row| test[at][row]),
        }
    }
}
