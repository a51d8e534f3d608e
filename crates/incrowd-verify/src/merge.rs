//! Parts of what was collected brought together.

use crate::collected_tables::CollectedTables;
use crate::columns::RELEASED;
use crate::error::{Error, InputTable, Result};
use crate::intern::Interner;
use crate::original_rows::OriginalRows;
use crate::row_numbering::RowRenumbering;
use crate::tuples::TupleCounts;

/// How the places where values first appeared are numbered anew.
struct OccurrenceRenumbering<'a> {
    original: &'a RowRenumbering,
    released: &'a RowRenumbering,
}

impl OccurrenceRenumbering<'_> {
    fn is_none(&self) -> bool {
        self.original.is_none() && self.released.is_none()
    }

    fn of(&self, place: u64) -> u64 {
        match place & RELEASED {
            0 => self.original.of(place),
            _ => RELEASED | self.released.of(place ^ RELEASED),
        }
    }
}

/// Adds to what was collected what was collected elsewhere for the same requirements. Codes are no
/// longer in the order of first appearance then: see [`settle`].
pub(crate) fn merge(into: &mut CollectedTables, other: &CollectedTables) -> Result<()> {
    let unfit = |what: &str| {
        Err(Error::Collection(format!("parts with different {what} cannot be combined")))
    };
    let original_header =
        |part: &CollectedTables| part.originals.as_ref().map(|o| o.header.clone());
    if into.requirements != other.requirements {
        return unfit("requirements");
    }
    if into.header != other.header {
        return unfit("headers of the release");
    }
    if original_header(into) != original_header(other) {
        return unfit("headers of the original");
    }
    let missing = &into.requirements.missing;
    let released = into.rows.merge(&other.rows, InputTable::Release)?;
    let original = match (&mut into.originals, &other.originals) {
        (Some(into), Some(other)) => into.rows.merge(&other.rows, InputTable::Original)?,
        _ => Default::default(),
    };
    let ours = OccurrenceRenumbering { original: &original.0, released: &released.0 };
    let theirs = OccurrenceRenumbering { original: &original.1, released: &released.1 };
    into.scattered = true;

    if !ours.released.is_none() {
        into.classes.renumber(|row| ours.released.of(row));
    }
    let label_codes: Vec<Vec<u32>> = into
        .labels
        .iter_mut()
        .zip(&other.labels)
        .map(|(labels, new)| absorb(labels, new))
        .collect();
    let classes = add_all(&mut into.classes, &other.classes, theirs.released, |key| {
        key.iter_mut().zip(&label_codes).for_each(|(code, codes)| *code = codes[*code as usize]);
    });
    let mut value_codes: Vec<Vec<u32>> = Vec::with_capacity(into.values.len());
    for (column, new) in into.values.iter_mut().zip(&other.values) {
        if !ours.is_none() {
            column.values.renumber(|place| ours.of(place));
        }
        let codes = column.values.absorb(&new.values, |place| theirs.of(place), missing);
        if let (Some(histograms), Some(new)) = (&mut column.histograms, &new.histograms) {
            add_all(histograms, new, theirs.released, |key| {
                recode_histogram(key, &classes, &codes, &value_codes);
            });
        }
        value_codes.push(codes);
    }
    let (Some(into), Some(other)) = (&mut into.originals, &other.originals) else {
        return Ok(());
    };
    if !ours.original.is_none() {
        into.originals.renumber(|row| ours.original.of(row));
        for values in &mut into.originals_of {
            values.renumber(|place| ours.of(place));
        }
    }
    if !ours.released.is_none() {
        into.released.renumber(|row| ours.released.of(row));
    }
    let equal = into.equal.clone();
    let groups = add_all(&mut into.groups, &other.groups, theirs.released, |key| {
        recode_group(key, &equal, &value_codes);
    });
    add_all(&mut into.released, &other.released, theirs.released, |key| {
        key[0] = groups[key[0] as usize];
        key[1] = classes[key[1] as usize];
    });
    let quasi_codes: Vec<Vec<u32>> = into
        .originals_of
        .iter_mut()
        .zip(&other.originals_of)
        .map(|(values, new)| values.absorb(new, |place| theirs.of(place), missing))
        .collect();
    add_all(&mut into.originals, &other.originals, theirs.original, |key| {
        key[0] = groups[key[0] as usize];
        let codes = key[1..].iter_mut().zip(&quasi_codes);
        codes.for_each(|(code, codes)| *code = codes[*code as usize]);
    });
    for ((counts, new), codes) in into.overall.iter_mut().zip(&other.overall).zip(&value_codes) {
        if let (Some(counts), Some(new)) = (counts, new) {
            let most = codes.iter().take(new.len()).map(|&code| code as usize + 1).max();
            counts.resize(counts.len().max(most.unwrap_or(0)), 0);
            for (&count, &code) in new.iter().zip(codes) {
                counts[code as usize] += count;
            }
        }
    }
    Ok(())
}

