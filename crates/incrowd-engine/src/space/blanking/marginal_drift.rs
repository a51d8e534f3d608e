//! How far blanks take the values that are left in a column from the distribution they had.
//!
//! With b(v) blanks among the N(v) rows of a value, and b among all N rows of the table, the drift of a column is
//!
//! ```text
//! sum over values of b(v)^2 / N(v) - b^2 / N
//! ```
//!
//! It is 0 if every value is blanked at the same rate. So a blank costs more where its value is blanked more often than
//! the column as a whole, and less where it is blanked less often.

use super::BlankingContext;

/// The blanks by column and value, and what another costs beyond its weight.
pub(super) struct MarginalDrift<'a> {
    ground: &'a BlankingContext<'a>,
    /// How many rows have each value, and how many of them are blank.
    rows: Vec<Vec<f64>>,
    blanks: Vec<Vec<f64>>,
    /// Blanks of each column.
    all: Vec<f64>,
    /// What a drift of one costs, for a column of weight 1.
    price: f64,
}

impl<'a> MarginalDrift<'a> {
    /// No blanks yet. A value that is blanked throughout, in a column without other blanks, costs `price` times as much more.
    pub(super) fn new(ground: &'a BlankingContext<'a>, price: f64) -> Self {
        let of = |at: usize| ground.problem.marginal(at).into_iter().map(|rows| rows as f64);
        let rows: Vec<Vec<f64>> = (0..ground.columns()).map(|at| of(at).collect()).collect();
        let blanks = rows.iter().map(|values| vec![0.0; values.len()]).collect();
        MarginalDrift { ground, rows, blanks, all: vec![0.0; ground.columns()], price: price / 2.0 }
    }

    /// What it costs that a row of this cell gets other blanks.
    pub(super) fn change(&self, cell: u32, old: u64, new: u64) -> f64 {
        let total = self.ground.problem.rows as f64;
        let mut left = old ^ new;
        let mut sum = 0.0;
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            let code = self.ground.problem.cells.code(at, cell as usize) as usize;
            let (of_value, of_all) = (2.0 * self.blanks[at][code], 2.0 * self.all[at]);
            let rows = self.rows[at][code];
            let more = match new >> at & 1 {
                1 => (of_value + 1.0) / rows - (of_all + 1.0) / total,
                _ => (1.0 - of_value) / rows - (1.0 - of_all) / total,
            };
            sum += self.ground.weights[at] * more;
        }
        self.price * sum
    }

    /// Gives a row of this cell other blanks.
    pub(super) fn shift(&mut self, cell: u32, old: u64, new: u64) {
        let mut left = old ^ new;
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            let code = self.ground.problem.cells.code(at, cell as usize) as usize;
            let more = if new >> at & 1 == 1 { 1.0 } else { -1.0 };
            self.blanks[at][code] += more;
            self.all[at] += more;
        }
    }
}
