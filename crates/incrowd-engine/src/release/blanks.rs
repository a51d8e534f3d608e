//! Where the blanks of a release are.

use serde::{Deserialize, Serialize};

use super::classes::EquivalenceClasses;
use crate::cost::Metric;
use crate::problem::Problem;

/// Where the blanks of a release are. A suppressed row counts as blank in every column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlankCounts {
    /// Blanked cells, each counted once whatever its weight.
    pub cells: u64,
    /// Blanked cells of each column, with its name.
    pub columns: Vec<(String, u64)>,
    /// The most blanks in a column less the fewest.
    pub spread: u64,
    /// How many rows have no blank, one blank, two, and so on.
    pub rows: Vec<u64>,
    /// The most blanks in a row.
    pub most_in_a_row: u64,
    /// How far the values that are left in each column are from those of the table: half the sum of the differences of
    /// their shares, from 0 to 1.
    #[serde(default)]
    pub distances: Vec<f64>,
}

impl BlankCounts {
    /// Counts the blanks of the classes of a problem; those not released count as suppressed.
    pub fn of(problem: &Problem, classes: &EquivalenceClasses) -> Self {
        let width = problem.attributes.len();
        let is_blank = blank_groups(problem, classes);
        let suppressed = problem.rows - classes.released_rows();
        let mut columns = vec![suppressed; width];
        let mut rows = vec![0; width + 1];
        rows[width] = suppressed;
        for class in classes.released() {
            let mut blank = 0;
            for (at, &id) in classes.ids_of(class).iter().enumerate() {
                if is_blank[at][id as usize] {
                    columns[at] += classes.sizes[class];
                    blank += 1;
                }
            }
            rows[blank] += classes.sizes[class];
        }
        let most = rows.iter().rposition(|&rows| rows > 0).unwrap_or(0);
        rows.truncate(most + 1);
        BlankCounts {
            cells: columns.iter().sum(),
            spread: spread(&columns),
            columns: problem
                .attributes
                .iter()
                .zip(columns)
                .map(|(attribute, blanks)| (attribute.name.clone(), blanks))
                .collect(),
            rows,
            most_in_a_row: most as u64,
            distances: (0..width).map(|at| distance(problem, classes, at)).collect(),
        }
    }
}

/// How far the values that are left in a column are from those of the table.
fn distance(problem: &Problem, classes: &EquivalenceClasses, at: usize) -> f64 {
    let told = classes.told_cells_in(&problem.cells, at);
    let (all, left) = (problem.marginal(at), problem.rows_by_code(at, &told));
    let (whole, rest) = (all.iter().sum::<u64>() as f64, left.iter().sum::<u64>() as f64);
    if rest == 0.0 {
        return if whole == 0.0 { 0.0 } else { 1.0 };
    }
    let apart = |(&all, &left): (&u64, &u64)| (all as f64 / whole - left as f64 / rest).abs();
    all.iter().zip(&left).map(apart).sum::<f64>() / 2.0
}

impl BlankCounts {
    /// The columns that are blank in each class, as far as 64 bits go.
    pub(crate) fn masks(problem: &Problem, classes: &EquivalenceClasses) -> Vec<u64> {
        let is_blank = blank_groups(problem, classes);
        (0..classes.len())
            .map(|class| {
                let ids = classes.ids_of(class).iter().enumerate().take(64);
                ids.filter(|&(at, &id)| is_blank[at][id as usize]).map(|(at, _)| 1u64 << at).sum()
            })
            .collect()
    }
}

/// For each attribute and group, whether it is released blank.
fn blank_groups(problem: &Problem, classes: &EquivalenceClasses) -> Vec<Vec<bool>> {
    let price = problem.group_prices(Metric::Blanks);
    let groups = classes.groups.iter().enumerate();
    groups
        .map(|(at, groups)| groups.as_slice().iter().map(|g| price.of(at, g) > 0.0).collect())
        .collect()
}

/// The most blanks in a column less the fewest.
pub(crate) fn spread(columns: &[u64]) -> u64 {
    let (least, most) = (columns.iter().min(), columns.iter().max());
    most.zip(least).map_or(0, |(most, least)| most - least)
}
