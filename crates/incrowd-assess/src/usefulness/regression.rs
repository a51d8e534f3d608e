//! Regression coefficients before and after, and how far their confidence intervals overlap.

use incrowd_engine::{Error, Result, words};
use serde::Serialize;

use super::design::DesignMatrix;
use super::linear::{ModelFit, ModelRows};
use super::{AnalysisColumn, AnalysisTable, finite};

/// The normal quantile of a confidence of 95 %.
const CONFIDENCE: f64 = 1.959_963_984_540_054;

/// A coefficient with its confidence interval of 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CoefficientInterval {
    /// The coefficient.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl CoefficientInterval {
    fn new(estimate: f64, error: f64) -> Self {
        let reach = CONFIDENCE * error;
        CoefficientInterval { estimate, low: estimate - reach, high: estimate + reach }
    }

    /// The mean share of the two intervals that they have in common; 0 if they have nothing in common.
    pub fn overlap(&self, other: &CoefficientInterval) -> f64 {
        let common = (self.high.min(other.high) - self.low.max(other.low)).max(0.0);
        let share = |of: &CoefficientInterval| match of.high - of.low {
            width if width > 0.0 => common / width,
            // An interval of one point lies inside or outside.
            _ => f64::from(u8::from(
                of.low.max(self.low).max(other.low) <= self.high.min(other.high),
            )),
        };
        (share(self) + share(other)) / 2.0
    }
}

/// A coefficient before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoefficientPair {
    /// The column.
    pub column: String,
    /// The category, of a column of these; none for a number. Categories are compared with the most frequent one.
    pub category: Option<String>,
    /// In the original.
    pub before: CoefficientInterval,
    /// In the release; none where it cannot be told from it.
    pub after: Option<CoefficientInterval>,
    /// How far the intervals overlap, from 0 to 1; 0 where the release tells nothing.
    pub overlap: f64,
    /// The difference of the coefficients in standard errors of the original.
    pub difference: Option<f64>,
}

/// A regression of one column on all others, before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RegressionComparison {
    /// What is predicted.
    pub outcome: String,
    /// The value whose chance is predicted, of a logistic regression.
    pub event: Option<String>,
    /// linear or logistic.
    pub model: &'static str,
    /// The slopes; the intercept is left out.
    pub coefficients: Vec<CoefficientPair>,
    /// The mean overlap over all of them.
    pub overlap: f64,
    /// The share of coefficients whose interval after has the estimate before in it.
    pub covered: f64,
}

/// The outcomes asked for, or the class column and all numbers.
pub(super) fn compare(
    table: &AnalysisTable,
    asked: &[String],
    class: Option<&str>,
    least: u64,
) -> Result<Vec<RegressionComparison>> {
    let outcomes: Vec<usize> = match asked {
        [] => {
            let usual = |at: &usize| {
                let column = &table.columns[*at];
                column.is_numeric()
                    || class == Some(column.name.as_str()) && event(column).is_some()
            };
            (0..table.columns.len()).filter(usual).collect()
        }
        asked => asked.iter().map(|name| outcome(table, name)).collect::<Result<_>>()?,
    };
    Ok(outcomes.into_iter().filter_map(|at| regression(table, at, least)).collect())
}

/// The column of an outcome that was asked for.
fn outcome(table: &AnalysisTable, name: &str) -> Result<usize> {
    let Some(at) = table.columns.iter().position(|column| column.name == name) else {
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        return Err(Error::new(format!("{name:?} is not a column that is compared"))
            .help(format!("the columns are {}", words::list(&names))));
    };
    let column = &table.columns[at];
    if !column.is_numeric() && event(column).is_none() {
        return Err(Error::new(format!("{name:?} is no outcome of a regression"))
            .help("name a column of numbers, or one of exactly two values"));
    }
    Ok(at)
}

/// The less frequent value of a column that has two; among equally frequent ones the later.
fn event(column: &AnalysisColumn) -> Option<u32> {
    let counts = column.counts();
    let held: Vec<usize> = (0..counts.len()).filter(|&code| counts[code] > 0).collect();
    match held[..] {
        [one, other] if column.missing.is_none() => {
            Some(if counts[one] < counts[other] { one } else { other } as u32)
        }
        _ => None,
    }
}

