//! Comparisons, through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use common::Folder;
use serde_json::Value;

const COMPARE: &str = "compare people.csv --quasi age,sex,zip --other drop --metric dm -k 2,3,4";

/// What a comparison found, with times and the version taken out.
fn timeless(mut json: Value) -> Value {
    json.as_object_mut().unwrap().remove("version").unwrap();
    for run in json["runs"].as_array_mut().unwrap() {
        for time in ["cpu_seconds", "wall_seconds"] {
            assert!(run[time].as_f64().unwrap() >= 0.0, "{run}");
            run.as_object_mut().unwrap().remove(time);
        }
    }
    json
}

fn run_of<'a>(json: &'a Value, method: &str, k: u64) -> &'a Value {
    let runs = json["runs"].as_array().unwrap();
    runs.iter().find(|run| run["method"] == method && run["k"] == k).unwrap()
}

#[test]
fn a_comparison_tells_what_every_method_does() {
    let folder = Folder::new();
    let line = format!("{COMPARE} --methods optimal,mondrian:mode=relaxed,datafly,cells");
    let json = folder.run(&format!("{line} --json")).done().json();
    insta::assert_snapshot!(serde_json::to_string_pretty(&timeless(json)).unwrap());
    let text = folder.run(&line).done().stdout;
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let words = ["cost (dm)", "above the optimum", "rows suppressed", "seconds", "proven", "k=4"];
    for word in words.into_iter().chain(["full-domain", "12 of 12 results from the cache"]) {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn help_tells_the_options() {
    let folder = Folder::new();
    let help = folder.run("compare --help").done().stdout;
    // The options about a table are those of other commands.
    let own = help.split("Columns:").next().unwrap();
    insta::assert_snapshot!(own);
    for option in ["--hierarchy", "--l-diversity", "--metric", "--time-limit", "--delimiter"] {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn every_method_takes_part_and_none_ends_it() {
    let folder = Folder::new();
    let line = COMPARE.replace("2,3,4", "4,9");
    let line = format!("{line} --methods all --l-diversity 2 --sensitive disease");
    let ended = folder.run(&format!("{line} --json --csv all.csv")).done();
    let json = ended.json();
    let runs = json["runs"].as_array().unwrap();
    assert!(runs.len() >= 2 * 20, "{}", runs.len());
    for run in runs.iter().filter(|run| run["k"] == 9) {
        assert_eq!(run["outcome"], "refused", "{run}");
        assert!(run["why"].as_str().unwrap().contains("only 8 rows"), "{run}");
    }
    let with_cost = runs.iter().filter(|run| run["cost"].is_number()).count();
    assert!(with_cost >= 15, "{with_cost}");
    for run in runs.iter().filter(|run| run["cost"].is_number()) {
        assert_eq!(run["cost"].as_f64(), run["metrics"]["dm"].as_f64(), "{run}");
        assert!(run["achieved_k"].as_u64().unwrap() >= 4, "{run}");
    }
    // What is proven of recodings by intervals is no bound for others, but for those.
    let optimum = json["optimum"][0]["cost"].as_f64().unwrap();
    let narrow = |run: &&Value| run["family"] == "full-domain" && run["cost"].is_number();
    assert!(runs.iter().filter(narrow).all(|run| run["cost"].as_f64().unwrap() >= optimum));
    let csv = folder.read("all.csv");
    assert_eq!(csv.lines().count(), runs.len() + 1);
    assert!(csv.lines().skip(1).any(|line| line.ends_with("the table has only 8 rows")), "{csv}");
}

#[test]
fn what_is_known_is_not_searched_for_again() {
    let folder = Folder::new();
    let cached = |line: &str| {
        let ended = folder.run(&format!("{line} --json")).done();
        (ended.json()["cached"].as_u64().unwrap(), ended)
    };
    let two = format!("{COMPARE} --methods optimal,mondrian");
    assert_eq!(cached(&two).0, 0);
    let (known, ended) = cached(&two);
    assert_eq!(known, 6);
    assert_eq!(run_of(&ended.json(), "optimal", 3)["cached"], true);
    // One method more, or one k more: only that is new.
    let (known, more) = cached(&format!("{COMPARE} --methods optimal,mondrian,datafly"));
    assert_eq!(known, 6);
    assert_eq!(run_of(&more.json(), "datafly", 3)["cached"], false);
    assert_eq!(cached(&two.replace("2,3,4", "2,3,5")).0, 4);
    // Whatever a result depends on makes it another one.
    for options in [
        "--time-limit 5s",
        "--max-suppressed 1",
        "--weight age=2",
        "--bins age=5",
        "--class disease",
        "--order sex=M,F",
        "--missing NA",
    ] {
        assert_eq!(cached(&format!("{two} {options}")).0, 0, "{options}");
    }
    for methods in ["optimal:gap=1%", "mondrian:mode=relaxed"] {
        assert_eq!(cached(&format!("{COMPARE} --methods {methods}")).0, 0, "{methods}");
    }
    assert_eq!(cached(&format!("{two} --no-cache")).0, 0);
    assert_eq!(cached(&format!("{two} --cache elsewhere")).0, 0);
    assert_eq!(cached(&format!("{two} --cache elsewhere")).0, 6);
    // The name of a file says nothing, a byte of it everything.
    std::fs::copy(folder.path("people.csv"), folder.path("copy.csv")).unwrap();
    assert_eq!(cached(&two.replace("people.csv", "copy.csv")).0, 6);
    folder.write("people.csv", folder.read("people.csv").replace("Hal,52", "Hal,53").as_bytes());
    assert_eq!(cached(&two).0, 0);
}

#[test]
fn hierarchies_count_by_their_content() {
    let folder = Folder::new();
    folder.write("sex.csv", b"F;*\nM;*\n");
    let line = format!("{COMPARE} --methods datafly --hierarchy sex=sex.csv --json");
    assert_eq!(folder.run(&line).done().json()["cached"], 0);
    folder.write("other.csv", b"F;*\nM;*\n");
    assert_eq!(folder.run(&line.replace("=sex.csv", "=other.csv")).done().json()["cached"], 3);
    folder.write("sex.csv", b"F;any;*\nM;any;*\n");
    assert_eq!(folder.run(&line).done().json()["cached"], 0);
}

#[test]
fn a_broken_entry_is_passed_over_and_written_anew() {
    let folder = Folder::new();
    let line = format!("{COMPARE} --methods mondrian --cache kept --json");
    let first = folder.run(&line).done().json();
    let entries = || {
        let all = std::fs::read_dir(folder.path("kept")).unwrap();
        let mut all: Vec<_> = all.map(|entry| entry.unwrap().path()).collect();
        all.sort();
        all
    };
    let kept = entries();
    assert_eq!(kept.len(), 3);
    std::fs::write(&kept[0], b"{\"format\": 1, \"key\"").unwrap();
    std::fs::write(&kept[1], std::fs::read(&kept[2]).unwrap()).unwrap();
    let again = folder.run(&line).done();
    assert_eq!(again.json()["cached"], 1);
    assert_eq!(again.stderr.matches("skipped").count(), 2, "{}", again.stderr);
    let costs = |json: &Value| [2, 3, 4].map(|k| run_of(json, "mondrian", k)["cost"].clone());
    assert_eq!(costs(&first), costs(&again.json()));
    assert_eq!(folder.run(&line).done().json()["cached"], 3);
    assert_eq!(entries(), kept);
    // A folder that cannot be one is an error only if it was asked for.
    let ended = folder.run(&line.replace("--cache kept", "--cache people.csv"));
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let mut command = folder.command(COMPARE.split(' ').chain(["--methods", "mondrian"]));
    let output = command.env("XDG_CACHE_HOME", folder.path("people.csv")).output().unwrap();
    let note = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && note.contains("results are not cached"), "{note}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_keeps_what_is_done() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let folder = Folder::new();
    folder.run("demo --rows 2000 --write demo.csv").done();
    let quasi = "age,sex,race,marital-status,education,occupation";
    // The search goes on until it is told to stop.
    let line = format!(
        "compare demo.csv --quasi {quasi} -k 5 --methods mondrian,climb:steps=off,datafly \
         --time-limit none --report page.html --cache kept --json"
    );
    let mut command = folder.command(line.split_whitespace());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let entries = || std::fs::read_dir(folder.path("kept")).map_or(0, Iterator::count);
    while entries() < 1 {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["interrupted"], true);
    assert_eq!(json["runs"].as_array().unwrap().len(), 1);
    assert_eq!(json["missing"].as_array().unwrap().len(), 2);
    assert_eq!(entries(), 1);
    let page = folder.read("page.html");
    assert!(page.contains("1 of 3 results are here"), "{page}");
    assert!(page.contains("not run: the comparison was interrupted"));
    let rest = line.replace("climb:steps=off", "climb:steps=2000");
    let again = folder.run(&rest).done().json();
    assert_eq!((&again["cached"], &again["interrupted"]), (&1.into(), &false.into()));
}

#[test]
fn a_page_and_a_chart_are_written() {
    let folder = Folder::new();
    let ended = folder
        .run("compare --demo --demo-rows 400 -k 5,20 --methods optimal,mondrian,lattice,top-down --metric dm \
              --time-limit 20s -o page.html --svg chart.svg")
        .done();
    assert!(ended.stdout.contains("people.csv: 400 rows"), "{}", ended.stdout);
    let (page, chart) = (folder.read("page.html"), folder.read("chart.svg"));
    for text in [&page, &chart] {
        let text = text.replace("http://www.w3.org/2000/svg", "");
        for word in ["<script", "src=", "http:", "https:", "url("] {
            assert!(!text.contains(word), "{word}");
        }
    }
    assert!(chart.starts_with("<svg") && chart.contains("<style>") && chart.contains("lattice"));
    assert_eq!(page.matches("<svg").count() + page.matches("No release left out a row").count(), 3);
    for word in ["Cost over k", "single-dimensional", "proven", "[columns.age]", "--demo-rows 400"]
    {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn a_spec_file_asks_the_question() {
    let folder = Folder::new();
    folder.write(
        "made.toml",
        b"[data]\ninput = \"people.csv\"\nother = \"drop\"\n[columns.age]\nrole = \"quasi\"\n[columns.sex]\nrole = \
          \"quasi\"\n[privacy]\nk = 3\n[goal]\nmetric = \"dm\"\n[algorithm]\nmethod = \"mondrian\"\nmode = \"relaxed\"\n",
    );
    let json = folder.run("compare made.toml --json").done().json();
    // The usual k that the table is large enough for, the usual methods, and the spec's own.
    assert_eq!(json["k"], serde_json::json!([2, 5]));
    assert_eq!(json["metric"], "dm");
    let methods = json["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 9);
    assert_eq!(methods[8]["method"], "mondrian:mode=relaxed");
    let some = folder.run("compare made.toml --methods datafly -k 3 --json").done().json();
    assert_eq!(some["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = Folder::new();
    folder.write(
        "made.toml",
        b"[data]\ninput = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n[privacy]\nk = 3\n",
    );
    for (line, message) in [
        ("compare", "required"),
        ("compare people.csv", "no column is a quasi-identifier"),
        ("compare people.csv --quasi age --methods best", "no method"),
        ("compare people.csv --quasi age --methods mondrian:mode", "not an option"),
        ("compare people.csv --quasi age --methods mondrian:mode=x", "cannot be"),
        ("compare people.csv --quasi age -k 0", "k is a whole number"),
        ("compare people.csv --quasi age --time-limit 5", "has no unit"),
        ("compare people.csv --quasi age --svg people.csv", "the chart"),
        ("compare people.csv --quasi age --svg a --csv a", "two outputs"),
        ("compare people.csv --quasi age --csv - --json", "standard output"),
        ("compare people.csv --quasi ages", "no column `ages`"),
        ("compare made.toml --quasi age", "cannot be combined with a spec file"),
        ("compare made.toml --metric dm", "cannot be combined with a spec file"),
        ("compare people.csv --demo", "cannot be used with"),
    ] {
        let before = folder.content();
        let ended = folder.run(line);
        assert_eq!(ended.code, Some(2), "{line}: {ended:?}");
        assert!(ended.stderr.contains(message), "{line}: {}", ended.stderr);
        assert!(before == folder.content(), "{line}");
    }
    let csv = folder.run(&format!("{COMPARE} --methods mondrian --csv - -q")).done();
    assert!(csv.stdout.starts_with("method,family,k,outcome,"), "{}", csv.stdout);
    assert_eq!(csv.stdout.lines().count(), 4);
}

#[test]
fn the_widest_proof_is_what_others_are_measured_by() {
    let folder = Folder::new();
    let ages = COMPARE.replace("age,sex,zip", "age");
    let line = format!("{ages} --methods optimal:bins=2,mondrian,optimal --json");
    let json = folder.run(&line).done().json();
    let coarse = run_of(&json, "optimal:bins=2", 2)["cost"].as_f64().unwrap();
    let fine = run_of(&json, "optimal", 2)["cost"].as_f64().unwrap();
    assert!(fine < coarse, "{fine} {coarse}");
    assert_eq!(json["optimum"][0]["cost"].as_f64(), Some(fine));
    let above = run_of(&json, "optimal:bins=2", 2)["above_optimum"].as_f64().unwrap();
    assert!((above - (coarse / fine - 1.0)).abs() < 1e-12, "{above}");
    // Who proves nothing about all intervals is no measure.
    let narrow = folder.run(&format!("{COMPARE} --methods lattice,mondrian --json")).done().json();
    assert_eq!(narrow["optimum"], serde_json::json!([]));
    assert!(run_of(&narrow, "mondrian", 2)["above_optimum"].is_null());
}
