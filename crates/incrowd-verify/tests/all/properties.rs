//! What the verifier finds against slow and simple recomputation, on small random tables.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::common;

use std::collections::BTreeMap;

use common::{against, verify};
use incrowd_verify::{Distance, LabelHierarchy, Model, Requirements, SensitiveModel};
use proptest::prelude::*;

/// A released value in a column of the numbers 0 to 4 and a missing value.
#[derive(Debug, Clone)]
enum Released {
    Everything,
    Interval(u8, u8),
    Set(Vec<u8>),
    Value(u8),
}

/// The number that stands for a missing value in these tests.
const MISSING: u8 = 5;

impl Released {
    /// Whether it contains a value of a column that misses some values or none.
    fn contains(&self, value: u8, misses: bool) -> bool {
        match self {
            // Nobody's value is missing, so this one was suppressed.
            Released::Value(MISSING) if !misses => true,
            Released::Everything => true,
            Released::Interval(low, high) => (*low..=*high).contains(&value) && value != MISSING,
            Released::Set(values) => values.contains(&value),
            Released::Value(own) => *own == value,
        }
    }

    fn text(&self) -> String {
        match self {
            Released::Everything => "*".to_owned(),
            Released::Interval(low, high) => format!("[{low}-{high}]"),
            Released::Set(values) => {
                let elements: Vec<String> =
                    values.iter().map(|&v| text(v).replace("?", "\"\"\"\"")).collect();
                format!("\"{{{}}}\"", elements.join(", "))
            }
            Released::Value(value) => text(*value),
        }
    }
}

fn text(value: u8) -> String {
    if value == MISSING { "?".to_owned() } else { value.to_string() }
}

fn released() -> impl Strategy<Value = Released> {
    prop_oneof![
        1 => Just(Released::Everything),
        4 => (0..5_u8, 0..5_u8).prop_map(|(a, b)| Released::Interval(a.min(b), a.max(b))),
        2 => prop::collection::vec(0..=MISSING, 1..4).prop_map(Released::Set),
        2 => (0..=MISSING).prop_map(Released::Value),
    ]
}

type OriginalRow = (u8, u8, bool);
type ReleasedRow = (Released, Released, bool);

