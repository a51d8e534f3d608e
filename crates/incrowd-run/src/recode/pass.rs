//! The second pass: every row becomes what its class is released as.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};

use incrowd_assess::expose::{ExposureCollector, value_hash};
use incrowd_engine::release::{ClassAssignment, RowAssigner, RowDisposition};
use incrowd_engine::table::ProfileIndex;
use incrowd_engine::value::{BLANK, is_missing, spelling};
use incrowd_engine::{Control, Problem, Release};

use crate::count::recent_values::RecentValues;
use crate::recode::exposure_observer::{ExposedValues, ExposureObserver};
use crate::recode::row_assignment::RowAssignment;
use crate::{Arranger, Chunk, CsvEncoder, Error, Order, Result, Source};

/// A column of the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputColumn {
    /// The attribute with this number.
    Quasi(usize),
    /// A column that stays as it is: its place among the columns read.
    Plain(usize),
}

/// All that is needed to recode rows.
pub(crate) struct RecodeContext<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) release: &'a Release,
    /// The columns of the release, in order.
    pub(crate) columns: &'a [OutputColumn],
    pub(crate) encoder: &'a CsvEncoder,
    /// A column that is not released although it is among them: the place of what tells people apart.
    pub(crate) hidden: Option<usize>,
    /// The fields that mean "no value".
    pub(crate) missing: &'a [String],
}

/// Which combinations became which classes.
#[derive(Debug, Clone, Default)]
pub struct LabelPairs(Vec<(u32, u32)>);

impl LabelPairs {
    /// Pairs of a combination and a class.
    pub fn new(pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        LabelPairs(pairs.into_iter().collect())
    }

    /// Which combinations are to become which classes.
    pub fn of_release(release: &Release) -> Self {
        let pairs: Vec<(u32, u32)> = match &release.classes.assignment {
            ClassAssignment::Cells(class_of) => {
                class_of.iter().enumerate().map(|(cell, &class)| (cell as u32, class)).collect()
            }
            ClassAssignment::Shares(shares) => {
                shares.iter().map(|it| (it.cell, it.class)).collect()
            }
        };
        let released = |class: u32| release.classes.released.get(class as usize) == Some(&true);
        LabelPairs(pairs.into_iter().filter(|&(_, class)| released(class)).collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The pairs, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &(u32, u32)> {
        self.0.iter()
    }
}

/// The same of cells that became several classes.
type FurtherClasses = HashSet<(u32, u32)>;

/// The first class that each cell became, plus one: most cells become no other, and rows of one are many.
struct FirstClasses(Vec<AtomicU32>);

impl FirstClasses {
    fn new(cells: usize) -> Self {
        FirstClasses((0..cells).map(|_| AtomicU32::new(0)).collect())
    }

    /// Notes that a cell became a class; another than its first one among `others`.
    #[inline]
    fn note(&self, cell: u32, class: u32, others: &mut FurtherClasses) {
        let (first, mark) = (&self.0[cell as usize], class + 1);
        if first.load(Ordering::Relaxed) == mark {
            return;
        }
        match first.compare_exchange(0, mark, Ordering::Relaxed, Ordering::Relaxed) {
            Err(known) if known != mark => {
                others.insert((cell, class));
            }
            _ => {}
        }
    }

    /// All that was noted.
    fn with(self, others: FurtherClasses) -> LabelPairs {
        let firsts = (0..).zip(self.0).map(|(cell, first)| (cell, first.into_inner()));
        let met = firsts.filter(|(_, mark)| *mark > 0).map(|(cell, mark)| (cell, mark - 1));
        LabelPairs(met.chain(others).collect())
    }
}

/// How long a hidden field is, with the delimiter before it.
const HIDDEN: usize = 17;

/// Stands for the place of a column that holds the number of each row in the input.
pub(crate) const ROW_NUMBER: usize = usize::MAX;

/// What goes with each row to its place in the release and is not released: the last fields of a row.
#[derive(Debug, Default)]
pub(crate) struct HiddenFields {
    /// Who each row is of, where that is not released.
    pub(crate) units: Option<Vec<u64>>,
    /// Which row of the input it is, where that must be known.
    pub(crate) numbers: Option<Vec<u64>>,
}

impl HiddenFields {
    /// A row without its hidden fields, which are kept here.
    pub(crate) fn strip<'r>(&mut self, row: &'r [u8]) -> &'r [u8] {
        let row = split_hidden(row, self.numbers.as_mut());
        split_hidden(row, self.units.as_mut())
    }
}

