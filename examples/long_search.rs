//! A long search on a thread of its own: its events as they come, the best solution so far, and an end at will.
//!
//!     cargo run -p incrowd-examples --bin long_search

use std::sync::Arc;
use std::time::{Duration, Instant};

use incrowd_engine::method::Optimal;
use incrowd_engine::{
    Control, Event, Method, Metric, Problem, ProblemSpec, Release, Result, SuppressionMode, Table,
};

fn main() -> Result<()> {
    let rows: Vec<[String; 4]> = (0..3_000u64)
        .map(|at| [at * at % 97, at * 31 % 89, at * 17 % 83, at * 7 % 79].map(|n| n.to_string()))
        .collect();
    let table = Table::from_rows(&["a", "b", "c", "d"], &rows)?;
    let spec = ProblemSpec::new(5).quasi("a").quasi("b").quasi("c").quasi("d");
    let problem = Problem::of_table(&spec, &table)?.with_metric(Metric::Dm)?;
    let problem = Arc::new(problem);

    let method = Method::from(Optimal::default().gap(0.01));
    let search = method.spawn(problem.clone(), Control::new());
    let start = Instant::now();
    for event in search.events() {
        match event {
            Event::Improved { cost, .. } => println!("{:.1?}: cost {cost}", start.elapsed()),
            Event::Bound(bound) => println!("{:.1?}: bound {bound}", start.elapsed()),
            _ => {}
        }
        // Somebody has lost patience; the best so far is kept.
        if start.elapsed() > Duration::from_secs(2) {
            search.cancel();
        }
    }
    if let Some(best) = search.best() {
        println!("the best that was told costs {}", best.cost);
    }
    let solution = search.join()?;
    println!("the search ended: {}", solution.outcome.name());
    let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop);
    println!("{} rows can be released", release.map_or(0, |release| release.rows()));
    Ok(())
}
