//! What every release of every method must satisfy, on random problems.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use common::case::{Case, case};
use common::{requirements, rows_of, slow, solve, verdict};
use incrowd_engine::value::{BLANK, ClassSummary, MISSING_TOKENS};
use incrowd_engine::{
    FrequencyCounts, Limit, Problem, ProblemSpec, Recoding, Release, SavedRecoding, Solution,
    SuppressionMode, Table,
};
use incrowd_testing::LinearRng;
use proptest::prelude::*;
use rayon::ThreadPool;

fn solved(case: &Case) -> (Problem, Solution) {
    let problem = Problem::of_table(&case.spec, &case.table).unwrap();
    let solution = solve(case.method, &case.options, &problem);
    (problem, solution)
}

/// The most rows that the case's method may suppress.
fn limit(case: &Case, problem: &Problem) -> u64 {
    let default = match case.method {
        "datafly" => problem.privacy.k,
        "lattice" | "anneal" | "genetic" | "recode-and-blank" => problem.rows,
        _ => 0,
    };
    case.spec.limit.rows(problem.rows, default)
}

/// The table with every quasi-identifier of every row blank.
fn all_blank(case: &Case) -> Table {
    let names: Vec<&str> = case.table.columns().iter().map(|column| column.name.as_str()).collect();
    let mut rows = case.rows();
    for row in &mut rows {
        row[1..=case.columns.len()].fill(BLANK.to_owned());
    }
    Table::from_rows(&names, &rows).unwrap()
}

fn by_name(table: &Table) -> Vec<BTreeMap<String, String>> {
    let rows = rows_of(table).into_iter();
    rows.map(|row| table.columns().iter().map(|column| column.name.clone()).zip(row).collect())
        .collect()
}

fn saved(case: &Case, problem: &Problem, recoding: &Recoding) -> SavedRecoding {
    SavedRecoding {
        narrowing: Vec::new(),
        treatments: Vec::new(),
        version: SavedRecoding::VERSION,
        unit: None,
        count_missing: false,
        k: problem.privacy.k,
        wildcards: false,
        models: Vec::new(),
        sensitive: Vec::new(),
        identifying: vec!["name".to_owned()],
        plain: vec!["id".to_owned()],
        missing: case.spec.quasi[0].rule.missing.clone(),
        attributes: problem.attributes.clone(),
        recoding: recoding.clone(),
    }
}

/// The rows of the case under a saved recoding.
fn applied(case: &Case, saved: &SavedRecoding) -> Option<(Problem, u64, Release)> {
    let mut spec = case.spec.clone();
    spec.k = saved.k;
    spec.quasi = saved
        .attributes
        .iter()
        .map(|attribute| incrowd_engine::AttributeSpec::new(&attribute.name))
        .collect();
    let counts = FrequencyCounts::of_table(&case.table, &spec.columns()).ok()?;
    let missing = MISSING_TOKENS.map(str::to_owned);
    let (problem, unseen) =
        Problem::for_new_rows(saved.attributes.clone(), &spec, &counts, &missing).ok()?;
    let release = Release::new(&problem, &saved.recoding, case.suppressed);
    Some((problem, unseen, release))
}

