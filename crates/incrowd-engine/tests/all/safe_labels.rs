//! Labels from lists that were there before the data, drawn coarser by a secret, and boxes that fit people outside.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use crate::common;

use common::{Ladders, adult, adult_hierarchy, requirements, rows_of, solve, verdict};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::release::{LabelDraw, OutsideCrowd};
use incrowd_engine::{
    Hierarchy, Outcome, Problem, ProblemSpec, Release, Solution, SuppressionMode, Table,
};
use incrowd_testing::{SeededRng, cases, thorough};
use incrowd_verify::Verdict;

const METHODS: [&str; 7] =
    ["mondrian", "best-local", "cluster-up", "optimal", "climb", "lattice", "cells"];

/// Numbers, dates and text, with a few missing values.
fn table(dice: &mut SeededRng) -> Table {
    let rows: Vec<[String; 3]> = (0..20 + dice.below(60))
        .map(|_| {
            let age = match dice.below(25) {
                0 => String::new(),
                _ => (18 + dice.below(70)).to_string(),
            };
            let date = format!(
                "20{:02}-{:02}-{:02}",
                dice.below(9),
                1 + dice.below(12),
                1 + dice.below(28)
            );
            [age, date, ["a", "b", "c"][dice.below(3) as usize].to_owned()]
        })
        .collect();
    Table::from_rows(&["age", "seen", "town"], &rows).unwrap()
}

fn safe(table: &Table) -> Problem {
    let mut spec = ProblemSpec::new(3).quasi("age").quasi("seen").quasi("town");
    spec.fixed_labels = true;
    Problem::of_table(&spec, table).unwrap()
}

fn ladders(problem: &Problem) -> Ladders {
    let tree = |at: usize| problem.attributes[at].hierarchy.as_ref().map(Hierarchy::to_rows);
    let named =
        (0..problem.attributes.len()).map(|at| (problem.attributes[at].name.clone(), tree(at)));
    named.filter_map(|(name, rows)| Some((name, rows?))).collect()
}

fn judged(problem: &Problem, solution: &Solution, table: &Table) -> (Release, Verdict) {
    let release = Release::of_solution(problem, solution, SuppressionMode::Drop).unwrap();
    let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
    let released = release.table_in_order(problem, table, &names).unwrap();
    let mut requirements = requirements(problem, &ladders(problem));
    let listed = problem.attributes.iter().filter(|attribute| attribute.is_on_fixed_list());
    requirements.fixed_labels = listed.map(|attribute| attribute.name.clone()).collect();
    let verdict = verdict(&released, table, &requirements);
    (release, verdict)
}

#[test]
fn safe_labels_are_true_nodes_of_lists_and_tell_no_value() {
    let mut dice = SeededRng::new(3);
    let (mut tried, mut coarser) = (0, 0);
    for case in 0..cases(140) {
        let table = table(&mut dice);
        let problem = safe(&table);
        let solution = solve(METHODS[case as usize % METHODS.len()], &[], &problem);
        if solution.recoding().is_none() {
            continue;
        }
        tried += 1;
        let (before, plain) = judged(&problem, &solution, &table);
        let key = (dice.below(u64::MAX / 2)).into();
        let draw = LabelDraw { chance: [0.0, 0.5, 1.0][case as usize / 7 % 3], key };
        let drawn = draw.draw(&problem, solution.clone());
        let (release, verdict) = judged(&problem, &drawn, &table);
        for verdict in [&plain, &verdict] {
            assert!(verdict.holds, "{case}: {verdict}");
            let sure = verdict.refinement.as_ref().map_or(0, |labels| labels.all.sure_fields);
            assert_eq!(sure, 0, "{case}: {verdict}");
        }
        // The same key draws the same.
        let again = draw.draw(&problem, solution.clone());
        assert_eq!(again.recoding(), drawn.recoding());
        let cost = |release: &Release| release.measures.ncp;
        if before.rows() == release.rows() {
            assert!(cost(&release) >= cost(&before) - 1e-9, "{case}");
        }
        if let Some(bound) = drawn.outcome.bound() {
            assert!(bound <= cost(&release) + 1e-9, "{case}: {bound} {}", cost(&release));
        }
        match draw.chance {
            0.0 => assert_eq!(drawn.recoding(), solution.recoding()),
            _ => coarser += u32::from(cost(&release) > cost(&before) + 1e-9),
        }
        assert!(
            draw.chance == 0.0
                || !matches!(drawn.outcome, Outcome::Optimal(_))
                || before.measures == release.measures
        );
    }
    assert!(tried > 10 && coarser > tried / 4, "{tried} {coarser}");
}

