//! What becomes of a file that is not UTF-8 text: text that is.
#![cfg_attr(
    not(all(feature = "excel", feature = "statistics")),
    allow(dead_code, reason = "for formats that this build may lack")
)]

use std::fmt::Display;
use std::io::{BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::dialect::check_names;
use super::file::FileHandle;
use crate::{CsvEncoder, Error, Result};

/// A file turned into CSV in UTF-8.
#[derive(Debug)]
pub(super) struct ConvertedFile {
    /// The text, in a temporary file without a name, under the name of the file that it was made from.
    pub(super) text: FileHandle,
    /// What people should know about how the file was taken.
    pub(super) notes: Vec<String>,
}

/// A damaged file may bring a reader down, but not the program.
pub(super) fn careful<T>(path: &Path, what: &str, read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(damaged(path, what, &"its parts are inconsistent")))
}

pub(super) fn damaged(path: &Path, what: &str, cause: &dyn Display) -> Error {
    Error::new(format!("cannot read {} as {what}: {cause}", path.display()))
        .help("the file is damaged or incomplete: copy or make it again, or export it as CSV")
}

/// The text that a data set becomes.
pub(super) struct CsvText<'a> {
    path: &'a Path,
    file: BufWriter<std::fs::File>,
    encoder: CsvEncoder,
    line: Vec<u8>,
    fields: usize,
}

impl<'a> CsvText<'a> {
    /// Begins with the header.
    pub(super) fn new(path: &'a Path, names: &[String]) -> Result<Self> {
        if names.is_empty() {
            return Err(Error::new(format!("{} has no columns", path.display())));
        }
        check_names(path, None, names)?;
        let file =
            tempfile::tempfile().map_err(|e| Error::file("write the temporary file", path, &e))?;
        let encoder = CsvEncoder::new(b',', names.len())?;
        let mut text =
            CsvText { path, file: BufWriter::new(file), encoder, line: Vec::new(), fields: 0 };
        for name in names {
            text.field(name);
        }
        text.end()?;
        Ok(text)
    }

    /// Adds a field to the row.
    pub(super) fn field(&mut self, value: &str) {
        if self.fields > 0 {
            self.line.push(self.encoder.delimiter());
        }
        self.fields += 1;
        self.encoder.field(value, &mut self.line);
    }

    /// Ends the row.
    pub(super) fn end(&mut self) -> Result<()> {
        self.line.push(b'\n');
        let written = self.file.write_all(&self.line);
        self.line.clear();
        self.fields = 0;
        written.map_err(|e| Error::file("write the temporary file", self.path, &e))
    }

    /// Ends the text.
    pub(super) fn finish(self) -> Result<FileHandle> {
        let file = self
            .file
            .into_inner()
            .map_err(|e| Error::file("write the temporary file", self.path, &e.into_error()))?;
        FileHandle::of_file(file, self.path.to_owned())
    }
}

/// A number as a spreadsheet shows it at its most exact: 15 digits. What lies beyond is noise of arithmetic.
pub(super) fn shown(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return format!("{}", number as i64);
    }
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    format!("{rounded}")
}

/// The day so many days after the first of 1960, from which Stata and SAS count; nothing far out of all calendars.
pub(super) fn iso_day(days: i64) -> String {
    if !(-800_000..=2_950_000).contains(&days) {
        return String::new();
    }
    // Days since the first of March of the year 0; the years of this count end with February.
    let days = days + 715_815;
    let era = days.div_euclid(146_097);
    let day = days.rem_euclid(146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let calendar = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(calendar <= 2);
    format!("{year:04}-{calendar:02}-{of_month:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_without_noise() {
        for (number, text) in [
            (3.0, "3"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (33.9, "33.9"),
            (1234567.891, "1234567.891"),
            (-2.5, "-2.5"),
            (1e15, "1000000000000000"),
            (1e-7, "0.0000001"),
        ] {
            assert_eq!(shown(number), text);
        }
    }

    #[test]
    fn days_are_counted_from_1960() {
        for (days, text) in [
            (0, "1960-01-01"),
            (59, "1960-02-29"),
            (60, "1960-03-01"),
            (-1, "1959-12-31"),
            (21_275, "2018-04-01"),
            (14_669, "2000-02-29"),
            (-137_775, "1582-10-14"),
        ] {
            assert_eq!(iso_day(days), text);
        }
        assert_eq!(iso_day(i64::MAX), "");
    }
}
