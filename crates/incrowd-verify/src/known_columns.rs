//! k for everybody of whom only a few columns are known: every set of columns is counted.

use std::collections::HashMap;

use crate::collected_tables::CollectedTables;
use crate::columns::ReleaseForm;
use crate::keyed_hash::KeyedState;
use crate::verdict::{
    ColumnValue, SHOWN, Violation, ViolationExample, ViolationKind, counted, shown,
};

/// The fewest rows that agree in any set of at most so many quasi-identifiers, and the combinations of fewer than k.
///
/// Fewer columns are known to at least as many rows, so only sets of exactly that many are counted.
pub(crate) fn known(
    collected: &CollectedTables,
    k: u64,
    columns: usize,
) -> (Option<u64>, Option<Violation>) {
    let quasi = &collected.quasi;
    let columns = columns.min(quasi.len());
    let classes = &collected.classes;
    let mut least: Option<u64> = None;
    let (mut few, mut rows) = (0, 0);
    let mut worst: Vec<(u64, Vec<usize>, usize)> = Vec::new();
    let mut set: Vec<usize> = (0..columns).collect();
    let mut key: Vec<u32> = Vec::new();
    loop {
        let places: Vec<usize> = set
            .iter()
            .flat_map(|&at| match quasi[at].form {
                ReleaseForm::Label(place) => vec![place],
                ReleaseForm::Bounds(least, most) => vec![least, most],
            })
            .collect();
        // The rows and the first class of each combination.
        let mut counts: HashMap<Box<[u32]>, (u64, usize), KeyedState> =
            HashMap::with_hasher(KeyedState::default());
        for class in 0..classes.len() {
            let labels = classes.key(class);
            key.clear();
            key.extend(places.iter().map(|&place| labels[place]));
            match counts.get_mut(key.as_slice()) {
                Some(count) => count.0 += classes.count(class),
                None => {
                    counts.insert(key.clone().into(), (classes.count(class), class));
                }
            }
        }
        let mut small: Vec<(u64, usize)> = Vec::new();
        let mut found: Vec<(u64, usize)> = counts.into_values().collect();
        found.sort_unstable();
        for (count, class) in found {
            least = Some(least.map_or(count, |least| least.min(count)));
            if count < k {
                small.push((count, class));
            }
        }
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
