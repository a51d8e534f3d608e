//! The first pass over a part of a table: all that is to be known of the rows before the search.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use incrowd_assess::expose::{SAMPLE, ValueTally, pair_hash, value_hash};
use incrowd_assess::suppression::limits;
use incrowd_assess::thresholds::people::LOOKED_AT;
use incrowd_engine::value::is_missing;
use incrowd_engine::{Control, FrequencyCounts};
use incrowd_run::{
    Error, Result,
    backend::{ValueForm, watched_each},
    data::Chunk,
};
use serde::{Deserialize, Serialize};

use super::hash_sample::HashSample;
use super::kept_rows::{CodedRows, kept};
use super::messages::travels;
use super::reading_plan::ReadingPlan;
use super::row_checksum::{RowChecksum, combined};

/// Fields of the sample, of all columns together.
const FIELDS: usize = 1 << 23;
/// The least share of a sample that a part may contribute.
const LEAST: usize = 5_000;

/// The values of a column and how many rows have each, up to a number of values.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct CappedHistogram {
    pub(super) rows: BTreeMap<String, u64>,
    pub(super) full: bool,
}

impl CappedHistogram {
    pub(super) fn add(&mut self, value: &str, rows: u64) {
        if self.full {
            return;
        }
        match self.rows.get_mut(value) {
            Some(sum) => *sum += rows,
            None => {
                self.rows.insert(value.to_owned(), rows);
                self.full = self.rows.len() > limits::COUNTED;
                if self.full {
                    self.rows.clear();
                }
            }
        }
    }

    pub(super) fn merge(&mut self, other: &CappedHistogram) {
        if other.full {
            *self = CappedHistogram { rows: BTreeMap::new(), full: true };
        }
        other.rows.iter().for_each(|(value, &rows)| self.add(value, rows));
    }
}

/// A row that is looked at closely.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SampledRow {
    pub(super) part: u64,
    pub(super) row: u64,
    /// The values of the columns that are compared.
    pub(super) values: Vec<String>,
}

/// A row of somebody who may have others.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SubjectRow {
    pub(super) part: u64,
    pub(super) row: u64,
    pub(super) form: ValueForm,
    pub(super) hash: u64,
    pub(super) quasi: Vec<u32>,
}

/// What was counted of some parts of a table. It travels, and is merged in any order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialCounts {
    pub(super) counts: FrequencyCounts,
    pub(super) watched: Vec<ValueTally>,
    /// The unchanged columns that are not counted with the others.
    pub(super) values: Vec<CappedHistogram>,
    pub(super) people: Vec<HashSample<SubjectRow>>,
    pub(super) sample: HashSample<SampledRow>,
    /// What is remembered of each part, by its number.
    pub(super) parts: BTreeMap<u64, RowChecksum>,
    /// The same of the unchanged columns of all rows.
    pub(super) unchanged: RowChecksum,
    /// Whether there are more combinations than may be counted; they are not counted then.
    pub(super) full: bool,
    /// The hashes of the counted columns' values, by their codes: as many as are known here.
    #[serde(skip)]
    hashes: Vec<Vec<u64>>,
    /// How many values of each counted column are known from rows that were kept.
    #[serde(skip)]
    told: Vec<usize>,
}

travels!(PartialCounts);

impl PartialCounts {
    /// Nothing yet.
    pub fn new(reading: &ReadingPlan) -> Self {
        let share = |most: usize| (4 * most / reading.parts.max(1) as usize).clamp(LEAST, most);
        let sampled = (SAMPLE as usize).min(FIELDS / (reading.compared().len() + 1)).max(LEAST);
        PartialCounts {
            counts: FrequencyCounts::new(reading.counted.iter().map(String::as_str)),
            watched: vec![
                ValueTally::new(watched_each(reading.watched.len()));
                reading.watched.len()
            ],
            values: vec![CappedHistogram::default(); tallied(reading).len()],
            people: vec![HashSample::new(share(LOOKED_AT as usize)); reading.subjects.len()],
            sample: HashSample::new(share(sampled)),
            parts: BTreeMap::new(),
            unchanged: RowChecksum::default(),
            full: false,
            hashes: Vec::new(),
            told: Vec::new(),
        }
    }

    /// Begins a part: one without rows is a part, too.
    pub fn begin(&mut self, part: u64) {
        self.parts.entry(part).or_default();
    }

    /// Counts further rows of a part, in their order.
    pub fn add(&mut self, reading: &ReadingPlan, part: u64, batch: RecordBatch) -> Result<()> {
        self.count(reading, part, batch, None)
    }

