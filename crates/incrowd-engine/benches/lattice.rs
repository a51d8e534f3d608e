//! The optimal full-domain search, in CPU time.
//!
//! `cargo bench -p incrowd-engine --bench lattice -- adult` solves the Adult census data
//! for six k under every metric, with no limit on suppression. `-- synthetic` solves 100,000
//! made-up rows with twelve attributes, whose lattice has 5,308,416 nodes.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and may fail")]

use std::time::{Duration, Instant};

use incrowd_engine::problem::HierarchySource;
use incrowd_engine::{
    Algorithm, Control, Hierarchy, Limit, Method, Metric, Problem, ProblemSpec, ProcessTime,
    Release, Solution, SuppressionMode, Table,
};
use incrowd_testing::{ADULT_QUASI, LinearRng};

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|it| it == name);
    if is_wanted("adult") {
        adult();
    }
    if is_wanted("synthetic") {
        synthetic();
    }
}

/// Solves a problem; CPU and wall seconds of the search alone.
fn timed(problem: &Problem, limit: Duration) -> (Solution, f64, f64) {
    let control = Control::new().with_time_limit(limit);
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let solution = Method::new("lattice", &[]).unwrap().solve(problem, &control).unwrap();
    (solution, cpu.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64())
}

fn row(problem: &Problem, solution: &Solution) -> String {
    let facts = solution.lattice().unwrap();
    let release = Release::of_solution(problem, solution, SuppressionMode::Drop).unwrap();
    let cost = release.measures.cost(problem.metric).unwrap();
    format!(
        "{:<18} k {:>3}: {} {cost:.4}, {} suppressed, {} classes; {} of {} nodes checked",
        problem.metric.name(),
        problem.privacy.k,
        solution.outcome.name(),
        release.classes.suppressed_rows(),
        release.classes.released().count(),
        facts.checked,
        facts.nodes,
    )
}

fn adult() {
    let text = incrowd_testing::adult_file("adult.csv");
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let table = Table::from_rows(&header, &lines.collect::<Vec<_>>()).unwrap();
    let mut spec = ProblemSpec::new(1).class("salary-class");
    for name in ADULT_QUASI {
        spec = spec.quasi(name);
        let text = incrowd_testing::adult_file(&format!("adult_hierarchy_{name}.csv"));
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(';').collect()).collect();
        spec.quasi.last_mut().unwrap().hierarchy =
            Some(HierarchySource::Given(Hierarchy::from_rows(&rows).unwrap()));
    }
    spec.limit = Limit::All;
    let mut slowest: f64 = 0.0;
    for metric in Metric::ALL {
        for k in [2, 5, 10, 25, 50, 100] {
            (spec.metric, spec.k) = (metric, k);
            let problem = Problem::of_table(&spec, &table).unwrap();
            // The least of a few runs is the least disturbed.
            let runs = (0..5).map(|_| timed(&problem, Duration::from_secs(60)));
            let (solution, cpu, _) = runs.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            println!("{}; {:.0} ms of CPU", row(&problem, &solution), 1e3 * cpu);
            slowest = slowest.max(cpu);
        }
    }
    println!("adult: at most {:.0} ms of CPU", 1e3 * slowest);
}

/// How many values each made-up attribute has, and how many go into one group on each level: eight
/// attributes with four levels and four with three.
const SHAPES: [(u32, u32); 12] = [
    (27, 3),
    (27, 3),
    (27, 3),
    (27, 3),
    (64, 4),
    (64, 4),
    (64, 4),
    (64, 4),
    (9, 3),
    (9, 3),
    (16, 4),
    (16, 4),
];

/// People of forty kinds, who differ from their kind now and then.
fn made_up(rows: usize) -> Table {
    let mut rng = LinearRng::new(2005);
    let mut below = move |end: u32| rng.below(end.into()) as u32;
    let kinds: Vec<Vec<u32>> =
        (0..40).map(|_| SHAPES.iter().map(|&(values, _)| below(values)).collect()).collect();
    let names: Vec<String> = (1..=SHAPES.len()).map(|at| format!("a{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let people: Vec<Vec<String>> = (0..rows)
        .map(|_| {
            // Some kinds are common, others rare.
            let kind = below(40).min(below(40)) as usize;
            let value = |(at, &(values, _)): (usize, &(u32, u32))| match below(10) {
                0..7 => kinds[kind][at],
                7 | 8 => (kinds[kind][at] + below(3)) % values,
                _ => below(values).min(below(values)),
            };
            SHAPES.iter().enumerate().map(value).map(|value| format!("v{value:02}")).collect()
        })
        .collect();
    Table::from_rows(&names, &people).unwrap()
}

fn synthetic() {
    let table = made_up(100_000);
    let mut spec = ProblemSpec::new(10);
    for (at, &(values, width)) in SHAPES.iter().enumerate() {
        spec = spec.quasi(&format!("a{}", at + 1));
        let ladder = |value: u32| -> Vec<String> {
            let mut row = vec![format!("v{value:02}")];
            let mut groups = width;
            while groups < values {
                row.push(format!("{groups}-{}", value / groups));
                groups *= width;
            }
            row.push("*".to_owned());
            row
        };
        let rows: Vec<Vec<String>> = (0..values).map(ladder).collect();
        spec.quasi[at].hierarchy =
            Some(HierarchySource::Given(Hierarchy::from_rows(&rows).unwrap()));
    }
    for (metric, limit, name) in [
        (Metric::Dm, Limit::All, "no limit"),
        (Metric::Dm, Limit::Share(0.02), "2%"),
        (Metric::Loss, Limit::Rows(0), "0"),
        (Metric::Loss, Limit::Share(0.02), "2%"),
        (Metric::GeometricLoss, Limit::Share(0.02), "2%"),
    ] {
        (spec.metric, spec.limit) = (metric, limit);
        let problem = Problem::of_table(&spec, &table).unwrap();
        let (solution, cpu, wall) = timed(&problem, Duration::from_secs(600));
        let cells = problem.cells.len();
        println!(
            "synthetic, {cells} cells, limit {name}: {}; {cpu:.1} s of CPU, {wall:.1} s",
            row(&problem, &solution)
        );
    }
}
