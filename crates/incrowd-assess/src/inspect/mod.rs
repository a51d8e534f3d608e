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
//!
//! ```
//! use incrowd_engine::Table;
//! use incrowd_assess::inspect::{InspectOptions, LikelyRole, inspect};
//!
//! let rows = [["p1", "34", "flu"], ["p2", "34", "flu"], ["p3", "61", "cold"]];
//! let table = Table::from_rows(&["patient-id", "age", "diagnosis"], &rows)?;
//! let found = inspect(&table, &InspectOptions::new());
//! let roles: Vec<LikelyRole> = found.columns.iter().map(|column| column.role).collect();
//! assert_eq!(roles, [LikelyRole::Identifying, LikelyRole::Quasi, LikelyRole::Sensitive]);
//! assert_eq!(found.risk.unwrap().uniqueness.unique_rows, 1);
//! # Ok::<(), incrowd_engine::Error>(())
//! ```

mod codes;
mod column_summary;
mod combine;
mod content;
mod group;
mod kind;
mod name_words;
mod numbers;
mod propose;
mod role;
mod value_text;

use std::borrow::Cow;
use std::collections::BTreeMap;

use incrowd_engine::table::Column;
use incrowd_engine::value::{DateFormat, MISSING_TOKENS, is_missing};
use incrowd_engine::{Control, Table};
use rayon::prelude::*;
use serde::Serialize;

pub use codes::{CodeSystem, ProposedHierarchy};
pub use column_summary::{ColumnSummary, look};
pub use combine::{ColumnCombination, CombinationReport};
pub use group::Uniqueness;
pub use kind::ValueKind;
pub use name_words::NameHint;
pub use propose::{RoleProposal, propose};
pub use role::{ExposureKind, ExposureReason, LikelyRole};
pub use value_text::shown;

use crate::disclose::{DisclosureTarget, implied};
use crate::expose::{Disclosure, tells_of_table};
use crate::thresholds::CODES;
use combine::combinations;
use group::{CodedColumn, DistinctRows, share};
use name_words::NameWords;

/// How to look at a table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InspectOptions {
    /// The texts that mean "missing". They count as one value.
    pub missing: Vec<String>,
    /// How many of each column's most frequent values to report.
    pub frequent: usize,
    /// How many pairs and triples of columns to report.
    pub combinations: usize,
    /// The limit on work: distinct rows times combinations of columns.
    pub budget: u64,
    /// How dates are written where they can be read in several ways.
    pub usual_dates: Option<DateFormat>,
    /// How dates of single columns are written.
    pub date_formats: BTreeMap<String, DateFormat>,
}

impl Default for InspectOptions {
    fn default() -> Self {
        InspectOptions {
            missing: MISSING_TOKENS.map(str::to_owned).into(),
            frequent: 3,
            combinations: 5,
            // About two seconds.
            budget: 200_000_000,
            usual_dates: None,
            date_formats: BTreeMap::new(),
        }
    }
}

impl InspectOptions {
    /// The usual way to look.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the texts that mean "missing".
    #[must_use]
    pub fn with_missing(self, missing: Vec<String>) -> Self {
        InspectOptions { missing, ..self }
    }

    /// Sets how dates are written: where they can be read in several ways, and in single columns.
    #[must_use]
    pub fn with_dates(
        self,
        usual_dates: Option<DateFormat>,
        date_formats: BTreeMap<String, DateFormat>,
    ) -> Self {
        InspectOptions { usual_dates, date_formats, ..self }
    }

    /// Sets how many of each column's most frequent values are reported.
    #[must_use]
    pub fn with_frequent(self, frequent: usize) -> Self {
        InspectOptions { frequent, ..self }
    }

    /// Sets how many pairs and triples of columns are reported.
    #[must_use]
    pub fn with_combinations(self, combinations: usize) -> Self {
        InspectOptions { combinations, ..self }
    }

    /// Sets the limit on work: distinct rows times combinations of columns.
    #[must_use]
    pub fn with_budget(self, budget: u64) -> Self {
        InspectOptions { budget, ..self }
    }
}

/// What a table is like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Inspection {
    /// How many rows the table has.
    pub rows: u64,
    /// The columns in order.
    pub columns: Vec<ColumnReport>,
    /// What the likely quasi-identifiers do together.
    pub combinations: CombinationReport,
    /// The risk from all likely quasi-identifiers together, if there are any.
    pub risk: Option<Risk>,
    /// Which columns tell the value of a likely quasi-identifier, most first: to release the one as it is undoes
    /// what is done to the other.
    pub tells: Vec<Disclosure>,
}