    /// The same; returns what the rows are recoded from, which is less than the rows themselves. None where they have to
    /// be read again: there are too many combinations, or columns are treated on their way to the release.
    pub fn add_keeping(
        &mut self,
        reading: &ReadingPlan,
        part: u64,
        batch: RecordBatch,
    ) -> Result<Option<Vec<u8>>> {
        if !reading.can_keep() {
            return self.add(reading, part, batch).map(|()| None);
        }
        let mut rows = CodedRows::default();
        self.count(reading, part, batch.clone(), Some(&mut rows))?;
        if self.full {
            return Ok(None);
        }
        self.told.resize(reading.counted.len(), 0);
        let columns = self.counts.columns.iter().zip(&mut self.told);
        let values = columns.map(|((_, known), told)| {
            let new = *told as u32..known.len() as u32;
            *told = known.len();
            new.map(|code| known.value(code).to_owned()).collect()
        });
        kept(reading, &batch, rows, values.collect()).map(Some)
    }

    fn count(
        &mut self,
        reading: &ReadingPlan,
        part: u64,
        batch: RecordBatch,
        kept: Option<&mut CodedRows>,
    ) -> Result<()> {
        self.begin(part);
        if batch.num_rows() == 0 {
            return Ok(());
        }
        if reading.looks_before() {
            let first = self.parts.get(&part).map_or(0, |sum| sum.rows);
            self.look_before(reading, (part, first), batch.clone())?;
        }
        let source = reading.source(batch)?;
        let compared = reading.compared();
        let mut read = ReadingPlan::places(&source, &compared)?;
        read.extend(ReadingPlan::places(&source, &reading.beside())?);
        let control = Control::new();
        // One thread: others work on other parts. The closure that may change things is the one that collects, and it has
        // no chunk; so rows are counted where a chunk is folded.
        let counted = std::sync::Mutex::new((self, kept));
        source.fold(
            &read,
            || (),
            |(), chunk| {
                let mut held = counted.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let (counted, kept) = &mut *held;
                counted.take(reading, part, chunk, compared.len(), kept.as_deref_mut());
                Ok(())
            },
            &control,
        )?;
        Ok(())
    }

    fn take(
        &mut self,
        reading: &ReadingPlan,
        part: u64,
        chunk: &Chunk,
        compared: usize,
        kept: Option<&mut CodedRows>,
    ) {
        let counted = reading.counted.len();
        let mut sum = self.parts.get(&part).copied().unwrap_or_default();
        let unchanged = reading.unchanged_places();
        let names = [reading.compared(), reading.beside()].concat();
        let place = |name: &String| names.iter().position(|other| other == name);
        let subjects: Vec<usize> = reading.subjects.iter().filter_map(place).collect();
        let compared_by: Vec<usize> = reading.compared_by.iter().filter_map(place).collect();
        let (codes, hashes) = self.count_chunk(chunk, counted, compared);
        let mut sums = Vec::with_capacity(chunk.rows());
        for row in 0..chunk.rows() {
            let hashes = &hashes[row * compared..][..compared];
            let number = sum.rows;
            let hash = combined(hashes.iter().copied());
            sums.push(hash);
            sum.add(hash);
            self.unchanged.add(combined(unchanged.iter().map(|&at| hashes[at])));
            let chance = pair_hash(pair_hash(part, 0x5eed), number);
            if self.sample.has(chance) {
                let values = (0..compared).map(|at| chunk.field(row, at).to_owned()).collect();
                self.sample.add(chance, SampledRow { part, row: number, values });
            }
            if !reading.looks_before() {
                let places = (&subjects[..], &compared_by[..]);
                self.look_at_subjects(reading, (part, number), places, chunk, row);
            }
        }
        if let Some(kept) = kept {
            kept.codes.extend(codes);
            kept.sums.extend(sums);
        }
        for (name, tally) in reading.watched.iter().zip(&mut self.watched) {
            if let Some(at) = names.iter().position(|other| other == name) {
                chunk.column(at).for_each(|value| tally.add(value));
            }
        }
        for (at, values) in tallied(reading).into_iter().zip(&mut self.values) {
            if !values.full {
                chunk.column(at).for_each(|value| values.add(value, 1));
            }
        }
        self.parts.insert(part, sum);
        self.forget_too_many(reading.most);
    }

    /// Keeps a row for the comparison of rows that share values, if it is of the share that is looked at.
    fn look_at_subjects(
        &mut self,
        reading: &ReadingPlan,
        (part, number): (u64, u64),
        (subjects, compared_by): (&[usize], &[usize]),
        chunk: &Chunk,
        row: usize,
    ) {
        for (&at, people) in subjects.iter().zip(&mut self.people) {
            let value = chunk.field(row, at).trim();
            let hash = value_hash(value);
            if !people.has(hash >> 7) || is_missing(value, &reading.missing) {
                continue;
            }
            let by = compared_by.iter().map(|&at| value_hash(chunk.field(row, at).trim()) as u32);
            let quasi = by.collect();
            let kept = SubjectRow { part, row: number, form: ValueForm::of(value), hash, quasi };
            people.add(hash >> 7, kept);
        }
    }

