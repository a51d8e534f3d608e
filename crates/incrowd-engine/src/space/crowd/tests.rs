//! Bounds against every grouping of small tables.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(clippy::print_stderr, reason = "figures are read by people")]

use super::context::CrowdContext;
use super::dual_prices::improve;
use super::personal_minima::{minima, total};
use super::repair::{RepairBudget, repair};
use super::{ProofBudget, prove};
use crate::cost::Metric;
use crate::kit::SearchRng;
use crate::problem::{HierarchySource, Limit, Problem, ProblemSpec};
use crate::recoding::ProfileShare;
use crate::search::Control;
use crate::table::Table;
use crate::value::Hierarchy;

/// A random table of up to eleven rows with numbers, text, a hierarchy, dates and missing values.
fn problem(random: &mut SearchRng) -> Problem {
    let rows = 4 + random.below(8);
    let columns = 1 + random.below(4);
    let sorts: Vec<usize> = (0..columns).map(|_| random.below(4)).collect();
    let names: Vec<String> = (0..columns).map(|at| format!("c{at}")).collect();
    let values: Vec<usize> = (0..columns).map(|_| 2 + random.below(8)).collect();
    let missing: Vec<bool> = (0..columns).map(|_| random.below(4) == 0).collect();
    let field = |random: &mut SearchRng, at: usize| {
        let value = random.below(values[at]);
        if missing[at] && random.below(6) == 0 {
            return "?".to_owned();
        }
        match sorts[at] {
            0 => (value * value + value).to_string(),
            1 => format!("t{value}"),
            2 => format!("v{value}"),
            _ => format!("20{:02}-0{}-1{}", 10 + value % 3, 1 + value % 4, value % 5),
        }
    };
    let table: Vec<Vec<String>> =
        (0..rows).map(|_| (0..columns).map(|at| field(random, at)).collect()).collect();
    let header: Vec<&str> = names.iter().map(String::as_str).collect();
    let table = Table::from_rows(&header, &table).unwrap();
    let k = 2 + random.below(3.min(rows - 2));
    let mut spec = header.iter().fold(ProblemSpec::new(k as u64), |spec, name| spec.quasi(name));
    for (at, column) in spec.quasi.iter_mut().enumerate() {
        if sorts[at] == 2 {
            let mut ladder: Vec<[String; 3]> = (0..10)
                .map(|value| [format!("v{value}"), format!("g{}", value / 3), "*".to_owned()])
                .collect();
            if missing[at] {
                ladder.push(["?", "?", "*"].map(str::to_owned));
            }
            column.hierarchy = Some(HierarchySource::Given(Hierarchy::from_rows(&ladder).unwrap()));
        }
        column.weight = [1.0, 0.5, 3.0][random.below(3)];
    }
    spec.metric = [Metric::Ncp, Metric::Loss][random.below(2)];
    spec.limit = [Limit::Rows(0), Limit::Default, Limit::Rows(2), Limit::All][random.below(4)];
    Problem::of_table(&spec, &table).unwrap()
}

/// The least cost of all groupings, straight from the metric's definition: each row is put into a group, or
/// suppressed at its price, up to the limit.
fn least(problem: &Problem) -> f64 {
    let rows: Vec<usize> = (0..problem.cells.len())
        .flat_map(|cell| std::iter::repeat_n(cell, problem.cells.counts()[cell] as usize))
        .collect();
    let price = problem.group_prices(problem.metric);
    let k = problem.privacy.k as usize;
    let limit = problem.limit.rows(problem.rows, 0) as usize;
    let full = (1usize << rows.len()) - 1;
    let cost = |set: usize| -> f64 {
        let members = || (0..rows.len()).filter(|row| set >> row & 1 == 1).map(|row| rows[row]);
        let each: f64 = (0..problem.attributes.len())
            .map(|at| {
                let mut codes: Vec<u32> =
                    members().map(|cell| problem.cells.code(at, cell)).collect();
                codes.sort_unstable();
                codes.dedup();
                let attribute = &problem.attributes[at];
                price.of(at, &attribute.meant(&attribute.group(&codes)))
            })
            .sum();
        each * set.count_ones() as f64
    };
    let costs: Vec<f64> = (0..=full)
        .map(|set| if (set.count_ones() as usize) < k { f64::INFINITY } else { cost(set) })
        .collect();
    // By what is left, and how many of them may be suppressed.
    let mut best = vec![vec![f64::INFINITY; full + 1]; limit + 1];
    for (allowed, _) in best.clone().iter().enumerate() {
        best[allowed][0] = 0.0;
        for set in 1..=full {
            let low = 1usize << set.trailing_zeros();
            let mut least = f64::INFINITY;
            if allowed > 0 {
                least = price.suppressed() + best[allowed - 1][set & !low];
            }
            // Every subset that holds the lowest row.
            let rest = set & !low;
            let mut part = rest;
            loop {
                let group = part | low;
                least = least.min(costs[group] + best[allowed][set & !group]);
                if part == 0 {
                    break;
                }
                part = (part - 1) & rest;
            }
            best[allowed][set] = least;
        }
    }
    best[limit][full]
}

/// A release in which all look alike.
fn together(problem: &Problem) -> Vec<ProfileShare> {
    let counts = problem.cells.counts().iter().zip(0..);
    counts.map(|(&count, cell)| ProfileShare { cell, target: 0, class: 0, count }).collect()
}