fn regression(table: &AnalysisTable, at: usize, least: u64) -> Option<RegressionComparison> {
    let column = &table.columns[at];
    let event = if column.is_numeric() { None } else { Some(event(column)?) };
    let others = (0..table.columns.len()).filter(|&other| other != at);
    let design = DesignMatrix::new(table, others, least);
    let outcomes: [Vec<Option<f64>>; 2] = match event {
        None => column.expected()?,
        Some(event) => {
            let group_of: Vec<u32> =
                (0..column.labels.len() as u32).map(|code| u32::from(code == event)).collect();
            let chance = |shares: &super::column::GroupShares| {
                let of = |wanted: u32| shares.iter().filter(move |(group, _)| *group == wanted);
                (!shares.is_empty()).then(|| of(1).map(|(_, share)| share).sum())
            };
            column.shares(&group_of, |_| None).map(|side| side.iter().map(chance).collect())
        }
    };
    let fit = |side: usize| -> Option<ModelFit> {
        let mut rows = ModelRows::new(design.width());
        let outcome = |ids: &[u32]| outcomes[side][ids[at] as usize];
        design.add(&mut rows, &table.looks[side], side, true, outcome);
        rows.scale_weights();
        if event.is_some() { rows.logistic() } else { rows.linear() }
    };
    let (before, after) = (fit(0)?, fit(1));
    let mut coefficients = Vec::new();
    for (number, term) in (1..).zip(&design.terms) {
        let interval = |fit: &ModelFit| -> Option<CoefficientInterval> {
            let scaled = |value: f64| finite(value / term.scale);
            let estimate = scaled(fit.coefficients[number])?;
            Some(CoefficientInterval::new(estimate, scaled(fit.errors[number]?)?))
        };
        let Some(known) = interval(&before) else { continue };
        let seen = after.as_ref().and_then(interval);
        let error = (known.high - known.low) / (2.0 * CONFIDENCE);
        coefficients.push(CoefficientPair {
            column: table.columns[term.column].name.clone(),
            category: term
                .category
                .as_ref()
                .map(|name| name.clone().unwrap_or_else(|| OTHER_VALUES.to_owned())),
            before: known,
            after: seen,
            overlap: seen.map_or(0.0, |seen| known.overlap(&seen)),
            difference: seen.and_then(|seen| finite((seen.estimate - known.estimate) / error)),
        });
    }
    let number = coefficients.len() as f64;
    let covers = |pair: &&CoefficientPair| {
        pair.after.is_some_and(|seen| (seen.low..=seen.high).contains(&pair.before.estimate))
    };
    Some(RegressionComparison {
        outcome: column.name.clone(),
        event: event.map(|code| column.labels[code as usize].clone()),
        model: if event.is_some() { "logistic" } else { "linear" },
        overlap: finite(coefficients.iter().map(|pair| pair.overlap).sum::<f64>() / number)?,
        covered: coefficients.iter().filter(covers).count() as f64 / number,
        coefficients,
    })
}

/// What all values are called that are too rare to be told apart.
const OTHER_VALUES: &str = "(other values)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlap_is_the_mean_share_in_common() {
        let of = |low: f64, high: f64| CoefficientInterval { estimate: 0.0, low, high };
        // Common [1, 2]: half of the first, a quarter of the second.
        assert!((of(0.0, 2.0).overlap(&of(1.0, 5.0)) - 0.375).abs() < 1e-12);
        assert!((of(0.0, 2.0).overlap(&of(0.0, 2.0)) - 1.0).abs() < 1e-12);
        assert_eq!(of(0.0, 1.0).overlap(&of(2.0, 3.0)), 0.0);
        // A point inside.
        assert!((of(1.0, 1.0).overlap(&of(0.0, 2.0)) - 0.5).abs() < 1e-12);
        assert_eq!(of(1.0, 1.0).overlap(&of(1.0, 1.0)), 1.0);
    }
}
