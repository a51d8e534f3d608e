//! Three programs as the page on the library teaches them: a hierarchy file, a large file to a file, Arrow batches in and out.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use incrowd::{
    Anonymize, ErrorKind, Input, Limit, MemoryTable, Metric, Model, ReadOptions, SearchStatus,
    Source, hierarchy_from, table_from,
};

/// How many rows the smallest class has, by the labels of these columns.
fn smallest_class<'a>(rows: impl Iterator<Item = Vec<&'a str>>) -> usize {
    let mut classes: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    rows.for_each(|row| *classes.entry(row).or_default() += 1);
    classes.into_values().min().unwrap()
}

#[test]
fn a_table_with_a_hierarchy_file() {
    let folder = tempfile::tempdir().unwrap();
    let (people, levels) = (folder.path().join("people.csv"), folder.path().join("zip.csv"));
    let mut text = "name,zip,illness\n".to_owned();
    let mut steps = String::new();
    for at in 0..60 {
        let zip = 53_700 + at % 20;
        text.push_str(&format!("person {at},{zip},{}\n", ["flu", "gout", "cold"][at % 3]));
        if at < 20 {
            steps.push_str(&format!("{zip};{}*;*\n", zip / 10));
        }
    }
    std::fs::write(&people, text).unwrap();
    std::fs::write(&levels, steps).unwrap();
    let table = table_from(&people).unwrap();
    let done = Anonymize::new(&table)
        .k(10)
        .hierarchy("zip", hierarchy_from(&levels).unwrap())
        .quasi(["zip"])
        .identifying(["name"])
        .keep(["illness"])
        .metric(Metric::Ncp)
        .run()
        .unwrap();
    assert!(done.verdict().unwrap().holds);
    let released = done.table().unwrap();
    assert_eq!(released.names(), ["zip", "illness"]);
    let labels = (0..released.rows()).map(|row| vec![released.column("zip").unwrap().value(row)]);
    let known = ["5370*", "5371*"];
    assert!(labels.clone().all(|label| known.contains(&label[0])), "values of the hierarchy");
    assert!(smallest_class(labels) >= 10);
    // Three illnesses are not four, and a result says so.
    let ask = Anonymize::new(&table).k(5).quasi(["zip"]).identifying(["name"]);
    let none = ask.sensitive("illness", Model::DistinctL { l: 4 }).limit(Limit::Rows(0)).run();
    let none = none.unwrap();
    assert_eq!(none.status(), SearchStatus::Infeasible);
    assert_eq!(none.table().unwrap_err().kind, ErrorKind::Refused);
}

#[test]
fn a_large_file_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("census.csv"), folder.path().join("release.csv"));
    incrowd_demo::Census::new(50_000, 3).write_file(&input).unwrap();
    let source = Source::open(&Input::from(input.as_path()), &ReadOptions::default()).unwrap();
    let ask = || Anonymize::of_source(&source).k(5).quasi(["age", "sex", "race", "education"]);
    let over_itself = ask().run_to(&input).unwrap_err();
    assert!(over_itself.message.contains("written over the input"), "{}", over_itself.message);
    let report = ask().run_to(&output).unwrap();
    assert!(report.verdict.unwrap().holds && report.rows == 50_000);
    let text = std::fs::read_to_string(&output).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    assert_eq!(lines.next().unwrap(), ["age", "sex", "race", "education"]);
    assert!(smallest_class(lines) >= 5);
}

#[test]
fn arrow_batches_in_and_out() {
    let batch = |first: i64| {
        let ages: ArrayRef =
            Arc::new(Int64Array::from_iter_values((first..first + 50).map(|at| 20 + at * 7 % 60)));
        let ills = (first..first + 50).map(|at| format!("illness {}", at % 4));
        let ills: ArrayRef = Arc::new(StringArray::from_iter_values(ills));
        RecordBatch::try_from_iter([("age", ages), ("ill", ills)]).unwrap()
    };
    let batches = vec![batch(0), batch(50), batch(100)];
    let source = Source::from_batches("people", batches[0].schema(), batches, None).unwrap();
    let done = Anonymize::of_source(&source).k(5).quasi(["age"]).keep(["ill"]).run().unwrap();
    assert!(done.verdict().unwrap().holds);
    let MemoryTable { schema, batches } = done.batches().unwrap();
    assert_eq!(schema.field(0).name(), "age");
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 150);
    let ages = batches.iter().flat_map(|batch| batch.column(0).as_string::<i32>().iter());
    assert!(smallest_class(ages.map(|age| vec![age.unwrap()])) >= 5);
}