/// What a column is like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnReport {
    /// The name.
    pub name: String,
    /// What kind of values it holds.
    pub kind: ValueKind,
    /// How many rows have no value.
    pub missing: u64,
    /// How well it tells rows apart on its own.
    #[serde(flatten)]
    pub uniqueness: Uniqueness,
    /// The least value of numbers and dates, as written.
    pub min: Option<String>,
    /// The greatest value of numbers and dates, as written.
    pub max: Option<String>,
    /// The most frequent values, missing aside, most frequent first.
    pub frequent: Vec<FrequentValue>,
    /// The role it probably has.
    pub role: LikelyRole,
    /// Why, in one sentence.
    pub reason: String,
    /// Why it must not be released as it is unless somebody says that it is meant, if so.
    pub exposed: Option<ExposureReason>,
    /// Something about the values that should be looked at.
    pub note: Option<String>,
    /// How dates are written, where it is certain: `d/m/y`, `y-m-d h:m:s`, ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_format: Option<String>,
    /// What codes or names the values are, and how these could be generalized.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codes: Option<CodeSystem>,
}

/// A value and how often it occurs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrequentValue {
    /// The value.
    pub value: String,
    /// How many rows hold it.
    pub count: u64,
    /// The same as a share of all rows.
    pub share: f64,
}

/// The risk that somebody who knows a person's quasi-identifiers finds the person's row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Risk {
    /// The columns that others are taken to know.
    pub quasi: Vec<String>,
    /// How well they tell rows apart; the distinct combinations are the classes.
    #[serde(flatten)]
    pub uniqueness: Uniqueness,
    /// The size of the smallest class: the k for which the table is k-anonymous as it is.
    pub smallest_class: u64,
    /// The size that at least half of the classes do not exceed.
    pub median_class: u64,
    /// The chance of finding the row that is easiest to find: one over the smallest class.
    pub prosecutor_highest: f64,
    /// The chance of finding a row, on average over all rows: classes over rows.
    pub prosecutor_average: f64,
    /// How many rows lie in classes smaller than usual choices of k.
    pub rows_below: Vec<SmallClassRows>,
}

/// Rows in small classes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SmallClassRows {
    /// The size from which a class would be large enough.
    pub k: u64,
    /// How many rows are in smaller ones.
    pub rows: u64,
    /// The same as a share of all rows.
    pub share: f64,
}

