//! The interfaces that databases, data frames, Spark and servers build on, each used as its later user will.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use common::case::{Case, case};
use common::{rows_of, solve};
use incrowd_engine::release::RowCounts;
use incrowd_engine::table::{Column, Value};
use incrowd_engine::{
    Control, Event, FrequencyCounts, Method, Model, Problem, ProblemSpec, Recoder, Release,
    StopReason, SuppressionMode, Table,
};
use proptest::prelude::*;

/// Methods of every kind of recoding.
const METHODS: [&str; 5] = ["mondrian", "cluster-up", "best-local", "optimal", "cells"];

/// The groups of a table, as a GROUP BY would give them.
fn groups(table: &Table, names: &[String]) -> Vec<(Vec<String>, u64)> {
    let mut groups: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for row in 0..table.rows() {
        let value = |name: &String| table.column(name).unwrap().value(row).to_owned();
        *groups.entry(names.iter().map(value).collect()).or_default() += 1;
    }
    groups.into_iter().collect()
}

/// The same rows, with values numbered the other way round.
fn renumbered(table: &Table) -> Table {
    let columns = table.columns().iter().map(|column| {
        let values: Vec<&str> = column.dictionary.iter().collect();
        Column {
            name: column.name.clone(),
            dictionary: values.iter().rev().copied().collect(),
            codes: column.codes.iter().map(|&code| values.len() as u32 - 1 - code).collect(),
        }
    });
    Table::new(columns.collect()).unwrap()
}

/// All that a problem knows of its rows.
fn known(problem: &Problem) -> String {
    let cells = (0..problem.cells.len()).map(|cell| {
        let codes: Vec<u32> =
            (0..problem.attributes.len()).map(|at| problem.cells.code(at, cell)).collect();
        let mut targets: Vec<(Vec<u32>, u64)> = problem
            .cells
            .targets(cell)
            .iter()
            .map(|&(target, count)| (problem.targets.of(target).to_vec(), count))
            .collect();
        targets.sort_unstable();
        (codes, problem.cells.counts()[cell], targets)
    });
    format!("{:?} {:?} {}", problem.attributes, cells.collect::<Vec<_>>(), problem.rows)
}

/// Rows `from` to `to` of a table.
fn part(table: &Table, from: usize, to: usize) -> Table {
    let rows: Vec<Vec<&str>> = (from..to)
        .map(|row| table.columns().iter().map(|column| column.value(row)).collect())
        .collect();
    Table::from_rows(&table.names(), &rows).unwrap()
}

