#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Mutex;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::problem::{AttributeSpec, HierarchySource, Limit, Problem, ProblemSpec};
use crate::space::cuts::CutRules;
use crate::{Hierarchy, Metric, Model, StopReason, Table};

/// A small random problem.
#[derive(Debug, Clone)]
struct Case {
    rows: Vec<[u8; 5]>,
    /// How many values each of the three attributes has at most.
    values: [u8; 3],
    k: u64,
    metric: Metric,
    classes: u8,
    limit: Limit,
    /// Whether the third attribute has a hierarchy, and whether cuts keep to it.
    tree: Option<bool>,
    /// Whether the first attribute has missing values.
    missing: bool,
    /// A cut that the second attribute must have, or must not.
    rule: Option<(u8, bool)>,
    model: Option<Model>,
}

fn cases() -> impl Strategy<Value = Case> {
    let values = (1..=5u8, 1..=4u8, 1..=6u8).prop_map(|(a, b, c)| [a, b, c]);
    let metric = select(vec![Metric::Dm, Metric::Cm, Metric::Ncp, Metric::Loss]);
    let limit = prop_oneof![
        2 => Just(Limit::All),
        2 => Just(Limit::Rows(0)),
        3 => (1..8u64).prop_map(Limit::Rows)
    ];
    let model = prop_oneof![
        4 => Just(None),
        1 => (2..=3u32).prop_map(|l| Some(Model::DistinctL { l })),
        1 => Just(Some(Model::Alpha { alpha: 0.6 }))
    ];
    let column =
        (prop::option::of(any::<bool>()), any::<bool>(), prop::option::of((1..4u8, any::<bool>())));
    let rows = prop::collection::vec(any::<[u8; 5]>(), 1..=40);
    (rows, values, 1..=6u64, metric, 2..=4u8, limit, column, model).prop_map(
        |(rows, values, k, metric, classes, mut limit, (tree, missing, rule), model)| {
            // Only then does an exact search take the model at all.
            if matches!(model, Some(Model::Alpha { .. })) {
                limit = Limit::Rows(0);
            }
            let k = k.min(rows.len() as u64);
            Case { rows, values, k, metric, classes, limit, tree, missing, rule, model }
        },
    )
}

impl Case {
    fn problem(&self) -> Problem {
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                let value = |at: usize| (row[at] % self.values[at]).to_string();
                let first = if self.missing && row[0] % 7 == 0 { "?".to_owned() } else { value(0) };
                let class = (row[3] % self.classes).to_string();
                let sensitive = format!("s{}", row[4] % 3);
                vec![first, value(1), format!("v{}", value(2)), class, sensitive]
            })
            .collect();
        let table = Table::from_rows(&["a", "b", "c", "class", "sensitive"], &rows).unwrap();
        let mut spec = ProblemSpec::new(self.k).quasi("a").quasi("b");
        if let Some((value, made)) = self.rule {
            spec.quasi[1].cuts.push((value.to_string(), made));
        }
        let mut third = AttributeSpec::new("c");
        if self.tree.is_some() {
            let ladder: Vec<Vec<String>> = (0..6)
                .map(|leaf| {
                    let group = ["x", "x", "y", "y", "y", "z"][leaf];
                    let upper = if group == "z" { "z" } else { "xy" };
                    [format!("v{leaf}"), group.into(), upper.into(), "*".into()].to_vec()
                })
                .collect();
            third.hierarchy = Some(HierarchySource::Given(Hierarchy::from_rows(&ladder).unwrap()));
        }
        spec.quasi.push(third);
        if let Some(model) = self.model {
            spec = spec.sensitive("sensitive", model);
        }
        spec = spec.class("class");
        spec.metric = self.metric;
        spec.limit = self.limit;
        Problem::of_table(&spec, &table).unwrap()
    }

    fn rules(&self) -> CutRules {
        CutRules { along_tree: self.tree == Some(true), ..CutRules::default() }
    }
}

/// The least cost of all cut sets within the limit, by trying them all.
fn least(space: &CutSpace<'_>) -> Option<u64> {
    let positions: Vec<(usize, usize)> = (0..space.axes.len())
        .flat_map(|axis| (1..space.axes[axis].values()).map(move |at| (axis, at)))
        .collect();
    (0..1u32 << positions.len())
        .filter_map(|bits| {
            let cuts = CutSet::new(&space.axes, |axis, at| {
                positions
                    .iter()
                    .position(|&cut| cut == (axis, at))
                    .is_some_and(|bit| bits >> bit & 1 == 1)
            });
            let priced = cuts.is_allowed(&space.axes).then(|| space.price(&cuts))?;
            (priced.suppressed <= space.limit).then_some(priced.cost)
        })
        .min()
}

/// Checks all that is promised of every cut set on the way.
struct Check<'s> {
    space: &'s CutSpace<'s>,
    least: Mutex<Option<u64>>,
}

