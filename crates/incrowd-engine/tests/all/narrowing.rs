//! Local releases where columns narrow classes: each combination of their values may have boxes of its own.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use crate::common::{ADULT_QUASI, adult, requirements, rows_of, verdict};
use incrowd_engine::auto::{AutoMethod, ReleaseKind, SearchEffort};
use incrowd_engine::recoding::SavedRecoding;
use incrowd_engine::{
    Algorithm, Control, FrequencyCounts, Limit, Method, Model, Problem, ProblemSpec, Recoding,
    Release, SuppressionMode, Table,
};
use incrowd_testing::{LinearRng, cases};

/// A question about a random table of two quasi-identifiers, a narrowing column and a sensitive one.
fn random(seed: u64) -> (ProblemSpec, Table) {
    let mut dice = LinearRng::new(seed.wrapping_mul(0x9e37_79b9) + 41);
    dice.below(2);
    let rows: Vec<[String; 4]> = (0..12 + dice.below(60))
        .map(|_| {
            let mut value = |most: u64| dice.below(most).min(dice.below(most)).to_string();
            [
                value(20),
                format!("t{}", value(6)),
                format!("n{}", value(5)),
                format!("s{}", value(4)),
            ]
        })
        .collect();
    let table = Table::from_rows(&["q", "town", "known", "ill"], &rows).unwrap();
    let mut spec = ProblemSpec::new(2 + dice.below(3)).quasi("q").quasi("town").narrowing("known");
    if dice.below(3) == 0 {
        spec = spec.sensitive("ill", Model::DistinctL { l: 2 });
    }
    spec.limit = match dice.below(3) {
        0 => Limit::Default,
        1 => Limit::Rows(dice.below(12)),
        _ => Limit::Share(0.2),
    };
    (spec, table)
}

fn auto() -> AutoMethod {
    AutoMethod::default().kind(ReleaseKind::Local).effort(SearchEffort::Quick)
}

fn cost(problem: &Problem, recoding: &Recoding) -> f64 {
    Release::new(problem, recoding, SuppressionMode::Drop).measures.released_gcp
}

/// The rows of each narrowed class, counted from what is printed.
fn narrowed_classes(rows: &[Vec<String>]) -> BTreeMap<(String, String, String), u64> {
    let mut sizes = BTreeMap::new();
    for row in rows {
        *sizes.entry((row[0].clone(), row[1].clone(), row[2].clone())).or_insert(0) += 1;
    }
    sizes
}

#[test]
fn releases_keep_their_requirements_and_limits_and_can_be_applied_again() {
    let (mut divided, mut released, mut applied) = (0, 0, 0);
    for seed in 0..cases(400) {
        let (spec, table) = random(seed.into());
        let problem = Problem::of_table(&spec, &table).unwrap();
        let solution = auto().solve(&problem, &Control::new()).unwrap();
        let Some(recoding) = solution.recoding() else { continue };
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        let limit = problem.limit.rows(problem.rows, problem.rows);
        assert!(release.classes.suppressed_rows() <= limit, "{seed}: {limit}");
        let names = table.names();
        let out = release.table_in_order(&problem, &table, &names).unwrap();
        let small = narrowed_classes(&rows_of(&out)).into_iter().find(|it| it.1 < spec.k);
        assert_eq!(small, None, "{seed}");
        let checked = requirements(&problem, &BTreeMap::new());
        assert!(verdict(&out, &table, &checked).holds, "{seed}");
        released += 1;
        let Recoding::Local(assigned) = recoding else { continue };
        if assigned.narrowing.is_none() {
            continue;
        }
        divided += 1;
        // A row goes into no box of rows with other values, so nearly all find the class that they were in.
        let saved = saved(&spec, &problem, recoding);
        let saved = SavedRecoding::from_json(&saved.to_json()).unwrap();
        let counts = FrequencyCounts::of_table(&table, &spec.columns()).unwrap();
        let (again, unseen) =
            Problem::for_new_rows(saved.attributes, &spec, &counts, &saved.missing).unwrap();
        assert_eq!(unseen, 0);
        let once_more = Release::new(&again, &saved.recoding, SuppressionMode::Drop);
        let out = once_more.table_in_order(&again, &table, &names).unwrap();
        let sizes = narrowed_classes(&rows_of(&out));
        assert!(sizes.values().all(|&size| size >= spec.k), "{seed}");
        assert!(verdict(&out, &table, &checked).holds, "{seed}");
        applied += u64::from(once_more.rows() == release.rows());
    }
    assert!(divided > released / 4, "{divided} of {released}");
    assert!(applied > divided * 3 / 4, "{applied} of {divided}");
}

