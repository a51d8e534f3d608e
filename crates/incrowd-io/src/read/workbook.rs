//! Workbooks (.xlsx, .xlsb, .xls, .ods): one sheet of them as CSV text.
//!
//! A sheet is small enough for memory (Excel holds 1,048,576 rows), and passes over it should be as parallel and
//! as plain as over any text, so its cells are written down once as CSV and read from there.

use std::fmt::Display;
use std::io::{BufWriter, Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use calamine::{
    Data, Dimensions, ExcelDateTime, Range, Reader, SheetType, SheetVisible, Sheets, Xls, Xlsb,
    Xlsx, open_workbook_from_rs,
};

use super::converted::{Converted, shown};
use super::dialect::{check_names, name_rows};
use super::file::Handle;
use crate::{CsvEncoder, Error, Result};

type Book = Sheets<Cursor<Vec<u8>>>;

/// Which container a workbook comes in, told by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// A zip archive: .xlsx, .xlsb, .ods.
    Zip,
    /// An OLE compound file: .xls, or any of them with a password.
    Compound,
}

/// The sheet named, or the first one that is not empty, as text.
pub(super) fn read(
    handle: &Handle,
    container: Container,
    wanted: Option<&str>,
) -> Result<Converted> {
    let path = handle.path();
    let bytes = handle.all()?;
    if container == Container::Zip {
        handle.refuse_expansion(unpacked(&bytes))?;
    }
    careful(path, || {
        let mut book = open(path, container, bytes)?;
        let (name, range, mut notes) = choose(path, &mut book, wanted)?;
        refuse_merged(path, &mut book, &name, &range)?;
        let sheet = Sheet::new(path, &name, &range)?;
        notes.extend(sheet.told(&uncomputed(&mut book, &name, &range)));
        let text = sheet.write(path)?;
        Ok(Converted { text, notes })
    })
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
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(damaged(path, &"its parts do not fit together")))
}

fn damaged(path: &Path, cause: &dyn Display) -> Error {
    let message = format!("cannot read {} as a workbook: {cause}", path.display());
    Error::new(message).help("open it in a spreadsheet program and save the sheet anew, or as CSV")
}

fn open(path: &Path, container: Container, bytes: Vec<u8>) -> Result<Book> {
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
    let bytes = Cursor::new(bytes);
    match container {
        Container::Zip if xlsx => {
            open_workbook_from_rs::<Xlsx<_>, _>(bytes).map(Book::Xlsx).map_err(|e| failed(&e))
        }
        Container::Zip if xlsb => {
            open_workbook_from_rs::<Xlsb<_>, _>(bytes).map(Book::Xlsb).map_err(|e| failed(&e))
        }
        Container::Zip if ods => {
            open_workbook_from_rs(bytes).map(Book::Ods).map_err(|e| failed(&e))
        }
        Container::Zip => Err(Error::new(format!("{} is a zip archive", path.display()))
            .help("unpack it, and name the file inside")),
        Container::Compound => match open_workbook_from_rs::<Xls<_>, _>(bytes.clone()) {
            Ok(book) => Ok(Book::Xls(book)),
            // A newer workbook with a password comes in this container, too, and is asked what it is.
            Err(error) => match open_workbook_from_rs::<Xlsx<_>, _>(bytes) {
                Err(calamine::XlsxError::Password) => Err(failed(&"password")),
                _ => Err(failed(&error)),
            },
        },
    }
}

