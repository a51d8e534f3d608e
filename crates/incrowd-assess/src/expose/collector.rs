//! The rows of a release, looked at one by one.

use std::collections::HashSet;

use incrowd_engine::table::Dictionary;
use incrowd_engine::value::{Group, MISSING_TOKENS, is_missing};
use incrowd_engine::{Problem, Release};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bins::readings;
use super::disclosure::{HiddenAttribute, told};
use super::singletons::SingletonCounter;
use super::tally::pair_hash;
use crate::thresholds::TOLD;

/// From so many rows it is found what columns tell; of larger tables these are a share, chosen by chance.
pub const SAMPLE: u64 = 50_000;

/// Different values that are counted exactly, of all columns together.
const VALUES: usize = 1 << 21;

/// Fields of the sample, of all columns together.
const FIELDS: u64 = 1 << 23;

/// How many rows of a release a column singles out that is released as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnchangedColumn {
    /// The column.
    pub column: String,
    /// Rows with a value that no other released row has.
    pub unique_rows: u64,
    /// Rows that no other row equals in this value and all released quasi-identifiers.
    pub unique_rows_with_quasi: u64,
    /// Whether the numbers are estimated from a share of the values.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

/// What a column that is released as it is tells of a quasi-identifier.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disclosure {
    /// The column.
    pub column: String,
    /// The quasi-identifier.
    pub quasi: String,
    /// The share of rows whose original value it tells beyond chance; a value narrowed down to two counts half.
    pub share: f64,
}

/// What the columns give away that a release leaves as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Exposure {
    /// Column by column.
    pub unchanged: Vec<UnchangedColumn>,
    /// All of them together, if there are several.
    pub together: Option<UnchangedColumn>,
    /// What they tell of quasi-identifiers, most first.
    pub tells: Vec<Disclosure>,
    /// From how many rows that was found, if not from all.
    pub sampled: Option<u64>,
}

/// Counts how many rows of a release columns single out. Parts of a release may be counted apart and merged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UniqueRowCounter {
    /// Column by column, and last all together: counted alone, and beside the class.
    alone: Vec<SingletonCounter>,
    beside: Vec<SingletonCounter>,
    rows: u64,
}

impl UniqueRowCounter {
    /// No rows yet, of so many columns; counts of up to about `values` different values are exact.
    pub fn new(columns: usize, values: usize) -> Self {
        let most = (values / (2 * (columns + 1))).max(1 << 12);
        let tallies = || vec![SingletonCounter::new(most); columns + 1];
        UniqueRowCounter { alone: tallies(), beside: tallies(), rows: 0 }
    }

    /// Takes a released row: something that stands for its class, and the [hashes](super::value_hash) of its values.
    pub fn add(&mut self, class: u64, hashes: &[u64]) {
        self.rows += 1;
        let mut all = 0;
        for (at, &hash) in hashes.iter().enumerate() {
            all = pair_hash(all ^ hash, at as u64 + 1);
            self.alone[at].add(hash);
            self.beside[at].add(pair_hash(class, hash));
        }
        if hashes.len() > 1 {
            self.alone[hashes.len()].add(all);
            self.beside[hashes.len()].add(pair_hash(class, all));
        }
    }

    /// Glances at where such a row will be counted. Rows lie far apart: after a glance at many, their memory arrives at
    /// once.
    #[inline]
    fn expect(&self, class: u64, hashes: &[u64]) {
        for (beside, &hash) in self.beside.iter().zip(hashes) {
            beside.expect(pair_hash(class, hash));
        }
    }

    /// Adds the rows of another part of the release, of the same columns.
    pub fn merge(&mut self, other: UniqueRowCounter) {
        self.rows += other.rows;
        for (tally, part) in self.alone.iter_mut().zip(&other.alone) {
            tally.merge(part);
        }
        for (tally, part) in self.beside.iter_mut().zip(&other.beside) {
            tally.merge(part);
        }
    }

    /// How many rows were taken.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// What columns of these names single out, one by one, and together if there are several.
    pub fn unchanged(&self, names: Vec<String>) -> (Vec<UnchangedColumn>, Option<UnchangedColumn>) {
        let together = (names.len() > 1).then(|| self.counted(names.len(), names.join(", ")));
        let each = names.into_iter().enumerate().map(|(at, name)| self.counted(at, name));
        (each.collect(), together)
    }

