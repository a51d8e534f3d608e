//! Files of SPSS, Stata and SAS, made by other programs: see `tests/files/make_statistics.py`.

use std::path::Path;

use super::fields;
use crate::read::{Input, InputFormat, ReadOptions, Source};

fn open(name: &str) -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name);
    Source::open(&Input::from(path), &ReadOptions::default()).unwrap()
}

#[test]
fn stata_has_labels_dates_and_missing_values() {
    for (name, first) in [("people.dta", "Müller"), ("old.dta", "Mueller")] {
        let source = open(name);
        assert_eq!((source.format(), source.delimiter()), (InputFormat::Statistics, None));
        assert_eq!(source.columns(), ["name", "age", "weight", "sex", "rooms", "born"]);
        let expected = [
            [first, "34", "70.5", "male", "1", "1984-02-29"],
            ["Ann", "35", "0.3", "female", "2", "1999-12-31"],
            // Where only some codes have labels all stay numbers.
            ["O'Neil, B.", "", "81", "male", "9", "2001-01-01"],
        ];
        assert_eq!(fields(&source).unwrap(), expected, "{name}");
        let [note] = source.notes() else { panic!("{:?}", source.notes()) };
        assert!(note.ends_with("the codes in sex: the labels are taken as values"), "{note}");
    }
}

#[test]
fn sas_transport_has_dates_and_missing_values() {
    let source = open("people.xpt");
    assert_eq!(source.columns().len(), 6);
    let rows = fields(&source).unwrap();
    assert_eq!(rows[0], ["Mueller", "34", "70.5", "1", "1", "1984-02-29"]);
    assert_eq!(rows[2][..3], ["O'Neil, B.", "", "81"]);
}

#[test]
fn spss_has_labels_dates_and_missing_values() {
    for name in ["people.sav", "people.zsav"] {
        let source = open(name);
        assert_eq!(source.format(), InputFormat::Statistics);
        assert_eq!(
            source.columns(),
            ["name", "age", "weight", "sex", "rooms", "born", "remark", "seen"]
        );
        let rows = fields(&source).unwrap();
        let long = "long ".repeat(120);
        let expected = [
            ["Müller", "34", "70.5", "male", "1", "1984-02-29", "", "2018-04-01T12:30:00"],
            [
                "Ann",
                "35",
                "0.3",
                "female",
                "2",
                "1999-12-31",
                long.trim_end(),
                "2018-04-02T00:00:00",
            ],
            ["O'Neil, B.", "", "81", "male", "", "2001-01-01", "short", ""],
        ];
        assert_eq!(rows, expected, "{name}");
        let [labels, absent] = source.notes() else { panic!("{:?}", source.notes()) };
        assert!(labels.contains("the codes in sex:"), "{labels}");
        assert!(absent.contains("missing values in rooms:"), "{absent}");
    }
}

#[test]
fn damaged_files_are_errors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    for name in ["people.dta", "old.dta", "people.xpt", "people.sav", "people.zsav"] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        for at in (40..bytes.len()).step_by(31) {
            // Whatever comes of it, it is no panic.
            let _ = super::open(&bytes[..at]).map(|source| fields(&source));
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            let _ = super::open(&changed).map(|source| fields(&source));
        }
    }
}
