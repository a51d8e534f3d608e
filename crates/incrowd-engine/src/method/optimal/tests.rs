//! The bounds alone, without the local search's help.
//!
//! A first solution that is optimal already would hide a bound that is too high. Here a search knows only
//! that it must cost less than one more than the least, so every wrong decision shows.

use super::cost_model::{CostModel, CostModelTask};
use super::dive::{OpenNode, ProverDive};
use super::layout::AxisLayout;
use super::node::ProverContext;
use crate::method::Optimal;
use crate::search::Control;
use crate::space::cuts::{CutDecision, CutRules, CutSet, CutSpace};
use crate::{Algorithm, Limit, Metric, Outcome, Problem, ProblemSpec, Table};
use incrowd_testing::LinearRng;

/// A table with few distinct cells, so that cells are large enough to be joined at a price.
fn problem(random: &mut LinearRng) -> Problem {
    let values: Vec<u64> = (0..2 + random.below(2)).map(|_| 2 + random.below(3)).collect();
    let pool: Vec<Vec<String>> = (0..3 + random.below(14))
        .map(|_| values.iter().map(|&values| random.below(values).to_string()).collect())
        .collect();
    let labels = 2 + random.below(2);
    let rows: Vec<Vec<String>> = (0..20 + random.below(100))
        .map(|_| {
            let at = random.below(pool.len() as u64) as usize;
            let usual = (at as u64 * 7) % labels;
            let label = if random.below(3) == 0 { random.below(labels) } else { usual };
            pool[at].iter().cloned().chain([label.to_string()]).collect()
        })
        .collect();
    let names: Vec<String> = (0..values.len()).map(|at| format!("q{at}")).collect();
    let columns: Vec<&str> = names.iter().map(String::as_str).chain(["label"]).collect();
    let mut spec = ProblemSpec::new(2 + random.below(5)).class("label");
    for name in &names {
        spec = spec.quasi(name);
    }
    spec.metric = [Metric::Dm, Metric::Cm, Metric::Ncp][random.below(3) as usize];
    spec.limit = match random.below(3) {
        0 => Limit::Rows(0),
        1 => Limit::All,
        _ => Limit::Rows(1 + random.below(9)),
    };
    let table = Table::from_rows(&columns, &rows).expect("rows of one width");
    Problem::of_table(&spec, &table).expect("a sound problem")
}

fn least_cost(space: &CutSpace<'_>) -> Option<u64> {
    let cuts: Vec<(usize, usize)> = (0..space.axes.len())
        .flat_map(|axis| (1..space.axes[axis].values()).map(move |position| (axis, position)))
        .collect();
    (0..1u32 << cuts.len())
        .map(|set| {
            let made = |axis, position| {
                cuts.iter()
                    .position(|&cut| cut == (axis, position))
                    .is_some_and(|bit| set >> bit & 1 == 1)
            };
            space.price(&CutSet::new(&space.axes, made))
        })
        .filter(|priced| priced.suppressed <= space.limit)
        .map(|priced| priced.cost)
        .min()
}

/// Searches below one more than the least cost, each axis in turn as the one that is decided last.
struct Tight<'a> {
    space: &'a CutSpace<'a>,
    least: u64,
    long: bool,
}

impl CostModelTask<Option<u64>> for Tight<'_> {
    fn run<M: CostModel>(self, kernel: &M) -> Option<u64> {
        let Tight { space, least, long } = self;
        let mut layout = AxisLayout::new(space);
        layout.last_is_long = long;
        let choices: Vec<CutDecision> = layout.choices(space);
        let (k, limit) = (space.problem.privacy.k, space.limit);
        let ground = ProverContext { space, layout, kernel, k, limit };
        let control = Control::default();
        let mut dive = ProverDive::<M, u64>::new(&ground, &control, least + 1, 0.0, u64::MAX / 4);
        let base = dive.base(choices.clone())?;
        dive.run(&base, &OpenNode { bound: 0, most: limit, choices, number: 1 });
        dive.best.map(|best| best.cost)
    }
}

