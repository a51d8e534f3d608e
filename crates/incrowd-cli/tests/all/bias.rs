//! How suppression moves shares of categories: told, limited, verified, and counted here row by row.

use std::collections::BTreeMap;
use std::fmt::Write;

use incrowd_testing::LinearRng;
use serde_json::Value;

use crate::common::Folder;

/// People of whom the few of one group have rare combinations, so that suppression hits them.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut dice = LinearRng::new(5);
    let mut text = "age,sex,region,income,weight\n".to_owned();
    for _ in 0..600 {
        let rare = dice.below(6) == 0;
        let age = if rare { 20 + dice.below(60) } else { 30 + 10 * dice.below(3) };
        let sex = if rare && dice.below(4) > 0 { "f" } else { ["f", "m"][dice.below(2) as usize] };
        let region = if rare { "hills" } else { ["coast", "plain"][dice.below(2) as usize] };
        let income = if sex == "f" { "low" } else { ["low", "high"][dice.below(2) as usize] };
        let weight = if rare { "3.5" } else { "20" };
        writeln!(text, "{age},{sex},{region},{income},{weight}").unwrap();
    }
    folder.write("people.csv", text.as_bytes());
    folder
}

/// The share of each value of a column, by hand.
fn shares(text: &str, at: usize) -> BTreeMap<String, f64> {
    let values: Vec<&str> =
        text.lines().skip(1).filter_map(|line| line.split(',').nth(at)).collect();
    let mut counts = BTreeMap::new();
    for value in &values {
        *counts.entry((*value).to_owned()).or_insert(0.0) += 1.0 / values.len() as f64;
    }
    counts
}

/// The farthest that a share moves between two tables.
fn farthest(before: &str, after: &str, at: usize) -> f64 {
    let (was, is) = (shares(before, at), shares(after, at));
    was.iter()
        .map(|(value, share)| (is.get(value).unwrap_or(&0.0) - share).abs())
        .fold(0.0, f64::max)
}

fn largest(told: &Value, column: &str) -> f64 {
    let columns = told["bias"].as_array().into_iter().flatten();
    let mut of =
        columns.filter(|it| it["column"] == column).filter_map(|it| it["largest"].as_f64());
    of.next_back().unwrap_or(0.0)
}

/// Ages and regions are generalized; sex and income stay as they are, so their shares can be counted.
const ASK: &str = "anonymize people.csv -k 8 --quasi age,sex,region --sensitive income --other drop \
                   --hierarchy age=intervals:20 \
                   --kind levels --max-level sex=0 --max-suppressed 30% --seed 1 -o release.csv";

#[test]
fn the_bias_that_is_told_is_the_one_of_the_files() {
    let folder = folder();
    let told = folder.run(&format!("{ASK} --json")).done().json();
    assert!(told["suppressed"].as_u64().unwrap() > 0, "{told}");
    let (table, release) = (folder.read("people.csv"), folder.read("release.csv"));
    for (column, at) in [("sex", 1), ("income", 3)] {
        let counted = farthest(&table, &release, at);
        assert!((largest(&told, column) - counted).abs() < 1e-9, "{column}: {counted} {told}");
        assert!(counted > 0.005, "{column}: {counted}");
    }
    let text = folder.run(ASK).done().stdout;
    assert!(text.contains("\nBias      ") && text.contains(" of the release, "), "{text}");
    let all = folder.run(&format!("{ASK} --verbose")).done().stdout;
    assert!(all.contains("\nbias        ") && all.contains("dissimilarity"), "{all}");
    // The same from the two files.
    let evaluated = folder
        .run("evaluate metrics release.csv --original people.csv --quasi age,sex,region --sensitive income --hierarchy age=intervals:20 --json")
        .done()
        .json();
    for column in ["sex", "income"] {
        assert!((largest(&evaluated, column) - largest(&told, column)).abs() < 1e-9, "{evaluated}");
    }
}

