//! Multidimensional and local recoding: the papers' examples, exhaustive search on tiny tables, and the
//! figures that the methods must reach on the Adult data.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use std::collections::BTreeMap;

use common::{
    ADULT_QUASI, Ladders, adult, adult_hierarchy, release_rows, requirements, rows_of, solve,
    stop_after, verdict,
};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::recoding::{BoxAssignment, BoxSet, ProfileShare};
use incrowd_engine::{
    Algorithm, Control, Hierarchy, Limit, Method, Model, Problem, ProblemSpec, Recoding, Release,
    StopReason, SuppressionMode, Table,
};
use incrowd_testing::LinearRng;

/// Figure 1 of Xu et al.
fn six_rows() -> (Table, Problem) {
    let rows = [
        ["24", "53712"],
        ["25", "53711"],
        ["30", "53711"],
        ["30", "53711"],
        ["32", "53712"],
        ["32", "53713"],
    ];
    let table = Table::from_rows(&["age", "zip"], &rows).unwrap();
    let problem =
        Problem::of_table(&ProblemSpec::new(3).quasi("age").quasi("zip"), &table).unwrap();
    (table, problem)
}

/// The recoding that puts rows into these groups. Rows are told apart by their place in the table, so
/// identical ones may go different ways.
fn recoding_of(problem: &Problem, rows: &[Vec<String>], groups: &[&[usize]]) -> Recoding {
    let cell_of = |row: usize| {
        let is = |at: usize, cell: usize| {
            let attribute = &problem.attributes[at];
            attribute.domain.label(problem.cells.code(at, cell)) == rows[row][at]
        };
        (0..problem.cells.len()).find(|&cell| (0..2).all(|at| is(at, cell))).unwrap() as u32
    };
    let mut boxes = BoxSet::new(problem.attributes.len());
    let mut counts: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (class, members) in groups.iter().enumerate() {
        boxes.push(problem.attributes.iter().enumerate().map(|(at, attribute)| {
            let mut codes: Vec<u32> =
                members.iter().map(|&row| problem.cells.code(at, cell_of(row) as usize)).collect();
            codes.sort_unstable();
            codes.dedup();
            attribute.group(&codes)
        }));
        for &row in *members {
            *counts.entry((cell_of(row), class as u32)).or_default() += 1;
        }
    }
    let shares = counts.into_iter();
    let shares = shares
        .map(|((cell, class), count)| ProfileShare { cell, target: 0, class, count })
        .collect();
    Recoding::Local(BoxAssignment { boxes, shares, narrowing: None })
}

/// Groups of rows, their penalty, and the labels of each.
type Figure1 = ([&'static [usize]; 2], f64, [[&'static str; 2]; 2]);

#[test]
fn the_tables_of_figure_1_can_be_expressed_and_are_accepted() {
    let (table, problem) = six_rows();
    let rows = rows_of(&table);
    // (b), which boxes can express, and (c), which parts the identical rows R3 and R4.
    let cases: [Figure1; 2] = [
        ([&[1, 2, 3], &[0, 4, 5]], 6.375, [["[25-30]", "53711"], ["[24-32]", "[53712-53713]"]]),
        (
            [&[0, 1, 2], &[3, 4, 5]],
            7.5,
            [["[24-30]", "[53711-53712]"], ["[30-32]", "[53711-53713]"]],
        ),
    ];
    for (groups, ncp, labels) in cases {
        let recoding = recoding_of(&problem, &rows, &groups);
        let release = Release::new(&problem, &recoding, SuppressionMode::Drop);
        assert!((release.measures.ncp - ncp).abs() < 1e-9, "{}", release.measures.ncp);
        let released = release.table_in_order(&problem, &table, &table.names()).unwrap();
        let verdict = verdict(&released, &table, &requirements(&problem, &Ladders::new()));
        assert!(verdict.holds && verdict.k == Some(3), "{verdict}");
        let mut shown = rows_of(&released);
        shown.sort();
        let mut expected: Vec<Vec<String>> = labels
            .iter()
            .flat_map(|label| vec![label.iter().map(|field| (*field).to_owned()).collect(); 3])
            .collect();
        expected.sort();
        assert_eq!(shown, expected);
    }
    // (b) as disjoint boxes.
    let Recoding::Local(assigned) = recoding_of(&problem, &rows, &[&[1, 2, 3], &[0, 4, 5]]) else {
        unreachable!()
    };
    let release =
        Release::new(&problem, &Recoding::Regional(assigned.boxes), SuppressionMode::Drop);
    assert!((release.measures.ncp - 6.375).abs() < 1e-9);
    assert_eq!(release.rows(), 6);
}

