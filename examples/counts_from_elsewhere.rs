//! Counts from elsewhere: only combinations and counts travel, as a GROUP BY in a database or on a cluster gives
//! them; what comes back is a map from combination to released labels, for a join over there.
//!
//!     cargo run -p incrowd-examples --bin counts_from_elsewhere

use incrowd_engine::release::RowDisposition;
use incrowd_engine::table::Value;
use incrowd_engine::{
    Algorithm, Control, FrequencyCounts, Method, Problem, ProblemSpec, Release, Result,
    SuppressionMode,
};

fn main() -> Result<()> {
    // SELECT age, region, count(*) FROM people GROUP BY age, region, in two parts of the table.
    let groups = |from: i64, rows: u64| {
        (from..from + 40).map(move |age| {
            ([Value::Integer(age), Value::Text(["north", "south"][age as usize % 2])], rows)
        })
    };
    let mut counts = FrequencyCounts::from_groups(["age", "region"], groups(20, 2_000_000_000))?;
    counts.merge(&FrequencyCounts::from_groups(["age", "region"], groups(40, 3))?)?;
    println!("{} rows, {} combinations", counts.rows(), counts.combinations());

    let spec = ProblemSpec::new(10).quasi("age").quasi("region");
    let problem = Problem::build(&spec, &counts)?;
    let solution = Method::new("mondrian", &[])?.solve(&problem, &Control::new())?;
    let Some(release) = Release::of_solution(&problem, &solution, SuppressionMode::Drop) else {
        println!("there is no release: {}", solution.outcome.name());
        return Ok(());
    };
    for cell in 0..problem.cells.len() {
        let value = |at: usize| problem.attributes[at].domain.label(problem.cells.code(at, cell));
        // Whole combinations go one way here, so neither target nor row number matters.
        if let RowDisposition::Class(class) = release.disposition_of(cell as u32, 0, 0) {
            let label = |at: usize| &release.labels(at)[release.label_of(at, class) as usize][0];
            if cell % 10 == 0 {
                println!("({}, {}) becomes ({}, {})", value(0), value(1), label(0), label(1));
            }
        }
    }
    println!("{} rows in {} classes", release.rows(), release.classes.released().count());
    Ok(())
}
