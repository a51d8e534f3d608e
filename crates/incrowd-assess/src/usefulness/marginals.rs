//! Tables of two or three columns: the k-marginal score.

use incrowd_engine::{Control, Error, Result};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use serde::Serialize;

use super::column::{AnalysisColumn, GroupShares, filled_shares};
use super::design::sides;
use super::rows::DistinctLooks;
use super::{AnalysisTable, INTERRUPTED, finite};

/// Bins of a column of numbers at most.
const BINS: usize = 20;
/// Categories of a column at most, the last for all others.
const CATEGORIES: usize = 100;
/// Marginals that are compared at most; of more, so many are drawn.
const MARGINALS: usize = 1_000;

/// How near the marginals of so many columns are, from 0 to 1,000.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MarginalScore {
    /// Of how many columns each marginal is.
    pub columns: u32,
    /// How many were compared.
    pub marginals: u64,
    /// 1,000 where all are the same, 0 where none has anything in common.
    pub score: f64,
}

/// A column in bins, on both sides.
pub(super) struct BinnedColumn {
    /// How many bins there are.
    pub(super) bins: usize,
    /// The shares of bins that each value and each label stands for, empty where nothing is known.
    pub(super) shares: [Vec<GroupShares>; 2],
}

impl BinnedColumn {
    pub(super) fn new(column: &AnalysisColumn) -> Self {
        let Some(numbers) = &column.numbers else {
            let groups = column.categories(CATEGORIES, 1);
            let shares = column.shares(&groups.of_code, |_| None);
            return BinnedColumn { bins: groups.names.len(), shares };
        };
        let edges = edges(column, numbers);
        let bin = |number: f64| edges.partition_point(|edge| *edge < number) as u32;
        let missing = edges.len() as u32 + 1;
        let group_of: Vec<u32> = numbers.iter().map(|number| number.map_or(missing, bin)).collect();
        let shares = column.shares(&group_of, |number| Some(bin(number)));
        BinnedColumn { bins: edges.len() + 2, shares }
    }

    /// The same with what is not known as the rest of the column is. None if nothing is known.
    fn filled(mut self, table: &AnalysisTable, column: &AnalysisColumn) -> Option<Self> {
        for (side, ids) in sides(column).into_iter().enumerate() {
            let ones = vec![1.0; ids.len()];
            debug_assert_eq!(ids.len(), table.weights[side].len());
            self.shares[side] = filled_shares(&self.shares[side], ids, &ones, self.bins)?;
        }
        Some(self)
    }
}

/// The upper ends of all bins but the last: values that equal shares of the original's rows do not exceed.
fn edges(column: &AnalysisColumn, numbers: &[Option<f64>]) -> Vec<f64> {
    let counts = column.counts();
    let known = numbers.iter().zip(&counts).filter(|(_, count)| **count > 0);
    let mut values: Vec<(f64, u64)> =
        known.filter_map(|(value, &count)| Some(((*value)?, count))).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rows: u64 = values.iter().map(|(_, count)| count).sum();
    let (mut edges, mut sum, mut next) = (Vec::new(), 0, 1);
    for &(value, count) in &values {
        sum += count;
        if next < BINS as u64 && sum * BINS as u64 >= next * rows {
            edges.push(value);
            next = sum * BINS as u64 / rows.max(1) + 1;
        }
    }
    // Nothing lies above the highest value.
    if edges.last() == values.last().map(|(value, _)| value) {
        edges.pop();
    }
    edges
}

/// How near the marginals of two and of three columns are.
pub(super) fn scores(table: &AnalysisTable, control: &Control) -> Result<Vec<MarginalScore>> {
    let binned: Vec<(usize, BinnedColumn)> = (0..table.columns.len())
        .filter_map(|at| {
            let column = &table.columns[at];
            Some((at, BinnedColumn::new(column).filled(table, column)?))
        })
        .collect();
    let mut found = Vec::new();
    for columns in [2, 3] {
        let sets = chosen(binned.len(), columns);
        if sets.is_empty() {
            continue;
        }
        let apart: Vec<f64> = sets
            .par_iter()
            .map(|set| {
                if control.is_cancelled() {
                    return Err(Error::new(INTERRUPTED));
                }
                let of: Vec<&(usize, BinnedColumn)> = set.iter().map(|&at| &binned[at]).collect();
                let [before, after] = [0, 1].map(|side| densities(&table.looks[side], side, &of));
                Ok(before.iter().zip(&after).map(|(one, other)| (one - other).abs()).sum::<f64>())
            })
            .collect::<Result<_>>()?;
        let mean = apart.iter().sum::<f64>() / apart.len() as f64;
        found.extend(finite((2.0 - mean) * 500.0).map(|score| MarginalScore {
            columns: columns as u32,
            marginals: sets.len() as u64,
            score: score.clamp(0.0, 1000.0),
        }));
    }
    Ok(found)
}

/// All sets of so many of the columns, or as many as are compared.
fn chosen(columns: usize, size: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = |set: &Vec<usize>| {
            let set = set.clone();
            let from = set.last().map_or(0, |last| last + 1);
            (from..columns).map(move |next| set.iter().copied().chain([next]).collect())
        };
        sets = sets.iter().flat_map(longer).collect();
    }
    if sets.len() > MARGINALS {
        sets.shuffle(&mut Pcg64Mcg::seed_from_u64(1));
        sets.truncate(MARGINALS);
    }
    sets
}

/// The share of a side's rows in every combination of bins; labels stand in equal parts for what they hold, columns of a row
/// for themselves.
fn densities(looks: &DistinctLooks, side: usize, of: &[&(usize, BinnedColumn)]) -> Vec<f64> {
    let bins = |at: usize| of.get(at).map_or(1, |(_, column)| column.bins);
    let (first, second, third) = (bins(0), bins(1), bins(2));
    // Two columns are three of which the last has one bin.
    let one: [GroupShares; 1] = [vec![(0, 1.0)]];
    let shares = |at: usize| of.get(at).map_or(&one[..], |(_, column)| &column.shares[side][..]);
    let mut rows: Vec<([u32; 3], f64)> = (0..looks.len())
        .map(|look| {
            let ids = looks.ids(look);
            let id = |at: usize| of.get(at).map_or(0, |(column, _)| ids[*column]);
            ([id(0), id(1), id(2)], looks.rows[look])
        })
        .collect();
    rows.sort_by_key(|(ids, _)| *ids);
    let total: f64 = rows.iter().map(|(_, rows)| rows).sum();
    let mut cube = vec![0.0; first * second * third];
    for same_first in rows.chunk_by(|a, b| a.0[0] == b.0[0]) {
        let mut plane = vec![0.0; second * third];
        for same_second in same_first.chunk_by(|a, b| a.0[1] == b.0[1]) {
            let mut line = vec![0.0; third];
            for (ids, rows) in same_second {
                for &(bin, share) in &shares(2)[ids[2] as usize] {
                    line[bin as usize] += rows * share;
                }
            }
            for &(bin, share) in &shares(1)[same_second[0].0[1] as usize] {
                let start = bin as usize * third;
                let plane = &mut plane[start..start + third];
                plane.iter_mut().zip(&line).for_each(|(sum, rows)| *sum += share * rows);
            }
        }
        for &(bin, share) in &shares(0)[same_first[0].0[0] as usize] {
            let start = bin as usize * second * third;
            let space = &mut cube[start..start + second * third];
            space.iter_mut().zip(&plane).for_each(|(sum, rows)| *sum += share * rows / total);
        }
    }
    cube
}
