//! Ends of ranges: rounded ones are true, readable, and cost what they may.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use std::collections::BTreeMap;

use common::{Ladders, requirements, rows_of, solve, verdict};
use incrowd_engine::value::{ClassSummary, Decimal, RangeRounding};
use incrowd_engine::{Metric, Problem, ProblemSpec, Release, SuppressionMode, Table};
use incrowd_testing::{SeededRng, cases};

/// Numbers with signs, decimals and holes between them, and a few missing ones.
fn table(dice: &mut SeededRng) -> Table {
    let places = dice.below(3) as usize;
    let spread = [20, 100, 5000][dice.below(3) as usize];
    let shift = dice.below(2) as f64 * spread as f64 / 2.0;
    let rows: Vec<[String; 2]> = (0..20 + dice.below(60))
        .map(|_| {
            let number = (dice.below(spread) as f64 - shift) / 10f64.powi(places as i32);
            let number = format!("{number:.places$}");
            let missing = dice.below(30) == 0;
            [if missing { String::new() } else { number }, dice.below(4).to_string()]
        })
        .collect();
    Table::from_rows(&["pay", "town"], &rows).unwrap()
}

fn problem(table: &Table, summary: ClassSummary) -> Problem {
    let mut spec = ProblemSpec::new(3).quasi("pay").quasi("town");
    spec.metric = Metric::Ncp;
    spec.quasi[0].summary = Some(summary);
    Problem::of_table(&spec, table).unwrap()
}

/// The ends of a label such as `[-20 to 5]`, `[20-30]`.
fn ends(label: &str) -> Option<(Decimal, Decimal)> {
    let inner = label.strip_prefix('[')?.strip_suffix(']')?;
    let (low, high) = inner.split_once(" to ").or_else(|| inner.split_once('-'))?;
    Some((Decimal::parse(low)?, Decimal::parse(high)?))
}

#[test]
fn rounded_ends_are_true_multiples_and_nobody_stands_in_a_smaller_crowd() {
    let mut dice = SeededRng::new(7);
    let (mut widened, mut tried) = (0, 0);
    for case in 0..cases(120) {
        let table = table(&mut dice);
        let method = ["mondrian", "cluster-up", "optimal", "best-local"][case as usize % 4];
        let tight = problem(&table, ClassSummary::Range);
        let solution = solve(method, &[], &tight);
        if solution.recoding().is_none() {
            continue;
        }
        let before = Release::of_solution(&tight, &solution, SuppressionMode::Drop).unwrap();
        for ranges in [RangeRounding::Rounded, RangeRounding::Sparing] {
            let rounded = problem(&table, ClassSummary::Range).with_rounded_ends(ranges, &before);
            let release = Release::of_solution(&rounded, &solution, SuppressionMode::Drop).unwrap();
            let released = release.table_in_order(&rounded, &table, &["pay", "town"]).unwrap();
            let verdict = verdict(&released, &table, &requirements(&tight, &Ladders::new()));
            assert!(verdict.holds, "{method} {ranges:?}: {:?}", verdict.violations);
            assert!(release.classes.len() <= before.classes.len());
            // What is searched and priced is the same; what is printed says less.
            assert!((release.measures.ncp - before.measures.ncp).abs() < 1e-9);
            let printed = (before.measures.released_gcp, release.measures.released_gcp);
            assert!(printed.1 >= printed.0 - 1e-12, "{printed:?}");
            if ranges == RangeRounding::Sparing {
                assert!(printed.1 <= printed.0 * 1.01 + 1e-12, "{printed:?}");
            }
            let Some(step) = rounded.attributes[0].step else { continue };
            tried += 1;
            widened += u64::from(printed.1 > printed.0);
            for row in rows_of(&released) {
                if let Some((low, high)) = ends(&row[0]) {
                    assert!(low.is_multiple_of(step) && high.is_multiple_of(step), "{}", row[0]);
                    assert!(low < high);
                }
            }
            // Whoever reads only labels sees the same classes as the engine.
            let mut seen: BTreeMap<Vec<String>, u64> = BTreeMap::new();
            for row in rows_of(&released) {
                *seen.entry(row).or_default() += 1;
            }
            assert_eq!(seen.len(), release.classes.released().count());
            assert_eq!(seen.values().min().copied(), release.smallest_crowd(&rounded));
        }
    }
    assert!(widened > 10 && tried > 10, "{widened} of {tried}");
}

#[test]
fn minimum_and_maximum_are_rounded_as_two_columns() {
    let rows: Vec<[String; 2]> =
        (0..40).map(|row| [(17 + row * 2).to_string(), "a".to_owned()]).collect();
    let table = Table::from_rows(&["pay", "town"], &rows).unwrap();
    let tight = problem(&table, ClassSummary::Columns);
    let solution = solve("mondrian", &[], &tight);
    let before = Release::of_solution(&tight, &solution, SuppressionMode::Drop).unwrap();
    let rounded =
        problem(&table, ClassSummary::Columns).with_rounded_ends(RangeRounding::Rounded, &before);
    assert_eq!(rounded.attributes[0].step, Decimal::parse("5"));
    let release = Release::of_solution(&rounded, &solution, SuppressionMode::Drop).unwrap();
    let five = Decimal::parse("5").unwrap();
    for label in release.labels(0) {
        assert_eq!(label.len(), 2);
        assert!(
            label.iter().all(|end| Decimal::parse(end).unwrap().is_multiple_of(five)),
            "{label:?}"
        );
    }
}

#[test]
fn steps_are_readable_and_coarser_than_the_numbers() {
    let steps = |values: &[&str]| -> Vec<String> {
        let rows: Vec<[&str; 2]> = values.iter().map(|value| [*value, "a"]).collect();
        let table = Table::from_rows(&["pay", "town"], &rows).unwrap();
        let problem = problem(&table, ClassSummary::Range);
        let attribute = &problem.attributes[0];
        let scale = attribute.domain.scale().unwrap();
        attribute.readable_steps().into_iter().map(|step| scale.show(step)).collect()
    };
    assert_eq!(steps(&["17", "40", "90"]), ["5", "2"]);
    assert_eq!(steps(&["1", "5", "9"]), Vec::<String>::new());
    assert_eq!(steps(&["0.5", "1", "3"]), ["0.2"]);
    assert_eq!(
        steps(&["12000", "50001", "99000"]),
        ["5000", "2000", "1000", "500", "200", "100", "50", "20", "10", "5", "2"]
    );
    assert_eq!(steps(&["7", "7", "7"]), Vec::<String>::new());
}

#[test]
fn saved_attributes_keep_their_steps() {
    let mut dice = SeededRng::new(3);
    let table = table(&mut dice);
    let tight = problem(&table, ClassSummary::Range);
    let solution = solve("mondrian", &[], &tight);
    let before = Release::of_solution(&tight, &solution, SuppressionMode::Drop).unwrap();
    let rounded =
        problem(&table, ClassSummary::Range).with_rounded_ends(RangeRounding::Rounded, &before);
    let json = serde_json::to_string(&rounded.attributes).unwrap();
    let read: Vec<incrowd_engine::value::Attribute> = serde_json::from_str(&json).unwrap();
    assert_eq!(read[0].step, rounded.attributes[0].step);
}