/// The sheet to read, and what there is to say about it.
fn choose(
    path: &Path,
    book: &mut Book,
    wanted: Option<&str>,
) -> Result<(String, Range<Data>, Vec<String>)> {
    let sheets: Vec<(String, bool)> = book
        .sheets_metadata()
        .iter()
        .filter(|sheet| sheet.typ == SheetType::WorkSheet)
        .map(|sheet| (sheet.name.clone(), sheet.visible == SheetVisible::Visible))
        .collect();
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
                .help(crate::spec::suggest(wanted, all.iter().copied())));
        };
        let range = book.worksheet_range(name).map_err(|e| damaged(path, &e))?;
        if filled(&range) {
            return Ok((name.to_owned(), range, Vec::new()));
        }
        return Err(Error::new(format!("the sheet {name:?} of {file} is empty"))
            .help(format!("it has the sheets {}", all.join(", "))));
    }
    // What is hidden is rarely meant.
    let visible = sheets.iter().filter(|(_, visible)| *visible);
    let hidden = sheets.iter().filter(|(_, visible)| !*visible);
    for (name, _) in visible.chain(hidden) {
        let range = book.worksheet_range(name).map_err(|e| damaged(path, &e))?;
        if !filled(&range) {
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
        return Ok((name.clone(), range, notes));
    }
    Err(Error::new(format!("{file} has no sheet with anything in it"))
        .help("the first row of a table holds the names of its columns"))
}

/// Whether there is anything in a sheet.
fn filled(range: &Range<Data>) -> bool {
    range.used_cells().any(|(_, _, cell)| !blank(cell))
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
fn refuse_merged(path: &Path, book: &mut Book, name: &str, range: &Range<Data>) -> Result<()> {
    let merged: Vec<Dimensions> = match book {
        Book::Xlsx(book) => book.merge_cells_by_sheet_name(name).unwrap_or_default(),
        Book::Xls(book) => book.merge_cells_by_sheet_name(name).unwrap_or_default(),
        _ => return Ok(()),
    };
    let holds = |area: &Dimensions| {
        area.start != area.end && range.get_value(area.start).is_some_and(|cell| !blank(cell))
    };
    let Some(area) = merged.into_iter().filter(holds).min_by_key(|area| area.start) else {
        return Ok(());
    };
    let (from, to) = (cell_name(area.start), cell_name(area.end));
    Err(Error::new(format!("the cells {from} to {to} of the sheet {name:?} are merged"))
        .at(path, Some(u64::from(area.start.0) + 1), Some(u64::from(area.start.1) + 1))
        .help("unmerge all cells and fill in what each of them means; a table has one header row with a name per column, and nothing above it"))
}

/// Cells with a formula that nobody has computed: programs that write workbooks leave them so.
fn uncomputed(book: &mut Book, name: &str, range: &Range<Data>) -> Vec<String> {
    let Ok(formulas) = book.worksheet_formula(name) else { return Vec::new() };
    let start = formulas.start().unwrap_or_default();
    formulas
        .used_cells()
        .filter(|(_, _, formula)| !formula.is_empty())
        .map(|(row, column, _)| (start.0 + row as u32, start.1 + column as u32))
        .filter(|&at| range.get_value(at).is_none_or(|cell| *cell == Data::Empty))
        .map(cell_name)
        .collect()
}

/// A sheet whose table has been found: the header is its first row that is not empty.
struct Sheet<'a> {
    name: &'a str,
    range: &'a Range<Data>,
    header: usize,
    /// The columns of the table, by their place in the range.
    columns: Vec<usize>,
    names: Vec<String>,
    /// For each column how its times are written.
    times: Vec<Times>,
    errors: Vec<String>,
}

/// How an .ods file writes a day as a time.
const MIDNIGHT: &str = "T00:00:00";

/// How the dates and times of a column are written.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    /// At least one is not at midnight, so all have their time.
    clock: bool,
    /// At least one has a fraction of a second.
    fraction: bool,
}