/// A row without its last field, if there is a list of what stood there.
fn split_hidden<'r>(row: &'r [u8], list: Option<&mut Vec<u64>>) -> &'r [u8] {
    let Some(list) = list else { return row };
    let (row, hidden) = row.split_at(row.len().saturating_sub(HIDDEN));
    let digits = hidden.get(1..).and_then(|digits| str::from_utf8(digits).ok());
    list.push(digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(0));
    row
}

/// Rows as they go to the arranger, one behind the other.
#[derive(Default)]
struct PackedRows {
    bytes: Vec<u8>,
    /// Where each row ends, and how long the released row is that it stands for.
    ends: Vec<(usize, usize)>,
    /// Which cells became which classes, beside their first ones.
    others: FurtherClasses,
    /// What becomes of each row that was read.
    fates: Vec<RowAssignment>,
}

impl PackedRows {
    fn push_all(&self, arranger: &mut Arranger) -> Result<()> {
        let mut start = 0;
        for &(end, length) in &self.ends {
            arranger.push_short(&self.bytes[start..end], length)?;
            start = end;
        }
        Ok(())
    }
}

/// A row whose class has yet to be dealt: its cell, its label, and its plain fields.
#[derive(Default)]
struct PendingRows {
    places: Vec<(u32, u32)>,
    plain: Vec<u8>,
    /// Where each run of plain fields of each row ends.
    ends: Vec<usize>,
}

/// What stands for a cell that the rows do not belong to.
const NOWHERE: u32 = u32::MAX;

/// How many rows are made whole together.
const TOGETHER: usize = 128;

/// The second pass over the rows.
pub(crate) struct RecodePass<'a> {
    recoder: &'a RecodeContext<'a>,
    texts: &'a RowTexts,
}

/// What rows are made whole from.
///
/// Between recoding and writing a row is kept short: its class and its plain fields. What a class is
/// released as is put in at the very end, so that rows are small while they are arranged.
pub(crate) struct RowTexts {
    parts: Vec<RowSegment>,
    /// How long all texts of each class are together, with delimiters; the last is the blank one.
    lengths: Vec<usize>,
    /// How many runs of plain columns there are.
    plain: usize,
    /// Whether rows are kept short: not where their bytes decide the order.
    short: bool,
    delimiter: u8,
}

/// A part of a released row.
enum RowSegment {
    /// Neighbouring quasi-identifiers, encoded once per class: a row then costs one copy from one
    /// place, not a look-up per attribute.
    Classes(ClassText),
    /// Neighbouring columns that stay as they are.
    Plain(Vec<usize>),
}

/// For each class the encoded text of some neighbouring columns; the last text is the blank one.
struct ClassText {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl ClassText {
    fn new(release: &Release, attributes: &[usize], encoder: &CsvEncoder) -> Self {
        let encode = |fields: &[String]| {
            let mut out = Vec::new();
            encoder.row(fields, &mut out);
            out
        };
        let labels: Vec<Vec<Vec<u8>>> = attributes
            .iter()
            .map(|&at| release.labels(at).iter().map(|label| encode(label)).collect())
            .collect();
        let mut text =
            ClassText { bytes: Vec::new(), ends: Vec::with_capacity(release.classes.len() + 1) };
        for class in 0..release.classes.len() as u32 {
            let fields = attributes.iter().zip(&labels);
            let fields = fields.map(|(&at, labels)| &labels[release.label_of(at, class) as usize]);
            encoder.join(fields, &mut text.bytes);
            text.ends.push(text.bytes.len());
        }
        let names = attributes.iter().map(|&at| release.names(at).len()).sum();
        text.bytes.extend_from_slice(&encode(&vec![BLANK.to_owned(); names]));
        text.ends.push(text.bytes.len());
        text
    }

    /// Where the text of a class lies.
    #[inline]
    fn span(&self, class: usize) -> (usize, usize) {
        (if class == 0 { 0 } else { self.ends[class - 1] }, self.ends[class])
    }
}

impl RowTexts {
    pub(crate) fn new(recoder: &RecodeContext<'_>, order: Order) -> Self {
        let RecodeContext { release, encoder, columns, .. } = recoder;
        let quasi = |column: &OutputColumn| matches!(column, OutputColumn::Quasi(_));
        let parts: Vec<RowSegment> = columns
            .chunk_by(|a, b| quasi(a) == quasi(b))
            .map(|run| {
                let numbers = run.iter().map(|column| match *column {
                    OutputColumn::Quasi(at) | OutputColumn::Plain(at) => at,
                });
                match run.first() {
                    Some(OutputColumn::Quasi(_)) => {
                        let attributes: Vec<usize> = numbers.collect();
                        RowSegment::Classes(ClassText::new(release, &attributes, encoder))
                    }
                    _ => RowSegment::Plain(numbers.collect()),
                }
            })
            .collect();
        let delimiters = parts.len().saturating_sub(1);
        let mut lengths = vec![delimiters; release.classes.len() + 1];
        for part in &parts {
            if let RowSegment::Classes(text) = part {
                for (class, length) in lengths.iter_mut().enumerate() {
                    let (start, end) = text.span(class);
                    *length += end - start;
                }
            }
        }
        let plain = parts.iter().filter(|part| matches!(part, RowSegment::Plain(_))).count();
        let (short, delimiter) = (order != Order::Sorted, encoder.delimiter());
        RowTexts { parts, lengths, plain, short, delimiter }
    }

