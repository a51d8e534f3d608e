//! What the tests share.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test file uses its part; a test fails by panicking")]

use std::path::PathBuf;

use incrowd::{Algorithm, Method, Problem, ProblemSpec, Recoding, Release, Solution, Suppressed, Table, Watch};

pub const ADULT_QUASI: [&str; 8] =
    ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"];

/// A file of the Adult census data, if it is beside the repository.
pub fn adult_file(name: &str) -> Option<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult").join(name);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        eprintln!("skipped: {} is not there", path.display());
    }
    text
}

/// The Adult census data, if it is beside the repository.
pub fn adult() -> Option<Table> {
    let text = adult_file("adult.csv")?;
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    Some(Table::from_rows(&header, &lines.collect::<Vec<_>>()).unwrap())
}

pub fn solve(method: &str, options: &[(&str, &str)], problem: &Problem) -> Solution {
    Method::new(method, options).unwrap().solve(problem, &Watch::default()).unwrap()
}

/// The released rows in input order, and the recoding.
pub fn release_rows(
    spec: &ProblemSpec,
    table: &Table,
    method: &str,
    options: &[(&str, &str)],
    suppressed: Suppressed,
) -> (Problem, Recoding, Release, Vec<Vec<String>>) {
    let problem = Problem::of_table(spec, table).unwrap();
    let recoding = solve(method, options, &problem).recoding.unwrap();
    let release = Release::new(&problem, &recoding, suppressed);
    let rows = rows_of(&release.table(&problem, table, &[]).unwrap());
    (problem, recoding, release, rows)
}

pub fn rows_of(table: &Table) -> Vec<Vec<String>> {
    (0..table.rows())
        .map(|row| table.columns().iter().map(|column| column.value(row).to_owned()).collect())
        .collect()
}
