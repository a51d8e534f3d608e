//! The second pass over a part of a table: rows become what their classes are released as.
//!
//! What travels to the rows is the counted values with their codes, the cells, the class of each cell or the quotas of
//! its rows, and the labels; nothing of the search.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray, UInt32Array,
};
use arrow_schema::{Field, Schema};
use arrow_select::filter::filter;
use arrow_select::take::take;
use incrowd::release::{Assignment, Disposition, RowNumbers};
use incrowd::table::{CellCounter, CellIndex, Cells, Dictionary, UNSEEN};
use incrowd::value::{BLANK, is_missing, spelling};
use incrowd::{Control, Counts, Problem, Release, ShuffleKey, Shuffler};
use incrowd_assess::expose::value_hash;
use serde::{Deserialize, Serialize};

use super::super::recode::{Released, changed};
use super::counted::Reading;
use super::sent::{packed, unpacked};
use super::sums::{Sum, row_hash};
use crate::{Chunk, Error, Result};

/// The column that says where a row goes; it is not released.
pub const ORDER_COLUMN: &str = "__incrowd_order";
/// The column that tells apart who is protected, where that is not released: for the verifier's eyes only.
pub const UNIT_COLUMN: &str = "__incrowd_unit";

/// Rows that are not released.
const DROPPED: u32 = u32::MAX;

/// A recoding on its way to the rows.
#[derive(Serialize, Deserialize)]
struct Sent {
    reading: Reading,
    /// The values of each counted column, and the code of each.
    columns: Vec<(Vec<String>, Vec<u32>)>,
    domains: Vec<usize>,
    /// The codes of each cell.
    cells: Vec<Vec<u32>>,
    /// Joint targets, by their codes; none where they do not matter.
    targets: Vec<(Vec<u32>, u32)>,
    fates: Fates,
    labels: Vec<AttributeLabels>,
    released: Vec<Column>,
    unit: Option<usize>,
    /// What rows' places in the release are drawn from; none where they keep theirs.
    key: Option<[u8; 32]>,
    parts: BTreeMap<u64, Sum>,
    /// Whether only the number of rows is known of a part, and a part holds all rows of its combinations.
    by_rows: bool,
    before: BTreeMap<u64, RowNumbers>,
}

/// A column of the release.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Column {
    Quasi(usize),
    /// By its place among the columns that are compared.
    Plain(usize),
}

/// What becomes of the rows of each cell: a class, or [`DROPPED`].
#[derive(Debug, Serialize, Deserialize)]
enum Fates {
    Cells(Vec<u32>),
    /// Cell, target, class and how many; sorted by cell and target.
    Shares(Vec<(u32, u32, u32, u64)>),
}

/// What classes show of an attribute. The last label is the blank one.
#[derive(Debug, Serialize, Deserialize)]
struct AttributeLabels {
    names: Vec<String>,
    labels: Vec<Vec<String>>,
    of_class: Vec<u32>,
}

/// Recodes rows where they are, part by part and batch by batch. It travels as bytes.
pub struct RowRecoder {
    sent: Sent,
    known: Vec<Dictionary>,
    index: CellIndex,
    targets: std::collections::HashMap<Vec<u32>, u32>,
    /// Of each attribute, the columns of labels.
    labels: Vec<Vec<StringArray>>,
}

impl std::fmt::Debug for RowRecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowRecoder").field("cells", &self.sent.cells.len()).finish_non_exhaustive()
    }
}

/// A part of the table on its way through a recoder.
pub struct PartRows {
    part: u64,
    sum: Sum,
    /// Rows that each quota still takes.
    left: Vec<u64>,
    numbers: RowNumbers,
    shuffler: Option<Shuffler>,
}

impl std::fmt::Debug for PartRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PartRows").field("part", &self.part).finish_non_exhaustive()
    }
}

