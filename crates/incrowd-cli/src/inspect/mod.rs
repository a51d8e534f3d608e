//! What a table is like, before anything is done to it.
//!
//! **What it does.** For every column: its kind, what is missing, how many values there are and
//! which are frequent, how well it tells rows apart, and the role it probably has. For the columns
//! that are likely quasi-identifiers: which pairs and triples single people out, and the risk of
//! re-identification from all of them together.
//!
//! **Guarantee.** Every number is an exact count over all rows. Where the limit on work left
//! combinations of columns out, the report says so.
//!
//! **Cost.** One pass over each column; combinations are counted on the distinct rows only.

mod combine;
mod group;
mod kind;
mod render;
mod role;
mod words;

use std::borrow::Cow;

use incrowd::{Column, MISSING_TOKENS, Table};
use incrowd_io::spec::Role;
use rayon::prelude::*;
use serde::{Serialize, Serializer};

use combine::{Combinations, combinations};
use group::{Coded, DistinctRows, Uniqueness, share};
use kind::ValueKind;
use role::Facts;
use words::Words;

/// How to look at a table.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// The texts that mean "missing". They count as one value.
    pub(crate) missing: Vec<String>,
    /// How many of each column's most frequent values to report.
    pub(crate) frequent: usize,
    /// How many pairs and triples of columns to report.
    pub(crate) combinations: usize,
    /// The limit on work: distinct rows times combinations of columns.
    pub(crate) budget: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            missing: MISSING_TOKENS.map(str::to_owned).into(),
            frequent: 3,
            combinations: 5,
            // About two seconds.
            budget: 200_000_000,
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct InspectReport {
    /// How many rows the table has.
    pub(crate) rows: u64,
    /// The columns in order.
    pub(crate) columns: Vec<ColumnReport>,
    /// What the likely quasi-identifiers do together.
    pub(crate) combinations: Combinations,
    /// The risk from all likely quasi-identifiers together, if there are any.
    pub(crate) risk: Option<Risk>,
}

/// What a column is like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ColumnReport {
    /// The name.
    pub(crate) name: String,
    /// What kind of values it holds.
    pub(crate) kind: ValueKind,
    /// How many rows have no value.
    pub(crate) missing: u64,
    /// How well it tells rows apart on its own.
    #[serde(flatten)]
    pub(crate) uniqueness: Uniqueness,
    /// The least value of numbers and dates, as written.
    pub(crate) min: Option<String>,
    /// The greatest value of numbers and dates, as written.
    pub(crate) max: Option<String>,
    /// The most frequent values, missing aside, most frequent first.
    pub(crate) frequent: Vec<Frequent>,
    /// The role it probably has.
    #[serde(serialize_with = "role_name")]
    pub(crate) role: Role,
    /// Why, in one sentence.
    pub(crate) reason: String,
    /// Something about the values that should be looked at.
    pub(crate) note: Option<String>,
}

/// A value and how often it occurs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Frequent {
    /// The value.
    pub(crate) value: String,
    /// How many rows hold it.
    pub(crate) count: u64,
    /// The same as a share of all rows.
    pub(crate) share: f64,
}

/// The risk that somebody who knows a person's quasi-identifiers finds the person's row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Risk {
    /// The columns that others are taken to know.
    pub(crate) quasi: Vec<String>,
    /// How well they tell rows apart; the distinct combinations are the classes.
    #[serde(flatten)]
    pub(crate) uniqueness: Uniqueness,
    /// The size of the smallest class: the k for which the table is k-anonymous as it is.
    pub(crate) smallest_class: u64,
    /// The size that at least half of the classes do not exceed.
    pub(crate) median_class: u64,
    /// The chance of finding the row that is easiest to find: one over the smallest class.
    pub(crate) prosecutor_highest: f64,
    /// The chance of finding a row, on average over all rows: classes over rows.
    pub(crate) prosecutor_average: f64,
    /// How many rows lie in classes smaller than usual choices of k.
    pub(crate) rows_below: Vec<Below>,
}

/// Rows in small classes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Below {
    /// The size from which a class would be large enough.
    pub(crate) k: u64,
    /// How many rows are in smaller ones.
    pub(crate) rows: u64,
    /// The same as a share of all rows.
    pub(crate) share: f64,
}

fn role_name<S: Serializer>(role: &Role, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(role)
}

