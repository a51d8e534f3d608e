//! k for everybody of whom only a few columns are known: every set of columns is counted.

use crate::collected_tables::CollectedTables;
use crate::columns::ReleaseForm;
use crate::tuples::TupleCounts;
use crate::verdict::{
    ColumnValue, SHOWN, Violation, ViolationExample, ViolationKind, counted, shown,
};
use crate::wildcard::crowds;

/// The fewest rows that agree in any set of at most so many quasi-identifiers, and the combinations of fewer than k.
///
/// Fewer columns are known to at least as many rows, so only sets of exactly that many are counted. Where `*` matches
/// anything, those are counted that a row might agree with.
pub(crate) fn known(
    collected: &CollectedTables,
    k: u64,
    columns: usize,
) -> (Option<u64>, Option<Violation>) {
    let quasi = &collected.quasi;
    let wildcards = collected.requirements.wildcards;
    let star: Vec<Option<u32>> = match wildcards {
        true => collected.labels.iter().map(|labels| labels.find("*")).collect(),
        false => Vec::new(),
    };
    let columns = columns.min(quasi.len());
    let classes = &collected.classes;
    let mut least: Option<u64> = None;
    let (mut few, mut rows) = (0, 0);
    let mut worst: Vec<(u64, Vec<usize>, usize)> = Vec::new();
    let mut set: Vec<usize> = (0..columns).collect();
    loop {
        let places: Vec<usize> = set
            .iter()
            .flat_map(|&at| match quasi[at].form {
                ReleaseForm::Label(place) => vec![place],
                ReleaseForm::Bounds(least, most) => vec![least, most],
            })
            .collect();
        let (fewest, small) = match wildcards {
            true => small_crowds(classes, &places, &star, k),
            false => small_combinations(classes, &places, k),
        };
        least = [least, fewest].into_iter().flatten().min();
        few += small.len() as u64;
        rows += small.iter().map(|(count, _)| count).sum::<u64>();
        worst.extend(
            small.into_iter().take(SHOWN).map(|(count, class)| (count, set.clone(), class)),
        );
        worst.sort();
        worst.truncate(SHOWN);
        let Some(at) = (0..columns).rev().find(|&at| set[at] < quasi.len() - columns + at) else {
            break;
        };
        set[at] += 1;
        for next in at + 1..columns {
            set[next] = set[next - 1] + 1;
        }
    }
    if few == 0 {
        return (least, None);
    }
    let examples = worst.iter().map(|(count, set, class)| {
        let values: Vec<ColumnValue> = collected.class_values(*class);
        let names: Vec<&str> = set.iter().map(|&at| quasi[at].name.as_str()).collect();
        let is_known = |field: &ColumnValue| {
            names.iter().any(|name| {
                let rest = field.column.strip_prefix(name);
                rest.is_some_and(|rest| ["", "_min", "_max"].contains(&rest))
            })
        };
        let values: Vec<ColumnValue> = values.into_iter().filter(is_known).collect();
        let finding = format!("{} where {k} are required", counted(*count, "row", "rows"));
        let message = format!("{}: {finding}", shown(&values));
        let bare = format!("{}: {finding}", names.join(", "));
        ViolationExample {
            values,
            size: *count,
            measured: Some(*count as f64),
            rows: Vec::new(),
            message,
            bare,
        }
    });
    let violation = Violation {
        kind: ViolationKind::KnownColumns,
        message: format!(
            "{k} rows for every {}: not met by {}",
            counted(columns as u64, "known column", "known columns"),
            counted(few, "combination", "combinations")
        ),
        column: None,
        classes: few,
        rows,
        examples: examples.collect(),
    };
    (least, Some(violation))
}

/// The fewest rows of a combination of values in some places, and those of fewer than k rows, each with its first class.
fn small_combinations(
    classes: &TupleCounts,
    places: &[usize],
    k: u64,
) -> (Option<u64>, Vec<(u64, usize)>) {
    let (combinations, first) = combinations(classes, places);
    let small = combinations.counts().iter().zip(&first).filter(|(count, _)| **count < k);
    let mut small: Vec<(u64, usize)> = small.map(|(&count, &class)| (count, class)).collect();
    small.sort_unstable();
    (combinations.counts().iter().copied().min(), small)
}

/// The same with the rows that each combination might agree with.
fn small_crowds(
    classes: &TupleCounts,
    places: &[usize],
    star: &[Option<u32>],
    k: u64,
) -> (Option<u64>, Vec<(u64, usize)>) {
    let (combinations, first) = combinations(classes, places);
    let star: Vec<Option<u32>> = places.iter().map(|&place| star[place]).collect();
    let found = crowds(&combinations, &star, k);
    let of = |(combination, crowd): (u32, u64)| (crowd, first[combination as usize]);
    let mut small: Vec<(u64, usize)> = found.small.into_iter().map(of).collect();
    small.sort_unstable();
    (found.smallest, small)
}

/// The combinations of values in some places, and the first class of each.
fn combinations(classes: &TupleCounts, places: &[usize]) -> (TupleCounts, Vec<usize>) {
    let mut combinations = TupleCounts::new(places.len(), 0);
    let (mut first, mut key) = (Vec::new(), Vec::new());
    for class in 0..classes.len() {
        let labels = classes.key(class);
        key.clear();
        key.extend(places.iter().map(|&place| labels[place]));
        let at = combinations.add(&key, 0, classes.count(class));
        if at as usize == first.len() {
            first.push(class);
        }
    }
    (combinations, first)
}