impl RowRecoder {
    #[allow(clippy::too_many_arguments, reason = "they are what the steps before have made")]
    pub(super) fn new(
        reading: &Reading,
        problem: &Problem,
        counts: &Counts,
        release: &Release,
        columns: &[Released],
        unit: Option<usize>,
        key: Option<[u8; 32]>,
        parts: BTreeMap<u64, Sum>,
    ) -> Result<Self> {
        let classes = release.classes.len() as u32;
        let fate = |disposition: Disposition| match disposition {
            Disposition::Class(class) => class,
            Disposition::Blank => classes,
            Disposition::Dropped => DROPPED,
        };
        let fates = match &release.classes.assignment {
            Assignment::Cells(class_of) => {
                let cells = 0..class_of.len() as u32;
                Fates::Cells(cells.map(|cell| fate(release.disposition_of(cell, 0, 0))).collect())
            }
            Assignment::Shares(shares) => {
                let mut before: (u32, u32, u64) = (u32::MAX, u32::MAX, 0);
                let dealt = shares.iter().map(|share| {
                    if (before.0, before.1) != (share.cell, share.target) {
                        before = (share.cell, share.target, 0);
                    }
                    // What becomes of a quota is what becomes of its first row.
                    let fate = match share.count {
                        0 => DROPPED,
                        _ => fate(release.disposition_of(share.cell, share.target, before.2)),
                    };
                    before.2 += share.count;
                    (share.cell, share.target, fate, share.count)
                });
                Fates::Shares(dealt.collect())
            }
        };
        let width = problem.attributes.len();
        let mut targets: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        if matches!(fates, Fates::Shares(_)) && problem.codings.len() > width {
            counts.cells.for_each(|codes, _| {
                let codes = codes.iter().zip(&problem.codings);
                let codes: Vec<u32> = codes.map(|(&code, of)| of[code as usize]).collect();
                if let Some(target) = problem.targets.find(&codes[width..]) {
                    targets.entry(target).or_insert_with(|| codes[width..].to_vec());
                }
            });
        }
        let labels = (0..width).map(|at| {
            let mut labels = release.labels(at).to_vec();
            let mut of_class: Vec<u32> =
                (0..classes).map(|class| release.label_of(at, class)).collect();
            of_class.push(labels.len() as u32);
            labels.push(vec![BLANK.to_owned(); release.names(at).len()]);
            AttributeLabels { names: release.names(at).to_vec(), labels, of_class }
        });
        let sent = Sent {
            reading: reading.clone(),
            columns: used_values(counts, problem),
            domains: problem.domains(),
            cells: (0..width)
                .map(|at| {
                    (0..problem.cells.len()).map(|cell| problem.cells.code(at, cell)).collect()
                })
                .collect(),
            targets: targets.into_iter().map(|(target, codes)| (codes, target)).collect(),
            fates,
            labels: labels.collect(),
            released: columns
                .iter()
                .map(|column| match *column {
                    Released::Quasi(at) => Column::Quasi(at),
                    Released::Plain(at) => Column::Plain(at),
                })
                .collect(),
            unit,
            key,
            parts,
            by_rows: false,
            before: BTreeMap::new(),
        };
        Self::of(sent)
    }

