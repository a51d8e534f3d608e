//! The choice of a method: whatever the kind, its releases hold, are read, and are never worse than mondrian's.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use std::sync::OnceLock;

use common::case::{Case, case};
use common::{requirements, rows_of, verdict};
use incrowd_engine::auto::{AutoMethod, MethodChoice, ReleaseKind, SearchEffort};
use incrowd_engine::release::LossMeasures;
use incrowd_engine::value::{ClassSummary, LONGEST_LABEL};
use incrowd_engine::{
    Algorithm, CancelToken, Control, Method, Metric, Problem, ProblemSpec, Release, Solution,
    SuppressionMode, Table,
};
use incrowd_verify::LabelHierarchy;
use proptest::prelude::*;
use rayon::ThreadPool;

fn pools() -> &'static [ThreadPool; 3] {
    static POOLS: OnceLock<[ThreadPool; 3]> = OnceLock::new();
    POOLS.get_or_init(|| {
        [1, 2, 4].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap())
    })
}

fn solved(auto: AutoMethod, case: &Case) -> (Problem, Solution) {
    let approach = MethodChoice::from(auto);
    let problem = approach.ready(Problem::of_table(&case.spec, &case.table).unwrap());
    let solution = approach.solve(&problem, &Control::new()).unwrap();
    (problem, solution)
}

fn measured(problem: &Problem, solution: &Solution) -> Option<LossMeasures> {
    Some(Release::of_solution(problem, solution, SuppressionMode::Drop)?.measures)
}

