//! Whether a workbook asks for more memory than there can be in it.
//!
//! Sheets of .xls and .ods files are laid out as rectangles as soon as the file is opened, and a few bytes can ask for
//! billions of cells. So such files are gone through before.

use std::io::{BufReader, Cursor};
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::QName;
use zip::ZipArchive;

use super::compound::{u16_at, u32_at};
use super::grid::too_wide;
use super::{UNFIT, damaged};
use crate::Result;

/// What a cell takes up once it is laid out: its value and its formula.
const CELL: u64 = 56;
/// Sheets that take up less are no danger, however few cells they have.
const HARMLESS: u64 = 512 << 20;
/// A cell that is there takes up at most so many times its bytes in the file.
const DENSE: u64 = 28;

fn check(path: &Path, asked: u64, there: u64) -> Result<()> {
    match asked > HARMLESS.max(there.saturating_mul(DENSE)) {
        true => Err(too_wide(path)),
        false => Ok(()),
    }
}

/// Checks the stream of an .xls workbook: see [MS-XLS]. What it says of the size of its sheets is taken out, since it
/// need not be true.
pub(super) fn check_xls(path: &Path, stream: &mut [u8]) -> Result<()> {
    let sheets: Vec<usize> = records(stream, 0)
        .filter(|record| record.kind == BOUND_SHEET)
        .filter_map(|record| Some(u32_at(stream, record.data.start)? as usize))
        .collect();
    for &sheet in &sheets {
        let sizes: Vec<usize> = records(stream, sheet)
            .take_while(|record| record.kind != END_OF_FILE)
            .filter(|record| record.kind == DIMENSIONS)
            .map(|record| record.data.start - 4)
            .collect();
        for kind in sizes {
            stream[kind..kind + 2].copy_from_slice(&NOTHING.to_le_bytes());
        }
    }
    let mut asked = 0_u64;
    for &sheet in &sheets {
        let mut span = UsedRange::default();
        for record in records(stream, sheet).take_while(|record| record.kind != END_OF_FILE) {
            if record.kind == DIMENSIONS {
                // Sheets that share bytes, and understand them differently.
                return Err(damaged(path, &UNFIT));
            }
            let data = &stream[record.data];
            let columns = match record.kind {
                kind if CELLS.contains(&kind) => u16_at(data, 2).zip(u16_at(data, 2)),
                SEVERAL_CELLS => {
                    u16_at(data, 2).zip(data.len().checked_sub(2).and_then(|at| u16_at(data, at)))
                }
                _ => None,
            };
            if let (Some(row), Some((first, last))) = (u16_at(data, 0), columns) {
                span.add(row.into(), first.into());
                span.add(row.into(), last.into());
            }
        }
        asked = asked.saturating_add(span.cells().saturating_mul(CELL));
        check(path, asked, stream.len() as u64)?;
    }
    Ok(())
}

const BOUND_SHEET: u16 = 0x0085;
const DIMENSIONS: u16 = 0x0200;
const END_OF_FILE: u16 = 0x000A;
/// A kind of record that there is not.
const NOTHING: u16 = 0xFFFF;
/// Formula, Number, Label, RString, BoolErr, RK and LabelSst.
const CELLS: [u16; 7] = [0x0006, 0x0203, 0x0204, 0x00D6, 0x0205, 0x027E, 0x00FD];
/// MulRk.
const SEVERAL_CELLS: u16 = 0x00BD;

struct BiffRecord {
    kind: u16,
    data: std::ops::Range<usize>,
}

/// The records of a stream from a place on, as far as they are whole.
fn records(stream: &[u8], mut at: usize) -> impl Iterator<Item = BiffRecord> {
    std::iter::from_fn(move || {
        let kind = u16_at(stream, at)?;
        let data = at + 4..at + 4 + usize::from(u16_at(stream, at + 2)?);
        stream.get(data.clone())?;
        at = data.end;
        Some(BiffRecord { kind, data })
    })
}

/// The rectangle around cells.
#[derive(Default)]
struct UsedRange(Option<[(u64, u64); 2]>);

impl UsedRange {
    fn add(&mut self, row: u64, column: u64) {
        let [rows, columns] = self.0.get_or_insert([(row, row), (column, column)]);
        *rows = (rows.0.min(row), rows.1.max(row));
        *columns = (columns.0.min(column), columns.1.max(column));
    }

    fn cells(&self) -> u64 {
        self.0.map_or(0, |[rows, columns]| (rows.1 - rows.0 + 1) * (columns.1 - columns.0 + 1))
    }
}