#[test]
fn no_bound_is_above_the_least_cost() {
    let tables =
        incrowd_testing::cases(20_000).min(if incrowd_testing::thorough() { 20_000 } else { 400 });
    let (mut tight, mut worked, mut sum, mut of) = (0, 0, 0.0, 0.0);
    for seed in 0..u64::from(tables) {
        let mut random = SearchRng::of_seed(seed);
        let problem = problem(&mut random);
        let least = least(&problem);
        if !least.is_finite() {
            continue;
        }
        let slack = 1e-9 * least + 1e-12;
        let quick =
            ProofBudget { minima: [1, 10, 1_000_000][random.below(3)], dual: 0, in_part: true };
        let first = prove(&problem, &[], quick, &Control::new()).unwrap();
        assert!(first.bound <= least + slack, "seed {seed}: {} > {least}", first.bound);
        let work = ProofBudget {
            minima: 1_000_000,
            dual: [1, 100, 10_000, 10_000_000][random.below(4)],
            in_part: true,
        };
        let proof = prove(&problem, &together(&problem), work, &Control::new()).unwrap();
        assert!(proof.bound <= least + slack, "seed {seed}: {} > {least}", proof.bound);
        // Whatever prices one begins with, few steps or many.
        let ground = CrowdContext::new(&problem);
        let known = minima(&ground, (1_000_000, true), 1_000_000, &Control::new());
        let mut any: Vec<i64> = known
            .least
            .iter()
            .map(|&it| {
                (it * (50 + random.below(400) as i64) / 100 + random.below(1 << 30) as i64)
                    .min(ground.most)
            })
            .collect();
        repair(
            &ground,
            &mut any,
            &known.least,
            RepairBudget {
                each: [1, 5, 50, 100_000][random.below(4)],
                ample: [0, 200, 1_000_000][random.below(3)],
                then: [1, 20, 100_000][random.below(3)],
            },
            &Control::new(),
        );
        assert!(total(&ground, &any) <= least + slack, "seed {seed}: repaired above {least}");
        if least > 0.0 {
            worked += 1;
            sum += proof.bound / least;
            of += first.bound / least;
            tight += usize::from(proof.bound > 0.999 * least);
        }
    }
    eprintln!(
        "{tight} of {worked} tight, dual {:.3}, minima {:.3}",
        sum / worked as f64,
        of / worked as f64
    );
}

#[test]
fn a_crowd_of_its_own_costs_nothing() {
    let rows: Vec<[String; 1]> = (0..12).map(|at| [(at / 4).to_string()]).collect();
    let table = Table::from_rows(&["a"], &rows).unwrap();
    let problem = Problem::of_table(&ProblemSpec::new(4).quasi("a"), &table).unwrap();
    let work = ProofBudget { minima: 1_000, dual: 1_000, in_part: false };
    let proof = prove(&problem, &[], work, &Control::new()).unwrap();
    assert_eq!((proof.bound, proof.of), (0.0, 0));
}

/// Figures for real data: `INCROWD_ADULT_K=5 cargo test --release ... -- --ignored`.
#[test]
#[ignore = "takes a minute"]
fn adult() {
    let text = incrowd_testing::adult_file("adult.csv");
    let k: u64 = std::env::var("INCROWD_ADULT_K").ok().and_then(|k| k.parse().ok()).unwrap_or(5);
    let mut lines = text.lines();
    let separator = if text.contains(';') { ';' } else { ',' };
    let names: Vec<&str> = lines.next().unwrap().split(separator).collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(separator).collect()).collect();
    let table = Table::from_rows(&names, &rows).unwrap();
    let spec = incrowd_testing::ADULT_QUASI
        .iter()
        .fold(ProblemSpec::new(k), |spec, name| spec.quasi(name));
    let problem = Problem::of_table(&spec, &table).unwrap();
    let ground = CrowdContext::new(&problem);
    let start = std::time::Instant::now();
    let found = minima(&ground, (u64::MAX, true), 1_000_000, &Control::new());
    let gcp = |cost: f64| cost / (problem.rows as f64 * ground.unit);
    eprintln!(
        "{} combinations, minima {:.5} with {} steps, {:?}",
        ground.len(),
        gcp(found.bound(&ground)),
        found.steps,
        start.elapsed()
    );
    let worths = improve(&ground, &found, &[], 4_500_000_000, &Control::new());
    eprintln!(
        "dual prices {:.5} with {} steps, {} crowds {:?}",
        gcp(total(&ground, &worths.worths)),
        worths.steps,
        worths.crowds.len(),
        start.elapsed()
    );
    // As the proof itself: a little less than what the program says.
    let share = if k > 7 { 96 } else { 100 };
    let less = |(&worth, &least): (&i64, &i64)| least + (worth - least) / 100 * share;
    let mut mixed: Vec<i64> = worths.worths.iter().zip(&found.least).map(less).collect();
    let looks = RepairBudget { each: 4_000_000, ample: 4_500_000_000, then: 250_000 };
    let steps = repair(&ground, &mut mixed, &found.least, looks, &Control::new());
    eprintln!(
        "repaired {:.5} with {steps} steps, {:?}",
        gcp(total(&ground, &mixed)),
        start.elapsed()
    );
}