fn pools() -> &'static [ThreadPool; 3] {
    static POOLS: OnceLock<[ThreadPool; 3]> = OnceLock::new();
    POOLS.get_or_init(|| {
        [1, 2, 3].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap())
    })
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: incrowd_testing::cases(800), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is released passes the independent verifier: every requirement holds, every released
    /// value contains the original one, no row is invented, as many are missing as were suppressed.
    #[test]
    fn releases_are_verified_and_truthful(case in case()) {
        let (problem, solution) = solved(&case);
        let Some(recoding) = solution.recoding() else { return Ok(()) };
        let release = Release::new(&problem, recoding, case.suppressed);
        let released = release.table_in_order(&problem, &case.table, &case.table.names()).unwrap();
        prop_assert_eq!(released.rows() as u64, release.rows());

        let mut requirements = requirements(&problem, &case.ladders());
        let middles = case.columns.iter().filter(|column| matches!(column.summary, ClassSummary::Mean | ClassSummary::Median));
        requirements.unchecked = middles.map(|column| column.name.clone()).collect();
        let verdict = verdict(&released, &case.table, &requirements);
        prop_assert!(verdict.holds, "{verdict}\n{:?}", rows_of(&released));

        let suppressed = release.classes.suppressed_rows();
        let found = verdict.original.unwrap();
        prop_assert_eq!(found.matched, released.rows() as u64);
        match release.suppressed {
            SuppressionMode::Drop => prop_assert_eq!(found.suppressed, suppressed),
            SuppressionMode::Blank => {
                prop_assert_eq!(found.suppressed, 0);
                prop_assert!(found.blank >= suppressed);
            }
        }
    }

    /// Where each row lies is the same whether the search remembers it or the boxes are looked up.
    #[test]
    fn boxes_hold_the_rows_that_the_search_put_there(case in case()) {
        let (problem, solution) = solved(&case);
        let Some(recoding) = solution.recoding() else { return Ok(()) };
        let found = Release::new(&problem, recoding, case.suppressed);
        let known = Release::of_solution(&problem, &solution, case.suppressed).unwrap();
        let rows = |release: &Release| rows_of(&release.table_in_order(&problem, &case.table, &case.table.names()).unwrap());
        prop_assert_eq!(rows(&found), rows(&known));
        prop_assert_eq!(&found.measures, &known.measures);
        prop_assert_eq!(found.classes.outside, 0);
    }

    /// Suppressed rows stay within the limit; blank rows may need company beyond it.
    #[test]
    fn suppression_stays_within_its_limit(case in case()) {
        let (problem, solution) = solved(&case);
        let Some(recoding) = solution.recoding() else { return Ok(()) };
        let release = Release::new(&problem, recoding, SuppressionMode::Drop);
        let suppressed = release.classes.suppressed_rows();
        prop_assert!(suppressed <= limit(&case, &problem));
    }

    /// The measures are those that plain loops over the released strings give.
    #[test]
    fn measures_are_as_slow_recomputation_gives_them(mut case in case()) {
        // Means tell nothing of the groups behind them; the groups are the same as for ranges.
        case.show_ranges();
        let (problem, solution) = solved(&case);
        let Some(recoding) = solution.recoding() else { return Ok(()) };
        let release = Release::new(&problem, recoding, case.suppressed);
        let released = by_name(&release.table_in_order(&problem, &case.table, &case.table.names()).unwrap());
        let Some(slow) = slow::costs(&case, &released, release.classes.suppressed_rows()) else { return Ok(()) };
        let fast = &release.measures;
        let shown = format!("{fast:?}\n{slow:?}\n{released:?}");
        prop_assert_eq!(fast.dm, slow.dm, "{}", shown);
        prop_assert_eq!(fast.cm, slow.cm, "{}", shown);
        prop_assert_eq!(fast.cm_share, slow.cm.map(|cm| cm as f64 / problem.rows as f64));
        prop_assert!(near(fast.average.rows, slow.average), "{}", shown);
        prop_assert!(near(fast.average.relative, slow.average / problem.privacy.k as f64), "{}", shown);
        prop_assert!(near(fast.ncp, slow.ncp) && near(fast.gcp, slow.gcp), "{}", shown);
        prop_assert!(near(fast.loss, slow.loss), "{}", shown);
        prop_assert!(near(fast.released_gcp, slow.released_gcp), "{}", shown);
        prop_assert!(near(fast.entropy, slow.entropy), "{}", shown);
        prop_assert!(near(fast.blanks, slow.blanks), "{}", shown);
        if let Some(precision) = slow.precision {
            prop_assert!(near(fast.precision.unwrap(), precision), "{}", shown);
        }
        for share in [fast.gcp, fast.released_gcp, fast.loss, fast.precision.unwrap_or(0.0)] {
            prop_assert!((-1e-9..=1.0 + 1e-9).contains(&share), "{}", shown);
        }
    }

    /// No solution means that there is none: methods that make parts can do no more than leave the table
    /// whole, so they fail exactly where the verifier refuses the table with all quasi-identifiers blank.
    #[test]
    fn what_is_called_infeasible_is(case in case()) {
        let (problem, solution) = solved(&case);
        let requirements = requirements(&problem, &case.ladders());
        let whole = verdict(&all_blank(&case), &case.table, &requirements);
        let infeasible = solution.outcome.is_infeasible();
        prop_assert_eq!(infeasible, solution.recoding().is_none());
        // Full-domain methods may suppress what fails, if the limit allows it.
        let divides = ["mondrian", "cluster-up", "cluster-down", "best-local", "cells", "cover", "balanced", "mu-argus", "recode-and-blank"]
            .contains(&case.method);
        if divides && limit(&case, &problem) < problem.rows {
            prop_assert_eq!(infeasible, !whole.holds, "{}", whole);
        } else if infeasible {
            prop_assert!(!whole.holds);
            prop_assert!(divides || limit(&case, &problem) < problem.rows);
        }
    }

    /// A saved recoding is the same when it is read back, and does the same to the same rows.
    #[test]
    fn saved_recodings_do_the_same_again(case in case()) {
        let (problem, solution) = solved(&case);
        let Some(recoding) = solution.recoding() else { return Ok(()) };
        let mut kept = saved(&case, &problem, recoding);
        let read = SavedRecoding::from_json(&kept.to_json()).unwrap();
        // Which rows went where is not saved.
        if let Recoding::Local(assigned) | Recoding::Cellwise(assigned) | Recoding::Mixed(assigned) =
            &mut kept.recoding
        {
            assigned.shares.clear();
        }
        prop_assert_eq!(&read, &kept);

        let (again, unseen, release) = applied(&case, &read).unwrap();
        prop_assert_eq!(unseen, 0);
        let released = release.table_in_order(&again, &case.table, &case.table.names()).unwrap();
        let first = Release::new(&problem, recoding, case.suppressed);
        if case.is_local() {
            // The first box that contains a row takes it, so classes differ, but none is too small.
            let mut requirements = requirements(&again, &case.ladders());
            let middles = case.columns.iter().filter(|c| matches!(c.summary, ClassSummary::Mean | ClassSummary::Median));
            requirements.unchecked = middles.map(|column| column.name.clone()).collect();
            let verdict = verdict(&released, &case.table, &requirements);
            prop_assert!(verdict.holds, "{}", verdict);
        } else {
            let before = first.table_in_order(&problem, &case.table, &case.table.names()).unwrap();
            prop_assert_eq!(rows_of(&released), rows_of(&before));
            prop_assert_eq!(release.measures, first.measures);
        }
    }

    /// The number of threads changes nothing.
    #[test]
    fn threads_change_nothing(case in case()) {
        let [one, two, three] = pools().each_ref().map(|pool| pool.install(|| {
            let (problem, solution) = solved(&case);
            let released = solution.recoding().map(|recoding| {
                let release = Release::new(&problem, recoding, case.suppressed);
                (rows_of(&release.table_in_order(&problem, &case.table, &case.table.names()).unwrap()), release.measures)
            });
            (solution.outcome, solution.nodes, released)
        }));
        prop_assert_eq!(&one, &two);
        prop_assert_eq!(&one, &three);
    }

    /// A damaged recoding is refused or does something sound; it never brings the program down.
    #[test]
    fn damaged_recodings_never_panic(
        case in case(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4u8), 1..4),
    ) {
        let (problem, solution) = solved(&case);
        let Some(recoding) = solution.recoding() else { return Ok(()) };
        let mut bytes = saved(&case, &problem, recoding).to_json().into_bytes();
        for (at, byte, what) in damage {
            let digits: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
            let length = bytes.len();
            match what {
                // Digits most of all: they are the codes, groups and nodes that must fit together.
                0 | 1 => bytes[digits[at.index(digits.len())]] = b'0' + byte % 10,
                2 => bytes[at.index(length)] = byte,
                _ => {
                    bytes.remove(at.index(length));
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let Ok(damaged) = SavedRecoding::from_json(&text) else { return Ok(()) };
        damaged.recoding.describe(&damaged.attributes);
        if let Some((again, _, release)) = applied(&case, &damaged) {
            release.table_in_order(&again, &case.table, &case.table.names()).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: incrowd_testing::cases(256), failure_persistence: None, ..ProptestConfig::default() })]

    /// Numbers are the same to the last bit when a recoding is read back.
    #[test]
    fn saved_numbers_are_exact(numbers in prop::collection::vec(prop::num::f64::NORMAL, 2..20)) {
        let rows: Vec<[String; 1]> = numbers.iter().map(|number| [format!("{number:?}")]).collect();
        let table = Table::from_rows(&["x"], &rows).unwrap();
        let spec = ProblemSpec::new(1).quasi("x");
        let problem = Problem::of_table(&spec, &table).unwrap();
        let recoding = solve("mondrian", &[], &problem).into_recoding().unwrap();
        let saved = SavedRecoding {
            narrowing: Vec::new(),
            treatments: Vec::new(),
            version: SavedRecoding::VERSION,
            unit: None,
        count_missing: false,
            k: 1,
            wildcards: false,
            models: Vec::new(),
            sensitive: Vec::new(),
            identifying: Vec::new(),
            plain: Vec::new(),
            missing: Vec::new(),
            attributes: problem.attributes.clone(),
            recoding,
        };
        let read = SavedRecoding::from_json(&saved.to_json()).unwrap();
        prop_assert_eq!(&read, &saved);
        let counts = FrequencyCounts::of_table(&table, &spec.columns()).unwrap();
        prop_assert_eq!(Problem::for_new_rows(read.attributes, &spec, &counts, &[]).unwrap().1, 0);
    }
}

/// A table large enough to be cut in parallel.
fn large() -> Table {
    let mut rng = LinearRng::new(1);
    let mut next = |end: u64| rng.below(end);
    let rows: Vec<[String; 4]> = (0..40_000)
        .map(|_| [next(90), next(1_000), next(7), next(12)].map(|n| n.to_string()))
        .collect();
    Table::from_rows(&["age", "income", "job", "disease"], &rows).unwrap()
}

#[test]
fn threads_change_nothing_in_a_large_table() {
    let table = large();
    let model = incrowd_engine::Model::DistinctL { l: 3 };
    let spec =
        ProblemSpec::new(5).quasi("age").quasi("income").quasi("job").sensitive("disease", model);
    let problem = Problem::of_table(&spec, &table).unwrap();
    assert!(
        problem.cells.len() > 2 << 14,
        "{} cells are too few to be cut in parallel",
        problem.cells.len()
    );
    let ways: [(&str, &[(&str, &str)]); 5] = [
        ("mondrian", &[]),
        ("mondrian", &[("mode", "relaxed")]),
        ("mondrian", &[("cut", "penalty")]),
        ("cluster-up", &[("block", "200")]),
        ("cluster-down", &[("block", "500")]),
    ];
    for (method, options) in ways {
        let [one, two, three] = pools().each_ref().map(|pool| {
            pool.install(|| {
                let recoding = solve(method, options, &problem).into_recoding().unwrap();
                let release = Release::new(&problem, &recoding, SuppressionMode::Drop);
                (
                    recoding,
                    rows_of(&release.table_in_order(&problem, &table, &table.names()).unwrap()),
                    release.measures,
                )
            })
        });
        assert!(one == two && one == three, "{method} {options:?}");
    }
}

#[test]
fn a_limit_is_a_number_or_a_share_of_the_rows() {
    let rows = |limit: Limit| limit.rows(50, 7);
    assert_eq!(rows(Limit::Default), 7);
    assert_eq!(rows(Limit::Rows(3)), 3);
    assert_eq!(rows(Limit::Rows(300)), 50);
    assert_eq!(rows(Limit::Share(0.02)), 1);
    assert_eq!(rows(Limit::All), 50);
}
