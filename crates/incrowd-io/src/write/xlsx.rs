//! Writing Excel workbooks.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use rust_xlsxwriter::{
    ColNum, DocProperties, ExcelDateTime, Format, RowNum, Workbook, Worksheet, XlsxError,
};

use super::{ColumnType, CsvEncoder, Layout, OutputFile, truth};
use crate::{Error, Result};

/// What a sheet can hold, the header included.
const MOST_ROWS: RowNum = 1_048_576;
const MOST_COLUMNS: usize = 16_384;
const LONGEST_CELL: usize = 32_767;
/// More digits than these are not kept by a spreadsheet's arithmetic: such numbers stay text.
const MOST_DIGITS: usize = 15;

/// Turns encoded rows into the rows of one sheet: plain numbers, truth values and ISO dates become cells of their
/// type, everything else is text, such as codes with leading zeros. Text is never a formula.
pub(super) struct XlsxSink {
    output: OutputFile,
    workbook: Workbook,
    encoder: CsvEncoder,
    columns: usize,
    /// For each column whether it holds truth values.
    truths: Vec<bool>,
    dates: Format,
    scratch: String,
    row: RowNum,
}

impl XlsxSink {
    pub(super) fn new(output: OutputFile, layout: &Layout) -> Result<Self> {
        let (target, columns) = (output.target().to_owned(), layout.names.len());
        if columns > MOST_COLUMNS {
            let message =
                format!("{columns} columns are too many for Excel, which holds {MOST_COLUMNS}");
            return Err(Error::new(message).help("write .csv or .parquet"));
        }
        let mut workbook = Workbook::new();
        let started = |workbook: &mut Workbook| -> Result<(), XlsxError> {
            // When a release was made is nobody's business, and the same release has the same bytes.
            let created = ExcelDateTime::from_ymd(2000, 1, 1)?;
            workbook.set_properties(&DocProperties::new().set_creation_datetime(&created));
            workbook.set_tempdir(output.folder())?;
            let bold = Format::new().set_bold();
            let sheet = workbook.add_worksheet_with_constant_memory()?;
            sheet.set_name("Release")?;
            sheet.set_freeze_panes(1, 0)?;
            for (column, name) in (0..).zip(&layout.names) {
                sheet.write_string_with_format(0, column, name, &bold)?;
            }
            Ok(())
        };
        started(&mut workbook).map_err(|e| failed(&target, &e))?;
        Ok(XlsxSink {
            output,
            workbook,
            encoder: layout.encoder()?,
            columns,
            truths: layout.types.iter().map(|it| *it == ColumnType::Boolean).collect(),
            dates: Format::new().set_num_format("yyyy-mm-dd"),
            scratch: String::new(),
            row: 1,
        })
    }

