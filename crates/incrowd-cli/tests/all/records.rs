//! People with several records, and attackers who know few columns: what random runs have found, each as a small table.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fmt::Write as _;

use incrowd_testing::Dice;

use crate::common::{Ended, Folder};

fn table(header: &str, rows: impl Iterator<Item = String>) -> Folder {
    let folder = Folder::new();
    let mut text = format!("{header}\n");
    rows.for_each(|row| writeln!(text, "{row}").unwrap());
    folder.write("t.csv", text.as_bytes());
    folder
}

fn asked(folder: &Folder, options: &str) -> Ended {
    folder.run(&format!("anonymize t.csv {options} -m mondrian --seed 1 --json -o out.csv"))
}

/// The check that refuses a run, which writes nothing.
#[track_caller]
fn refused_by(folder: &Folder, options: &str) -> String {
    let ended = asked(folder, options);
    assert_eq!(ended.code, Some(2), "{options}: {ended:?}");
    assert!(!folder.path("out.csv").exists(), "{options}");
    let error = &ended.json()["error"];
    error["check"].as_str().unwrap_or_default().to_owned()
}

/// What follows from what shows in all records of a person, not in their first alone.
#[test]
fn columns_follow_in_all_records() {
    let visits = (0..600).map(|at| {
        let (person, visit) = (at / 10, at % 10);
        // Few come back in the next year, and nobody comes then for the first time.
        let year = if person % 8 == 0 && visit > 6 { 2021 } else { 2020 };
        let month = 1 + (person * 7 + visit * 5) % 12;
        format!("p{person},{year}-{month:02}-{:02},{year}", 1 + person % 28)
    });
    let folder = table("person,visit,visit_year", visits);
    let done = asked(&folder, "-k 5 --quasi visit --plain visit_year --unit person").done().json();
    assert_eq!(done["narrowing"], serde_json::json!(["visit_year"]));
    // Few people with many records each.
    let groups = (0..270).map(|at| {
        let (person, age) = (at / 30, 30 + at % 7);
        format!("p{person},{age},{}", ["a", "b", "c"][(age - 30) / 3])
    });
    let folder = table("person,age,group", groups);
    let done = asked(&folder, "-k 4 --quasi age --plain group --unit person").done().json();
    assert_eq!(done["narrowing"], serde_json::json!(["group"]));
    // What is somebody's own, and the same in all of their records, does not follow from where they live.
    let own = (0..600).map(|at| {
        let (person, visit) = (at / 5, at % 5);
        let ill = ["flu", "cold", "gout"][(person * person / 7) % 3];
        format!("p{person},{},{},{ill}", 20 + person / 2 + visit, 100 + person / 3)
    });
    let folder = table("person,age,zip,kind", own);
    let done = asked(&folder, "-k 3 --quasi age,zip --plain kind --unit person").done().json();
    assert_eq!(done["narrowing"], serde_json::json!(null), "{done:#}");
}

/// A pseudonym links the rows of somebody as the number behind it does.
#[test]
fn replaced_numbers_link_rows() {
    let rows = |at: usize| {
        let (patient, ill) = (at / 3, ["flu", "cold", "gout"][at * 7 / 5 % 3]);
        format!("{patient:04},{},{},{ill}", at * 13 % 40, at * 11 % 17 % 2)
    };
    let folder = table("patient,days,sex,ill", (0..300).map(rows));
    let ask = "-k 5 --quasi days,sex --sensitive ill --identifying patient";
    for treated in ["pseudonym", "random", "last:4"] {
        for unit in ["", " --unit row"] {
            let options = format!("{ask} --treat patient={treated}{unit}");
            let check = refused_by(&folder, &options);
            assert!(["repeated-subjects", "subject-links"].contains(&check.as_str()), "{check}");
        }
    }
    asked(&folder, &format!("{ask} --treat patient=pseudonym --accept patient")).done();
    asked(&folder, ask).done();
}