fn posed(case: &Case) -> Option<(Problem, FrequencyCounts)> {
    let counts = FrequencyCounts::of_table(&case.table, &case.spec.columns()).unwrap();
    Problem::build(&case.spec, &counts).ok().map(|problem| (problem, counts))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: incrowd_testing::cases(600), failure_persistence: None, ..ProptestConfig::default() })]

    /// Counted elsewhere, in parts, in any order, sent as bytes: the same problem.
    #[test]
    fn counts_from_elsewhere_pose_the_same_problem(case in case(), parts in 1..5usize, seed: u64) {
        let Some((problem, _)) = posed(&case) else { return Ok(()) };
        let names = case.spec.columns();
        let mut groups = groups(&case.table, &names);
        // Any order: sorted by a hash of the seed and the group.
        groups.sort_by_key(|group| foldhash(seed, &format!("{group:?}")));
        let mut whole = FrequencyCounts::new(names.clone());
        for part in groups.chunks(groups.len().div_ceil(parts)) {
            let typed = part.iter().map(|(values, count)| {
                (values.iter().map(|value| Value::Text(value)).collect::<Vec<_>>(), *count)
            });
            let counted = FrequencyCounts::from_groups(names.clone(), typed).unwrap();
            let sent = serde_json::to_string(&counted).unwrap();
            let received: FrequencyCounts = serde_json::from_str(&sent).unwrap();
            prop_assert_eq!(serde_json::to_string(&received).unwrap(), sent);
            whole.merge(&received).unwrap();
        }
        let again = Problem::build(&case.spec, &whole).unwrap();
        prop_assert_eq!(known(&again), known(&problem));
    }

    /// Batches of any size, one row included, give what one go gives.
    #[test]
    fn batches_of_any_size_are_recoded_alike(case in case(), size in 1..7usize, which in 0..5usize) {
        let Some((problem, _)) = posed(&case) else { return Ok(()) };
        let Ok(method) = Method::new(METHODS[which], &[]) else { return Ok(()) };
        let Ok(solution) = incrowd_engine::Algorithm::solve(&method, &problem, &Control::new()) else { return Ok(()) };
        let Some(release) = Release::of_solution(&problem, &solution, SuppressionMode::Drop) else { return Ok(()) };
        let keep: Vec<&str> = case.table.names();
        let whole = release.table_in_order(&problem, &case.table, &keep).unwrap();
        let recoder = Recoder::new(&problem, &release);
        let mut assigner = recoder.assigner();
        let mut rows = Vec::new();
        for from in (0..case.table.rows()).step_by(size) {
            let batch = part(&case.table, from, (from + size).min(case.table.rows()));
            rows.extend(rows_of(&recoder.recode(&batch, &mut assigner, &keep).unwrap()));
        }
        prop_assert_eq!(rows, rows_of(&whole));
    }

    /// Every pass over a table numbers its values as it meets them: what a row becomes depends on its values alone.
    #[test]
    fn a_table_of_another_pass_is_recoded_alike(case in case(), which in 0..5usize) {
        let Some((problem, _)) = posed(&case) else { return Ok(()) };
        let Ok(method) = Method::new(METHODS[which], &[]) else { return Ok(()) };
        let Ok(solution) = incrowd_engine::Algorithm::solve(&method, &problem, &Control::new()) else { return Ok(()) };
        let Some(release) = Release::of_solution(&problem, &solution, SuppressionMode::Drop) else { return Ok(()) };
        let keep: Vec<&str> = case.table.names();
        let one = release.table_in_order(&problem, &case.table, &keep).unwrap();
        let other = release.table_in_order(&problem, &renumbered(&case.table), &keep).unwrap();
        prop_assert_eq!(rows_of(&other), rows_of(&one));
    }

    /// Parts that are dealt apart from each other, and rows dealt by their number alone, fare as in one deal.
    #[test]
    fn rows_dealt_by_quota_fare_as_in_one_deal(case in case(), parts in 1..5usize, which in 0..5usize) {
        let Some((problem, _)) = posed(&case) else { return Ok(()) };
        let Ok(method) = Method::new(METHODS[which], &[]) else { return Ok(()) };
        let Ok(solution) = incrowd_engine::Algorithm::solve(&method, &problem, &Control::new()) else { return Ok(()) };
        let Some(release) = Release::of_solution(&problem, &solution, SuppressionMode::Blank) else { return Ok(()) };
        let recoder = Recoder::new(&problem, &release);
        let sequential = recoder.dispositions(&case.table, &mut recoder.assigner()).unwrap();
        // By the number of each row among its likes.
        let mut numbers = RowCounts::new();
        let by_number: Vec<_> = recoder.places(&case.table).unwrap().into_iter().map(|place| {
            let (cell, target) = place.unwrap();
            let fate = release.disposition_of(cell, target, numbers.next(cell, target));
            numbers.count(cell, target);
            fate
        }).collect();
        prop_assert_eq!(&by_number, &sequential);
        // Part by part, last part first: each knows how many of each kind come before it.
        let size = case.table.rows().div_ceil(parts);
        let pieces: Vec<Table> = (0..case.table.rows())
            .step_by(size)
            .map(|from| part(&case.table, from, (from + size).min(case.table.rows())))
            .collect();
        let mut before = vec![RowCounts::new()];
        for piece in &pieces {
            let mut next = before.last().unwrap().clone();
            next.append(&recoder.numbers(piece).unwrap()).unwrap();
            before.push(next);
        }
        let mut apart: Vec<_> = pieces.iter().zip(&before).rev().map(|(piece, before)| {
            let sent = serde_json::to_string(before).unwrap();
            let received: RowCounts = serde_json::from_str(&sent).unwrap();
            prop_assert_eq!(&received, before);
            Ok(recoder.dispositions(piece, &mut recoder.assigner_after(&received)).unwrap())
        }).collect::<Result<_, TestCaseError>>()?;
        apart.reverse();
        prop_assert_eq!(apart.concat(), sequential);
    }
}

fn foldhash(seed: u64, text: &str) -> u64 {
    text.bytes().fold(seed, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
    })
}

#[test]
fn more_rows_than_32_bits_can_count() {
    let each: u64 = 3_000_000_000;
    let groups = [(["30", "F", "flu"], each), (["31", "M", "flu"], each), (["80", "M", "hiv"], 1)];
    let counts = FrequencyCounts::from_groups(["age", "sex", "ill"], groups).unwrap();
    let spec =
        ProblemSpec::new(2).quasi("age").quasi("sex").sensitive("ill", Model::DistinctL { l: 1 });
    let problem = Problem::build(&spec, &counts).unwrap();
    assert_eq!(problem.rows, 6_000_000_001);
    let solution = solve("mondrian", &[], &problem);
    let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
    assert_eq!(release.rows(), 6_000_000_001);
    assert_eq!(release.classes.sizes.iter().max(), Some(&(each + 1)));
    assert_eq!(problem.whole().histograms[0].iter().sum::<u64>(), 6_000_000_001);
    let method = Method::new("optimal", &[]).unwrap();
    let error = incrowd_engine::Algorithm::solve(&method, &problem, &Control::new()).unwrap_err();
    assert!(error.message.contains("6,000,000,001 rows"), "{error}");
    assert!(FrequencyCounts::from_groups(["a"], [(["x"], u64::MAX), (["y"], 1)]).is_err());
}

