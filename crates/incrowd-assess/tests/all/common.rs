//! What the tests share.
#![allow(
    clippy::print_stderr,
    reason = "a test that was skipped should not look like one that ran"
)]

use std::path::Path;

pub(crate) use incrowd_testing::ADULT_QUASI;

use incrowd::{Algorithm, Control, Method, Problem, Release, SuppressionMode, Table};

/// The Adult census data, if it is beside the repository.
pub(crate) fn adult() -> Option<Table> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult/adult.csv");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("skipped: the Adult data is not beside the repository");
        return None;
    };
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    Some(Table::from_rows(&header, &lines.collect::<Vec<_>>()).unwrap())
}

/// What a method makes of a problem.
pub(crate) fn release(problem: &Problem, method: &str, options: &[(&str, &str)]) -> Release {
    let solution = Method::new(method, options).unwrap().solve(problem, &Control::new()).unwrap();
    Release::of_solution(problem, &solution, SuppressionMode::Drop).unwrap()
}
