//! Columns that are no quasi-identifiers, rows that belong together, columns that follow: through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::{BTreeMap, BTreeSet};

use crate::common;

use common::Folder;

/// Sixty patients of whom every third came twice.
fn visits() -> Folder {
    let folder = Folder::new();
    let mut text = "patient,name,card,age,sex,zip,town,seen,left,ill\n".to_owned();
    for at in 0..60 {
        let (age, sex, zip) = (20 + at % 4, ["f", "m"][at % 2], 98_100 + at % 3);
        let town = ["Alder", "Birch", "Cedar"][at % 3];
        for visit in 0..1 + usize::from(at % 3 == 0) {
            let day = 1 + at % 20 + visit;
            text.push_str(&format!(
                "p{at},Ann Lee{at},4111-{at:04},{age},{sex},{zip},{town},2021-03-{day:02},2021-04-{day:02},{}\n",
                ["flu", "cold"][(at / 3 + visit) % 2]
            ));
        }
    }
    folder.write("visits.csv", text.as_bytes());
    folder
}

fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

const RUN: &str = "anonymize visits.csv -k 4 --quasi age,sex,zip --unit patient --method mondrian --sort \
    --treat patient=pseudonym --linked --treat name=initials --treat card=last:4 --treat seen=shift:30 \
    --treat left=shift:30 --follows town=zip --sensitive ill --key-file p.key --quiet";

const VERIFY: &str = "verify out.csv -k 4 --quasi age,sex,zip --original visits.csv --unit patient --linked \
    --treat patient=pseudonym --treat name=initials --treat card=last:4 --treat seen=shift:30 --treat left=shift:30 \
    --follows town=zip";

#[test]
fn every_treatment_is_made_verified_and_made_again() {
    let folder = visits();
    let json = folder.run(&format!("{RUN} -o out.csv --json")).done().json();
    let released = rows(&folder.read("out.csv"));
    assert!(!released.is_empty());
    let original = folder.read("visits.csv");
    let patients: BTreeSet<String> =
        rows(&original).into_iter().map(|row| row["patient"].clone()).collect();
    for row in &released {
        assert!(!patients.contains(&row["patient"]) && row["patient"].len() == 16, "{row:?}");
        assert_eq!((&*row["name"], row["card"].len()), ("A.L.", 9));
        assert!(row["card"].starts_with("*****"), "{row:?}");
        assert_ne!(row["seen"], "");
    }
    assert_eq!(json["treated"][0]["column"], "patient");
    let codes: Vec<&str> = json["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"shifted-dates") && codes.contains(&"masked"), "{codes:?}");
    assert!(!codes.contains(&"no-key"));
    let told = folder.run(VERIFY).done().stdout;
    assert!(told.contains("rows are linked by `patient`"), "{told}");
    // The same key makes the same release, byte by byte; another does not.
    folder.run(&format!("{RUN} -o again.csv")).done();
    assert_eq!(folder.read("out.csv"), folder.read("again.csv"));
    folder.run(&format!("{} -o other.csv", RUN.replace("p.key", "q.key"))).done();
    assert_ne!(folder.read("out.csv"), folder.read("other.csv"));
    let key = folder.read("p.key");
    assert!(!folder.read("out.csv").contains(key.trim()));
}

#[test]
fn broken_releases_are_refused() {
    let folder = visits();
    folder.run(&format!("{RUN} -o out.csv")).done();
    let good = folder.read("out.csv");
    // A pseudonym that is a name.
    let first = rows(&good)[0]["patient"].clone();
    folder.write("out.csv", good.replace(&first, "p7").as_bytes());
    let refused = folder.run(VERIFY);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stdout.contains("hold a value of the original"), "{}", refused.stdout);
    // Two rows of one unit become one more of another: nobody has such a collection.
    let second = rows(&good).iter().find(|row| row["patient"] != first).unwrap()["patient"].clone();
    folder.write("out.csv", good.replace(&first, &second).as_bytes());
    let refused = folder.run(VERIFY);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stdout.contains("linked rows"), "{}", refused.stdout);
    // A town that is not of its zip.
    let line = good.lines().nth(1).unwrap();
    let (rest, town) = line.rsplit_once(',').unwrap();
    let wrong = if town == "Alder" { "Birch" } else { "Alder" };
    folder.write("out.csv", good.replacen(line, &format!("{rest},{wrong}"), 1).as_bytes());
    assert_eq!(folder.run(VERIFY).code, Some(1));
}

#[test]
fn what_follows_another_column_has_its_groups() {
    let folder = visits();
    folder
        .run("anonymize visits.csv -k 15 --quasi zip,age --unit row --other drop --follows town=zip -m mondrian -o out.csv --quiet")
        .done();
    let mut towns: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows(&folder.read("out.csv")) {
        towns.entry(row["zip"].clone()).or_default().insert(row["town"].clone());
    }
    for (zip, towns) in &towns {
        assert_eq!(towns.len(), 1, "{zip}: {towns:?}");
        let town = towns.first().unwrap();
        let expected = match &zip[..] {
            "98100" => "Alder",
            "98101" => "Birch",
            "98102" => "Cedar",
            "[98100-98101]" => "{Alder, Birch}",
            "[98101-98102]" => "{Birch, Cedar}",
            _ => "*",
        };
        assert_eq!(town, expected, "{zip}");
    }
    folder
        .run("verify out.csv -k 15 --quasi zip,age --follows town=zip --original visits.csv")
        .done();
}

#[test]
fn columns_that_narrow_leave_rows_out() {
    let folder = visits();
    let line = "anonymize visits.csv -k 4 --quasi age,sex --unit row --other drop --plain ill -m mondrian --json";
    let plain = folder.run(&format!("{line} -o plain.csv")).done().json();
    let narrowed = folder.run(&format!("{line} --narrowing ill -o out.csv")).done().json();
    assert!(narrowed["released"].as_u64().unwrap() <= plain["released"].as_u64().unwrap());
    let mut classes: BTreeMap<(String, String, String), u32> = BTreeMap::new();
    for row in rows(&folder.read("out.csv")) {
        *classes
            .entry((row["age"].clone(), row["sex"].clone(), row["ill"].clone()))
            .or_default() += 1;
    }
    assert!(classes.values().all(|&rows| rows >= 4), "{classes:?}");
    folder.run("verify out.csv -k 4 --quasi age,sex --narrowing ill").done();
    folder.run("verify out.csv -k 4 --quasi age --narrowing sex,ill").done();
    let whole = folder.run("verify plain.csv -k 4 --quasi age,sex --narrowing ill");
    if narrowed["released"] != plain["released"] {
        assert_eq!(whole.code, Some(1), "{}", whole.stdout);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = visits();
    for (options, words) in [
        ("--treat age=pseudonym", "plain or identifying"),
        ("--treat patient=pseudonym --unit patient", "links its rows"),
        ("--linked", "linked needs a unit"),
        ("--treat seen=shift:30", "shifted by unit"),
        ("--treat name=shift:30 --unit patient", "values that are not dates"),
        ("--treat name=rot13", "not a way to mask"),
        ("--follows town=name", "cannot follow"),
        ("--narrowing age", "narrowing is for columns"),
        ("--treat card=last:4 --round card=10", "both masked and transformed"),
    ] {
        let refused = folder.run(&format!(
            "anonymize visits.csv -k 4 --quasi age,sex --other drop {options} -o out.csv"
        ));
        assert_eq!(refused.code, Some(2), "{options}");
        assert!(refused.stderr.contains(words), "{options}: {}", refused.stderr);
    }
}
