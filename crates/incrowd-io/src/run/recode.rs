//! The second pass: every row becomes what its class is released as.

use incrowd::{
    Assignment, BLANK, CellIndex, Control, Counts, Disposition, Problem, Release, RowAssigner,
};

use crate::{Arranger, Chunk, CsvEncoder, Error, Result, Source};

/// A column of the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Released {
    /// The attribute with this number.
    Quasi(usize),
    /// A column that stays as it is: its place among the columns read.
    Plain(usize),
}

/// All that is needed to recode rows.
pub(super) struct Recoder<'a> {
    pub(super) problem: &'a Problem,
    pub(super) counts: &'a Counts,
    pub(super) release: &'a Release,
    /// The columns of the release, in order.
    pub(super) columns: &'a [Released],
    pub(super) encoder: &'a CsvEncoder,
}

/// Encoded rows, one behind the other.
struct Rows {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// A row whose class has yet to be dealt: its cell, its label, and its plain fields.
struct Undealt {
    places: Vec<(u32, u32)>,
    plain: Vec<u8>,
    /// Where each plain field of each row ends.
    ends: Vec<usize>,
}

/// What stands for a cell that the rows do not belong to.
const NOWHERE: u32 = u32::MAX;

impl Recoder<'_> {
    /// Recodes all rows of the source into the arranger. `read` are the columns to read: the
    /// problem's (quasi-identifiers, then labels), then the others that are released.
    pub(super) fn run(
        &self,
        source: &Source,
        read: &[usize],
        arranger: &mut Arranger,
        control: &Control,
    ) -> Result<()> {
        let pass = Pass::new(self);
        match self.release.classes.assignment {
            Assignment::Cells(_) => source.map_in_order(
                read,
                |chunk| {
                    // Whole cells go one way, so any assigner will do.
                    let mut assigner = self.release.assigner();
                    pass.whole(chunk, &mut assigner)
                },
                |rows: Rows| arranger.push_many(&rows.bytes, &rows.ends),
                control,
            ),
            Assignment::Shares(_) => {
                let mut assigner = self.release.assigner();
                let mut row = Vec::new();
                source.map_in_order(
                    read,
                    |chunk| pass.undealt(chunk),
                    |undealt: Undealt| pass.deal(&undealt, &mut assigner, &mut row, arranger),
                    control,
                )
            }
        }
    }
}

struct Pass<'a> {
    recoder: &'a Recoder<'a>,
    index: CellIndex,
    parts: Vec<Part>,
}

/// A part of a released row.
enum Part {
    /// Neighbouring quasi-identifiers, encoded once per class: a row then costs one copy from one
    /// place, not a look-up per attribute.
    Classes(ClassText),
    /// A column that stays as it is.
    Plain(usize),
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

    #[inline]
    fn of(&self, disposition: Disposition) -> &[u8] {
        let at = match disposition {
            Disposition::Class(class) => class as usize,
            Disposition::Blank | Disposition::Dropped => self.ends.len() - 1,
        };
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }
}

impl<'a> Pass<'a> {
    fn new(recoder: &'a Recoder<'a>) -> Self {
        let Recoder { problem, release, encoder, columns, .. } = recoder;
        let quasi = |column: &Released| matches!(column, Released::Quasi(_));
        let parts = columns
            .chunk_by(|a, b| quasi(a) && quasi(b))
            .map(|run| match run {
                [Released::Plain(column)] => Part::Plain(*column),
                run => {
                    let attributes: Vec<usize> = run
                        .iter()
                        .filter_map(|column| match column {
                            Released::Quasi(at) => Some(*at),
                            Released::Plain(_) => None,
                        })
                        .collect();
                    Part::Classes(ClassText::new(release, &attributes, encoder))
                }
            })
            .collect();
        Pass { recoder, index: CellIndex::new(&problem.cells, &problem.domains()), parts }
    }

    /// The cell of each row of a chunk; [`NOWHERE`] if a value is one that the recoding has not seen.
    fn cells(&self, chunk: &Chunk) -> Result<Vec<u32>> {
        let Recoder { problem, counts, .. } = self.recoder;
        let width = problem.attributes.len();
        let mut codes = Vec::with_capacity(chunk.rows() * width);
        for row in 0..chunk.rows() {
            for at in 0..width {
                let known = counts.columns[at].1.get(chunk.field(row, at)).ok_or_else(changed)?;
                codes.push(problem.codings[at][known as usize]);
            }
        }
        // In a loop of its own: the processor then waits for many far places at once.
        codes
            .chunks_exact(width)
            .map(|codes| match self.index.find(codes) {
                Some(cell) => Ok(cell),
                None if codes.contains(&incrowd::UNSEEN) => Ok(NOWHERE),
                None => Err(changed()),
            })
            .collect()
    }

