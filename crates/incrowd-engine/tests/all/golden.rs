//! The worked examples of the literature, to the letter.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::{release_rows, rows_of, solve};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::{DateUnit, HierarchyRule};
use incrowd_engine::{
    Hierarchy, Limit, Metric, Problem, ProblemSpec, Recoding, Release, SuppressionMode, Table,
};

/// Sweeney's twelve people.
fn people() -> Table {
    Table::from_rows(
        &["Race", "BirthDate", "Gender", "ZIP", "Problem"],
        &[
            ["black", "9/20/65", "male", "02141", "short of breath"],
            ["black", "2/14/65", "male", "02141", "chest pain"],
            ["black", "10/23/65", "female", "02138", "painful eye"],
            ["black", "8/24/65", "female", "02138", "wheezing"],
            ["black", "11/7/64", "female", "02138", "obesity"],
            ["black", "12/1/64", "female", "02138", "chest pain"],
            ["white", "10/23/64", "male", "02138", "short of breath"],
            ["white", "3/15/65", "female", "02139", "hypertension"],
            ["white", "8/13/64", "male", "02139", "obesity"],
            ["white", "5/5/64", "male", "02139", "fever"],
            ["white", "2/13/67", "male", "02138", "vomiting"],
            ["white", "3/21/67", "male", "02138", "back pain"],
        ],
    )
    .unwrap()
}

fn people_spec() -> ProblemSpec {
    let mut spec =
        ProblemSpec::new(2).quasi("Race").quasi("BirthDate").quasi("Gender").quasi("ZIP");
    spec.quasi[1].hierarchy =
        Some(HierarchySource::Rule(HierarchyRule::Date(vec![DateUnit::Year])));
    spec.quasi[3].hierarchy = Some(HierarchySource::Rule(HierarchyRule::Prefix(vec![4, 3])));
    spec
}

const DATAFLY: [[&str; 5]; 10] = [
    ["black", "1965", "male", "02141", "short of breath"],
    ["black", "1965", "male", "02141", "chest pain"],
    ["black", "1965", "female", "02138", "painful eye"],
    ["black", "1965", "female", "02138", "wheezing"],
    ["black", "1964", "female", "02138", "obesity"],
    ["black", "1964", "female", "02138", "chest pain"],
    ["white", "1964", "male", "02139", "obesity"],
    ["white", "1964", "male", "02139", "fever"],
    ["white", "1967", "male", "02138", "vomiting"],
    ["white", "1967", "male", "02138", "back pain"],
];

#[test]
fn datafly_generalizes_birth_dates_to_years_and_suppresses_two_people() {
    let (problem, _, release, rows) =
        release_rows(&people_spec(), &people(), "datafly", &[], SuppressionMode::Drop);
    assert_eq!(rows, DATAFLY);
    assert_eq!(release.classes.suppressed_rows(), 2);
    // The table as it was and the one with years.
    assert_eq!(solve("datafly", &[], &problem).nodes, 2);
    // Five classes of two, two people suppressed among twelve.
    assert_eq!(release.measures.dm, 5 * 4 + 2 * 12);
}

#[test]
fn datafly_needs_no_hierarchies_for_the_columns_that_stay() {
    let mut spec = people_spec();
    spec.quasi[3].hierarchy = None;
    let (.., rows) = release_rows(&spec, &people(), "datafly", &[], SuppressionMode::Drop);
    assert_eq!(rows, DATAFLY);
}

/// The two suppressed people, t7 and t8, are as many as k: kept blank they hide each other.
#[test]
fn datafly_can_keep_the_two_people_as_blank_rows() {
    let (.., rows) =
        release_rows(&people_spec(), &people(), "datafly", &[], SuppressionMode::Blank);
    let mut expected = DATAFLY.to_vec();
    expected.insert(6, ["*", "*", "*", "*", "short of breath"]);
    expected.insert(7, ["*", "*", "*", "*", "hypertension"]);
    assert_eq!(rows, expected);
}

