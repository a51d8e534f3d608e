//! How columns hang together, before and after: pair by pair.

use serde::Serialize;

use super::design::sides;
use super::marginals::BinnedColumn;
use super::rows::DistinctLooks;
use super::{AnalysisTable, finite};

/// How the association of two columns is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AssociationMeasure {
    /// Pearson's correlation, of two columns of numbers.
    Pearson,
    /// Cramér's V, of two columns of categories.
    CramersV,
    /// The correlation ratio, of categories and numbers.
    CorrelationRatio,
}

/// The association of two columns before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssociationPair {
    /// The columns.
    pub columns: [String; 2],
    /// What is measured.
    pub measure: AssociationMeasure,
    /// In the original.
    pub before: f64,
    /// In the release; 0 where it shows no association because one of the columns is the same throughout.
    pub after: f64,
    /// The absolute difference.
    pub difference: f64,
}

/// The mean absolute difference over the pairs of a measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssociationLoss {
    /// What is measured.
    pub measure: AssociationMeasure,
    /// How many pairs there are.
    pub pairs: u64,
    /// The mean absolute difference.
    pub mean_difference: f64,
    /// The largest one.
    pub largest_difference: f64,
}

/// All pairs of columns, those that lose most first.
pub(super) fn pairs(table: &AnalysisTable) -> Vec<AssociationPair> {
    let binned: Vec<BinnedColumn> = table.columns.iter().map(BinnedColumn::new).collect();
    let expected: Vec<Option<[Vec<Option<f64>>; 2]>> =
        table.columns.iter().map(|column| column.expected()).collect();
    let mut found = Vec::new();
    for one in 0..table.columns.len() {
        for other in one + 1..table.columns.len() {
            let measure = match (&expected[one], &expected[other]) {
                (Some(_), Some(_)) => AssociationMeasure::Pearson,
                (None, None) => AssociationMeasure::CramersV,
                _ => AssociationMeasure::CorrelationRatio,
            };
            let of = |side: usize| {
                let looks = &table.looks[side];
                match (&expected[one], &expected[other]) {
                    (Some(x), Some(y)) => pearson(looks, [one, other], [&x[side], &y[side]]),
                    (None, None) => {
                        cramers_v(looks, [one, other], [&binned[one], &binned[other]], side)
                    }
                    (Some(x), None) => ratio(looks, [one, other], &x[side], &binned[other], side),
                    (None, Some(x)) => ratio(looks, [other, one], &x[side], &binned[one], side),
                }
            };
            // Nothing is lost where there was nothing to be seen.
            let Some(before) = of(0) else { continue };
            if sides(&table.columns[one])[1].is_empty() {
                continue;
            }
            let after = of(1).unwrap_or(0.0);
            found.push(AssociationPair {
                columns: [one, other].map(|at| table.columns[at].name.clone()),
                measure,
                before,
                after,
                difference: (before - after).abs(),
            });
        }
    }
    found.sort_by(|a, b| b.difference.total_cmp(&a.difference).then(a.columns.cmp(&b.columns)));
    found
}

/// The mean and the largest difference by measure.
pub(super) fn losses(pairs: &[AssociationPair]) -> Vec<AssociationLoss> {
    use AssociationMeasure::{CorrelationRatio, CramersV, Pearson};
    let of = |measure: AssociationMeasure| {
        let lost: Vec<f64> =
            pairs.iter().filter(|pair| pair.measure == measure).map(|it| it.difference).collect();
        (!lost.is_empty()).then(|| AssociationLoss {
            measure,
            pairs: lost.len() as u64,
            mean_difference: lost.iter().sum::<f64>() / lost.len() as f64,
            largest_difference: lost.iter().copied().fold(0.0, f64::max),
        })
    };
    [Pearson, CramersV, CorrelationRatio].into_iter().filter_map(of).collect()
}

