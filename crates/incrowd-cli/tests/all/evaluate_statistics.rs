//! `evaluate statistics`, as users run it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::Folder;

const QUASI: &str = "age,sex,race,marital-status";

fn released(kind: &str) -> Folder {
    let folder = Folder::new();
    folder.run("demo --rows 400 --write demo.csv").done();
    let line = format!(
        "anonymize demo.csv -k 5 --quasi {QUASI} --class income --other drop -o out.csv -q"
    );
    folder.run(&format!("{line} --internal-report own.html --report page.html {kind}")).done();
    folder
}

#[test]
fn statistics_are_told_in_text_json_and_on_a_page() {
    let folder = released("-m mondrian");
    let line =
        format!("evaluate statistics out.csv --original demo.csv --class income --quasi {QUASI}");
    let text = folder.run(&format!("{line} --report stats.html")).done().stdout;
    for wanted in [
        "means         age: ",
        "IL1s          ",
        "regressions   age (linear): intervals of ",
        "pMSE          ",
        "associations  Cramér's V: ",
        "k-marginals   ",
        "loses most: ",
    ] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
    let page = std::fs::read_to_string(folder.path("stats.html")).unwrap();
    assert!(page.contains("What analysts find") && page.contains("Loss by subgroup"));
    let found = folder.run(&format!("{line} --json")).done().json();
    let told = &found["statistics"];
    assert_eq!(told["columns"].as_array().unwrap().len(), 5);
    assert!(told["marginals"][0]["score"].as_f64().unwrap() < 1_000.0);
    assert_eq!(found["queries"], serde_json::Value::Null);
    let chosen =
        folder.run(&format!("{line} --json --outcomes income --subgroups sex")).done().json();
    let told = &chosen["statistics"];
    assert_eq!(told["regressions"].as_array().unwrap().len(), 1);
    assert_eq!(told["regressions"][0]["outcome"], "income");
    assert_eq!(told["subgroups"][0]["column"], "sex");
}

/// A release that is its original loses nothing.
#[test]
fn the_original_itself_loses_nothing() {
    let folder = released("");
    let line = format!(
        "evaluate statistics demo.csv --original demo.csv --class income --quasi {QUASI} --same-order --json"
    );
    let told = folder.run(&line).done().json()["statistics"].clone();
    assert_eq!(told["il1s"], 0.0);
    assert!(told["propensity"]["pmse"].as_f64().unwrap() < 1e-12);
    for score in told["marginals"].as_array().unwrap() {
        assert!(score["score"].as_f64().unwrap() > 1_000.0 - 1e-9, "{score}");
    }
    for of in told["regressions"].as_array().unwrap() {
        assert!(of["overlap"].as_f64().unwrap() > 1.0 - 1e-9, "{of}");
    }
    for pair in told["associations"].as_array().unwrap() {
        assert!(pair["difference"].as_f64().unwrap() < 1e-9, "{pair}");
    }
}

/// The loss by subgroup depends on suppressed people: it is for the owner, and not on the page to be shared.
#[test]
fn runs_tell_the_loss_by_subgroup_to_the_owner() {
    let folder = released("--kind global --metric dm --max-suppressed 20%");
    let own = std::fs::read_to_string(folder.path("own.html")).unwrap();
    let shared = std::fs::read_to_string(folder.path("page.html")).unwrap();
    assert!(own.split("Loss by subgroup").nth(1).unwrap().contains("sex = "));
    assert!(!shared.contains("Loss by subgroup"), "{shared}");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let folder = released("-m mondrian");
    for (options, wanted) in [
        ("--outcomes race", "is no outcome of a regression"),
        ("--outcomes nobody", "is not a column that is compared"),
        ("--subgroups nobody", "is not a column that is compared"),
    ] {
        let line =
            format!("evaluate statistics out.csv --original demo.csv --quasi {QUASI} {options}");
        let ended = folder.run(&line);
        assert!(ended.code == Some(2) && ended.stderr.contains(wanted), "{ended:?}");
    }
}
