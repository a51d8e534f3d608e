//! People who have several rows: whom to protect is asked for, and then protected.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use incrowd_testing::SeededRng;

use crate::common::{Ended, Folder};

const ZIPS: [&str; 5] = ["53710", "53711", "53712", "53713", "53714"];
const ILL: [&str; 4] = ["flu", "cold", "gout", "asthma"];

/// Patients with one to six visits each; `visited` gives each visit a month of its own.
fn visits(patients: usize, visited: bool) -> String {
    let mut text = "patient,age,sex,zip,month,diagnosis\n".to_owned();
    let mut dice = SeededRng::new(1);
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
    for kind in ["local", "global", "levels", "cells", "mixed"] {
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
    let mut dice = SeededRng::new(2);
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

/// Households whose people have two visits each.
fn households() -> String {
    let mut text = "house,person,age,sex,diagnosis\n".to_owned();
    let mut dice = SeededRng::new(5);
    for house in 0..60 {
        for person in 0..3 {
            let (age, sex) = (20 + dice.below(60), ["f", "m"][dice.below(2)]);
            for _ in 0..2 {
                let ill = ILL[dice.below(4)];
                writeln!(text, "H{house:02},P{house:02}{person},{age},{sex},{ill}").unwrap();
            }
        }
    }
    text
}

#[test]
fn people_divide_the_linked_rows_of_a_household() {
    let folder = Folder::new();
    folder.write("houses.csv", households().as_bytes());
    let ask = "anonymize houses.csv -k 3 --quasi age,sex --plain diagnosis --unit house --linked \
               --max-suppressed all -o out.csv";
    let refused = folder.run(&format!("{ask} --treat person=pseudonym"));
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let told = "rows are linked by `house`, and `person` divides them further";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
    assert!(!folder.path("out.csv").exists());
}

#[test]
fn a_unit_that_is_written_in_two_ways_is_seen_behind_a_pseudonym() {
    let folder = Folder::new();
    let mut text = "patient,age,sex,diagnosis\n".to_owned();
    let mut dice = SeededRng::new(6);
    for patient in 0..100 {
        let (age, sex) = (20 + dice.below(60), ["f", "m"][dice.below(2)]);
        for written in [format!("{patient}"), format!("{patient}.0")] {
            let ill = ILL[dice.below(4)];
            writeln!(text, "{written},{age},{sex},{ill}").unwrap();
        }
    }
    folder.write("written.csv", text.as_bytes());
    let ask =
        "anonymize written.csv -k 3 --quasi age,sex --plain diagnosis --unit patient -o out.csv";
    for treated in ["", " --linked --treat patient=pseudonym --max-suppressed all"] {
        let refused = folder.run(&format!("{ask}{treated}"));
        assert_eq!(refused.code, Some(2), "{refused:?}");
        let told = "100 values of `patient` are written in several ways";
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
}

#[test]
fn initials_of_few_people_link_their_rows() {
    let folder = Folder::new();
    let mut text = "name,sex,diagnosis\n".to_owned();
    for (at, name) in ["Ann Lee", "Bo Dyk", "Cy Roth", "Di Marx"].iter().enumerate() {
        for ill in &ILL[..3] {
            writeln!(text, "{name},{},{ill}", ["f", "m"][at % 2]).unwrap();
        }
    }
    folder.write("names.csv", text.as_bytes());
    let ask = "anonymize names.csv -k 2 --quasi sex --identifying name --plain diagnosis --treat name=initials -o out.csv";
    let refused = folder.run(ask);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("name"), "{}", refused.stderr);
    assert!(!folder.path("out.csv").exists());
}

/// A mask may leave nothing of a value but that there is one; that follows from the quasi-identifier as well.
#[test]
fn who_has_no_value_is_counted_behind_a_mask() {
    let folder = Folder::new();
    let mut text = "age,height,band\n".to_owned();
    let mut dice = SeededRng::new(7);
    for at in 0..300 {
        let (age, height) = (20 + dice.below(60), 160 + dice.below(4));
        match at % 50 {
            0 => writeln!(text, ",{height},").unwrap(),
            _ => writeln!(text, "{age},{height},{}s", age / 10 * 10).unwrap(),
        }
    }
    folder.write("bands.csv", text.as_bytes());
    let ask = "anonymize bands.csv -k 3 --quasi age,height --plain band --treat band=last:1 -m mu-argus \
               --max-suppressed all -o out.csv --keep-order";
    let ended = folder.run(ask).done();
    assert!(ended.stderr.contains("`band` follows from `age`"), "{}", ended.stderr);
    folder.run("verify out.csv -k 3 --quasi age,height,band").done();
}

/// Who has rows in two years counts in both of them and once in the class: each year has 1 of 2 people who cough, the class
/// 2 of 3.
#[test]
fn parts_of_a_class_may_pass_where_it_does_not() {
    let folder = Folder::new();
    let text =
        "patient,sex,year,ill\na,f,2024,cough\nb,f,2024,cold\na,f,2025,cold\nc,f,2025,cough\n";
    folder.write("years.csv", text.as_bytes());
    let ask = "anonymize years.csv -k 2 --quasi sex --unit patient --sensitive ill --plain year --narrowing year \
               -m mondrian -o out.csv";
    let refused = folder.run(&format!("{ask} --alpha 0.5"));
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(!refused.stderr.contains("fault"), "{}", refused.stderr);
    folder.run(&format!("{ask} --alpha 0.7")).done();
}

/// Most rows are of one household, so that any two agree on it; a sum that each person keeps links rows all the same.
#[test]
fn rows_are_linked_where_one_unit_has_most_of_them() {
    let folder = Folder::new();
    let mut text = "house,ward,total,ill\n".to_owned();
    for (house, total) in [("H1", 254), ("H2", 212), ("H1", 230), ("H1", 226), ("H1", 239)] {
        for at in 0..2 {
            writeln!(text, "{house},{},{total},{}", ["A", "B"][at], ILL[at]).unwrap();
        }
    }
    folder.write("houses.csv", text.as_bytes());
    let ask = "anonymize houses.csv -k 2 --quasi ward --plain total,ill --unit house -o out.csv";
    let refused = folder.run(ask);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("`total`"), "{}", refused.stderr);
}
