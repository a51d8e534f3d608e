//! Full-domain generalization against brute force, and the optima of the Adult census data.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::case::{Case, case};
use common::{ADULT_QUASI, adult, adult_hierarchy, solve, stop_after};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::recoding::GlobalRecoding;
use incrowd_engine::{
    Algorithm, Control, Hierarchy, Limit, Method, Metric, Outcome, Problem, ProblemSpec, Recoding,
    Release, Solution, StopReason, SuppressionMode, Table,
};
use proptest::prelude::*;
use proptest::sample::select;

/// A node, worked out from nothing.
#[derive(Debug, Clone)]
struct Node {
    levels: Vec<u32>,
    suppressed: u64,
    classes: u64,
    /// None where the metric does not apply.
    cost: Option<f64>,
}

fn measured(problem: &Problem, levels: Vec<u32>, metric: Metric) -> Node {
    let attributes = &problem.attributes;
    let global =
        GlobalRecoding::new(attributes, |at, code| attributes[at].at_level(code, levels[at]));
    let release = Release::new(problem, &Recoding::Global(global), SuppressionMode::Drop);
    Node {
        levels,
        suppressed: release.classes.suppressed_rows(),
        classes: release.classes.released().count() as u64,
        cost: release.measures.cost(metric),
    }
}

/// Every node, lowest first.
fn every_node(problem: &Problem, metric: Metric) -> Vec<Node> {
    let mut all = vec![Vec::new()];
    for attribute in &problem.attributes {
        let more = |levels: Vec<u32>| {
            attribute.allowed_levels().map(move |level| [levels.as_slice(), &[level]].concat())
        };
        all = all.into_iter().flat_map(more).collect();
    }
    all.into_iter().map(|levels| measured(problem, levels, metric)).collect()
}

/// The nodes within a limit, best first.
fn solutions(nodes: &[Node], limit: u64) -> Vec<&Node> {
    let mut solutions: Vec<&Node> =
        nodes.iter().filter(|node| node.suppressed <= limit && node.cost.is_some()).collect();
    solutions.sort_by(|one, other| one.cost.unwrap().total_cmp(&other.cost.unwrap()));
    solutions
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
}

/// The node that a solution is, from its recoding.
fn node_of(problem: &Problem, solution: &Solution) -> Option<Node> {
    let recoding = solution.recoding()?;
    let release = Release::new(problem, recoding, SuppressionMode::Drop);
    let best = solution.lattice().unwrap().top.first().unwrap();
    let again = measured(problem, best.levels.clone(), problem.metric);
    assert_eq!(release.classes.suppressed_rows(), again.suppressed);
    assert_eq!((best.suppressed, best.classes), (again.suppressed, again.classes));
    assert_eq!(release.measures.cost(problem.metric), again.cost);
    Some(again)
}

fn metrics() -> impl Strategy<Value = Metric> {
    select(Metric::ALL.to_vec())
}

