//! Blanks that match anything, and k for few known columns: brute force on small tables.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use crate::common;

use common::{Ladders, requirements, rows_of, solve, verdict};
use incrowd_engine::privacy::KnownColumns;
use incrowd_engine::{
    Algorithm, Control, Method, Metric, Problem, ProblemSpec, Release, SuppressionMode, Table,
};
use incrowd_testing::{SeededRng, cases};

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// A small table with a question.
struct Asked {
    rows: Vec<Vec<u32>>,
    weights: Vec<f64>,
    k: usize,
    known: Option<usize>,
    wildcards: bool,
}

impl Asked {
    /// Up to six rows of up to three columns.
    fn small(chance: &mut SeededRng, known: bool, wildcards: bool) -> Self {
        let width = 2 + chance.below(2) as usize;
        let k = 2 + chance.below(2) as usize;
        let rows = (0..k + chance.below(4) as usize)
            .map(|_| (0..width).map(|_| chance.below(3) as u32).collect())
            .collect();
        let weights = match chance.below(3) {
            0 => (0..width).map(|_| [1.0, 2.5, 0.5][chance.below(3) as usize]).collect(),
            _ => vec![1.0; width],
        };
        let known = known.then(|| 1 + chance.below(width as u64 - 1) as usize);
        Asked { rows, weights, k, known, wildcards }
    }

    /// A table of people, with columns of different width.
    fn people(chance: &mut SeededRng, rows: usize) -> Self {
        let row = |_| {
            let group = chance.below(3) as u32;
            let of = |chance: &mut SeededRng, most: u64| chance.below(most) as u32;
            vec![
                group * 4 + of(chance, 8),
                of(chance, 2),
                group,
                of(chance, 4).min(of(chance, 4)),
                group * 2 + of(chance, 3),
                of(chance, 3),
            ]
        };
        let rows = (0..rows).map(row).collect();
        Asked { rows, weights: vec![1.0; 6], k: 3, known: None, wildcards: true }
    }

    fn width(&self) -> usize {
        self.weights.len()
    }