#[test]
fn bounds_never_rule_out_the_best() {
    let (all, mut solved) = (u64::from(incrowd_testing::cases(6_000)), 0);
    for seed in 0..all {
        let mut random = LinearRng::new(seed);
        random.below(2);
        let problem = problem(&mut random);
        let space = CutSpace::new(&problem, CutRules::default()).expect("a sound space");
        let Some(least) = least_cost(&space) else { continue };
        for long in [false, true] {
            let found = super::cost_model::with(&space, Tight { space: &space, least, long });
            let what = (seed, problem.metric, problem.limit, long);
            assert_eq!(found.expect("few class values"), Some(least), "{what:?}");
            solved += 1;
        }
    }
    assert!(solved * 3 > all * 4, "only {solved} of {all} had a solution");
}

#[test]
fn a_bound_with_a_gap_is_true() {
    for seed in 0..incrowd_testing::cases(2_000).into() {
        let problem = problem(&mut LinearRng::new(seed));
        let space = CutSpace::new(&problem, CutRules::default()).expect("a sound space");
        let Some(least) = least_cost(&space) else { continue };
        let solution = Optimal::default()
            .gap(0.2)
            .solve(&problem, &Control::default())
            .expect("a sound problem");
        if let Outcome::Feasible { bound: Some(bound), .. } = solution.outcome {
            let least = space.price.shown(least);
            assert!(bound <= least * (1.0 + 1e-9), "seed {seed}: {bound} above {least}");
        }
    }
}

#[test]
fn keys_that_are_too_long_are_refused() {
    let names: Vec<String> = (0..20).map(|at| format!("q{at}")).collect();
    let columns: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows: Vec<Vec<String>> =
        (0..100).map(|row| (0..20).map(|at| ((row + at) % 100).to_string()).collect()).collect();
    let table = Table::from_rows(&columns, &rows).expect("rows of one width");
    let spec = names.iter().fold(ProblemSpec::new(2), |spec, name| spec.quasi(name));
    let problem = Problem::of_table(&spec, &table).expect("a sound problem");
    let error = Optimal::default().solve(&problem, &Control::default()).expect_err("140 bits");
    assert!(error.message.contains("140 bits"), "{}", error.message);
}

/// Stopped after the bound has risen some times, the prover is never worse off than climb, which has made all its
/// steps by then: metrics that charge for widths take far longer to prove.
#[test]
fn a_prover_that_is_stopped_is_not_worse_than_climb() {
    use crate::method::Climb;
    use crate::{Event, Release, StopReason, SuppressionMode};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    let mut random = LinearRng::new(21);
    let mut stopped = 0;
    for case in 0..incrowd_testing::cases(40).min(6) {
        let values = [9, 14, 7, 11];
        let rows: Vec<[String; 4]> = (0..700)
            .map(|_| {
                let skewed = |random: &mut LinearRng, values: u64| {
                    let (one, other) = (random.below(values), random.below(values));
                    one.min(other).to_string()
                };
                values.map(|values| skewed(&mut random, values))
            })
            .collect();
        let table = Table::from_rows(&["a", "b", "c", "d"], &rows).expect("rows of one width");
        let mut spec = ["a", "b", "c", "d"].iter().fold(ProblemSpec::new(4), |s, n| s.quasi(n));
        spec.metric = [Metric::Ncp, Metric::Loss][case as usize % 2];
        spec.limit = if case % 3 == 0 { Limit::Rows(0) } else { Limit::All };
        let problem = Problem::of_table(&spec, &table).expect("a sound problem");
        let cost = |solution: &crate::Solution| {
            let release = Release::of_solution(&problem, solution, SuppressionMode::Drop)?;
            release.measures.cost(problem.metric)
        };
        let climbed = Climb::default().solve(&problem, &Control::new()).expect("it climbs");
        // Rounds of dives raise the bound once each; from the third on the relaxation does, step by step.
        let raised = Arc::new(AtomicU64::new(0));
        let heard = raised.clone();
        let control = Control::new()
            .with_listener(move |event| {
                if let Event::Bound(_) = event {
                    heard.fetch_add(1, Ordering::Relaxed);
                }
            })
            .with_stop(move || {
                (raised.load(Ordering::Relaxed) > 8).then_some(StopReason::TimeLimit)
            });
        let proven = Optimal::default().solve(&problem, &control).expect("it searches");
        stopped += u32::from(matches!(proven.outcome, Outcome::Stopped { .. }));
        let (one, other) = (cost(&proven), cost(&climbed));
        let both = one.zip(other).expect("both have a release");
        assert!(both.0 <= both.1 * (1.0 + 1e-12), "{case}: {both:?}");
    }
    assert!(stopped > 0, "all were proven");
}