    /// Gives all rows, whole and in order, to `emit`.
    pub(crate) fn finish(
        &self,
        arranger: Arranger,
        mut emit: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        if !self.short {
            return arranger.finish(emit);
        }
        let mut rows = PackedRows::default();
        let mut row = Vec::new();
        arranger.finish(|short| {
            rows.bytes.extend_from_slice(short);
            rows.ends.push((rows.bytes.len(), 0));
            if rows.ends.len() == TOGETHER {
                self.make_whole(&mut rows, &mut row, &mut emit)
            } else {
                Ok(())
            }
        })?;
        self.make_whole(&mut rows, &mut row, &mut emit)
    }

    /// Makes short rows whole and forgets them.
    fn make_whole(
        &self,
        rows: &mut PackedRows,
        row: &mut Vec<u8>,
        emit: &mut impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        // The texts of classes lie far apart. A glance at all of them lets the memory of many arrive
        // at once.
        let mut glance = 0;
        let mut start = 0;
        for &(end, _) in &rows.ends {
            let class = split_word(&rows.bytes[start..end]).0;
            for part in &self.parts {
                if let RowSegment::Classes(text) = part {
                    let (from, to) = text.span(class);
                    let middle = text.bytes.get(from.midpoint(to));
                    glance ^= text.bytes.get(from).unwrap_or(&0) ^ middle.unwrap_or(&0);
                }
            }
            start = end;
        }
        std::hint::black_box(glance);
        let mut start = 0;
        for &(end, _) in &rows.ends {
            let (class, mut plain) = split_word(&rows.bytes[start..end]);
            row.clear();
            let mut run = 0;
            self.write(row, |part, row| match part {
                RowSegment::Classes(text) => {
                    let (from, to) = text.span(class);
                    row.extend_from_slice(&text.bytes[from..to]);
                }
                RowSegment::Plain(_) => {
                    run += 1;
                    let mut here = plain;
                    if run < self.plain {
                        let (length, rest) = split_word(plain);
                        (here, plain) = rest.split_at(length);
                    }
                    row.extend_from_slice(here);
                }
            });
            emit(row)?;
            start = end;
        }
        rows.bytes.clear();
        rows.ends.clear();
        Ok(())
    }

    /// Appends the parts of a row, delimiters between them.
    #[inline]
    fn write(&self, out: &mut Vec<u8>, mut write: impl FnMut(&RowSegment, &mut Vec<u8>)) {
        for (at, part) in self.parts.iter().enumerate() {
            if at > 0 {
                out.push(self.delimiter);
            }
            write(part, out);
        }
    }

    /// Adds a row, short or whole. `plain` appends the next run of its plain fields.
    #[inline]
    fn add(
        &self,
        rows: &mut PackedRows,
        disposition: RowDisposition,
        mut plain: impl FnMut(&[usize], &mut Vec<u8>),
    ) {
        let class = match disposition {
            RowDisposition::Class(class) => class as usize,
            RowDisposition::Blank => self.lengths.len() - 1,
            RowDisposition::Dropped => return,
        };
        let start = rows.bytes.len();
        if !self.short {
            self.write(&mut rows.bytes, |part, out| match part {
                RowSegment::Classes(text) => {
                    let (from, to) = text.span(class);
                    out.extend_from_slice(&text.bytes[from..to]);
                }
                RowSegment::Plain(columns) => plain(columns, out),
            });
            rows.ends.push((rows.bytes.len(), rows.bytes.len() - start));
            return;
        }
        rows.bytes.extend_from_slice(&(class as u32).to_le_bytes());
        let mut length = self.lengths[class];
        let mut run = 0;
        for part in &self.parts {
            let RowSegment::Plain(columns) = part else { continue };
            run += 1;
            let mut from = rows.bytes.len();
            // The last run ends where the row does.
            if run < self.plain {
                from += size_of::<u32>();
                rows.bytes.resize(from, 0);
            }
            plain(columns, &mut rows.bytes);
            let taken = rows.bytes.len() - from;
            if run < self.plain {
                rows.bytes[from - size_of::<u32>()..from]
                    .copy_from_slice(&(taken as u32).to_le_bytes());
            }
            length += taken;
        }
        rows.ends.push((rows.bytes.len(), length));
    }
}

impl<'a> RecodePass<'a> {
    pub(crate) fn new(recoder: &'a RecodeContext<'a>, texts: &'a RowTexts) -> Self {
        RecodePass { recoder, texts }
    }

