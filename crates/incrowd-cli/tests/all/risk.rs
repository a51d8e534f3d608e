//! Risks, through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use common::{Folder, PEOPLE};
use serde_json::Value;

const QUASI: &str = "age,sex,race,marital-status,education,native-country,workclass,occupation";

/// A folder with a made-up population and a table of its first people.
fn census() -> Folder {
    let folder = Folder::new();
    folder.run("demo --rows 4000 --seed 3 --write all.csv").done();
    let all = folder.read("all.csv");
    let some: Vec<&str> = all.lines().take(401).collect();
    folder.write("some.csv", format!("{}\n", some.join("\n")).as_bytes());
    folder
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn risk_tells_who_stands_out() {
    let folder = Folder::new();
    insta::assert_snapshot!(
        "few people",
        folder.run("risk people.csv --quasi sex,age,zip").done().stdout
    );
    folder.write("crowd.csv", b"age,sex\n1,F\n1,F\n1,F\n2,M\n2,M\n");
    insta::assert_snapshot!(
        "nobody alone",
        folder.run("risk crowd.csv --quasi age,sex --sampling-fraction 5%").done().stdout
    );
    let folder = census();
    insta::assert_snapshot!(
        "a sample",
        folder.run(&format!("risk some.csv --quasi {QUASI} --sampling-fraction 0.1")).done().stdout
    );
    insta::assert_snapshot!(
        "a population",
        folder
            .run(&format!("risk some.csv --quasi {QUASI} --population all.csv --size 2"))
            .done()
            .stdout
    );
}

#[test]
fn figures_agree_with_each_other() {
    let folder = census();
    let line = format!("risk some.csv --quasi {QUASI} --json");
    let alone = folder.run(&line).done().json();
    assert_eq!((&alone["rows"], &alone["complete"]), (&400.into(), &true.into()));
    assert!(alone["journalist"].is_null() && alone["population_uniqueness"].is_null());
    let sampled = folder.run(&format!("{line} --sampling-fraction 10%")).done().json();
    let sized = folder.run(&format!("{line} --population-size 4000")).done().json();
    assert_eq!(sampled["population_uniqueness"]["share"], sized["population_uniqueness"]["share"]);
    let met = folder.run(&format!("{line} --population all.csv")).done().json();
    assert_eq!(met["population"]["people"], 4000);
    assert_eq!(met["population"]["lacking"], 0);
    assert_eq!(met["journalist"]["by"], "population");
    // Whoever knows less finds fewer.
    let found = number(&met["journalist"]["average"]);
    assert!(found < number(&met["prosecutor"]["average"]), "{met}");
    assert_eq!(number(&met["marketer"]["in_population"]), found);
    // The estimate from the fraction alone is of the right order.
    let estimate = number(&sampled["journalist"]["average"]);
    assert!((0.25..4.0).contains(&(estimate / found)), "{estimate} for {found}");
    // The table as its own population.
    let own = folder.run(&format!("{line} --population some.csv")).done().json();
    assert_eq!(own["journalist"]["average"], own["prosecutor"]["average"]);
    assert_eq!(own["population_uniqueness"]["chosen"], "counted");
    assert_eq!(own["population"]["uniques"], own["unique_rows"]);
    let threads = folder.run(&format!("{line} --threads 3")).done().json();
    assert_eq!(alone, threads);
    let none = folder.run(&format!("{line} --size 0")).done().json();
    assert!(none["unique_combinations"].is_null());
}

/// Weights count as population: equal ones are a sampling fraction, bad ones are refused with a reason.
#[test]
fn weights_are_people() {
    let folder = census();
    let with = |name: &str, weight: &dyn Fn(usize) -> String| {
        let some = folder.read("some.csv");
        let rows = some.lines().enumerate().map(|(at, line)| match at {
            0 => format!("{line},w"),
            at => format!("{line},{}", weight(at)),
        });
        folder.write(name, format!("{}\n", rows.collect::<Vec<_>>().join("\n")).as_bytes());
    };
    with("equal.csv", &|_| "10.0".to_owned());
    with("unequal.csv", &|at| format!("{}.5", at % 20 + 1));
    with("small.csv", &|at| if at == 7 { "0.25" } else { "3" }.to_owned());
    with("blank.csv", &|at| if at == 7 { "" } else { "3" }.to_owned());
    with("words.csv", &|at| if at < 9 { "some" } else { "3" }.to_owned());
    let line = |file: &str| format!("risk {file} --quasi {QUASI} --size 0 --weight-column w");
    let equal = folder.run(&format!("{} --json", line("equal.csv"))).done().json();
    let share = folder
        .run(&format!("risk some.csv --quasi {QUASI} --size 0 --sampling-fraction 0.1 --json"));
    let share = share.done().json();
    assert_eq!(
        (&equal["weights"]["column"], &equal["journalist"]["by"]),
        (&"w".into(), &"weights".into())
    );
    assert_eq!(number(&equal["weights"]["people"]), 4000.0);
    let (one, other) = (&equal["journalist"]["average"], &share["journalist"]["average"]);
    assert!((number(one) - number(other)).abs() < 1e-12, "{one} {other}");
    let unequal = folder.run(&line("unequal.csv")).done().stdout;
    assert!(unequal.contains("weights       the weights in w sum to 4,400 people"), "{unequal}");
    assert!(unequal.contains("(estimated from the weights by "), "{unequal}");
    for (file, why) in [
        ("small.csv", "1 row has \"0.25\", which is below 1"),
        ("blank.csv", "1 row has no weight"),
        ("words.csv", "8 rows have \"some\", which is not a number"),
        ("some.csv", "w"),
    ] {
        let ended = folder.run(&format!("{} --show-values", line(file)));
        assert_eq!(ended.code, Some(2), "{file}");
        assert!(ended.stderr.contains(why), "{}", ended.stderr);
    }
    let both = folder.run(&format!("{} --sampling-fraction 0.1", line("equal.csv")));
    assert_eq!(both.code, Some(2));
    let quasi = folder.run("risk equal.csv --quasi age,w --weight-column w");
    assert!(
        quasi.code == Some(2) && quasi.stderr.contains("both the weight and a quasi-identifier")
    );
}

/// A release has no small classes, whatever its labels look like.
#[test]
fn releases_are_looked_at_too() {
    let folder = census();
    for options in ["", "--summary age=columns", "-m cells", "--suppressed blank -m datafly"] {
        folder
            .run(&format!(
                "anonymize some.csv -k 4 --quasi {QUASI} --other drop -o out.csv -q {options}"
            ))
            .done();
        let found =
            folder.run(&format!("risk out.csv --quasi {QUASI} --json --threshold 25%")).done();
        let found = found.json();
        assert!(number(&found["smallest_class"]) >= 4.0, "{options}: {found}");
        assert_eq!(found["prosecutor"]["records_at_risk"], 0, "{options}");
        assert_eq!(found["unique_combinations"]["combinations"].as_array().unwrap().len(), 0);
    }
}

#[test]
fn a_page_names_nobody() {
    let folder = Folder::new();
    let line =
        "risk people.csv --quasi age,sex,zip,born --sampling-fraction 0.01 --report risk.html";
    let ended = folder.run(line).done();
    assert!(ended.stdout.contains("report        risk.html"), "{}", ended.stdout);
    let page = folder.read("risk.html");
    for word in
        ["Who could find people", "Unique in the population", "What singles people out", "zip"]
    {
        assert!(page.contains(word), "{word}");
    }
    for text in [&page, &ended.stdout, &folder.run(&format!("{line} --json")).done().stdout] {
        for cell in PEOPLE.lines().skip(1).flat_map(|row| row.split(',')).filter(|c| c.len() > 2) {
            assert!(!text.contains(cell), "{cell}");
        }
        assert!(!text.contains("NaN"));
    }
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["<script", "src=", "http:", "https:", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    let written = folder.run("risk people.csv --quasi age --report -").done().stdout;
    assert!(written.starts_with("<!DOCTYPE html>") && written.ends_with("</html>\n"));
}

/// The journalist's risk in the report of a run, from options and from a spec.
#[test]
fn runs_meet_their_population() {
    let folder = census();
    let line = format!(
        "anonymize some.csv -k 5 --quasi {QUASI} --other drop --population all.csv --seed 1"
    );
    for method in ["mondrian", "datafly", "best-local", "cells", "recode-and-blank"] {
        let report = folder
            .run(&format!(
                "{line} -m {method} -o out.csv --report out.html --internal-report own.html --json"
            ))
            .done();
        let risk = report.json()["journalist"].clone();
        assert_eq!((&risk["people"], &risk["lacking"]), (&4000.into(), &0.into()), "{method}");
        assert_eq!(number(&risk["before"]["highest"]), 1.0, "{method}");
        // At least the people of the class itself are there.
        assert!(number(&risk["after"]["highest"]) <= 0.2, "{method}: {risk}");
        assert_eq!(risk["after"]["records_at_risk"], 0, "{method}");
        let told = "people found if the whole population is tried";
        assert!(folder.read("own.html").contains(told), "{method}");
        assert!(!folder.read("out.html").contains(told), "{method}: it counts suppressed rows");
    }
    let text = folder.run(&format!("{line} -v")).done().stdout;
    assert!(text.contains("risk by all 4,000 people of the population"), "{text}");
    let spec = folder.run(&format!("{line} --show-spec")).done().stdout;
    assert!(spec.contains("population = \"all.csv\""), "{spec}");
    folder.write("made.toml", spec.as_bytes());
    let risk = folder.run("run made.toml --json").done().json()["journalist"].clone();
    assert_eq!(risk["people"], 4000);
    folder.write("few.csv", folder.read("some.csv").as_bytes());
    let own = folder.run("run made.toml --json --population few.csv").done().json();
    assert_eq!(own["journalist"]["people"], 400);
}

/// Ctrl-C: either nothing, while the table is being read, or what was found so far, marked as such.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_found() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let folder = Folder::new();
    folder.run("demo --rows 200000 --wide --write big.csv").done();
    let line =
        format!("risk big.csv --quasi {QUASI} --size 8 --json --report risk.html --threads 1");
    let mut command = folder.command(line.split_whitespace());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    folder.wait_until_begun(&mut child);
    std::thread::sleep(Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let ended = common::Ended::from(child.wait_with_output().unwrap());
    assert!(!folder.has_unfinished());
    match (ended.code, ended.stdout.is_empty()) {
        (Some(130), true) => assert!(!folder.path("risk.html").exists()),
        // Too early for anything to be found.
        (Some(130), false) if ended.json()["error"].is_object() => {
            assert!(!folder.path("risk.html").exists());
        }
        (Some(130), false) => {
            let found = ended.json();
            assert_eq!(found["complete"], false);
            let unique = &found["unique_combinations"];
            assert!(number(&unique["looked_at"]) < number(&unique["all"]), "{unique}");
            assert!(folder.read("risk.html").contains("the others are missing"));
        }
        // A machine that is quick enough has nothing left to interrupt.
        (Some(0), false) => assert_eq!(ended.json()["complete"], true),
        other => panic!("{other:?}"),
    }
}
