//! How shares of categories differ between a release and its original, from the files alone.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_assess::bias::ColumnBias;
use incrowd_engine::release::CATEGORIES;
use incrowd_engine::table::Column;
use incrowd_engine::{Control, Problem, Table};

use super::reading::read_columns;
use crate::{Result, SeenClasses, Source};

/// Columns that are released as they are, by their values, and quasi-identifiers by their labels, where no two of these
/// overlap. Nothing where no row is suppressed.
pub(super) fn share_shifts(
    problem: &Problem,
    seen: &SeenClasses,
    original: &Source,
    released: &Table,
    control: &Control,
) -> Result<Vec<ColumnBias>> {
    let classes = &seen.classes;
    let left: u64 = classes.released().map(|class| classes.sizes[class]).sum();
    if left >= problem.rows {
        return Ok(Vec::new());
    }
    let quasi = (0..problem.attributes.len()).filter(|at| !seen.numbers.contains(at));
    let mut found: Vec<ColumnBias> = quasi.filter_map(|at| by_label(problem, seen, at)).collect();
    let is_unchanged = |column: &&Column| {
        let name = &column.name;
        original.columns().contains(name)
            && problem.attributes.iter().all(|attribute| attribute.name != *name)
            && column.dictionary.len() <= CATEGORIES
    };
    let unchanged: Vec<&Column> = released.columns().iter().filter(is_unchanged).collect();
    if unchanged.is_empty() || released.rows() as u64 >= problem.rows {
        return Ok(found);
    }
    let before = read_columns(original, unchanged.iter().map(|column| &column.name), control)?;
    for (was, is) in before.columns().iter().zip(unchanged) {
        found.extend(by_value(was, is));
    }
    Ok(found)
}

/// The shares of a quasi-identifier's labels; none where labels overlap.
fn by_label(problem: &Problem, seen: &SeenClasses, at: usize) -> Option<ColumnBias> {
    let (classes, attribute) = (&seen.classes, &problem.attributes[at]);
    let mut rows_of: BTreeMap<u32, u64> = BTreeMap::new();
    for class in classes.released() {
        *rows_of.entry(classes.ids_of(class)[at]).or_default() += classes.sizes[class];
    }
    let mut before = vec![0; attribute.domain.len()];
    for cell in 0..problem.cells.len() {
        before[problem.cells.code(at, cell) as usize] += problem.cells.counts()[cell];
    }
    let mut taken: BTreeSet<u32> = BTreeSet::new();
    let mut values = Vec::new();
    for (&group, &left) in &rows_of {
        let group = classes.groups[at].get(group);
        let mut rows = 0;
        for code in (0..before.len() as u32).filter(|&code| attribute.contains(group, code)) {
            if !taken.insert(code) {
                return None;
            }
            rows += before[code as usize];
        }
        // More rows than the original has: the release is not of it.
        values.push((attribute.label(group), rows, rows.checked_sub(left)?));
    }
    let lost = (0..before.len() as u32).filter(|code| !taken.contains(code));
    values.extend(lost.map(|code| {
        let rows = before[code as usize];
        (attribute.domain.label(code).to_owned(), rows, rows)
    }));
    ColumnBias::of(&attribute.name, values)
}

/// The shares of the values of a column that is released as it is.
fn by_value(was: &Column, is: &Column) -> Option<ColumnBias> {
    let counted = |column: &Column| {
        let mut rows = vec![0u64; column.dictionary.len()];
        column.codes.iter().for_each(|&code| rows[code as usize] += 1);
        rows
    };
    let (before, after) = (counted(was), counted(is));
    let left: BTreeMap<&str, u64> = is.dictionary.iter().zip(after).collect();
    if left.keys().any(|value| was.dictionary.iter().all(|it| it != *value)) {
        return None;
    }
    let values = was.dictionary.iter().zip(before).map(|(value, rows)| {
        let left = left.get(value).copied().unwrap_or(0);
        Some((value, rows, rows.checked_sub(left)?))
    });
    ColumnBias::of(&was.name, values.collect::<Option<Vec<_>>>()?)
}
