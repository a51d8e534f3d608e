//! The crowd outside: how many people who are not in the data fit the boxes of a release.
//!
//! **What it does.** A box that was fitted to a few records can be so tight that nobody else fits it. Whoever claims that
//! exactly one person in the world fits such a box, and one more column, is right more often than chance allows: that is
//! singling out by a predicate. Rows of people who did not go into the release (a control group from the same population)
//! are counted in every box.
//!
//! With s rows in a class and c control rows in its box (scaled to a control group as large as the release), a predicate that
//! splits the box into s equal parts isolates a row of the data with a chance of (1 - 1/s)^(s-1) and one of a fresh sample
//! with a chance of (c/s) e^(-c/s). The mean of the difference over rows is the *isolation advantage*.
//!
//! **Reference.** A. Cohen and K. Nissim, *Towards formalizing the GDPR's notion of singling out*, PNAS 117, 2020.

use std::collections::HashMap;

use incrowd_engine::{Control, Error, Result};
use rayon::prelude::*;
use serde::Serialize;

use super::{AttackTables, SharedColumn};

/// How the people of a control group fit the boxes of a release.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OutsideCrowds {
    /// Rows of the control group.
    pub control: u64,
    /// Boxes of the release.
    pub boxes: u64,
    /// Boxes that no control row fits.
    pub empty: u64,
    /// The same as a share of all boxes.
    pub empty_share: f64,
    /// Of all boxes, the median of how many control rows fit for each released row, as if both tables were as large.
    pub median_ratio: f64,
    /// How much more often than in a fresh sample a predicate inside a box isolates a row, averaged over released rows.
    pub isolation_advantage: f64,
}

/// Control rows are looked at in parts of so many.
const PART: usize = 1 << 16;

/// Counts the rows of the control group that fit each box, by the columns that an attacker knows. Without a control group the
/// rows of the original are taken for one: then it must be one.
pub fn outside_crowds(
    tables: &AttackTables,
    known: &[usize],
    control: &Control,
) -> Result<OutsideCrowds> {
    let others = tables.control.as_ref().unwrap_or(&tables.original);
    let rows = others.first().map_or(0, Vec::len);
    let released = tables.release.first().map_or(0, Vec::len);
    if known.is_empty() || rows == 0 || released == 0 {
        return Err(Error::new("boxes are compared with a control group by columns of both")
            .help("name columns that the release and the control group have"));
    }
    let mut place: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut boxes: Vec<(Vec<u32>, u64)> = Vec::new();
    for row in 0..released {
        let key: Vec<u32> = known.iter().map(|&at| tables.release[at][row]).collect();
        let at = *place.entry(key).or_insert_with_key(|key| {
            boxes.push((key.clone(), 0));
            boxes.len() - 1
        });
        boxes[at].1 += 1;
    }
    let mut fitting = vec![0u64; boxes.len()];
    for from in (0..rows).step_by(PART) {
        if control.is_cancelled() {
            return Err(Error::new("interrupted before all boxes were counted"));
        }
        let to = rows.min(from + PART);
        let sets: Vec<Vec<Vec<u64>>> = known
            .iter()
            .map(|&at| rows_of_labels(&tables.columns[at], &others[at][from..to]))
            .collect();
        fitting.par_iter_mut().zip(&boxes).for_each(|(fitting, (labels, _))| {
            let words = (to - from).div_ceil(64);
            *fitting += (0..words)
                .map(|word| {
                    let held =
                        labels.iter().zip(&sets).map(|(&label, sets)| sets[label as usize][word]);
                    u64::from(held.fold(u64::MAX, |all, held| all & held).count_ones())
                })
                .sum::<u64>();
        });
    }
    let sizes: Vec<(u64, u64)> = boxes.iter().map(|it| it.1).zip(fitting).collect();
    Ok(OutsideCrowds::of(&sizes, released as u64, rows as u64))
}

