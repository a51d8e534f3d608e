//! Writing Excel workbooks.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use super::archive::{OpenEntry, ZipWriter};
use super::output::write_error;
use super::{ColumnType, CsvEncoder, OutputFile, TableLayout, truth};
use crate::{Error, Result};

/// What a sheet can hold, the header included.
const MOST_ROWS: u32 = 1_048_576;
const MOST_COLUMNS: usize = 16_384;
const LONGEST_CELL: usize = 32_767;
/// More digits than these are not kept by a spreadsheet's arithmetic: such numbers stay text.
const MOST_DIGITS: usize = 15;

/// The parts of a workbook beside its sheet. They tell neither when nor by whom it was made, and the same release has
/// the same bytes.
const PARTS: [(&str, &str); 5] = [
    (
        "[Content_Types].xml",
        r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>"#,
    ),
    (
        "_rels/.rels",
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
    ),
    (
        "xl/workbook.xml",
        r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><bookViews><workbookView/></bookViews><sheets><sheet name="Release" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
    ),
    (
        "xl/_rels/workbook.xml.rels",
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#,
    ),
    (
        "xl/styles.xml",
        r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"#,
    ),
];

/// What each part begins with.
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
/// The formats of cells, by their places in `xl/styles.xml`.
const BOLD: &str = " s=\"1\"";
const DATE: &str = " s=\"2\"";

const SHEET: &str = "xl/worksheets/sheet1.xml";
const SHEET_BEGINS: &str = r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>"#;
const SHEET_ENDS: &str = "</sheetData></worksheet>";

/// Turns encoded rows into the rows of one sheet: plain numbers, truth values and ISO dates become cells of their
/// type, everything else is text, such as codes with leading zeros. Text is never a formula.
///
/// Rows go straight into the output, so memory does not grow with them, and a disk that is full is an error.
pub(super) struct XlsxSink {
    target: PathBuf,
    sheet: OpenEntry<OutputFile>,
    encoder: CsvEncoder,
    /// What each column is called: `A`, `B`, ...
    letters: Vec<String>,
    /// For each column whether it holds truth values.
    truths: Vec<bool>,
    scratch: String,
    /// The row under way.
    text: String,
    row: u32,
}

impl XlsxSink {
    pub(super) fn new(output: OutputFile, layout: &TableLayout) -> Result<Self> {
        let (target, columns) = (output.target().to_owned(), layout.names.len());
        if columns > MOST_COLUMNS {
            let message =
                format!("{columns} columns are too many for Excel, which holds {MOST_COLUMNS}");
            return Err(Error::new(message).help("write .csv or .parquet"));
        }
        let letters: Vec<String> = (0..columns).map(letters).collect();
        let mut text = format!("{DECLARATION}{SHEET_BEGINS}<row r=\"1\">");
        for (name, letters) in layout.names.iter().zip(&letters) {
            push_text(&mut text, letters, 1, BOLD, name);
        }
        text.push_str("</row>");
        let begun = || -> io::Result<OpenEntry<OutputFile>> {
            let mut archive = ZipWriter::new(output);
            for (name, part) in PARTS {
                archive.add(name, format!("{DECLARATION}{part}").as_bytes())?;
            }
            let mut sheet = archive.begin(SHEET)?;
            sheet.write_all(text.as_bytes())?;
            Ok(sheet)
        };
        let sheet = begun().map_err(|e| write_error(&target, &e))?;
        let (scratch, encoder) = (String::new(), layout.encoder()?);
        text.clear();
        let truths = layout.types.iter().map(|it| *it == ColumnType::Boolean).collect();
        Ok(XlsxSink { target, sheet, encoder, letters, truths, scratch, text, row: 1 })
    }