#[test]
fn a_global_recoding_stays_one() {
    let mut dice = SeededRng::new(11);
    for case in 0..cases(60) {
        let table = table(&mut dice);
        let problem = safe(&table);
        let solution = solve(["optimal", "lattice"][case as usize % 2], &[], &problem);
        if solution.recoding().is_none() {
            continue;
        }
        let draw = LabelDraw { chance: 0.7, key: u64::from(case).into() };
        let drawn = draw.draw(&problem, solution);
        let release = Release::of_solution(&problem, &drawn, SuppressionMode::Drop).unwrap();
        let names = ["age", "seen", "town"];
        let mut spec = ProblemSpec::new(1).quasi("age").quasi("seen").quasi("town");
        spec.fixed_labels = true;
        let released = release.table_in_order(&problem, &table, &names).unwrap();
        if released.rows() != table.rows() {
            continue;
        }
        for (before, after) in table.columns().iter().zip(released.columns()) {
            let mut reads: BTreeMap<&str, &str> = BTreeMap::new();
            for row in 0..table.rows() {
                let label = *reads.entry(before.value(row)).or_insert(after.value(row));
                assert_eq!(label, after.value(row), "{case}: a value reads the same everywhere");
            }
        }
    }
}

/// The crowd outside of every class, reckoned by making each box anew without each of its rows.
fn crowds(released: &[Vec<String>], original: &[Vec<String>]) -> Vec<u64> {
    let mut classes: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
    for (row, labels) in released.iter().enumerate() {
        classes.entry(labels).or_default().push(row);
    }
    let number = |text: &str| text.parse::<f64>().unwrap();
    classes
        .values()
        .map(|members| {
            let spans = |without: Option<usize>| -> Vec<(f64, f64)> {
                (0..original[0].len())
                    .map(|at| {
                        let values = members
                            .iter()
                            .filter(|row| Some(**row) != without)
                            .map(|&row| number(&original[row][at]));
                        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
                            (low.min(it), high.max(it))
                        })
                    })
                    .collect()
            };
            let fits = |spans: &[(f64, f64)], row: usize| {
                spans
                    .iter()
                    .zip(&original[row])
                    .all(|(span, text)| (span.0..=span.1).contains(&number(text)))
            };
            let whole = spans(None);
            let inside = (0..original.len()).filter(|&row| fits(&whole, row));
            inside.filter(|&row| !members.contains(&row) || fits(&spans(Some(row)), row)).count()
                as u64
        })
        .collect()
}

#[test]
fn boxes_are_merged_until_each_has_its_crowd_outside() {
    let mut dice = SeededRng::new(5);
    let mut merged = 0;
    for case in 0..cases(60) {
        let rows: Vec<[String; 2]> = (0..30 + dice.below(60))
            .map(|_| [dice.below(40).to_string(), dice.below(12).to_string()])
            .collect();
        let table = Table::from_rows(&["pay", "size"], &rows).unwrap();
        let problem =
            Problem::of_table(&ProblemSpec::new(2).quasi("pay").quasi("size"), &table).unwrap();
        let solution = solve(["mondrian", "best-local"][case as usize % 2], &[], &problem);
        let outside = OutsideCrowd::new(1 + dice.below(2));
        let solution = outside.merge(&problem, solution);
        if solution.recoding().is_none() {
            continue;
        }
        merged += 1;
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        let released = release.table_in_order(&problem, &table, &["pay", "size"]).unwrap();
        let verdict = verdict(&released, &table, &requirements(&problem, &Ladders::new()));
        assert!(verdict.holds, "{case}: {verdict}");
        let crowds = crowds(&rows_of(&released), &rows_of(&table));
        assert!(crowds.iter().all(|crowd| *crowd >= outside.least()), "{case}: {crowds:?}");
    }
    assert!(merged > 10);
}