/// The problem of a case under a metric, with some levels ruled out; none if the metric does not apply.
fn posed(case: &Case, metric: Metric, limits: &[(u8, u8)]) -> Option<Problem> {
    let mut spec = case.spec.clone();
    spec.metric = metric;
    let free = Problem::of_table(&spec, &case.table).ok()?;
    for ((column, attribute), (low, high)) in
        spec.quasi.iter_mut().zip(&free.attributes).zip(limits)
    {
        let levels = attribute.levels();
        // Every third attribute or so is limited.
        if low % 3 == 0 {
            column.least_level = u32::from(low / 3) % (levels + 1);
            column.most_level =
                Some(column.least_level + u32::from(*high) % (levels - column.least_level + 1));
        }
    }
    Some(Problem::of_table(&spec, &case.table).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: incrowd_testing::cases(400), failure_persistence: None, ..ProptestConfig::default() })]

    /// The search, MinGen and Incognito find the least cost of all nodes, whatever the model.
    #[test]
    fn the_least_cost_is_found(
        case in case(),
        metric in metrics(),
        limits in prop::collection::vec(any::<(u8, u8)>(), 4),
        top in 1..30usize,
    ) {
        let Some(problem) = posed(&case, metric, &limits) else { return Ok(()) };
        let nodes = every_node(&problem, metric);
        let default = if metric == Metric::AverageClassSize { 0 } else { problem.rows };
        let best = solutions(&nodes, problem.limit.rows(problem.rows, default));
        let found = solve("lattice", &[("top", &top.to_string())], &problem);
        let facts = found.lattice().unwrap();
        prop_assert_eq!(facts.nodes, nodes.len() as u64);
        prop_assert!(facts.checked <= facts.nodes && facts.checked + facts.pruned == facts.nodes);
        prop_assert_eq!(best.is_empty(), found.outcome.is_infeasible());
        prop_assert!(best.is_empty() || found.outcome.is_optimal());
        prop_assert_eq!(facts.top.len(), best.len().min(top));
        for (told, known) in facts.top.iter().zip(&best) {
            prop_assert!(near(told.cost, known.cost.unwrap()), "{:?} {:?}", told, known);
            let again = nodes.iter().find(|node| node.levels == told.levels).unwrap();
            prop_assert!(near(told.cost, again.cost.unwrap()), "{:?} {:?}", told, again);
            prop_assert_eq!((told.suppressed, told.classes), (again.suppressed, again.classes));
        }
        node_of(&problem, &found);

        let best = solutions(&nodes, problem.limit.rows(problem.rows, 0));
        for (method, options) in [("mingen", vec![("distortion", "metric")]), ("incognito", vec![])] {
            let found = solve(method, &options, &problem);
            let cost = node_of(&problem, &found).map(|node| node.cost.unwrap());
            prop_assert_eq!(cost.is_some(), !best.is_empty(), "{}", method);
            prop_assert!(best.is_empty() || found.outcome.is_optimal());
            if let Some(cost) = cost {
                prop_assert!(near(cost, best[0].cost.unwrap()), "{} {} {:?}", method, cost, best[0]);
            }
            if method == "incognito" && !best.is_empty() && !found.notes[0].starts_with("a class") {
                let number = found.notes[0].split(' ').next().unwrap().replace(',', "");
                let limit = problem.limit.rows(problem.rows, 0);
                let satisfying = nodes.iter().filter(|node| node.suppressed <= limit).count();
                prop_assert_eq!(number.parse(), Ok(satisfying));
            }
        }
    }

    /// Samarati's nodes have the least height, or are all that have no solution below.
    #[test]
    fn samarati_finds_the_minimal_nodes(
        case in case(),
        metric in metrics(),
        limits in prop::collection::vec(any::<(u8, u8)>(), 4),
    ) {
        let Some(problem) = posed(&case, metric, &limits) else { return Ok(()) };
        let nodes = every_node(&problem, metric);
        let limit = problem.limit.rows(problem.rows, 0);
        let best = solutions(&nodes, limit);
        let height = |node: &Node| node.levels.iter().sum::<u32>();
        let lowest = best.iter().map(|node| height(node)).min();
        let found = solve("samarati", &[], &problem);
        let node = node_of(&problem, &found);
        prop_assert_eq!(node.as_ref().map(height), lowest);
        let cheapest = best.iter().find(|node| Some(height(node)) == lowest);
        prop_assert_eq!(node.is_some(), cheapest.is_some());
        if let (Some(node), Some(cheapest)) = (&node, cheapest) {
            prop_assert!(near(node.cost.unwrap(), cheapest.cost.unwrap()));
            let told = found.lattice().unwrap().top.len();
            prop_assert_eq!(told, best.iter().filter(|node| Some(height(node)) == lowest).count());
        }

        let below = |one: &Node, other: &Node| {
            one.levels != other.levels && one.levels.iter().zip(&other.levels).all(|(a, b)| a <= b)
        };
        let mut minimal: Vec<&[u32]> = best
            .iter()
            .filter(|node| !best.iter().any(|other| below(other, node)))
            .map(|node| node.levels.as_slice())
            .collect();
        let found = solve("samarati", &[("minimal", "all")], &problem);
        let told = &found.lattice().unwrap().top;
        let mut told: Vec<&[u32]> = told.iter().map(|node| node.levels.as_slice()).collect();
        minimal.sort_unstable();
        told.sort_unstable();
        prop_assert_eq!(told, minimal);
        if limit == 0 && !best.is_empty() {
            let node = node_of(&problem, &found).unwrap();
            prop_assert!(near(node.cost.unwrap(), best[0].cost.unwrap()), "{:?} {:?}", node, best[0]);
        }
    }

    /// MinGen's own choice is the node of highest precision.
    #[test]
    fn mingen_prefers_precision(case in case()) {
        let Some(problem) = posed(&case, Metric::Dm, &[]) else { return Ok(()) };
        let mut precise = problem.clone();
        precise.metric = Metric::Precision;
        let nodes = every_node(&precise, Metric::Precision);
        let best = solutions(&nodes, problem.limit.rows(problem.rows, 0));
        let found = solve("mingen", &[], &problem);
        let told = found.lattice().unwrap().top.first().map(|node| node.cost);
        // Without a hierarchy there is no precision to report, but levels all the same.
        if problem.attributes.iter().any(|attribute| attribute.hierarchy.is_some()) {
            prop_assert_eq!(told.is_some(), !best.is_empty());
            if let Some(told) = told {
                prop_assert!(near(told, best[0].cost.unwrap()));
            }
        }
    }

    /// A search that is stopped returns a solution, if any, and a bound that holds.
    #[test]
    fn a_stopped_search_has_a_true_bound(case in case(), metric in metrics(), calls in 0..40u64) {
        let Some(problem) = posed(&case, metric, &[]) else { return Ok(()) };
        let default = if metric == Metric::AverageClassSize { 0 } else { problem.rows };
        let limit = problem.limit.rows(problem.rows, default);
        let nodes = every_node(&problem, metric);
        let least = solutions(&nodes, limit).first().map(|node| node.cost.unwrap());
        let control = stop_after(calls, StopReason::Cancelled);
        let found = Method::new("lattice", &[]).unwrap().solve(&problem, &control).unwrap();
        if let Outcome::Stopped { bound: Some(bound), .. } = &found.outcome {
            prop_assert!(least.is_none_or(|least| *bound <= least + 1e-9 * least.abs()));
        }
        if let Some(node) = node_of(&problem, &found) {
            prop_assert!(node.suppressed <= limit && node.cost.unwrap() >= least.unwrap() - 1e-9);
        }
        for method in ["samarati", "mingen", "incognito"] {
            let control = stop_after(calls, StopReason::Cancelled);
            let found = Method::new(method, &[]).unwrap().solve(&problem, &control).unwrap();
            if let Some(node) = found.lattice().and_then(|facts| facts.top.first()) {
                prop_assert!(node.suppressed <= problem.limit.rows(problem.rows, 0));
            }
        }
    }

    /// The frontier has the least cost for every k.
    #[test]
    fn the_frontier_is_the_least_cost_for_every_k(case in case(), metric in metrics()) {
        if !case.spec.models.is_empty() { return Ok(()) }
        let Some(mut problem) = posed(&case, metric, &[]) else { return Ok(()) };
        problem.privacy.k = 2.min(problem.rows);
        let found = solve("lattice", &[("frontier", "all")], &problem);
        let frontier = &found.lattice().unwrap().frontier;
        let default = if metric == Metric::AverageClassSize { 0 } else { problem.rows };
        for k in [2, 3, 5, problem.rows / 2, problem.rows] {
            if !(2..=problem.rows).contains(&k) { continue }
            problem.privacy.k = k;
            let nodes = every_node(&problem, metric);
            let best = solutions(&nodes, problem.limit.rows(problem.rows, default));
            let point = frontier.iter().find(|point| (point.k..=point.to_k).contains(&k));
            prop_assert_eq!(point.is_some(), !best.is_empty(), "k {}: {:?}", k, frontier);
            if let Some(point) = point {
                prop_assert!(near(point.best.cost, best[0].cost.unwrap()), "k {}: {:?} {:?}", k, point, best[0]);
            }
        }
    }
}