/// The hierarchies of a problem as the verifier reads them, those by rule included.
fn ladders(problem: &Problem) -> Vec<(String, Vec<Vec<String>>)> {
    let with = problem.attributes.iter();
    with.filter_map(|attribute| {
        Some((attribute.name.clone(), attribute.hierarchy.as_ref()?.to_rows()))
    })
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: incrowd_testing::cases(120), failure_persistence: None, ..ProptestConfig::default() })]

    /// Numbers, text, hierarchies and models work with every kind, and what comes out passes the verifier.
    #[test]
    fn every_kind_is_verified_and_truthful(mut case in case(), at in 0..5usize) {
        case.show_ranges();
        let kind = ReleaseKind::ALL[at];
        let (problem, solution) = solved(AutoMethod::default().kind(kind).effort(SearchEffort::Quick), &case);
        let Some(release) = Release::of_solution(&problem, &solution, case.suppressed) else { return Ok(()) };
        let chosen = solution.chosen.as_ref().unwrap();
        prop_assert!(chosen.why.contains(&chosen.name) && !chosen.tried.is_empty());
        let method = Method::new(&chosen.name, &[]).unwrap();
        prop_assert_eq!(ReleaseKind::of(method.family()), kind);
        let released = release.table_in_order(&problem, &case.table, &case.table.names()).unwrap();
        let mut requirements = requirements(&problem, &case.ladders());
        for (name, rows) in ladders(&problem) {
            requirements.ladders.insert(name, LabelHierarchy::from_rows(rows).unwrap());
        }
        let verdict = verdict(&released, &case.table, &requirements);
        prop_assert!(verdict.holds, "{kind}: {verdict}\n{:?}", rows_of(&released));
        // Blank rows may need company beyond the limit.
        let dropped = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        let suppressed = dropped.classes.suppressed_rows();
        let limit = problem.limit.rows(problem.rows, problem.rows);
        prop_assert!(suppressed <= limit, "{suppressed} of {limit}");
    }

    /// Even quick is never worse than mondrian by what labels say, nor by a metric that is asked for.
    #[test]
    fn never_worse_than_mondrian(case in case(), at in 0..3usize, metric in prop::sample::select(vec![Metric::Ncp, Metric::Ncp, Metric::Dm, Metric::Loss])) {
        let mut case = case;
        case.spec.metric = metric;
        let effort = [SearchEffort::Quick, SearchEffort::Quick, SearchEffort::Normal][at];
        let (problem, solution) = solved(AutoMethod::default().effort(effort), &case);
        let mondrian = Method::new("mondrian", &[]).unwrap().solve(&problem, &Control::new()).unwrap();
        let Some(theirs) = measured(&problem, &mondrian) else { return Ok(()) };
        let ours = measured(&problem, &solution).unwrap();
        match metric {
            Metric::Ncp => prop_assert!(ours.released_gcp <= theirs.released_gcp),
            metric => prop_assert!(ours.cost(metric) <= theirs.cost(metric)),
        }
        prop_assert!((0.0..=1.0 + 1e-9).contains(&ours.released_gcp));
    }

    /// The same on any number of threads.
    #[test]
    fn threads_make_no_difference(case in case(), at in 0..5usize) {
        let auto = AutoMethod::default().kind(ReleaseKind::ALL[at]).effort(SearchEffort::Quick);
        let found = pools().each_ref().map(|pool| pool.install(|| {
            let (_, solution) = solved(auto, &case);
            (solution.chosen.clone(), solution.into_recoding())
        }));
        prop_assert_eq!(&found[0], &found[1]);
        prop_assert_eq!(&found[0], &found[2]);
    }

    /// No label grows too long to read, whatever made it, and the verifier reads the short ones.
    #[test]
    fn no_label_is_too_long(
        rows in prop::collection::vec((0..40usize, 0..400u32, 0..12usize), 4..80),
        k in 2..8u64,
        at in 0..6usize,
        words in any::<bool>(),
    ) {
        let name = |at: usize| match words {
            true => format!("{} number {at} of these", ["acute", "acute bronchitis", "chronic", "other"][at % 4]),
            false => format!("98{:03}", at * 7 % 100 * 9),
        };
        let fields: Vec<[String; 3]> = rows
            .iter()
            .map(|&(text, number, other)| [name(text), number.to_string(), format!("a rather long name {other}")])
            .collect();
        let table = Table::from_rows(&["code", "number", "name"], &fields).unwrap();
        let mut spec = ProblemSpec::new(k.min(rows.len() as u64)).quasi("code").quasi("number").quasi("name");
        spec.quasi[0].rule.kind = Some(incrowd_engine::value::DomainKind::Text);
        let problem = Problem::of_table(&spec, &table).unwrap();
        let approach = match at {
            0 => MethodChoice::from(AutoMethod::default().effort(SearchEffort::Quick)),
            1 => AutoMethod::default().kind(ReleaseKind::Global).effort(SearchEffort::Quick).into(),
            2 => MethodChoice::new("mondrian", &[]).unwrap(),
            3 => MethodChoice::new("best-local", &[("steps", "20")]).unwrap(),
            4 => MethodChoice::new("anneal", &[("steps", "300")]).unwrap(),
            _ => MethodChoice::new("cluster-up", &[]).unwrap(),
        };
        let solution = approach.solve(&problem, &Control::new()).unwrap();
        let Some(release) = Release::of_solution(&problem, &solution, SuppressionMode::Drop) else { return Ok(()) };
        let released = release.table_in_order(&problem, &table, &[]).unwrap();
        for row in rows_of(&released) {
            prop_assert!(row.iter().all(|label| label.chars().count() <= LONGEST_LABEL), "{row:?}");
        }
        let verdict = verdict(&released, &table, &requirements(&problem, &Default::default()));
        prop_assert!(verdict.holds, "{verdict}\n{:?}", rows_of(&released));
        // What reads the same is one class.
        let mut labels: Vec<Vec<String>> = rows_of(&released);
        labels.sort();
        labels.dedup();
        prop_assert_eq!(labels.len(), release.classes.released().count());
    }
}

fn people(rows: usize) -> Table {
    let rows: Vec<[String; 3]> = (0..rows)
        .map(|at| {
            let age = (18 + at * 7 % 60).to_string();
            [age, format!("53{:03}", at * 37 % 400), ["f", "m"][at % 2].to_owned()]
        })
        .collect();
    Table::from_rows(&["age", "zip", "sex"], &rows).unwrap()
}

