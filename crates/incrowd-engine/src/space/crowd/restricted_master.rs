//! The linear program over crowds, solved nearly, by a first-order method.
//!
//! Its answer is only a proposal: what is made of it is proven afterwards.

use rayon::prelude::*;

use super::attribute_prices::ONE;
use super::context::CrowdContext;
use super::group_pricing::CrowdMembers;

/// How many steps are taken each time it is solved.
const STEPS: usize = 600;

/// How much shorter dual steps are than primal ones, beside what their sizes say: it was found by trying.
const WEIGHT: f64 = 3.0;

/// Crowds that were of no use so many times in a row are forgotten.
const PATIENCE: u8 = 3;

/// max sum of n_j y_j with, for each crowd S, the sum of y over its rows at most k cost(S).
pub(super) struct RestrictedMaster<'a> {
    ground: &'a CrowdContext,
    columns: Vec<CrowdColumn>,
    /// The dual prices, a suppressed row being 1.
    y: Vec<f64>,
}

struct CrowdColumn {
    crowd: CrowdMembers,
    /// What its rows pay together.
    cost: f64,
    /// How much of the crowd is taken.
    taken: f64,
    unused: u8,
}

impl<'a> RestrictedMaster<'a> {
    pub(super) fn new(ground: &'a CrowdContext) -> Self {
        RestrictedMaster { ground, columns: Vec::new(), y: Vec::new() }
    }

    /// A crowd and what a row of it pays.
    pub(super) fn add(&mut self, crowd: &CrowdMembers, cost: i64) {
        let rows: i64 = crowd.iter().map(|member| member.1).sum();
        let cost = rows as f64 * (cost as f64 / ONE as f64);
        self.columns.push(CrowdColumn { crowd: crowd.clone(), cost, taken: 0.0, unused: 0 });
    }

    pub(super) fn start(&mut self, worths: &[i64]) {
        self.y = worths.iter().map(|&worth| worth as f64 / ONE as f64).collect();
    }

    /// The dual prices in units.
    pub(super) fn worths(&self) -> Vec<i64> {
        self.y.iter().map(|&y| (y * ONE as f64) as i64).collect()
    }

    /// The crowds that are taken, and how much of each.
    pub(super) fn used(self) -> Vec<(CrowdMembers, f64)> {
        let used = self.columns.into_iter().filter(|column| column.taken > 1e-3);
        used.map(|column| (column.crowd, column.taken)).collect()
    }

    /// Makes a number of steps from where it is, no price going further than `reach` says, nor above its cap; returns how much work
    /// that was, in looks. With few crowds known the program says little, and what is far away is wrong.
    pub(super) fn solve(&mut self, reach: &[f64], caps: &[f64]) -> u64 {
        let ground = self.ground;
        let number = self.y.len();
        // The program by columns and by rows, each in one piece: every step goes through both.
        let crowds = self.columns.iter().map(|column| &column.crowd[..]);
        let by_column = SparseMatrix::new(crowds.clone().map(|crowd| {
            crowd.iter().map(|&(id, rows)| MatrixEntry { at: id, rows: rows as f32 })
        }));
        let mut of_rows: Vec<Vec<MatrixEntry>> = vec![Vec::new(); number];
        for (at, crowd) in (0..).zip(crowds) {
            for &(id, rows) in crowd {
                of_rows[id as usize].push(MatrixEntry { at, rows: rows as f32 });
            }
        }
        let by_row = SparseMatrix::new(of_rows.into_iter().map(Vec::into_iter));
        let degree: Vec<f64> = (0..number)
            .map(|id| by_row.of(id).iter().map(|entry| f64::from(entry.rows)).sum())
            .collect();
        let mean = self.y.iter().map(|y| y.abs()).sum::<f64>() / number.max(1) as f64;
        let weight = WEIGHT / mean.max(1e-6);
        let step = weight / ground.k as f64;
        let most = ground.most as f64 / ONE as f64;
        let mut y = self.y.clone();
        let mut average = vec![0.0; number];
        let mut taken: Vec<f64> = self.columns.iter().map(|column| column.taken).collect();
        let costs: Vec<f64> = self.columns.iter().map(|column| column.cost).collect();
        let mut doubled = vec![0.0; self.columns.len()];
        for turn in 0..STEPS {
            let columns = taken.par_iter_mut().zip(&mut doubled).zip(&costs).with_min_len(4_096);
            columns.enumerate().for_each(|(at, ((taken, doubled), cost))| {
                let next = (*taken - step * (cost - by_column.sum(at, &y))).max(0.0);
                *doubled = 2.0 * next - *taken;
                *taken = next;
            });
            let rows = y.par_iter_mut().zip(&mut average).zip(&self.y).with_min_len(4_096);
            rows.enumerate().for_each(|(id, ((y, average), &own))| {
                if degree[id] > 0.0 {
                    let taken = by_row.sum(id, &doubled);
                    *y += (ground.counts[id] as f64 - taken) / (weight * degree[id]);
                    *y = y.clamp(-most, (own + reach[id]).min(most).min(caps[id]));
                }
                if turn >= STEPS / 2 {
                    *average += *y / (STEPS - STEPS / 2) as f64;
                }
            });
        }
        self.y = average;
        for (at, (column, taken)) in self.columns.iter_mut().zip(taken).enumerate() {
            column.taken = taken;
            let idle = taken < 1e-6 && by_column.sum(at, &self.y) < 0.9 * column.cost;
            column.unused = if idle { column.unused + 1 } else { 0 };
        }
        let work = (by_row.entries.len() * STEPS / 4) as u64;
        self.columns.retain(|column| column.unused < PATIENCE);
        work
    }
}

/// A number of the program that is not zero: where it is in its row or column, and how many rows of the table it stands for.
#[derive(Clone, Copy)]
struct MatrixEntry {
    at: u32,
    rows: f32,
}

/// Lists of entries, one behind the other.
struct SparseMatrix {
    starts: Vec<u32>,
    entries: Vec<MatrixEntry>,
}

impl SparseMatrix {
    fn new(lists: impl Iterator<Item = impl Iterator<Item = MatrixEntry>>) -> Self {
        let (mut starts, mut entries) = (vec![0], Vec::new());
        for list in lists {
            entries.extend(list);
            starts.push(entries.len() as u32);
        }
        SparseMatrix { starts, entries }
    }

    #[inline]
    fn of(&self, list: usize) -> &[MatrixEntry] {
        &self.entries[self.starts[list] as usize..self.starts[list + 1] as usize]
    }

    /// The sum over a list of its numbers times those that stand at their places.
    #[inline]
    fn sum(&self, list: usize, of: &[f64]) -> f64 {
        self.of(list).iter().map(|entry| f64::from(entry.rows) * of[entry.at as usize]).sum()
    }
}
