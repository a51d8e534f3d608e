//! Requirements that count people: subjects with several records, and populations in which a row stands for many.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use incrowd_engine::auto::{AutoMethod, ReleaseKind, SearchEffort};
use incrowd_engine::privacy::{AtRiskLimit, PopulationRequirement, ReleaseRiskLimits};
use incrowd_engine::release::RowDisposition;
use incrowd_engine::{
    Algorithm, Control, FrequencyCounts, METHODS, Method, Problem, ProblemSpec, Recoder, Release,
    SuppressionMode, Table,
};
use incrowd_testing::{LinearRng, cases};

const QUASI: [&str; 2] = ["age", "size"];

fn texts(row: &[u32]) -> Vec<String> {
    row.iter().map(u32::to_string).collect()
}

/// A survey in strata: people of some ages stand for many, others for few.
fn survey(dice: &mut LinearRng) -> Vec<(Vec<u32>, u64)> {
    let ages = 3 + dice.below(5);
    let weights: Vec<u64> = (0..ages).map(|_| 1 + dice.below(3).pow(2) * dice.below(40)).collect();
    let row = |dice: &mut LinearRng| {
        let age = dice.below(ages);
        (vec![age as u32, dice.below(4) as u32], weights[age as usize])
    };
    (0..8 + dice.below(30)).map(|_| row(dice)).collect()
}

/// The survey as its own population, of which so many people must fit.
fn k_map(rows: &[(Vec<u32>, u64)], least: u64) -> Option<Problem> {
    let table = Table::from_rows(&QUASI, &rows.iter().map(|it| texts(&it.0)).collect::<Vec<_>>());
    let spec = ProblemSpec::new(1).quasi("age").quasi("size");
    let problem = Problem::of_table(&spec, &table.unwrap()).unwrap();
    let mut people: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    rows.iter().for_each(|(row, weight)| *people.entry(row.clone()).or_default() += weight);
    let groups: Vec<(Vec<String>, u64)> =
        people.iter().map(|(row, &people)| (texts(row), people)).collect();
    let groups = groups.iter().map(|(values, people)| (values.iter().map(String::as_str), *people));
    let counts = FrequencyCounts::from_groups(QUASI, groups).unwrap();
    let rule = PopulationRequirement { least, presence: None };
    problem.with_population(&Arc::new(counts), &[], rule).ok()
}

/// The cost of the cheapest box of intervals around each row that enough people fit, for all rows.
fn cheapest_boxes(rows: &[(Vec<u32>, u64)], least: u64) -> f64 {
    let ends: Vec<(u32, u32)> = (0..2)
        .map(|at| {
            let values = || rows.iter().map(|it| it.0[at]);
            (values().min().unwrap(), values().max().unwrap())
        })
        .collect();
    let intervals = |at: usize, value: u32| {
        let (low, high) = ends[at];
        let has = move |of: u32| rows.iter().any(|it| it.0[at] == of);
        let lows = (low..=value).filter(move |&it| has(it));
        lows.flat_map(move |from| {
            (value..=high).filter(move |&it| has(it)).map(move |to| (from, to))
        })
    };
    let width = |at: usize, (from, to): (u32, u32)| match ends[at].1 - ends[at].0 {
        0 => 0.0,
        range => f64::from(to - from) / f64::from(range),
    };
    rows.iter()
        .map(|(row, _)| {
            let mut best = 2.0;
            for age in intervals(0, row[0]) {
                for size in intervals(1, row[1]) {
                    let fits = |it: &&(Vec<u32>, u64)| {
                        (age.0..=age.1).contains(&it.0[0]) && (size.0..=size.1).contains(&it.0[1])
                    };
                    let people: u64 = rows.iter().filter(fits).map(|it| it.1).sum();
                    if people >= least {
                        best = f64::min(best, width(0, age) + width(1, size));
                    }
                }
            }
            best
        })
        .sum()
}

