//! Workbooks, made by other programs: see `tests/files/make.py`.

use std::path::Path;

use super::fields;
use crate::read::{Format, Input, ReadOptions, Source};
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
        assert_eq!((source.format(), source.delimiter()), (Format::Workbook, None));
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
    assert!(titled.help.unwrap().contains("delete titles"));
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
