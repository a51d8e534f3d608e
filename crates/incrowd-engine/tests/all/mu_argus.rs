//! mu-Argus: the worked example, the sets, rounds and repair, and that the verifier refuses what it leaves.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::case::{Case, case};
use common::{requirements, rows_of, solve, verdict};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::{ArgusSet, DateUnit, HierarchyRule};
use incrowd_engine::{Hierarchy, Problem, ProblemSpec, Release, SuppressionMode, Table};
use proptest::prelude::*;

const UNREPAIRED: &[(&str, &str)] = &[("repair", "off")];

/// Sweeney's twelve people.
fn people() -> Table {
    Table::from_rows(
        &["Race", "BirthDate", "Gender", "ZIP"],
        &[
            ["black", "9/20/65", "male", "02141"],
            ["black", "2/14/65", "male", "02141"],
            ["black", "10/23/65", "female", "02138"],
            ["black", "8/24/65", "female", "02138"],
            ["black", "11/7/64", "female", "02138"],
            ["black", "12/1/64", "female", "02138"],
            ["white", "10/23/64", "male", "02138"],
            ["white", "3/15/65", "female", "02139"],
            ["white", "8/13/64", "male", "02139"],
            ["white", "5/5/64", "male", "02139"],
            ["white", "2/13/67", "male", "02138"],
            ["white", "3/21/67", "male", "02138"],
        ],
    )
    .unwrap()
}

/// Most = birth, More = ZIP and gender, Identifying = race; birth dates can become years.
fn people_spec() -> ProblemSpec {
    let mut spec =
        ProblemSpec::new(2).quasi("Race").quasi("BirthDate").quasi("Gender").quasi("ZIP");
    spec.quasi[1].hierarchy =
        Some(HierarchySource::Rule(HierarchyRule::Date(vec![DateUnit::Year])));
    let sets = [ArgusSet::Identifying, ArgusSet::Most, ArgusSet::More, ArgusSet::More];
    for (column, set) in spec.quasi.iter_mut().zip(sets) {
        column.argus = Some(set);
    }
    spec
}

/// The rows of a release that keeps what fails.
fn unrepaired(problem: &Problem, table: &Table, options: &[(&str, &str)]) -> Vec<Vec<String>> {
    let recoding = solve("mu-argus", options, problem).into_recoding().unwrap();
    let release = Release::with_failures(problem, &recoding);
    rows_of(&release.table_in_order(problem, table, &table.names()).unwrap())
}

/// Figure 15, the table that the algorithm as published makes.
#[test]
fn t7_loses_its_birth_and_t8_its_birth_and_gender() {
    let table = people();
    let problem = Problem::of_table(&people_spec(), &table).unwrap();
    let rows = unrepaired(&problem, &table, UNREPAIRED);
    assert_eq!(
        rows,
        [
            ["black", "1965", "male", "02141"],
            ["black", "1965", "male", "02141"],
            ["black", "1965", "female", "02138"],
            ["black", "1965", "female", "02138"],
            ["black", "1964", "female", "02138"],
            ["black", "1964", "female", "02138"],
            ["white", "*", "male", "02138"],
            ["white", "*", "*", "02139"],
            ["white", "1964", "male", "02139"],
            ["white", "1964", "male", "02139"],
            ["white", "1967", "male", "02138"],
            ["white", "1967", "male", "02138"],
        ]
    );
    let notes = solve("mu-argus", UNREPAIRED, &problem).notes.join("\n");
    // Figure 14: two outlying combinations of t7, seven of t8.
    assert!(
        notes.contains("9 outlying combinations of values over all rows: BirthDate in 7"),
        "{notes}"
    );
    assert!(notes.contains("mu-Argus blanked 3 values: BirthDate 2, Gender 1"), "{notes}");
    assert!(notes.contains("2 rows still fail; they were left as they are"), "{notes}");
    assert!(notes.contains("generalized first: BirthDate to level 1"), "{notes}");
}