/// Checks the sheets of an .ods workbook. Rows and cells that are repeated stand there once.
pub(super) fn check_ods(path: &Path, bytes: &[u8]) -> Result<()> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else { return Ok(()) };
    let Ok(content) = archive.by_name("content.xml") else { return Ok(()) };
    let mut reader = Reader::from_reader(BufReader::new(content));
    let config = reader.config_mut();
    // As the reader of workbooks has it.
    (config.check_end_names, config.expand_empty_elements) = (false, true);
    let (mut asked, mut sheet, mut row) = (0_u64, SheetExtent::default(), OdsRow::default());
    let mut text_from = 0;
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        // What cannot be read is told by the reader of workbooks, which comes no further than this.
        let Ok(event) = reader.read_event_into(&mut buffer) else { return Ok(()) };
        match &event {
            Event::Start(start) if start.name() == QName("table:table-row") => {
                row = OdsRow {
                    repeated: number(start, "table:number-rows-repeated", 1),
                    ..OdsRow::default()
                };
            }
            Event::Start(start) if is_cell(start.name()) => {
                row.cell(start);
                text_from = reader.buffer_position();
            }
            Event::Start(start) if start.name() == QName("text:s") => {
                row.text = row.text.saturating_add(number(start, "text:c", 1));
            }
            Event::End(end) if is_cell(end.name()) => {
                row.end_of_cell(reader.buffer_position().saturating_sub(text_from));
            }
            Event::End(end) if end.name() == QName("table:table-row") => {
                sheet.row(&row);
                check(path, asked.saturating_add(sheet.asked()), reader.buffer_position())?;
            }
            Event::End(end) if end.name() == QName("table:table") => {
                asked = asked.saturating_add(sheet.asked());
                sheet = SheetExtent::default();
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn is_cell(name: QName<'_>) -> bool {
    name == QName("table:table-cell") || name == QName("table:covered-table-cell")
}

/// The number that an attribute holds; what is no number is nobody's.
fn number(start: &BytesStart<'_>, name: &str, or: u64) -> u64 {
    let value = start.try_get_attribute(name).ok().flatten();
    let value = value.and_then(|it| quick_xml::escape::unescape(&it.value).ok()?.parse().ok());
    value.unwrap_or(or)
}

/// A row of an .ods sheet.
#[derive(Default)]
struct OdsRow {
    repeated: u64,
    /// Cells up to the last one that is filled.
    width: u64,
    /// Empty cells behind it.
    empty: u64,
    /// The bytes of its texts, as often as they are repeated.
    texts: u64,
    /// The present cell: how often it comes, whether it is filled, and the bytes of its text.
    times: u64,
    filled: bool,
    text: u64,
}

impl OdsRow {
    fn cell(&mut self, start: &BytesStart<'_>) {
        self.times = number(start, "table:number-columns-repeated", 1).min(MOST_COLUMNS);
        let values =
            ["office:value", "office:string-value", "office:date-value", "office:time-value"];
        let others =
            ["office:value-type", "office:boolean-value", "calcext:value-type", "table:formula"];
        let has = |name: &&str| matches!(start.try_get_attribute(name), Ok(Some(_)) | Err(_));
        self.filled = values.iter().chain(&others).any(has);
        self.text = start.len() as u64;
    }

    fn end_of_cell(&mut self, text: u64) {
        if self.filled {
            self.width = self.width.saturating_add(self.empty).saturating_add(self.times);
            self.empty = 0;
            let text = self.text.saturating_add(text);
            self.texts = self.texts.saturating_add(text.saturating_mul(self.times));
        } else {
            self.empty = self.empty.saturating_add(self.times);
        }
        (self.times, self.filled, self.text) = (0, false, 0);
    }
}

/// No row is read further than this.
const MOST_COLUMNS: u64 = 16_384;
const MOST_ROWS: u64 = 1_048_576;

/// What the rows of a sheet come to.
#[derive(Default)]
struct SheetExtent {
    rows: u64,
    empty_rows: u64,
    width: u64,
    /// Cells before they are put into a rectangle.
    cells: u64,
    texts: u64,
}

impl SheetExtent {
    fn row(&mut self, row: &OdsRow) {
        let repeated = row.repeated.min(MOST_ROWS);
        if row.width == 0 {
            self.empty_rows = self.empty_rows.saturating_add(repeated);
            return;
        }
        // Empty rows count where others follow.
        let between = if self.rows > 0 { self.empty_rows } else { 0 };
        self.rows = self.rows.saturating_add(between).saturating_add(repeated);
        self.empty_rows = 0;
        let width = row.width.min(MOST_COLUMNS);
        self.width = self.width.max(width);
        self.cells = self.cells.saturating_add(width);
        self.texts = self.texts.saturating_add(row.texts.saturating_mul(repeated));
    }

    fn asked(&self) -> u64 {
        let cells = self.rows.saturating_mul(self.width).saturating_add(self.cells);
        cells.saturating_mul(CELL).saturating_add(self.texts)
    }
}

/// Checks how many texts an .xlsx workbook says that it has: room is made for them at once.
pub(super) fn check_strings(path: &Path, bytes: &[u8]) -> Result<()> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else { return Ok(()) };
    for at in 0..archive.len() {
        let Ok(part) = archive.by_index(at) else { continue };
        let holds_texts = |name: &str| name.to_lowercase().ends_with("sharedstrings.xml");
        if !part.name().is_ok_and(|name| holds_texts(&name)) {
            continue;
        }
        let size = part.size();
        let mut reader = Reader::from_reader(BufReader::new(part));
        let config = reader.config_mut();
        (config.check_end_names, config.expand_empty_elements) = (false, true);
        let mut buffer = Vec::new();
        while let Ok(event) = reader.read_event_into(&mut buffer) {
            match event {
                Event::Start(start) if start.local_name().as_ref() == "sst" => {
                    if number(&start, "uniqueCount", 0) > size {
                        return Err(damaged(path, &UNFIT));
                    }
                    break;
                }
                Event::Eof => break,
                _ => buffer.clear(),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use calamine::{Data, Reader as _, Xls};

    use super::super::compound::compound_of;
    use super::*;

    fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), data].concat()
    }

    fn number_at(row: u16, column: u16) -> Vec<u8> {
        let place = [row, column, 0].iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>();
        record(0x0203, &[&place[..], &7.5_f64.to_le_bytes()].concat())
    }

    /// The stream of an .xls workbook with one sheet that says that it has so many rows.
    fn stream(said: u32, cells: &[(u16, u16)]) -> Vec<u8> {
        let begin = |kind: u16| {
            let data: Vec<u8> = [0x0600, kind, 0, 0, 0, 0, 0, 0]
                .iter()
                .flat_map(|it: &u16| it.to_le_bytes())
                .collect();
            record(0x0809, &data)
        };
        let end = record(END_OF_FILE, &[]);
        let head = begin(5);
        let at = (head.len() + 4 + 9 + end.len()) as u32;
        let sheet = record(BOUND_SHEET, &[&at.to_le_bytes()[..], &[0, 0, 1, 0, b'S']].concat());
        let mut size = Vec::new();
        [0, said].iter().for_each(|it| size.extend(it.to_le_bytes()));
        [0_u16, 256, 0].iter().for_each(|it| size.extend(it.to_le_bytes()));
        let cells: Vec<u8> =
            cells.iter().flat_map(|&(row, column)| number_at(row, column)).collect();
        [head, sheet, end.clone(), begin(0x10), record(DIMENSIONS, &size), cells, end].concat()
    }

    fn read(mut stream: Vec<u8>) -> Result<Vec<(usize, usize, Data)>> {
        check_xls(Path::new("t.xls"), &mut stream)?;
        let file = compound_of("Workbook", stream).unwrap();
        let mut book: Xls<_> = calamine::open_workbook_from_rs(Cursor::new(file)).unwrap();
        let range = book.worksheet_range("S").unwrap();
        Ok(range.used_cells().map(|(row, column, cell)| (row, column, cell.clone())).collect())
    }

    #[test]
    fn an_xls_sheet_is_only_as_large_as_its_cells() {
        // It says that it has billions of rows, which is not believed.
        let cells = read(stream(u32::MAX, &[(0, 0), (3, 2)])).unwrap();
        assert_eq!(cells, [(0, 0, Data::Float(7.5)), (3, 2, Data::Float(7.5))]);
        let error = read(stream(4, &[(0, 0), (65_535, 65_535)])).unwrap_err();
        assert!(error.message.contains("too far apart"), "{error}");
    }

    #[test]
    fn a_large_xls_sheet_is_read() {
        let all: Vec<(u16, u16)> =
            (0..3000).flat_map(|row| (0..20).map(move |column| (row, column))).collect();
        assert_eq!(read(stream(3000, &all)).unwrap().len(), 60_000);
    }
}
