//! Tables like those of practice, looked through by the scan of values.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};

use incrowd_engine::Control;

use super::safe_harbor::{columns_of, scanned};
use crate::{Input, ReadOptions, Source};

fn workspace(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The columns in which something is found, each with the identifiers that it holds.
fn findings(path: &Path) -> Vec<(String, Vec<u8>)> {
    let source = Source::open(&Input::from(path), &ReadOptions::default()).unwrap();
    let columns = columns_of(&source, &Control::new()).unwrap().into_iter();
    let found = columns.map(|column| {
        let found = scanned(&column.name, &column.values).into_iter().map(|it| it.number);
        (column.name, found.collect::<Vec<u8>>())
    });
    found.filter(|(_, found)| !found.is_empty()).collect()
}

/// Every identifier of the examples is found by its values, and nothing else is taken for one.
#[test]
fn tables_of_practice_are_flagged_where_they_must_be() {
    for (table, expected) in [
        ("patients.csv", &[("name", 1)][..]),
        ("survey.csv", &[]),
        ("trial.csv", &[("enrolled", 3), ("visited", 3)]),
        (
            "visits.csv",
            &[("name", 1), ("phone", 4), ("town", 2), ("admitted", 3), ("discharged", 3)],
        ),
    ] {
        let found = findings(&workspace("examples").join(table));
        let expected: Vec<(String, Vec<u8>)> =
            expected.iter().map(|(name, number)| ((*name).to_owned(), vec![*number])).collect();
        assert_eq!(found, expected, "{table}");
    }
    let adult = workspace("crates/incrowd-testing/data/adult/adult.csv.gz");
    assert_eq!(findings(&adult), []);
}