#[test]
fn broken_counts_are_refused() {
    let counts = FrequencyCounts::from_groups(["a", "b"], [(["x", "y"], 2)]).unwrap();
    let good = serde_json::to_string(&counts).unwrap();
    for (from, to) in [
        ("\"version\":1", "\"version\":2"),
        ("\"codes\":[0,0]", "\"codes\":[0,1]"),
        ("\"codes\":[0,0]", "\"codes\":[0]"),
        ("[\"x\"]", "[\"x\",\"x\"]"),
        ("\"counts\":[2]", "\"counts\":[2,3]"),
    ] {
        let bad = good.replace(from, to);
        assert_ne!(bad, good);
        assert!(serde_json::from_str::<FrequencyCounts>(&bad).is_err(), "{bad}");
    }
    let mut counts = counts;
    assert!(counts.merge(&FrequencyCounts::new(["a", "c"])).is_err());
    assert!(counts.add(["x"], 1).is_err() && counts.add(["x", "y", "z"], 1).is_err());
    let spec = ProblemSpec::new(2).quasi("b").quasi("a");
    let error = Problem::build(&spec, &counts).unwrap_err();
    assert!(error.message.contains("the counts are of columns"), "{error}");
}

#[test]
fn values_of_any_type_read_the_same() {
    let texts =
        FrequencyCounts::from_groups(["n"], [(["1"], 1), (["2.5"], 1), ([""], 1), (["true"], 1)]);
    let typed = FrequencyCounts::from_groups(
        ["n"],
        [
            ([Value::Integer(1)], 1),
            ([Value::Number(2.5)], 1),
            ([Value::Missing], 1),
            ([Value::Bool(true)], 1),
        ],
    );
    let json = |counts: &FrequencyCounts| serde_json::to_string(counts).unwrap();
    assert_eq!(json(&typed.unwrap()), json(&texts.unwrap()));
    assert_eq!(Value::from(None::<i64>).text(), "");
    assert_eq!(Value::from(Some(40.0)).text(), "40");
}

/// A problem that takes `optimal` a while.
fn long() -> Arc<Problem> {
    let rows: Vec<[String; 4]> = (0..2_000u64)
        .map(|row| {
            [row * row % 97, row * 31 % 89, row * 17 % 83, row * 7 % 79].map(|at| at.to_string())
        })
        .collect();
    let table = Table::from_rows(&["a", "b", "c", "d"], &rows).unwrap();
    let spec = ProblemSpec::new(5).quasi("a").quasi("b").quasi("c").quasi("d");
    Arc::new(Problem::of_table(&spec, &table).unwrap())
}

#[test]
fn a_search_on_its_own_thread_tells_keeps_and_ends() {
    let problem = long();
    for name in ["optimal", "climb", "best-local", "anneal"] {
        let options: &[(&str, &str)] = match name {
            "climb" | "anneal" => &[("steps", "off")],
            "best-local" => &[("steps", "1000000")],
            _ => &[],
        };
        let method = Method::new(name, options).unwrap();
        let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
        let search = method.spawn_in(pool, problem.clone(), Control::new());
        // best-local tells what a round of annealing brings, and rounds are long here.
        let enough = if name == "best-local" { 1 } else { 2 };
        let mut improved = 0;
        for event in search.events() {
            if let Event::Improved { cost, incumbent } = event {
                improved += 1;
                // What it tells is a solution of that cost.
                let release = Release::new(&problem, &incumbent.unwrap(), SuppressionMode::Drop);
                let real = release.measures.cost(problem.metric).unwrap();
                assert!((real - cost).abs() <= 1e-3 * cost, "{name}: {real} told as {cost}");
                if improved == enough {
                    break;
                }
            }
        }
        assert!(improved == enough && !search.is_finished(), "{name}");
        let best = search.best().unwrap();
        search.cancel();
        let solution = search.join().unwrap();
        assert_eq!(solution.outcome.stop_reason(), Some(StopReason::Cancelled), "{name}");
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        assert!(release.measures.cost(problem.metric).unwrap() <= best.cost * 1.001, "{name}");
    }
}

#[test]
fn a_dropped_search_ends() {
    let control = Control::new().with_time_limit(Duration::from_secs(600));
    let problem = long();
    let search = Method::new("optimal", &[]).unwrap().spawn(problem.clone(), control);
    drop(search);
    let start = std::time::Instant::now();
    while Arc::strong_count(&problem) > 1 {
        assert!(start.elapsed() < Duration::from_secs(60), "the search goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}
