//! Query accuracy and the benchmark of local recoding, as users run them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::Folder;

const QUASI: &str = "age,sex,race,marital-status,education,native-country,workclass,occupation";

/// A folder with made-up people and a release of them.
fn released(options: &str) -> Folder {
    let folder = Folder::new();
    folder.run("demo --rows 600 --write demo.csv --hierarchies h").done();
    folder
        .run(&format!(
            "anonymize demo.csv -k 4 --quasi {QUASI} --other drop -o out.csv -q {options}"
        ))
        .done();
    folder
}

fn evaluate(folder: &Folder, options: &str) -> serde_json::Value {
    let line = format!("evaluate queries out.csv --original demo.csv --quasi {QUASI} --json");
    folder.run(&format!("{line} {options}")).done().json()
}

#[test]
fn the_original_answers_without_error_and_k_costs_accuracy() {
    let folder = released("");
    std::fs::copy(folder.path("out.csv"), folder.path("k4.csv")).unwrap();
    std::fs::copy(folder.path("demo.csv"), folder.path("out.csv")).unwrap();
    let exact = evaluate(&folder, "--queries 200");
    assert_eq!(exact["errors"]["mean"], 0.0);
    assert_eq!((&exact["errors"]["queries"], &exact["rows"]), (&200.into(), &600.into()));
    std::fs::copy(folder.path("k4.csv"), folder.path("out.csv")).unwrap();
    let found = evaluate(&folder, "--queries 200");
    assert!(found["errors"]["mean"].as_f64().unwrap() > 0.0, "{found}");
    // The same seed asks the same, another seed something else.
    assert_eq!(found, evaluate(&folder, "--queries 200"));
    assert_ne!(found["errors"], evaluate(&folder, "--queries 200 --seed 2")["errors"]);
    let text = folder
        .run(&format!(
            "evaluate queries out.csv --original demo.csv --quasi {QUASI} --columns age,sex \
             --dimensions 1 --selectivity 0.2"
        ))
        .done()
        .stdout;
    assert!(text.contains("1,000 about 1 of age, sex (seed 1)"), "{text}");
    assert!(text.contains("error         median "), "{text}");
}

#[test]
fn every_kind_of_label_is_read() {
    let hierarchies: String = QUASI
        .split(',')
        .filter(|column| *column != "age")
        .map(|column| format!(" --hierarchy {column}=h/{column}.csv"))
        .collect();
    for summary in ["range", "mean", "median", "columns"] {
        for more in ["", "--summary occupation=node", "-m cluster-up", "-m cluster-down"] {
            let folder = released(&format!("{hierarchies} --summary age={summary} {more}"));
            let found = evaluate(&folder, &format!("--queries 50 {hierarchies}"));
            assert_eq!(found["errors"]["queries"], 50, "{summary} {more}");
            // The independent verifier reads the same labels.
            let unchecked =
                if ["mean", "median"].contains(&summary) { "--unchecked age" } else { "" };
            folder
                .run(&format!(
                    "verify out.csv -k 4 --quasi {QUASI} --original demo.csv {hierarchies} {unchecked}"
                ))
                .done();
        }
    }
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let folder = released("");
    for (options, message) in [
        ("--dimensions 9", "asked about 9 columns"),
        ("--dimensions 0", "asked about 0 columns"),
        ("--selectivity 0", "`0` is not a share"),
        ("--selectivity 120%", "`120%` is not a share"),
        ("--columns income", "not a quasi-identifier"),
        ("--queries 0", "the number of questions is 0"),
        ("--hierarchy income=h/age.csv", "no quasi-identifier"),
    ] {
        let line =
            format!("evaluate queries out.csv --original demo.csv --quasi {QUASI} {options}");
        let ended = folder.run(&line);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(message), "{options}: {}", ended.stderr);
    }
    // The people are others.
    let ended = folder.run("evaluate queries out.csv --original people.csv --quasi age,sex");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("cannot be read"), "{}", ended.stderr);
}

fn classify(folder: &Folder, options: &str) -> serde_json::Value {
    let line = format!("evaluate classification out.csv --quasi {QUASI} --class income --json");
    folder.run(&format!("{line} {options}")).done().json()
}

#[test]
fn a_tree_predicts_from_the_release() {
    let folder = released("");
    let head = folder.read("demo.csv").lines().next().unwrap().to_owned();
    assert!(head.contains("income"), "{head}");
    // The release lost the column: that is said.
    let ended =
        folder.run(&format!("evaluate classification out.csv --quasi {QUASI} --class income"));
    assert!(ended.stderr.contains("has no column `income`"), "{ended:?}");
    folder
        .run(&format!("anonymize demo.csv -k 4 --quasi {QUASI} --class income -o out.csv -q"))
        .done();
    let found = classify(&folder, "--original demo.csv");
    let share = |part: &str, name: &str| found[part][name].as_f64().unwrap();
    assert_eq!(found["original"]["rows"], 600);
    assert!(share("release", "error") <= share("release", "baseline") + 0.05, "{found}");
    assert!((share("original", "baseline") - share("release", "baseline")).abs() < 0.05);
    assert_eq!(found, classify(&folder, "--original demo.csv --threads 1"));
    assert_ne!(found["release"], classify(&folder, "--seed 5 --folds 4")["release"]);
    let text = folder
        .run(&format!(
            "evaluate classification out.csv --original demo.csv --quasi {QUASI} --class income"
        ))
        .done()
        .stdout;
    for word in ["predicted", "baseline", "original", "release"] {
        assert!(text.contains(word), "{text}");
    }
    let few = folder.run(&format!(
        "evaluate classification out.csv --quasi {QUASI} --class income --folds 999"
    ));
    assert!(few.stderr.contains("cannot be divided into 999 folds"), "{few:?}");
}

#[test]
fn a_tree_of_the_release_is_judged_on_untouched_rows() {
    let folder = Folder::new();
    folder.run("demo --rows 3000 --seed 1 --write train.csv").done();
    folder.run("demo --rows 800 --seed 2 --write test.csv").done();
    let quasi = "age,sex,education,occupation";
    folder
        .run(&format!("anonymize train.csv -k 20 -m mondrian --quasi {quasi} --class income --other drop -o release.csv"))
        .done();
    let line = format!(
        "evaluate classification release.csv --original train.csv --test test.csv --quasi {quasi} --class income"
    );
    let found = folder.run(&format!("{line} --json")).done().json();
    let test = &found["test"];
    assert_eq!(test["release"]["rows"], 800);
    let error = |which: &str| test[which]["error"].as_f64().unwrap();
    let baseline = test["baseline"].as_f64().unwrap();
    assert!(error("original") < baseline && error("release") < baseline + 0.02, "{test:#}");
    assert_eq!(test["release"]["unread"].as_array().unwrap().len(), 0, "{test:#}");
    let told = folder.run(&line).done().stdout;
    for name in ["untouched", "of original", "of release"] {
        assert!(told.lines().any(|line| line.starts_with(name)), "{told}");
    }
    let refused = folder.run(&format!("{line} --hierarchy age=nothing.csv"));
    assert_eq!(refused.code, Some(2));
}
