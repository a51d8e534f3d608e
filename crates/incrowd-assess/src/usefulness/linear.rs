//! The little linear algebra of regressions: least squares and logistic regression with columns that may depend on
//! each other.
//!
//! **What it does**: solves the normal equations by sweeping (Goodnight 1979), which leaves out a column that follows
//! from those before it. Logistic regression is fitted by iteratively reweighted least squares; where the deviance would
//! rise, the step is damped as by Levenberg and Marquardt.

/// Rows of a model: what is predicted, from what, and how much each counts.
#[derive(Debug, Clone, Default)]
pub(super) struct ModelRows {
    /// How many columns there are, the intercept included, which is the first.
    width: usize,
    starts: Vec<usize>,
    /// Columns that are not zero.
    entries: Vec<(u32, f64)>,
    outcome: Vec<f64>,
    weights: Vec<f64>,
    /// How many rows there are; equal ones may stand together.
    rows: f64,
}

/// A fitted model.
#[derive(Debug, Clone)]
pub(super) struct ModelFit {
    /// The coefficients, the intercept first.
    pub(super) coefficients: Vec<f64>,
    /// Their standard errors; none for columns that follow from others.
    pub(super) errors: Vec<Option<f64>>,
}

impl ModelFit {
    /// How many coefficients there are beside the intercept.
    pub(super) fn slopes(&self) -> usize {
        self.errors.iter().skip(1).flatten().count()
    }
}

/// A column that keeps less than this share of its square follows from the others.
const DEPENDENT: f64 = 1e-9;
/// Scores of logistic models stay within these bounds: beyond them chances are 0 or 1.
const STEEPEST: f64 = 30.0;
/// Steps of a logistic regression.
const STEPS: usize = 100;
/// How often a step is damped more, ten times each.
const DAMPINGS: usize = 20;

impl ModelRows {
    pub(super) fn new(width: usize) -> Self {
        ModelRows { width, starts: vec![0], ..Self::default() }
    }

    /// Adds `rows` equal rows that count for `weight` in all, given by their columns that are not zero.
    pub(super) fn push(
        &mut self,
        entries: impl IntoIterator<Item = (u32, f64)>,
        outcome: f64,
        weight: f64,
        rows: f64,
    ) {
        self.entries.push((0, 1.0));
        self.entries.extend(entries);
        self.starts.push(self.entries.len());
        self.outcome.push(outcome);
        self.weights.push(weight);
        self.rows += rows;
    }

    /// Scales weights so that they add up to the number of rows.
    pub(super) fn scale_weights(&mut self) {
        let total: f64 = self.weights.iter().sum();
        if total > 0.0 {
            let scale = self.rows / total;
            self.weights.iter_mut().for_each(|weight| *weight *= scale);
        }
    }

    fn of(&self, row: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }

    fn score(&self, row: usize, coefficients: &[f64]) -> f64 {
        self.of(row).iter().map(|&(at, value)| value * coefficients[at as usize]).sum()
    }

    /// The squares of the columns, and their products with a response, under the weights that `of` tells with it.
    fn normal(&self, of: impl Fn(usize) -> (f64, f64)) -> (Vec<f64>, Vec<f64>) {
        let width = self.width;
        let (mut squares, mut products) = (vec![0.0; width * width], vec![0.0; width]);
        for row in 0..self.outcome.len() {
            let (weight, response) = of(row);
            let entries = self.of(row);
            for &(one, value) in entries {
                let scaled = weight * value;
                products[one as usize] += scaled * response;
                let line = &mut squares[one as usize * width..(one as usize + 1) * width];
                for &(other, value) in entries {
                    line[other as usize] += scaled * value;
                }
            }
        }
        (squares, products)
    }

    /// Least squares.
    pub(super) fn linear(&self) -> Option<ModelFit> {
        let (squares, products) = self.normal(|row| (self.weights[row], self.outcome[row]));
        let (inverse, kept) = swept(squares, self.width);
        let coefficients = times(&inverse, &products);
        let residuals = (0..self.outcome.len()).map(|row| {
            let apart = self.outcome[row] - self.score(row, &coefficients);
            self.weights[row] * apart * apart
        });
        let squared: f64 = residuals.sum();
        let rank = kept.iter().filter(|kept| **kept).count() as f64;
        let free = self.rows - rank;
        if free <= 0.0 {
            return None;
        }
        fitted(coefficients, &inverse, &kept, squared / free)
    }

