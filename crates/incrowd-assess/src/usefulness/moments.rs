//! Means, quantiles and shares, before and after.

use serde::Serialize;

use super::column::{AnalysisColumn, LabelMembers, filled, filled_shares};
use super::{AnalysisTable, finite};

/// The quantiles that are told.
pub const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// A figure before and after; none where it cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BeforeAfter {
    /// Of the original.
    pub before: Option<f64>,
    /// Of the release.
    pub after: Option<f64>,
}

/// A quantile before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QuantileShift {
    /// The share of rows at or below it.
    pub share: f64,
    /// The quantile.
    #[serde(flatten)]
    pub value: BeforeAfter,
}

/// How a column of numbers is distributed, before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumberShift {
    /// The column.
    pub column: String,
    /// The mean.
    pub mean: BeforeAfter,
    /// The standard deviation, of all values that labels hold.
    pub deviation: BeforeAfter,
    /// The difference of the means in standard deviations of the original.
    pub shift: Option<f64>,
    /// Some quantiles; one is told where at least k rows of the original lie on either side.
    pub quantiles: Vec<QuantileShift>,
    /// The column's mean distance of released from original values, in units of √2 standard deviations.
    pub il1s: Option<f64>,
}

/// How far the shares of a column's categories are off.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryShift {
    /// The column.
    pub column: String,
    /// Half the sum of the absolute differences of shares, from 0 to 1.
    pub distance: f64,
}

/// Values with their weights, ascending.
struct WeightedValues(Vec<(f64, f64)>);

impl WeightedValues {
    /// The values of a column before.
    fn before(column: &AnalysisColumn, numbers: &[Option<f64>], weights: &[f64]) -> Self {
        let mut mass = vec![0.0; numbers.len()];
        for (&code, &weight) in column.original.iter().zip(weights) {
            mass[code as usize] += weight;
        }
        Self::sorted(numbers.iter().zip(mass).filter_map(|(value, mass)| Some(((*value)?, mass))))
    }

    /// The values after, each label in equal parts for the values that it holds.
    fn after(column: &AnalysisColumn, numbers: &[Option<f64>], weights: &[f64]) -> Self {
        let mut of_label = vec![0.0; column.shown.len()];
        for (&label, &weight) in column.released.iter().zip(weights) {
            of_label[label as usize] += weight;
        }
        let mut mass = vec![0.0; numbers.len()];
        let mut alone = Vec::new();
        for (label, weight) in column.shown.iter().zip(of_label) {
            if let LabelMembers::Number(number) = label {
                alone.push((*number, weight));
                continue;
            }
            let held = || label.codes().filter(|&code| numbers[code as usize].is_some());
            let number = held().count() as f64;
            held().for_each(|code| mass[code as usize] += weight / number);
        }
        let coded = numbers.iter().zip(mass).filter_map(|(value, mass)| Some(((*value)?, mass)));
        Self::sorted(coded.chain(alone))
    }

    fn sorted(values: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut values: Vec<(f64, f64)> = values.filter(|(_, mass)| *mass > 0.0).collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        WeightedValues(values)
    }

    fn total(&self) -> f64 {
        self.0.iter().map(|(_, mass)| mass).sum()
    }

    fn mean(&self) -> Option<f64> {
        finite(self.0.iter().map(|(value, mass)| value * mass).sum::<f64>() / self.total())
    }

    fn deviation(&self) -> Option<f64> {
        let mean = self.mean()?;
        let squares = self.0.iter().map(|(value, mass)| mass * (value - mean).powi(2));
        finite((squares.sum::<f64>() / self.total()).sqrt())
    }

    /// The least value that so large a share is not above.
    fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = share * self.total() * (1.0 - 1e-12);
        let mut sum = 0.0;
        let reaches = |(_, mass): &&(f64, f64)| {
            sum += mass;
            sum >= wanted
        };
        self.0.iter().find(reaches).or(self.0.last()).map(|(value, _)| *value)
    }
}