    /// Appends a row as it is released.
    #[inline]
    fn write<'t>(
        &self,
        disposition: Disposition,
        plain: impl Fn(usize, &mut Vec<u8>) + 't,
        out: &mut Vec<u8>,
    ) {
        for (at, part) in self.parts.iter().enumerate() {
            if at > 0 {
                out.push(self.recoder.encoder.delimiter());
            }
            match part {
                Part::Classes(text) => out.extend_from_slice(text.of(disposition)),
                Part::Plain(column) => plain(*column, out),
            }
        }
    }

    fn whole(&self, chunk: &Chunk, assigner: &mut RowAssigner<'_>) -> Result<Rows> {
        let encoder = self.recoder.encoder;
        let cells = self.cells(chunk)?;
        let dispositions: Vec<Disposition> =
            cells
                .iter()
                .map(|&cell| {
                    if cell == NOWHERE { Disposition::Dropped } else { assigner.assign(cell, || 0) }
                })
                .collect();
        // Most released rows are about as long as this; growing would copy them all again.
        let mut rows = Rows {
            bytes: Vec::with_capacity(dispositions.len() * 96),
            ends: Vec::with_capacity(dispositions.len()),
        };
        for (row, &disposition) in dispositions
            .iter()
            .enumerate()
            .filter(|(_, disposition)| **disposition != Disposition::Dropped)
        {
            self.write(
                disposition,
                |column, out| encoder.field(chunk.field(row, column), out),
                &mut rows.bytes,
            );
            rows.ends.push(rows.bytes.len());
        }
        Ok(rows)
    }

    fn undealt(&self, chunk: &Chunk) -> Result<Undealt> {
        let Recoder { problem, counts, columns, encoder, .. } = self.recoder;
        let quasi = problem.attributes.len();
        let cells = self.cells(chunk)?;
        let mut label = vec![0; problem.labels.columns.len()];
        let mut undealt = Undealt { places: Vec::new(), plain: Vec::new(), ends: Vec::new() };
        for (row, cell) in cells.into_iter().enumerate() {
            for (at, code) in label.iter_mut().enumerate() {
                let known = counts.columns[quasi + at]
                    .1
                    .get(chunk.field(row, quasi + at))
                    .ok_or_else(changed)?;
                *code = problem.codings[quasi + at][known as usize];
            }
            let label = if label.is_empty() {
                0
            } else {
                problem.labels.find(&label).ok_or_else(changed)?
            };
            undealt.places.push((cell, label));
            for column in columns.iter() {
                if let Released::Plain(column) = *column {
                    encoder.field(chunk.field(row, column), &mut undealt.plain);
                    undealt.ends.push(undealt.plain.len());
                }
            }
        }
        Ok(undealt)
    }

    fn deal(
        &self,
        undealt: &Undealt,
        assigner: &mut RowAssigner<'_>,
        row: &mut Vec<u8>,
        arranger: &mut Arranger,
    ) -> Result<()> {
        // A plain column's place among the plain columns of the release.
        let mut place = std::collections::BTreeMap::new();
        for column in self.recoder.columns {
            if let Released::Plain(column) = *column {
                let next = place.len();
                place.insert(column, next);
            }
        }
        for (at, &(cell, label)) in undealt.places.iter().enumerate() {
            if cell == NOWHERE {
                continue;
            }
            let disposition = assigner.assign(cell, || label);
            if disposition == Disposition::Dropped {
                continue;
            }
            row.clear();
            let field = |column: usize, out: &mut Vec<u8>| {
                let end = at * place.len() + place[&column];
                let start = if end == 0 { 0 } else { undealt.ends[end - 1] };
                out.extend_from_slice(&undealt.plain[start..undealt.ends[end]]);
            };
            self.write(disposition, field, row);
            arranger.push(row)?;
        }
        Ok(())
    }
}

/// A row that the first pass has not seen.
fn changed() -> Error {
    Error::new("the input changed while it was being anonymized")
        .help("run the command again when nothing writes to the file")
}
