//! `frontier`, traces and cuts, through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use common::Folder;
use serde_json::Value;

/// Sixty people by age, sex and district: few enough cuts to prove everything at once.
fn few_values() -> String {
    let mut text = "age,sex,district,vote\n".to_owned();
    for at in 0..60 {
        let age = 20 + 5 * ((at * at) % 11);
        let (sex, district) = (["F", "M"][at % 7 % 2], (at * 5) % 9 % 4);
        text.push_str(&format!("{age},{sex},{district},{}\n", ["a", "b", "c"][at % 5 % 3]));
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("few.csv", few_values().as_bytes());
    folder
}

const FRONTIER: &str =
    "frontier few.csv -k 20,10,5,1 --max-suppressed 0,10%,all --quasi age,sex,district --metric dm";

/// The costs of a frontier by k, then by limit, as they were asked for.
fn costs(answers: &[Value]) -> Vec<Vec<f64>> {
    let cost = |answer: &Value| answer["cost"].as_f64().unwrap();
    answers.chunks(3).map(|of_k| of_k.iter().map(cost).collect()).collect()
}

#[test]
fn a_frontier_answers_every_k_and_limit() {
    let folder = folder();
    let report = folder.run(&format!("{FRONTIER} --json -q")).done().json();
    let answers = report.as_array().unwrap();
    let asked: Vec<(u64, &str)> = answers
        .iter()
        .map(|answer| (answer["k"].as_u64().unwrap(), answer["limit"].as_str().unwrap()))
        .collect();
    let expected: Vec<(u64, &str)> =
        [20, 10, 5, 1].iter().flat_map(|&k| ["0", "10%", "all"].map(|limit| (k, limit))).collect();
    assert_eq!(asked, expected);
    for answer in answers {
        let cost = answer["cost"].as_f64().unwrap();
        assert!(answer["bound"].as_f64().is_none_or(|bound| bound <= cost), "{answer}");
        assert!(answer["gap"].as_f64().is_none_or(|gap| (0.0..=1.0).contains(&gap)), "{answer}");
        let most = match answer["limit"].as_str().unwrap() {
            "0" => 0,
            "10%" => 6,
            _ => 60,
        };
        assert!(answer["suppressed"].as_u64().unwrap() <= most, "{answer}");
        for key in ["outcome", "in_words", "classes", "nodes", "cpu_seconds", "wall_seconds"] {
            assert!(!answer[key].is_null(), "{key} in {answer}");
        }
    }
    // Less is asked for with a smaller k, and more is allowed with a larger limit.
    let costs = costs(answers);
    for at in 0..costs.len() {
        assert!(costs[at].is_sorted_by(|a, b| a >= b), "{costs:?}");
        assert!(at == 0 || costs[at].iter().zip(&costs[at - 1]).all(|(a, b)| a <= b), "{costs:?}");
    }
}

#[test]
fn a_frontier_is_also_a_table_and_a_csv_file() {
    let folder = folder();
    let table = folder.run(&format!("{FRONTIER} -o out.csv -q")).done();
    assert_eq!(table.stderr, "");
    assert_eq!(table.stdout.lines().count(), 13, "{}", table.stdout);
    assert!(table.stdout.lines().next().unwrap().contains("suppressed"), "{}", table.stdout);
    let csv = folder.read("out.csv");
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some(
            "k,limit,outcome,cost,bound,gap,suppressed,classes,nodes,cpu_seconds,wall_seconds,derived,kind"
        )
    );
    let lines: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let report = folder.run(&format!("{FRONTIER} --json")).done();
    assert_eq!(report.stderr, "");
    let report = report.json();
    assert_eq!(lines.len(), report.as_array().unwrap().len());
    for (line, answer) in lines.iter().zip(report.as_array().unwrap()) {
        assert_eq!(line[0], answer["k"].to_string());
        assert_eq!(line[1], answer["limit"].as_str().unwrap());
        assert_eq!(line[2], answer["outcome"].as_str().unwrap());
        assert_eq!(line[3].parse::<f64>().unwrap(), answer["cost"].as_f64().unwrap());
    }
    // On standard output the rows stand alone; every finished answer is announced elsewhere.
    let piped = folder.run(&format!("{FRONTIER} -o -")).done();
    assert!(piped.stdout.starts_with("k,limit,"), "{}", piped.stdout);
    assert_eq!(piped.stdout.lines().count(), 13);
    assert_eq!(piped.stderr.lines().count(), 12, "{}", piped.stderr);
}