    /// Recodes all rows of the source into the arranger, if there is one, and tells which cells became which classes.
    /// `read` are the columns to read: the problem's (quasi-identifiers, then labels), then the others that are released.
    /// What the rows show is gathered on the way; what becomes of each goes to `fates`, if it is asked for.
    pub(crate) fn run(
        &self,
        source: &Source,
        read: &[usize],
        mut arranger: Option<&mut Arranger>,
        (watch, gathering): (&ExposureObserver, &mut ExposureCollector),
        mut fates: Option<&mut Vec<RowAssignment>>,
        control: &Control,
    ) -> Result<LabelPairs> {
        let mut others = FurtherClasses::default();
        let wants_targets = fates.is_some();
        let mut take = |rows: &PackedRows, shown: &ExposedValues| {
            shown.gather(&rows.fates, gathering);
            if let Some(fates) = fates.as_deref_mut() {
                fates.extend_from_slice(&rows.fates);
            }
            others.extend(&rows.others);
            arranger.as_deref_mut().map_or(Ok(()), |arranger| rows.push_all(arranger))
        };
        let RecodeContext { problem, release, .. } = self.recoder;
        let index = ProfileIndex::new(&problem.cells, &problem.domains());
        let firsts = FirstClasses::new(problem.cells.len());
        match release.classes.assignment {
            ClassAssignment::Cells(_) => source.map_in_order(
                read,
                |chunk| {
                    // Whole cells go one way, so any assigner will do.
                    let mut assigner = release.assigner();
                    let rows = self.whole(&index, chunk, &mut assigner, &firsts, wants_targets)?;
                    Ok((rows, watch.look(chunk)))
                },
                |(rows, shown)| take(&rows, &shown),
                control,
            )?,
            ClassAssignment::Shares(_) => {
                let mut assigner = release.assigner();
                source.map_in_order(
                    read,
                    |chunk| Ok((self.undealt(&index, chunk)?, watch.look(chunk))),
                    |(undealt, shown)| take(&self.deal(&undealt, &mut assigner, &firsts), &shown),
                    control,
                )?;
            }
        }
        Ok(firsts.with(others))
    }

    /// The cell of each row of a chunk; [`NOWHERE`] if a value is one that the recoding has not seen.
    fn cells(&self, index: &ProfileIndex, chunk: &Chunk) -> Result<Vec<u32>> {
        let problem = self.recoder.problem;
        let width = problem.attributes.len();
        let mut codes = Vec::with_capacity(chunk.rows() * width);
        let mut recent = RecentValues::of_columns(width);
        for row in 0..chunk.rows() {
            for (at, recent) in recent.iter_mut().enumerate() {
                codes.push(recent.code(chunk.bytes(row, at), || {
                    problem.codebooks[at].code(chunk.field(row, at)).ok_or_else(changed)
                })?);
            }
        }
        let found = index.find_all(&codes).into_iter().zip(codes.chunks_exact(width));
        found
            .map(|(cell, codes)| match cell {
                Some(cell) => Ok(cell),
                None if codes.contains(&incrowd_engine::table::UNSEEN) => Ok(NOWHERE),
                None => Err(changed()),
            })
            .collect()
    }

    /// Appends neighbouring fields that stay as they are.
    #[inline]
    fn plain(&self, chunk: &Chunk, row: usize, columns: &[usize], out: &mut Vec<u8>) {
        let encoder = self.recoder.encoder;
        for (at, &column) in columns.iter().enumerate() {
            if at > 0 {
                out.push(encoder.delimiter());
            }
            if column == ROW_NUMBER {
                let number = chunk.first_row() + row as u64;
                out.extend_from_slice(format!("{number:016x}").as_bytes());
            } else if self.recoder.hidden == Some(column) {
                let value = chunk.field(row, column);
                // Whoever is nameless may be anybody: all of them count as one.
                let unit = match is_missing(value, self.recoder.missing) {
                    true => 0,
                    false => value_hash(&spelling(value)) | 1,
                };
                out.extend_from_slice(format!("{unit:016x}").as_bytes());
            } else {
                encoder.field(chunk.field(row, column), out);
            }
        }
    }

