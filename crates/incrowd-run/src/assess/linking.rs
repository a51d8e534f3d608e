//! The column of a release that shows which rows belong to one person, where nobody has named it.

use std::collections::HashSet;

use incrowd_assess::inspect::NameHint;
use incrowd_engine::Control;
use incrowd_engine::value::is_missing;

use crate::{RemoteColumn, Result, Source, read_table};

/// Letters that a code of somebody has at least; shorter ones are those of things.
const LENGTH: usize = 8;
/// The share of values that must be codes.
const MOST: f64 = 0.95;

/// The column, among these, whose values repeat and are codes, or are those of people by its name. Of several the one that
/// tells most people apart.
pub(super) fn linking_column(
    release: &Source,
    columns: &[usize],
    k: u64,
    missing: &[String],
    control: &Control,
) -> Result<Option<String>> {
    if columns.is_empty() {
        return Ok(None);
    }
    let table = read_table(release, Some(columns), control)?;
    let mut found: Option<(u64, &str)> = None;
    for column in table.columns() {
        let mut values: HashSet<&str> = HashSet::new();
        let mut present = 0_u64;
        for row in 0..table.rows() {
            let value = column.value(row);
            if !is_missing(value, missing) {
                present += 1;
                values.insert(value);
            }
        }
        let codes = values.iter().filter(|value| is_code(value)).count() as u64;
        let different = values.len() as u64;
        let told = RemoteColumn::new(&column.name, present, different).with_values(codes, None);
        if links(&told, k) && found.is_none_or(|(most, _)| different > most) {
            found = Some((different, &column.name));
        }
    }
    Ok(found.map(|(_, column)| column.to_owned()))
}

/// The same of columns that were left where their table lies.
pub fn linking_of_left(columns: &[RemoteColumn], k: u64) -> Option<&RemoteColumn> {
    let linking = columns.iter().filter(|column| links(column, k));
    // Of several that are alike the first.
    linking.rev().max_by_key(|column| column.different)
}

/// Whether the values of a column show which rows belong together.
fn links(column: &RemoteColumn, k: u64) -> bool {
    let &RemoteColumn { present, different, codes, .. } = column;
    // Few values are groups of people, and values that do not repeat link nothing.
    if different == present || different < 2 * k {
        return false;
    }
    codes as f64 >= MOST * different as f64 || NameHint::of(&column.name) == NameHint::Subject
}

/// Whether a value is written like a pseudonym: letters and digits in one word.
pub fn is_code(value: &str) -> bool {
    let is = |test: fn(&char) -> bool| value.chars().any(|c| test(&c));
    value.len() >= LENGTH
        && value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && is(char::is_ascii_digit)
        && is(char::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::ReadOptions;

    #[test]
    fn codes_and_numbers_of_people_link_rows() {
        let row = |at: usize| {
            let who = at / 2;
            format!("{},zx1jp1pr4gx{who:05},{who},{},E11.{}\n", 20 + at % 3, 7 * at, at % 9)
        };
        let text = format!("age,x,patient_id,cost,icd\n{}", (0..60).map(row).collect::<String>());
        let source =
            Source::from_reader(&mut text.as_bytes(), "t.csv", &ReadOptions::default()).unwrap();
        let links =
            |columns: &[usize]| linking_column(&source, columns, 3, &[], &Control::new()).unwrap();
        assert_eq!(links(&[1, 3]).as_deref(), Some("x"));
        assert_eq!(links(&[2, 3]).as_deref(), Some("patient_id"));
        assert_eq!(links(&[3, 4]), None);
        assert_eq!(links(&[]), None);
    }
}