    /// Logistic regression of outcomes from 0 to 1.
    pub(super) fn logistic(&self) -> Option<ModelFit> {
        let mut coefficients = vec![0.0; self.width];
        let mut deviance = self.deviance(&coefficients);
        let mut damping = 0.0;
        for _ in 0..STEPS {
            let (squares, products) = self.normal(|row| {
                let chance = chance(self.score(row, &coefficients));
                let spread = (chance * (1.0 - chance)).max(1e-12);
                (self.weights[row] * spread, (self.outcome[row] - chance) / spread)
            });
            let mut found = None;
            for _ in 0..DAMPINGS {
                let mut damped = squares.clone();
                for at in 0..self.width {
                    damped[at * self.width + at] *= 1.0 + damping;
                }
                let step = times(&swept(damped, self.width).0, &products);
                let next: Vec<f64> =
                    coefficients.iter().zip(step).map(|(at, by)| at + by).collect();
                let reached = self.deviance(&next);
                if reached <= deviance * (1.0 + 1e-12) {
                    found = Some((next, reached));
                    damping = if damping < 1e-7 { 0.0 } else { damping / 10.0 };
                    break;
                }
                damping = (damping * 10.0_f64).max(1e-7);
            }
            let Some((next, reached)) = found else { break };
            let gained = deviance - reached;
            (coefficients, deviance) = (next, reached);
            if gained < 1e-11 * (deviance + 0.1) {
                break;
            }
        }
        let (squares, _) = self.normal(|row| {
            let chance = chance(self.score(row, &coefficients));
            (self.weights[row] * (chance * (1.0 - chance)).max(1e-12), 0.0)
        });
        let (inverse, kept) = swept(squares, self.width);
        fitted(coefficients, &inverse, &kept, 1.0)
    }

    /// The chances that a logistic model tells, one for each group of equal rows.
    pub(super) fn chances(&self, fit: &ModelFit) -> Vec<f64> {
        let chance_of = |row: usize| chance(self.score(row, &fit.coefficients));
        (0..self.outcome.len()).map(chance_of).collect()
    }

    fn deviance(&self, coefficients: &[f64]) -> f64 {
        let of = |row: usize| {
            let score = self.score(row, coefficients);
            // ln(1 + e^score) - outcome * score, without overflow.
            let log = score.max(0.0) + (-score.abs()).exp().ln_1p();
            2.0 * self.weights[row] * (log - self.outcome[row] * score)
        };
        (0..self.outcome.len()).map(of).sum()
    }
}

fn chance(score: f64) -> f64 {
    1.0 / (1.0 + (-score.clamp(-STEEPEST, STEEPEST)).exp())
}

fn fitted(
    coefficients: Vec<f64>,
    inverse: &[f64],
    kept: &[bool],
    variance: f64,
) -> Option<ModelFit> {
    let width = kept.len();
    let error = |at: usize| kept[at].then(|| (variance * inverse[at * width + at]).max(0.0).sqrt());
    let errors: Vec<Option<f64>> = (0..width).map(error).collect();
    let finite = coefficients.iter().all(|it| it.is_finite())
        && errors.iter().flatten().all(|it| it.is_finite());
    finite.then_some(ModelFit { coefficients, errors })
}

fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    let line = |line: &[f64]| line.iter().zip(vector).map(|(a, b)| a * b).sum();
    matrix.chunks_exact(vector.len().max(1)).map(line).collect()
}

