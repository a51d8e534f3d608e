//! The linear program over crowds, solved nearly, by a first-order method.
//!
//! Its answer is only a proposal: what is made of it is proven afterwards.

use rayon::prelude::*;

use super::ground::Ground;
use super::hunt::Crowd;
use super::prices::ONE;

/// How many steps are taken each time it is solved.
const STEPS: usize = 600;

/// How much shorter steps of worths are than steps of crowds, beside what their sizes say: it was found by trying.
const WEIGHT: f64 = 3.0;

/// Crowds that were of no use so many times in a row are forgotten.
const PATIENCE: u8 = 3;

/// max sum of n_j y_j with, for each crowd S, the sum of y over its rows at most k cost(S).
pub(super) struct Program<'a> {
    ground: &'a Ground,
    columns: Vec<Column>,
    /// The worths, a suppressed row being 1.
    y: Vec<f64>,
}

struct Column {
    crowd: Crowd,
    /// What its rows pay together.
    cost: f64,
    /// How much of the crowd is taken.
    taken: f64,
    unused: u8,
}

impl<'a> Program<'a> {
    pub(super) fn new(ground: &'a Ground) -> Self {
        Program { ground, columns: Vec::new(), y: Vec::new() }
    }

    /// A crowd and what a row of it pays.
    pub(super) fn add(&mut self, crowd: &Crowd, cost: i64) {
        let rows: i64 = crowd.iter().map(|member| member.1).sum();
        let cost = rows as f64 * (cost as f64 / ONE as f64);
        self.columns.push(Column { crowd: crowd.clone(), cost, taken: 0.0, unused: 0 });
    }

    pub(super) fn start(&mut self, worths: &[i64]) {
        self.y = worths.iter().map(|&worth| worth as f64 / ONE as f64).collect();
    }

    /// The worths in units.
    pub(super) fn worths(&self) -> Vec<i64> {
        self.y.iter().map(|&y| (y * ONE as f64) as i64).collect()
    }

    /// The crowds that are taken, and how much of each.
    pub(super) fn used(self) -> Vec<(Crowd, f64)> {
        let used = self.columns.into_iter().filter(|column| column.taken > 1e-3);
        used.map(|column| (column.crowd, column.taken)).collect()
    }

    /// Makes a number of steps from where it is, no worth going further than `reach` says, nor above its cap; returns how much work
    /// that was, in looks. With few crowds known the program says little, and what is far away is wrong.
    pub(super) fn solve(&mut self, reach: &[f64], caps: &[f64]) -> u64 {
        let ground = self.ground;
        let number = self.y.len();
        // The columns of each row of the program.
        let mut starts = vec![0u32; number + 1];
        for column in &self.columns {
            column.crowd.iter().for_each(|&(id, _)| starts[id as usize + 1] += 1);
        }
        for at in 0..number {
            starts[at + 1] += starts[at];
        }
        let mut fill = starts.clone();
        let mut entries = vec![(0u32, 0f32); starts[number] as usize];
        for (at, column) in self.columns.iter().enumerate() {
            for &(id, rows) in &column.crowd {
                entries[fill[id as usize] as usize] = (at as u32, rows as f32);
                fill[id as usize] += 1;
            }
        }
        let of = |id: usize| &entries[starts[id] as usize..starts[id + 1] as usize];
        let degree: Vec<f64> =
            (0..number).map(|id| of(id).iter().map(|entry| f64::from(entry.1)).sum()).collect();
        let mean = self.y.iter().map(|y| y.abs()).sum::<f64>() / number.max(1) as f64;
        let weight = WEIGHT / mean.max(1e-6);
        let step = weight / ground.k as f64;
        let most = ground.most as f64 / ONE as f64;
        let mut y = self.y.clone();
        let mut average = vec![0.0; number];
        let mut doubled = vec![0.0; self.columns.len()];
        for turn in 0..STEPS {
            self.columns.par_iter_mut().with_min_len(1024).zip(&mut doubled).for_each(
                |(column, doubled)| {
                    let worth: f64 =
                        column.crowd.iter().map(|&(id, rows)| rows as f64 * y[id as usize]).sum();
                    let taken = (column.taken - step * (column.cost - worth)).max(0.0);
                    *doubled = 2.0 * taken - column.taken;
                    column.taken = taken;
                },
            );
            y.par_iter_mut()
                .zip(&mut average)
                .zip(&self.y)
                .with_min_len(1024)
                .enumerate()
                .for_each(|(id, ((y, average), &own))| {
                    if degree[id] > 0.0 {
                        let taken: f64 = of(id)
                            .iter()
                            .map(|&(column, rows)| f64::from(rows) * doubled[column as usize])
                            .sum();
                        *y += (ground.counts[id] as f64 - taken) / (weight * degree[id]);
                        *y = y.clamp(-most, (own + reach[id]).min(most).min(caps[id]));
                    }
                    if turn >= STEPS / 2 {
                        *average += *y / (STEPS - STEPS / 2) as f64;
                    }
                });
        }
        self.y = average;
        let y = &self.y;
        self.columns.par_iter_mut().for_each(|column| {
            let worth: f64 =
                column.crowd.iter().map(|&(id, rows)| rows as f64 * y[id as usize]).sum();
            let idle = column.taken < 1e-6 && worth < 0.9 * column.cost;
            column.unused = if idle { column.unused + 1 } else { 0 };
        });
        let work = (entries.len() * STEPS / 4) as u64;
        self.columns.retain(|column| column.unused < PATIENCE);
        work
    }
}
