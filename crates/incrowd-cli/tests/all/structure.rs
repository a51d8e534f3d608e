//! Balanced structures, as users ask for them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::Folder;

#[test]
fn structures_are_found_or_ruled_out() {
    let folder = Folder::new();
    let found = folder.run("structure -k 2 --domains 3,3,3").done().stdout;
    assert!(
        found.contains("B(2, 3) over columns of 3, 3, 3 values: 24 rows, all distinct"),
        "{found}"
    );
    assert!(found.contains("8 blanks in each column"), "{found}");
    assert_eq!(found.lines().filter(|line| line.contains("->")).count(), 24);
    assert_eq!(found.matches('*').count(), 24);
    let twice =
        folder.run("structure -k 2 --domains 2,2 --rows 8 --repeats 2 --json").done().json();
    assert_eq!(twice["structure"].as_array().unwrap().len(), 8);
    for (line, states) in [
        ("structure -k 2 --domains 2,2", "3 states"),
        ("structure -k 4 --domains 2,2,2,2", "states that differ were examined"),
        ("structure -k 3 --domains 2,2,2", "9 rows do not fit"),
    ] {
        let ended = folder.run(line);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stdout.contains("no: ") && ended.stdout.contains(states), "{ended:?}");
    }
    let absent = folder.run("structure -k 4 --domains 2,2,2,2 --json");
    assert_eq!(absent.json()["outcome"], "absent");
    assert_eq!(absent.json()["blanks_per_row"], 2);
    let limited = folder.run("structure -k 3 --domains 3,3,3,3 --limit 100");
    assert_eq!(limited.code, Some(1));
    assert!(limited.stdout.contains("undecided after 100 states"), "{limited:?}");
    for line in [
        "structure -k 0 --domains 2,2",
        "structure --domains 2,2",
        "structure -k 2",
        "structure -k 2 --domains 99,99",
        "structure -k 2 --domains 2,2 --survey",
        "structure -k 2 --domains 2,2 --time-limit soon",
    ] {
        assert_eq!(folder.run(line).code, Some(2), "{line}");
    }
}

#[test]
fn a_table_is_mapped_to_the_closest_structure() {
    let folder = Folder::new();
    // Table IV of the paper.
    folder.write("iv.csv", b"A1,A2,A3,State\n1,2,3,TX\n1,2,3,AZ\n8,9,3,TX\n1,2,7,TX\n");
    let text = folder.run("structure -k 2 --table iv.csv").done().stdout;
    assert!(text.contains("8 blanks in all: 2 in each row, 2 in each column"), "{text}");
    let json = folder.run("structure -k 2 --table iv.csv --json").done().json();
    assert_eq!((&json["blanks"], &json["proven"]), (&8.into(), &true.into()));
    let json = folder.run("structure -k 2 --table iv.csv --quasi A1,A2,A3 --json").done().json();
    assert_eq!(json["columns"].as_array().unwrap().len(), 3);
    let missing = folder.run("structure -k 2 --table iv.csv --quasi A1,A9");
    assert!(missing.stderr.contains("has no column `A9`"), "{missing:?}");
    let large = folder.run("structure -k 9 --table iv.csv");
    assert!(large.stderr.contains("fewer than k = 9"), "{large:?}");
}

/// The table of the docs: every question is answered.
#[test]
fn the_survey_leaves_nothing_undecided() {
    let folder = Folder::new();
    let entries = folder.run("structure --survey --json").done().json();
    let entries = entries.as_array().unwrap();
    assert_eq!(entries.len(), 3 * 6 + 3 * 4);
    for entry in entries {
        assert!(entry["undecided"].as_array().unwrap().is_empty(), "{entry}");
    }
    let of = |values: u32, k: u32, columns: u32| {
        entries
            .iter()
            .find(|e| e["values"] == values && e["k"] == k && e["columns"] == columns)
            .unwrap()
    };
    assert_eq!(of(2, 2, 2)["absent"], serde_json::json!([4]));
    assert_eq!(of(2, 2, 3)["found"], serde_json::json!([6]));
    assert_eq!(of(2, 4, 4)["absent"], serde_json::json!([16]));
    assert_eq!(of(3, 2, 3)["found"], serde_json::json!([6, 12, 18, 24]));
}