impl<'a> Sheet<'a> {
    fn new(path: &Path, name: &'a str, range: &'a Range<Data>) -> Result<Self> {
        let rows = || range.rows().enumerate();
        let header = rows().find(|(_, row)| row.iter().any(|cell| !blank(cell)));
        let (header, first) = header.unwrap_or_default();
        // Columns without any content are only formatted, or stand beside the table.
        let used = |column: &usize| {
            range.rows().skip(header).any(|row| row.get(*column).is_some_and(|cell| !blank(cell)))
        };
        let columns: Vec<usize> = (0..range.width()).filter(used).collect();
        let mut times = vec![Times::default(); columns.len()];
        let mut errors = Vec::new();
        for (at, row) in rows().skip(header + 1) {
            for (times, &column) in times.iter_mut().zip(&columns) {
                match row.get(column) {
                    Some(Data::DateTime(when)) if is_date(when) => {
                        let (.., hour, minute, second, milli) = when.to_ymd_hms_milli();
                        times.clock |= (hour, minute, second, milli) != (0, 0, 0, 0);
                        times.fraction |= milli != 0;
                    }
                    Some(Data::DateTimeIso(when)) => {
                        times.clock |= when.contains('T') && !when.ends_with(MIDNIGHT);
                    }
                    Some(Data::Error(_)) => errors.push(place(range, at, column)),
                    _ => {}
                }
            }
        }
        let mut names = Vec::new();
        for &column in &columns {
            let mut text = String::new();
            if let Some(cell) = first.get(column) {
                push_cell(&mut text, cell, Times::default());
            }
            names.push(text.trim().to_owned());
        }
        name_rows(&mut names);
        let line = range.start().map_or(0, |(row, _)| u64::from(row)) + header as u64 + 1;
        check_names(path, Some(line), &names).map_err(|error| {
            let help = "the header is the first row of the sheet that is not empty: give each column a name \
                        there, once, and delete titles and remarks above, beside and below the table";
            Error { message: format!("{} (row {line} of the sheet {name:?})", error.message), ..error }.help(help)
        })?;
        Ok(Sheet { name, range, header, columns, names, times, errors })
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

    fn write(&self, path: &Path) -> Result<Handle> {
        let encoder = CsvEncoder::new(b',', self.names.len())?;
        let failed = |cause| Error::file("keep in a temporary file", path, &cause);
        let mut file = BufWriter::new(tempfile::tempfile().map_err(failed)?);
        let mut line = Vec::new();
        encoder.row(&self.names, &mut line);
        let mut text = String::new();
        for row in self.range.rows().skip(self.header + 1) {
            line.push(b'\n');
            file.write_all(&line).map_err(failed)?;
            line.clear();
            if row.iter().all(blank) {
                continue;
            }
            for (at, (&column, &times)) in self.columns.iter().zip(&self.times).enumerate() {
                if at > 0 {
                    line.push(encoder.delimiter());
                }
                text.clear();
                if let Some(cell) = row.get(column) {
                    push_cell(&mut text, cell, times);
                }
                encoder.field(&text, &mut line);
            }
        }
        line.push(b'\n');
        file.write_all(&line).map_err(failed)?;
        let file = file.into_inner().map_err(|e| failed(e.into_error()))?;
        Handle::of_file(file, path.to_owned())
    }
}

/// Where a cell of a range stands in its sheet.
fn place(range: &Range<Data>, row: usize, column: usize) -> String {
    let (top, left) = range.start().unwrap_or_default();
    cell_name((top + row as u32, left + column as u32))
}

/// A cell as people call it: `B7`.
fn cell_name((row, column): (u32, u32)) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        letters.push(char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    let letters: String = letters.iter().rev().collect();
    format!("{letters}{}", u64::from(row) + 1)
}

/// Whether a time has a date: one below a day is a time of day.
fn is_date(when: &ExcelDateTime) -> bool {
    when.is_datetime() && when.as_f64() >= 1.0
}

/// A cell as text: dates in ISO form, whole numbers without a fraction, errors and empty cells as nothing.
fn push_cell(text: &mut String, cell: &Data, times: Times) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_names_that_people_call_them_by() {
        for (at, name) in [
            ((0, 0), "A1"),
            ((6, 25), "Z7"),
            ((0, 26), "AA1"),
            ((9, 701), "ZZ10"),
            ((9, 702), "AAA10"),
        ] {
            assert_eq!(cell_name(at), name);
        }
    }
}
