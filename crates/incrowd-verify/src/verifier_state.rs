//! What was collected, as data that can be sent elsewhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::collected_tables::CollectedTables;
use crate::column_format::ColumnFormat;
use crate::columns::RELEASED;
use crate::error::{Error, Result};
use crate::intern::{Interner, ValueDictionary};
use crate::original_rows::OriginalRows;
use crate::requirements::Requirements;
use crate::row_numbering::RowNumbering;
use crate::tuples::TupleCounts;
use crate::value::MissingTokens;

/// What a [`Verifier`](crate::Verifier) has collected so far: distinct strings and combinations with
/// their counts. It serializes to whatever serde knows, so that one machine can collect a part of the
/// rows and another judge them all.
///
/// The format is that of [`VerifierState::VERSION`]; other versions are refused. Nothing is believed:
/// what could not have been collected is an error when it is
/// [taken up](crate::Verifier::from_collection).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerifierState {
    version: u32,
    asked: CollectionRequirements,
    /// The columns of the release.
    header: Vec<String>,
    /// The number of each part of the release and how many rows it has.
    parts: Vec<(u64, u64)>,
    /// The distinct strings of each column that makes a class.
    labels: Vec<Vec<String>>,
    /// The distinct strings of each column that is counted or compared as it is.
    values: Vec<Vec<FirstOccurrence>>,
    /// Combinations of places in `labels`.
    classes: CountedTuples,
    /// For each column of `values`, if it is sensitive, pairs of a class and a value. Strings that
    /// mean the same are one value; values are numbered in the order of `values`.
    histograms: Vec<Option<CountedTuples>>,
    original: Option<OriginalState>,
    /// The same rows by narrowed classes, where columns narrow them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    narrowed: Option<Box<VerifierState>>,
}

/// The requirements that decide what is collected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CollectionRequirements {
    k: u64,
    #[serde(default)]
    unit: Option<String>,
    quasi: Vec<String>,
    sensitive: Vec<String>,
    missing: Vec<String>,
    unchecked: Vec<String>,
    #[serde(default)]
    told: BTreeMap<String, ColumnFormat>,
}

/// A string and the row it first appeared in, of the release or of the original.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct FirstOccurrence {
    text: String,
    row: u64,
    released: bool,
}

/// Distinct combinations of codes, all behind each other, how often each occurs, and the numbers of
/// the first rows of each, as many as a verdict may show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CountedTuples {
    codes: Vec<u32>,
    counts: Vec<u64>,
    rows: Vec<u64>,
}

/// What was collected for the comparison with the original.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OriginalState {
    header: Vec<String>,
    parts: Vec<(u64, u64)>,
    /// The distinct strings of each quasi-identifier that is compared.
    quasi: Vec<Vec<FirstOccurrence>>,
    /// Distinct combinations of the columns that must be equal; their counts say nothing.
    groups: CountedTuples,
    /// A group and the values of the quasi-identifiers.
    rows: CountedTuples,
    /// A group and a class.
    released: CountedTuples,
    /// How often each value of each column occurs, where that is needed.
    overall: Vec<Option<Vec<u64>>>,
}

impl VerifierState {
    /// The version of the format that is written and read.
    pub const VERSION: u32 = 1;

    /// How many rows of the release were collected.
    pub fn rows(&self) -> u64 {
        self.parts.iter().fold(0, |sum, &(_, rows)| sum.saturating_add(rows))
    }

    /// What was collected of narrowed classes.
    pub(crate) fn narrowed(&self) -> Option<&VerifierState> {
        self.narrowed.as_deref()
    }

    pub(crate) fn new(collected: &CollectedTables, narrowed: Option<&CollectedTables>) -> Self {
        VerifierState {
            version: Self::VERSION,
            asked: CollectionRequirements::new(&collected.requirements),
            header: collected.header.clone(),
            parts: collected.rows.parts().to_vec(),
            labels: collected
                .labels
                .iter()
                .map(|labels| labels.iter().map(str::to_owned).collect())
                .collect(),
            values: collected.values.iter().map(|column| firsts(&column.values)).collect(),
            classes: CountedTuples::new(&collected.classes),
            histograms: collected
                .values
                .iter()
                .map(|column| column.histograms.as_ref().map(CountedTuples::new))
                .collect(),
            original: collected.originals.as_ref().map(|originals| OriginalState {
                header: originals.header.clone(),
                parts: originals.rows.parts().to_vec(),
                quasi: originals.originals_of.iter().map(firsts).collect(),
                groups: CountedTuples::new(&originals.groups),
                rows: CountedTuples::new(&originals.originals),
                released: CountedTuples::new(&originals.released),
                overall: originals.overall.clone(),
            }),
            narrowed: narrowed.map(|it| Box::new(VerifierState::new(it, None))),
        }
    }