/// The numbers of a table before and after.
pub(super) fn numbers(table: &AnalysisTable, in_order: bool, least: u64) -> Vec<NumberShift> {
    let of = |column: &AnalysisColumn| {
        let numbers = column.numbers.as_ref()?;
        let before = WeightedValues::before(column, numbers, &table.weights[0]);
        let after = WeightedValues::after(column, numbers, &table.weights[1]);
        let both = |of: fn(&WeightedValues) -> Option<f64>| BeforeAfter {
            before: of(&before),
            after: of(&after),
        };
        let (mean, deviation) = (both(WeightedValues::mean), both(WeightedValues::deviation));
        let rows: u64 =
            column.counts().iter().zip(numbers).filter(|(_, n)| n.is_some()).map(|(&n, _)| n).sum();
        let told = |share: &&f64| {
            let shorter = share.min(1.0 - **share);
            rows as f64 * shorter >= least as f64
        };
        let quantile = |&share: &f64| QuantileShift {
            share,
            value: BeforeAfter { before: before.quantile(share), after: after.quantile(share) },
        };
        let shift =
            || finite((mean.after? - mean.before?) / deviation.before.filter(|it| *it > 0.0)?);
        Some(NumberShift {
            column: column.name.clone(),
            mean,
            deviation,
            shift: shift(),
            quantiles: QUANTILES.iter().filter(told).map(quantile).collect(),
            il1s: il1s(column, in_order),
        })
    };
    table.columns.iter().filter_map(of).collect()
}

/// The mean of |x - z| / (√2 S) over the rows of the original: x is the original value, z the released one (the mean of the
/// values that its label holds), S the standard deviation before. A suppressed row and a blank are the mean of the others.
///
/// Where rows are in the same order, x and z are known. Else x of a label is any of its values, as frequent as these are in
/// the original.
fn il1s(column: &AnalysisColumn, in_order: bool) -> Option<f64> {
    let [numbers, expected] = column.expected()?;
    let ones = vec![1.0; column.released.len()];
    let released = filled(&expected, &column.released, &ones)?;
    let sum: f64 = column.released.iter().map(|&label| released[label as usize]).sum();
    let mean = sum / ones.len() as f64;
    let counts = column.counts();
    let known: Vec<(f64, f64)> = numbers
        .iter()
        .zip(&counts)
        .filter_map(|(value, &count)| Some(((*value)?, count as f64)))
        .collect();
    let rows: f64 = known.iter().map(|(_, count)| count).sum();
    let middle = known.iter().map(|(value, count)| value * count).sum::<f64>() / rows;
    let squares: f64 = known.iter().map(|(value, count)| count * (value - middle).powi(2)).sum();
    let deviation = (squares / (rows - 1.0)).sqrt();
    let scale = std::f64::consts::SQRT_2 * deviation;
    if !(scale.is_finite() && scale > 0.0) {
        return None;
    }
    if in_order {
        let apart = column.original.iter().zip(&column.released).filter_map(|(&code, &label)| {
            Some((numbers[code as usize]? - released[label as usize]).abs())
        });
        return finite(apart.sum::<f64>() / (rows * scale));
    }
    let apart_from = |codes: &mut dyn Iterator<Item = u32>, z: f64| {
        let (mut sum, mut held) = (0.0, 0.0);
        for code in codes {
            if let Some(value) = numbers[code as usize] {
                let count = counts[code as usize] as f64;
                sum += count * (value - z).abs();
                held += count;
            }
        }
        if held > 0.0 { sum / held } else { 0.0 }
    };
    let mut everything = 0..numbers.len() as u32;
    let anything = apart_from(&mut everything, mean);
    let mut of_label = Vec::with_capacity(column.shown.len());
    for (label, &z) in column.shown.iter().zip(&released) {
        of_label.push(match label {
            LabelMembers::Number(_) => return None,
            LabelMembers::Nothing => anything,
            label => apart_from(&mut label.codes(), z),
        });
    }
    let apart: f64 = column.released.iter().map(|&label| of_label[label as usize]).sum();
    let suppressed = column.original.len().saturating_sub(column.released.len()) as f64;
    finite((apart + suppressed * anything) / (column.original.len() as f64 * scale))
}

/// The shares of categories before and after, of the columns that are not of numbers.
pub(super) fn categories(table: &AnalysisTable) -> Vec<CategoryShift> {
    let of = |column: &AnalysisColumn| {
        let group_of: Vec<u32> = (0..column.labels.len() as u32).collect();
        let shares = column.shares(&group_of, |_| None);
        let mut apart = vec![0.0; group_of.len()];
        for (side, ids) in [&column.original, &column.released].into_iter().enumerate() {
            let weights = &table.weights[side];
            let shares = filled_shares(&shares[side], ids, weights, group_of.len())?;
            let total: f64 = weights.iter().sum();
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let mut of_id = vec![0.0; shares.len()];
            ids.iter().zip(weights).for_each(|(&id, weight)| of_id[id as usize] += weight);
            for (shares, weight) in shares.iter().zip(of_id) {
                for &(group, share) in shares {
                    apart[group as usize] += sign * weight * share / total;
                }
            }
        }
        let distance = finite(apart.iter().map(|apart| apart.abs()).sum::<f64>() / 2.0)?;
        Some(CategoryShift { column: column.name.clone(), distance })
    };
    table.columns.iter().filter(|column| !column.is_numeric()).filter_map(of).collect()
}