    fn counted(&self, at: usize, column: String) -> UnchangedColumn {
        let (alone, beside) = (&self.alone[at], &self.beside[at]);
        UnchangedColumn {
            column,
            unique_rows: alone.number().min(self.rows),
            unique_rows_with_quasi: beside.number().min(self.rows),
            estimated: alone.is_estimate() || beside.is_estimate(),
        }
    }
}

/// Takes the rows of a release one by one.
#[derive(Debug)]
pub struct ExposureCollector {
    names: Vec<String>,
    singles: UniqueRowCounter,
    /// A row is in the sample if its number's hash is below this.
    below: u64,
    sample: RowSample,
    /// Whose rows were looked at closely, where people may have several.
    people: HashSet<u64>,
}

#[derive(Debug, Default)]
struct RowSample {
    classes: Vec<u32>,
    cells: Vec<u32>,
    columns: Vec<(Dictionary, Vec<u32>)>,
}

/// The class of rows that are released blank.
pub(super) const BLANK_ROWS: u32 = u32::MAX;

/// Which rows are looked at closely.
#[derive(Debug, Clone, Copy)]
pub struct SampleFilter(u64);

impl SampleFilter {
    /// Whether the row with this number is.
    #[inline]
    pub fn has(self, row: u64) -> bool {
        self.0 == u64::MAX || pair_hash(row, 0x5eed) < self.0
    }
}

impl ExposureCollector {
    /// No rows yet, of a table of about so many, with these columns that are released as they are.
    pub fn new(names: Vec<String>, rows: u64) -> Self {
        let most = SAMPLE.min(FIELDS / (names.len() as u64 + 1)).max(1_000);
        let below =
            if rows <= most { u64::MAX } else { (u64::MAX / rows.max(1)).saturating_mul(most) };
        let columns = vec![(Dictionary::new(), Vec::new()); names.len()];
        ExposureCollector {
            singles: UniqueRowCounter::new(names.len(), VALUES),
            below,
            sample: RowSample { columns, ..RowSample::default() },
            people: HashSet::new(),
            names,
        }
    }

    /// Which rows are looked at closely, by their number.
    pub fn chosen(&self) -> SampleFilter {
        SampleFilter(self.below)
    }

    /// Takes a released row: its class, none if it is released blank, and the [hashes](super::value_hash) of its values.
    pub fn add(&mut self, class: Option<u32>, hashes: &[u64]) {
        self.singles.add(u64::from(class.unwrap_or(BLANK_ROWS)), hashes);
    }

    /// Makes ready for a row with this class and these hashes, one of many that are added next.
    #[inline]
    pub fn expect(&self, class: u32, hashes: &[u64]) {
        self.singles.expect(u64::from(class), hashes);
    }