/// Adult with its eight hierarchies.
fn adult_problem(table: &Table, k: u64, metric: Metric, limit: Limit) -> Problem {
    let mut spec = ADULT_QUASI.iter().fold(ProblemSpec::new(k), |spec, name| spec.quasi(name));
    spec = spec.class("salary-class");
    for column in &mut spec.quasi {
        let rows = adult_hierarchy(&column.name);
        column.hierarchy = Some(HierarchySource::Given(Hierarchy::from_rows(&rows).unwrap()));
    }
    (spec.metric, spec.limit) = (metric, limit);
    Problem::of_table(&spec, table).unwrap()
}

/// Cost, suppressed rows and classes of the best node.
fn optimum(problem: &Problem, method: &str, options: &[(&str, &str)]) -> (f64, u64, u64) {
    let found = solve(method, options, problem);
    assert_eq!(found.outcome.name(), "optimal");
    assert_eq!(found.lattice().unwrap().nodes, 6_480);
    let node = node_of(problem, &found).unwrap();
    (node.cost.unwrap(), node.suppressed, node.classes)
}

#[test]
fn adult_optima_by_discernibility() {
    let table = adult();
    let known = [
        (2, Limit::Rows(0), 19_399_310.0, 0, None),
        (10, Limit::Rows(0), 55_170_356.0, 0, None),
        (50, Limit::Rows(0), 102_352_340.0, 0, None),
        (2, Limit::Share(0.02), 4_807_825.0, 25, Some(386)),
        (10, Limit::Share(0.02), 10_541_769.0, 121, Some(180)),
        (50, Limit::Share(0.02), 29_880_636.0, 330, Some(55)),
    ];
    for (k, limit, cost, suppressed, classes) in known {
        let problem = adult_problem(&table, k, Metric::Dm, limit);
        let found = optimum(&problem, "lattice", &[]);
        assert_eq!((found.0, found.1), (cost, suppressed), "k {k}, {limit:?}");
        assert!(classes.is_none_or(|classes| classes == found.2), "k {k}, {limit:?}");
    }
}

