//! Columns of a release that single everybody out and that nobody has named.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use incrowd_engine::Control;

use crate::{Error, RemoteColumn, Result, Source};

/// Below so many rows a column may well have different values by chance.
const FEW: u64 = 5;

/// A column that has another value in every row.
pub(super) struct UniqueColumn {
    pub(super) column: String,
    /// Whether it numbers the rows: whole numbers without a gap.
    pub(super) is_index: bool,
}

/// Whether so many values, all different, say who is who among so many rows: few of each happen by chance.
fn tells(values: u64, rows: u64) -> bool {
    rows >= FEW && values * 2 > rows
}

/// Whether so many different values between these ends number so many rows: whole numbers without a gap.
fn numbers_rows(ends: Option<(i64, i64)>, values: u64, rows: u64) -> bool {
    let gapless = ends.is_some_and(|(low, high)| {
        high.checked_sub(low).and_then(|span| u64::try_from(span).ok()) == values.checked_sub(1)
    });
    gapless && values == rows && rows > 1
}

impl UniqueColumn {
    /// What a column that was left where its table lies is, if it is one.
    pub(super) fn of_left(column: &RemoteColumn, rows: u64) -> Option<Self> {
        let &RemoteColumn { present, different, ends, .. } = column;
        let is_index = numbers_rows(ends, different, rows);
        let found = present == different && (is_index || tells(different, rows));
        found.then(|| UniqueColumn { column: column.name.clone(), is_index })
    }

    /// What the reader of a verdict should know.
    pub(super) fn note(&self) -> String {
        let UniqueColumn { column, is_index } = self;
        let what = if *is_index { "numbers the rows" } else { "has another value in every row" };
        format!(
            "column `{column}` {what} and has no role, so one value finds its row; leave it \
             out, or name it (--sensitive, --unchecked, --identifying)"
        )
    }
}

/// What is known of a column so far.
struct UniqueCandidate {
    place: usize,
    seen: HashSet<u64>,
    /// The least and the greatest value, while all are whole numbers.
    ends: Option<(i64, i64)>,
}

/// Which of these columns have another value in every row; fields without a value do not count. Most columns repeat a
/// value soon, and then the reading ends early.
pub(super) fn distinct_columns(
    source: &Source,
    columns: &[usize],
    missing: &[String],
    control: &Control,
) -> Result<Vec<UniqueColumn>> {
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    // With keys that nobody knows no two values can be made to meet.
    let state = RandomState::new();
    let is_missing = |field: &str| field.is_empty() || missing.iter().any(|token| token == field);
    let mut candidates: Vec<UniqueCandidate> = columns
        .iter()
        .map(|&place| UniqueCandidate {
            place,
            seen: HashSet::new(),
            ends: Some((i64::MAX, i64::MIN)),
        })
        .collect();
    let mut rows = 0_u64;
    let mut enough = false;
    let read = source.map_in_order(
        columns,
        |chunk| {
            let column = |at: usize| -> Vec<(u64, Option<i64>)> {
                let fields = chunk.column(at).map(str::trim).filter(|field| !is_missing(field));
                fields.map(|field| (state.hash_one(field), field.parse().ok())).collect()
            };
            Ok((chunk.rows(), (0..columns.len()).map(column).collect::<Vec<_>>()))
        },
        |(count, fields)| {
            rows += count as u64;
            candidates.retain_mut(|candidate| {
                let at = columns.iter().position(|&place| place == candidate.place);
                at.is_some_and(|at| {
                    fields[at].iter().all(|&(hash, number)| {
                        let ends = candidate.ends.zip(number);
                        candidate.ends = ends.map(|((low, high), at)| (low.min(at), high.max(at)));
                        candidate.seen.insert(hash)
                    })
                })
            });
            enough = candidates.is_empty();
            if enough { Err(Error::new("no columns are left to check")) } else { Ok(()) }
        },
        control,
    );
    if enough {
        return Ok(Vec::new());
    }
    read?;
    let found = candidates.into_iter().filter_map(|UniqueCandidate { place, seen, ends }| {
        let count = seen.len() as u64;
        let is_index = numbers_rows(ends, count, rows);
        let told = is_index || tells(count, rows);
        told.then(|| UniqueColumn { column: source.columns()[place].clone(), is_index })
    });
    Ok(found.collect())
}
