//! Arrow batches are counted, recoded and verified as tables of text are.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, ListArray, RecordBatch,
    StringArray,
};
use incrowd_data::arrow::{BatchRecoder, count_batch, table_of, verify_batch};
use incrowd_engine::release::RowDisposition;
use incrowd_engine::{
    Algorithm, Control, ErrorKind, FrequencyCounts, Method, Problem, ProblemSpec, Recoder, Release,
    SuppressionMode, Table,
};
use incrowd_verify::{Requirements, Verifier};
use proptest::prelude::*;

/// A row: age, place, illness; none is missing.
type Row = (Option<i64>, Option<&'static str>, u8);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let age = prop::option::weighted(0.9, 20..40i64);
    let place = prop::option::weighted(0.9, prop::sample::select(vec!["north", "south", "west"]));
    prop::collection::vec((age, place, 0..3u8), 8..60)
}

/// The rows as Arrow has them; places as a dictionary or as plain text.
fn batch(rows: &[Row], coded: bool) -> RecordBatch {
    let ages: ArrayRef = Arc::new(Int64Array::from_iter(rows.iter().map(|row| row.0)));
    let places: ArrayRef = if coded {
        let mut builder = StringDictionaryBuilder::<Int32Type>::new();
        // An entry that no row uses.
        builder.append_value("nowhere");
        rows.iter().for_each(|row| builder.append_option(row.1));
        let built = builder.finish();
        Arc::new(built.slice(1, rows.len()))
    } else {
        Arc::new(StringArray::from_iter(rows.iter().map(|row| row.1)))
    };
    let ills: ArrayRef =
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| format!("ill {}", row.2))));
    RecordBatch::try_from_iter([("age", ages), ("place", places), ("ill", ills)]).unwrap()
}

fn as_table(rows: &[Row]) -> Table {
    let text: Vec<[String; 3]> = rows
        .iter()
        .map(|row| {
            let age = row.0.map_or(String::new(), |age| age.to_string());
            [age, row.1.unwrap_or("").to_owned(), format!("ill {}", row.2)]
        })
        .collect();
    Table::from_rows(&["age", "place", "ill"], &text).unwrap()
}

fn texts(batch: &RecordBatch) -> Vec<Vec<String>> {
    let names: Vec<String> =
        batch.schema_ref().fields().iter().map(|field| field.name().clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let table = table_of(batch, &names).unwrap();
    (0..table.rows())
        .map(|row| table.columns().iter().map(|column| column.value(row).to_owned()).collect())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(300)))]

    #[test]
    fn batches_fare_as_tables_do(
        rows in rows(),
        size in 1..20usize,
        coded: bool,
        method in prop::sample::select(vec!["mondrian", "best-local", "optimal", "cells", "recode-and-blank"]),
    ) {
        let (table, spec) = (as_table(&rows), ProblemSpec::new(3).quasi("age").quasi("place"));
        let mut counts = FrequencyCounts::new(spec.columns());
        for part in rows.chunks(size) {
            count_batch(&mut counts, &batch(part, coded)).unwrap();
        }
        let problem = Problem::build(&spec, &counts).unwrap();
        let plain = Problem::of_table(&spec, &table).unwrap();
        prop_assert_eq!(problem.cells.counts(), plain.cells.counts());
        let solution = Method::new(method, &[]).unwrap().solve(&problem, &Control::new()).unwrap();
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop);
        let Some(release) = release else { return Ok(()) };
        let recoder = Recoder::new(&problem, &release);
        let by_table = recoder.recode(&table, &mut recoder.assigner(), &["ill"]).unwrap();
        let arrow = BatchRecoder::new(&recoder, &["ill"]);
        let quasi = ["age".to_owned(), "place".to_owned()];
        let header = ["age", "place", "ill"];
        let mut verifier = Verifier::new(&header, &Requirements::new(3, quasi)).unwrap();
        let mut assigner = recoder.assigner();
        let mut released = Vec::new();
        for part in rows.chunks(size) {
            let batch = arrow.recode(&batch(part, coded), &mut assigner).unwrap();
            verify_batch(&mut verifier, &batch).unwrap();
            // No label travels that no row shows.
            let labels = batch.column(0).as_any_dictionary();
            let entries = labels.values().len();
            let used = if entries == 0 { Vec::new() } else { labels.normalized_keys() };
            prop_assert!((0..entries).all(|entry| used.contains(&entry)));
            released.extend(texts(&batch));
        }
        let expected: Vec<Vec<String>> = (0..by_table.rows())
            .map(|row| by_table.columns().iter().map(|column| column.value(row).to_owned()).collect())
            .collect();
        prop_assert_eq!(released, expected);
        prop_assert!(verifier.finish().unwrap().holds);
    }
}

#[test]
fn values_of_all_types_read_as_in_files() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("whole", Arc::new(Int64Array::from(vec![Some(7), None]))),
        ("part", Arc::new(Float64Array::from(vec![2.5, 40.0]))),
        ("yes", Arc::new(BooleanArray::from(vec![true, false]))),
        ("day", Arc::new(Date32Array::from(vec![19_000, 0]))),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    assert_eq!(
        texts(&batch),
        [["7", "2.5", "true", "2022-01-08"], ["", "40", "false", "1970-01-01"]]
    );
}

#[test]
fn what_cannot_be_done_is_said() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), None]);
    let lists: ArrayRef = Arc::new(lists);
    let batch = RecordBatch::try_from_iter_with_nullable([("list", lists, true)]).unwrap();
    let error = table_of(&batch, &["list"]).unwrap_err();
    assert!(
        error.kind == ErrorKind::Value && error.message.contains("unsupported type"),
        "{error}"
    );
    let error = table_of(&batch, &["other"]).unwrap_err();
    assert!(error.message.contains("no column") && error.help.unwrap().contains("list"));
}

#[test]
fn rows_that_were_not_counted_are_refused() {
    let known: Vec<Row> = (0..10).map(|at| (Some(20 + at % 2), Some("north"), 0)).collect();
    let spec = ProblemSpec::new(2).quasi("age").quasi("place");
    let mut counts = FrequencyCounts::new(spec.columns());
    count_batch(&mut counts, &batch(&known, false)).unwrap();
    let problem = Problem::build(&spec, &counts).unwrap();
    let solution = Method::new("mondrian", &[]).unwrap().solve(&problem, &Control::new()).unwrap();
    let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
    let recoder = Recoder::new(&problem, &release);
    let arrow = BatchRecoder::new(&recoder, &[]);
    let other = batch(&[(Some(99), Some("north"), 0)], false);
    let error = arrow.recode(&other, &mut recoder.assigner()).unwrap_err();
    assert!(error.kind == ErrorKind::Changed, "{error}");
    let fates = arrow.dispositions(&batch(&known[..1], false), &mut recoder.assigner()).unwrap();
    assert!(matches!(fates[..], [RowDisposition::Class(_)]));
    assert!(
        BatchRecoder::new(&recoder, &["absent"]).recode(&other, &mut recoder.assigner()).is_err()
    );
}
