//! Workbooks (.xlsx, .xlsb, .xls, .ods): one sheet of them as CSV text.
//!
//! A sheet is small enough for memory (Excel holds 1,048,576 rows), and passes over it should be as parallel and
//! as plain as over any text, so its cells are written down once as CSV and read from there.

mod bounds;
mod compound;
mod grid;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{BufWriter, Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use calamine::{
    Data, Dimensions, ExcelDateTime, Reader, SheetType, SheetVisible, Sheets, Xls, Xlsb, Xlsx,
    open_workbook_from_rs,
};

use bounds::{check_ods, check_strings, check_xls};
use compound::{CompoundFile, compound_of};
use grid::{CellGrid, cell_name, formulas};

use super::converted_file::{ConvertedFile, shown};
use super::dialect::{check_names, name_rows};
use super::file::FileHandle;
use crate::{CsvEncoder, Error, Result};

type WorkbookReader = Sheets<Cursor<Vec<u8>>>;

/// Which container a workbook comes in, told by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkbookContainer {
    /// A zip archive: .xlsx, .xlsb, .ods.
    Zip,
    /// An OLE compound file: .xls, or any of them with a password.
    Compound,
}

/// The sheet named, or the first one that is not empty, as text.
pub(super) fn read(
    handle: &FileHandle,
    container: WorkbookContainer,
    wanted: Option<&str>,
) -> Result<ConvertedFile> {
    let path = handle.path();
    let bytes = handle.all()?;
    if container == WorkbookContainer::Zip {
        handle.refuse_expansion(unpacked(&bytes))?;
    }
    careful(path, || {
        let mut book = open(path, container, bytes)?;
        let (name, grid, mut notes) = choose(handle, &mut book, wanted)?;
        refuse_merged(path, &mut book, &name, &grid)?;
        let sheet = SheetTable::new(path, &name, &grid)?;
        notes.extend(sheet.told(&uncomputed(&mut book, &name, &grid)));
        let text = sheet.write(path)?;
        Ok(ConvertedFile { text, notes })
    })
}

/// The names of the sheets, in their order.
pub(super) fn sheets(handle: &FileHandle, container: WorkbookContainer) -> Result<Vec<String>> {
    let path = handle.path();
    let bytes = handle.all()?;
    if container == WorkbookContainer::Zip {
        handle.refuse_expansion(unpacked(&bytes))?;
    }
    careful(path, || {
        Ok(worksheets(&mut open(path, container, bytes)?).map(|(name, _)| name).collect())
    })
}

/// The sheets with cells, each with whether it is visible.
fn worksheets(book: &mut WorkbookReader) -> impl Iterator<Item = (String, bool)> {
    let sheets = book.sheets_metadata().iter();
    let sheets = sheets.filter(|sheet| sheet.typ == SheetType::WorkSheet);
    sheets.map(|sheet| (sheet.name.clone(), sheet.visible == SheetVisible::Visible))
}

/// What the parts of a zip archive say they unpack to, by its directory: see APPNOTE.TXT, 4.3.12.
fn unpacked(bytes: &[u8]) -> u64 {
    let sizes = memchr::memmem::find_iter(bytes, b"PK\x01\x02").map(|at| {
        let size = bytes.get(at + 24..at + 28).and_then(|size| <[u8; 4]>::try_from(size).ok());
        size.map_or(0, |size| u64::from(u32::from_le_bytes(size)))
    });
    sizes.fold(0, u64::saturating_add)
}

/// The reader is meant to refuse damaged files; a panic on one must not bring the program down.
fn careful<T>(path: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(damaged(path, &UNFIT)))
}

fn damaged(path: &Path, cause: &dyn Display) -> Error {
    let message = format!("cannot read {} as a workbook: {cause}", path.display());
    Error::new(message).help("open it in a spreadsheet program and save the sheet anew, or as CSV")
}