/// A local k-map is as good as can be, however unevenly the population is weighted.
#[test]
fn local_k_maps_are_the_cheapest_boxes() {
    for seed in 0..cases(200) {
        let mut dice = LinearRng::new(u64::from(seed) * 5 + 2);
        let rows = survey(&mut dice);
        let all: u64 = rows.iter().map(|it| it.1).sum();
        let least = 1 + dice.below(all.min(60));
        let Some(problem) = k_map(&rows, least) else { continue };
        let auto = AutoMethod::default().kind(ReleaseKind::Local).effort(SearchEffort::Quick);
        let solution = auto.solve(&problem, &Control::new()).unwrap();
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        assert_eq!(release.classes.suppressed_rows(), 0, "seed {seed}");
        assert!(release.least_fitting(&problem).unwrap() >= least, "seed {seed}");
        let best = cheapest_boxes(&rows, least);
        let found = release.measures.ncp;
        assert!((found - best).abs() < 1e-6, "seed {seed}: {found}, but {best}");
    }
}

/// The average risk and the share at risk of a release over its subjects: slowly, from its rows.
fn risks(rows: &[[u32; 3]], problem: &Problem, release: &Release, tau: f64) -> (f64, f64, u64) {
    let texts: Vec<Vec<String>> = rows.iter().map(|row| texts(row)).collect();
    let table = Table::from_rows(&["age", "size", "who"], &texts).unwrap();
    let recoder = Recoder::new(problem, release);
    let found = recoder.dispositions(&table, &mut recoder.assigner()).unwrap();
    let mut classes: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (row, disposition) in rows.iter().zip(found) {
        if let RowDisposition::Class(class) = disposition {
            classes.entry(class).or_default().insert(row[2]);
        }
    }
    let mut risk_of: BTreeMap<u32, f64> = BTreeMap::new();
    for units in classes.values() {
        for &unit in units {
            let risk = risk_of.entry(unit).or_default();
            *risk = risk.max(1.0 / units.len() as f64);
        }
    }
    let people = risk_of.len() as f64;
    let at_risk = risk_of.values().filter(|&&risk| risk > tau + 1e-9).count() as f64;
    (risk_of.values().sum::<f64>() / people, at_risk / people, risk_of.len() as u64)
}

#[test]
fn risks_are_those_of_subjects() {
    for seed in 0..cases(300) {
        let mut dice = LinearRng::new(u64::from(seed) * 3 + 1);
        let people = 4 + dice.below(12);
        let row = |dice: &mut LinearRng| {
            [dice.below(4) as u32, dice.below(3) as u32, dice.below(people) as u32]
        };
        let rows: Vec<[u32; 3]> = (0..people + dice.below(30)).map(|_| row(&mut dice)).collect();
        let table = Table::from_rows(
            &["age", "size", "who"],
            &rows.iter().map(|row| texts(row)).collect::<Vec<_>>(),
        );
        let tau = 1.0 / (1 + dice.below(5)) as f64;
        let at_risk = AtRiskLimit { share: dice.below(5) as f64 / 8.0, threshold: tau };
        let average = 1.0 / (1 + dice.below(4)) as f64;
        let mut spec = ProblemSpec::new(1).quasi("age").quasi("size").unit("who");
        spec.overall =
            ReleaseRiskLimits { average: Some(average), at_risk: Some(at_risk), unique: None };
        let problem = Problem::of_table(&spec, &table.unwrap()).unwrap();
        for info in METHODS {
            let method = Method::new(info.name, &[]).unwrap();
            let Ok(solution) = method.solve(&problem, &Control::new()) else { continue };
            let Some(release) = Release::of_solution(&problem, &solution, SuppressionMode::Drop)
            else {
                continue;
            };
            let told = release.overall(&problem);
            let (mean, share, subjects) = risks(&rows, &problem, &release, tau);
            assert_eq!(told.people, subjects, "{} {seed}", info.name);
            if subjects == 0 {
                continue;
            }
            assert!((told.average().unwrap() - mean).abs() < 1e-9, "{} {seed}", info.name);
            assert!((told.share_at_risk().unwrap() - share).abs() < 1e-9, "{} {seed}", info.name);
            assert!(mean <= average + 1e-9, "{} {seed}: {mean}", info.name);
            assert!(share <= at_risk.share + 1e-9, "{} {seed}: {share}", info.name);
        }
    }
}
