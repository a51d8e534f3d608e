//! Columns that somebody has decided on, columns that follow from others, and what must be counted together: through the real
//! binary, each with a harmless twin.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use incrowd_testing::SeededRng;

use crate::common::{Ended, Folder};

/// A table of made-up people with further columns.
fn people(
    rows: usize,
    header: &str,
    mut row: impl FnMut(&mut SeededRng, &Person) -> String,
) -> Folder {
    let folder = Folder::new();
    let mut dice = SeededRng::new(41);
    let mut text = format!("age,sex,zip,{header}\n");
    for number in 0..rows {
        let person = Person {
            number,
            age: 18 + dice.below(60),
            zip: 53_700 + dice.below(20),
            sex: ["f", "m"][dice.below(2)],
        };
        let more = row(&mut dice, &person);
        writeln!(text, "{},{},{},{more}", person.age, person.sex, person.zip).unwrap();
    }
    folder.write("table.csv", text.as_bytes());
    folder
}

struct Person {
    number: usize,
    age: usize,
    zip: usize,
    sex: &'static str,
}

const ASKED: &str =
    "anonymize table.csv -k 5 --quasi age,sex,zip --effort quick --seed 1 -q -o out.csv";

fn rows(folder: &Folder) -> Vec<BTreeMap<String, String>> {
    let text = folder.read("out.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// The smallest class by some columns.
fn smallest(folder: &Folder, columns: &[&str]) -> usize {
    let mut classes: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for row in rows(folder) {
        *classes.entry(columns.iter().map(|&it| row[it].clone()).collect()).or_default() += 1;
    }
    classes.into_values().min().unwrap()
}

fn columns(folder: &Folder) -> BTreeSet<String> {
    rows(folder)[0].keys().cloned().collect()
}

fn refused(folder: &Folder, command: &str, check: &str) -> Ended {
    let ended = folder.typed(&format!("{command} --json"));
    assert_eq!(ended.code, Some(2), "{command}: {ended:?}");
    assert_eq!(ended.json()["error"]["check"], check, "{command}: {}", ended.stdout);
    assert!(!folder.path("out.csv").exists(), "{command}");
    ended
}

#[test]
fn columns_that_nobody_names_are_left_out() {
    let folder =
        people(300, "person,score", |dice, it| format!("P{:05},{}", it.number, dice.below(30)));
    let ended = folder.typed(ASKED).done();
    assert!(ended.stderr.contains("because no role is given"), "{}", ended.stderr);
    assert!(ended.stderr.contains("person, score"), "{}", ended.stderr);
    assert_eq!(columns(&folder).into_iter().collect::<Vec<_>>(), ["age", "sex", "zip"]);
    std::fs::remove_file(folder.path("out.csv")).unwrap();
    let told = folder.typed(&format!("{ASKED} --json")).done().json();
    assert_eq!(told["left_out"], serde_json::json!(["person", "score"]));
    // Released on demand, and looked at then.
    std::fs::remove_file(folder.path("out.csv")).unwrap();
    refused(&folder, &format!("{ASKED} --other plain"), "unnamed-columns");
    refused(&folder, &format!("{ASKED} --other error"), "unnamed-columns");
    // A spec that was written before keeps its columns.
    let spec = "[data]\ninput = \"table.csv\"\n[columns]\nage = { role = \"quasi\" }\nsex = { role = \"quasi\" }\n\
                zip = { role = \"quasi\" }\nperson = { role = \"identifying\" }\n[privacy]\nk = 5\n";
    folder.write("old.toml", spec.as_bytes());
    let ended = folder.typed("run old.toml --no-report -q -o out.csv").done();
    assert!(ended.stderr.contains("because no role is given: score"), "{}", ended.stderr);
    assert!(columns(&folder).contains("score"));
}

#[test]
fn roles_are_guessed_and_what_is_doubtful_is_left_out() {
    let folder = people(800, "person,band,born,score,answer", |dice, it| {
        format!(
            "{},{}s,{},{},{}",
            310_000 + it.number * 13,
            it.age / 10 * 10,
            2020 - it.age,
            dice.below(40),
            ["a", "b", "c"][dice.below(3)]
        )
    });
    let told = folder.typed(&format!("{ASKED} --roles guess --json")).done().json();
    let released = columns(&folder);
    for kept in ["score", "answer"] {
        assert!(released.contains(kept), "{kept}: {}", told["guesses"]);
    }
    for gone in ["person", "band", "born"] {
        assert!(!released.contains(gone), "{gone}: {}", told["guesses"]);
    }
    // Without a quasi-identifier they are guessed, too.
    std::fs::remove_file(folder.path("out.csv")).unwrap();
    let told =
        folder.typed("anonymize table.csv -k 5 --roles guess -q --json -o out.csv").done().json();
    let quasi = told["quasi"].to_string();
    assert!(["age", "sex", "zip"].iter().all(|it| quasi.contains(it)), "{quasi}");
}

#[test]
fn what_names_people_is_released_in_no_role_unless_it_is_accepted() {
    let folder = people(300, "person,score", |dice, it| {
        format!("{},{}", 31_000 + it.number * 7, dice.below(30))
    });
    for role in ["plain", "sensitive", "class"] {
        refused(&folder, &format!("{ASKED} --{role} person"), "identifiers");
    }
    let told =
        folder.typed(&format!("{ASKED} --plain person --accept person --json")).done().json();
    assert_eq!(told["accepted"], serde_json::json!(["person"]));
    let check = told["checks"].as_array().unwrap().iter().find(|it| it["id"] == "identifiers");
    assert_eq!(check.unwrap()["status"], "waived");
    std::fs::remove_file(folder.path("out.csv")).unwrap();
    folder.typed(&format!("{ASKED} --plain score")).done();
}

#[test]
fn classes_are_narrowed_by_what_follows_from_quasi_identifiers() {
    let folder = people(2_000, "band,coin", |dice, it| {
        format!("{}s,{}", it.age / 10 * 10, if dice.below(2) == 0 { "yes" } else { "no" })
    });
    for role in ["plain", "sensitive"] {
        let told =
            folder.typed(&format!("{ASKED} --{role} band --plain coin --json")).done().json();
        assert_eq!(told["narrowing"], serde_json::json!(["band"]), "{role}");
        assert!(smallest(&folder, &["age", "sex", "zip", "band"]) >= 5, "{role}");
        std::fs::remove_file(folder.path("out.csv")).unwrap();
    }
    // Whoever names it as known gets the same, and two columns are counted together.
    folder.typed(&format!("{ASKED} --plain coin,band --narrowing coin")).done();
    assert!(smallest(&folder, &["age", "sex", "zip", "band", "coin"]) >= 5);
}

#[test]
fn what_two_quasi_identifiers_tell_narrows_classes_too() {
    let folder = Folder::new();
    let mut dice = SeededRng::new(5);
    let mut text = "x,y,sex,area,start,end,days\n".to_owned();
    for _ in 0..2_000 {
        let (x, y) = (dice.below(100_000), dice.below(100_000));
        let start = dice.below(300);
        let days = 1 + dice.below(20);
        let area = x / 34_000 * 3 + y / 34_000;
        writeln!(text, "{x},{y},{},A{area},{start},{},{days}", dice.below(2), start + days)
            .unwrap();
    }
    folder.write("table.csv", text.as_bytes());
    let asked = "anonymize table.csv -k 5 --effort quick --seed 1 -q -o out.csv";
    let told = folder.typed(&format!("{asked} --quasi x,y,sex --plain area --json")).done().json();
    assert_eq!(told["narrowing"], serde_json::json!(["area"]));
    assert!(smallest(&folder, &["x", "y", "sex", "area"]) >= 5);
    std::fs::remove_file(folder.path("out.csv")).unwrap();
    let told =
        folder.typed(&format!("{asked} --quasi start,end,sex --plain days --json")).done().json();
    assert_eq!(told["narrowing"], serde_json::json!(["days"]));
    assert!(smallest(&folder, &["start", "end", "sex", "days"]) >= 5);
}

#[test]
fn two_columns_do_not_tell_a_third() {
    let folder = people(1_200, "visit,born", |dice, it| {
        let visit = 1990 + dice.below(30);
        format!("{visit},{}", visit - it.age)
    });
    let ended = refused(&folder, &format!("{ASKED} --plain visit,born"), "columns-together");
    let error = &ended.json()["error"];
    assert!(error["message"].as_str().unwrap().contains("together with `visit` it reveals `age`"));
    folder.typed(&format!("{ASKED} --plain visit")).done();
}

#[test]
fn shares_are_of_the_rows_that_have_a_value() {
    // One in thirty has a second diagnosis, which is different for everybody.
    let folder = people(2_000, "second,third", |dice, it| {
        let second = if it.number % 30 == 0 { format!("D{:04}", it.number) } else { String::new() };
        format!("{second},{}", ["", "a", "b"][dice.below(3)])
    });
    refused(&folder, &format!("{ASKED} --plain third --other plain"), "unnamed-columns");
    folder.typed(&format!("{ASKED} --plain third --identifying second")).done();
}

#[test]
fn nobody_is_hidden_by_k_of_1() {
    let folder = people(100, "score", |dice, _| dice.below(9).to_string());
    let ended = folder.typed("anonymize table.csv -k 1 --quasi age,sex -q -o out.csv");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("k = 1 hides nobody"), "{ended:?}");
    let ended = folder.typed("verify table.csv -k 1 --quasi age,sex");
    assert_eq!(ended.code, Some(2), "{ended:?}");
}

#[test]
fn a_verdict_is_on_bytes_and_on_all_that_is_shown() {
    let folder = Folder::new();
    let verify = |text: &str, more: &str| {
        folder.write("r.csv", text.as_bytes());
        folder.typed(&format!("verify r.csv -k 4 --quasi age,sex --json {more}")).json()["k"]
            .clone()
    };
    let rows = |one: &str, two: &str| {
        let mut text = "age,sex\n".to_owned();
        (0..3).for_each(|_| writeln!(text, "{one},f\n{two},f").unwrap());
        text
    };
    assert_eq!(verify(&rows("30-39", "30-39"), ""), 6);
    assert_eq!(verify(&rows("30-39", "30-39 "), ""), 3);
    assert_eq!(verify(&rows("30-39", "30-39\u{200b}"), ""), 3);
    let mut ends = "age,sex,age_min,age_max\n".to_owned();
    (0..6).for_each(|at| writeln!(ends, "30-39,f,{},39", 30 + at).unwrap());
    assert_eq!(verify(&ends, ""), 1);
    let mut known = "age,sex,ward\n".to_owned();
    (0..6).for_each(|at| writeln!(known, "30-39,f,{}", at % 2).unwrap());
    assert_eq!(verify(&known, ""), 6);
    assert_eq!(verify(&known, "--known ward"), 3);
    // Two people with three rows each, and one with six.
    let mut linked = "age,sex,who\n".to_owned();
    for who in ["a", "a", "a", "b", "b", "b", "c", "c", "c", "c", "c", "c"] {
        writeln!(linked, "30-39,f,{who}").unwrap();
    }
    assert_eq!(verify(&linked, "--links who"), 1);
}

#[test]
fn verify_finds_what_follows_in_the_original() {
    let folder = people(1_000, "band", |_, it| format!("{}s", it.age / 10 * 10));
    // A release of another program, which does not look at bands.
    let text = folder.read("table.csv");
    let mut release = String::new();
    for (at, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        match at {
            0 => writeln!(release, "{line}").unwrap(),
            _ => {
                let age: usize = fields[0].parse().unwrap();
                let from = (age - 18) / 15 * 15 + 18;
                writeln!(release, "[{from}-{}],*,*,{}", from + 14, fields[3]).unwrap();
            }
        }
    }
    folder.write("r.csv", release.as_bytes());
    let asked = "verify r.csv -k 30 --quasi age,sex,zip --json";
    let alone = folder.typed(asked);
    assert_eq!(alone.code, Some(0), "{}", alone.stdout);
    let against = folder.typed(&format!("{asked} --original table.csv")).json();
    assert!(against["notes"].to_string().contains("`band` follows from age"), "{against}");
    assert!(against["k"].as_u64() < alone.json()["k"].as_u64(), "{against}");
}

#[test]
fn values_of_few_people_are_not_shown() {
    let folder = people(200, "name,town", |_, it| {
        format!("Nobody Else {},{}", it.number, if it.number == 7 { "Lonely" } else { "Oslo" })
    });
    for command in ["inspect table.csv", "inspect table.csv --json", "init table.csv"] {
        let shown = folder.typed(command).done();
        let text = format!("{}{}", shown.stdout, shown.stderr);
        assert!(!text.contains("Nobody Else") && !text.contains("Lonely"), "{command}: {text}");
    }
}
