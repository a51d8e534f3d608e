//! Risks beyond k, from the command line to the verifier.

use std::collections::BTreeMap;
use std::fmt::Write;

use incrowd_testing::LinearRng;

use crate::common::Folder;

/// A population in which every fifth person is in the table.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut dice = LinearRng::new(3);
    let (mut all, mut some) = ("age,sex,zip\n".to_owned(), "age,sex,zip\n".to_owned());
    for person in 0..1_000 {
        let (age, zip) = (20 + dice.below(60), 53_700 + dice.below(12));
        let row = format!("{age},{},{zip}", ["f", "m"][dice.below(2) as usize]);
        writeln!(all, "{row}").unwrap();
        if person % 5 == 0 {
            writeln!(some, "{row}").unwrap();
        }
    }
    folder.write("all.csv", all.as_bytes());
    folder.write("some.csv", some.as_bytes());
    folder
}

/// How many rows look alike, by their fields in these places.
fn alike(text: &str, places: &[usize]) -> BTreeMap<Vec<String>, usize> {
    let mut classes = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let key = places.iter().map(|&at| fields[at].to_owned()).collect();
        *classes.entry(key).or_insert(0) += 1;
    }
    classes
}

const ASK: &str = "anonymize some.csv --quasi age,sex,zip --sort -o release.csv --json";
const CHECK: &str = "verify release.csv --quasi age,sex,zip --json";

#[test]
fn average_risk_and_share_at_risk_are_met_and_verified() {
    let folder = folder();
    for kind in ["local", "global", "levels", "cells", "mixed"] {
        let told =
            folder.run(&format!("{ASK} -k 2 --max-average-risk 0.1 --kind {kind}")).done().json();
        let classes = alike(&folder.read("release.csv"), &[0, 1, 2]);
        let rows: usize = classes.values().sum();
        assert!(classes.len() * 10 <= rows, "{kind}: {} of {rows}", classes.len());
        assert_eq!(told["requirements"][0]["requirement"], "average-risk");
        assert_eq!(told["verdict"]["risks"][0]["holds"], true);
        assert_eq!(folder.run(&format!("{CHECK} -k 2 --max-average-risk 0.1")).code, Some(0));
        let far = folder.run(&format!("{CHECK} -k 2 --max-average-risk 0.001"));
        assert_eq!(far.code, Some(1), "{far:?}");
        assert_eq!(far.json()["violations"][0]["kind"], "risk");
    }
    folder.run(&format!("{ASK} -k 2 --max-at-risk 5%@0.2")).done();
    let classes = alike(&folder.read("release.csv"), &[0, 1, 2]);
    let rows: usize = classes.values().sum();
    let risky: usize = classes.values().filter(|&&size| size < 5).sum();
    assert!(risky * 20 <= rows, "{risky} of {rows}");
    folder.run(&format!("{CHECK} -k 2 --max-at-risk 5%@0.2")).done();
    // The highest risk is k in other words.
    folder.run(&format!("{ASK} --max-risk 0.2")).done();
    assert!(alike(&folder.read("release.csv"), &[0, 1, 2]).values().all(|&size| size >= 5));
    assert_eq!(folder.run(&format!("{CHECK} --max-risk 0.01")).code, Some(1));
}

#[test]
fn a_k_map_counts_people_of_the_population_and_costs_less() {
    let folder = folder();
    let strict = folder.run(&format!("{ASK} -k 5")).done().json();
    for method in ["auto", "optimal", "mondrian", "climb"] {
        let told = folder
            .run(&format!("{ASK} -k 5 --k-map all.csv -m {method} --time-limit 20s"))
            .done()
            .json();
        assert_eq!(told["requirements"][0]["requirement"], "k-map", "{method}");
        assert!(told["requirements"][0]["achieved"].as_f64().unwrap() >= 5.0, "{method}");
        folder.run(&format!("{CHECK} -k 5 --k-map all.csv")).done();
        let far = folder.run(&format!("{CHECK} -k 400 --k-map all.csv"));
        assert_eq!(far.code, Some(1), "{method}: {far:?}");
        if method == "auto" {
            let loss = |told: &serde_json::Value| told["released_gcp"].as_f64().unwrap();
            assert!(loss(&told) < loss(&strict), "{} {}", loss(&told), loss(&strict));
        }
    }
    // Estimated, it takes fewer rows than people.
    let told = folder.run(&format!("{ASK} -k 5 --sampling-fraction 20%")).done().json();
    assert!((2..5).contains(&told["k"].as_u64().unwrap()), "{}", told["k"]);
    // Without a population nothing can be counted.
    folder.write("spec.toml", b"[data]\ninput = \"some.csv\"\n[columns.age]\nrole = \"quasi\"\n[privacy]\nk = 5\nk-map = true\n");
    let lacking = folder.run("run spec.toml");
    assert_eq!(lacking.code, Some(2));
    assert!(lacking.stderr.contains("no population is named"), "{}", lacking.stderr);
    // Nobody of these has values of the table.
    assert_eq!(folder.run(&format!("{ASK} -k 5 --k-map people.csv")).code, Some(2));
    folder.write("other.csv", b"x\n1\n");
    assert_eq!(folder.run(&format!("{ASK} -k 5 --k-map other.csv")).code, Some(2));
}