fn open(path: &Path, container: WorkbookContainer, bytes: Vec<u8>) -> Result<WorkbookReader> {
    let has = |name: &[u8]| memchr::memmem::find(&bytes, name).is_some();
    let failed = |cause: &dyn Display| {
        let cause = cause.to_string();
        if cause.contains("password") {
            return Error::new(format!("{} is protected by a password", path.display()))
                .help("open it in a spreadsheet program and save a copy without password");
        }
        damaged(path, &cause)
    };
    // Names of parts stand in a zip archive as they are.
    let (xlsx, xlsb) = (has(b"xl/workbook.xml"), has(b"xl/workbook.bin"));
    let ods = has(b"content.xml") && has(b"opendocument.spreadsheet");
    match container {
        WorkbookContainer::Zip if xlsx => {
            check_strings(path, &bytes)?;
            let book = open_workbook_from_rs::<Xlsx<_>, _>(Cursor::new(bytes));
            book.map(WorkbookReader::Xlsx).map_err(|e| failed(&e))
        }
        WorkbookContainer::Zip if xlsb => {
            let book = open_workbook_from_rs::<Xlsb<_>, _>(Cursor::new(bytes));
            book.map(WorkbookReader::Xlsb).map_err(|e| failed(&e))
        }
        WorkbookContainer::Zip if ods => {
            check_ods(path, &bytes)?;
            open_workbook_from_rs(Cursor::new(bytes))
                .map(WorkbookReader::Ods)
                .map_err(|e| failed(&e))
        }
        WorkbookContainer::Zip => Err(Error::new(format!("{} is a zip archive", path.display()))
            .help("unpack it, and name the file inside")),
        WorkbookContainer::Compound => {
            let file = CompoundFile::new(&bytes).ok_or_else(|| failed(&UNFIT))?;
            let stream = ["Workbook", "Book"].into_iter().find_map(|name| file.stream(name));
            let Some(mut stream) = stream else {
                // A newer workbook with a password comes in this container, too.
                let encrypted = file.has("EncryptedPackage");
                return Err(failed(if encrypted {
                    &"password"
                } else {
                    &"there is no sheet in it"
                }));
            };
            check_xls(path, &mut stream)?;
            let bytes =
                compound_of("Workbook", stream).ok_or_else(|| failed(&"it is too large"))?;
            let book = open_workbook_from_rs::<Xls<_>, _>(Cursor::new(bytes));
            book.map(WorkbookReader::Xls).map_err(|e| failed(&e))
        }
    }
}

/// What is wrong with a file that contradicts itself.
const UNFIT: &str = "its parts are inconsistent";

/// The sheet to read, and what there is to say about it.
fn choose(
    handle: &FileHandle,
    book: &mut WorkbookReader,
    wanted: Option<&str>,
) -> Result<(String, CellGrid, Vec<String>)> {
    let path = handle.path();
    let read = |book: &mut WorkbookReader, name: &str| {
        CellGrid::read(path, book, name, |texts| handle.refuse_expansion(texts))
    };
    let sheets: Vec<(String, bool)> = worksheets(book).collect();
    let all: Vec<&str> = sheets.iter().map(|(name, _)| name.as_str()).collect();
    let file = path.display();
    if let Some(wanted) = wanted {
        let plain = |name: &str| name.trim().to_lowercase();
        let found = all
            .iter()
            .find(|name| **name == wanted)
            .or_else(|| all.iter().find(|name| plain(name) == plain(wanted)))
            .or_else(|| all.get(wanted.parse::<usize>().ok()?.checked_sub(1)?));
        let Some(&name) = found else {
            return Err(Error::new(format!("{file} has no sheet {wanted:?}"))
                .help(crate::suggest(wanted, all.iter().copied())));
        };
        let grid = read(book, name)?;
        if filled(&grid) {
            return Ok((name.to_owned(), grid, Vec::new()));
        }
        return Err(Error::new(format!("the sheet {name:?} of {file} is empty"))
            .help(format!("it has the sheets {}", all.join(", "))));
    }
    // What is hidden is rarely meant.
    let visible = sheets.iter().filter(|(_, visible)| *visible);
    let hidden = sheets.iter().filter(|(_, visible)| !*visible);
    for (name, _) in visible.chain(hidden) {
        let grid = read(book, name)?;
        if !filled(&grid) {
            continue;
        }
        let mut notes = Vec::new();
        if all.len() > 1 {
            notes.push(format!(
                "{file} has {} sheets: {}; this is {name:?}, --sheet takes another",
                all.len(),
                all.join(", ")
            ));
        }
        return Ok((name.clone(), grid, notes));
    }
    Err(Error::new(format!("{file} has no sheet with anything in it"))
        .help("the first row of a table holds the names of its columns"))
}

