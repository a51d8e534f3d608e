//! People who have several rows: whom to protect is asked for, and then protected.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use incrowd_testing::Dice;

use crate::common::{Ended, Folder};

const ZIPS: [&str; 5] = ["53710", "53711", "53712", "53713", "53714"];
const ILL: [&str; 4] = ["flu", "cold", "gout", "asthma"];

/// Patients with one to six visits each; `visited` gives each visit a month of its own.
fn visits(patients: usize, visited: bool) -> String {
    let mut text = "patient,age,sex,zip,month,diagnosis\n".to_owned();
    let mut dice = Dice::new(1);
    for patient in 0..patients {
        let (age, sex) = (20 + dice.below(60), ["f", "m"][dice.below(2)]);
        let zip = ZIPS[dice.below(5)];
        for _ in 0..1 + dice.below(6) {
            let month = if visited { 1 + dice.below(12) } else { 1 };
            let ill = ILL[dice.below(4)];
            writeln!(text, "P{patient:04},{age},{sex},{zip},{month},{ill}").unwrap();
        }
    }
    text
}

/// How many different values of a column the smallest class has.
fn crowd(text: &str, quasi: &[&str], unit: &str) -> usize {
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let place = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let mut classes: BTreeMap<Vec<&str>, BTreeSet<&str>> = BTreeMap::new();
    for row in rows {
        let class = quasi.iter().map(|name| row[place(name)]).collect();
        classes.entry(class).or_default().insert(row[place(unit)]);
    }
    classes.values().map(BTreeSet::len).min().unwrap_or(0)
}

fn pasted(ended: &Ended) -> String {
    ended.stderr.lines().find(|line| line.starts_with("incrowd ")).unwrap().to_owned()
}

#[test]
fn rows_of_one_person_are_refused_and_the_pasted_line_protects_people() {
    for visited in [false, true] {
        let folder = Folder::new();
        folder.write("visits.csv", visits(200, visited).as_bytes());
        let quasi = if visited { "age,sex,zip,month" } else { "age,sex,zip" };
        let ask = format!(
            "anonymize visits.csv -k 5 --quasi {quasi} --identifying patient --sensitive diagnosis --other drop -o out.csv"
        );
        let refused = folder.run(&ask);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("--unit patient") && refused.stderr.contains("--unit row"));
        assert!(!folder.path("out.csv").exists());
        let line = pasted(&refused);
        let json = folder.run(&format!("{} --json", line.strip_prefix("incrowd ").unwrap())).done();
        assert_eq!(json.json()["unit"], "patient");
        assert!(json.json()["achieved_k"].as_u64().unwrap() >= 5);
        let released = folder.read("out.csv");
        assert!(!released.contains("P0"), "who they are is not released");
        folder.run(&format!("{ask} --unit row")).done();
    }
}

#[test]
fn a_class_holds_k_people_whatever_the_kind() {
    let folder = Folder::new();
    folder.write("visits.csv", visits(200, true).as_bytes());
    let mut counted = 0;
    for kind in ["local", "global", "levels", "cells"] {
        let ask = format!(
            "anonymize visits.csv -k 4 --quasi age,sex,zip,month --unit patient --sensitive diagnosis \
             --l-diversity 2 --kind {kind} -o {kind}.csv --keep-order --json"
        );
        let ended = folder.run(&ask);
        // Blanks cannot be counted by people everywhere; what cannot be done is said.
        if ended.code != Some(0) {
            assert_eq!(ended.code, Some(1), "{kind}: {ended:?}");
            continue;
        }
        let json = ended.json();
        assert!(json["verdict"]["k"].as_u64().unwrap() >= 4, "{kind}");
        // Rows keep their order, and if none is left out they can be counted by whom they are of.
        let released = folder.read(&format!("{kind}.csv"));
        if json["suppressed"] == 0 {
            let named = beside(&folder.read("visits.csv"), &released);
            assert!(crowd(&named, &["age", "sex", "zip", "month"], "patient") >= 4, "{kind}");
            folder.write("named.csv", named.as_bytes());
            folder.run("verify named.csv -k 4 --quasi age,sex,zip,month --unit patient").done();
            counted += 1;
        }
    }
    assert!(counted > 0);
}

/// A release of all rows in their order, beside the first column of the original.
fn beside(original: &str, released: &str) -> String {
    let first = |line: &'_ str| line.split(',').next().unwrap().to_owned();
    let lines = original.lines().zip(released.lines());
    lines.map(|(original, released)| format!("{},{released}\n", first(original))).collect()
}

#[test]
fn three_people_with_five_visits_each_are_no_crowd() {
    let folder = Folder::new();
    let mut text = "patient,age,sex,diagnosis\n".to_owned();
    for person in 0..3 {
        for visit in 0..5 {
            let ill = ILL[(person + visit) % 3];
            writeln!(text, "p{person},{},{},{ill}", 30 + 20 * person, ["f", "m", "f"][person])
                .unwrap();
        }
    }
    folder.write("three.csv", text.as_bytes());
    let ask =
        "anonymize three.csv -k 5 --quasi age,sex --sensitive diagnosis --l-diversity 3 -o out.csv";
    let refused = folder.run(&format!("{ask} --identifying patient"));
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let too_few = folder.run(&format!("{ask} --unit patient"));
    assert_eq!(too_few.code, Some(2), "{too_few:?}");
    assert!(too_few.stderr.contains("only 3 units"), "{}", too_few.stderr);
    let verdict = folder.run("verify three.csv -k 5 --quasi age,sex --unit patient");
    assert!(verdict.code == Some(1) && verdict.stdout.contains("k = 1"), "{verdict:?}");
}

#[test]
fn first_names_and_towns_are_not_people() {
    let folder = Folder::new();
    let names = [["Tom", "Bob", "Max", "Leo", "Jan"], ["Ann", "Eva", "Mia", "Lea", "Ida"]];
    let mut text = "name,town,age,sex,zip,diagnosis\n".to_owned();
    let mut dice = Dice::new(2);
    for at in 0..400 {
        let sex = dice.below(2);
        let (name, zip) = (names[sex][dice.below(5)], dice.below(5));
        let age = 18 + dice.below(70);
        writeln!(text, "{name},Town {zip},{age},{},{},{}", ["m", "f"][sex], ZIPS[zip], ILL[at % 4])
            .unwrap();
    }
    folder.write("names.csv", text.as_bytes());
    let ask = "anonymize names.csv -k 5 --quasi age,sex,zip --identifying name,town --sensitive diagnosis -o out.csv";
    let ended = folder.run(ask).done();
    assert!(ended.stderr.contains("`name` repeats"), "{}", ended.stderr);
}
