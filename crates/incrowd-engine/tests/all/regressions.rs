//! What once went wrong, in the smallest table that shows it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::{release_rows, rows_of, solve};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::{Bins, ClassSummary, Group, MISSING_TOKENS};
use incrowd_engine::{
    AttributeSpec, FrequencyCounts, Hierarchy, Limit, Model, Problem, ProblemSpec, Release,
    SuppressionMode, Table,
};

fn column(name: &str, values: &[&str]) -> Table {
    Table::from_rows(&[name], &values.iter().map(|value| [*value]).collect::<Vec<_>>()).unwrap()
}

fn given(rows: &[[&str; 3]]) -> Option<HierarchySource> {
    Some(HierarchySource::Given(Hierarchy::from_rows(rows).unwrap()))
}

/// The box of a class that is blank because it holds a missing value took the rows of every other box
/// that came behind it.
#[test]
fn a_missing_value_blanks_its_own_class_only() {
    let table = column("age", &["", "30", "31", "40", "41", "50", "51"]);
    let (.., rows) = release_rows(
        &ProblemSpec::new(2).quasi("age"),
        &table,
        "mondrian",
        &[],
        SuppressionMode::Drop,
    );
    assert_eq!(rows.concat(), ["*", "*", "[31-40]", "[31-40]", "[41-51]", "[41-51]", "[41-51]"]);
}

/// The children of a hierarchy's last node were looked up behind the end of the tree.
#[test]
fn mondrian_cuts_along_the_last_branch_of_a_tree() {
    let table = column("town", &["Ulm", "Ulm", "Bonn", "Bonn", "Lyon", "Lyon", "Nice", "Nice"]);
    let mut spec = ProblemSpec::new(2).quasi("town");
    spec.quasi[0].hierarchy =
        given(&[["Ulm", "DE", "*"], ["Bonn", "DE", "*"], ["Lyon", "FR", "*"], ["Nice", "FR", "*"]]);
    let (.., rows) = release_rows(&spec, &table, "mondrian", &[], SuppressionMode::Drop);
    assert_eq!(rows, rows_of(&table));
    spec.k = 4;
    let (.., rows) = release_rows(&spec, &table, "mondrian", &[], SuppressionMode::Drop);
    assert_eq!(rows.concat(), ["DE", "DE", "DE", "DE", "FR", "FR", "FR", "FR"]);
}

/// A root with a name of its own was released for missing values, which it does not contain.
#[test]
fn a_named_root_does_not_stand_for_missing() {
    let table = column("town", &["Ulm", "Bonn", "?"]);
    let mut spec = ProblemSpec::new(3).quasi("town");
    spec.limit = Limit::Rows(0);
    spec.quasi[0].hierarchy = given(&[["Ulm", "South", "Germany"], ["Bonn", "West", "Germany"]]);
    for method in ["datafly", "mondrian"] {
        let (.., rows) = release_rows(&spec, &table, method, &[], SuppressionMode::Drop);
        assert_eq!(rows.concat(), ["*", "*", "*"], "{method}");
    }
}

/// Numbers that a hierarchy had put into another order, and missing values that it names, were known
/// again in one spelling only.
#[test]
fn new_rows_may_spell_values_as_the_old_ones_did() {
    let table = column("code", &["10", "1e1", "2", "7", "?", "NA"]);
    let mut spec = ProblemSpec::new(1).quasi("code");
    spec.quasi[0].hierarchy =
        given(&[["7", "odd", "*"], ["2", "even", "*"], ["10", "even", "*"], ["?", "none", "*"]]);
    let problem = Problem::of_table(&spec, &table).unwrap();
    assert_eq!(problem.attributes[0].domain.len(), 4);
    let counts = FrequencyCounts::of_table(&table, &spec.columns()).unwrap();
    let missing = MISSING_TOKENS.map(str::to_owned);
    let (again, unseen) =
        Problem::for_new_rows(problem.attributes.clone(), &spec, &counts, &missing).unwrap();
    let codes = |problem: &Problem| problem.codebooks[0].iter().map(|it| it.1).collect::<Vec<_>>();
    assert_eq!((unseen, codes(&again)), (0, codes(&problem)));
}

/// Blank rows were kept although all of them together failed.
#[test]
fn blank_rows_that_fail_are_left_out() {
    let table =
        Table::from_rows(&["age", "disease"], &[["30", "flu"], ["31", "flu"], ["32", "flu"]])
            .unwrap();
    let mut spec = ProblemSpec::new(2).quasi("age").sensitive("disease", Model::DistinctL { l: 2 });
    spec.limit = Limit::All;
    let (_, _, release, rows) = release_rows(&spec, &table, "datafly", &[], SuppressionMode::Blank);
    assert_eq!((rows.len(), release.rows(), release.classes.suppressed_rows()), (0, 0, 3));
}

/// Bins of a sensitive column were counted as its values, while its values were released.
#[test]
fn a_sensitive_column_cannot_have_bins() {
    let table = Table::from_rows(&["age", "salary"], &[["30", "1000"], ["31", "1001"]]).unwrap();
    let mut spec = ProblemSpec::new(2).quasi("age").sensitive("salary", Model::DistinctL { l: 2 });
    spec.targets[0].rule.bins = Some(Bins { width: 100.0, start: 0.0 });
    let error = Problem::of_table(&spec, &table).unwrap_err();
    assert_eq!(
        error.message,
        "column \"salary\" is sensitive and released unchanged: it cannot be put into bins"
    );
    spec.targets[0] = AttributeSpec::new("salary");
    spec.targets[0].rule.missing_as = Some("0".to_owned());
    assert!(Problem::of_table(&spec, &table).is_err());
    // Nobody looks at a class column but the metric.
    spec.models.clear();
    spec.class = Some("salary".to_owned());
    let problem = Problem::of_table(&spec, &table).unwrap();
    let recoding = solve("mondrian", &[], &problem).into_recoding().unwrap();
    assert_eq!(Release::new(&problem, &recoding, SuppressionMode::Drop).measures.cm, Some(1));
}

/// Two groups of which one is blank for its missing values and the other for the node above it read alike
/// and were counted as two classes.
#[test]
fn a_node_that_also_stands_for_missing_values_is_blank() {
    let table = column("town", &["Ulm", "Bonn", "Lyon", "?"]);
    let mut spec = ProblemSpec::new(1).quasi("town");
    spec.quasi[0].summary = Some(ClassSummary::Node);
    spec.quasi[0].hierarchy =
        given(&[["Ulm", "DE", "any"], ["Bonn", "DE", "any"], ["Lyon", "FR", "any"]]);
    let problem = Problem::of_table(&spec, &table).unwrap();
    let town = &problem.attributes[0];
    let code = |name: &str| (0..4).find(|&code| town.domain.label(code) == name).unwrap();
    let across = town.group(&[code("Bonn"), code("Lyon")]);
    assert_eq!((town.shown(&across), town.label(&across)), (Group::Blank, "*".to_owned()));
    let within = town.group(&[code("Ulm"), code("Bonn")]);
    assert_eq!(town.label(&within), "DE");
}