    /// The same for all rows of a batch as they are before any treatment; the part had so many rows before.
    fn look_before(
        &mut self,
        reading: &ReadingPlan,
        (part, first): (u64, u64),
        batch: RecordBatch,
    ) -> Result<()> {
        let source = ReadingPlan::untreated_source(batch)?;
        let raw = |names: &[String]| -> Result<Vec<usize>> {
            names.iter().map(|name| source.place_of(reading.raw_name(name))).collect()
        };
        let read = [raw(&reading.subjects)?, raw(&reading.compared_by)?].concat();
        let subjects: Vec<usize> = (0..reading.subjects.len()).collect();
        let compared_by: Vec<usize> = (subjects.len()..read.len()).collect();
        let this = std::sync::Mutex::new(self);
        let step = |(): &mut (), chunk: &Chunk| {
            let mut this = this.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            for row in 0..chunk.rows() {
                let number = first + chunk.first_row() + row as u64;
                let places = (&subjects[..], &compared_by[..]);
                this.look_at_subjects(reading, (part, number), places, chunk, row);
            }
            Ok(())
        };
        source.fold(&read, || (), step, &Control::new())?;
        Ok(())
    }

    /// Counts the combinations of a chunk; returns their codes and the hashes of all values that are compared, row by row.
    /// Every value is looked up once, and hashed once for all rows that have it.
    fn count_chunk(
        &mut self,
        chunk: &Chunk,
        counted: usize,
        compared: usize,
    ) -> (Vec<u32>, Vec<u64>) {
        let mut hashes = vec![0; chunk.rows() * compared];
        let coded = if self.full { 0 } else { counted };
        let mut keys = vec![0; chunk.rows() * coded];
        self.hashes.resize_with(counted, Vec::new);
        for at in 0..coded {
            let (known, of) = (&mut self.counts.columns[at].1, &mut self.hashes[at]);
            of.extend((of.len() as u32..known.len() as u32).map(|it| value_hash(known.value(it))));
            for (row, value) in chunk.column(at).enumerate() {
                let code = known.intern(value);
                if code as usize == of.len() {
                    of.push(value_hash(value));
                }
                keys[row * coded + at] = code;
                hashes[row * compared + at] = of[code as usize];
            }
        }
        for at in coded..compared {
            for (row, value) in chunk.column(at).enumerate() {
                hashes[row * compared + at] = value_hash(value);
            }
        }
        // In a loop of its own: the processor then waits for many far places at once.
        if coded > 0 {
            keys.chunks_exact(coded).for_each(|key| self.counts.cells.add(key, 1));
        }
        (keys, hashes)
    }

    /// Combinations beyond what may be counted are not kept: whoever counts must go another way.
    fn forget_too_many(&mut self, most: usize) {
        if self.counts.combinations() > most {
            let names: Vec<String> = self.counts.columns.iter().map(|it| it.0.clone()).collect();
            self.counts = FrequencyCounts::new(names);
            self.full = true;
        }
    }

    /// Adds what was counted of other parts.
    pub fn merge(&mut self, reading: &ReadingPlan, other: PartialCounts) -> Result<()> {
        if let Some(part) = other.parts.keys().find(|part| self.parts.contains_key(part)) {
            return Err(Error::new(format!("part {part} of the table was counted twice")));
        }
        self.full |= other.full;
        if !self.full {
            self.counts.merge(&other.counts)?;
        }
        self.forget_too_many(if self.full { 0 } else { reading.most });
        for (tally, part) in self.watched.iter_mut().zip(other.watched) {
            tally.merge(part);
        }
        for (values, part) in self.values.iter_mut().zip(&other.values) {
            values.merge(part);
        }
        for (people, part) in self.people.iter_mut().zip(other.people) {
            people.merge(part);
        }
        self.sample.merge(other.sample);
        self.parts.extend(other.parts);
        self.unchanged.merge(&other.unchanged);
        Ok(())
    }

    /// Whether there are more combinations than may be counted.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.parts.values().map(|sum| sum.rows).sum()
    }

    /// How many combinations there are.
    pub fn combinations(&self) -> usize {
        self.counts.combinations()
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Puts combinations that were counted elsewhere in the place of those that were too many.
    pub fn with_counts(mut self, counts: FrequencyCounts) -> Self {
        self.counts = counts;
        self.hashes.clear();
        self.full = false;
        self
    }
}

/// The places among the compared columns of those whose values are counted by themselves.
pub(super) fn tallied(reading: &ReadingPlan) -> Vec<usize> {
    let all = reading.unchanged_places();
    all.into_iter().filter(|&at| at >= reading.counted.len()).collect()
}