/// The inverse of a symmetric matrix without negative directions, and which columns are in it: those that follow from
/// columns before them are zero.
fn swept(mut matrix: Vec<f64>, width: usize) -> (Vec<f64>, Vec<bool>) {
    let diagonal: Vec<f64> = (0..width).map(|at| matrix[at * width + at]).collect();
    let mut kept = vec![false; width];
    for pivot in 0..width {
        let at = matrix[pivot * width + pivot];
        if at.is_nan() || at <= DEPENDENT * diagonal[pivot] || at <= 0.0 {
            for other in 0..width {
                matrix[pivot * width + other] = 0.0;
                matrix[other * width + pivot] = 0.0;
            }
            continue;
        }
        kept[pivot] = true;
        let mut line: Vec<f64> =
            matrix[pivot * width..(pivot + 1) * width].iter().map(|value| value / at).collect();
        for other in (0..width).filter(|&other| other != pivot) {
            let factor = matrix[other * width + pivot];
            if factor == 0.0 {
                continue;
            }
            let row = &mut matrix[other * width..(other + 1) * width];
            row.iter_mut().zip(&line).for_each(|(value, pivot)| *value -= factor * pivot);
            row[pivot] = -factor / at;
        }
        line[pivot] = 1.0 / at;
        matrix[pivot * width..(pivot + 1) * width].copy_from_slice(&line);
    }
    (matrix, kept)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn rows(table: &[(&[f64], f64)]) -> ModelRows {
        let mut rows = ModelRows::new(table[0].0.len() + 1);
        for (columns, outcome) in table {
            let entries = (1..).zip(columns.iter()).map(|(at, &value)| (at, value));
            rows.push(entries, *outcome, 1.0, 1.0);
        }
        rows
    }

    /// y = 2 + 3x with residuals 1, -1, -1, 1: slope 3, variance 4 / 2, sum of squares of x 5.
    #[test]
    fn least_squares_by_hand() {
        let found =
            rows(&[(&[0.0], 3.0), (&[1.0], 4.0), (&[2.0], 7.0), (&[3.0], 12.0)]).linear().unwrap();
        assert!((found.coefficients[1] - 3.0).abs() < 1e-12, "{found:?}");
        assert!((found.errors[1].unwrap() - (2.0f64 / 5.0).sqrt()).abs() < 1e-12, "{found:?}");
    }

    /// Odds of 1 to 3 without, 3 to 1 with: intercept ln(1/3), slope ln 9, variance 2 * (1/1 + 1/3).
    #[test]
    fn logistic_regression_by_hand() {
        let table: [(&[f64], f64); 8] = [
            (&[0.0], 1.0),
            (&[0.0], 0.0),
            (&[0.0], 0.0),
            (&[0.0], 0.0),
            (&[1.0], 1.0),
            (&[1.0], 1.0),
            (&[1.0], 1.0),
            (&[1.0], 0.0),
        ];
        let found = rows(&table).logistic().unwrap();
        assert!((found.coefficients[0] - (1.0f64 / 3.0).ln()).abs() < 1e-9, "{found:?}");
        assert!((found.coefficients[1] - 9.0f64.ln()).abs() < 1e-9, "{found:?}");
        assert!((found.errors[1].unwrap() - (8.0f64 / 3.0).sqrt()).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn columns_that_follow_from_others_are_left_out() {
        let found = rows(&[
            (&[0.0, 1.0, 1.0], 3.0),
            (&[1.0, 3.0, 1.0], 4.0),
            (&[2.0, 5.0, 1.0], 7.0),
            (&[3.0, 7.0, 1.0], 12.0),
        ])
        .linear()
        .unwrap();
        assert_eq!(found.slopes(), 1);
        assert!((found.coefficients[1] - 3.0).abs() < 1e-9 && found.errors[2].is_none());
    }

    /// What separates outcomes perfectly has no finite coefficient; what is told stays finite.
    #[test]
    fn separated_outcomes_end() {
        let found = rows(&[(&[0.0], 0.0), (&[1.0], 0.0), (&[2.0], 1.0), (&[3.0], 1.0)]);
        let fit = found.logistic().unwrap();
        assert!(fit.coefficients.iter().all(|it| it.is_finite()), "{fit:?}");
        let chances = found.chances(&fit);
        assert!(chances[0] < 0.01 && chances[3] > 0.99, "{chances:?}");
    }
}