#[test]
fn adult_optima_by_loss_with_the_geometric_mean() {
    let table = adult();
    let known = [
        (Limit::Rows(0), 0.5916, 0, None),
        (Limit::Share(0.02), 0.3033, 552, Some(233)),
        (Limit::All, 0.2200, 3_049, Some(649)),
    ];
    for (limit, cost, suppressed, classes) in known {
        let problem = adult_problem(&table, 5, Metric::GeometricLoss, limit);
        let found = optimum(&problem, "lattice", &[]);
        assert!((found.0 - cost).abs() < 5e-5, "{limit:?}: {}", found.0);
        assert_eq!(found.1, suppressed, "{limit:?}");
        assert!(classes.is_none_or(|classes| classes == found.2), "{limit:?}");
    }
}

#[test]
fn the_methods_agree_on_adult() {
    let table = adult();
    let problem = adult_problem(&table, 5, Metric::Loss, Limit::Rows(0));
    let best = optimum(&problem, "lattice", &[]);
    assert_eq!(optimum(&problem, "incognito", &[]), best);
    assert_eq!(optimum(&problem, "mingen", &[("distortion", "metric")]), best);
    assert_eq!(optimum(&problem, "samarati", &[("minimal", "all")]), best);
}

#[test]
fn a_lattice_too_large_to_list_is_refused_with_its_size() {
    let table = adult();
    let problem = adult_problem(&table, 5, Metric::Loss, Limit::Rows(0));
    for method in ["mingen", "incognito"] {
        let method = Method::new(method, &[("most-nodes", "1000")]).unwrap();
        let error = method.solve(&problem, &Control::new()).unwrap_err();
        assert!(error.message.contains("6,480 nodes"), "{error}");
        assert!(error.help.unwrap().contains("most-nodes"));
    }
}