#[test]
fn a_limit_on_bias_is_met_and_verified() {
    let folder = folder();
    let free = folder.run(&format!("{ASK} --json")).done().json();
    let moved = ["age", "sex", "region", "income"].map(|it| largest(&free, it));
    let moved = moved.into_iter().fold(0.0, f64::max);
    assert!(moved > 0.01, "{moved}");
    let table = folder.read("people.csv");
    let verify = "verify release.csv --original people.csv -k 8 --quasi age,sex,region --sensitive income \
                  --hierarchy age=intervals:20 --json";
    let failed = folder.run(&format!("{verify} --max-bias 0.5%"));
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert_eq!(failed.json()["violations"][0]["kind"], "bias");
    for limit in [0.01, 0.002, 0.0] {
        let told = folder.run(&format!("{ASK} --max-bias {limit} --json")).done().json();
        let release = folder.read("release.csv");
        for at in [1, 3] {
            assert!(farthest(&table, &release, at) <= limit + 1e-9, "{limit}: {told}");
        }
        let reached = &told["requirements"][0];
        assert_eq!(reached["requirement"], "max-bias");
        assert!(reached["achieved"].as_f64().unwrap() <= limit + 1e-9, "{told}");
        let checks = told["checks"].as_array().unwrap();
        assert!(checks.iter().any(|it| it["id"] == "bias" && it["status"] == "passed"), "{told}");
        assert!(told["cost"].as_f64() >= free["cost"].as_f64(), "{told}");
        folder.run(&format!("{verify} --max-bias {limit}")).done();
    }
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let folder = folder();
    folder.run(ASK).done();
    let alone = folder.run("verify release.csv -k 8 --quasi age,sex,region --max-bias 2%");
    assert_eq!(alone.code, Some(2), "{alone:?}");
    assert!(alone.stderr.contains("bias is measured against the original"), "{}", alone.stderr);
    let several = folder.run("frontier people.csv --quasi age,sex,region -k 2,3 --max-bias 2%");
    assert!(several.stderr.contains("several k"), "{}", several.stderr);
    // Few suppressed rows allow no release here, and all that are rare are of one ward: the search ends and says so.
    let mut text = "age,ward\n".to_owned();
    for row in 0..400 {
        let rare = row % 8 == 0;
        let age = if rare { 1_000 + 37 * row } else { row % 60 };
        writeln!(text, "{age},{}", if rare { "west" } else { "east" }).unwrap();
    }
    folder.write("wards.csv", text.as_bytes());
    let ask = "anonymize wards.csv -k 5 --quasi age --plain ward --accept ward --kind levels --max-suppressed all \
               --hierarchy age=intervals:1000 --max-level age=0 --seed 1 -o wards-out.csv";
    folder.run(ask).done();
    let refused = folder.run(&format!("{ask} --max-bias 1%"));
    assert_ne!(refused.code, Some(0), "{refused:?}");
}

#[test]
fn weighted_totals_of_categories_are_kept() {
    let folder = folder();
    let ask = format!("{ASK} --survey-weight weight --json");
    let total = |text: &str, value: &str| -> f64 {
        let rows = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        let of = rows.filter(|row| row[1] == value);
        of.filter_map(|row| row[row.len() - 1].parse::<f64>().ok()).sum()
    };
    let table = folder.read("people.csv");
    let told = folder.run(&ask).done().json();
    assert!(told["suppressed"].as_u64().unwrap() > 0, "{}", told["suppressed"]);
    folder.run(&format!("{ask} --calibrate sex")).done();
    let release = folder.read("release.csv");
    let rows = |text: &str, value: &str| {
        text.lines().filter(|line| line.split(',').nth(1) == Some(value)).count()
    };
    let off = |of: f64, is: f64| (is / of - 1.0).abs();
    // A sex of which fewer than k rows are suppressed is scaled with the other.
    let lost = ["f", "m"].map(|sex| rows(&table, sex) - rows(&release, sex));
    if lost.iter().all(|&lost| lost == 0 || lost >= 8) {
        for sex in ["f", "m"] {
            assert!(off(total(&table, sex), total(&release, sex)) < 1e-4, "{sex}: {lost:?}");
        }
    }
    let all = |text: &str| total(text, "f") + total(text, "m");
    assert!(off(all(&table), all(&release)) < 1e-4, "{lost:?}");
    let none = folder.run(&format!("{ASK} --calibrate sex"));
    assert!(none.stderr.contains("there are no survey weights"), "{}", none.stderr);
    let other = folder.run(&format!("{ask} --calibrate income"));
    assert!(other.stderr.contains("it is no quasi-identifier"), "{}", other.stderr);
}
