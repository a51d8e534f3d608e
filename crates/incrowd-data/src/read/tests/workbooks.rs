//! Workbooks, made by other programs: see `tests/files/make.py`.

use std::path::Path;

use super::fields;
use crate::read::{Input, InputFormat, ReadOptions, Source};
use crate::{Error, Result};

fn workbook(name: &str, sheet: Option<&str>) -> Result<Source> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name);
    let options = ReadOptions { sheet: sheet.map(str::to_owned), ..ReadOptions::default() };
    Source::open(&Input::from(path), &options)
}

const NAMES: [&str; 7] = ["name", "age", "weight", "born", "seen", "smoker", "zip"];
const ROWS: [[&str; 7]; 3] = [
    ["Müller", "34", "70.5", "1984-02-29", "2018-04-01T12:30:00", "true", "02138"],
    ["Ann", "35", "0.3", "1999-12-31", "2018-04-02T00:00:00", "false", "02139"],
    ["a, \"b\"", "", "81", "2001-01-01", "2018-04-03T00:00:01", "true", "02140"],
];

#[test]
fn the_same_table_from_every_kind_of_workbook() {
    for name in ["people.xlsx", "people.xls", "people.ods"] {
        let source = workbook(name, None).unwrap();
        assert_eq!((source.format(), source.delimiter()), (InputFormat::Workbook, None));
        assert_eq!(source.columns()[..7], NAMES, "{name}");
        for (row, expected) in fields(&source).unwrap().iter().zip(ROWS) {
            assert_eq!(row[..7], expected, "{name}");
        }
        assert_eq!(fields(&source).unwrap().len(), 3, "{name}");
    }
}

#[test]
fn notes_tell_the_sheet_and_the_cells_that_could_not_be_taken() {
    let source = workbook("people.xlsx", None).unwrap();
    let [sheets, errors, formulas] = source.notes() else { panic!("{:?}", source.notes()) };
    assert!(sheets.contains("3 sheets: Cover, People, Codes; this is \"People\""), "{sheets}");
    assert!(errors.starts_with("1 cell ") && errors.contains("I5"), "{errors}");
    assert!(formulas.contains("never computed") && formulas.contains("I4"), "{formulas}");
    let outcome: Vec<String> =
        fields(&source).unwrap().into_iter().map(|row| row[7].clone()).collect();
    assert_eq!(outcome, ["", "", "ok"]);
    assert!(workbook("people.xls", None).unwrap().notes().is_empty());
}

#[test]
fn a_sheet_is_named_or_numbered() {
    for sheet in ["Codes", "codes", "3"] {
        let source = workbook("people.xlsx", Some(sheet)).unwrap();
        assert_eq!(fields(&source).unwrap(), [["1", "yes"]]);
        assert!(source.notes().is_empty());
    }
    let message = |sheet| workbook("people.xlsx", Some(sheet)).unwrap_err();
    let unknown: Error = message("Poeple");
    assert!(unknown.message.ends_with("has no sheet \"Poeple\""), "{unknown}");
    assert_eq!(unknown.help.unwrap(), "did you mean `People`?");
    assert!(message("Cover").message.contains("is empty"));
    let options = ReadOptions { sheet: Some("a".to_owned()), ..ReadOptions::default() };
    let error = super::open_with(b"a\n1\n", options).unwrap_err();
    assert!(error.message.ends_with("is not a workbook: it has no sheets"), "{error}");
}

#[test]
fn merged_cells_and_titles_are_refused_with_their_place() {
    let merged = workbook("merged.xlsx", None).unwrap_err();
    assert_eq!(merged.message, "the cells A1 to B1 of the sheet \"Sheet\" are merged");
    assert!(merged.help.unwrap().starts_with("unmerge"));
    let titled = workbook("titled.xlsx", None).unwrap_err();
    assert_eq!(titled.message, "column 2 has no name (row 1 of the sheet \"Sheet\")");
    assert!(titled.help.unwrap().contains("delete all text"));
}

#[test]
fn damaged_workbooks_are_errors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    for name in ["people.xlsx", "people.xls", "people.ods"] {
        let bytes = std::fs::read(path.join(name)).unwrap();
        for length in [9, 100, bytes.len() / 2, bytes.len() - 10] {
            // Whatever comes of it, it is no panic.
            let _ = super::open(&bytes[..length]);
        }
        for at in (0..bytes.len()).step_by(97) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x55;
            if let Ok(source) = super::open(&bytes) {
                let _ = fields(&source);
            }
        }
    }
}