    pub(super) fn row(&mut self, encoded: &[u8]) -> Result<()> {
        let XlsxSink { target, sheet, encoder, letters, truths, scratch, text, row } = self;
        if *row >= MOST_ROWS {
            let message =
                format!("a sheet of Excel holds {} rows, and the release has more", MOST_ROWS - 1);
            return Err(Error::new(message).help("write .csv or .parquet"));
        }
        *row += 1;
        text.clear();
        // Writing to a string cannot fail.
        let _ = write!(text, "<row r=\"{row}\">");
        let fields = encoder.decode(encoded, scratch, |column, field| {
            // A sheet has no cell for NULL and none for the empty text.
            let Some(value) = encoder.value(field) else { return Ok(()) };
            let truth = truths.get(column).filter(|it| **it).and_then(|_| truth(value));
            let value = truth.map_or(value, |yes| if yes { "true" } else { "false" });
            if value.encode_utf16().count() > LONGEST_CELL {
                let message =
                    format!("a value is longer than the {LONGEST_CELL} characters of a cell");
                return Err(Error::new(message).help("write .csv or .parquet"));
            }
            let too_many = || Error::new("a row with too many fields");
            push_cell(text, letters.get(column).ok_or_else(too_many)?, *row, value);
            Ok(())
        })?;
        if fields != letters.len() {
            let message =
                format!("a row of {fields} fields for a table of {} columns", letters.len());
            return Err(Error::new(message));
        }
        text.push_str("</row>");
        sheet.write_all(text.as_bytes()).map_err(|e| write_error(target, &e))
    }

    pub(super) fn finish(self) -> Result<OutputFile> {
        let XlsxSink { target, mut sheet, .. } = self;
        let ended = sheet.write_all(SHEET_ENDS.as_bytes()).and_then(|()| sheet.end());
        ended.and_then(ZipWriter::finish).map_err(|e| write_error(&target, &e))
    }
}

/// What people call a column: `A` to `Z`, `AA`, ...
fn letters(column: usize) -> String {
    let (before, last) = (column / 26, char::from(b'A' + (column % 26) as u8));
    if before == 0 { last.into() } else { format!("{}{last}", letters(before - 1)) }
}

/// Appends a value as what it is.
fn push_cell(out: &mut String, column: &str, row: u32, value: &str) {
    // Writing to a string cannot fail.
    let _ = match value {
        "" => Ok(()),
        "true" | "false" => {
            let yes = u8::from(value == "true");
            write!(out, "<c r=\"{column}{row}\" t=\"b\"><v>{yes}</v></c>")
        }
        _ => match (number(value), date(value)) {
            (Some(number), _) => write!(out, "<c r=\"{column}{row}\"><v>{number}</v></c>"),
            (_, Some(days)) => write!(out, "<c r=\"{column}{row}\"{DATE}><v>{days}</v></c>"),
            _ => {
                push_text(out, column, row, "", value);
                Ok(())
            }
        },
    };
}

/// Appends a cell of text. Characters that cannot stand in XML are written as Excel writes them: `_x0007_`.
fn push_text(out: &mut String, column: &str, row: u32, format: &str, value: &str) {
    let _ = write!(
        out,
        "<c r=\"{column}{row}\"{format} t=\"inlineStr\"><is><t xml:space=\"preserve\">"
    );
    for (at, c) in value.char_indices() {
        let _ = match c {
            '&' => out.write_str("&amp;"),
            '<' => out.write_str("&lt;"),
            '>' => out.write_str("&gt;"),
            // What only looks like such a character.
            '_' if is_escape(&value[at..]) => out.write_str("_x005F_"),
            '\t' | '\n' => out.write_char(c),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => write!(out, "_x{:04X}_", u32::from(c)),
            _ => out.write_char(c),
        };
    }
    out.push_str("</t></is></c>");
}

fn is_escape(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.starts_with(b"_x")
        && bytes.get(6) == Some(&b'_')
        && bytes.get(2..6).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit))
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

/// A day in ISO form, from the first one on that all spreadsheets agree about, as the number that stands for it.
fn date(text: &str) -> Option<i64> {
    let [year, month, day] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
    let digits =
        |part: &str, length| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(year, 4) || !digits(month, 2) || !digits(day, 2) || text < "1900-03-01" {
        return None;
    }
    let (year, month, day): (i64, i64, i64) =
        (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if !(1..=days).contains(&day) {
        return None;
    }
    // Years that begin in March have their odd day at their end; 1899-12-30 is day 0.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before = 365 * year + year / 4 - year / 100 + year / 400;
    Some(before + (153 * month + 2) / 5 + day - 1 - 693_899)
}

impl std::fmt::Debug for XlsxSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("XlsxSink").field("target", &self.target).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

    use incrowd_engine::Control;
    use proptest::prelude::*;

    use super::*;
    use crate::{OutputFormat, ReadOptions, Source, TableWriter, read_table};

    fn round(names: &[&str], rows: &[Vec<String>]) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.xlsx");
        let layout = TableLayout::text(names.iter().copied());
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
            ["_x0041_", "a\r\nb\u{7}_", "9999-12-31"],
            ["_x0041", "__x005F_x", "2000-02-29"],
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