/// Looks at a table.
pub(crate) fn inspect(table: &Table, options: &Options) -> InspectReport {
    let columns: Vec<ColumnReport> =
        table.columns().par_iter().map(|column| column_report(column, options)).collect();
    let (names, codes): (Vec<&str>, Vec<Coded<'_>>) = table
        .columns()
        .iter()
        .zip(&columns)
        .filter(|(_, report)| report.role == Role::Quasi)
        .map(|(column, _)| (column.name.as_str(), codes(column, &options.missing)))
        .unzip();
    let distinct = DistinctRows::new(&codes);
    InspectReport {
        rows: table.rows() as u64,
        combinations: combinations(&distinct, &names, options.budget, options.combinations),
        risk: risk(&names, &distinct.counts),
        columns,
    }
}

fn column_report(column: &Column, options: &Options) -> ColumnReport {
    let rows = column.codes.len() as u64;
    let mut counts = vec![0u64; column.dictionary.len()];
    for &code in &column.codes {
        counts[code as usize] += 1;
    }
    let is_missing = |value: &str| options.missing.iter().any(|token| token == value);
    // Values that a dictionary knows but no row holds are no values of this table.
    let occurring = column.dictionary.iter().zip(counts).filter(|&(_, count)| count > 0);
    let (absent, values): (Vec<_>, Vec<_>) = occurring.partition(|(value, _)| is_missing(value));
    let missing: u64 = absent.iter().map(|(_, count)| count).sum();
    let sizes = values.iter().map(|&(_, count)| count).chain((missing > 0).then_some(missing));
    let uniqueness = Uniqueness::of(sizes);
    let words = Words::new(&column.name);
    let inferred = kind::infer(&values, &words);
    let (role, reason) = role::suggest(&Facts {
        words: &words,
        kind: inferred.kind,
        present: rows - missing,
        values: values.len() as u64,
    });
    let (min, max) = inferred.range.unzip();
    ColumnReport {
        name: column.name.clone(),
        kind: inferred.kind,
        missing,
        uniqueness,
        min,
        max,
        frequent: most_frequent(values, options.frequent, rows),
        role,
        reason,
        note: inferred.note,
    }
}

/// The most frequent values, equally frequent ones in the order of their text.
fn most_frequent(mut values: Vec<(&str, u64)>, wanted: usize, rows: u64) -> Vec<Frequent> {
    let order = |one: &(&str, u64), two: &(&str, u64)| two.1.cmp(&one.1).then(one.0.cmp(two.0));
    if wanted < values.len() {
        // A column may have millions of values: only the few that are wanted get sorted.
        values.select_nth_unstable_by(wanted, order);
        values.truncate(wanted);
    }
    values.sort_unstable_by(order);
    let frequent = |(value, count): (&str, u64)| Frequent {
        value: value.to_owned(),
        count,
        share: share(count, rows),
    };
    values.into_iter().map(frequent).collect()
}

/// A column's codes with all that is missing under one code.
fn codes<'a>(column: &'a Column, missing: &[String]) -> Coded<'a> {
    let mut absent = missing.iter().filter_map(|token| column.dictionary.get(token));
    let cardinality = column.dictionary.len();
    let codes: Cow<'_, [u32]> = match (absent.next(), absent.next()) {
        (Some(first), Some(second)) => {
            let mut to: Vec<u32> = (0..cardinality as u32).collect();
            for code in absent.chain([second]) {
                to[code as usize] = first;
            }
            column.codes.iter().map(|&code| to[code as usize]).collect()
        }
        _ => Cow::Borrowed(&column.codes),
    };
    Coded { codes, cardinality }
}

/// The risk from columns whose classes have these sizes.
fn risk(names: &[&str], sizes: &[u64]) -> Option<Risk> {
    const USUAL_K: [u64; 4] = [2, 3, 5, 10];
    let uniqueness = Uniqueness::of(sizes.iter().copied());
    let rows: u64 = sizes.iter().sum();
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    let smallest = *sizes.first()?;
    let below = |k: u64| {
        let rows_below = sizes.iter().take_while(|&&size| size < k).sum();
        Below { k, rows: rows_below, share: share(rows_below, rows) }
    };
    Some(Risk {
        quasi: names.iter().map(|&name| name.to_owned()).collect(),
        uniqueness,
        smallest_class: smallest,
        median_class: sizes[(sizes.len() - 1) / 2],
        prosecutor_highest: share(1, smallest),
        prosecutor_average: uniqueness.distinction,
        rows_below: USUAL_K.map(below).into(),
    })
}

#[cfg(test)]
mod tests;