/// t7 and t8 are alone with what is left of them: the verifier says so.
#[test]
fn the_verifier_refuses_the_release_without_repair() {
    let table = people();
    let problem = Problem::of_table(&people_spec(), &table).unwrap();
    let solution = solve("mu-argus", UNREPAIRED, &problem);
    let release = Release::with_failures(&problem, solution.recoding().unwrap());
    let released = release.table_in_order(&problem, &table, &table.names()).unwrap();
    let ladders = common::Ladders::default();
    let mut demands = requirements(&problem, &ladders);
    demands.unchecked = vec!["BirthDate".to_owned()];
    let failed = verdict(&released, &table, &demands);
    assert!(!failed.holds, "{failed}");
    assert_eq!(failed.k, Some(1));
    // What other methods do with rows that fail: they are left out.
    let guarded = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
    assert_eq!(guarded.classes.suppressed_rows(), 2);
    // Repaired, all twelve stay.
    let repaired = solve("mu-argus", &[], &problem);
    let release = Release::of_solution(&problem, &repaired, SuppressionMode::Drop).unwrap();
    assert_eq!(release.rows(), 12);
    let released = release.table_in_order(&problem, &table, &table.names()).unwrap();
    assert!(verdict(&released, &table, &demands).holds);
    let rows = rows_of(&released);
    assert_eq!(
        (&rows[6], &rows[7]),
        (&vec!["white".to_owned(), "*".into(), "*".into(), "*".into()], &rows[6])
    );
}

/// Figure 13: with the sets changed, fewer combinations are tested.
#[test]
fn the_sets_decide_what_is_tested() {
    let table = people();
    let tested = |sets: [ArgusSet; 4]| {
        let mut spec = people_spec();
        for (column, set) in spec.quasi.iter_mut().zip(sets) {
            column.argus = Some(set);
        }
        let problem = Problem::of_table(&spec, &table).unwrap();
        solve("mu-argus", UNREPAIRED, &problem).nodes
    };
    use ArgusSet::{Identifying, More, Most};
    // Race with each of three, three pairs of the others; birth with two of the other three, always one in More.
    assert_eq!(tested([Identifying, Most, More, More]), 6 + 3);
    assert_eq!(tested([Identifying; 4]), 0);
    assert_eq!(tested([More, Identifying, Identifying, Identifying]), 3);
    // No triple without a column in Most.
    assert_eq!(tested([More; 4]), 6);
    assert_eq!(tested([Most; 4]), 6 + 4);
    assert_eq!(tested([Most, Identifying, Identifying, Identifying]), 3);
    // Where nobody says anything, the columns are taken by separation.
    let mut spec = people_spec();
    spec.quasi.iter_mut().for_each(|column| column.argus = None);
    let problem = Problem::of_table(&spec, &table).unwrap();
    let notes = solve("mu-argus", &[], &problem).notes;
    assert!(
        notes[0].ends_with("Most = BirthDate; More = none; Identifying = Race, Gender, ZIP"),
        "{notes:?}"
    );
    // One set is enough: the others are Identifying.
    spec.quasi[0].argus = Some(More);
    let problem = Problem::of_table(&spec, &table).unwrap();
    assert_eq!(solve("mu-argus", UNREPAIRED, &problem).nodes, 3);
}

#[test]
fn rounds_generalize_the_column_in_most_outlying_combinations() {
    let table = people();
    let mut spec = people_spec();
    let rows: Vec<Vec<String>> = ["02141", "02138", "02139"]
        .iter()
        .map(|zip| vec![(*zip).to_owned(), "0213-4".to_owned(), "*".to_owned()])
        .collect();
    spec.quasi[3].hierarchy = Some(HierarchySource::Given(Hierarchy::from_rows(&rows).unwrap()));
    let problem = Problem::of_table(&spec, &table).unwrap();
    // Births are years already and do not vanish altogether, so ZIP is next.
    let solution = solve("mu-argus", &[("rounds", "5"), ("repair", "off")], &problem);
    let notes = solution.notes.join("\n");
    assert!(
        notes.contains(
            "BirthDate to level 1, ZIP to level 1, 1 level of it for outlying combinations"
        ),
        "{notes}"
    );
    let rows = unrepaired(&problem, &table, &[("rounds", "5"), ("repair", "off")]);
    assert!(rows.iter().all(|row| row[3] == "0213-4" || row[3] == "*"), "{rows:?}");
    // The user's own round: a lowest level.
    spec.quasi[3].least_level = 1;
    let problem = Problem::of_table(&spec, &table).unwrap();
    assert_eq!(unrepaired(&problem, &table, UNREPAIRED), rows);
    // Values can be kept: then every birth date is outlying.
    let rows = unrepaired(&problem, &table, &[("values", "keep"), ("repair", "off")]);
    assert!(rows.iter().all(|row| row[1] == "*"), "{rows:?}");
}