/// With a hierarchy the label is its node, unless ranges are asked for.
#[test]
fn nodes_are_the_labels_by_default() {
    use incrowd_engine::problem::HierarchySource;
    use incrowd_engine::value::HierarchyRule;
    let table = people(40);
    let mut spec = ProblemSpec::new(4).quasi("age");
    let rule = HierarchyRule::Intervals { widths: vec![10.0, 20.0], start: 0.0 };
    spec.quasi[0].hierarchy = Some(HierarchySource::Rule(rule));
    let labels = |spec: &ProblemSpec| {
        let problem = Problem::of_table(spec, &table).unwrap();
        let solution = AutoMethod::default().solve(&problem, &Control::new()).unwrap();
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        let released = release.table_in_order(&problem, &table, &[]).unwrap();
        let mut labels: Vec<String> = rows_of(&released).concat();
        labels.sort();
        labels.dedup();
        labels
    };
    let widths = |labels: &[String]| {
        labels.iter().all(|label| {
            ["[10-19]", "[20-29]", "[30-39]", "[40-49]"].contains(&label.as_str())
                || !label.starts_with('[')
                || label.ends_with("9]")
        })
    };
    assert!(widths(&labels(&spec)), "{:?}", labels(&spec));
    spec.quasi[0].summary = Some(ClassSummary::Range);
    assert!(!widths(&labels(&spec)), "{:?}", labels(&spec));
}

/// Columns without a hierarchy get readable levels, and a message names the kind that can do what another cannot.
#[test]
fn levels_are_made_and_kinds_are_named() {
    let table = people(60);
    let spec = ProblemSpec::new(5).quasi("age").quasi("zip").quasi("sex");
    let mut text = spec.clone();
    text.quasi[1].rule.kind = Some(incrowd_engine::value::DomainKind::Text);
    let approach = MethodChoice::from(AutoMethod::default().kind(ReleaseKind::Levels));
    let problem = approach.ready(Problem::of_table(&text, &table).unwrap());
    let heights: Vec<u32> = problem.attributes.iter().map(|attribute| attribute.levels()).collect();
    assert_eq!(heights, [6, 5, 1]);
    let tree = problem.attributes[0].hierarchy.as_ref().unwrap();
    assert_eq!(tree.label(tree.at_level(3, 1)), "[20-21]");
    assert!(approach.solve(&problem, &Control::new()).unwrap().recoding().is_some());

    let cuts = |kind: ReleaseKind| {
        let mut spec = spec.clone();
        spec.quasi[0].cuts.push(("30".to_owned(), true));
        let problem = Problem::of_table(&spec, &table).unwrap();
        AutoMethod::default().kind(kind).solve(&problem, &Control::new())
    };
    assert!(cuts(ReleaseKind::Local).unwrap_err().help.unwrap().contains("--kind global"));
    for kind in [ReleaseKind::Global, ReleaseKind::Mixed] {
        assert!(cuts(kind).unwrap().recoding().is_some());
    }
    let mut wild = spec.clone();
    wild.wildcards = true;
    let problem = Problem::of_table(&wild, &table).unwrap();
    let error = AutoMethod::default().solve(&problem, &Control::new()).unwrap_err();
    assert!(error.help.unwrap().contains("--kind cells"));
    for kind in [ReleaseKind::Cells, ReleaseKind::Mixed] {
        assert!(AutoMethod::default().kind(kind).solve(&problem, &Control::new()).is_ok());
    }
}

/// Ended before it began, there is still something to release.
#[test]
fn ended_early_it_keeps_the_best_so_far() {
    let spec = ProblemSpec::new(5).quasi("age").quasi("zip").quasi("sex");
    let problem = Problem::of_table(&spec, &people(60)).unwrap();
    let cancel = CancelToken::new();
    cancel.cancel();
    let control = Control::new().with_cancel(&cancel);
    let solution = AutoMethod::default().solve(&problem, &control).unwrap();
    assert!(solution.outcome.stop_reason().is_some());
    assert_eq!(solution.chosen.unwrap().tried.len(), 1);
}