    /// The same as it was collected, if it could have been for these requirements.
    pub(crate) fn restore(&self, requirements: &Requirements) -> Result<CollectedTables> {
        if self.version != Self::VERSION {
            return Err(Error::Collection(format!(
                "its format has version {}, not {}",
                self.version,
                Self::VERSION
            )));
        }
        if self.asked != CollectionRequirements::new(requirements) {
            return Err(Error::Collection("it was collected for other requirements".to_owned()));
        }
        let mut collected = CollectedTables::new(&self.header, requirements)?;
        if let Some(original) = &self.original {
            collected.compare_with(&original.header)?;
        }
        self.fill(&mut collected).ok_or_else(|| Error::Collection("it is damaged".to_owned()))?;
        Ok(collected)
    }

    /// Nothing if anything is not as it must be.
    fn fill(&self, collected: &mut CollectedTables) -> Option<()> {
        let missing = &collected.requirements.missing;
        collected.scattered = true;
        collected.rows = RowNumbering::of_parts(self.parts.clone())?;
        let rows = collected.rows.total();
        let original_parts = self.original.as_ref().map(|original| original.parts.clone());
        let original_rows =
            original_parts.map_or(Some(RowNumbering::of_part(0)), RowNumbering::of_parts)?;
        let limits = [original_rows.total(), rows];

        let labels = same_length(&self.labels, &mut collected.labels)?;
        for (strings, labels) in labels {
            strings.iter().try_for_each(|string| add_string(labels, string))?;
        }
        let widths: Vec<usize> = collected.labels.iter().map(Interner::len).collect();
        self.classes.fill(&mut collected.classes, &widths, rows)?;
        let classes = &collected.classes;
        for (strings, column) in same_length(&self.values, &mut collected.values)? {
            fill_values(strings, &mut column.values, limits, missing)?;
        }
        let units = collected.values.first().map_or(0, |column| column.values.len());
        for (saved, column) in same_length(&self.histograms, &mut collected.values)? {
            let widths = [classes.len(), column.values.len(), units];
            let width = column.histograms.as_ref().map_or(2, TupleCounts::width);
            let widths = &widths[..width];
            match (saved, &mut column.histograms) {
                (Some(saved), Some(histograms)) => {
                    saved.fill(histograms, widths, rows)?;
                    same_sizes(classes, histograms, 0)?;
                }
                (None, None) => {}
                _ => return None,
            }
        }
        let lengths: Vec<usize> =
            collected.values.iter().map(|column| column.values.len()).collect();
        match (&self.original, &mut collected.originals) {
            (Some(saved), Some(originals)) => {
                originals.rows = original_rows;
                saved.fill(originals, classes, &lengths, limits, missing)
            }
            _ => Some(()),
        }
    }
}

impl OriginalState {
    fn fill(
        &self,
        originals: &mut OriginalRows,
        classes: &TupleCounts,
        lengths: &[usize],
        limits: [u64; 2],
        missing: &MissingTokens,
    ) -> Option<()> {
        let [rows, released_rows] = limits;
        for (strings, values) in same_length(&self.quasi, &mut originals.originals_of)? {
            fill_values(strings, values, limits, missing)?;
        }
        let widths: Vec<usize> = originals.equal.iter().map(|&at| lengths[at]).collect();
        self.groups.fill_keys(&mut originals.groups, &widths)?;
        let groups = originals.groups.len();
        let mut widths = vec![groups];
        widths.extend(originals.originals_of.iter().map(ValueDictionary::len));
        self.rows.fill(&mut originals.originals, &widths, rows)?;
        let widths = [groups, classes.len()];
        self.released.fill(&mut originals.released, &widths, released_rows)?;
        same_sizes(classes, &originals.released, 1)?;
        for ((saved, counts), &length) in
            same_length(&self.overall, &mut originals.overall)?.zip(lengths)
        {
            match (saved, counts) {
                (Some(saved), Some(counts)) => {
                    if saved.len() > length || sum(saved)? != rows {
                        return None;
                    }
                    counts.clone_from(saved);
                }
                (None, None) => {}
                _ => return None,
            }
        }
        Some(())
    }
}

