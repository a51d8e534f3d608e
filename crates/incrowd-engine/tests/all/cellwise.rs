//! Cell suppression: the papers' tables, brute force on small ones, and the weaker reading.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::{ADULT_QUASI, Ladders, adult, adult_hierarchy, requirements, rows_of, solve, verdict};
use incrowd_engine::release::BlankCounts;
use incrowd_engine::{
    Algorithm, Control, Limit, Method, Metric, Outcome, Problem, ProblemSpec, Release, Solution,
    SuppressionMode, Table,
};
use proptest::prelude::*;

/// A table of digits, a row a word, with columns a, b, c...
fn digits(rows: &[&str]) -> Table {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.chars().map(|digit| digit.to_string()).collect()).collect();
    table_of(&rows)
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn table_of(rows: &[Vec<String>]) -> Table {
    Table::from_rows(&NAMES[..rows[0].len()], rows).unwrap()
}

fn spec_of(table: &Table, k: u64) -> ProblemSpec {
    let mut spec = ProblemSpec::new(k);
    for column in table.columns() {
        spec = spec.quasi(&column.name);
    }
    spec.metric = Metric::Blanks;
    spec
}

/// The solution, its blanks, and the released rows, which the verifier has accepted.
fn released(
    method: &str,
    options: &[(&str, &str)],
    spec: &ProblemSpec,
    table: &Table,
) -> (Solution, Release, BlankCounts, Vec<Vec<String>>) {
    let problem = Problem::of_table(spec, table).unwrap();
    let solution = solve(method, options, &problem);
    let recoding = solution.recoding().unwrap();
    assert_eq!(recoding.kind(), "cellwise");
    let release = Release::new(&problem, recoding, SuppressionMode::Drop);
    let rows = release.table_in_order(&problem, table, &table.names()).unwrap();
    let mut requirements = requirements(&problem, &Ladders::new());
    requirements.wildcards = spec.wildcards;
    let verdict = verdict(&rows, table, &requirements);
    assert!(verdict.holds, "{verdict}");
    let blanks = BlankCounts::of(&problem, &release.classes);
    let stars = rows_of(&rows).iter().flatten().filter(|field| *field == "*").count() as u64;
    let suppressed = release.classes.suppressed_rows() * table.columns().len() as u64;
    assert_eq!(blanks.cells, stars + suppressed);
    (solution, release, blanks, rows_of(&rows))
}

fn per_column(blanks: &BlankCounts) -> Vec<u64> {
    blanks.columns.iter().map(|(_, blanks)| *blanks).collect()
}

#[test]
fn table_1_of_the_paper_has_four_blanks_in_each_column() {
    let states = "FL CA NY IL FL CA TX IL AZ OK NY OK AZ NJ TX NJ MI MI";
    let rows: Vec<Vec<String>> = states
        .split(' ')
        .enumerate()
        .map(|(at, state)| {
            let number = (at / 2).min(7);
            let bit = |place: usize| (number >> place & 1).to_string();
            vec![bit(2), bit(1), bit(0), state.to_owned()]
        })
        .collect();
    let table = table_of(&rows);
    let (solution, _, blanks, _) = released("balanced", &[], &spec_of(&table, 2), &table);
    assert_eq!(solution.outcome.name(), "optimal");
    assert_eq!((blanks.cells, per_column(&blanks)), (16, vec![4; 4]));
    let (solution, _, blanks, _) = released("cells", &[], &spec_of(&table, 2), &table);
    assert_eq!((solution.outcome.name(), blanks.cells), ("optimal", 16));
}

#[test]
fn table_4_of_the_paper_has_two_blanks_in_each_row() {
    let rows = [
        ["1", "2", "3", "TX"],
        ["1", "2", "3", "AZ"],
        ["8", "9", "3", "TX"],
        ["1", "2", "7", "TX"],
    ];
    let rows = rows.map(|row| row.map(str::to_owned).to_vec());
    let table = table_of(&rows);
    let (solution, _, blanks, _) = released("balanced", &[], &spec_of(&table, 2), &table);
    assert_eq!(solution.outcome.name(), "optimal");
    assert_eq!((blanks.cells, blanks.rows), (8, vec![0, 0, 4]));
}

