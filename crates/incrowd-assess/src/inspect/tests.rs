#![allow(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use incrowd_engine::Table;
use proptest::prelude::*;

use super::group::{CodedColumn, Uniqueness};
use super::kind::ValueKind;
use super::{ColumnReport, InspectOptions, Inspection, LikelyRole, inspect};

fn options(missing: &[&str]) -> InspectOptions {
    InspectOptions::new().with_missing(missing.iter().map(|&token| token.to_owned()).collect())
}

/// The report on a table of one column.
fn column(name: &str, values: &[&str], missing: &[&str]) -> ColumnReport {
    let rows: Vec<[&str; 1]> = values.iter().map(|&value| [value]).collect();
    let table = Table::from_rows(&[name], &rows).unwrap();
    inspect(&table, &options(missing)).columns.remove(0)
}

fn names(report: &Inspection, role: LikelyRole) -> Vec<&str> {
    let of_role = report.columns.iter().filter(|column| column.role == role);
    of_role.map(|column| column.name.as_str()).collect()
}

/// Nine patients; counted by hand.
fn patients() -> Inspection {
    let rows = [
        ["p1", "34", "F", "02138", "flu"],
        ["p2", "34", "F", "02138", "flu"],
        ["p3", "34", "M", "02139", "cold"],
        ["p4", "35", "M", "02139", "flu"],
        ["p5", "35", "M", "02139", "flu"],
        ["p6", "35", "F", "02141", "asthma"],
        ["p7", "36", "F", "NA", "flu"],
        ["p8", "36", "F", "?", "flu"],
        ["p9", "36", "M", "02141", "cold"],
    ];
    let table = Table::from_rows(&["patient-id", "age", "sex", "zip", "diagnosis"], &rows).unwrap();
    inspect(&table, &options(&["", "NA", "?"]))
}

#[test]
fn a_small_table_with_known_answers() {
    let report = patients();
    assert_eq!(report.rows, 9);
    assert_eq!(names(&report, LikelyRole::Identifying), ["patient-id"]);
    assert_eq!(names(&report, LikelyRole::Quasi), ["age", "sex", "zip"]);
    assert_eq!(names(&report, LikelyRole::Sensitive), ["diagnosis"]);

    let zip = &report.columns[3];
    assert_eq!((zip.kind, zip.missing), (ValueKind::Code, 2));
    // Two rows each of 02138, 02141 and missing, three of 02139: 3 + 3 of 36 pairs are the same.
    assert_eq!((zip.uniqueness.distinct, zip.uniqueness.unique_rows), (4, 0));
    assert!((zip.uniqueness.separation - 30.0 / 36.0).abs() < 1e-12);
    assert_eq!((zip.min.as_deref(), zip.max.as_deref()), (None, None));

    let age = &report.columns[1];
    assert_eq!((age.kind, age.missing), (ValueKind::Integer, 0));
    assert_eq!((age.min.as_deref(), age.max.as_deref()), (Some("34"), Some("36")));
    assert!((age.uniqueness.distinction - 3.0 / 9.0).abs() < 1e-12);

    let diagnosis = &report.columns[4];
    let frequent: Vec<(&str, u64)> =
        diagnosis.frequent.iter().map(|value| (value.value.as_str(), value.count)).collect();
    assert_eq!(frequent, [("flu", 6), ("cold", 2), ("asthma", 1)]);

    // Rows 1-2, 4-5 and 7-8 share all three, the other three are alone.
    let risk = report.risk.unwrap();
    assert_eq!(risk.quasi, ["age", "sex", "zip"]);
    assert_eq!((risk.uniqueness.distinct, risk.uniqueness.unique_rows), (6, 3));
    assert_eq!((risk.smallest_class, risk.median_class), (1, 1));
    assert!((risk.prosecutor_highest - 1.0).abs() < 1e-12);
    assert!((risk.prosecutor_average - 6.0 / 9.0).abs() < 1e-12);
    let below: Vec<(u64, u64)> =
        risk.rows_below.iter().map(|below| (below.k, below.rows)).collect();
    assert_eq!(below, [(2, 3), (3, 9), (5, 9), (10, 9)]);

    let found = report.combinations;
    assert_eq!((found.examined, found.possible, found.cut_off), (4, 4, false));
    let pairs: Vec<(&[String], u64)> =
        found.pairs.iter().map(|pair| (&pair.columns[..], pair.uniqueness.unique_rows)).collect();
    // Age and sex leave 34/M, 35/F and 36/M alone, age and zip 34/02139, 35/02141 and 36/02141 (so
    // both are equally bad and stay in the order of the columns), sex and zip the two of 02141.
    assert_eq!(pairs[0], (&["age".to_owned(), "sex".to_owned()][..], 3));
    assert_eq!(pairs[1], (&["age".to_owned(), "zip".to_owned()][..], 3));
    assert_eq!(pairs[2], (&["sex".to_owned(), "zip".to_owned()][..], 2));
    assert_eq!(found.triples.len(), 1);
    assert_eq!(found.triples[0].uniqueness, risk.uniqueness);
    assert_eq!(found.growing.last().unwrap().uniqueness.distinct, 6);
}

