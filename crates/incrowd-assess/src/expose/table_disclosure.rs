//! What columns of a table tell of each other, before there is a release.

use incrowd_engine::Table;
use rayon::prelude::*;

use super::bins::readings;
use super::collector::{Disclosure, absence, has};
use super::disclosure::{HiddenAttribute, told};
use super::tally::pair_hash;
use crate::thresholds::UNDONE;

/// The limit on work: rows times pairs of columns.
const BUDGET: usize = 20_000_000;

/// At most so many rows are looked at, ...
const ROWS: usize = 20_000;

/// ... and at least these, if the table has them.
const LEAST_ROWS: usize = 500;

/// Which columns tell the value of a quasi-identifier, as a town tells a ZIP code: pairs above the
/// [limit](crate::thresholds::UNDONE) at which a run that hides the one and releases the other would be
/// refused. Nothing is hidden yet, so every value of the quasi-identifier is a candidate.
pub fn tells_of_table(table: &Table, columns: &[usize], quasi: &[usize]) -> Vec<Disclosure> {
    let pairs: Vec<(usize, usize)> = columns
        .iter()
        .flat_map(|&column| quasi.iter().map(move |&hidden| (column, hidden)))
        .filter(|(column, hidden)| column != hidden)
        .collect();
    let most = (BUDGET / pairs.len().max(1)).clamp(LEAST_ROWS, ROWS);
    let every = (table.rows() / most.max(1) + 1) as u64;
    let rows: Vec<usize> = (0..table.rows())
        .filter(|&row| every == 1 || pair_hash(row as u64, 0x5eed).is_multiple_of(every))
        .collect();
    let sampled = |column: usize| -> Vec<u32> {
        rows.iter().map(|&row| table.columns()[column].codes[row]).collect()
    };
    let mut needed: Vec<usize> = columns.to_vec();
    needed.sort_unstable();
    needed.dedup();
    let readings: Vec<(usize, Vec<Vec<u32>>)> = needed
        .into_par_iter()
        .map(|column| (column, readings(&sampled(column), &table.columns()[column].dictionary)))
        .collect();
    let present: Vec<(usize, Vec<usize>)> = readings
        .par_iter()
        .map(|(column, _)| (*column, has(&table.columns()[*column].dictionary, &sampled(*column))))
        .collect();
    let every_row: Vec<usize> = (0..rows.len()).collect();
    let mut found: Vec<Disclosure> = pairs
        .into_par_iter()
        .filter_map(|(column, hidden)| {
            let at = readings.binary_search_by_key(&column, |(column, _)| *column).ok()?;
            let hidden_values = sampled(hidden);
            let share_of = |values: &[u32], rows: &[usize]| {
                let of = |all: &[u32]| -> Vec<u32> { rows.iter().map(|&row| all[row]).collect() };
                let original = of(&hidden_values);
                let group = vec![0; original.len()];
                let seen = HiddenAttribute {
                    original: &original,
                    group: &group,
                    spans: &[(0, u32::MAX)],
                    contains: &|_, _| true,
                };
                told(&of(values), &seen, column as u64 + 1, UNDONE)
            };
            let rows = &present[at].1;
            let shares = readings[at].1.iter().map(|values| share_of(values, rows));
            let absent = absence(rows, hidden_values.len());
            let shares = shares.chain(absent.map(|values| share_of(&values, &every_row)));
            let share = shares.fold(0.0, f64::max);
            let name = |column: usize| table.columns()[column].name.clone();
            (share > UNDONE).then(|| Disclosure {
                column: name(column),
                quasi: name(hidden),
                share,
            })
        })
        .collect();
    found.sort_by(|one, other| other.share.total_cmp(&one.share));
    found
}