impl OutsideCrowds {
    /// From pairs of the rows of a class and the control rows in its box.
    pub fn of(sizes: &[(u64, u64)], released: u64, control: u64) -> Self {
        let scale = released as f64 / control.max(1) as f64;
        let mut ratios: Vec<f64> =
            sizes.iter().map(|&(rows, fitting)| scale * fitting as f64 / rows as f64).collect();
        let gained: f64 = sizes
            .iter()
            .zip(&ratios)
            .map(|(&(rows, _), ratio)| {
                let s = rows as f64;
                s * ((1.0 - 1.0 / s).powf(s - 1.0) - ratio * (-ratio).exp())
            })
            .sum();
        ratios.sort_by(f64::total_cmp);
        let empty = sizes.iter().filter(|(_, fitting)| *fitting == 0).count() as u64;
        let boxes = sizes.len() as u64;
        let middle = ratios.len() / 2;
        let median_ratio = match ratios.len() {
            0 => 0.0,
            even if even.is_multiple_of(2) => (ratios[middle - 1] + ratios[middle]) / 2.0,
            _ => ratios[middle],
        };
        OutsideCrowds {
            control,
            boxes,
            empty,
            empty_share: empty as f64 / boxes.max(1) as f64,
            median_ratio,
            isolation_advantage: gained / released.max(1) as f64,
        }
    }
}

/// For each label of a column the rows that it contains, as bits.
fn rows_of_labels(column: &SharedColumn, values: &[u32]) -> Vec<Vec<u64>> {
    let words = values.len().div_ceil(64);
    let most = values.iter().copied().max().unwrap_or(0);
    let mut of_value: Vec<Vec<u32>> = vec![Vec::new(); most as usize + 1];
    for (&value, row) in values.iter().zip(0..) {
        of_value[value as usize].push(row);
    }
    let held = |label: &super::ReleasedLabel| {
        let mut bits = vec![0u64; words];
        for &(low, high) in &label.ranges {
            let inside = of_value.iter().take(high as usize + 1).skip(low as usize);
            inside.flatten().for_each(|&row| bits[row as usize / 64] |= 1 << (row % 64));
        }
        bits
    };
    column.labels.par_iter().map(held).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::super::ReleasedLabel;
    use super::*;

    fn column(name: &str, labels: &[&[(u32, u32)]]) -> SharedColumn {
        SharedColumn {
            name: name.to_owned(),
            numbers: vec![None; 8],
            labels: labels
                .iter()
                .map(|ranges| ReleasedLabel { ranges: ranges.to_vec(), number: None })
                .collect(),
        }
    }

    #[test]
    fn rows_are_counted_in_boxes() {
        let tables = AttackTables {
            columns: vec![
                column("a", &[&[(0, 2)], &[(3, 3)]]),
                column("b", &[&[(0, 0), (2, 2)], &[(0, 7)]]),
            ],
            release: vec![vec![0, 0, 1, 1], vec![0, 0, 1, 1]],
            original: vec![vec![1], vec![1]],
            control: Some(vec![vec![1, 2, 1, 4], vec![2, 0, 1, 0]]),
        };
        let found = outside_crowds(&tables, &[0, 1], &Control::new()).unwrap();
        assert_eq!((found.boxes, found.empty, found.control), (2, 1, 4));
        // The first box has 2 rows and 2 of the control group, the second 2 and none.
        assert_eq!(found.median_ratio, 0.5);
        let advantage = (0.5 - (-1f64).exp() + 0.5) / 2.0;
        assert!((found.isolation_advantage - advantage).abs() < 1e-12);
        let found = outside_crowds(&tables, &[1], &Control::new()).unwrap();
        assert_eq!((found.boxes, found.empty), (2, 0));
    }

    #[test]
    fn many_rows_are_counted_in_parts() {
        let rows = 150_001;
        let values: Vec<u32> = (0..rows).map(|row| row % 5).collect();
        let tables = AttackTables {
            columns: vec![column("a", &[&[(1, 2)], &[(7, 7)]])],
            release: vec![vec![0, 0, 0, 1]],
            original: vec![values],
            control: None,
        };
        let found = outside_crowds(&tables, &[0], &Control::new()).unwrap();
        assert_eq!((found.control, found.empty), (u64::from(rows), 1));
        let scaled = 4.0 / f64::from(rows) * 60_000.0 / 3.0;
        assert!((found.median_ratio - scaled / 2.0).abs() < 1e-4, "{found:?}");
    }
}