/// With two people suppressed, years of birth are the lowest level that hides everybody else, and by
/// precision nothing costs less: (10 · 1/2 · 1/4 + 2) / 12 = 0.2708 is lost.
#[test]
fn the_lattice_methods_find_the_table_with_years_too() {
    let mut spec = people_spec();
    (spec.metric, spec.limit) = (Metric::Precision, Limit::Rows(2));
    for method in ["samarati", "mingen", "incognito", "lattice"] {
        let (problem, _, release, rows) =
            release_rows(&spec, &people(), method, &[], SuppressionMode::Drop);
        assert_eq!(rows, DATAFLY, "{method}");
        assert!((release.measures.precision.unwrap() - (1.0 - 3.25 / 12.0)).abs() < 1e-12);
        let solution = solve(method, &[], &problem);
        let facts = solution.lattice().unwrap();
        // Race, birth, gender and ZIP have 2, 3, 2 and 4 levels.
        assert_eq!((facts.nodes, facts.top[0].levels.as_slice()), (48, [0, 1, 0, 0].as_slice()));
    }
}

#[test]
fn levels_can_be_limited() {
    let mut spec = people_spec();
    (spec.metric, spec.limit) = (Metric::Precision, Limit::Rows(2));
    (spec.quasi[1].least_level, spec.quasi[3].most_level) = (2, Some(0));
    let problem = Problem::of_table(&spec, &people()).unwrap();
    let solution = solve("lattice", &[], &problem);
    let facts = solution.lattice().unwrap();
    // Births blank, ZIP codes as they are: one woman is alone.
    assert_eq!((facts.nodes, facts.top[0].suppressed), (4, 1));
    assert_eq!(facts.top[0].levels, [0, 2, 0, 0]);
    spec.quasi[3].most_level = Some(4);
    let error = Problem::of_table(&spec, &people()).unwrap_err();
    assert_eq!(error.message, "column \"ZIP\" has no level 4");
}

/// Four customers; who buys is known by the age, and by the part of the country.
fn customers() -> (ProblemSpec, Table) {
    let table = Table::from_rows(
        &["age", "city", "buys"],
        &[
            ["20", "Oslo", "no"],
            ["25", "Turku", "no"],
            ["40", "Rome", "yes"],
            ["45", "Bari", "yes"],
        ],
    )
    .unwrap();
    let cities = [
        ["Oslo", "north", "*"],
        ["Turku", "north", "*"],
        ["Rome", "south", "*"],
        ["Bari", "south", "*"],
    ];
    let mut spec = ProblemSpec::new(2).quasi("age").quasi("city").class("buys");
    spec.quasi[1].hierarchy = Some(HierarchySource::Given(Hierarchy::from_rows(&cities).unwrap()));
    (spec, table)
}

/// Numbers without a hierarchy are cut where most is learned.
#[test]
fn top_down_keeps_what_tells_the_class() {
    let (spec, table) = customers();
    let (problem, _, _, rows) = release_rows(&spec, &table, "top-down", &[], SuppressionMode::Drop);
    let (north, south) = (["[20-25]", "north", "no"], ["[40-45]", "south", "yes"]);
    assert_eq!(rows, [north, north, south, south]);
    let solution = solve("top-down", &[], &problem);
    // The start and two steps.
    assert_eq!(solution.nodes, 3);
    assert_eq!(
        solution.notes,
        [
            "the quasi-identifiers determine 1.0000 bits of buys, the release 1.0000 (of 1.0000 in all)"
        ]
    );
}

#[test]
fn bottom_up_goes_up_where_the_class_loses_least() {
    let (mut spec, table) = customers();
    spec.quasi.remove(0);
    let (.., rows) = release_rows(&spec, &table, "bottom-up", &[], SuppressionMode::Drop);
    let cities: Vec<&str> = rows.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(cities, ["north", "north", "south", "south"]);
    // Ages can only go to the top at once, which costs a bit; cities go up first, but do not suffice.
    let (spec, table) = customers();
    let (.., rows) = release_rows(&spec, &table, "bottom-up", &[], SuppressionMode::Drop);
    assert_eq!(rows[0], ["*", "north", "no"]);
}

/// LeFevre's six patients.
fn patients() -> Table {
    Table::from_rows(
        &["Age", "Sex", "Zipcode", "Disease"],
        &[
            ["25", "Male", "53711", "Flu"],
            ["25", "Female", "53712", "Hepatitis"],
            ["26", "Male", "53711", "Brochitis"],
            ["27", "Male", "53710", "Broken Arm"],
            ["27", "Female", "53712", "AIDS"],
            ["28", "Male", "53711", "Hang Nail"],
        ],
    )
    .unwrap()
}

