//! Values that look the same are the same, to the engine and to the verifier, each by its own code.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use incrowd_engine::problem::HierarchySource;
use incrowd_engine::table::Dictionary;
use incrowd_engine::value::{Domain, DomainRule, Hierarchy};
use incrowd_engine::{
    Algorithm, Control, MethodChoice, Model, Problem, ProblemSpec, Release, SuppressionMode, Table,
};
use incrowd_verify::{Requirements, SensitiveModel, Verifier};

/// Groups of spellings: within one all look the same, between two none do.
const GROUPS: [&[&str]; 17] = [
    &["0.5", ".5", "00.50"],
    &["0", "-0", "0.0", "000"],
    &[
        "flu",
        "flu ",
        " flu",
        "\tflu",
        "f\u{200b}lu",
        "flu\u{a0}",
        "\u{feff}flu",
        "fl\u{ad}u",
        "flu\u{2060}",
    ],
    &["Flu", "Flu\u{200d}", " Flu "],
    &["Zürich", "Zu\u{308}rich", "Zürich ", "Zu\u{200b}\u{308}rich"],
    &["Zurich", "Zurich\u{200c}"],
    &["type 2", "type  2", "type\u{a0}2", "type \t 2", "type\u{3000}2"],
    &["type2"],
    &["é", "e\u{301}", "e\u{301}\u{fe0f}"],
    &["e"],
    &["1", "1.0", "1.00", "+1", "01", "1e0", " 1", "1\u{200b}"],
    &["-1", "-1.0"],
    &["10", "1e1", "10.0", "10.", "0010"],
    &["1a", "1a "],
    &["", "NA", "?", " ", "null", "N/A", "\u{200b}", "NA\u{200b}"],
    &["na"],
    &["ω\u{313}\u{345}", "\u{1fa0}"],
];

fn engine(a: &str, b: &str) -> bool {
    let values: Dictionary = [a, b].into_iter().collect();
    let rule = DomainRule { as_written: true, ..DomainRule::automatic() };
    let coding = Domain::build("column", &values, &rule).unwrap();
    coding.codes.len() == 1 || coding.codes[0] == coding.codes[1]
}

fn verifier(a: &str, b: &str) -> bool {
    let mut requirements = Requirements::new(1, ["q"]);
    requirements.count_missing = true;
    requirements.models = vec![SensitiveModel::new("s", incrowd_verify::Model::DistinctL(1))];
    let mut verifier = Verifier::new(&["q", "s"], &requirements).unwrap();
    verifier.push(["x", a]).unwrap();
    verifier.push(["x", b]).unwrap();
    verifier.finish().unwrap().models[0].achieved == Some(1.0)
}

#[test]
fn engine_and_verifier_agree_on_every_pair() {
    let all: Vec<(usize, &str)> = GROUPS
        .iter()
        .enumerate()
        .flat_map(|(group, spellings)| spellings.iter().map(move |spelling| (group, *spelling)))
        .collect();
    let mut pairs = 0;
    for (one, a) in &all {
        for (other, b) in &all {
            let same = one == other;
            assert_eq!(engine(a, b), same, "the engine on {a:?} and {b:?}");
            assert_eq!(verifier(a, b), same, "the verifier on {a:?} and {b:?}");
            pairs += 1;
        }
    }
    assert!(pairs > 2_000, "{pairs}");
}

#[test]
fn spellings_and_missing_values_make_no_diversity() {
    let rows: Vec<[&str; 2]> =
        ["flu", "flu ", "f\u{200b}lu", "NA", ""].iter().map(|ill| ["30", *ill]).collect();
    let table = Table::from_rows(&["age", "ill"], &rows).unwrap();
    let solved = |count_missing: bool| {
        let mut spec = ProblemSpec::new(2).quasi("age").sensitive("ill", Model::DistinctL { l: 2 });
        spec.count_missing = count_missing;
        let problem = Problem::of_table(&spec, &table).unwrap();
        let solution = MethodChoice::default().solve(&problem, &Control::new()).unwrap();
        Release::of_solution(&problem, &solution, SuppressionMode::Drop).map_or(0, |it| it.rows())
    };
    assert_eq!(solved(false), 0, "one diagnosis, and who has none may have that");
    assert_eq!(solved(true), 5);
}

#[test]
fn a_hierarchy_with_a_place_for_missing_values_makes_them_no_diversity() {
    let rows: Vec<[&str; 2]> = ["flu", "flu", "flu", "NA"].iter().map(|ill| ["30", *ill]).collect();
    let table = Table::from_rows(&["age", "ill"], &rows).unwrap();
    let leaves = ["flu", "cold", "NA"].map(|leaf| vec![leaf.to_owned(), "*".to_owned()]);
    let tree = Hierarchy::from_rows(&leaves).unwrap();
    let solved = |count_missing: bool| {
        let mut spec = ProblemSpec::new(2).quasi("age").sensitive("ill", Model::DistinctL { l: 2 });
        spec.targets[0].hierarchy = Some(HierarchySource::Given(tree.clone()));
        spec.count_missing = count_missing;
        let problem = Problem::of_table(&spec, &table).unwrap();
        let solution = MethodChoice::default().solve(&problem, &Control::new()).unwrap();
        Release::of_solution(&problem, &solution, SuppressionMode::Drop).map_or(0, |it| it.rows())
    };
    assert_eq!((solved(false), solved(true)), (0, 4));
}

#[test]
fn spellings_of_a_quasi_identifier_are_released_as_one() {
    let rows = [["Zürich"], ["Zu\u{308}rich"], ["Zürich "], ["Bern"], ["Bern\u{200b}"]];
    let table = Table::from_rows(&["town"], &rows).unwrap();
    let problem = Problem::of_table(&ProblemSpec::new(2).quasi("town"), &table).unwrap();
    assert_eq!(problem.cells.len(), 2);
    let solution = MethodChoice::default().solve(&problem, &Control::new()).unwrap();
    let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
    let released = release.table_in_order(&problem, &table, &["town"]).unwrap();
    let towns: Vec<&str> = (0..5).map(|row| released.column("town").unwrap().value(row)).collect();
    assert_eq!(towns, ["Zürich", "Zürich", "Zürich", "Bern", "Bern"]);
}