#[test]
fn a_frontier_shows_kinds_side_by_side() {
    let folder = folder();
    let asked =
        "frontier few.csv -k 5,2 --kinds local,global,levels --quasi age,sex,district --metric ncp";
    let table = folder.run(&format!("{asked} -q")).done();
    assert_eq!(table.stdout.lines().count(), 7, "{}", table.stdout);
    assert!(table.stdout.trim_start().starts_with("kind"), "{}", table.stdout);
    let report = folder.run(&format!("{asked} --json")).done().json();
    let answers = report.as_array().unwrap();
    let kinds: Vec<&str> = answers.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["local", "local", "global", "global", "levels", "levels"]);
    for answer in answers {
        let (cost, bound) = (answer["cost"].as_f64().unwrap(), answer["bound"].as_f64().unwrap());
        assert!(bound <= cost + 1e-9, "{answer}");
    }
    let unknown = folder.run("frontier few.csv -k 5 --kinds regional --quasi age");
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
}

#[test]
fn a_frontier_is_proven_and_derives_what_follows() {
    let report = folder().run(&format!("{FRONTIER} --json")).done().json();
    let answers = report.as_array().unwrap();
    for answer in answers {
        assert_eq!(answer["outcome"], "optimal", "{answer}");
        assert_eq!(answer["in_words"], "proven optimal", "{answer}");
        assert_eq!(answer["bound"], answer["cost"], "{answer}");
    }
    let costs = costs(answers);
    assert!(costs.last() < costs.first(), "{costs:?}");
    // With k = 1 nothing need be suppressed: the limit between follows from the one without.
    let last: Vec<&Value> = answers[9..].iter().collect();
    assert_eq!(
        last.iter().map(|answer| &answer["derived"]).collect::<Vec<_>>(),
        [&false, &true, &false]
    );
    assert_eq!((&last[1]["nodes"], &last[1]["cost"]), (&0.into(), &last[2]["cost"]));
}

const CUTS: &str = "anonymize few.csv -k 3 --quasi age,sex,district -m optimal --metric dm -q \
    --cut-at age=40,60 --never-cut-at age=45 --cut-at sex=M";

#[test]
fn cuts_may_be_demanded_and_refused() {
    let folder = folder();
    let spec = folder.run(&format!("{CUTS} --gap 1% --option bins=64 --show-spec")).done().stdout;
    for line in [
        "cut-at = [40, 60]",
        "never-cut-at = [45]",
        "cut-at = [\"M\"]",
        "gap = \"1%\"",
        "bins = \"64\"",
    ] {
        assert!(spec.lines().any(|found| found == line), "{line} in {spec}");
    }
    // Options of the method may be numbers in a spec.
    let spec = spec.replace("gap = \"1%\"", "gap = 0.01").replace("bins = \"64\"", "bins = 64");
    folder.write("spec.toml", spec.as_bytes());
    folder.run("run spec.toml").done();
    folder.run(CUTS).done();
}

#[test]
fn cuts_are_made_as_demanded() {
    let folder = folder();
    folder.run(&format!("{CUTS} -o out.csv")).done();
    for line in folder.read("out.csv").lines().skip(1) {
        let mut fields = line.split(',');
        let (age, sex) = (fields.next().unwrap(), fields.next().unwrap());
        let (low, high) = age.trim_matches(['[', ']']).split_once('-').unwrap_or((age, age));
        let (low, high): (u32, u32) = (low.parse().unwrap(), high.parse().unwrap());
        for cut in [40, 60] {
            assert!(high < cut || low >= cut, "{line}");
        }
        assert!(low != 45 && high != 40, "{line}");
        assert!(sex == "M" || sex == "F", "{line}");
    }
}