/// Brings codes into the order of first appearance, as if all rows had come in their order and those
/// of the original first. Nothing can be added afterwards.
pub(crate) fn settle(collected: &mut CollectedTables) {
    if !collected.scattered {
        return;
    }
    let missing = &collected.requirements.missing;
    let classes = collected.classes.sort_by_row();
    let mut value_codes: Vec<Vec<u32>> = Vec::with_capacity(collected.values.len());
    for column in &mut collected.values {
        let codes = column.values.sort(missing);
        if let Some(histograms) = &mut column.histograms {
            histograms.recode(|key| recode_histogram(key, &classes, &codes, &value_codes));
        }
        value_codes.push(codes);
    }
    let Some(originals) = &mut collected.originals else { return };
    let OriginalRows { groups, equal, originals_of, originals, released, overall, .. } = originals;
    groups.recode(|key| recode_group(key, equal, &value_codes));
    let quasi_codes: Vec<Vec<u32>> =
        originals_of.iter_mut().map(|values| values.sort(missing)).collect();
    originals.recode(|key| {
        let codes = key[1..].iter_mut().zip(&quasi_codes);
        codes.for_each(|(code, codes)| *code = codes[*code as usize]);
    });
    originals.sort_by_row();
    released.recode(|key| key[1] = classes[key[1] as usize]);
    released.sort_by_row();
    for (counts, codes) in overall.iter_mut().zip(&value_codes) {
        if let Some(counts) = counts.as_mut().filter(|counts| !counts.is_empty()) {
            let mut sorted = vec![0; codes.len()];
            for (&count, &code) in counts.iter().zip(codes) {
                sorted[code as usize] = count;
            }
            *counts = sorted;
        }
    }
}

/// A class, a value, and who is protected where those are counted: they are the values of the first column.
fn recode_histogram(key: &mut [u32], classes: &[u32], codes: &[u32], earlier: &[Vec<u32>]) {
    key[0] = classes[key[0] as usize];
    key[1] = codes[key[1] as usize];
    if let (Some(unit), Some(units)) = (key.get_mut(2), earlier.first()) {
        *unit = units[*unit as usize];
    }
}

fn recode_group(key: &mut [u32], equal: &[usize], value_codes: &[Vec<u32>]) {
    for (code, &column) in key.iter_mut().zip(equal) {
        *code = value_codes[column][*code as usize];
    }
}

/// The code here of each string there.
fn absorb(labels: &mut Interner, other: &Interner) -> Vec<u32> {
    let code = |label: &str| labels.intern(label.as_bytes()).expect("a string is UTF-8").0;
    other.iter().map(code).collect()
}

/// Adds all tuples of others, recoded, and returns the place here of each.
fn add_all(
    tuples: &mut TupleCounts,
    other: &TupleCounts,
    shifts: &RowRenumbering,
    recode: impl Fn(&mut [u32]),
) -> Vec<u32> {
    let mut key = Vec::with_capacity(other.width());
    let mut rows = Vec::new();
    (0..other.len())
        .map(|tuple| {
            key.clear();
            key.extend_from_slice(other.key(tuple));
            recode(&mut key);
            rows.clear();
            rows.extend(other.rows(tuple).map(|row| shifts.of(row)));
            let added = tuples.add_counted(&key, other.count(tuple), &rows);
            added.expect("both sides remember equally many rows")
        })
        .collect()
}