/// The most released rows from `at` on that can have distinct original rows, by trying all.
fn best(release: &[ReleasedRow], original: &[OriginalRow], at: usize, used: u32) -> u64 {
    let Some((a, b, s)) = release.get(at) else { return 0 };
    let misses_a = original.iter().any(|row| row.0 == MISSING);
    let misses_b = original.iter().any(|row| row.1 == MISSING);
    let without = best(release, original, at + 1, used);
    let matches = original.iter().enumerate().filter(|(row, (x, y, z))| {
        used >> row & 1 == 0 && a.contains(*x, misses_a) && b.contains(*y, misses_b) && s == z
    });
    let with = matches.map(|(row, _)| 1 + best(release, original, at + 1, used | 1 << row));
    with.max().unwrap_or(0).max(without)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(600)))]

    #[test]
    fn matching_equals_trying_all(
        original in prop::collection::vec((0..=MISSING, 0..=MISSING, any::<bool>()), 0..7),
        release in prop::collection::vec((released(), released(), prop::bool::weighted(0.8)), 0..7),
    ) {
        let mut left = "a,b,s\n".to_owned();
        for (a, b, s) in &original {
            left += &format!("{},{},{s}\n", text(*a), text(*b));
        }
        let mut right = "s,b,a\n".to_owned();
        for (a, b, s) in &release {
            right += &format!("{s},{},{}\n", b.text(), a.text());
        }
        let verdict = against(&right, &left, &Requirements::new(1, ["a", "b"]));
        let expected = best(&release, &original, 0, 0);
        let found = verdict.original.as_ref().unwrap();
        prop_assert_eq!(found.matched, expected, "{}", verdict);
        prop_assert_eq!(found.unmatched, release.len() as u64 - expected);
        prop_assert_eq!(found.suppressed, original.len() as u64 - expected);
        prop_assert_eq!(verdict.holds, found.unmatched == 0);
        let named: u64 = verdict.violations.iter().map(|violation| violation.rows).sum();
        prop_assert_eq!(named, found.unmatched);
    }

    /// Enough rows for trees of several levels, generalized in overlapping groups of the row order,
    /// then spoilt in some rows.
    #[test]
    fn truthful_local_recodings_hold(
        mut rows in prop::collection::vec((0..100_u32, 0..100_u32, 0..3_u32), 30..120),
        spoilt in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
    ) {
        let mut left = "a,b,s\n".to_owned();
        for (a, b, s) in &rows {
            left += &format!("{a},{b},{s}\n");
        }
        rows.sort_by_key(|&(a, b, s)| (s, a / 20, b));
        let mut lines = Vec::new();
        for group in rows.chunks(4) {
            let low = |f: fn(&(u32, u32, u32)) -> u32| group.iter().map(f).min().unwrap();
            let high = |f: fn(&(u32, u32, u32)) -> u32| group.iter().map(f).max().unwrap();
            let label = format!(
                "[{}-{}],[{}-{}]", low(|r| r.0), high(|r| r.0), low(|r| r.1), high(|r| r.1)
            );
            lines.extend(group.iter().map(|row| format!("{label},{}", row.2)));
        }
        let requirements = Requirements::new(1, ["a", "b"]);
        let release = |lines: &[String]| format!("a,b,s\n{}\n", lines.join("\n"));
        let verdict = against(&release(&lines), &left, &requirements);
        prop_assert!(verdict.holds, "{}", verdict);
        let mut places: Vec<usize> = spoilt.iter().map(|at| at.index(lines.len())).collect();
        places.sort_unstable();
        places.dedup();
        for &at in &places {
            lines[at] = "[200-300],*,0".to_owned();
        }
        let verdict = against(&release(&lines), &left, &requirements);
        prop_assert_eq!(verdict.original.unwrap().unmatched, places.len() as u64);
    }

    #[test]
    fn crowds_equal_counting(
        rows in prop::collection::vec(prop::collection::vec(0..4_u8, 3), 1..40),
        k in 1..8_u64,
    ) {
        // 0 stands for a star.
        let word = |v: &u8| if *v == 0 { "*".to_owned() } else { v.to_string() };
        let mut release = "a,b,c\n".to_owned();
        for row in &rows {
            release += &(row.iter().map(word).collect::<Vec<_>>().join(",") + "\n");
        }
        let agrees = |r: &[u8], s: &[u8]| r.iter().zip(s).all(|(x, y)| x == y || *x == 0 || *y == 0);
        let crowd = |row: &[u8]| rows.iter().filter(|other| agrees(row, other)).count() as u64;
        let crowds: Vec<u64> = rows.iter().map(|row| crowd(row)).collect();
        let mut requirements = Requirements::new(k, ["a", "b", "c"]);
        requirements.wildcards = true;
        let verdict = verify(&release, &requirements);
        prop_assert_eq!(verdict.k, crowds.iter().copied().min());
        let small = crowds.iter().filter(|&&crowd| crowd < k).count() as u64;
        prop_assert_eq!(verdict.violations.first().map_or(0, |violation| violation.rows), small);

        requirements.wildcards = false;
        let verdict = verify(&release, &requirements);
        let size = |row: &Vec<u8>| rows.iter().filter(|other| *other == row).count() as u64;
        prop_assert_eq!(verdict.k, rows.iter().map(size).min());
    }

    #[test]
    fn models_equal_recomputation(rows in prop::collection::vec((0..4_u8, 0..6_usize), 1..40)) {
        let mut release = "q,s\n".to_owned();
        for (q, s) in &rows {
            release += &format!("{q},{s}\n");
        }
        let mut requirements = Requirements::new(1, ["q"]);
        let groups = [("x", "p"), ("x", "p"), ("y", "p"), ("y", "p"), ("z", "r"), ("w", "r")];
        let ladder = groups.iter().enumerate().map(|(v, (a, b))| [v.to_string(), (*a).into(), (*b).into()]);
        requirements.ladders.insert("s".to_owned(), LabelHierarchy::from_rows(ladder).unwrap());
        let close = |distance| Model::TCloseness { t: 0.3, distance };
        let models = [
            Model::DistinctL(3),
            Model::EntropyL(2.5),
            Model::RecursiveCL { c: 1.5, l: 2 },
            close(Distance::Equal),
            close(Distance::Ordered),
            close(Distance::Hierarchical),
            Model::AlphaK(0.4),
            Model::BasicBeta(0.7),
            Model::EnhancedBeta(0.7),
            Model::DeltaDisclosure(0.5),
        ];
        requirements.models = models.map(|model| SensitiveModel::new("s", model)).to_vec();
        let verdict = verify(&release, &requirements);

        let mut classes: BTreeMap<u8, [f64; 6]> = BTreeMap::new();
        let mut table = [0.0; 6];
        for (q, s) in &rows {
            classes.entry(*q).or_default()[*s] += 1.0;
            table[*s] += 1.0;
        }
        for (model, found) in models.iter().zip(&verdict.models) {
            let measured: Vec<(f64, bool)> =
                classes.values().map(|class| naive(*model, class, &table, &groups)).collect();
            let most = measured.iter().map(|m| m.0).fold(f64::NEG_INFINITY, f64::max);
            let least = measured.iter().map(|m| m.0).fold(f64::INFINITY, f64::min);
            let low_is_bad = matches!(model, Model::DistinctL(_) | Model::EntropyL(_));
            let expected = if low_is_bad { least } else { most };
            let achieved = found.achieved.unwrap();
            prop_assert!(
                achieved == expected || (achieved - expected).abs() < 1e-9,
                "{}: {} and not {}", model, achieved, expected
            );
            let failing = measured.iter().filter(|m| !m.1).count() as u64;
            let named = verdict.violations.iter().find(|v| v.message.starts_with(&model.to_string()));
            prop_assert_eq!(named.map_or(0, |violation| violation.classes), failing, "{}", model);
            prop_assert_eq!(found.holds, failing == 0);
        }
    }
}

