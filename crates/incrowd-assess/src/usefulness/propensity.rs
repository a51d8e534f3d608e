//! How well released rows can be told from original ones: the propensity score mean squared error.

use serde::Serialize;

use super::design::DesignMatrix;
use super::linear::ModelRows;
use super::{AnalysisTable, finite};

/// The propensity score mean squared error and what it is beside that of a synthetic table of the same distribution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PropensityScore {
    /// The mean squared distance of the scores from the share of released rows.
    pub pmse: f64,
    /// What is expected of it for rows drawn anew from the distribution of the original.
    pub expected: Option<f64>,
    /// The score divided by what is expected.
    pub ratio: Option<f64>,
    /// The difference from what is expected, in standard deviations.
    pub standardized: Option<f64>,
    /// How many coefficients the model has beside the intercept.
    pub coefficients: u64,
}

/// Fits a logistic model with main effects to all rows of both tables. Weights do not count.
pub(super) fn score(table: &AnalysisTable, least: u64) -> Option<PropensityScore> {
    let design = DesignMatrix::new(table, 0..table.columns.len(), least);
    let mut rows = ModelRows::new(design.width());
    for side in [0, 1] {
        design.add(&mut rows, &table.looks[side], side, false, |_| Some(side as f64));
    }
    let counts = || table.looks.iter().flat_map(|looks| &looks.rows);
    let all: f64 = counts().sum();
    let share = table.looks[1].rows.iter().sum::<f64>() / all;
    let fit = rows.logistic()?;
    let squares = rows.chances(&fit).into_iter().zip(counts());
    let pmse =
        finite(squares.map(|(chance, rows)| rows * (chance - share).powi(2)).sum::<f64>() / all)?;
    let slopes = fit.slopes() as f64;
    let unit = (1.0 - share).powi(2) * share / all;
    let expected = finite(slopes * unit).filter(|expected| *expected > 0.0);
    Some(PropensityScore {
        pmse,
        expected,
        ratio: expected.and_then(|expected| finite(pmse / expected)),
        standardized: expected
            .and_then(|expected| finite((pmse - expected) / ((2.0 * slopes).sqrt() * unit))),
        coefficients: fit.slopes() as u64,
    })
}