    fn table(&self) -> Table {
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(u32::to_string).collect()).collect();
        Table::from_rows(&NAMES[..self.width()], &rows).unwrap()
    }

    fn problem(&self, table: &Table) -> Problem {
        let mut spec = ProblemSpec::new(if self.known.is_some() { 1 } else { self.k as u64 });
        for name in &NAMES[..self.width()] {
            spec = spec.quasi(name);
        }
        for (column, &weight) in spec.quasi.iter_mut().zip(&self.weights) {
            column.weight = weight;
        }
        spec.metric = Metric::Blanks;
        spec.wildcards = self.wildcards;
        spec.known = self.known.map(|columns| KnownColumns { k: self.k as u64, columns });
        Problem::of_table(&spec, table).unwrap()
    }

    /// What a release costs that the verifier accepts, and the masks of its rows.
    fn released(&self, options: &[(&str, &str)]) -> (f64, Vec<usize>) {
        let table = self.table();
        let problem = self.problem(&table);
        let solution = solve("cells", options, &problem);
        let release = Release::new(&problem, solution.recoding().unwrap(), SuppressionMode::Drop);
        assert_eq!(release.classes.suppressed_rows(), 0);
        let written = release.table_in_order(&problem, &table, &table.names()).unwrap();
        let mut requirements = requirements(&problem, &Ladders::new());
        requirements.wildcards = self.wildcards;
        requirements.risks.known = self.known.map(|columns| (self.k as u64, columns));
        let verdict = verdict(&written, &table, &requirements);
        assert!(verdict.holds, "{verdict}");
        let mask = |row: &Vec<String>| -> usize {
            row.iter().enumerate().map(|(at, field)| usize::from(field == "*") << at).sum()
        };
        let masks: Vec<usize> = rows_of(&written).iter().map(mask).collect();
        assert!((self.cost(&masks) - release.measures.blanks).abs() < 1e-9);
        assert!(self.holds(&masks));
        (release.measures.blanks, masks)
    }

    fn price(&self, mask: usize) -> f64 {
        (0..self.width()).filter(|at| mask >> at & 1 == 1).map(|at| self.weights[at]).sum()
    }

    fn cost(&self, masks: &[usize]) -> f64 {
        masks.iter().map(|&mask| self.price(mask)).sum()
    }

    /// The sets of columns that are looked at.
    fn sets(&self) -> impl Iterator<Item = usize> + '_ {
        let size = self.known.unwrap_or(self.width()) as u32;
        (0..1 << self.width()).filter(move |set: &usize| set.count_ones() == size)
    }

    /// Whether two rows are the same in a set of columns.
    fn same(
        &self,
        set: usize,
        (one, mine): (usize, usize),
        (other, theirs): (usize, usize),
    ) -> bool {
        (0..self.width()).filter(|at| set >> at & 1 == 1).all(|at| {
            let blank = (mine >> at & 1, theirs >> at & 1);
            match blank {
                (0, 0) => self.rows[one][at] == self.rows[other][at],
                (a, b) => self.wildcards || a == b,
            }
        })
    }

    fn holds(&self, masks: &[usize]) -> bool {
        let rows = || masks.iter().copied().enumerate();
        self.sets().all(|set| {
            rows().all(|one| rows().filter(|&other| self.same(set, one, other)).count() >= self.k)
        })
    }

    /// What each row needs by itself, whatever the others have: original rows that fit it.
    fn own(&self) -> Vec<f64> {
        let plain = || (0..self.rows.len()).map(|row| (row, 0));
        let is_enough = |row: usize, mask: usize| {
            self.sets().all(|set| {
                plain().filter(|&other| self.same(set & !mask, (row, 0), other)).count() >= self.k
            })
        };
        let least = |row: usize| {
            let masks = (0..1 << self.width()).filter(|&mask| is_enough(row, mask));
            masks.map(|mask| self.price(mask)).fold(f64::INFINITY, f64::min)
        };
        (0..self.rows.len()).map(least).collect()
    }

    /// The least cost, with no row above a limit.
    fn least(&self, limits: &[f64]) -> f64 {
        let mut best = f64::INFINITY;
        self.go(&mut Vec::new(), 0.0, limits, &mut best);
        best
    }

    fn go(&self, masks: &mut Vec<usize>, cost: f64, limits: &[f64], best: &mut f64) {
        if cost >= *best - 1e-9 {
            return;
        }
        if masks.len() == self.rows.len() {
            if self.holds(masks) {
                *best = cost;
            }
            return;
        }
        for mask in 0..1 << self.width() {
            let price = self.price(mask);
            if price <= limits[masks.len()] + 1e-9 {
                masks.push(mask);
                self.go(masks, cost + price, limits, best);
                masks.pop();
            }
        }
    }
}

/// How much more the searches blank than brute force does, over many small tables.
fn excess(known: bool, wildcards: bool, seed: u64) -> f64 {
    let mut chance = SeededRng::new(seed);
    let (mut found, mut least) = (0.0, 0.0);
    for _ in 0..cases(300) {
        let asked = Asked::small(&mut chance, known, wildcards);
        let own = asked.own();
        let limits = if wildcards { own.clone() } else { vec![f64::INFINITY; asked.rows.len()] };
        let best = asked.least(&limits);
        let (cost, masks) = asked.released(&[]);
        assert!(cost >= best - 1e-9, "{:?}", asked.rows);
        if wildcards {
            let (alone, _) = asked.released(&[("crowd", "own")]);
            assert!((alone - own.iter().sum::<f64>()).abs() < 1e-9, "{:?}", asked.rows);
            let dear = |(&mask, &own): (&usize, &f64)| asked.price(mask) > own + 1e-9;
            assert!(!masks.iter().zip(&own).any(dear));
            let (any, _) = asked.released(&[("crowd", "any")]);
            assert!(any <= cost + 1e-9);
        }
        (found, least) = (found + cost, least + best);
    }
    found / least - 1.0
}

#[test]
fn shared_crowds_need_hardly_more_blanks_than_brute_force() {
    let excess = excess(false, true, 1);
    assert!(excess <= 0.01, "{excess}");
}

