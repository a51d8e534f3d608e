#![allow(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::collections::{BTreeMap, BTreeSet};

use crate::{COLUMNS, Census, MORE, Person, QUASI, SENSITIVE};

const ROWS: u64 = 30_162;

fn people(rows: u64, seed: u64) -> Vec<Person> {
    Census::new(rows, seed).iter().collect()
}

fn csv(rows: u64, seed: u64) -> String {
    let mut text = Vec::new();
    Census::new(rows, seed).write_csv(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn at(column: &str) -> usize {
    Census::header().iter().position(|&name| name == column).unwrap()
}

/// The share of the people that `condition` holds for, among those of `whom`.
fn share(
    people: &[Person],
    whom: impl Fn(&Person) -> bool,
    condition: impl Fn(&Person) -> bool,
) -> f64 {
    let among: Vec<&Person> = people.iter().filter(|person| whom(person)).collect();
    assert!(among.len() > 30, "too few people for a share");
    among.iter().filter(|person| condition(person)).count() as f64 / among.len() as f64
}

fn is(column: &'static str, value: &'static str) -> impl Fn(&Person) -> bool {
    let at = at(column);
    move |person| person.values[at] == value
}

fn anybody(_: &Person) -> bool {
    true
}

fn mean_age(people: &[Person], whom: impl Fn(&Person) -> bool) -> f64 {
    let ages: Vec<f64> =
        people.iter().filter(|person| whom(person)).map(|person| f64::from(person.age)).collect();
    ages.iter().sum::<f64>() / ages.len() as f64
}

fn distinct(people: &[Person]) -> usize {
    people.iter().map(|person| &person.values[..QUASI.len()]).collect::<BTreeSet<_>>().len()
}

/// Any change here changes every census that anybody has made from a seed.
#[test]
fn a_seed_stands_for_the_same_rows_for_ever() {
    assert_eq!(
        csv(4, 1),
        "age,sex,race,marital-status,education,native-country,workclass,occupation,income\n\
         37,Female,White,Married-civ-spouse,Some-college,United-States,Private,Prof-specialty,<=50K\n\
         55,Female,White,Never-married,11th,El-Salvador,Private,Adm-clerical,<=50K\n\
         22,Male,White,Never-married,HS-grad,United-States,Private,Handlers-cleaners,<=50K\n\
         28,Female,White,Never-married,HS-grad,United-States,Private,Adm-clerical,<=50K\n"
    );
}

#[test]
fn same_seed_same_bytes_and_other_seed_other_bytes() {
    assert_eq!(csv(1_000, 7), csv(1_000, 7));
    assert_ne!(csv(1_000, 7), csv(1_000, 8));
}

#[test]
fn a_short_census_is_the_start_of_a_long_one() {
    let long = csv(5_000, 3);
    for rows in [0, 1, 17, 4_999] {
        assert!(long.starts_with(&csv(rows, 3)), "{rows} rows are not the start of 5,000");
    }
}

#[test]
fn the_csv_is_what_the_iterator_gives() {
    // Enough rows to be written in more than one chunk.
    let text = csv(3_000, 5);
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    assert_eq!(lines.next().unwrap(), Census::header());
    let people = people(3_000, 5);
    assert_eq!(people.len(), 3_000);
    for (line, person) in lines.by_ref().zip(&people) {
        assert_eq!(line, person.values);
        assert_eq!(line[at("age")].parse(), Ok(person.age));
    }
    assert_eq!(lines.next(), None);
    assert!(text.len() > 2 << 16 && text.ends_with('\n') && !text.contains('"'));
}

#[test]
fn marginals_have_the_skew_of_a_census() {
    let people = people(ROWS, 1);
    for (column, value, expected) in [
        ("sex", "Male", 0.675),
        ("race", "White", 0.86),
        ("race", "Black", 0.093),
        ("marital-status", "Married-civ-spouse", 0.465),
        ("marital-status", "Never-married", 0.325),
        ("marital-status", "Widowed", 0.027),
        ("education", "HS-grad", 0.37),
        ("education", "Bachelors", 0.16),
        ("education", "Doctorate", 0.01),
        ("native-country", "United-States", 0.857),
        ("native-country", "Mexico", 0.028),
        ("workclass", "Private", 0.74),
        ("workclass", "Federal-gov", 0.031),
        ("occupation", "Craft-repair", 0.135),
        ("occupation", "Farming-fishing", 0.033),
        ("income", ">50K", 0.25),
    ] {
        let found = share(&people, anybody, is(column, value));
        // Four standard deviations and what rounding the expectation takes.
        let tolerance = 4.0 * (expected * (1.0 - expected) / ROWS as f64).sqrt() + 0.004;
        assert!((found - expected).abs() < tolerance, "{column} = {value}: {found}");
    }
    let mean = mean_age(&people, anybody);
    assert!((mean - 38.4).abs() < 0.5, "mean age {mean}");
    assert!(people.iter().all(|person| (17..=90).contains(&person.age)));
}

#[test]
fn columns_depend_on_each_other() {
    let people = people(ROWS, 2);
    let high = || is("income", ">50K");
    // Age drives marital status, education and income.
    let (widowed, never) = (
        mean_age(&people, is("marital-status", "Widowed")),
        mean_age(&people, is("marital-status", "Never-married")),
    );
    assert!(widowed > never + 20.0, "{widowed} and {never}");
    assert!(
        mean_age(&people, is("education", "Doctorate"))
            > mean_age(&people, is("education", "Some-college")) + 7.0
    );
    assert!(share(&people, |person| person.age < 25, high()) < 0.03);
    assert!(share(&people, |person| person.age / 10 == 4, high()) > 0.3);
    // Education drives occupation and income.
    let professional = || is("occupation", "Prof-specialty");
    assert!(share(&people, is("education", "Prof-school"), professional()) > 0.7);
    assert!(share(&people, is("education", "HS-grad"), professional()) < 0.06);
    let by_education = ["11th", "HS-grad", "Bachelors", "Prof-school"]
        .map(|education| share(&people, is("education", education), high()));
    assert!(by_education.is_sorted_by(|less, more| less + 0.05 < *more), "{by_education:?}");
    // Sex and occupation, marriage and income, occupation and work class.
    assert!(share(&people, is("occupation", "Craft-repair"), is("sex", "Male")) > 0.9);
    assert!(share(&people, is("occupation", "Adm-clerical"), is("sex", "Female")) > 0.55);
    assert!(share(&people, is("marital-status", "Married-civ-spouse"), high()) > 0.4);
    assert!(share(&people, is("marital-status", "Never-married"), high()) < 0.08);
    let own_business =
        share(&people, is("occupation", "Farming-fishing"), is("workclass", "Self-emp-not-inc"));
    assert!(own_business > 0.35, "{own_business}");
    // Country and race, country and education.
    assert!(
        share(&people, is("native-country", "Vietnam"), is("race", "Asian-Pac-Islander")) > 0.7
    );
    assert!(share(&people, is("native-country", "Jamaica"), is("race", "Black")) > 0.7);
    let schooled = || is("education", "Bachelors");
    assert!(
        share(&people, is("native-country", "India"), schooled())
            > 2.0 * share(&people, is("native-country", "Mexico"), schooled())
    );
}

#[test]
fn combinations_are_as_many_as_in_a_real_census() {
    let people = people(100_000, 1);
    let (small, large) = (distinct(&people[..ROWS as usize]), distinct(&people));
    assert!((18_000..20_000).contains(&small), "{small} of {ROWS}");
    assert!((44_000..53_000).contains(&large), "{large} of 100,000");
}

#[test]
fn every_value_is_in_its_hierarchy() {
    let hierarchies = QUASI.map(|column| {
        let lines = Census::hierarchy(column).unwrap();
        let count = lines.len();
        let by_value: BTreeMap<String, Vec<String>> =
            lines.into_iter().map(|line| (line[0].clone(), line)).collect();
        assert_eq!(by_value.len(), count, "{column} has a value twice");
        by_value
    });
    for person in people(ROWS, 4) {
        for (value, hierarchy) in person.values.iter().zip(&hierarchies) {
            assert!(hierarchy.contains_key(*value), "{value} is in no hierarchy");
        }
    }
    assert_eq!(Census::hierarchy(SENSITIVE), None);
    assert_eq!(Census::header().len(), COLUMNS);
}

#[test]
fn hierarchies_are_trees_with_levels() {
    for column in QUASI {
        let lines = Census::hierarchy(column).unwrap();
        let height = lines[0].len();
        let mut parents: BTreeMap<(usize, &str), &str> = BTreeMap::new();
        for line in &lines {
            assert_eq!(line.len(), height, "{column}: {line:?}");
            assert_eq!(line[height - 1], "*");
            for (level, pair) in line.windows(2).enumerate() {
                let parent = parents.entry((level, &pair[0])).or_insert(&pair[1]);
                assert_eq!(*parent, pair[1], "{column}: {} has two parents", pair[0]);
            }
        }
    }
    let ages = Census::hierarchy("age").unwrap();
    assert_eq!(ages[0], ["17", "[15-19]", "[10-19]", "[0-19]", "*"]);
    assert_eq!(ages.last().unwrap(), &["90", "[90-94]", "[90-99]", "[80-99]", "*"]);
}

#[test]
fn a_wide_census_has_the_same_people() {
    let (narrow, mut wide) = (csv(500, 3), Vec::new());
    let census = Census::new(500, 3).widened();
    census.write_csv(&mut wide).unwrap();
    let wide = String::from_utf8(wide).unwrap();
    let cut = |line: &str| {
        let values: Vec<String> = line.split(',').map(str::to_owned).collect();
        assert_eq!(values.len(), COLUMNS + MORE.len());
        [&values[..COLUMNS - 1], &values[values.len() - 1..]].concat().join(",")
    };
    let without: Vec<String> = wide.lines().map(cut).collect();
    assert_eq!(without, narrow.lines().collect::<Vec<_>>());
    assert_eq!(
        wide.lines().next().unwrap(),
        [&census.quasi()[..], &[SENSITIVE]].concat().join(",")
    );
    // Fewer of the young work full time.
    let forty = |young: bool| {
        let lines = wide.lines().skip(1).filter(|line| (line[..2] < *"20") == young);
        let (full, all) = lines.fold((0, 0), |(full, all), line| {
            (full + u32::from(line.split(',').nth(8) == Some("40")), all + 1)
        });
        f64::from(full) / f64::from(all)
    };
    assert!(forty(false) > forty(true), "{} {}", forty(false), forty(true));
}