#[test]
fn table_13_of_the_paper_has_one_blank_in_each_row_and_eight_in_each_column() {
    let columns =
        ["000000000111111111222222", "000111222000111222001112", "012012012012012012120120"];
    let rows: Vec<String> = (0..24)
        .map(|at| columns.iter().map(|column| column.as_bytes()[at] as char).collect())
        .collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let table = digits(&rows);
    let (solution, _, blanks, _) = released("balanced", &[], &spec_of(&table, 2), &table);
    assert_eq!(solution.outcome.name(), "optimal");
    assert_eq!((per_column(&blanks), blanks.rows), (vec![8; 3], vec![0, 24]));
}

#[test]
fn a_cover_blanks_what_the_rows_of_a_ball_differ_in() {
    let table = digits(&["111", "112", "113", "777", "778", "787", "555", "555"]);
    let (solution, _, blanks, rows) =
        released("cover", &[("improve", "off")], &spec_of(&table, 2), &table);
    let cover = solution.cover().unwrap();
    // Three and two rows that differ in one column, one that joins its nearest, and two that are equal.
    assert_eq!(rows[6..], [["5"; 3], ["5"; 3]]);
    assert_eq!(rows[0], ["1", "1", "*"]);
    assert_eq!(blanks.cells as f64, cover.cost);
    assert_eq!(cover.guaranteed, Some(11.0));
    let ratio = cover.against_optimum.unwrap();
    assert!((1.0..=11.0).contains(&ratio), "{ratio}");
}

/// Rows that many others equal are set aside in larger tables only.
#[test]
fn many_equal_rows_do_not_prevent_a_proof() {
    let mut rows = vec!["11"; 8];
    for (more, blanks) in [("11", 0), ("12", 2)] {
        rows.push(more);
        let table = digits(&rows);
        for method in ["cells", "balanced"] {
            let (solution, _, found, _) = released(method, &[], &spec_of(&table, 2), &table);
            assert_eq!((solution.outcome.name(), found.cells), ("optimal", blanks), "{method}");
        }
    }
    let table = digits(&["11"; 100]);
    let (solution, ..) = released("balanced", &[], &spec_of(&table, 2), &table);
    assert_eq!(solution.outcome.name(), "optimal");
}

/// What is worth how much: cost, spread over columns, most blanks in a row.
type Worth = (f64, u64, u64);

/// All partitions into groups of at least k rows, the last group being suppressed rows.
struct Brute<'a> {
    rows: &'a [Vec<u32>],
    weights: &'a [f64],
    k: usize,
    limit: usize,
    best: Worth,
    groups: Vec<Vec<usize>>,
}

impl Brute<'_> {
    fn go(&mut self, row: usize, out: usize) {
        if row == self.rows.len() {
            if self.groups.iter().all(|group| group.len() >= self.k) {
                let worth = self.worth(out);
                let (a, b) =
                    (worth.0 - self.best.0, (worth.1, worth.2) < (self.best.1, self.best.2));
                if a < -1e-9 || (a < 1e-9 && b) {
                    self.best = worth;
                }
            }
            return;
        }
        let lacking: usize =
            self.groups.iter().map(|group| self.k.saturating_sub(group.len())).sum();
        if lacking > self.rows.len() - row {
            return;
        }
        for group in 0..self.groups.len() {
            self.groups[group].push(row);
            self.go(row + 1, out);
            self.groups[group].pop();
        }
        self.groups.push(vec![row]);
        self.go(row + 1, out);
        self.groups.pop();
        if out < self.limit {
            self.go(row + 1, out + 1);
        }
    }

    fn worth(&self, out: usize) -> Worth {
        let width = self.weights.len();
        let mut columns = vec![out as u64; width];
        let mut most = if out > 0 { width as u64 } else { 0 };
        for group in &self.groups {
            let mut here = 0;
            for (at, blanks) in columns.iter_mut().enumerate() {
                if group.iter().any(|&row| self.rows[row][at] != self.rows[group[0]][at]) {
                    *blanks += group.len() as u64;
                    here += 1;
                }
            }
            most = most.max(here);
        }
        let cost = columns.iter().zip(self.weights).map(|(&blanks, w)| blanks as f64 * w).sum();
        (cost, columns.iter().max().unwrap() - columns.iter().min().unwrap(), most)
    }
}

#[derive(Debug, Clone)]
struct Small {
    rows: Vec<Vec<u32>>,
    weights: Vec<f64>,
    k: usize,
    limit: usize,
}

impl Small {
    fn best(&self) -> Worth {
        let best = (f64::INFINITY, u64::MAX, u64::MAX);
        let Small { rows, weights, k, limit } = self;
        let mut brute = Brute { rows, weights, k: *k, limit: *limit, best, groups: Vec::new() };
        brute.go(0, 0);
        brute.best
    }