const COLUMNS: [&str; 8] = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
];

fn adult_spec(k: u64) -> ProblemSpec {
    let mut spec = ProblemSpec::new(k);
    spec.quasi = COLUMNS.map(incrowd_engine::AttributeSpec::new).to_vec();
    spec
}

/// Fields with a value that their label names, fields whose label stands for several values, labels of classes, and those of
/// them that name as many values as the class has rows.
fn named_fields(rows: &[Vec<String>]) -> [u64; 4] {
    let mut classes: BTreeMap<&[String], u64> = BTreeMap::new();
    rows.iter().for_each(|row| *classes.entry(row).or_default() += 1);
    let mut found = [0; 4];
    for (labels, size) in classes {
        for label in labels {
            let inner = label.trim_start_matches(['[', '{']).trim_end_matches([']', '}']);
            let named = match label.chars().next() {
                Some('[') => 2,
                Some('{') => inner.split(", ").filter(|element| *element != "...").count() as u64,
                _ if label.ends_with('*') => 0,
                _ => continue,
            };
            found[0] += named.min(size);
            found[1] += size;
            found[2] += 1;
            found[3] += u64::from(named == size);
        }
    }
    found
}

#[test]
#[allow(
    clippy::print_stdout,
    reason = "the figures of docs/concepts/refinement.md, with --nocapture"
)]
fn labels_of_adult() {
    let table = adult();
    for k in if thorough() { vec![2, 5] } else { vec![5] } {
        let problem = Problem::of_table(&adult_spec(k), &table).unwrap();
        let solution = solve("best-local", &[], &problem);
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        let released = release.table_in_order(&problem, &table, &COLUMNS).unwrap();
        let verdict = verdict(&released, &table, &requirements(&problem, &Ladders::new()));
        let labels = verdict.refinement.clone().unwrap().all;
        let told = [labels.sure_fields, labels.fields, labels.class_columns, labels.determined];
        assert_eq!(named_fields(&rows_of(&released)), told);
        println!("tight, k = {k}: {labels:?}");
        let (share, listed) = if k == 5 { (0.437, None) } else { (0.960, Some(0.58)) };
        assert!((labels.sure_share - share).abs() < 0.001, "{labels:?}");
        assert!(listed.is_none_or(|share: f64| (labels.listed_share - share).abs() < 0.001));
        assert!(verdict.holds);
    }
    let mut spec = adult_spec(5);
    spec.fixed_labels = true;
    for column in spec.quasi.iter_mut().filter(|column| column.name != "age") {
        let tree = Hierarchy::from_rows(&adult_hierarchy(&column.name)).unwrap();
        column.hierarchy = Some(HierarchySource::Given(tree));
    }
    let problem = Problem::of_table(&spec, &table).unwrap();
    let solution = solve("best-local", &[], &problem);
    for (chance, most) in [(0.0, 0.0462), (0.5, 0.08)] {
        let draw = LabelDraw { chance, key: 7.into() };
        let (release, verdict) = judged(&problem, &draw.draw(&problem, solution.clone()), &table);
        assert!(verdict.holds, "{verdict}");
        assert_eq!(verdict.refinement.map(|labels| labels.all.sure_fields), Some(0));
        println!("safe, p = {chance}: released GCP {:.4}", release.measures.released_gcp);
        assert!(release.measures.released_gcp <= most, "{}", release.measures.released_gcp);
    }
}