/// Pearson's correlation over rows where both numbers are known, weighted.
fn pearson(looks: &DistinctLooks, at: [usize; 2], values: [&[Option<f64>]; 2]) -> Option<f64> {
    let rows: Vec<(f64, f64, f64)> = (0..looks.len())
        .filter_map(|look| {
            let ids = looks.ids(look);
            let of = |side: usize| values[side][ids[at[side]] as usize];
            Some((of(0)?, of(1)?, looks.weights[look]))
        })
        .collect();
    let total: f64 = rows.iter().map(|row| row.2).sum();
    let mean = |of: fn(&(f64, f64, f64)) -> f64| {
        rows.iter().map(|row| of(row) * row.2).sum::<f64>() / total
    };
    let (x, y) = (mean(|row| row.0), mean(|row| row.1));
    let sum = |of: &dyn Fn(&(f64, f64, f64)) -> f64| rows.iter().map(of).sum::<f64>();
    let both = sum(&|row| row.2 * (row.0 - x) * (row.1 - y));
    let (one, other) =
        (sum(&|row| row.2 * (row.0 - x).powi(2)), sum(&|row| row.2 * (row.1 - y).powi(2)));
    let scale = (one * other).sqrt();
    (scale > 0.0).then(|| finite((both / scale).clamp(-1.0, 1.0))).flatten()
}

/// Cramér's V over rows where both categories are known, weighted.
fn cramers_v(
    looks: &DistinctLooks,
    at: [usize; 2],
    columns: [&BinnedColumn; 2],
    side: usize,
) -> Option<f64> {
    let (lines, width) = (columns[0].bins, columns[1].bins);
    let mut table = vec![0.0; lines * width];
    for look in 0..looks.len() {
        let ids = looks.ids(look);
        for &(line, of_line) in &columns[0].shares[side][ids[at[0]] as usize] {
            for &(place, of_place) in &columns[1].shares[side][ids[at[1]] as usize] {
                table[line as usize * width + place as usize] +=
                    looks.weights[look] * of_line * of_place;
            }
        }
    }
    let total: f64 = table.iter().sum();
    let of_line: Vec<f64> = table.chunks_exact(width).map(|line| line.iter().sum()).collect();
    let of_place: Vec<f64> =
        (0..width).map(|place| table.iter().skip(place).step_by(width).sum()).collect();
    let mut squares = 0.0;
    for (line, &lined) in of_line.iter().enumerate() {
        for (place, &placed) in of_place.iter().enumerate() {
            let expected = lined * placed / total;
            if expected > 0.0 {
                squares += (table[line * width + place] - expected).powi(2) / expected;
            }
        }
    }
    let used = |sums: &[f64]| sums.iter().filter(|sum| **sum > 0.0).count();
    let free = used(&of_line).min(used(&of_place)).saturating_sub(1);
    if free == 0 {
        return None;
    }
    finite((squares / (total * free as f64)).sqrt().min(1.0))
}

/// The correlation ratio: the root of the share of a number's variance that lies between categories.
fn ratio(
    looks: &DistinctLooks,
    [number, category]: [usize; 2],
    values: &[Option<f64>],
    column: &BinnedColumn,
    side: usize,
) -> Option<f64> {
    let known = || {
        (0..looks.len()).filter_map(|look| {
            let ids = looks.ids(look);
            let shares = &column.shares[side][ids[category] as usize];
            let value = values[ids[number] as usize].filter(|_| !shares.is_empty())?;
            Some((value, looks.weights[look], shares))
        })
    };
    let total: f64 = known().map(|(_, weight, _)| weight).sum();
    let mean = known().map(|(value, weight, _)| value * weight).sum::<f64>() / total;
    let (mut sums, mut rows) = (vec![0.0; column.bins], vec![0.0; column.bins]);
    let mut squares = 0.0;
    for (value, weight, shares) in known() {
        squares += weight * (value - mean).powi(2);
        for &(bin, share) in shares {
            sums[bin as usize] += weight * share * (value - mean);
            rows[bin as usize] += weight * share;
        }
    }
    let held = rows.iter().filter(|rows| **rows > 0.0).count();
    if held < 2 || squares.is_nan() || squares <= 0.0 {
        return None;
    }
    let of_bin = sums.iter().zip(&rows).filter(|(_, rows)| **rows > 0.0);
    let between: f64 = of_bin.map(|(sum, rows)| sum * sum / rows).sum();
    finite((between / squares).clamp(0.0, 1.0).sqrt())
}