#[test]
fn kinds_are_told_apart() {
    for (values, name, kind) in [
        (&["yes", "No", "YES"][..], "x", ValueKind::Boolean),
        (&["0", "1"], "x", ValueKind::Boolean),
        (&["1", "1"], "x", ValueKind::Integer),
        (&["M", "F"], "x", ValueKind::Text),
        (&["1", "-20", "300"], "x", ValueKind::Integer),
        (&["1", "2.5"], "x", ValueKind::Number),
        (&["1e3", "2"], "x", ValueKind::Integer),
        (&["13.0", "2.0"], "x", ValueKind::Integer),
        (&["33,9", "34"], "x", ValueKind::Number),
        (&["1.234,50", "7,25"], "x", ValueKind::Number),
        (&["1,234", "5,678"], "x", ValueKind::Text),
        (&["02138", "10001"], "x", ValueKind::Code),
        (&["10001", "94305"], "x", ValueKind::Integer),
        (&["10001", "94305-1234"], "ZipCode", ValueKind::Code),
        (&["2024-02-29", "1999-12-31"], "x", ValueKind::Date),
        (&["2024-02-29", "1999-12-31T23:59"], "x", ValueKind::Time),
        (&["10:11", "9:05:01"], "x", ValueKind::Time),
        (&["3-Apr-2018", "12-DEC-99"], "x", ValueKind::Date),
        (&["31.12.1999", "1.1.2000"], "x", ValueKind::Date),
        (&["12/31/1999", "1/1/2000"], "x", ValueKind::Date),
        (&["2023-02-29"], "x", ValueKind::Text),
        (&["1999-12-31", "12/31/1999"], "x", ValueKind::Text),
        (&["1.2.3", "10.20.30"], "x", ValueKind::Text),
        (&["inf", "nan"], "x", ValueKind::Text),
        (&["NA", "NA"], "x", ValueKind::Empty),
        (&[], "x", ValueKind::Empty),
    ] {
        assert_eq!(column(name, values, &["NA"]).kind, kind, "{values:?}");
    }
}

#[test]
fn ranges_go_by_number_and_by_date() {
    let range = |values: &[&str]| {
        let report = column("x", values, &[]);
        report.min.zip(report.max)
    };
    let some = |min: &str, max: &str| Some((min.to_owned(), max.to_owned()));
    assert_eq!(range(&["9", "10", "-3"]), some("-3", "10"));
    assert_eq!(range(&["9.5", "1e2", "10"]), some("9.5", "1e2"));
    assert_eq!(range(&["31.1.2000", "1.12.1999"]), some("1.12.1999", "31.1.2000"));
    // The second of January or the first of February?
    assert_eq!(range(&["01/02/2000", "03/04/2000"]), None);
    assert_eq!(range(&["b", "a"]), None);
}

#[test]
fn values_that_probably_mean_missing_are_pointed_out() {
    let mut values = ["1", "2", "3"].repeat(10);
    values.extend(["unknown", "-"]);
    let report = column("x", &values, &["NA"]);
    assert_eq!(report.kind, ValueKind::Text);
    let note = report.note.unwrap();
    assert_eq!(note, "numbers but for `-` and 1 other value, which are perhaps meant as missing");
    assert_eq!(column("x", &values, &["unknown", "-"]).note, None);
    assert_eq!(column("x", &["1", "a", "b"], &[]).note, None);
}

