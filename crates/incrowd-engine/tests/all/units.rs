//! People rather than rows: every class holds k units of protection, whatever the method.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use incrowd_engine::privacy::GroundDistance;
use incrowd_engine::{
    Algorithm, Control, Limit, METHODS, MethodChoice, Metric, Model, Problem, ProblemSpec, Release,
    SuppressionMode, Table,
};
use incrowd_testing::{SeededRng, cases};

/// Visits of people: most have the same age and place at each, some do not.
fn visits(dice: &mut SeededRng) -> Table {
    let people = 3 + dice.below(8);
    let mut rows = Vec::new();
    for person in 0..people {
        let (age, place) = (dice.below(6), dice.below(3));
        let moves = dice.below(4) == 0;
        for _ in 0..1 + dice.below(4) {
            let age = if moves { dice.below(6) } else { age };
            let ill = ["flu", "cold", "gout"][dice.below(3) as usize];
            rows.push([format!("p{person}"), age.to_string(), place.to_string(), ill.to_owned()]);
        }
    }
    Table::from_rows(&["person", "age", "place", "ill"], &rows).unwrap()
}

/// The units of each class, and for each illness the units that have it.
type Crowds = BTreeMap<Vec<String>, (BTreeSet<String>, BTreeMap<String, BTreeSet<String>>)>;

fn crowds(table: &Table) -> Crowds {
    let value = |name: &str, row: usize| table.column(name).unwrap().value(row).to_owned();
    let mut crowds = Crowds::new();
    for row in 0..table.rows() {
        let class = vec![value("age", row), value("place", row)];
        let (units, ill) = crowds.entry(class).or_default();
        units.insert(value("person", row));
        ill.entry(value("ill", row)).or_default().insert(value("person", row));
    }
    crowds
}

fn holds(model: Option<Model>, crowds: &Crowds, all: &Crowds) -> bool {
    let counts = |ill: &BTreeMap<String, BTreeSet<String>>| -> Vec<f64> {
        ["flu", "cold", "gout"]
            .iter()
            .map(|it| ill.get(*it).map_or(0, BTreeSet::len) as f64)
            .collect()
    };
    let mut whole: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, ill) in all.values() {
        for (value, units) in ill {
            whole.entry(value.clone()).or_default().extend(units.iter().cloned());
        }
    }
    let shares = |counts: Vec<f64>| -> Vec<f64> {
        let sum: f64 = counts.iter().sum();
        counts.into_iter().map(|count| count / sum).collect()
    };
    let whole = shares(counts(&whole));
    crowds.values().all(|(units, ill)| match model {
        None => true,
        Some(Model::DistinctL { l }) => ill.len() >= l as usize,
        Some(Model::Alpha { alpha }) => {
            counts(ill).into_iter().fold(0.0, f64::max) / units.len() as f64 <= alpha + 1e-9
        }
        Some(Model::TCloseness { t, .. }) => {
            let apart =
                shares(counts(ill)).iter().zip(&whole).map(|(a, b)| (a - b).abs()).sum::<f64>();
            apart / 2.0 <= t + 1e-9
        }
        Some(other) => panic!("{other:?} is not checked here"),
    })
}

#[test]
fn every_method_counts_units() {
    let mut dice = SeededRng::new(1);
    let mut released = BTreeMap::new();
    for round in 0..cases(2_400) {
        let table = visits(&mut dice);
        let model = match round % 4 {
            0 => Some(Model::DistinctL { l: 2 }),
            1 => Some(Model::Alpha { alpha: 0.75 }),
            2 => Some(Model::TCloseness { t: 0.4, distance: GroundDistance::Equal }),
            _ => None,
        };
        let mut spec = ProblemSpec::new(2 + u64::from(round % 2)).quasi("age").quasi("place");
        if let Some(model) = model {
            spec = spec.sensitive("ill", model);
        }
        let spec = spec.unit("person");
        let info = &METHODS[(round / 4) as usize % METHODS.len()];
        let Ok(problem) = Problem::of_table(&spec, &table) else { continue };
        let method = MethodChoice::new(info.name, &[]).unwrap();
        // What a method cannot do it says; that is tested elsewhere.
        let Ok(solution) = method.solve(&method.ready(problem.clone()), &Control::new()) else {
            continue;
        };
        for suppressed in [SuppressionMode::Drop, SuppressionMode::Blank] {
            let Some(release) = Release::of_solution(&problem, &solution, suppressed) else {
                continue;
            };
            let rows = release.table_in_order(&problem, &table, &table.names()).unwrap();
            let found = crowds(&rows);
            let all = crowds(&table);
            for (class, (units, _)) in &found {
                assert!(units.len() as u64 >= spec.k, "{}: {class:?} is {units:?}", info.name);
            }
            assert!(holds(model, &found, &all), "{} {model:?}: {found:?}", info.name);
            *released.entry(info.name).or_insert(0) += u64::from(!found.is_empty());
        }
    }
    let idle: Vec<&str> =
        METHODS.iter().map(|info| info.name).filter(|name| !released.contains_key(name)).collect();
    assert!(idle.is_empty(), "never released anything: {idle:?} {released:?}");
}

/// The least discernibility of all ways to cut both columns into intervals of which every class holds k people.
fn least(table: &Table, k: usize) -> Option<u64> {
    let value = |name: &str, row: usize| -> usize {
        table.column(name).unwrap().value(row).parse().unwrap()
    };
    let mut best = None;
    for ages in 0..32u32 {
        for places in 0..4u32 {
            let interval = |cuts: u32, value: usize| (cuts & ((1 << value) - 1)).count_ones();
            let mut classes: BTreeMap<(u32, u32), (u64, BTreeSet<&str>)> = BTreeMap::new();
            for row in 0..table.rows() {
                let place =
                    (interval(ages, value("age", row)), interval(places, value("place", row)));
                let (rows, people) = classes.entry(place).or_default();
                *rows += 1;
                people.insert(table.column("person").unwrap().value(row));
            }
            if classes.values().all(|(_, people)| people.len() >= k) {
                let cost = classes.values().map(|(rows, _)| rows * rows).sum();
                best = Some(best.map_or(cost, |best: u64| best.min(cost)));
            }
        }
    }
    best
}

#[test]
fn optima_by_units_are_those_of_brute_force() {
    let mut dice = SeededRng::new(7);
    let (mut solved, mut unsolved) = (0, 0);
    for round in 0..cases(400) {
        let table = visits(&mut dice);
        let k = 2 + u64::from(round % 3);
        let mut spec = ProblemSpec::new(k).quasi("age").quasi("place").unit("person");
        spec.metric = Metric::Dm;
        spec.limit = Limit::Rows(0);
        let Ok(problem) = Problem::of_table(&spec, &table) else {
            unsolved += 1;
            continue;
        };
        let method = MethodChoice::new("optimal", &[]).unwrap();
        let solution = method.solve(&problem, &Control::new()).unwrap();
        let found = Release::of_solution(&problem, &solution, SuppressionMode::Drop)
            .map(|release| release.measures.dm);
        assert_eq!(found, least(&table, k as usize), "{:?}", solution.outcome);
        solved += 1;
    }
    assert!(solved > unsolved, "{solved} solved, {unsolved} with too few people");
}