    /// Takes a row that is looked at closely: its class, its cell in the problem, whose it is where people may have several,
    /// and its values.
    pub fn look<'v>(
        &mut self,
        class: Option<u32>,
        cell: u32,
        unit: Option<u64>,
        values: impl Iterator<Item = &'v str>,
    ) {
        // Somebody's other rows tell of nobody else.
        if unit.is_some_and(|unit| !self.people.insert(unit)) {
            return;
        }
        self.sample.classes.push(class.unwrap_or(BLANK_ROWS));
        self.sample.cells.push(cell);
        for ((dictionary, codes), value) in self.sample.columns.iter_mut().zip(values) {
            codes.push(dictionary.intern(value));
        }
    }

    /// What all rows together give away.
    pub fn finish(self, problem: &Problem, release: &Release) -> Exposure {
        if self.names.is_empty() {
            return Exposure::default();
        }
        let tells = self.tells(problem, release);
        let ExposureCollector { names, singles, sample, .. } = self;
        let (unchanged, together) = singles.unchanged(names);
        let looked_at = sample.classes.len() as u64;
        let sampled = (looked_at < singles.rows).then_some(looked_at);
        Exposure { unchanged, together, tells, sampled }
    }

    fn tells(&self, problem: &Problem, release: &Release) -> Vec<Disclosure> {
        let RowSample { classes, cells, columns } = &self.sample;
        let seen: Vec<SampledAttribute> = (0..problem.attributes.len())
            .into_par_iter()
            .filter_map(|attribute| {
                SampledAttribute::new(problem, release, attribute, classes, cells)
            })
            .collect();
        let readings: Vec<Vec<Vec<u32>>> =
            columns.par_iter().map(|(values, codes)| readings(codes, values)).collect();
        // A share is one of the rows that have a value: what it tells of the few who have one is told of all of them.
        let present: Vec<Vec<usize>> =
            columns.par_iter().map(|(values, codes)| has(values, codes)).collect();
        let every: Vec<usize> = (0..classes.len()).collect();
        let pairs: Vec<(usize, &SampledAttribute)> =
            (0..columns.len()).flat_map(|at| seen.iter().map(move |seen| (at, seen))).collect();
        let mut tells: Vec<Disclosure> = pairs
            .into_par_iter()
            .map(|(at, seen)| {
                let attribute = &problem.attributes[seen.attribute];
                let groups = &seen.groups;
                let contains =
                    |group: u32, code: u32| attribute.contains(&groups[group as usize], code);
                let share_of = |column: &[u32], rows: &[usize]| {
                    let of =
                        |all: &[u32]| -> Vec<u32> { rows.iter().map(|&row| all[row]).collect() };
                    let (original, group) = (of(&seen.original), of(&seen.group));
                    let hidden = HiddenAttribute {
                        original: &original,
                        group: &group,
                        spans: &seen.spans,
                        contains: &contains,
                    };
                    told(&of(column), &hidden, at as u64 + 1, TOLD)
                };
                let shares = readings[at].iter().map(|column| share_of(column, &present[at]));
                let absent = absence(&present[at], seen.original.len());
                let shares = shares.chain(absent.map(|column| share_of(&column, &every)));
                Disclosure {
                    column: self.names[at].clone(),
                    quasi: attribute.name.clone(),
                    share: shares.fold(0.0, f64::max),
                }
            })
            .filter(|told| told.share >= TOLD)
            .collect();
        tells.sort_by(|one, other| other.share.total_cmp(&one.share));
        tells
    }
}

/// The rows that have a value.
pub(super) fn has(values: &Dictionary, codes: &[u32]) -> Vec<usize> {
    let missing = MISSING_TOKENS.map(str::to_owned);
    let there: Vec<bool> = values.iter().map(|value| !is_missing(value, &missing)).collect();
    (0..codes.len()).filter(|&row| there[codes[row] as usize]).collect()
}

/// Who has a value and who has none, if there are both: the age at the first birth is missing where there are no children.
pub(super) fn absence(present: &[usize], rows: usize) -> Option<Vec<u32>> {
    if present.is_empty() || present.len() == rows {
        return None;
    }
    let mut column = vec![0; rows];
    present.iter().for_each(|&row| column[row] = 1);
    Some(column)
}

/// A quasi-identifier of the rows that are looked at closely.
struct SampledAttribute {
    attribute: usize,
    original: Vec<u32>,
    group: Vec<u32>,
    groups: Vec<Group>,
    spans: Vec<(u32, u32)>,
}

impl SampledAttribute {
    /// None if the release hides nothing of it.
    fn new(
        problem: &Problem,
        release: &Release,
        attribute: usize,
        classes: &[u32],
        cells: &[u32],
    ) -> Option<Self> {
        let mut groups = release.classes.groups[attribute].as_slice().to_vec();
        let blank = groups.len() as u32;
        groups.push(Group::Blank);
        let column = &problem.attributes[attribute];
        let spans: Vec<(u32, u32)> = groups.iter().map(|group| column.span(group)).collect();
        let group: Vec<u32> = classes
            .iter()
            .map(|&class| match class {
                BLANK_ROWS => blank,
                class => release.classes.ids_of(class as usize)[attribute],
            })
            .collect();
        let hides = group.iter().any(|&group| {
            let (first, last) = spans[group as usize];
            first < last
        });
        let original =
            || cells.iter().map(|&cell| problem.cells.code(attribute, cell as usize)).collect();
        hides.then(|| SampledAttribute { attribute, original: original(), group, groups, spans })
    }
}
