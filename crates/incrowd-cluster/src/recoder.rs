//! The second pass over a part of a table: rows get their classes, and become what those are released as.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray, UInt32Array};
use arrow_select::filter::filter;
use arrow_select::take::take;
use incrowd_assess::expose::value_hash;
use incrowd_engine::release::RowCounts;
use incrowd_engine::table::{Dictionary, ProfileCounter, ProfileIndex, Profiles, UNSEEN};
use incrowd_engine::value::{is_missing, spelling};
use incrowd_engine::{Control, ShuffleKey, Shuffler};
use incrowd_run::{Error, Result, backend::changed, data::Chunk};

use super::kept_rows::{CodedRows, KeptRows};
use super::messages::{BatchBuilder, packed, unmade, unpacked};
use super::reading_plan::ReadingPlan;
use super::recoding_message::{CellAssignment, DROPPED, RecodedColumn, RecodingMessage};
use super::row_checksum::{RowChecksum, combined, differs};

/// The column that says where a row goes; it is not released.
pub const ORDER_COLUMN: &str = "__incrowd_order";
/// The column that tells apart who is protected, where that is not released: for the verifier's eyes only.
pub const UNIT_COLUMN: &str = "__incrowd_unit";
/// The column of classes that rows have as long as they do not show what their classes are released as.
const CLASS_COLUMN: &str = "__incrowd_class";

/// Recodes rows where they are, part by part and batch by batch. It travels as bytes.
pub struct RowRecoder {
    sent: RecodingMessage,
    known: Vec<Dictionary>,
    /// The hashes of the known values.
    hashes: Vec<Vec<u64>>,
    index: ProfileIndex,
    /// Where the quotas of each cell begin, where rows are dealt out by quotas.
    quotas: Vec<u32>,
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
    sum: RowChecksum,
    /// Rows that each quota still takes.
    left: Vec<u64>,
    numbers: RowCounts,
    shuffler: Option<Shuffler>,
    /// Of each counted column, the place among the known values of each that kept rows have had.
    kept: Vec<Vec<u32>>,
}

/// A batch of rows, as the table has it or as it was kept.
#[derive(Debug)]
pub enum PartBatch {
    /// Read from the table.
    Read(RecordBatch),
    /// From [`Counted::add_keeping`](super::PartialCounts::add_keeping).
    Kept(Vec<u8>),
}

impl From<RecordBatch> for PartBatch {
    fn from(batch: RecordBatch) -> Self {
        PartBatch::Read(batch)
    }
}

impl From<Vec<u8>> for PartBatch {
    fn from(bytes: Vec<u8>) -> Self {
        PartBatch::Kept(bytes)
    }
}

/// What is known of the rows of a batch before they get their classes.
struct ReadRows {
    /// The codes are places among the known values, [`UNSEEN`] for others.
    rows: CodedRows,
    /// Released columns that are treated as they are read, by their place in the release.
    texts: BTreeMap<usize, ArrayRef>,
    /// The others, by their names in the table.
    unchanged: RecordBatch,
}

impl std::fmt::Debug for PartRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PartRows").field("part", &self.part).finish_non_exhaustive()
    }
}