#[test]
fn presence_and_uniqueness_are_met() {
    let folder = folder();
    folder.run(&format!("{ASK} -k 1 --population all.csv --delta-presence 0,0.5")).done();
    folder.run(&format!("{CHECK} -k 1 --population all.csv --delta-presence 0,0.5")).done();
    folder.run(&format!("{ASK} -k 1 --population all.csv --max-population-unique 1%")).done();
    folder.run(&format!("{CHECK} -k 1 --population all.csv --max-population-unique 1%")).done();
    let raw = "verify some.csv --quasi age,sex,zip -k 1 --population all.csv";
    assert_eq!(folder.run(&format!("{raw} --delta-presence 0,0.5")).code, Some(1));
    assert_eq!(folder.run(&format!("{raw} --max-population-unique 1%")).code, Some(1));
}

#[test]
fn who_is_unique_in_an_unknown_population_is_estimated() {
    let folder = folder();
    for kind in ["local", "global", "levels", "cells", "mixed"] {
        let asked = "-k 1 --sampling-fraction 20% --max-population-unique 2%";
        let told = folder.run(&format!("{ASK} {asked} --kind {kind}")).done().json();
        let reached = &told["requirements"][0];
        assert_eq!(reached["requirement"], "population-unique", "{kind}");
        let sizes = alike(&folder.read("release.csv"), &[0, 1, 2]);
        let of_size = |size: usize| sizes.values().filter(|&&it| it == size).count() as f64;
        let rows: usize = sizes.values().sum();
        let (right, wrong) = (of_size(1) * 0.2, 2.0 * of_size(2) * 0.8);
        let share = of_size(1) * right / (right + wrong).max(1e-9) / rows as f64;
        assert!((share - reached["achieved"].as_f64().unwrap()).abs() < 1e-9, "{kind} {reached}");
        assert!(share <= 0.02 + 1e-9, "{kind}: {share}");
        folder.run(&format!("{CHECK} {asked}")).done();
    }
    let raw = "verify some.csv --quasi age,sex,zip -k 1 --json";
    let raw = folder.run(&format!("{raw} --sampling-fraction 20% --max-population-unique 2%"));
    assert_eq!(raw.code, Some(1), "{raw:?}");
    assert_eq!(raw.json()["risks"][0]["requirement"], "population-unique");
}