    fn of(sent: Sent) -> Result<Self> {
        let strange = || Error::new("what another process sent does not fit together");
        let mut known = Vec::with_capacity(sent.columns.len());
        for (values, codes) in &sent.columns {
            let mut dictionary = Dictionary::new();
            values.iter().for_each(|value| _ = dictionary.intern(value));
            if values.len() != codes.len() || dictionary.len() != values.len() {
                return Err(strange());
            }
            known.push(dictionary);
        }
        let width = sent.domains.len();
        let number = sent.cells.first().map_or(0, Vec::len);
        if sent.cells.len() != width || sent.cells.iter().any(|codes| codes.len() != number) {
            return Err(strange());
        }
        let mut counter = CellCounter::new(width);
        let mut key = vec![0; width];
        for cell in 0..number {
            for ((to, codes), &domain) in key.iter_mut().zip(&sent.cells).zip(&sent.domains) {
                *to = codes[cell];
                if *to as usize >= domain {
                    return Err(strange());
                }
            }
            counter.add(&key, 1);
        }
        // Cells have a canonical order: these are numbered as those that the search saw.
        let codings: Vec<Vec<u32>> =
            sent.domains.iter().map(|&domain| (0..domain as u32).collect()).collect();
        let codings: Vec<&[u32]> = codings.iter().map(Vec::as_slice).collect();
        let cells = Cells::of_counter(&counter, &codings, &sent.domains);
        let same = cells.len() == number
            && (0..number)
                .all(|cell| (0..width).all(|at| cells.code(at, cell) == sent.cells[at][cell]));
        let fates = match &sent.fates {
            Fates::Cells(classes) => classes.len() == number,
            Fates::Shares(shares) => shares.iter().all(|share| (share.0 as usize) < number),
        };
        if !same || !fates {
            return Err(strange());
        }
        let labels = sent.labels.iter().map(|of| {
            (0..of.names.len())
                .map(|part| of.labels.iter().map(|label| shown(label.get(part)?)).collect())
                .collect()
        });
        Ok(RowRecoder {
            labels: labels.collect(),
            index: CellIndex::new(&cells, &sent.domains),
            targets: sent.targets.iter().cloned().collect(),
            known,
            sent,
        })
    }

    /// The same for parts that hold all rows of their combinations and of which only the number of rows is known.
    pub(super) fn counted_by_rows(mut self) -> Self {
        self.sent.by_rows = true;
        self
    }