/// A zip archive of these parts.
fn zipped<T: AsRef<[u8]>>(parts: &[(&str, T)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, part) in parts {
        // OpenDocument demands that what a file is can be read as it stands.
        let method = match *name {
            "mimetype" => zip::CompressionMethod::Stored,
            _ => zip::CompressionMethod::Deflated,
        };
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        archive.start_file(*name, options).unwrap();
        std::io::Write::write_all(&mut archive, part.as_ref()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A workbook of one sheet with these rows.
fn xlsx(rows: &str) -> Vec<u8> {
    let relation = |kind: &str, target: &str| {
        format!(
            "<Relationships><Relationship Id=\"r1\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/></Relationships>"
        )
    };
    zipped(&[
        ("_rels/.rels", &relation("officeDocument", "xl/workbook.xml")),
        (
            "xl/workbook.xml",
            &format!(
                "<workbook xmlns:r=\"{OFFICE}\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
            ),
        ),
        ("xl/_rels/workbook.xml.rels", &relation("worksheet", "worksheets/sheet1.xml")),
        (
            "xl/worksheets/sheet1.xml",
            &format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"),
        ),
    ])
}

fn cell(place: &str, text: &str) -> String {
    format!("<c r=\"{place}\" t=\"str\"><v>{text}</v></c>")
}

/// Two cells in opposite corners of a sheet span 2^34 cells.
#[test]
fn cells_in_opposite_corners_are_not_laid_out() {
    let far = format!("<row r=\"1048576\">{}</row>", cell("XFD1048576", "y"));
    let error =
        super::open(&xlsx(&format!("<row r=\"1\">{}</row>{far}", cell("A1", "a")))).unwrap_err();
    assert_eq!(error.message, "column 2 has no name (row 1 of the sheet \"S\")");
    let formula = "<row r=\"1048576\"><c r=\"XFD1048576\"><f>1+1</f></c></row>";
    let source = super::open(&xlsx(&format!(
        "<row r=\"1\">{}</row><row r=\"2\">{}</row>{formula}",
        cell("A1", "a"),
        cell("A2", "x")
    )))
    .unwrap();
    assert_eq!(fields(&source).unwrap(), [["x"]]);
    assert!(source.notes()[0].contains("XFD1048576"), "{:?}", source.notes());
    // A table that is as wide and as long as a sheet can be is a table all the same.
    let wide = format!("<row r=\"1\">{}{}</row>{far}", cell("A1", "a"), cell("XFD1", "b"));
    assert_eq!(fields(&super::open(&xlsx(&wide)).unwrap()).unwrap(), [["", "y"]]);
    for beyond in ["XFE1", "A1048577"] {
        let error = super::open(&xlsx(&format!("<row>{}</row>", cell(beyond, "a"))));
        assert!(error.is_err(), "{beyond}");
    }
}

/// Cells far away that are formatted and hold nothing are no part of a table.
#[test]
fn formatted_cells_far_away_do_no_harm() {
    let rows = format!(
        "<row r=\"1\">{}{}</row><row r=\"2\">{}</row><row r=\"1048576\"><c r=\"XFD1048576\" s=\"0\"/></row>",
        cell("A1", "a"),
        cell("B1", "b"),
        cell("B2", "x")
    );
    let source = super::open(&xlsx(&rows)).unwrap();
    assert_eq!(source.columns(), ["a", "b"]);
    assert_eq!(fields(&source).unwrap(), [["", "x"]]);
}

/// Room is made at once for as many texts as a workbook says that it has.
#[test]
fn a_workbook_with_more_texts_than_it_can_hold_is_refused() {
    let with = |count: &str| {
        let sheet = "<worksheet><sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c></row></sheetData></worksheet>";
        let texts = format!("<sst uniqueCount=\"{count}\"><si><t>a</t></si></sst>");
        let mut parts =
            vec![("xl/sharedStrings.xml", texts.as_str()), ("xl/worksheets/sheet1.xml", sheet)];
        let relation = |kind: &str, target: &str| {
            format!(
                "<Relationships><Relationship Id=\"r1\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/></Relationships>"
            )
        };
        let (first, second) = (
            relation("officeDocument", "xl/workbook.xml"),
            relation("worksheet", "worksheets/sheet1.xml"),
        );
        let book = format!(
            "<workbook xmlns:r=\"{OFFICE}\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
        );
        parts.extend([
            ("_rels/.rels", first.as_str()),
            ("xl/workbook.xml", &book),
            ("xl/_rels/workbook.xml.rels", &second),
        ]);
        super::open(&zipped(&parts))
    };
    assert_eq!(with("1").unwrap().columns(), ["a"]);
    assert!(with("99999999999").unwrap_err().message.contains("are inconsistent"));
}

/// An OpenDocument workbook of one sheet with these rows.
fn ods(rows: &str) -> Vec<u8> {
    let kind = "application/vnd.oasis.opendocument.spreadsheet";
    let content = format!(
        "<office:document-content><office:body><office:spreadsheet><table:table table:name=\"S\">{rows}\
         </table:table></office:spreadsheet></office:body></office:document-content>"
    );
    zipped(&[
        ("mimetype", kind),
        ("META-INF/manifest.xml", "<manifest:manifest/>"),
        ("content.xml", &content),
    ])
}

fn ods_cell(repeated: u32, text: &str) -> String {
    format!(
        "<table:table-cell table:number-columns-repeated=\"{repeated}\" office:value-type=\"string\">\
         <text:p>{text}</text:p></table:table-cell>"
    )
}

fn ods_row(repeated: u32, cells: &str) -> String {
    format!("<table:table-row table:number-rows-repeated=\"{repeated}\">{cells}</table:table-row>")
}

#[test]
fn an_opendocument_sheet_that_spans_too_much_is_refused() {
    let empty =
        |repeated: u32| format!("<table:table-cell table:number-columns-repeated=\"{repeated}\"/>");
    let head = ods_row(1, &ods_cell(1, "a"));
    let row = ods_row(1, &ods_cell(1, "x"));
    for far in [
        // One cell at the other end, ...
        ods_row(1_048_000, &empty(1)) + &ods_row(1, &(empty(16_000) + &ods_cell(1, "y"))),
        // ... rows that are all alike and as wide as can be, ...
        ods_row(1_000_000, &ods_cell(16_000, "y")),
        // ... many of them, each for itself, ...
        ods_row(1, &ods_cell(16_384, "y")).repeat(2000),
        // ... and long texts, many times, or made of blanks.
        ods_row(1_000_000, &ods_cell(1, &"y".repeat(5000))),
        ods_row(1, &ods_cell(1, "<text:s text:c=\"&#57;9999999999\"/>")),
    ] {
        let error = super::open(&ods(&format!("{head}{row}{far}"))).unwrap_err();
        assert!(error.message.contains("too far apart"), "{error}");
        assert!(error.help.unwrap().contains("far away"));
    }
    // What is only formatted does no harm, and rows that are alike may be many.
    let formatted = ods_row(1_048_000, &empty(16_384));
    let source = super::open(&ods(&format!("{head}{row}{formatted}"))).unwrap();
    assert_eq!(fields(&source).unwrap(), [["x"]]);
    let many = ods_row(20_000, &ods_cell(1, "y"));
    let source = super::open(&ods(&format!("{head}{row}{many}"))).unwrap();
    assert_eq!(fields(&source).unwrap().len(), 20_001);
}

/// A binary workbook of one sheet with numbers and texts at these places.
fn xlsb(cells: &[(u32, u32, &str)]) -> Vec<u8> {
    let record = |kind: u16, data: &[u8]| {
        let mut bytes = match kind {
            0..0x80 => vec![kind as u8],
            _ => vec![kind as u8 | 0x80, (kind >> 7) as u8],
        };
        bytes.push(data.len() as u8);
        bytes.extend(data);
        bytes
    };
    let wide = |text: &str| -> Vec<u8> {
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        [&(text.len() as u32).to_le_bytes()[..], &units].concat()
    };
    let words = |words: &[u32]| words.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>();
    let sheet = [words(&[0, 1]), wide("r1"), wide("S")].concat();
    let book = [record(0x9C, &sheet), record(0x90, &[]), record(0x9D, &[])].concat();
    let mut rows = [record(0x94, &words(&[0, 1_048_575, 0, 16_383])), record(0x91, &[])].concat();
    for &(row, column, text) in cells {
        rows.extend(record(0, &words(&[row])));
        rows.extend(record(6, &[words(&[column, 0]), wide(text)].concat()));
    }
    rows.extend(record(0x92, &[]));
    let relation =
        "<Relationships><Relationship Id=\"r1\" Target=\"worksheets/sheet1.bin\"/></Relationships>";
    zipped(&[
        ("xl/_rels/workbook.bin.rels", relation.as_bytes()),
        ("xl/workbook.bin", &book),
        ("xl/worksheets/sheet1.bin", &rows),
    ])
}

#[test]
fn a_binary_sheet_may_span_everything() {
    let cells = [(0, 0, "a"), (0, 16_383, "b"), (1, 0, "x"), (1_048_575, 16_383, "y")];
    let source = super::open(&xlsb(&cells)).unwrap();
    assert_eq!(source.columns(), ["a", "b"]);
    assert_eq!(fields(&source).unwrap(), [["x", ""], ["", "y"]]);
    let error = super::open(&xlsb(&[(0, 0, "a"), (0, u32::MAX, "b")])).unwrap_err();
    assert!(error.message.contains("no sheet has a cell"), "{error}");
}