    fn table(&self) -> Table {
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(u32::to_string).collect()).collect();
        table_of(&rows)
    }

    fn spec(&self, table: &Table) -> ProblemSpec {
        let mut spec = spec_of(table, self.k as u64);
        for (column, &weight) in spec.quasi.iter_mut().zip(&self.weights) {
            column.weight = weight;
        }
        spec.limit = Limit::Rows(self.limit as u64);
        spec
    }
}

/// Up to nine rows for k = 2, up to twelve for larger k, whose partitions are fewer; in a fourth of the
/// tables many rows are alike.
fn small() -> impl Strategy<Value = Small> {
    let alike = prop_oneof![3 => Just(0), 1 => 2..=12usize];
    (2..=4usize, 1..=5usize, 2..=4u32, any::<bool>(), 0..=2usize, alike).prop_flat_map(
        |(k, width, values, weighted, limit, alike)| {
            let most = if k == 2 || limit > 0 { 9 } else { 12 };
            let weight =
                prop::sample::select(if weighted { vec![1.0, 2.5, 0.5] } else { vec![1.0] });
            let row = prop::collection::vec(0..values, width);
            (prop::collection::vec(row, k..=most), prop::collection::vec(weight, width)).prop_map(
                move |(mut rows, weights)| {
                    let first = rows[0].clone();
                    rows.iter_mut().take(alike).for_each(|row| row.clone_from(&first));
                    Small { rows, weights, k, limit }
                },
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: incrowd_testing::cases(150), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exact_searches_find_what_brute_force_finds(small in small()) {
        let (cost, spread, most) = small.best();
        let table = small.table();
        let spec = small.spec(&table);
        // Hardly any search first, so that the proof has something to do.
        for steps in ["0", "20"] {
            let (solution, release, _, _) = released("cells", &[("steps", steps)], &spec, &table);
            prop_assert_eq!(solution.outcome.name(), "optimal");
            prop_assert!((release.measures.blanks - cost).abs() < 1e-9, "{} {cost}", release.measures.blanks);
            let (solution, release, blanks, _) = released("balanced", &[("steps", steps)], &spec, &table);
            prop_assert_eq!(solution.outcome.name(), "optimal");
            prop_assert!((release.measures.blanks - cost).abs() < 1e-9);
            prop_assert_eq!((blanks.spread, blanks.most_in_a_row), (spread, most));
        }
    }

    #[test]
    fn covers_stay_within_their_ratio(mut small in small()) {
        small.limit = 0;
        let (least, ..) = small.best();
        let table = small.table();
        let (solution, release, _, _) = released("cover", &[("improve", "off")], &small.spec(&table), &table);
        let cover = solution.cover().unwrap();
        prop_assert!((cover.cost - release.measures.blanks).abs() < 1e-9);
        prop_assert!(cover.before_improvement <= cover.guaranteed.unwrap() * least + 1e-9);
        // There is no ratio to an optimum without blanks.
        match cover.against_optimum {
            Some(ratio) => prop_assert!(least == 0.0 || (ratio - cover.cost / least).abs() < 1e-9),
            None => prop_assert_eq!(least, 0.0),
        }
        let (solution, ..) = released("cover", &[("improve", "20")], &small.spec(&table), &table);
        let improved = solution.cover().unwrap();
        prop_assert!(improved.cost <= cover.cost + 1e-9);
        prop_assert_eq!(improved.before_improvement, cover.cost);
    }

    /// The bound of a search that proves nothing is a bound.
    #[test]
    fn bounds_hold(small in small()) {
        let (least, ..) = small.best();
        let table = small.table();
        let options = [("nodes", "off"), ("steps", "5")];
        let (solution, release, _, _) = released("cells", &options, &small.spec(&table), &table);
        match solution.outcome {
            Outcome::Feasible { bound, .. } => prop_assert!(bound.unwrap() <= least + 1e-9),
            outcome => {
                prop_assert_eq!(outcome.name(), "optimal");
                prop_assert!((release.measures.blanks - least).abs() < 1e-9);
            }
        }
    }

    /// Under the weaker reading the verifier finds k rows about every row; own blanks are the fewest with
    /// which every row fits k original rows, and nobody's blanks are more than that.
    #[test]
    fn wildcards_are_verified(small in small()) {
        let table = small.table();
        let mut spec = small.spec(&table);
        spec.wildcards = true;
        let (_, own, _, rows) = released("cells", &[("crowd", "own")], &spec, &table);
        for row in &rows {
            let fits = |other: &&Vec<u32>| row.iter().zip(*other).all(|(a, b)| a == "*" || *a == b.to_string());
            prop_assert!(small.rows.iter().filter(fits).count() >= small.k);
        }
        let width = small.weights.len();
        let fewest: f64 = small.rows.iter().map(|row| {
            let price = |mask: usize| (0..width).filter(|at| mask >> at & 1 == 1).map(|at| small.weights[at]).sum::<f64>();
            let fit = |mask: usize| small.rows.iter().filter(|other| (0..width).all(|at| mask >> at & 1 == 1 || row[at] == other[at])).count();
            (0..1 << width).filter(|&mask| fit(mask) >= small.k).map(price).fold(f64::INFINITY, f64::min)
        }).sum();
        prop_assert!((own.measures.blanks - fewest).abs() < 1e-9);
        let (_, any, _, _) = released("cells", &[("crowd", "any")], &spec, &table);
        prop_assert!(any.measures.blanks <= fewest + 1e-9);
        prop_assert!(any.measures.blanks <= (small.k - 1) as f64 * small.weights.iter().sum::<f64>() + 1e-9);
        prop_assert_eq!(own.classes.suppressed_rows() + any.classes.suppressed_rows(), 0);
    }
}

#[test]
fn odd_tables_are_no_trouble() {
    let all = [
        ("cells", vec![]),
        ("cover", vec![]),
        ("balanced", vec![]),
        ("cells", vec![("crowd", "own")]),
        ("cells", vec![("crowd", "any")]),
    ];
    let tables = [
        (digits(&["1"]), 1),
        (digits(&["123", "123", "123"]), 3),
        (digits(&["1", "2", "3", "4", "5"]), 5),
        (digits(&["12", "34"]), 2),
        (digits(&["111111", "222222", "333333", "111112"]), 3),
    ];
    for (method, options) in all {
        for (table, k) in &tables {
            let mut spec = spec_of(table, *k);
            released(method, &options, &spec, table);
            spec.limit = Limit::All;
            released(method, &options, &spec, table);
            if method == "cells" {
                spec.wildcards = true;
                released(method, &options, &spec, table);
            }
        }
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let table = digits(&["12", "34", "56"]);
    let mut spec = spec_of(&table, 2);
    spec.wildcards = true;
    let problem = Problem::of_table(&spec, &table).unwrap();
    let error = Method::new("mondrian", &[]).unwrap().solve(&problem, &Control::new()).unwrap_err();
    assert!(error.message.contains("wildcards"), "{}", error.message);
    let spec = spec.sensitive("z", incrowd_engine::Model::DistinctL { l: 2 });
    assert!(Problem::of_table(&spec, &table).is_err());
}

/// The Adult data after one recoding: ages in decades, five columns one hierarchy level up.
fn recoded() -> Table {
    let table = adult();
    let levels = [
        ("age", 2),
        ("marital-status", 1),
        ("education", 1),
        ("native-country", 1),
        ("workclass", 1),
        ("occupation", 1),
    ];
    let mut rows = rows_of(&table);
    let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
    for (name, level) in levels {
        let ladder = adult_hierarchy(name);
        let at = names.iter().position(|column| *column == name).unwrap();
        for row in &mut rows {
            let step = ladder.iter().find(|step| step[0] == row[at]).unwrap();
            row[at] = step[level].clone();
        }
    }
    Table::from_rows(&names, &rows).unwrap()
}

#[test]
fn adult_needs_fewer_blanks_than_other_tools_make() {
    let table = recoded();
    let mut spec = ProblemSpec::new(5);
    for name in ADULT_QUASI {
        spec = spec.quasi(name);
    }
    spec.metric = Metric::Blanks;
    let (_, strict, _, _) = released("cells", &[("steps", "2")], &spec, &table);
    assert!(strict.measures.blanks < 3_800.0, "{}", strict.measures.blanks);
    spec.wildcards = true;
    let (_, own, _, _) = released("cells", &[("crowd", "own")], &spec, &table);
    assert_eq!((own.measures.blanks, own.classes.suppressed_rows()), (2_465.0, 0));
    // What others' blanks save, within a few moves for each row.
    let (_, shared, _, _) = released("cells", &[("steps", "10")], &spec, &table);
    assert!(shared.measures.blanks < 2_000.0, "{}", shared.measures.blanks);
}