    /// The bytes that another process makes the same of.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        packed(&self.sent)
    }

    /// What bytes of another process stand for.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::of(unpacked(bytes)?)
    }

    /// Whether rows of one combination go different ways: then every part must know how many of each kind come before it.
    pub fn deals_rows(&self) -> bool {
        matches!(&self.sent.fates, Fates::Shares(shares) if shares.windows(2).any(|two| same_kind(&two[0], &two[1])))
    }

    /// Tells the recoder how many rows of each kind every part has, as [`PartRows::numbers`] found them.
    pub fn deal(&mut self, numbers: &BTreeMap<u64, RowNumbers>) -> Result<()> {
        if numbers.keys().ne(self.sent.parts.keys()) {
            return Err(differs());
        }
        let mut sum = RowNumbers::new();
        for (&part, of_part) in numbers {
            self.sent.before.insert(part, only(&sum, of_part));
            sum.append(of_part)?;
        }
        Ok(())
    }

    /// Begins a part.
    pub fn part(&self, part: u64) -> Result<PartRows> {
        if !self.sent.parts.contains_key(&part) {
            return Err(differs());
        }
        let mut left = match &self.sent.fates {
            Fates::Cells(_) => Vec::new(),
            Fates::Shares(shares) => shares.iter().map(|share| share.3).collect(),
        };
        if let (Fates::Shares(shares), Some(before)) =
            (&self.sent.fates, self.sent.before.get(&part))
        {
            let before: Vec<(u32, u32, u64)> = before.clone().into();
            for (cell, target, mut skipped) in before {
                let first = first_quota(shares, (cell, target));
                for (share, left) in shares[first..].iter().zip(&mut left[first..]) {
                    if (share.0, share.1) != (cell, target) || skipped == 0 {
                        break;
                    }
                    let taken = (*left).min(skipped);
                    *left -= taken;
                    skipped -= taken;
                }
            }
        }
        let shuffler = self.sent.key.map(|key| {
            let key = blake3::keyed_hash(&key, &part.to_le_bytes());
            Shuffler::new(ShuffleKey::new(*key.as_bytes()))
        });
        Ok(PartRows { part, sum: Sum::default(), left, numbers: RowNumbers::new(), shuffler })
    }

    /// Counts how many rows of each kind a batch has, of the kinds that are dealt out.
    pub fn count(&self, rows: &mut PartRows, batch: RecordBatch) -> Result<()> {
        let Fates::Shares(shares) = &self.sent.fates else { return Ok(()) };
        self.walk(batch, |chunk| {
            let places = self.places(chunk)?;
            rows.take(chunk, self.sent.reading.compared().len());
            for (cell, target) in places.into_iter().flatten() {
                let first = first_quota(shares, (cell, target));
                let split = shares.get(first..first + 2);
                if split.is_some_and(|two| same_kind(&two[0], &two[1])) {
                    rows.numbers.count(cell, target);
                }
            }
            Ok(())
        })
    }

    /// The released rows of a batch: the released columns, [`UNIT_COLUMN`] where it is needed, and [`ORDER_COLUMN`].
    pub fn recode(&self, rows: &mut PartRows, batch: RecordBatch) -> Result<RecordBatch> {
        let treated = self.treated_columns();
        let mut fates: Vec<u32> = Vec::with_capacity(batch.num_rows());
        let mut texts: Vec<StringBuilder> = treated.iter().map(|_| StringBuilder::new()).collect();
        let mut units = StringBuilder::new();
        let compared = self.sent.reading.compared().len();
        self.walk(batch.clone(), |chunk| {
            let places = self.places(chunk)?;
            rows.take(chunk, compared);
            for (row, place) in places.into_iter().enumerate() {
                let fate = self.fate(rows, place)?;
                fates.push(fate);
                if fate == DROPPED {
                    continue;
                }
                for (text, &(_, at)) in texts.iter_mut().zip(&treated) {
                    text.append_option(shown(chunk.field(row, at)));
                }
                if let Some(unit) = self.sent.unit {
                    units.append_value(self.unit(chunk.field(row, unit)));
                }
            }
            Ok(())
        })?;
        let released: BooleanArray = fates.iter().map(|&fate| Some(fate != DROPPED)).collect();
        fates.retain(|&fate| fate != DROPPED);
        let mut texts: BTreeMap<usize, ArrayRef> = treated
            .iter()
            .zip(&mut texts)
            .map(|(&(column, _), text)| (column, Arc::new(text.finish()) as ArrayRef))
            .collect();
        let names = self.sent.reading.compared();
        let (mut fields, mut arrays): (Vec<Field>, Vec<ArrayRef>) = (Vec::new(), Vec::new());
        for (place, column) in self.sent.released.iter().enumerate() {
            match *column {
                Column::Quasi(at) => {
                    let of = &self.sent.labels[at];
                    let labels: UInt32Array =
                        fates.iter().map(|&class| of.of_class[class as usize]).collect();
                    for (name, texts) in of.names.iter().zip(&self.labels[at]) {
                        let texts = take(texts, &labels, None).map_err(|e| unmade(&e))?;
                        fields.push(Field::new(name, texts.data_type().clone(), true));
                        arrays.push(texts);
                    }
                }
                Column::Plain(at) => {
                    let kept = match texts.remove(&place) {
                        Some(text) => text,
                        None => {
                            let name = self.raw_name(names[at]);
                            let array = batch.column_by_name(name).ok_or_else(differs)?;
                            filter(array, &released).map_err(|e| unmade(&e))?
                        }
                    };
                    fields.push(Field::new(names[at], kept.data_type().clone(), true));
                    arrays.push(kept);
                }
            }
        }
        if self.sent.unit.is_some() {
            let units = units.finish();
            fields.push(Field::new(UNIT_COLUMN, units.data_type().clone(), true));
            arrays.push(Arc::new(units));
        }
        if let Some(shuffler) = &mut rows.shuffler {
            let mut word = || u64::from(shuffler.word());
            let keys = fates.iter().map(|_| (word() << 32 | word()) as i64);
            let keys: Int64Array = keys.map(Some).collect();
            fields.push(Field::new(ORDER_COLUMN, keys.data_type().clone(), true));
            arrays.push(Arc::new(keys));
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(|e| unmade(&e))
    }

    /// Ends a part: its rows must be those that were counted.
    pub fn finish(&self, rows: &PartRows) -> Result<()> {
        let Some(known) = self.sent.parts.get(&rows.part) else { return Err(differs()) };
        // Where rows are dealt out, a row's number decides, and so their order.
        let same = match (self.sent.by_rows, self.deals_rows()) {
            (true, _) => rows.sum.rows == known.rows,
            (false, true) => rows.sum == *known,
            (false, false) => rows.sum.same_rows(known),
        };
        if same { Ok(()) } else { Err(differs()) }
    }

    /// The columns of the release in order, each with the column of the table that it is a copy of; labels are copies of
    /// nothing.
    pub fn released(&self) -> Vec<(String, Option<String>)> {
        let names = self.sent.reading.compared();
        let treated: Vec<usize> = self.treated_columns().into_iter().map(|(at, _)| at).collect();
        let mut columns = Vec::new();
        for (place, column) in self.sent.released.iter().enumerate() {
            match *column {
                Column::Quasi(at) => {
                    columns.extend(self.sent.labels[at].names.iter().map(|it| (it.clone(), None)));
                }
                Column::Plain(at) => {
                    let copied =
                        (!treated.contains(&place)).then(|| self.raw_name(names[at]).to_owned());
                    columns.push((names[at].to_owned(), copied));
                }
            }
        }
        columns
    }

    /// Whether a column of units goes along.
    pub fn has_unit(&self) -> bool {
        self.sent.unit.is_some()
    }

    /// Whether rows are put into a random order.
    pub fn shuffles(&self) -> bool {
        self.sent.key.is_some()
    }

    /// Released columns that are treated as they are read: place in the release, and among the compared columns.
    fn treated_columns(&self) -> Vec<(usize, usize)> {
        let names = self.sent.reading.compared();
        let treated = |name: &str| {
            let mut treatments = self.sent.reading.treatments.iter();
            treatments
                .any(|it| it.treater.is_some() && it.name.as_ref().unwrap_or(&it.column) == name)
        };
        let released = self.sent.released.iter().enumerate();
        let plain = released.filter_map(|(place, column)| match *column {
            Column::Plain(at) if treated(names[at]) => Some((place, at)),
            _ => None,
        });
        plain.collect()
    }

    /// What a column is called in the table.
    fn raw_name<'a>(&'a self, name: &'a str) -> &'a str {
        let mut treatments = self.sent.reading.treatments.iter();
        let renamed = treatments.find(|it| it.name.as_deref() == Some(name));
        renamed.map_or(name, |it| it.column.as_str())
    }

    fn unit(&self, value: &str) -> String {
        // Whoever is nameless may be anybody: all of them count as one.
        match is_missing(value, &self.sent.reading.missing) {
            true => format!("{:016x}", 0),
            false => format!("{:016x}", value_hash(&spelling(value)) | 1),
        }
    }

    fn walk(
        &self,
        batch: RecordBatch,
        mut each: impl FnMut(&Chunk) -> Result<()> + Send,
    ) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let source = self.sent.reading.source(batch)?;
        let read = Reading::places(&source, &self.sent.reading.compared())?;
        let each = std::sync::Mutex::new(&mut each);
        let step = |(): &mut (), chunk: &Chunk| {
            let mut each = each.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            each(chunk)
        };
        source.fold(&read, || (), step, &Control::new())?;
        Ok(())
    }

    /// The cell and the target of each row; none for a row that belongs to no cell.
    fn places(&self, chunk: &Chunk) -> Result<Vec<Option<(u32, u32)>>> {
        let (width, counted) = (self.sent.domains.len(), self.known.len());
        let code = |row: usize, at: usize| -> Result<u32> {
            let known = self.known[at].get(chunk.field(row, at)).ok_or_else(changed)?;
            Ok(self.sent.columns[at].1[known as usize])
        };
        let mut codes = Vec::with_capacity(chunk.rows() * width);
        for row in 0..chunk.rows() {
            for at in 0..width {
                codes.push(code(row, at)?);
            }
        }
        let found = self.index.find_all(&codes).into_iter().zip(codes.chunks_exact(width));
        let by_target = !self.targets.is_empty();
        let mut target = vec![0; counted - width];
        found
            .enumerate()
            .map(|(row, (cell, codes))| {
                let cell = match cell {
                    Some(cell) => cell,
                    None if codes.contains(&UNSEEN) => return Ok(None),
                    None => return Err(changed()),
                };
                if !by_target {
                    return Ok(Some((cell, 0)));
                }
                for (at, to) in target.iter_mut().enumerate() {
                    *to = code(row, width + at)?;
                }
                let target = self.targets.get(&target).ok_or_else(changed)?;
                Ok(Some((cell, *target)))
            })
            .collect()
    }

    fn fate(&self, rows: &mut PartRows, place: Option<(u32, u32)>) -> Result<u32> {
        let Some((cell, target)) = place else { return Ok(DROPPED) };
        match &self.sent.fates {
            Fates::Cells(classes) => Ok(classes[cell as usize]),
            Fates::Shares(shares) => {
                let key = (cell, target);
                let mut quotas = (first_quota(shares, key)..shares.len())
                    .take_while(|&at| (shares[at].0, shares[at].1) == key)
                    .peekable();
                if quotas.peek().is_none() {
                    return Ok(DROPPED);
                }
                let at = quotas.find(|&at| rows.left[at] > 0).ok_or_else(changed)?;
                rows.left[at] -= 1;
                Ok(shares[at].2)
            }
        }
    }
}