#[test]
fn automatic_bins_are_told() {
    let folder = Folder::new();
    let rows: String = (0..90).map(|at| format!("{at},{}\n", at % 3)).collect();
    folder.write("many.csv", format!("income,sex\n{rows}").as_bytes());
    let line =
        "anonymize many.csv -k 5 --quasi income,sex -m optimal --metric dm -q --option bins=9";
    let report = folder.run(&format!("{line} --json")).done().json();
    let note = "column \"income\" has 90 values: put into 9 bins before the search, which start at \
        0, 10, 20, 30, 40, 50, 60, 70, 80";
    assert_eq!(report["notes"], serde_json::json!([note]));
    let text = folder.run(&format!("{line} -v")).done().stdout;
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains(note), "{text}");
    let table = folder.run("frontier many.csv -k 5 --quasi income,sex --option bins=9 -q").done();
    assert!(table.stderr.contains(&format!("note: {note}")), "{}", table.stderr);
}

/// The rows of a trace, as numbers; an empty field is none.
fn trace(text: &str) -> Vec<Vec<Option<f64>>> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("seconds,cpu_seconds,nodes,cost,bound"));
    lines.map(|line| line.split(',').map(|field| field.parse().ok()).collect()).collect()
}

#[test]
fn a_trace_tells_how_the_search_went() {
    let folder = folder();
    let line = "anonymize few.csv -k 5 --quasi age,sex,district --metric dm -q --json";
    for method in ["climb", "optimal", "anneal", "genetic", "lattice", "mondrian"] {
        let report = folder.run(&format!("{line} -m {method} --trace {method}.csv")).done().json();
        let rows = trace(&folder.read(&format!("{method}.csv")));
        assert!(rows.is_sorted_by_key(|row| row[0]), "{rows:?}");
        let last = rows.last().unwrap();
        if method == "mondrian" {
            assert_eq!((rows.len(), last[3]), (1, None));
            continue;
        }
        assert_eq!(last[3], report["cost"].as_f64(), "{method} {rows:?}");
        let costs: Vec<f64> = rows.iter().filter_map(|row| row[3]).collect();
        assert!(costs.is_sorted_by(|one, next| one >= next), "{costs:?}");
        if method == "optimal" {
            assert_eq!(last[4], report["bound"].as_f64(), "{rows:?}");
        }
        if ["climb", "anneal", "genetic"].contains(&method) {
            assert_eq!(last[2], report["nodes"].as_f64(), "{method} {rows:?}");
        }
    }
    folder.run("demo --rows 300 -m climb --trace demo.csv -q").done();
    assert!(!trace(&folder.read("demo.csv")).is_empty());
    for clash in ["--trace few.csv", "-o out.csv --trace ./out.csv"] {
        let ended = folder.run(&format!("{line} {clash}"));
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains("the trace would be written over"), "{ended:?}");
    }
    assert_eq!(folder.read("few.csv"), few_values());
}

#[test]
fn sets_of_numbers_are_verified_against_the_original() {
    let folder = folder();
    let quasi = "--quasi age,sex,district";
    let line = format!("anonymize few.csv -k 6 {quasi} --class vote --metric cm -m anneal -q");
    folder.run(&format!("{line} --option steps=20000 -o out.csv --recoding r.json")).done();
    assert!(folder.read("out.csv").contains('{'), "{}", folder.read("out.csv"));
    folder.run(&format!("verify out.csv -k 6 {quasi} --original few.csv")).done();
    folder.run("apply r.json few.csv -o again.csv -q").done();
    let sorted = |name: &str| {
        let text = folder.read(name);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    // The class column is nobody's business any more when a recoding is applied.
    assert_eq!(sorted("again.csv").len(), sorted("out.csv").len());
    folder.run(&format!("verify again.csv -k 6 {quasi} --original few.csv")).done();
}
