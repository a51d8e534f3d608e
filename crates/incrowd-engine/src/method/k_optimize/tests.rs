//! Against brute force, the paper's examples, and an instance that its liberal rule gets wrong.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{CutFreedom, KOptimize};
use crate::problem::HierarchySource;
use crate::space::cuts::{CutRules, CutSet, CutSpace};
use crate::{
    Algorithm, AttributeSpec, Control, Event, Hierarchy, Limit, Metric, Model, Outcome, Problem,
    ProblemSpec, Release, Solution, StopReason, SuppressionMode, Table,
};
use incrowd_testing::LinearRng;

/// A table over text columns `q0`, `q1`, ... and a column `label`, one digit a value.
fn table(rows: &[Vec<String>]) -> Table {
    let names: Vec<String> = (0..rows[0].len() - 1).map(|at| format!("q{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["label"]).collect();
    Table::from_rows(&names, rows).unwrap()
}

/// A random small problem and the rules to solve it by.
fn random_problem(random: &mut LinearRng) -> Option<(Problem, CutRules)> {
    let width = 1 + random.below(3) as usize;
    let values: Vec<u64> = (0..width).map(|_| 2 + random.below([9, 6, 4][width - 1])).collect();
    let with_missing = random.chance(3);
    let rows: Vec<Vec<String>> = (0..2 + random.below(80))
        .map(|_| {
            let mut row: Vec<String> = values
                .iter()
                .map(|&values| {
                    // The lower of two makes low values frequent, so that classes differ in size.
                    let value = random.below(values).min(random.below(values + 2));
                    if with_missing && random.chance(6) {
                        "?".to_owned()
                    } else {
                        value.to_string()
                    }
                })
                .collect();
            row.push(random.below(3).to_string());
            row
        })
        .collect();
    let mut spec = ProblemSpec::new((1 + random.below(5)).min(rows.len() as u64)).class("label");
    for (at, &values) in values.iter().enumerate() {
        let mut column = AttributeSpec::new(format!("q{at}"));
        column.weight = [1.0, 1.0, 2.5][random.below(3) as usize];
        if random.chance(2) {
            let ladder: Vec<Vec<String>> = (0..values)
                .map(|value| {
                    let group = format!("g{}", value * (1 + random.below(2)) / 2);
                    vec![value.to_string(), group, format!("h{}", value / 3), "*".to_owned()]
                })
                .collect();
            // A group that lies in two others is no tree.
            if let Ok(tree) = Hierarchy::from_rows(&ladder) {
                column.hierarchy = Some(HierarchySource::Given(tree));
            }
        }
        while random.chance(3) {
            column.cuts.push((random.below(values).to_string(), random.chance(2)));
        }
        spec.quasi.push(column);
    }
    spec.metric = Metric::ALL[random.below(Metric::ALL.len() as u64) as usize];
    if random.chance(2) {
        spec.metric = [Metric::Dm, Metric::Cm, Metric::Ncp][random.below(3) as usize];
    }
    spec.limit = match random.below(4) {
        0 => Limit::Rows(0),
        1 => Limit::All,
        _ => Limit::Rows(random.below(9)),
    };
    match random.below(5) {
        0 => spec = spec.sensitive("label", Model::DistinctL { l: 2 }),
        1 if spec.limit == Limit::Rows(0) => {
            spec = spec.sensitive("label", Model::Alpha { alpha: 0.6 });
        }
        _ => {}
    }
    // Cuts demanded and refused can contradict each other, or name no value.
    let problem = Problem::of_table(&spec, &table(&rows)).ok()?;
    let most_values = [0, 3][usize::from(random.chance(4))];
    let rules = CutRules { along_tree: random.chance(2), most_values };
    CutSpace::new(&problem, rules).is_ok().then_some((problem, rules))
}

/// The least cost, by pricing every cut set.
fn brute_force(space: &CutSpace<'_>) -> Option<u64> {
    let cuts: Vec<(usize, usize)> = (0..space.axes.len())
        .flat_map(|axis| (1..space.axes[axis].values()).map(move |position| (axis, position)))
        .collect();
    (0..1u32 << cuts.len())
        .map(|set| {
            CutSet::new(&space.axes, |axis, position| {
                let bit = cuts.iter().position(|&cut| cut == (axis, position)).unwrap();
                set >> bit & 1 == 1
            })
        })
        .filter(|set| set.is_allowed(&space.axes))
        .map(|set| space.price(&set))
        .filter(|priced| priced.suppressed <= space.limit)
        .map(|priced| priced.cost)
        .min()
}

/// The method with these rules.
fn of(rules: CutRules) -> KOptimize {
    let cuts = if rules.along_tree { CutFreedom::Tree } else { CutFreedom::Free };
    KOptimize::default().cuts(cuts).bins(rules.most_values)
}

/// The cost of a solution in the space's units.
fn cost(space: &CutSpace<'_>, solution: &Solution) -> Option<u64> {
    let recoding = solution.recoding()?;
    let cuts = CutSet::of_recoding(recoding, &space.axes).unwrap();
    assert!(cuts.is_allowed(&space.axes));
    assert_eq!(&cuts.recoding(space.problem, &space.axes), recoding);
    let priced = space.price(&cuts);
    assert!(priced.suppressed <= space.limit);
    Some(priced.cost)
}

#[test]
fn it_finds_what_brute_force_finds() {
    let mut random = LinearRng::new(7);
    let (mut solved, mut infeasible, mut restricted) = (0, 0, 0);
    while solved < 600 {
        let Some((problem, rules)) = random_problem(&mut random) else { continue };
        let space = CutSpace::new(&problem, rules).unwrap();
        let solution = of(rules).solve(&problem, &Control::default()).unwrap();
        let least = brute_force(&space);
        assert_eq!(cost(&space, &solution), least, "problem {solved}: {problem:?} {rules:?}");
        match least {
            Some(_) => assert_eq!(solution.outcome.name(), "optimal"),
            None => assert!(solution.outcome.is_infeasible()),
        }
        // What is known already, the optimum itself or anything else, must not stand in the way.
        if let Some(known) = solution.recoding() {
            let general = CutSet::new(&space.axes, |_, _| false).recoding(&problem, &space.axes);
            let known = [&general, known];
            let again = of(rules).solve_from(&problem, &known, &Control::default()).unwrap();
            assert_eq!(cost(&space, &again), least);
            assert!(again.nodes <= solution.nodes);
        }
        solved += 1;
        infeasible += usize::from(least.is_none());
        restricted += usize::from(!space.axes.iter().all(crate::space::cuts::Axis::is_free));
    }
    assert!(infeasible > 5 && restricted > 100, "{infeasible} {restricted}");
}

/// Long tails, whose allset classes are found by sorting: one attribute of many values beside a small one
/// is a shortest path for each division of the small one.
#[test]
fn it_finds_the_shortest_path_along_one_attribute() {
    let mut random = LinearRng::new(11);
    for (metric, limit) in [(Metric::Dm, 0), (Metric::Dm, 400), (Metric::Cm, 0), (Metric::Cm, 400)]
    {
        let k = 5 + random.below(20);
        let rows: Vec<[u64; 3]> = (0..400)
            .map(|_| {
                let (value, side) = (random.below(26), random.below(3));
                [value, side, u64::from(random.below(40) < value + 5 * side)]
            })
            .collect();
        let fields: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(u64::to_string).collect()).collect();
        let mut spec = ProblemSpec::new(k).quasi("q0").quasi("q1").class("label");
        (spec.metric, spec.limit) = (metric, Limit::Rows(limit));
        let problem = Problem::of_table(&spec, &table(&fields)).unwrap();
        let price = |from: u64, to: u64, sides: u64| {
            // Rows by side and label; a bit of `sides` divides the sides.
            let mut counts = [[0; 2]; 3];
            for row in rows.iter().filter(|row| (from..to).contains(&row[0])) {
                let side =
                    (sides & 1) * u64::from(row[1] > 0) + (sides >> 1) * u64::from(row[1] > 1);
                counts[side as usize][row[2] as usize] += 1;
            }
            counts.iter().try_fold(0, |sum, &[zeros, ones]| {
                let size: u64 = zeros + ones;
                let fails = size > 0 && size < k;
                let price = match metric {
                    Metric::Dm if fails => 400 * size,
                    Metric::Dm => size * size,
                    _ if fails => size,
                    _ => zeros.min(ones),
                };
                (!fails || limit > 0).then_some(sum + price)
            })
        };
        let least = (0..4).filter_map(|sides| {
            let mut least = vec![None; 27];
            least[0] = Some(0);
            for to in 1..=26 {
                let steps = (0..to)
                    .filter_map(|from| Some(least[from as usize]? + price(from, to, sides)?));
                least[to as usize] = steps.min();
            }
            least[26]
        });
        let space = CutSpace::new(&problem, CutRules::default()).unwrap();
        let solution = KOptimize::default().solve(&problem, &Control::default()).unwrap();
        assert_eq!(solution.outcome.name(), "optimal");
        assert_eq!(cost(&space, &solution), least.min(), "{metric:?} {limit}");
    }
}

/// The paper calls a value useless if every class that it splits gets a part below k. Here that part's
/// rows are worth suppressing.
#[test]
fn the_liberal_rule_for_useless_values_is_corrected() {
    let rows: Vec<Vec<String>> =
        (0..30_162).map(|row| vec![u8::from(row >= 500).to_string(), "x".to_owned()]).collect();
    let mut spec = ProblemSpec::new(1000).quasi("q0");
    spec.metric = Metric::Dm;
    let problem = Problem::of_table(&spec, &table(&rows)).unwrap();
    let space = CutSpace::new(&problem, CutRules::default()).unwrap();
    let solution = KOptimize::default().solve(&problem, &Control::default()).unwrap();
    assert_eq!(solution.outcome.name(), "optimal");
    assert_eq!(cost(&space, &solution), Some(894_915_244));
}

/// A cut that is useless by itself may be one that others cannot be made without: a sibling's boundary,
/// or the one after missing values.
#[test]
fn a_useless_cut_stays_where_another_needs_it() {
    let ladder = |value: &str| vec![value.to_owned(), "*".to_owned()];
    let tree = Hierarchy::from_rows(&["0", "1", "2"].map(ladder)).unwrap();
    for (first, tree) in [("0", Some(tree)), ("?", None)] {
        let rows: Vec<Vec<String>> = (0..201)
            .map(|row| [first, "1", "2"][usize::div_ceil(row, 100)].to_owned())
            .map(|value| vec![value.clone(), value])
            .collect();
        let mut spec = ProblemSpec::new(2).class("label");
        spec.metric = Metric::Cm;
        spec.quasi = vec![AttributeSpec::new("q0")];
        spec.quasi[0].hierarchy = tree.map(HierarchySource::Given);
        let problem = Problem::of_table(&spec, &table(&rows)).unwrap();
        let rules = CutRules { along_tree: true, ..CutRules::default() };
        let space = CutSpace::new(&problem, rules).unwrap();
        let solution = of(rules).solve(&problem, &Control::default()).unwrap();
        // Only the row before the first cut is lost.
        assert_eq!(cost(&space, &solution), Some(1));
    }
}

/// Figure 1 of the paper: the set {2, 7, 9} and the intervals that it stands for.
#[test]
fn a_set_of_values_stands_for_the_intervals_of_figure_1() {
    let ordered = |name: &str, values: &[&str]| {
        let mut column = AttributeSpec::new(name);
        column.rule.order = Some(values.iter().map(|value| (*value).to_owned()).collect());
        column
    };
    let (ages, genders) = (["10-29", "30-39", "40-49"], ["M", "F"]);
    let marital = ["Married", "Widowed", "Divorced", "Never Married"];
    let mut spec = ProblemSpec::new(1);
    spec.quasi =
        vec![ordered("Age", &ages), ordered("Gender", &genders), ordered("Marital", &marital)];
    let rows: Vec<[&str; 3]> =
        (0..4).map(|at| [ages[at % 3], genders[at % 2], marital[at]]).collect();
    let table = Table::from_rows(&["Age", "Gender", "Marital"], &rows).unwrap();
    let problem = Problem::of_table(&spec, &table).unwrap();
    let space = CutSpace::new(&problem, CutRules::default()).unwrap();
    // Values are numbered from 1 over all attributes: 4 and 6 are the least of the second and third.
    let number = |axis: usize, position: usize| [1, 4, 6][axis] + position;
    let cuts = CutSet::new(&space.axes, |axis, at| [2, 7, 9].contains(&number(axis, at)));
    let recoding = cuts.recoding(&problem, &space.axes);
    let labels: Vec<Vec<String>> = recoding
        .groups()
        .iter()
        .zip(&problem.attributes)
        .map(|(groups, attribute)| {
            groups.as_slice().iter().map(|group| attribute.label(group)).collect()
        })
        .collect();
    assert_eq!(labels[0], ["10-29", "{30-39, 40-49}"]);
    assert_eq!(labels[1], ["{M, F}"]);
    assert_eq!(labels[2], ["Married", "{Widowed, Divorced}", "Never Married"]);
    assert_eq!(CutSet::of_recoding(&recoding, &space.axes), Some(cuts));
    assert_eq!(Release::new(&problem, &recoding, SuppressionMode::Drop).rows(), 4);
}

/// Stops when asked for the n-th time, and keeps the highest bound told.
fn stop_at(left: u64, highest: Arc<AtomicU64>) -> Control {
    let left = AtomicU64::new(left);
    let less = |left: u64| left.checked_sub(1);
    Control::new()
        .with_stop(move || {
            let gone = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err();
            gone.then_some(StopReason::TimeLimit)
        })
        .with_listener(move |event| {
            if let Event::Bound(bound) = event {
                let last = highest.swap(*bound as u64, Ordering::Relaxed);
                assert!(*bound as u64 >= last, "the bound fell from {last} to {bound}");
            }
        })
}

#[test]
fn a_stopped_search_returns_its_best_and_a_true_bound() {
    let mut random = LinearRng::new(3);
    let rows: Vec<Vec<String>> = (0..300)
        .map(|_| (0..4).map(|_| random.below(6).min(random.below(9)).to_string()).collect())
        .collect();
    let mut spec = ProblemSpec::new(8).quasi("q0").quasi("q1").quasi("q2");
    spec.metric = Metric::Dm;
    let problem = Problem::of_table(&spec, &table(&rows)).unwrap();
    let space = CutSpace::new(&problem, CutRules::default()).unwrap();
    let finished = KOptimize::default().solve(&problem, &Control::default()).unwrap();
    let least = cost(&space, &finished).unwrap();
    let mut costs = Vec::new();
    for left in 0..finished.nodes - 1 {
        let highest = Arc::new(AtomicU64::new(0));
        let control = stop_at(left, highest.clone());
        let solution = KOptimize::default().solve(&problem, &control).unwrap();
        assert_eq!(solution.nodes, left + 2);
        costs.push(cost(&space, &solution).unwrap());
        match solution.outcome {
            Outcome::Stopped { reason: StopReason::TimeLimit, bound: Some(bound), .. } => {
                assert!(bound as u64 <= least && highest.load(Ordering::Relaxed) <= bound as u64);
            }
            other => assert_eq!((other.name(), costs[costs.len() - 1]), ("optimal", least)),
        }
    }
    assert!(costs.len() > 20 && costs.is_sorted_by(|one, other| one >= other));
    assert!(costs[0] > least && costs[costs.len() - 1] == least);
}

#[test]
fn what_cannot_be_released_is_told() {
    let rows = vec![vec!["1".to_owned(), "a".to_owned()]; 3];
    let mut spec = ProblemSpec::new(3).quasi("q0").sensitive("label", Model::DistinctL { l: 2 });
    spec.limit = Limit::Rows(2);
    let problem = Problem::of_table(&spec, &table(&rows)).unwrap();
    let solution = KOptimize::default().solve(&problem, &Control::default()).unwrap();
    let Outcome::Infeasible { why } = solution.outcome else { panic!("there is only one value") };
    assert_eq!(why, "with only the required cuts, 3 rows still fail; at most 2 may be suppressed");
}