#[test]
fn few_known_columns_under_wildcards_need_hardly_more_blanks_than_brute_force() {
    let excess = excess(true, true, 2);
    assert!(excess <= 0.01, "{excess}");
}

#[test]
fn few_known_columns_need_hardly_more_blanks_than_brute_force() {
    let excess = excess(true, false, 3);
    assert!(excess <= 0.05, "{excess}");
}

/// Others' blanks count, so there are fewer; what few columns show needs fewer still.
#[test]
fn people_need_fewer_blanks_where_others_count() {
    let mut asked = Asked::people(&mut SeededRng::new(4), 200);
    for (known, wildcards) in [(None, true), (Some(2), true), (Some(2), false)] {
        (asked.known, asked.wildcards) = (known, wildcards);
        let (cost, masks) = asked.released(&[]);
        assert_eq!((cost, masks), asked.released(&[]));
        let own: f64 = asked.own().iter().sum();
        match wildcards {
            true => assert!(cost < 0.8 * own, "{known:?} {cost} {own}"),
            false => assert!(cost >= own, "{cost} {own}"),
        }
        let few = asked.released(&[("steps", "0")]).0;
        assert!(cost <= few, "{cost} {few}");
    }
}

/// The columns with the least weight are blanked.
#[test]
fn weights_steer_blanks() {
    let mut asked = Asked::people(&mut SeededRng::new(5), 300);
    let blanks = |asked: &Asked| {
        let (_, masks) = asked.released(&[]);
        masks.iter().filter(|&mask| mask & 1 == 1).count()
    };
    let even = blanks(&asked);
    asked.weights[0] = 6.0;
    let dear = blanks(&asked);
    asked.weights[0] = 0.2;
    let cheap = blanks(&asked);
    assert!(2 * dear < even && even < cheap, "{dear} {even} {cheap}");
}

/// A search that is stopped at once, or soon, has something that holds.
#[test]
fn a_search_that_is_stopped_keeps_what_holds() {
    let mut asked = Asked::people(&mut SeededRng::new(6), 500);
    for (known, wildcards) in [(None, true), (Some(2), true), (Some(2), false)] {
        (asked.known, asked.wildcards) = (known, wildcards);
        let table = asked.table();
        let problem = asked.problem(&table);
        let method = Method::new("cells", &[("steps", "100000")]).unwrap();
        for limit in [0, 5, 200] {
            let control = Control::new().with_time_limit(Duration::from_millis(limit));
            let solution = method.solve(&problem, &control).unwrap();
            assert!(solution.outcome.stop_reason().is_some());
            let recoding = solution.recoding().unwrap();
            let release = Release::new(&problem, recoding, SuppressionMode::Drop);
            assert_eq!(release.classes.suppressed_rows(), 0);
        }
    }
}

/// Blanks of a value are dearer that is blanked more often: the distribution of those that are left stays closer.
#[test]
fn marginals_are_kept() {
    let asked = Asked::people(&mut SeededRng::new(7), 400);
    let distance = |masks: &[usize]| -> f64 {
        let of = |at: usize| {
            let is_left = |row: &usize| masks[*row] >> at & 1 == 0;
            let left = (0..masks.len()).filter(is_left).count() as f64;
            let all = masks.len() as f64;
            let share = |value: u32| {
                let has = |row: &usize| asked.rows[*row][at] == value;
                let rows = (0..masks.len()).filter(has);
                let (of_all, of_left) = (rows.clone().count(), rows.filter(is_left).count());
                (of_all as f64 / all - of_left as f64 / left).abs()
            };
            (0..20).map(share).sum::<f64>() / 2.0
        };
        (0..asked.width()).map(of).sum()
    };
    let (cost, masks) = asked.released(&[("marginals", "off")]);
    let (kept_cost, kept) = asked.released(&[("marginals", "200")]);
    assert!(distance(&kept) < 0.9 * distance(&masks), "{} {}", distance(&kept), distance(&masks));
    assert!(kept_cost < 1.25 * cost, "{kept_cost} {cost}");
}