#[test]
fn rows_of_a_population_may_stand_for_several_people() {
    let folder = folder();
    // The population as counts: the same k-map as from its rows.
    let counted = alike(&folder.read("all.csv"), &[0, 1, 2]);
    let mut text = "people,zip,sex,age\n".to_owned();
    for (place, people) in &counted {
        writeln!(text, "{people},{},{},{}", place[2], place[1], place[0]).unwrap();
    }
    folder.write("census.csv", text.as_bytes());
    let of_rows = folder.run(&format!("{ASK} -k 5 --k-map all.csv -m climb")).done().json();
    let release = folder.read("release.csv");
    let map = "-k 5 --k-map census.csv --population-weight people";
    let of_counts = folder.run(&format!("{ASK} {map} -m climb")).done().json();
    assert_eq!(folder.read("release.csv"), release);
    assert_eq!(of_counts["requirements"], of_rows["requirements"]);
    folder.run(&format!("{CHECK} {map}")).done();
    // Without the weights it has fewer people.
    assert_eq!(folder.run(&format!("{CHECK} -k 5 --k-map census.csv")).code, Some(1));
    // A survey is its own population: weights of 2.5 make two rows five people.
    let weighted = |(at, line): (usize, &str)| format!("{line},{}\n", ["weight", "2.5"][at.min(1)]);
    let survey: String = folder.read("some.csv").lines().enumerate().map(weighted).collect();
    folder.write("survey.csv", survey.as_bytes());
    let ask = ASK.replace("some.csv", "survey.csv");
    let map = "-k 5 --k-map survey.csv --population-weight weight";
    folder.run(&format!("{ask} {map} --other drop --kind global")).done();
    assert!(alike(&folder.read("release.csv"), &[0, 1, 2]).values().all(|&rows| rows >= 2));
    folder.run(&format!("{CHECK} {map}")).done();
    for (text, told) in [
        ("age,sex,zip,n\n20,f,53700,many\n", "not a number of people"),
        ("age,sex,zip\n20,f,53700\n", "no column `n`"),
    ] {
        folder.write("bad.csv", text.as_bytes());
        let refused = folder.run(&format!("{ASK} -k 5 --k-map bad.csv --population-weight n"));
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
    let alone = folder.run(&format!("{ASK} -k 5 --population-weight people"));
    assert_eq!(alone.code, Some(2), "{alone:?}");
    assert!(alone.stderr.contains("no population is named"), "{}", alone.stderr);
}

#[test]
fn known_columns_are_protected_each() {
    let folder = folder();
    let strict = folder.run(&format!("{ASK} -k 4")).done().json();
    for method in ["auto", "mondrian"] {
        let told = folder.run(&format!("{ASK} -k 4 --known-columns 2 -m {method}")).done().json();
        let text = folder.read("release.csv");
        for places in [[0, 1], [0, 2], [1, 2]] {
            assert!(alike(&text, &places).values().all(|&rows| rows >= 4), "{method} {places:?}");
        }
        folder.run(&format!("{CHECK} -k 4 --known-columns 2")).done();
        let loss = |told: &serde_json::Value| told["released_gcp"].as_f64().unwrap();
        assert!(method != "auto" || loss(&told) <= loss(&strict) + 1e-9);
    }
    let raw = folder.run("verify some.csv --quasi age,sex,zip -k 4 --known-columns 2");
    assert_eq!(raw.code, Some(1));
    assert!(raw.stdout.contains("known columns"), "{}", raw.stdout);
}

/// Single cells are blanked for few known columns by themselves, under either reading of a blank.
#[test]
fn known_columns_are_protected_by_few_blanks() {
    let folder = folder();
    let ask = format!("{ASK} -k 4 --known-columns 2 --metric blanks");
    let blanks = |told: serde_json::Value| told["blanks"]["cells"].as_u64().unwrap();
    let strict =
        blanks(folder.run(&format!("{ASK} -k 4 --kind cells --metric blanks")).done().json());
    for kind in ["--kind cells", "-m cells"] {
        let plain = blanks(folder.run(&format!("{ask} {kind}")).done().json());
        folder.run(&format!("{CHECK} -k 4 --known-columns 2")).done();
        let told = folder.run(&format!("{ask} {kind} --wildcards")).done();
        folder.run(&format!("{CHECK} -k 4 --known-columns 2 --wildcards")).done();
        let wild = blanks(told.json());
        assert!(wild < plain && plain <= strict, "{wild} {plain} {strict}");
    }
    let text = folder.run(&format!("{ask} --kind cells --wildcards").replace(" --json", "")).done();
    let words: Vec<&str> = text.stdout.split_whitespace().collect();
    let words = words.join(" ");
    assert!(words.contains("if a blank is taken to match anything"), "{words}");
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_sentence() {
    let folder = folder();
    for more in [
        "-k 2 --max-average-risk 0",
        "-k 2 --max-average-risk 2",
        "-k 2 --max-at-risk 5%",
        "-k 2 --max-average-risk 0.0001",
        "-k 2 --known-columns 0",
        "-k 2 --delta-presence 0.5,0.1",
        "-k 2 --delta-presence 0,0.5",
        "-k 2 --kind cells --wildcards --max-average-risk 0.1",
        "--max-risk 7",
        "",
    ] {
        let refused = folder.run(&format!("{ASK} {more}"));
        assert_eq!(refused.code, Some(2), "{more}: {refused:?}");
    }
    let several = folder.run("frontier some.csv --quasi age,sex,zip -k 2,3 --max-average-risk 0.1");
    assert_eq!(several.code, Some(2), "{several:?}");
    assert!(several.stderr.contains("several k"), "{}", several.stderr);
}

#[test]
fn survey_weights_are_recoded_and_keep_their_total() {
    let folder = Folder::new();
    let mut dice = LinearRng::new(9);
    let mut text = "age,sex,weight\n".to_owned();
    for _ in 0..300 {
        let weight = ["10.5", "20", "33.25", "412.7"][dice.below(4) as usize];
        writeln!(text, "{},{},{weight}", 20 + dice.below(60), ["f", "m"][dice.below(2) as usize])
            .unwrap();
    }
    folder.write("survey.csv", text.as_bytes());
    let total = |text: &str| -> f64 {
        text.lines().skip(1).filter_map(|line| line.rsplit(',').next()?.parse::<f64>().ok()).sum()
    };
    let ask = "anonymize survey.csv -k 5 --quasi age,sex --survey-weight weight -o release.csv --seed 1 --json";
    let told = folder.run(&format!("{ask} --kind levels --max-suppressed 30%")).done().json();
    assert!(told["suppressed"].as_u64().unwrap() > 0, "{}", told["suppressed"]);
    let release = folder.read("release.csv");
    assert!((total(&release) / total(&text) - 1.0).abs() < 1e-3, "{}", total(&release));
    assert!(alike(&release, &[0, 1, 2]).values().all(|&size| size >= 5));
    // Whoever says so gets them as they are, with a warning.
    let plain = folder.run(&format!("{ask} --plain weight")).done();
    assert!(plain.stdout.contains("the stratum of a row"), "{}", plain.stdout);
}