impl CollectionRequirements {
    fn new(requirements: &Requirements) -> Self {
        let sensitive = requirements.models.iter().map(|model| model.column.clone());
        CollectionRequirements {
            k: requirements.k,
            unit: requirements.unit.clone(),
            quasi: requirements.quasi.clone(),
            sensitive: sensitive.collect(),
            missing: requirements.missing.tokens().map(str::to_owned).collect(),
            unchecked: requirements.unchecked.clone(),
            told: requirements.told.clone(),
        }
    }
}

impl CountedTuples {
    fn new(tuples: &TupleCounts) -> Self {
        CountedTuples {
            codes: tuples.keys().to_vec(),
            counts: tuples.counts().to_vec(),
            rows: (0..tuples.len()).flat_map(|tuple| tuples.rows(tuple)).collect(),
        }
    }

    /// The codes of each combination, all below the widths of their columns.
    fn keys(&self, widths: &[usize]) -> Option<impl Iterator<Item = &[u32]>> {
        let width = widths.len();
        let whole = self.counts.len().checked_mul(width)? == self.codes.len();
        let mut codes = self.codes.iter().zip(widths.iter().cycle());
        let known = codes.all(|(&code, &width)| (code as usize) < width);
        // There is only one combination of no columns.
        let one = width > 0 || self.counts.len() <= 1;
        let keys = (0..self.counts.len()).map(move |at| &self.codes[at * width..][..width]);
        (whole && known && one).then_some(keys)
    }

    /// Fills in combinations whose counts must have that sum.
    fn fill(&self, tuples: &mut TupleCounts, widths: &[usize], total: u64) -> Option<()> {
        if sum(&self.counts)? != total || self.counts.contains(&0) {
            return None;
        }
        let mut rest = &self.rows[..];
        for (at, (key, &count)) in self.keys(widths)?.zip(&self.counts).enumerate() {
            let known = tuples.keep().min(usize::try_from(count).unwrap_or(usize::MAX));
            let (rows, behind) = rest.split_at_checked(known)?;
            rest = behind;
            let rising = rows.windows(2).all(|pair| pair[0] < pair[1]);
            let inside = rows.iter().all(|row| (1..=total).contains(row));
            let place = tuples.add_counted(key, count, rows)?;
            if !rising || !inside || place as usize != at {
                return None;
            }
        }
        rest.is_empty().then_some(())
    }

    /// Fills in combinations whose counts say nothing.
    fn fill_keys(&self, tuples: &mut TupleCounts, widths: &[usize]) -> Option<()> {
        let mut keys = self.keys(widths)?.enumerate();
        keys.all(|(at, key)| tuples.add(key, 0, 1) as usize == at).then_some(())
    }
}

fn firsts(values: &ValueDictionary) -> Vec<FirstOccurrence> {
    let strings = values.strings().map(|(text, place)| FirstOccurrence {
        text: text.to_owned(),
        row: place & !RELEASED,
        released: place & RELEASED != 0,
    });
    strings.collect()
}

/// Fills in strings in the order of their codes. `limits` are the rows of the original and of the
/// release.
fn fill_values(
    strings: &[FirstOccurrence],
    values: &mut ValueDictionary,
    limits: [u64; 2],
    missing: &MissingTokens,
) -> Option<()> {
    for (FirstOccurrence { text, row, released }, at) in strings.iter().zip(1..) {
        let mark = if *released { RELEASED } else { 0 };
        values.intern(text.as_bytes(), mark | row, missing).ok()?;
        let inside = (1..=limits[usize::from(*released)]).contains(row);
        if !inside || values.strings().len() != at {
            return None;
        }
    }
    Some(())
}

fn add_string(labels: &mut Interner, string: &str) -> Option<()> {
    labels.intern(string.as_bytes()).ok().filter(|&(_, new)| new).map(|_| ())
}

fn same_length<'a, A, B>(
    a: &'a [A],
    b: &'a mut [B],
) -> Option<impl Iterator<Item = (&'a A, &'a mut B)>> {
    (a.len() == b.len()).then(|| a.iter().zip(b))
}

fn sum(counts: &[u64]) -> Option<u64> {
    counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count))
}

/// Whether combinations that name a class in one place have as many rows as the classes.
fn same_sizes(classes: &TupleCounts, tuples: &TupleCounts, place: usize) -> Option<()> {
    let mut sizes = vec![0; classes.len()];
    for tuple in 0..tuples.len() {
        sizes[tuples.key(tuple)[place] as usize] += tuples.count(tuple);
    }
    (sizes == classes.counts()).then_some(())
}