/// Shares are those of people, each once, whatever narrows classes.
#[test]
fn models_count_people_once_beside_known_columns() {
    let houses = (0..20).flat_map(|house| {
        let age = 30 + house / 2 % 2;
        match house % 2 {
            0 => vec![format!("h{house},{age},cook,cold")],
            _ => vec![format!("h{house},{age},cook,flu"), format!("h{house},{age},nurse,flu")],
        }
    });
    let folder = table("house,age,job,ill", houses);
    let ask = "-k 2 --quasi age --plain job --narrowing job --sensitive ill --unit house";
    // All nurses have the flu, as half of all houses have.
    assert_ne!(asked(&folder, &format!("{ask} --t-closeness 0.4")).code, Some(0));
    asked(&folder, &format!("{ask} --t-closeness 0.6")).done();
    let people = (0..16).flat_map(|person| {
        let (age, job) = (30 + person % 2 * 10, ["cook", "nurse"][person / 8]);
        let other = ["cold", "gout", "cough", "angina"][person / 2 % 4];
        ["flu", other].map(|ill| format!("p{person},{age},{job},{ill}"))
    });
    let folder = table("person,age,job,ill", people);
    let ask = "-k 2 --quasi age --plain job --narrowing job --sensitive ill --unit person";
    // Everybody has the flu: no class is without it, and nobody is at fault.
    let ended = asked(&folder, &format!("{ask} --alpha 0.5"));
    assert!(ended.code == Some(1) && !ended.stdout.contains("fault of incrowd"), "{ended:?}");
    asked(&folder, &format!("{ask} --alpha 1")).done();
}

/// Whoever knows few columns is counted with k, not with classes of one.
#[test]
fn few_known_columns_ask_for_k_everywhere() {
    let bands = (0..60).map(|at| {
        let age = 20 + at % 30;
        format!("{age},{},{},{}", ["f", "m"][at / 3 % 2], ["a", "b", "c"][at / 7 % 3], age / 10)
    });
    let folder = table("age,sex,ward,band", bands);
    let ask = "-k 5 --quasi age,sex,ward --known-columns 1 --max-suppressed all --other drop";
    assert_eq!(refused_by(&folder, &format!("{ask} --plain band")), "implied-columns");
    asked(&folder, ask).done();
    let ended = asked(&folder, &format!("{ask} --suppressed blank"));
    assert!(ended.code == Some(2) && !ended.stdout.contains("fault of incrowd"), "{ended:?}");
    // One row more than in the release before.
    let rows = |more: usize| {
        let all = (0..24).map(|at| (20 + at / 8 * 10, ["f", "m"][at % 2]));
        all.chain((0..more).map(|_| (30, "f"))).map(|(age, sex)| format!("{age},{sex}"))
    };
    let folder = table("age,sex", rows(0));
    asked(&folder, "-k 3 --quasi age,sex --known-columns 1").done();
    std::fs::rename(folder.path("out.csv"), folder.path("earlier.csv")).unwrap();
    let text: Vec<String> = ["age,sex".to_owned()].into_iter().chain(rows(1)).collect();
    folder.write("t.csv", text.join("\n").as_bytes());
    let ask = "-k 3 --quasi age,sex --known-columns 1 --earlier earlier.csv";
    assert_eq!(refused_by(&folder, ask), "earlier-releases");
}

/// One person is not several because a program has written a number with a fraction.
#[test]
fn units_are_written_in_one_way() {
    let row =
        |at: usize, number: String| format!("{number},{},{}", 30 + at % 3, ["f", "m"][at % 2]);
    let twice = (0..24).flat_map(|at| [row(at, at.to_string()), row(at, format!("{at}.0"))]);
    let folder = table("person,age,sex", twice);
    let ask = "-k 3 --quasi age,sex --unit person";
    assert_eq!(refused_by(&folder, ask), "subject-links");
    let once = (0..24).flat_map(|at| [row(at, at.to_string()), row(at, at.to_string())]);
    asked(&table("person,age,sex", once), ask).done();
}

/// Whoever knows all rows of somebody sees which values their classes have in common.
#[test]
fn classes_of_a_person_are_intersected() {
    let visits = |constant: bool| {
        let mut dice = Dice::new(3);
        let people = (0..300).flat_map(|person| {
            let (age, ill) = (20 + dice.below(50), dice.below(5));
            let visit = |_| {
                let ill = if constant { ill } else { dice.below(5) };
                let ill = ["flu", "cold", "gout", "cough", "angina"][ill];
                format!("p{person},{age},z{},{ill}", dice.below(12))
            };
            (0..3).map(visit).collect::<Vec<_>>()
        });
        people.collect::<Vec<_>>().into_iter()
    };
    let ask = "-k 3 --quasi age,place --sensitive ill --l-diversity 2 --unit person";
    let folder = table("person,age,place,ill", visits(true));
    assert_eq!(refused_by(&folder, ask), "several-rows");
    // What changes from visit to visit is not intersected.
    asked(&table("person,age,place,ill", visits(false)), ask).done();
}
