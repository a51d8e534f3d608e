//! What the tests share.
pub(crate) use incrowd_testing::ADULT_QUASI;

use incrowd_engine::{Algorithm, Control, Method, Problem, Release, SuppressionMode, Table};

/// The Adult census data.
pub(crate) fn adult() -> Table {
    let text = incrowd_testing::adult_file("adult.csv");
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    Table::from_rows(&header, &lines.collect::<Vec<_>>()).unwrap()
}

/// What a method makes of a problem.
pub(crate) fn release(problem: &Problem, method: &str, options: &[(&str, &str)]) -> Release {
    let solution = Method::new(method, options).unwrap().solve(problem, &Control::new()).unwrap();
    Release::of_solution(problem, &solution, SuppressionMode::Drop).unwrap()
}