impl PartRows {
    fn take(&mut self, chunk: &Chunk, compared: usize) {
        for row in 0..chunk.rows() {
            self.sum.add(row_hash((0..compared).map(|at| chunk.field(row, at))));
        }
    }

    /// How many rows of each kind were counted.
    pub fn numbers(&self) -> &RowNumbers {
        &self.numbers
    }
}

/// The values of each counted column that rows have, and their codes.
fn used_values(counts: &Counts, problem: &Problem) -> Vec<(Vec<String>, Vec<u32>)> {
    let mut used: Vec<Vec<bool>> =
        counts.columns.iter().map(|(_, known)| vec![false; known.len()]).collect();
    counts.cells.for_each(|codes, _| {
        codes.iter().zip(&mut used).for_each(|(&code, used)| used[code as usize] = true);
    });
    let columns = counts.columns.iter().zip(&problem.codings).zip(used);
    columns
        .map(|(((_, values), codes), used)| {
            let there = values.iter().zip(codes).zip(used).filter(|(_, used)| *used);
            there.map(|((value, &code), _)| (value.to_owned(), code)).unzip()
        })
        .collect()
}

/// Of what comes before a part, the kinds that the part has.
fn only(sum: &RowNumbers, part: &RowNumbers) -> RowNumbers {
    let kinds: Vec<(u32, u32, u64)> = part.clone().into();
    let before = kinds.iter().map(|&(cell, target, _)| (cell, target, sum.next(cell, target)));
    before.filter(|it| it.2 > 0).collect::<Vec<_>>().into()
}

fn same_kind(one: &(u32, u32, u32, u64), other: &(u32, u32, u32, u64)) -> bool {
    (one.0, one.1) == (other.0, other.1)
}

/// Where the quotas of a cell and target begin.
#[inline]
fn first_quota(shares: &[(u32, u32, u32, u64)], key: (u32, u32)) -> usize {
    shares.partition_point(|share| (share.0, share.1) < key)
}

/// A text as columns with types show it: nothing for no text.
fn shown(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// A part that is not the one that was counted.
pub(super) fn differs() -> Error {
    Error::new("the table's parts are not those that were counted: it changed, or it is not read twice alike")
        .help("write the table to files and anonymize those, or try again when nothing changes it")
}

fn unmade(cause: &dyn std::fmt::Display) -> Error {
    Error::new(format!("the released batch cannot be made: {cause}"))
}