/// The measured quantity of a class and whether the model holds, straight from the definitions.
fn naive(
    model: Model,
    class: &[f64; 6],
    table: &[f64; 6],
    groups: &[(&str, &str); 6],
) -> (f64, bool) {
    let shares = |counts: &[f64; 6]| counts.map(|count| count / counts.iter().sum::<f64>());
    let (q, p) = (shares(class), shares(table));
    let values: Vec<usize> = (0..6).filter(|&v| table[v] > 0.0).collect();
    let within = |measured: f64, bound: f64| (measured, measured <= bound + 1e-9);
    let gain = |v: usize| (q[v] - p[v]) / p[v];
    match model {
        Model::DistinctL(l) => {
            let distinct = class.iter().filter(|&&count| count > 0.0).count();
            (distinct as f64, distinct as u64 >= l)
        }
        Model::EntropyL(l) => {
            let entropy: f64 = q.iter().filter(|&&q| q > 0.0).map(|q| -q * q.ln()).sum();
            (entropy.exp(), entropy >= l.ln() - 1e-9)
        }
        Model::RecursiveCL { c, l } => {
            let mut counts = class.to_vec();
            counts.sort_by(|a, b| b.total_cmp(a));
            let tail: f64 = counts[l as usize - 1..].iter().sum();
            (counts[0] / tail, counts[0] < c * tail)
        }
        Model::TCloseness { t, distance: Distance::Equal } => {
            within((0..6).map(|v| (q[v] - p[v]).abs()).sum::<f64>() / 2.0, t)
        }
        Model::TCloseness { t, distance: Distance::Ordered } => {
            let mut sum = 0.0;
            let mut moved = 0.0_f64;
            for &v in &values {
                moved += q[v] - p[v];
                sum += moved.abs();
            }
            within(if values.len() > 1 { sum / (values.len() - 1) as f64 } else { 0.0 }, t)
        }
        Model::TCloseness { t, distance: Distance::Hierarchical } => {
            // On a tree, the earth mover's distance is the sum over edges of their length times
            // what must cross them. Two levels of labels without a common top make a root of
            // height 3, so that an edge is 1/6 long: half of one step of height.
            let mut nodes: BTreeMap<String, f64> = BTreeMap::new();
            for v in 0..6 {
                let (low, high) = groups[v];
                for node in [format!("leaf {v}"), format!("low {low}"), format!("high {high}")] {
                    *nodes.entry(node).or_default() += q[v] - p[v];
                }
            }
            within(nodes.values().map(|extra| extra.abs()).sum::<f64>() / 6.0, t)
        }
        Model::AlphaK(alpha) => within(q.iter().copied().fold(0.0, f64::max), alpha),
        Model::BasicBeta(beta) => within(values.iter().map(|&v| gain(v)).fold(0.0, f64::max), beta),
        Model::EnhancedBeta(beta) => {
            let fits = values.iter().all(|&v| gain(v) <= 1e-12 || gain(v) <= -p[v].ln() + 1e-9);
            let most = values.iter().map(|&v| gain(v)).fold(0.0, f64::max);
            within(if fits { most } else { f64::INFINITY }, beta)
        }
        Model::DeltaDisclosure(delta) => {
            let measured = values.iter().map(|&v| (q[v] / p[v]).ln().abs()).fold(0.0, f64::max);
            (measured, measured < delta)
        }
    }
}