fn saved(spec: &ProblemSpec, problem: &Problem, recoding: &Recoding) -> SavedRecoding {
    SavedRecoding {
        version: SavedRecoding::VERSION,
        k: spec.k,
        unit: None,
        wildcards: false,
        models: Vec::new(),
        count_missing: false,
        narrowing: spec.narrowing.clone(),
        sensitive: Vec::new(),
        identifying: Vec::new(),
        plain: Vec::new(),
        missing: Vec::new(),
        treatments: Vec::new(),
        attributes: problem.attributes.clone(),
        recoding: recoding.clone(),
    }
}

/// One value is rare among the narrowing ones: rows of all others need not wait for it.
#[test]
fn a_rare_value_does_not_coarsen_the_others() {
    let rows: Vec<[String; 2]> = (0..60u32)
        .map(|row| [(row / 3).to_string(), if row % 10 == 0 { "rare" } else { "often" }.to_owned()])
        .collect();
    let table = Table::from_rows(&["age", "known"], &rows).unwrap();
    let spec = ProblemSpec::new(3).quasi("age").narrowing("known");
    let problem = Problem::of_table(&spec, &table).unwrap();
    let whole = Method::new("best-local", &[]).unwrap().solve(&problem, &Control::new()).unwrap();
    let divided = auto().solve(&problem, &Control::new()).unwrap();
    let chosen = divided.chosen.as_ref().unwrap();
    assert_eq!(chosen.method, "by narrowing values");
    let (whole, divided) = (whole.recoding().unwrap(), divided.recoding().unwrap());
    let (whole, divided) = (cost(&problem, whole), cost(&problem, divided));
    assert!(divided < 0.8 * whole, "{divided} {whole}");
}

/// Saved boxes for values that do not exist, or not for every box, are refused.
#[test]
fn unsound_narrowing_is_refused() {
    let (spec, table) = (0..)
        .map(random)
        .find(|(spec, table)| {
            let problem = Problem::of_table(spec, table).unwrap();
            let found = auto().solve(&problem, &Control::new()).unwrap();
            matches!(found.recoding(), Some(Recoding::Local(it)) if it.narrowing.is_some())
        })
        .unwrap();
    let problem = Problem::of_table(&spec, &table).unwrap();
    let found = auto().solve(&problem, &Control::new()).unwrap();
    let good = saved(&spec, &problem, found.recoding().unwrap());
    assert!(SavedRecoding::from_json(&good.to_json()).is_ok());
    for change in 0..3 {
        let mut wrong = good.clone();
        let Recoding::Local(assigned) = &mut wrong.recoding else { panic!("local") };
        let narrowing = assigned.narrowing.as_mut().unwrap();
        match change {
            0 => narrowing.of_box[0] = u32::MAX,
            1 => narrowing.of_box.push(0),
            _ => narrowing.values[0].push("more".to_owned()),
        }
        assert!(SavedRecoding::from_json(&wrong.to_json()).is_err(), "{change}");
    }
}

/// The Adult data where somebody may know the sex, and where somebody may know the occupation.
///
/// `INCROWD_THOROUGH=1 cargo test --release -p incrowd-engine --test all narrowing:: -- --nocapture`
#[test]
fn adult_loses_less_by_narrowing_values() {
    let table = adult();
    for known in ["sex", "workclass"] {
        let quasi = ADULT_QUASI.iter().filter(|name| **name != known).take(4);
        let spec = quasi.fold(ProblemSpec::new(10).narrowing(known), |spec, name| spec.quasi(name));
        let problem = Problem::of_table(&spec, &table).unwrap();
        let mondrian = Method::new("mondrian", &[]).unwrap();
        let whole = mondrian.solve(&problem, &Control::new()).unwrap().into_recoding().unwrap();
        let found = auto().solve(&problem, &Control::new()).unwrap();
        let tried = &found.chosen.as_ref().unwrap().tried;
        let divided = found.recoding().map(|recoding| cost(&problem, recoding)).unwrap();
        println!("{known}: mondrian {:.4}, auto {divided:.4}, {tried:?}", cost(&problem, &whole));
        assert!(divided <= cost(&problem, &whole) + 1e-12);
    }
}