const MULTIDIMENSIONAL: [[&str; 4]; 6] = [
    ["[25-26]", "Male", "53711", "Flu"],
    ["[25-27]", "Female", "53712", "Hepatitis"],
    ["[25-26]", "Male", "53711", "Brochitis"],
    ["[27-28]", "Male", "[53710-53711]", "Broken Arm"],
    ["[25-27]", "Female", "53712", "AIDS"],
    ["[27-28]", "Male", "[53710-53711]", "Hang Nail"],
];

/// All three attributes are as wide as they can be, so the choice is the heuristic's; as in the paper
/// it is the ZIP code, which is named first.
fn patients_spec() -> ProblemSpec {
    ProblemSpec::new(2).quasi("Zipcode").quasi("Age").quasi("Sex")
}

#[test]
fn mondrian_cuts_zip_at_53711_then_age_at_26() {
    let (problem, recoding, release, rows) =
        release_rows(&patients_spec(), &patients(), "mondrian", &[], SuppressionMode::Drop);
    assert_eq!(rows, MULTIDIMENSIONAL);
    assert_eq!(release.measures.dm, 3 * 4);

    // Two cuts make three boxes out of five partitions.
    assert_eq!(solve("mondrian", &[], &problem).nodes, 5);
    let Recoding::Regional(boxes) = recoding else { panic!("strict boxes are disjoint") };
    let shown: Vec<Vec<String>> = (0..boxes.len())
        .map(|at| {
            let ids = boxes.ids_of(at).iter().zip(&boxes.groups).zip(&problem.attributes);
            ids.map(|((&id, groups), attribute)| attribute.label(groups.get(id))).collect()
        })
        .collect();
    assert_eq!(
        shown,
        [
            // ZIP <= 53711 and age <= 26, ZIP <= 53711 and age > 26, ZIP > 53711
            ["53711", "[25-26]", "Male"],
            ["[53710-53711]", "[27-28]", "Male"],
            ["53712", "[25-27]", "Female"],
        ]
    );
}

#[test]
fn mondrian_finds_the_same_by_age_and_zip_alone() {
    let spec = ProblemSpec::new(2).quasi("Zipcode").quasi("Age");
    let (.., rows) = release_rows(&spec, &patients(), "mondrian", &[], SuppressionMode::Drop);
    assert_eq!(rows, MULTIDIMENSIONAL);
}

/// A weight does what the order of the columns does where all are equally wide.
#[test]
fn mondrian_finds_the_same_where_zip_codes_weigh_more() {
    let mut spec = ProblemSpec::new(2).quasi("Age").quasi("Sex").quasi("Zipcode");
    spec.quasi[2].weight = 1.5;
    let (.., rows) = release_rows(&spec, &patients(), "mondrian", &[], SuppressionMode::Drop);
    assert_eq!(rows, MULTIDIMENSIONAL);
}

/// The single-dimensional table of the same paper is a global recoding; the engine must be able to
/// express it, whatever finds it.
#[test]
fn the_single_dimensional_table_can_be_expressed() {
    let table = patients();
    let problem = Problem::of_table(&patients_spec(), &table).unwrap();
    let global = incrowd_engine::recoding::GlobalRecoding::new(&problem.attributes, |at, code| {
        let attribute = &problem.attributes[at];
        let last = attribute.domain.len() as u32 - 1;
        match (attribute.name.as_str(), code) {
            ("Age", _) => attribute.group(&(0..=last).collect::<Vec<_>>()),
            ("Zipcode", 0 | 1) => attribute.group(&[0, 1]),
            _ => attribute.group(&[code]),
        }
    });
    let release = Release::new(&problem, &Recoding::Global(global), SuppressionMode::Drop);
    let rows = rows_of(&release.table_in_order(&problem, &table, &table.names()).unwrap());
    let (male, female) = (["[25-28]", "Male", "[53710-53711]"], ["[25-28]", "Female", "53712"]);
    let quasi: Vec<&[String]> = rows.iter().map(|row| &row[..3]).collect();
    assert_eq!(quasi, [male, female, male, male, female, male]);
}