/// Whether there is anything in a sheet.
fn filled(grid: &CellGrid) -> bool {
    grid.cells().any(|(_, cell)| !blank(cell))
}

fn blank(cell: &Data) -> bool {
    match cell {
        Data::Empty => true,
        Data::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// Only the first cell of merged ones has the value, so rows with merged cells would lack what a reader of the
/// sheet sees in them.
fn refuse_merged(
    path: &Path,
    book: &mut WorkbookReader,
    name: &str,
    grid: &CellGrid,
) -> Result<()> {
    let merged: Vec<Dimensions> = match book {
        WorkbookReader::Xlsx(book) => book.merge_cells_by_sheet_name(name).unwrap_or_default(),
        WorkbookReader::Xls(book) => book.merge_cells_by_sheet_name(name).unwrap_or_default(),
        _ => return Ok(()),
    };
    let holds = |area: &Dimensions| {
        area.start != area.end && grid.get(area.start).is_some_and(|cell| !blank(cell))
    };
    let Some(area) = merged.into_iter().filter(holds).min_by_key(|area| area.start) else {
        return Ok(());
    };
    let (from, to) = (cell_name(area.start), cell_name(area.end));
    Err(Error::new(format!("the cells {from} to {to} of the sheet {name:?} are merged"))
        .at(path, Some(u64::from(area.start.0) + 1), Some(u64::from(area.start.1) + 1))
        .help(
            "unmerge all cells and fill in the value of each one; a table has one header \
               row, at its top",
        ))
}

/// Cells with a formula that nobody has computed: programs that write workbooks leave them so.
fn uncomputed(book: &mut WorkbookReader, name: &str, grid: &CellGrid) -> Vec<String> {
    let empty = formulas(book, name).into_iter().filter(|&at| grid.get(at).is_none());
    empty.map(cell_name).collect()
}

/// A sheet whose table has been found: the header is its first row that is not empty.
struct SheetTable<'a> {
    name: &'a str,
    grid: &'a CellGrid,
    /// The row of the header.
    header: u32,
    /// The columns of the table, by their place in the sheet.
    columns: Vec<u32>,
    names: Vec<String>,
    /// For each column how its times are written.
    times: Vec<TimeStyle>,
    errors: Vec<String>,
}

/// How an .ods file writes a day as a time.
const MIDNIGHT: &str = "T00:00:00";

/// How the dates and times of a column are written.
#[derive(Debug, Clone, Copy, Default)]
struct TimeStyle {
    /// At least one is not at midnight, so all have their time.
    clock: bool,
    /// At least one has a fraction of a second.
    fraction: bool,
}

impl<'a> SheetTable<'a> {
    fn new(path: &Path, name: &'a str, grid: &'a CellGrid) -> Result<Self> {
        let header = grid.cells().find(|(_, cell)| !blank(cell)).map_or(0, |((row, _), _)| *row);
        // Columns without any content are only formatted, or stand beside the table.
        let used = grid.cells().filter(|((row, _), cell)| *row >= header && !blank(cell));
        let columns: BTreeSet<u32> = used.map(|((_, column), _)| *column).collect();
        let columns: Vec<u32> = columns.into_iter().collect();
        let mut times = vec![TimeStyle::default(); columns.len()];
        let mut errors = Vec::new();
        for (place, cell) in grid.cells().filter(|((row, _), _)| *row > header) {
            let Ok(at) = columns.binary_search(&place.1) else { continue };
            match cell {
                Data::DateTime(when) if is_date(when) => {
                    let (.., hour, minute, second, milli) = when.to_ymd_hms_milli();
                    times[at].clock |= (hour, minute, second, milli) != (0, 0, 0, 0);
                    times[at].fraction |= milli != 0;
                }
                Data::DateTimeIso(when) => {
                    times[at].clock |= when.contains('T') && !when.ends_with(MIDNIGHT);
                }
                Data::Error(_) => errors.push(cell_name(*place)),
                _ => {}
            }
        }
        let mut names = Vec::new();
        for &column in &columns {
            let mut text = String::new();
            if let Some(cell) = grid.get((header, column)) {
                push_cell(&mut text, cell, TimeStyle::default());
            }
            names.push(text.trim().to_owned());
        }
        name_rows(&mut names);
        let line = u64::from(header) + 1;
        check_names(path, Some(line), &names).map_err(|error| {
            let help = "name each column once in the first row of the sheet, and delete all \
                        text around the table";
            Error {
                message: format!("{} (row {line} of the sheet {name:?})", error.message),
                ..error
            }
            .help(help)
        })?;
        Ok(SheetTable { name, grid, header, columns, names, times, errors })
    }

    fn told(&self, uncomputed: &[String]) -> Vec<String> {
        let mut notes = Vec::new();
        let mut tell = |cells: &[String], what: &str, then: &str| {
            if let Some(first) = cells.first() {
                let (count, plural) = (cells.len(), if cells.len() == 1 { "" } else { "s" });
                let name = self.name;
                notes.push(format!(
                    "{count} cell{plural} of the sheet {name:?} {what}, the first is {first}: {then}"
                ));
            }
        };
        tell(&self.errors, "with an error such as #N/A", "taken as missing");
        tell(
            uncomputed,
            "with a formula that was never computed",
            "taken as missing; open the file in a spreadsheet program and save it to have them computed",
        );
        notes
    }

    fn write(&self, path: &Path) -> Result<FileHandle> {
        let encoder = CsvEncoder::new(b',', self.names.len())?;
        let failed = |cause| Error::file("write the temporary file", path, &cause);
        let mut file = BufWriter::new(tempfile::tempfile().map_err(failed)?);
        let mut line = Vec::new();
        encoder.row(&self.names, &mut line);
        let mut text = String::new();
        let mut before = self.header;
        for (row, cells) in self.grid.rows().filter(|(row, _)| *row > self.header) {
            // Empty rows are lines, too, so that a line of the text is a row of the sheet.
            line.extend(std::iter::repeat_n(b'\n', (row - before) as usize));
            file.write_all(&line).map_err(failed)?;
            line.clear();
            before = row;
            if cells.iter().all(|(_, cell)| blank(cell)) {
                continue;
            }
            let mut cells = cells.iter().peekable();
            for (at, (&column, &times)) in self.columns.iter().zip(&self.times).enumerate() {
                if at > 0 {
                    line.push(encoder.delimiter());
                }
                text.clear();
                while cells.next_if(|((_, other), _)| *other < column).is_some() {}
                if let Some((_, cell)) = cells.next_if(|((_, other), _)| *other == column) {
                    push_cell(&mut text, cell, times);
                }
                encoder.field(&text, &mut line);
            }
        }
        line.push(b'\n');
        file.write_all(&line).map_err(failed)?;
        let file = file.into_inner().map_err(|e| failed(e.into_error()))?;
        FileHandle::of_file(file, path.to_owned())
    }
}

/// Whether a time has a date: one below a day is a time of day.
fn is_date(when: &ExcelDateTime) -> bool {
    when.is_datetime() && when.as_f64() >= 1.0
}

/// A cell as text: dates in ISO form, whole numbers without a fraction, errors and empty cells as nothing.
fn push_cell(text: &mut String, cell: &Data, times: TimeStyle) {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let _ = match cell {
        Data::Empty | Data::Error(_) => Ok(()),
        Data::Int(number) => write!(text, "{number}"),
        Data::Float(number) => write!(text, "{}", shown(*number)),
        Data::Bool(yes) => write!(text, "{yes}"),
        Data::String(value) | Data::DurationIso(value) => text.write_str(value),
        Data::DateTimeIso(value) if times.clock => text.write_str(value),
        Data::DateTimeIso(value) => text.write_str(value.strip_suffix(MIDNIGHT).unwrap_or(value)),
        Data::DateTime(when) if is_date(when) => {
            let (year, month, day, hour, minute, second, milli) = when.to_ymd_hms_milli();
            let date = write!(text, "{year:04}-{month:02}-{day:02}");
            let time = match times.clock {
                true => write!(text, "T{hour:02}:{minute:02}:{second:02}"),
                false => Ok(()),
            };
            let fraction = if times.fraction { write!(text, ".{milli:03}") } else { Ok(()) };
            date.and(time).and(fraction)
        }
        Data::DateTime(span) => {
            let seconds = (span.as_f64() * 86_400.0).round();
            let (sign, seconds) = (if seconds < 0.0 { "-" } else { "" }, seconds.abs() as u64);
            write!(text, "{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
        }
    };
}