impl RowRecoder {
    pub(super) fn new(sent: RecodingMessage) -> Result<Self> {
        let strange = || Error::new("the messages of different processes do not fit together");
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
        let mut counter = ProfileCounter::new(width);
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
        let cells = Profiles::of_counter(&counter, &codings, &sent.domains);
        let same = cells.len() == number
            && (0..number)
                .all(|cell| (0..width).all(|at| cells.code(at, cell) == sent.cells[at][cell]));
        let fates = match &sent.fates {
            CellAssignment::Cells(classes) => classes.len() == number,
            CellAssignment::Shares(shares) => {
                shares.iter().all(|share| (share.0 as usize) < number)
            }
        };
        let unit = sent.unit.is_none_or(|unit| unit < known.len());
        if !same || !fates || !unit {
            return Err(strange());
        }
        let labels = sent.labels.iter().map(|of| {
            (0..of.names.len())
                .map(|part| of.labels.iter().map(|label| shown(label.get(part)?)).collect())
                .collect()
        });
        Ok(RowRecoder {
            labels: labels.collect(),
            index: ProfileIndex::new(&cells, &sent.domains),
            targets: sent.targets.iter().cloned().collect(),
            hashes: known.iter().map(|values| values.iter().map(value_hash).collect()).collect(),
            quotas: match &sent.fates {
                CellAssignment::Cells(_) => Vec::new(),
                CellAssignment::Shares(shares) => (0..=number as u32)
                    .map(|cell| shares.partition_point(|share| share.0 < cell) as u32)
                    .collect(),
            },
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
        Self::new(unpacked(bytes)?)
    }

    /// Whether rows of one combination go different ways: then every part must know how many of each kind come before it.
    pub fn deals_rows(&self) -> bool {
        matches!(&self.sent.fates, CellAssignment::Shares(shares) if shares.windows(2).any(|two| same_kind(&two[0], &two[1])))
    }

    /// Tells the recoder how many rows of each kind every part has, as [`PartRows::numbers`] found them.
    pub fn deal(&mut self, numbers: &BTreeMap<u64, RowCounts>) -> Result<()> {
        if numbers.keys().ne(self.sent.parts.keys()) {
            return Err(differs());
        }
        let mut sum = RowCounts::new();
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
            CellAssignment::Cells(_) => Vec::new(),
            CellAssignment::Shares(shares) => shares.iter().map(|share| share.3).collect(),
        };
        if let (CellAssignment::Shares(shares), Some(before)) =
            (&self.sent.fates, self.sent.before.get(&part))
        {
            let before: Vec<(u32, u32, u64)> = before.clone().into();
            for (cell, target, mut skipped) in before {
                let first = self.first_quota(shares, (cell, target));
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
        Ok(PartRows {
            part,
            sum: RowChecksum::default(),
            left,
            numbers: RowCounts::new(),
            shuffler,
            kept: vec![Vec::new(); self.known.len()],
        })
    }

    /// Counts how many rows of each kind a batch has, of the kinds that are dealt out.
    pub fn count(&self, rows: &mut PartRows, batch: impl Into<PartBatch>) -> Result<()> {
        let CellAssignment::Shares(shares) = &self.sent.fates else { return Ok(()) };
        let read = self.read(rows, batch.into())?;
        for (cell, target) in self.places(&read.rows.codes)?.into_iter().flatten() {
            let first = self.first_quota(shares, (cell, target));
            let split = shares.get(first..first + 2);
            if split.is_some_and(|two| same_kind(&two[0], &two[1])) {
                rows.numbers.count(cell, target);
            }
        }
        Ok(())
    }

    /// The released rows of a batch: the released columns, [`UNIT_COLUMN`] where it is needed, and [`ORDER_COLUMN`].
    pub fn recode(&self, rows: &mut PartRows, batch: impl Into<PartBatch>) -> Result<RecordBatch> {
        self.shown(&self.assigned(rows, batch)?)
    }

    /// The released rows of a batch with their classes: that, the columns that are released as they are, the unit and the
    /// order. It is all that has to travel of a row, and less than what it shows.
    pub(super) fn assigned(
        &self,
        rows: &mut PartRows,
        batch: impl Into<PartBatch>,
    ) -> Result<RecordBatch> {
        let mut read = self.read(rows, batch.into())?;
        let codes = &read.rows.codes;
        let places = self.places(codes)?.into_iter();
        let mut fates: Vec<u32> =
            places.map(|place| self.fate(rows, place)).collect::<Result<_>>()?;
        let units = self.sent.unit.map(|at| {
            let codes = codes.iter().skip(at).step_by(self.known.len()).zip(&fates);
            let released = codes.filter(|it| *it.1 != DROPPED);
            let unit = |code: u32| match code {
                UNSEEN => Err(changed()),
                code => Ok(Some(self.unit(self.known[at].value(code)))),
            };
            released.map(|(&code, _)| unit(code)).collect::<Result<StringArray>>()
        });
        let released = fates
            .contains(&DROPPED)
            .then(|| fates.iter().map(|&fate| Some(fate != DROPPED)).collect::<BooleanArray>());
        fates.retain(|&fate| fate != DROPPED);
        let number = fates.len();
        let mut made = BatchBuilder::default();
        made.add(CLASS_COLUMN, Arc::new(UInt32Array::from(fates)));
        let names = self.sent.reading.compared();
        for (place, column) in self.sent.released.iter().enumerate() {
            let RecodedColumn::Plain(at) = *column else { continue };
            let name = self.sent.reading.raw_name(names[at]);
            let as_it_is = || read.unchanged.column_by_name(name).cloned();
            let all = read.texts.remove(&place).or_else(as_it_is).ok_or_else(differs)?;
            let kept = match &released {
                Some(released) => filter(&all, released).map_err(|e| unmade(&e))?,
                None => all,
            };
            made.add(names[at], kept);
        }
        if let Some(units) = units {
            made.add(UNIT_COLUMN, Arc::new(units?));
        }
        if let Some(shuffler) = &mut rows.shuffler {
            let mut word = || u64::from(shuffler.word());
            let keys: Vec<i64> = (0..number).map(|_| (word() << 32 | word()) as i64).collect();
            made.add(ORDER_COLUMN, Arc::new(Int64Array::from(keys)));
        }
        made.finish()
    }

    /// What rows with classes are released as; units and the order stay behind it.
    pub(super) fn shown(&self, assigned: &RecordBatch) -> Result<RecordBatch> {
        let classes = assigned.columns().first().and_then(|it| it.as_primitive_opt());
        let classes: &UInt32Array = classes.ok_or_else(differs)?;
        let mut made = BatchBuilder::default();
        // Behind the classes, in the order in which they are released.
        let mut kept = assigned.schema_ref().fields().iter().zip(assigned.columns()).skip(1);
        for column in &self.sent.released {
            let RecodedColumn::Quasi(at) = *column else {
                let (field, array) = kept.next().ok_or_else(differs)?;
                made.add(field.name(), Arc::clone(array));
                continue;
            };
            let of = &self.sent.labels[at];
            let label = |&class: &u32| of.of_class.get(class as usize).copied();
            let labels: Option<Vec<u32>> = classes.values().iter().map(label).collect();
            let labels = UInt32Array::from(labels.ok_or_else(differs)?);
            for (name, texts) in of.names.iter().zip(&self.labels[at]) {
                made.add(name, take(texts, &labels, None).map_err(|e| unmade(&e))?);
            }
        }
        kept.for_each(|(field, array)| made.add(field.name(), Arc::clone(array)));
        made.finish()
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
                RecodedColumn::Quasi(at) => {
                    columns.extend(self.sent.labels[at].names.iter().map(|it| (it.clone(), None)));
                }
                RecodedColumn::Plain(at) => {
                    let copied = (!treated.contains(&place))
                        .then(|| self.sent.reading.raw_name(names[at]).to_owned());
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
        let released = self.sent.released.iter().enumerate();
        let plain = released.filter_map(|(place, column)| match *column {
            RecodedColumn::Plain(at) if self.sent.reading.is_treated(names[at]) => {
                Some((place, at))
            }
            _ => None,
        });
        plain.collect()
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
        let read = ReadingPlan::places(&source, &self.sent.reading.compared())?;
        let each = std::sync::Mutex::new(&mut each);
        let step = |(): &mut (), chunk: &Chunk| {
            let mut each = each.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            each(chunk)
        };
        source.fold(&read, || (), step, &Control::new())?;
        Ok(())
    }

    /// Looks up the values of a batch, the next of its part.
    fn read(&self, rows: &mut PartRows, batch: PartBatch) -> Result<ReadRows> {
        let read = match batch {
            PartBatch::Read(batch) => self.looked_up(batch),
            PartBatch::Kept(bytes) => self.remembered(rows, &bytes),
        }?;
        read.rows.sums.iter().for_each(|&row| rows.sum.add(row));
        Ok(read)
    }

    fn looked_up(&self, batch: RecordBatch) -> Result<ReadRows> {
        let (counted, compared) = (self.known.len(), self.sent.reading.compared().len());
        let treated = self.treated_columns();
        let mut texts: Vec<StringBuilder> = treated.iter().map(|_| StringBuilder::new()).collect();
        let mut rows = CodedRows::default();
        self.walk(batch.clone(), |chunk| {
            let mut codes = vec![UNSEEN; chunk.rows() * counted];
            for (at, known) in self.known.iter().enumerate() {
                for (row, value) in chunk.column(at).enumerate() {
                    codes[row * counted + at] = known.get(value).unwrap_or(UNSEEN);
                }
            }
            let sums = (0..chunk.rows()).map(|row| {
                let codes = &codes[row * counted..][..counted];
                let hash = |at: usize| match codes.get(at) {
                    Some(&code) if code != UNSEEN => self.hashes[at][code as usize],
                    _ => value_hash(chunk.field(row, at)),
                };
                combined((0..compared).map(hash))
            });
            rows.sums.extend(sums);
            rows.codes.extend(codes);
            for (text, &(_, at)) in texts.iter_mut().zip(&treated) {
                chunk.column(at).for_each(|value| text.append_option(shown(value)));
            }
            Ok(())
        })?;
        let texts = treated.iter().zip(&mut texts);
        let texts = texts.map(|(it, text)| (it.0, Arc::new(text.finish()) as ArrayRef)).collect();
        Ok(ReadRows { rows, texts, unchanged: batch })
    }

    /// The same of rows that were looked up when they were counted: only values that no row before has had are new.
    fn remembered(&self, rows: &mut PartRows, bytes: &[u8]) -> Result<ReadRows> {
        let counted = self.known.len();
        let KeptRows { values, rows: mut coded, unchanged } = KeptRows::from_bytes(bytes, counted)?;
        for ((to, known), values) in rows.kept.iter_mut().zip(&self.known).zip(values) {
            to.extend(values.iter().map(|value| known.get(value).unwrap_or(UNSEEN)));
        }
        for row in coded.codes.chunks_exact_mut(counted) {
            for (code, known) in row.iter_mut().zip(&rows.kept) {
                *code = *known.get(*code as usize).ok_or_else(differs)?;
            }
        }
        Ok(ReadRows { rows: coded, texts: BTreeMap::new(), unchanged })
    }

    /// The cell and the target of each row; none for a row that belongs to no cell.
    fn places(&self, codes: &[u32]) -> Result<Vec<Option<(u32, u32)>>> {
        let (width, counted) = (self.sent.domains.len(), self.known.len());
        let code = |at: usize, known: u32| -> Result<u32> {
            self.sent.columns[at].1.get(known as usize).copied().ok_or_else(changed)
        };
        let mut cells = Vec::with_capacity(codes.len() / counted * width);
        for row in codes.chunks_exact(counted) {
            for (at, &known) in row[..width].iter().enumerate() {
                cells.push(code(at, known)?);
            }
        }
        let found = self.index.find_all(&cells).into_iter().zip(cells.chunks_exact(width));
        let by_target = !self.targets.is_empty();
        let mut target = vec![0; counted - width];
        found
            .zip(codes.chunks_exact(counted))
            .map(|((cell, codes), row)| {
                let cell = match cell {
                    Some(cell) => cell,
                    None if codes.contains(&UNSEEN) => return Ok(None),
                    None => return Err(changed()),
                };
                if !by_target {
                    return Ok(Some((cell, 0)));
                }
                for (at, to) in (width..).zip(&mut target) {
                    *to = code(at, row[at])?;
                }
                let target = self.targets.get(&target).ok_or_else(changed)?;
                Ok(Some((cell, *target)))
            })
            .collect()
    }

    /// Where the quotas of a cell and target begin.
    #[inline]
    fn first_quota(&self, shares: &[(u32, u32, u32, u64)], (cell, target): (u32, u32)) -> usize {
        let at = |cell: usize| self.quotas.get(cell).map_or(shares.len(), |&at| at as usize);
        let (first, end) = (at(cell as usize), at(cell as usize + 1));
        first + shares[first..end].partition_point(|share| share.1 < target)
    }

    fn fate(&self, rows: &mut PartRows, place: Option<(u32, u32)>) -> Result<u32> {
        let Some((cell, target)) = place else { return Ok(DROPPED) };
        match &self.sent.fates {
            CellAssignment::Cells(classes) => Ok(classes[cell as usize]),
            CellAssignment::Shares(shares) => {
                let key = (cell, target);
                let mut quotas = (self.first_quota(shares, key)..shares.len())
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
    /// How many rows of each kind were counted.
    pub fn numbers(&self) -> &RowCounts {
        &self.numbers
    }
}

/// Of what comes before a part, the kinds that the part has.
fn only(sum: &RowCounts, part: &RowCounts) -> RowCounts {
    let kinds: Vec<(u32, u32, u64)> = part.clone().into();
    let before = kinds.iter().map(|&(cell, target, _)| (cell, target, sum.next(cell, target)));
    before.filter(|it| it.2 > 0).collect::<Vec<_>>().into()
}

fn same_kind(one: &(u32, u32, u32, u64), other: &(u32, u32, u32, u64)) -> bool {
    (one.0, one.1) == (other.0, other.1)
}

/// A text as columns with types show it: nothing for no text.
fn shown(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