/// Figure 2: the groups found, and the sum of interval lengths over all rows.
fn figure_2(method: &str, options: &[(&str, &str)]) -> (Vec<Vec<usize>>, f64) {
    let points = [(10, 60), (20, 70), (20, 50), (50, 20), (55, 10), (60, 20)];
    let rows = points.map(|(x, y)| [x.to_string(), y.to_string()]);
    let table = Table::from_rows(&["x", "y"], &rows).unwrap();
    let spec = ProblemSpec::new(2).quasi("x").quasi("y");
    let (.., released) = release_rows(&spec, &table, method, options, SuppressionMode::Drop);
    let mut groups: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (row, released) in released.iter().enumerate() {
        groups.entry(released.clone()).or_default().push(row);
    }
    let span = |group: &[usize], value: fn((i32, i32)) -> i32| {
        let values = || group.iter().map(|&row| value(points[row]));
        f64::from(values().max().unwrap() - values().min().unwrap())
    };
    let cost = |group: &Vec<usize>| {
        group.len() as f64 * (span(group, |point| point.0) + span(group, |point| point.1))
    };
    let uncertainty = groups.values().map(cost).sum();
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort();
    (groups, uncertainty)
}

#[test]
fn clustering_finds_the_two_triples_of_figure_2() {
    let (groups, uncertainty) = figure_2("cluster-up", &[]);
    assert_eq!(groups, [vec![0, 1, 2], vec![3, 4, 5]]);
    assert_eq!(uncertainty, 150.0);
    // The pairs {a,b}, {c,d}, {e,f} cost 190; no method may come out there.
    for (method, options) in
        [("cluster-down", vec![]), ("mondrian", vec![("cut", "penalty")]), ("mondrian", vec![])]
    {
        assert!(figure_2(method, &options).1 <= 150.0, "{method}");
    }
}

/// The least penalty of any grouping of up to a dozen rows into groups of at least k, by exhaustive search.
fn least_penalty(points: &[[f64; 2]], k: usize) -> f64 {
    let all = points.len();
    let range = |at: usize| {
        let values = || points.iter().map(|point| point[at]);
        let width = values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min);
        if width > 0.0 { width } else { 1.0 }
    };
    let ranges = [range(0), range(1)];
    let cost = |set: usize| -> f64 {
        let members = || (0..all).filter(move |row| set >> row & 1 == 1);
        let width = |at: usize| {
            let values = || members().map(|row| points[row][at]);
            (values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)) / ranges[at]
        };
        set.count_ones() as f64 * (width(0) + width(1))
    };
    let mut best = vec![f64::INFINITY; 1 << all];
    best[0] = 0.0;
    for set in 1..1usize << all {
        // The lowest row is in some group; its company is any subset of the others.
        let low = set & set.wrapping_neg();
        let others = set ^ low;
        let mut company = others;
        loop {
            let group = company | low;
            if (k..2 * k).contains(&(group.count_ones() as usize)) {
                best[set] = best[set].min(best[set ^ group] + cost(group));
            }
            if company == 0 {
                break;
            }
            company = (company - 1) & others;
        }
    }
    best[(1 << all) - 1]
}

#[test]
fn clusters_are_near_the_best_grouping_of_tiny_tables() {
    let mut rng = LinearRng::new(7);
    let mut next = |end: u64| rng.below(end);
    let mut sums = BTreeMap::new();
    let tables = 60;
    for _ in 0..tables {
        let points: Vec<[f64; 2]> = (0..10).map(|_| [next(30) as f64, next(12) as f64]).collect();
        let rows: Vec<[String; 2]> =
            points.iter().map(|point| point.map(|value| value.to_string())).collect();
        let table = Table::from_rows(&["x", "y"], &rows).unwrap();
        let problem =
            Problem::of_table(&ProblemSpec::new(2).quasi("x").quasi("y"), &table).unwrap();
        let least = least_penalty(&points, 2);
        for (method, options) in [
            ("cluster-up", &[][..]),
            ("cluster-down", &[][..]),
            ("mondrian", &[("cut", "penalty"), ("look-ahead", "all")][..]),
        ] {
            let recoding = solve(method, options, &problem).into_recoding().unwrap();
            let found = Release::new(&problem, &recoding, SuppressionMode::Drop).measures.ncp;
            assert!(found >= least - 1e-9, "{method} {found} {least} {rows:?}");
            *sums.entry(method).or_insert(0.0) += found / least;
        }
    }
    for (method, sum) in sums {
        let ratio = sum / f64::from(tables);
        assert!(ratio < 1.5, "{method}: {ratio} times the least penalty on average");
    }
}

fn adult_spec(k: u64) -> ProblemSpec {
    ADULT_QUASI.iter().fold(ProblemSpec::new(k), |spec, name| spec.quasi(name))
}

/// The best results of public tools on the Adult data, by k.
const PUBLIC: [(u64, f64); 6] =
    [(2, 0.0134), (5, 0.0390), (10, 0.0636), (25, 0.111), (50, 0.161), (100, 0.225)];

#[test]
fn cutting_by_least_penalty_is_a_fifth_below_the_best_public_results() {
    let table = adult();
    let mut problem = Problem::of_table(&adult_spec(2), &table).unwrap();
    for (k, public) in PUBLIC {
        problem.privacy.k = k;
        let solution = solve("mondrian", &[("cut", "penalty")], &problem);
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        let gcp = release.measures.gcp;
        assert!(gcp <= 0.8 * public, "k {k}: GCP {gcp}, public {public}");
        assert_eq!(release.rows(), 30_162);
    }
}