    fn whole(
        &self,
        index: &ProfileIndex,
        chunk: &Chunk,
        assigner: &mut RowAssigner<'_>,
        firsts: &FirstClasses,
        wants_targets: bool,
    ) -> Result<PackedRows> {
        let targets = if wants_targets { self.targets(chunk)? } else { Vec::new() };
        let fates: Vec<RowAssignment> = self
            .cells(index, chunk)?
            .into_iter()
            .enumerate()
            .map(|(row, cell)| {
                let target = targets.get(row).copied().unwrap_or(0);
                match cell {
                    NOWHERE => (cell, target, RowDisposition::Dropped),
                    cell => (cell, target, assigner.assign(cell, || target)),
                }
            })
            .collect();
        // Most rows are about as long as this; growing would copy them all again.
        let expected = if self.texts.short { 24 } else { 96 };
        let mut rows = PackedRows {
            bytes: Vec::with_capacity(fates.len() * expected),
            ends: Vec::with_capacity(fates.len()),
            ..PackedRows::default()
        };
        // In a loop of its own: the processor then waits for many far places at once.
        let mut glance = 0;
        for &(cell, _, disposition) in &fates {
            if let RowDisposition::Class(class) = disposition {
                firsts.note(cell, class, &mut rows.others);
                glance ^= self.texts.lengths[class as usize];
            }
        }
        std::hint::black_box(glance);
        for (row, &(.., disposition)) in fates.iter().enumerate() {
            self.texts
                .add(&mut rows, disposition, |columns, out| self.plain(chunk, row, columns, out));
        }
        Ok(PackedRows { fates, ..rows })
    }

    fn undealt(&self, index: &ProfileIndex, chunk: &Chunk) -> Result<PendingRows> {
        let cells = self.cells(index, chunk)?;
        let mut undealt = PendingRows::default();
        for (row, (cell, target)) in cells.into_iter().zip(self.targets(chunk)?).enumerate() {
            undealt.places.push((cell, target));
            for part in &self.texts.parts {
                if let RowSegment::Plain(columns) = part {
                    self.plain(chunk, row, columns, &mut undealt.plain);
                    undealt.ends.push(undealt.plain.len());
                }
            }
        }
        Ok(undealt)
    }

    /// The joint target of each row of a chunk.
    fn targets(&self, chunk: &Chunk) -> Result<Vec<u32>> {
        let problem = self.recoder.problem;
        let quasi = problem.attributes.len();
        let mut codes = vec![0; problem.targets.columns.len()];
        if codes.is_empty() {
            return Ok(vec![0; chunk.rows()]);
        }
        let target = |row: usize| {
            for (at, code) in codes.iter_mut().enumerate() {
                let codebook = &problem.codebooks[quasi + at];
                *code = codebook.code(chunk.field(row, quasi + at)).ok_or_else(changed)?;
            }
            problem.targets.find(&codes).ok_or_else(changed)
        };
        (0..chunk.rows()).map(target).collect()
    }

    fn deal(
        &self,
        undealt: &PendingRows,
        assigner: &mut RowAssigner<'_>,
        firsts: &FirstClasses,
    ) -> PackedRows {
        let mut rows = PackedRows::default();
        for (at, &(cell, label)) in undealt.places.iter().enumerate() {
            let disposition = match cell {
                NOWHERE => RowDisposition::Dropped,
                cell => assigner.assign(cell, || label),
            };
            rows.fates.push((cell, label, disposition));
            if let RowDisposition::Class(class) = disposition {
                firsts.note(cell, class, &mut rows.others);
            }
            let mut run = at * self.texts.plain;
            self.texts.add(&mut rows, disposition, |_, out| {
                let start = if run == 0 { 0 } else { undealt.ends[run - 1] };
                out.extend_from_slice(&undealt.plain[start..undealt.ends[run]]);
                run += 1;
            });
        }
        rows
    }
}

/// The number that some bytes begin with, and the bytes behind it.
#[inline]
fn split_word(bytes: &[u8]) -> (usize, &[u8]) {
    let (word, rest) = bytes.split_first_chunk().expect("short rows are whole");
    (u32::from_le_bytes(*word) as usize, rest)
}

/// A row that the first pass has not seen.
pub fn changed() -> Error {
    Error::new("the input changed while it was being anonymized")
        .help("run the command again when no other program writes to the file")
}