    pub(super) fn row(&mut self, encoded: &[u8]) -> Result<()> {
        let XlsxSink { output, workbook, encoder, columns, truths, dates, scratch, row } = self;
        let target = output.target();
        if *row >= MOST_ROWS {
            let message =
                format!("a sheet of Excel holds {} rows, and the release has more", MOST_ROWS - 1);
            return Err(Error::new(message).help("write .csv or .parquet"));
        }
        let sheet = workbook.worksheet_from_index(0).map_err(|e| failed(target, &e))?;
        let fields = encoder.decode(encoded, scratch, |column, field| {
            // A sheet has no cell for NULL and none for the empty text.
            let Some(text) = encoder.value(field) else { return Ok(()) };
            let truth = truths.get(column).filter(|it| **it).and_then(|_| truth(text));
            if text.encode_utf16().count() > LONGEST_CELL {
                let message =
                    format!("a value is longer than the {LONGEST_CELL} characters of a cell");
                return Err(Error::new(message).help("write .csv or .parquet"));
            }
            let column =
                ColNum::try_from(column).map_err(|_| Error::new("a row with too many fields"))?;
            match truth {
                Some(truth) => sheet.write_boolean(*row, column, truth).map(|_| ()),
                None => write_cell(sheet, *row, column, text, dates),
            }
            .map_err(|e| failed(target, &e))
        })?;
        if fields != *columns {
            let message = format!("a row of {fields} fields for a table of {columns} columns");
            return Err(Error::new(message));
        }
        *row += 1;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<OutputFile> {
        let target = self.output.target().to_owned();
        let mut file = std::io::BufWriter::new(&mut self.output);
        self.workbook.save_to_writer(&mut file).map_err(|e| failed(&target, &e))?;
        std::io::Write::flush(&mut file).map_err(|e| super::output::write_error(&target, &e))?;
        drop(file);
        Ok(self.output)
    }
}

/// Writes a value as what it is.
fn write_cell(
    sheet: &mut Worksheet,
    row: RowNum,
    column: ColNum,
    text: &str,
    dates: &Format,
) -> Result<(), XlsxError> {
    if text.is_empty() {
        return Ok(());
    }
    match text {
        "true" | "false" => sheet.write_boolean(row, column, text == "true")?,
        _ => match (number(text), date(text)) {
            (Some(number), _) => sheet.write_number(row, column, number)?,
            (_, Some(date)) => sheet.write_datetime_with_format(row, column, &date, dates)?,
            _ => sheet.write_string(row, column, text)?,
        },
    };
    Ok(())
}

/// A number that a cell holds without loss: digits, perhaps a sign and a decimal point, no leading zeros, which are
/// a code's.
fn number(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let leading = whole.len() > 1 && whole.starts_with('0');
    let fits = whole.len() + fraction.len() <= MOST_DIGITS + 1;
    let number: f64 =
        (digits(whole) && digits(fraction) && !leading && fits).then(|| text.parse().ok())??;
    // There is no negative zero in a sheet.
    (number != 0.0 || unsigned.len() == text.len()).then_some(number)
}

/// A day in ISO form, from the first one on that all spreadsheets agree about.
fn date(text: &str) -> Option<ExcelDateTime> {
    let [year, month, day] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
    let digits =
        |part: &str, length| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(year, 4) || !digits(month, 2) || !digits(day, 2) || text < "1900-03-01" {
        return None;
    }
    ExcelDateTime::from_ymd(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

fn failed(target: &Path, cause: &dyn Display) -> Error {
    Error::new(format!("cannot write {}: {cause}", target.display()))
}

impl std::fmt::Debug for XlsxSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let target: PathBuf = self.output.target().to_owned();
        f.debug_struct("XlsxSink").field("target", &target).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

    use incrowd::Control;
    use proptest::prelude::*;

    use super::*;
    use crate::{OutputFormat, ReadOptions, Source, TableWriter, read_table};

    fn round(names: &[&str], rows: &[Vec<String>]) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.xlsx");
        let layout = Layout::text(names.iter().copied());
        let format = OutputFormat::from_path(&target).unwrap();
        let mut writer =
            TableWriter::new(OutputFile::create(&target).unwrap(), format, &layout).unwrap();
        let encoder = layout.encoder().unwrap();
        for row in rows {
            let mut encoded = Vec::new();
            encoder.row(row, &mut encoded);
            writer.row(&encoded).unwrap();
        }
        writer.finish().unwrap().commit().unwrap();
        let source = Source::open(&target.into(), &ReadOptions::default()).unwrap();
        assert_eq!(source.columns(), names);
        let table = read_table(&source, None, &Control::new()).unwrap();
        let columns = table.columns();
        (0..table.rows())
            .map(|row| columns.iter().map(|column| column.value(row).to_owned()).collect())
            .collect()
    }

    #[test]
    fn values_come_back_as_they_were() {
        let rows: Vec<Vec<String>> = [
            ["25", "[25-28]", "2018-04-01"],
            ["-3.25", "{a, b}", "1850-01-01"],
            ["007", "=1+1", "2018-02-30"],
            ["12345678901234567890", "*", "2018-04"],
            ["true", "", "0"],
            ["1e5", " a\tb \n\"c\" ", "+5"],
            ["", "Müller <&>", "-0"],
        ]
        .iter()
        .map(|row| row.map(str::to_owned).to_vec())
        .collect();
        assert_eq!(round(&["a", "b, c", "d"], &rows), rows);
        assert_eq!(round(&["a"], &[vec!["1.50".to_owned()]]), [["1.5"]]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(200)))]

        #[test]
        fn any_text_comes_back(values in prop::collection::vec("[ -~äß]{1,12}|[0-9.-]{1,9}|\\PC{1,6}", 1..8)) {
            let rows: Vec<Vec<String>> = values.iter().map(|v| vec![format!("x{v}"), v.clone()]).collect();
            for (row, read) in rows.iter().zip(round(&["a", "b"], &rows)) {
                prop_assert_eq!(&row[0], &read[0]);
                // Numbers may lose zeros at their end, and nothing else.
                let same = row[1] == read[1] || row[1].parse::<f64>().ok() == read[1].parse().ok();
                prop_assert!(same, "{:?} became {:?}", row[1], read[1]);
            }
        }
    }
}