#[test]
fn the_limit_on_work_is_kept_and_told() {
    let names: Vec<String> = (0..12).map(|at| format!("age{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows: Vec<Vec<String>> = (0..100u64)
        .map(|row| (0..12).map(|at| (row * (at + 7) / 13 % (at + 2)).to_string()).collect())
        .collect();
    let table = Table::from_rows(&names, &rows).unwrap();
    let all = inspect(&table, &InspectOptions::new()).combinations;
    assert_eq!((all.examined, all.possible, all.cut_off), (286, 286, false));
    let mut examined_before = 0;
    for combinations in [0, 1, 30, 100, 150, 300] {
        let options = InspectOptions::new().with_budget(combinations * 100);
        let report = inspect(&table, &options);
        let some = &report.combinations;
        assert!(some.cut_off && some.examined <= combinations, "{combinations}: {some:?}");
        assert!(some.examined >= examined_before);
        examined_before = some.examined;
    }
}

#[test]
fn tables_with_next_to_nothing_in_them() {
    let no_rows: [[&str; 2]; 0] = [];
    let empty = Table::from_rows(&["age", "name"], &no_rows).unwrap();
    let report = inspect(&empty, &InspectOptions::new());
    assert_eq!((report.rows, report.risk.is_none()), (0, true));

    let no_columns = Table::new(Vec::new()).unwrap();
    assert!(inspect(&no_columns, &InspectOptions::new()).columns.is_empty());

    let one = Table::from_rows(&["age"], &[["3"]]).unwrap();
    let report = inspect(&one, &InspectOptions::new());
    assert_eq!(report.columns[0].uniqueness.separation, 0.0);
}

#[test]
fn the_report_is_the_same_as_json() {
    let report = patients();
    let json: serde_json::Value = serde_json::to_value(&report).unwrap();
    assert_eq!(json["rows"], 9);
    assert_eq!(json["columns"][0]["role"], "identifying");
    assert_eq!(json["columns"][1]["kind"], "integer");
    assert_eq!(json["columns"][3]["distinct"], 4);
    assert_eq!(json["risk"]["unique_rows"], 3);
    assert_eq!(json["combinations"]["triples"][0]["columns"].as_array().unwrap().len(), 3);
}

/// A panel: each person in several rows, in a column that is called after people and no more.
#[test]
fn a_column_called_after_people_names_them() {
    let numbers: Vec<String> = (0..900).map(|row| (row / 9).to_string()).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    for name in ["patient", "Person", "subject"] {
        let found = column(name, &numbers, &[]);
        assert_eq!(found.role, LikelyRole::Identifying, "{name}: {}", found.reason);
    }
    // Few of them are kinds of people.
    let kinds: Vec<&str> = (0..900).map(|row| ["adult", "child", "infant"][row % 3]).collect();
    assert_ne!(column("patient", &kinds, &[]).role, LikelyRole::Identifying);
}

/// The published counts of the Adult data, where it is at hand.
#[test]
fn the_adult_data() {
    let text = incrowd_testing::adult_file("adult.csv");
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let report = inspect(&Table::from_rows(&header, &rows).unwrap(), &InspectOptions::new());
    assert_eq!(report.rows, 30_162);
    assert_eq!(names(&report, LikelyRole::Quasi), header[..8]);
    assert_eq!(names(&report, LikelyRole::Class), ["salary-class"]);
    let age = &report.columns[1];
    assert_eq!((age.kind, age.uniqueness.distinct), (ValueKind::Integer, 72));
    assert_eq!((age.min.as_deref(), age.max.as_deref()), (Some("17"), Some("90")));
    let sex = &report.columns[0];
    assert_eq!((sex.frequent[0].value.as_str(), sex.frequent[0].count), ("Male", 20_380));
    let risk = report.risk.as_ref().unwrap();
    assert_eq!((risk.uniqueness.distinct, risk.uniqueness.unique_rows), (18_109, 14_021));
    assert_eq!((risk.smallest_class, risk.median_class), (1, 1));
    assert!(!report.combinations.cut_off);
    assert_eq!(report.combinations.examined, 28 + 56);
}

/// The same numbers the slow way: every pair of rows is compared.
fn by_brute_force(rows: &[Vec<u32>]) -> Uniqueness {
    let n = rows.len();
    let mut differing = 0u64;
    let (mut unique_rows, mut distinct) = (0u64, 0u64);
    for (at, row) in rows.iter().enumerate() {
        unique_rows += u64::from(rows.iter().filter(|other| *other == row).count() == 1);
        distinct += u64::from(!rows[..at].contains(row));
        differing += rows[..at].iter().filter(|other| *other != row).count() as u64;
    }
    let part = |part: u64, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    Uniqueness {
        distinct,
        unique_rows,
        unique_share: part(unique_rows, n),
        distinction: part(distinct, n),
        separation: part(differing, n * n.saturating_sub(1) / 2),
    }
}

fn assert_same(found: &Uniqueness, expected: &Uniqueness) {
    assert_eq!((found.distinct, found.unique_rows), (expected.distinct, expected.unique_rows));
    assert!((found.unique_share - expected.unique_share).abs() < 1e-12);
    assert!((found.distinction - expected.distinction).abs() < 1e-12);
    assert!((found.separation - expected.separation).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(128)))]

    /// Every number about uniqueness equals its slow recount, for columns, pairs, triples, growing
    /// sets and the whole; missing tokens are one value.
    #[test]
    fn uniqueness_equals_a_slow_recount(
        cells in prop::collection::vec(prop::collection::vec(0u32..6, 5), 0..40),
    ) {
        const NAMES: [&str; 5] = ["age", "sex", "race", "city", "state"];
        // The values 0 and 1 are both written as missing, in two ways.
        let text = |&cell: &u32| match cell {
            0 => String::new(),
            1 => "NA".to_owned(),
            cell => format!("v{cell}"),
        };
        let written: Vec<Vec<String>> =
            cells.iter().map(|row| row.iter().map(text).collect()).collect();
        let table = Table::from_rows(&NAMES, &written).unwrap();
        let report = inspect(&table, &options(&["NA", ""]).with_combinations(100));
        let project = |columns: &[String]| -> Vec<Vec<u32>> {
            let at: Vec<usize> = columns
                .iter()
                .map(|name| NAMES.iter().position(|known| known == name).unwrap())
                .collect();
            cells.iter().map(|row| at.iter().map(|&at| row[at].max(1)).collect()).collect()
        };
        for column in &report.columns {
            let rows = project(std::slice::from_ref(&column.name));
            assert_same(&column.uniqueness, &by_brute_force(&rows));
            prop_assert_eq!(column.missing, rows.iter().filter(|row| row[0] == 1).count() as u64);
        }
        let found = &report.combinations;
        for combination in found.pairs.iter().chain(&found.triples).chain(&found.growing) {
            assert_same(&combination.uniqueness, &by_brute_force(&project(&combination.columns)));
        }
        for ranked in [&found.pairs, &found.triples] {
            let unique: Vec<u64> = ranked.iter().map(|one| one.uniqueness.unique_rows).collect();
            prop_assert!(unique.is_sorted_by(|worse, better| worse >= better));
        }
        let quasi = names(&report, LikelyRole::Quasi).len();
        prop_assert_eq!(found.pairs.len(), quasi * quasi.saturating_sub(1) / 2);
        prop_assert_eq!(found.examined, found.possible);
        if let Some(risk) = &report.risk {
            let rows = project(&risk.quasi);
            assert_same(&risk.uniqueness, &by_brute_force(&rows));
            let size = |row| rows.iter().filter(|other| *other == row).count() as u64;
            prop_assert_eq!(Some(risk.smallest_class), rows.iter().map(size).min());
            // The average over the rows of one over the class they are in.
            let average = rows.iter().map(|row| 1.0 / size(row) as f64).sum::<f64>() / rows.len() as f64;
            prop_assert!((risk.prosecutor_average - average).abs() < 1e-9);
            prop_assert_eq!(found.growing.last().unwrap().uniqueness.distinct, risk.uniqueness.distinct);
        }
    }

    /// Splitting by hashing and by a table of slots is the same thing.
    #[test]
    fn splitting_does_not_depend_on_how_sparse_codes_are(
        cells in prop::collection::vec((0u32..5, 0u32..5), 0..50),
    ) {
        let split = |spread: u32| {
            let column = |codes: Vec<u32>| CodedColumn {
                codes: codes.into_iter().map(|code| code * spread).collect(),
                cardinality: 5 * spread as usize,
            };
            column(cells.iter().map(|cell| cell.0).collect())
                .split(&column(cells.iter().map(|cell| cell.1).collect()))
        };
        let (dense, sparse) = (split(1), split(1_000));
        prop_assert_eq!(dense.codes, sparse.codes);
        prop_assert_eq!(dense.cardinality, sparse.cardinality);
    }
}