impl ProgressObserver for Check<'_> {
    fn improved(&self, better: &ClimbIncumbent) {
        assert_eq!(self.space.price(&better.cuts), better.priced);
        assert!(better.cuts.is_allowed(&self.space.axes));
        assert!(better.priced.suppressed <= self.space.limit);
        let mut least = self.least.lock().unwrap();
        *least = Some(least.map_or(better.priced.cost, |least| least.min(better.priced.cost)));
    }

    fn worked(&self, _: u64) {}
}

fn climbed(
    space: &CutSpace<'_>,
    known: &[CutSet],
    steps: u64,
    seed: u64,
) -> Option<ClimbIncumbent> {
    let check = Check { space, least: Mutex::new(None) };
    let effort = ClimbBudget { steps: Some(steps), seed };
    let found = climb(space, known, effort, &Control::default(), &check).map(|(found, _)| found);
    assert_eq!(found.as_ref().map(|found| found.priced.cost), *check.least.lock().unwrap());
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(300)))]

    #[test]
    fn what_it_finds_is_allowed_and_costs_what_it_says(case in cases()) {
        let problem = case.problem();
        let Ok(space) = CutSpace::new(&problem, case.rules()) else { return Ok(()) };
        let found = climbed(&space, &[], 300, 7);
        let least = least(&space);
        prop_assert_eq!(found.is_some(), least.is_some());
        prop_assert_eq!(&found, &climbed(&space, &[], 300, 7));
        if let (Some(found), Some(least)) = (found, least) {
            prop_assert!(found.priced.cost >= least);
            // What is known already is never lost.
            let again = climbed(&space, &[found.cuts], 5, 8).unwrap();
            prop_assert!(again.priced.cost <= found.priced.cost);
        }
    }

    #[test]
    fn a_table_of_costs_says_what_each_division_costs(case in cases(), seed in any::<u64>()) {
        let problem = case.problem();
        let Ok(space) = CutSpace::new(&problem, case.rules()) else { return Ok(()) };
        let mut chance = SearchRng::of_seed(seed);
        let frame = ClimbContext::new(&space, &mut chance);
        let bits = chance.word();
        let cuts = CutSet::new(&space.axes, |axis, at| bits >> (axis * 8 + at) & 1 == 1);
        let (mut scratch, mut costs) = (CostScratch::default(), IntervalCosts::default());
        for axis in 0..space.axes.len() {
            let mut board = ClimbState::new(&frame, cuts.clone());
            scratch.costs(&frame, &board, axis, &mut costs);
            let aim = PathGoal { limit: problem.rows, per_interval: 0, fixed: None };
            if let Some(best) = costs.best(&frame.axes[axis].steps, &aim) {
                board.divide(&frame, axis, &best.ends);
                // The other axes' intervals need not be allowed for the sums to be right, except
                // where only allowed ones have a price.
                if !matches!(space.price, crate::space::cuts::ClassPricing::Widths(_)) || board.cuts.is_allowed(&space.axes) {
                    let priced = space.price(&board.cuts);
                    prop_assert_eq!(best.cost, priced.cost);
                    if space.limit < problem.rows {
                        prop_assert_eq!(best.lost, priced.suppressed);
                    }
                }
                prop_assert_eq!(board.cuts.intervals(axis).count(), best.ends.len());
            }
        }
    }
}

#[test]
fn it_nearly_always_finds_the_least_cost_of_small_tables() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, TestRunner};
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let (mut solved, mut best) = (0, 0);
    while solved < incrowd_testing::cases(400) {
        let case = cases().new_tree(&mut runner).unwrap().current();
        let problem = case.problem();
        let Ok(space) = CutSpace::new(&problem, case.rules()) else { continue };
        let (Some(found), Some(least)) = (climbed(&space, &[], 1_000, 1), least(&space)) else {
            continue;
        };
        solved += 1;
        best += u32::from(found.priced.cost == least);
    }
    assert!(best * 100 >= solved * 99, "{best} of {solved}");
}

#[test]
fn it_stops_when_it_is_told_and_keeps_what_it_has() {
    let rows: Vec<Vec<String>> = (0..20).map(|row| vec![row.to_string()]).collect();
    let table = Table::from_rows(&["a"], &rows).unwrap();
    let mut spec = ProblemSpec::new(2).quasi("a");
    spec.metric = Metric::Dm;
    let problem = Problem::of_table(&spec, &table).unwrap();
    let space = CutSpace::new(&problem, CutRules::default()).unwrap();
    let cost = |control: &Control| {
        let check = Check { space: &space, least: Mutex::new(None) };
        let effort = ClimbBudget { steps: Some(1_000), seed: 1 };
        climb(&space, &[], effort, control, &check).unwrap().0.priced.cost
    };
    assert_eq!(cost(&Control::new().with_stop(|| Some(StopReason::Cancelled))), 400);
    // Ten pairs.
    assert_eq!(cost(&Control::new()), 40);
}