#[test]
fn clustering_in_blocks_says_so_and_is_verified() {
    let table = adult();
    let problem = Problem::of_table(&adult_spec(25), &table).unwrap();
    for (method, most) in [("cluster-up", 0.115), ("cluster-down", 0.105)] {
        let solution = solve(method, &[], &problem);
        assert!(solution.notes[0].contains("18,109 combinations of values are more than 2,000"));
        assert!(solution.notes[0].contains("blocks"), "{:?}", solution.notes);
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        assert!(release.measures.gcp <= most, "{method}: GCP {}", release.measures.gcp);
        let released = release.table_in_order(&problem, &table, &table.names()).unwrap();
        let verdict = verdict(&released, &table, &requirements(&problem, &Ladders::new()));
        assert!(verdict.holds, "{verdict}");
    }
}

/// Suppression lowers the penalty where it is allowed, and never beyond its limit.
#[test]
fn suppressing_outliers_pays_within_the_limit() {
    let table = adult();
    let mut problem = Problem::of_table(&adult_spec(100), &table).unwrap();
    let cost = |problem: &Problem, method: &str| {
        let solution = solve(method, &[], problem);
        let release = Release::of_solution(problem, &solution, SuppressionMode::Drop).unwrap();
        (release.measures.ncp, release.classes.suppressed_rows())
    };
    for method in ["mondrian", "cluster-down"] {
        problem.limit = Limit::Default;
        let (whole, none) = cost(&problem, method);
        problem.limit = Limit::Rows(200);
        let (trimmed, some) = cost(&problem, method);
        assert_eq!(none, 0);
        assert!(some > 0 && some <= 200 && trimmed < whole, "{method}: {whole}, {trimmed}, {some}");
    }
}

#[test]
fn a_stopped_search_leaves_a_release() {
    let rows: Vec<[String; 3]> = (0..400u64)
        .map(|row| [row * 37 % 91, row * 11 % 17, row % 5].map(|value| value.to_string()))
        .collect();
    let table = Table::from_rows(&["x", "y", "s"], &rows).unwrap();
    let spec = ProblemSpec::new(3).quasi("x").quasi("y").sensitive("s", Model::DistinctL { l: 2 });
    let problem = Problem::of_table(&spec, &table).unwrap();
    for method in ["mondrian", "cluster-up", "cluster-down"] {
        for asked in [0, 1, 5, 50] {
            let control = stop_after(asked, StopReason::TimeLimit);
            let options: &[(&str, &str)] =
                if method == "mondrian" { &[] } else { &[("block", "100")] };
            let solution = Method::new(method, options).unwrap().solve(&problem, &control).unwrap();
            assert!(solution.outcome.stop_reason().is_some(), "{method} {asked}");
            let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
            assert_eq!(release.rows(), 400, "{method} {asked}");
        }
    }
}

/// Hierarchies are cut along their nodes, one child against the others where not all can be parted.
#[test]
fn least_penalty_uses_hierarchies_well() {
    let table = adult();
    let mut spec = adult_spec(10);
    let mut ladders = Ladders::new();
    for column in &mut spec.quasi {
        let rows = adult_hierarchy(&column.name);
        column.hierarchy = Some(HierarchySource::Given(Hierarchy::from_rows(&rows).unwrap()));
        ladders.insert(column.name.clone(), rows);
    }
    let problem = Problem::of_table(&spec, &table).unwrap();
    let gcp = |options: &[(&str, &str)]| {
        let solution = solve("mondrian", options, &problem);
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        let released = release.table_in_order(&problem, &table, &table.names()).unwrap();
        let verdict = verdict(&released, &table, &requirements(&problem, &ladders));
        assert!(verdict.holds, "{verdict}");
        release.measures.gcp
    };
    let (median, penalty) = (gcp(&[]), gcp(&[("cut", "penalty")]));
    assert!(penalty < 0.7 * median, "{penalty} and {median}");
}

#[test]
fn purity_tells_classes_apart_and_needs_a_class_column() {
    let rows: Vec<[String; 3]> = (0..240u64)
        .map(|row| {
            let (x, y) = (row % 60, row * 7 % 24);
            // The column that tells nothing comes first.
            [y.to_string(), x.to_string(), if x < 11 { "yes" } else { "no" }.to_owned()]
        })
        .collect();
    let table = Table::from_rows(&["y", "x", "class"], &rows).unwrap();
    let plain = Problem::of_table(&ProblemSpec::new(5).quasi("y").quasi("x"), &table).unwrap();
    let purity = Method::new("mondrian", &[("cut", "purity")]).unwrap();
    assert!(purity.solve(&plain, &Control::new()).is_err());
    let spec = ProblemSpec::new(5).quasi("y").quasi("x").class("class");
    let problem = Problem::of_table(&spec, &table).unwrap();
    let cm = |options: &[(&str, &str)]| {
        let solution = solve("mondrian", options, &problem);
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        release.measures.cm.unwrap()
    };
    assert_eq!(cm(&[("cut", "purity")]), 0, "one cut parts the classes");
    assert!(cm(&[]) > 0);
}