/// Four values together can single a person out although no three do.
#[test]
fn pairs_and_triples_are_not_enough() {
    // All even rows of four bits twice: any three bits occur, the odd row is alone.
    let mut rows: Vec<[String; 4]> = Vec::new();
    for bits in 0..16u32 {
        let row = std::array::from_fn(|at| (bits >> at & 1).to_string());
        let times = if bits.count_ones().is_multiple_of(2) { 2 } else { u32::from(bits == 1) };
        rows.extend((0..times).map(|_| row.clone()));
    }
    let table = Table::from_rows(&["a", "b", "c", "d"], &rows).unwrap();
    let mut spec = ProblemSpec::new(2).quasi("a").quasi("b").quasi("c").quasi("d");
    spec.quasi.iter_mut().for_each(|column| column.argus = Some(ArgusSet::Most));
    let problem = Problem::of_table(&spec, &table).unwrap();
    let solution = solve("mu-argus", UNREPAIRED, &problem);
    assert!(solution.notes.join("\n").contains("no combination of values is outlying"));
    let released = Release::with_failures(&problem, solution.recoding().unwrap())
        .table_in_order(&problem, &table, &table.names())
        .unwrap();
    assert_eq!(rows_of(&released), rows);
    let failed = verdict(&released, &table, &requirements(&problem, &common::Ladders::default()));
    assert_eq!((failed.holds, failed.k), (false, Some(1)));
}

#[test]
fn small_tables_are_no_trouble() {
    for (rows, k) in
        [(vec!["1"], 1), (vec!["1", "2"], 2), (vec!["1", "1", "1"], 2), (vec!["?", "1"], 2)]
    {
        let table =
            Table::from_rows(&["a"], &rows.iter().map(|v| [*v]).collect::<Vec<_>>()).unwrap();
        let problem = Problem::of_table(&ProblemSpec::new(k).quasi("a"), &table).unwrap();
        let solution = solve("mu-argus", &[("rounds", "3")], &problem);
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
        assert_eq!(release.rows(), rows.len() as u64);
    }
    let table = Table::from_rows(&["a"], &[["1"], ["2"]]).unwrap();
    let spec = ProblemSpec::new(3).quasi("a");
    if let Ok(problem) = Problem::of_table(&spec, &table) {
        let solution = solve("mu-argus", &[], &problem);
        assert!(solution.outcome.is_infeasible());
    }
}

/// What the tests should leave: for every row of the release without repair, every pair and triple of its
/// values that is tested occurs k times in the original.
fn no_outlier_is_left(case: &Case) -> Result<(), TestCaseError> {
    let problem = Problem::of_table(&case.spec, &case.table).unwrap();
    let options = [("repair", "off"), ("values", "keep")];
    let solution = solve("mu-argus", &options, &problem);
    let Some(recoding) = solution.recoding() else { return Ok(()) };
    let release = Release::with_failures(&problem, recoding);
    let released =
        rows_of(&release.table_in_order(&problem, &case.table, &case.table.names()).unwrap());
    let width = case.columns.len();
    // Every column is in Most: all pairs and triples are tested.
    for row in &released {
        for set in (0..1u32 << width).filter(|set| (2..=3).contains(&set.count_ones())) {
            let columns: Vec<usize> =
                (0..width).filter(|at| set >> at & 1 == 1).map(|at| at + 1).collect();
            if columns.iter().any(|&at| row[at] == "*") {
                continue;
            }
            let alike = case
                .rows()
                .iter()
                .filter(|other| columns.iter().all(|&at| other[at] == row[at]))
                .count();
            prop_assert!(alike as u64 >= case.spec.k, "{columns:?} of {row:?}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: incrowd_testing::cases(60), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_tested_combination_stays_outlying(case in case()) {
        let mut case = case;
        case.spec.models.clear();
        for column in &mut case.spec.quasi {
            column.argus = Some(ArgusSet::Most);
            column.summary = Some(incrowd_engine::value::ClassSummary::Range);
            // Values with one spelling only, so that the test can compare text.
            column.rule.kind = Some(incrowd_engine::value::DomainKind::Text);
            (column.rule.bins, column.hierarchy) = (None, None);
            column.rule.missing.clear();
        }
        no_outlier_is_left(&case)?;
    }
}