/// Looks at a table: its columns, their likely roles, and what these give away together.
pub fn inspect(table: &Table, options: &InspectOptions) -> Inspection {
    let mut columns: Vec<ColumnReport> =
        table.columns().par_iter().map(|column| column_report(column, options)).collect();
    let (names, codes): (Vec<&str>, Vec<CodedColumn<'_>>) = table
        .columns()
        .iter()
        .zip(&columns)
        .filter(|(_, report)| report.role == LikelyRole::Quasi)
        .map(|(column, _)| (column.name.as_str(), codes(column, &options.missing)))
        .unzip();
    let distinct = DistinctRows::new(&codes);
    // What names rows is no column to release, whatever it tells.
    let places = |kept: &dyn Fn(LikelyRole) -> bool| -> Vec<usize> {
        (0..columns.len()).filter(|&at| kept(columns[at].role)).collect()
    };
    let released = places(&|role| role != LikelyRole::Identifying);
    // Of a wide table the columns count whose names say that others know them, so that the work grows with the columns.
    let mut hidden = places(&|role| role == LikelyRole::Quasi);
    hidden.sort_by_key(|&at| NameHint::of(&columns[at].name) != NameHint::Attribute);
    hidden.truncate((PAIRS / released.len().max(1)).max(FEWEST));
    let tells = tells_of_table(table, &released, &hidden);
    for (at, agreeing) in numbering(table, &columns, &options.missing, options.budget) {
        columns[at].role = LikelyRole::Identifying;
        columns[at].reason = format!(
            "Rows that share its value agree on {}: it may number people.",
            agreeing.join(" and ")
        );
    }
    for column in columns.iter_mut().filter(|column| column.role == LikelyRole::Plain) {
        if let Some(told) = tells.iter().find(|told| told.column == column.name) {
            column.role = LikelyRole::Undecided;
            let percent = 100.0 * told.share;
            column.reason = format!("It reveals `{}` in {percent:.0}% of the rows.", told.quasi);
        }
    }
    Inspection {
        rows: table.rows() as u64,
        combinations: combinations(&distinct, &names, options.budget, options.combinations),
        risk: risk(&names, &distinct.counts),
        tells,
        columns,
    }
}

/// Values that fewer rows have are not shown where values of people are not.
const SHARED: u64 = 5;

/// Columns that few rows each share and by which others are known: numbers of persons and households. Each with the columns
/// that rows agree on.
fn numbering(
    table: &Table,
    columns: &[ColumnReport],
    missing: &[String],
    budget: u64,
) -> Vec<(usize, Vec<String>)> {
    let rows = table.rows() as u64;
    let known: Vec<usize> = (0..columns.len())
        .filter(|&at| columns[at].role == LikelyRole::Quasi)
        .filter(|&at| columns[at].uniqueness.distinct.saturating_mul(ROWS_EACH) < rows)
        .take(20)
        .collect();
    // The work grows with the columns, and is bounded.
    let most = usize::try_from(budget / 1_000_000).unwrap_or(usize::MAX).max(1);
    let candidates = (0..columns.len()).filter(|at| {
        let ColumnReport { role, uniqueness, name, .. } = &columns[*at];
        let distinct = uniqueness.distinct;
        *role != LikelyRole::Identifying
            && NameHint::of(name) != NameHint::Attribute
            && distinct >= CODES
            && distinct.saturating_mul(ROWS_EACH) >= rows
            && distinct < rows
    });
    let found = candidates.take(most).filter_map(|at| {
        let asked: Vec<DisclosureTarget> = known
            .iter()
            .filter(|&&it| it != at)
            .map(|&at| DisclosureTarget { at, exact: true })
            .collect();
        let found = implied(table, &[at], &asked, None, missing, &Control::new());
        let agreeing: Vec<String> = found.into_iter().map(|it| it.column).collect();
        (agreeing.len() > 1).then_some((at, agreeing))
    });
    found.collect()
}

/// So many pairs of columns are compared, about, ...
const PAIRS: usize = 5_000;
/// ... but each column with at least so many.
const FEWEST: usize = 5;

/// Rows for each value, at most, of a column that may number people.
const ROWS_EACH: u64 = 20;

fn column_report(column: &Column, options: &InspectOptions) -> ColumnReport {
    let rows = column.codes.len() as u64;
    let mut counts = vec![0u64; column.dictionary.len()];
    for &code in &column.codes {
        counts[code as usize] += 1;
    }
    let is_missing = |value: &str| is_missing(value, &options.missing);
    // Values that a dictionary knows but no row holds are no values of this table.
    let occurring = column.dictionary.iter().zip(counts).filter(|&(_, count)| count > 0);
    let (absent, values): (Vec<_>, Vec<_>) = occurring.partition(|(value, _)| is_missing(value));
    let missing: u64 = absent.iter().map(|(_, count)| count).sum();
    let sizes = values.iter().map(|&(_, count)| count).chain((missing > 0).then_some(missing));
    let uniqueness = Uniqueness::of(sizes);
    let words = NameWords::new(&column.name);
    let said = options.date_formats.get(&column.name).or(options.usual_dates.as_ref());
    let inferred = said.and_then(|form| kind::dates_in(&values, form));
    let ColumnSummary { kind, range, note, date_format, role, reason, exposed, .. } =
        column_summary::look_as(&column.name, &values, rows, missing, 1, inferred);
    // What few people have is theirs, and stays out of sight unless somebody asks for values.
    let least = if incrowd_engine::words::values_are_hidden() { SHARED } else { 1 };
    let is_shared = |text: &String| {
        let rows = values.iter().filter(|(value, _)| value.trim() == text).map(|(_, rows)| rows);
        rows.sum::<u64>() >= least
    };
    let (min, max) = range.unzip();
    let (min, max) = (min.filter(is_shared), max.filter(is_shared));
    let codes = match kind {
        ValueKind::Text | ValueKind::Code | ValueKind::Integer => {
            codes::of(&words, &values.iter().map(|(value, _)| value.trim()).collect::<Vec<_>>())
        }
        _ => None,
    };
    let note = note.or_else(|| codes.as_ref().map(|codes| codes.told(&column.name)));
    ColumnReport {
        name: column.name.clone(),
        kind,
        missing,
        uniqueness,
        min,
        max,
        frequent: most_frequent(values, options.frequent, rows, least),
        role,
        reason,
        exposed,
        note,
        date_format,
        codes,
    }
}

/// The most frequent values, equally frequent ones in the order of their text.
fn most_frequent(
    mut values: Vec<(&str, u64)>,
    wanted: usize,
    rows: u64,
    least: u64,
) -> Vec<FrequentValue> {
    values.retain(|&(_, count)| count >= least);
    let order = |one: &(&str, u64), two: &(&str, u64)| two.1.cmp(&one.1).then(one.0.cmp(two.0));
    if wanted < values.len() {
        // A column may have millions of values: only the few that are wanted get sorted.
        values.select_nth_unstable_by(wanted, order);
        values.truncate(wanted);
    }
    values.sort_unstable_by(order);
    let frequent = |(value, count): (&str, u64)| FrequentValue {
        value: value.to_owned(),
        count,
        share: share(count, rows),
    };
    values.into_iter().map(frequent).collect()
}

/// A column's codes with all that is missing under one code.
fn codes<'a>(column: &'a Column, missing: &[String]) -> CodedColumn<'a> {
    let values = (0..).zip(column.dictionary.iter());
    let mut absent =
        values.filter(|(_, value)| is_missing(value, missing)).map(|(code, _): (u32, _)| code);
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
    CodedColumn { codes, cardinality }
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
        SmallClassRows { k, rows: rows_below, share: share(rows_below, rows) }
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
