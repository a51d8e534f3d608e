//! Every command on its usual way, through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use common::{Ended, Folder, PEOPLE};

/// What is printed, with the times taken out.
fn timeless(text: &str) -> String {
    let line = |line: &str| match line.starts_with("time ") {
        true => "time          (varies)\n".to_owned(),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The rows of a table below its header, sorted.
fn rows(text: &str) -> Vec<&str> {
    let mut rows: Vec<&str> = text.lines().skip(1).collect();
    rows.sort_unstable();
    rows
}

const OUTCOME_KEYS: [&str; 15] = [
    "outcome",
    "metric",
    "cost",
    "bound",
    "gap",
    "in_words",
    "notes",
    "k",
    "classes",
    "released",
    "suppressed",
    "metrics",
    "cpu_seconds",
    "wall_seconds",
    "nodes",
];

#[test]
fn demo_shows_the_whole_way() {
    let folder = Folder::new();
    let before = folder.content();
    let ended = folder.run("demo --rows 500 --seed 3").done();
    insta::assert_snapshot!(timeless(&ended.stdout));
    assert!(ended.stderr.starts_with("\nWarnings (1)"), "{}", ended.stderr);
    std::fs::remove_file(folder.path("incrowd-demo.html")).unwrap();
    assert!(before == folder.content(), "the demo left something");
    folder.run("demo --rows 500 --seed 3 --no-report").done();
    assert!(before == folder.content(), "the demo left something");
}

#[test]
fn demo_as_json_holds_the_facts() {
    let report = Folder::new().run("demo --rows 500 -k 7 --json").done().json();
    assert_eq!(report["format_version"], 1);
    for key in OUTCOME_KEYS {
        assert!(report.get(key).is_some(), "{key} in {report:#}");
    }
    assert_eq!(report["outcome"], "feasible");
    assert_eq!(report["k"], 7);
    let number = |key: &str| report[key].as_u64().unwrap();
    assert_eq!(number("released") + number("suppressed"), 500);
    assert!(number("classes") > 1);
    assert!(report["cost"].as_f64().unwrap() > 0.0);
    assert!(report["wall_seconds"].as_f64().unwrap() > 0.0);
    for metric in ["dm", "ncp", "gcp", "loss"] {
        assert!(report["metrics"][metric].is_number(), "{metric}");
    }
}

#[test]
fn demo_writes_its_table_and_hierarchies() {
    let folder = Folder::new();
    let ended = folder.run("demo --rows 300 --write made.csv --hierarchies trees").done();
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    assert_eq!(rows(&folder.read("made.csv")).len(), 300);
    let trees: Vec<_> = std::fs::read_dir(folder.path("trees")).unwrap().collect();
    assert!(!trees.is_empty());
    for tree in trees {
        let name = tree.unwrap().file_name().into_string().unwrap();
        let column = name.trim_end_matches(".csv").to_owned();
        let line = format!("hierarchy check trees/{name} --data made.csv --column {column}");
        assert!(folder.run(&line).done().stdout.contains(": sound; "), "{name}");
    }
    // The same seed, the same people; on standard output there is nothing else.
    let again = folder.run("demo --rows 300 --write -").done();
    assert_eq!(again.stdout, folder.read("made.csv"));
}

#[test]
fn demo_to_standard_output_is_the_release_alone() {
    let folder = Folder::new();
    let piped = folder.run("demo --rows 200 -o -").done();
    let lines: Vec<usize> = piped.stdout.lines().map(|line| line.matches(',').count()).collect();
    assert!(lines.len() > 100);
    assert!(piped.stdout.lines().next().unwrap().starts_with("age,"), "{}", piped.stdout);
    assert!(piped.stderr.starts_with("Written   standard output: 200 of 200"), "{}", piped.stderr);
}

#[test]
fn inspect_says_what_is_in_a_table() {
    let folder = Folder::new();
    insta::assert_snapshot!(folder.run("inspect people.csv").done().stdout);
    let report = folder.run("inspect people.csv --json").done().json();
    assert_eq!(report["rows"], 8);
    let columns = report["columns"].as_array().unwrap();
    let names: Vec<&str> = columns.iter().map(|column| column["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["name", "age", "sex", "zip", "born", "disease"]);
    assert_eq!(columns[0]["role"], "identifying");
    let piped = folder.run_with("inspect - --json", PEOPLE.as_bytes()).done().json();
    assert_eq!(piped["columns"], report["columns"]);
}

#[test]
fn init_writes_a_spec_that_runs() {
    let folder = Folder::new();
    folder.run("demo --rows 400 --write made.csv").done();
    let ended = folder.run("init made.csv").done();
    assert!(ended.stdout.contains("made.toml"), "{}", ended.stdout);
    let spec = folder.read("made.toml");
    assert!(spec.contains("[privacy]") && spec.contains("input = \"made.csv\""), "{spec}");
    let report = folder.run("run made.toml -o out.csv --json").done().json();
    assert_eq!(report["verdict"]["holds"], true, "{report:#}");
    assert_eq!(rows(&folder.read("out.csv")).len() as u64, report["released"].as_u64().unwrap());
    // It does not write over a spec that somebody may have edited, unless told to.
    assert_eq!(folder.run("init made.csv").code, Some(2));
    folder.run("init made.csv --force").done();
    assert_eq!(folder.run("init made.csv -o -").done().stdout, folder.read("made.toml"));
}

const SHORT: &str = "anonymize people.csv -k 2 --quasi age,sex,zip --identifying name \
    --sensitive disease --l-diversity 2 --bins age=5@20 --weight zip=2 --seed-file key -q";

#[test]
fn anonymize_writes_a_verified_release() {
    let folder = Folder::new();
    let ended = folder.run(&format!("{SHORT} -o out.csv")).done();
    insta::assert_snapshot!(timeless(&ended.stdout));
    let release = folder.read("out.csv");
    assert!(release.starts_with("age,sex,zip,born,disease\n"), "{release}");
    folder
        .run("verify out.csv -k 2 --quasi age,sex,zip --sensitive disease --l-diversity 2")
        .done();
    // Without an output it says so.
    assert!(folder.run(SHORT).done().stdout.contains("Dry run"));
}

#[test]
fn a_spec_and_its_short_form_give_the_same_bytes() {
    let folder = Folder::new();
    folder.run(&format!("{SHORT} -o a.csv --recoding a.json")).done();
    let spec = folder.run(&format!("{SHORT} -o b.csv --recoding b.json --show-spec")).done().stdout;
    folder.write("spec.toml", spec.as_bytes());
    folder.run("run spec.toml").done();
    assert_eq!(folder.read("a.csv"), folder.read("b.csv"));
    assert_eq!(folder.read("a.json"), folder.read("b.json"));
    // Neither the threads nor the way in and out change them.
    folder.run(&format!("{SHORT} -o c.csv --threads 1")).done();
    assert_eq!(folder.read("a.csv"), folder.read("c.csv"));
    let piped = folder
        .run_with(&format!("{} -o -", SHORT.replace("people.csv", "-")), PEOPLE.as_bytes())
        .done();
    assert_eq!(piped.stdout, folder.read("a.csv"));
    let first =
        "Written   standard output: 8 of 8 rows in 4 classes, verified from the written file";
    assert_eq!(piped.stderr.lines().next(), Some(first));
}

#[test]
fn compressed_files_hold_the_same_rows() {
    let folder = Folder::new();
    folder.run(&format!("{SHORT} -o a.csv")).done();
    for name in ["a.csv.gz", "a.csv.zst", "a.parquet"] {
        folder.run(&format!("{SHORT} -o {name}")).done();
        // k = 1 keeps every row as it is: a way to read them back.
        let back = format!(
            "anonymize {name} -k 1 --max-average-risk 1 --quasi age,sex,zip -o back.csv -q"
        );
        folder.run(&back).done();
        let (expected, found) = (folder.read("a.csv"), folder.read("back.csv"));
        assert_eq!(rows(&expected), rows(&found), "{name}");
    }
}

#[test]
fn a_requirement_that_cannot_be_met_is_no_bad_input() {
    let folder = Folder::new();
    let before = folder.content();
    let line = "anonymize people.csv -k 2 --quasi age --identifying name --sensitive disease --l-diversity 4 -o out.csv";
    let ended = folder.run(line);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("nothing was written"), "{ended:?}");
    let report: Ended = folder.run(&format!("{line} --json"));
    assert_eq!((report.code, &report.json()["outcome"]), (Some(1), &"infeasible".into()));
    assert!(before == folder.content());
}

#[test]
fn verify_ends_with_0_1_or_2() {
    let folder = Folder::new();
    folder.run(&format!("{SHORT} -o out.csv")).done();
    let holds = folder.run("verify out.csv -k 2 --quasi age,sex,zip").done();
    assert!(holds.stdout.starts_with("The release holds"), "{}", holds.stdout);
    let fails = folder.run("verify people.csv -k 2 --quasi age,sex,zip");
    assert_eq!(fails.code, Some(1));
    insta::assert_snapshot!(fails.stdout);
    let json = folder.run("verify people.csv -k 2 --quasi age,sex,zip --json");
    assert_eq!((json.code, &json.json()["holds"]), (Some(1), &false.into()));
    assert_eq!(folder.run("verify out.csv -k 2 --quasi agee").code, Some(2));
}

#[test]
fn verify_compares_with_the_original() {
    let folder = Folder::new();
    folder.run("anonymize people.csv -k 2 --quasi age,sex,zip --identifying name -o out.csv --seed 1 -q").done();
    let line = "verify out.csv -k 2 --quasi age,sex,zip --identifying name --original people.csv";
    folder.run(line).done();
    // One value that nobody has, and the release is no longer truthful.
    let lie = folder.read("out.csv").replacen("flu", "gout", 1);
    folder.write("out.csv", lie.as_bytes());
    let ended = folder.run(&format!("{line} --show-values"));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("gout"), "{}", ended.stdout);
}

#[test]
fn apply_recodes_new_rows_as_the_old_ones() {
    let folder = Folder::new();
    folder.run(&format!("{SHORT} -o first.csv --recoding saved.json")).done();
    folder.run("apply saved.json people.csv -o second.csv --seed-file key").done();
    let (first, second) = (folder.read("first.csv"), folder.read("second.csv"));
    assert_eq!(rows(&first), rows(&second));
    let piped =
        folder.run_with("apply saved.json - -o - --seed-file key", PEOPLE.as_bytes()).done();
    assert_eq!(piped.stdout, second);
    assert!(piped.stderr.contains("Written   standard output: "), "{}", piped.stderr);
    // A row with a value that the recoding has not seen is left out on demand only.
    folder.write("new.csv", format!("{PEOPLE}Ida,200,F,47677,1990-01-01,flu\n").as_bytes());
    assert_eq!(folder.run("apply saved.json new.csv -o third.csv").code, Some(2));
    let report =
        folder.run("apply saved.json new.csv -o third.csv --unseen suppress --json").done().json();
    assert_eq!((&report["released"], &report["suppressed"]), (&8.into(), &1.into()));
}

#[test]
fn hierarchies_are_built_by_every_rule_and_checked() {
    let folder = Folder::new();
    folder.write(
        "groups.toml",
        b"groups = [{ name = \"lung\", values = [\"flu\"] }, { name = \"other\", values = [\"angina\", \"cancer\"] }]\n",
    );
    folder.write("tree.toml", b"[tree]\nlung = [\"flu\"]\nother = [\"angina\", \"cancer\"]\n");
    for (column, rule, first) in [
        ("age", "--intervals 5,10 --start 3", "23;[23-27];[23-32];*"),
        ("zip", "--prefix 4,2", "47602;4760*;47***;*"),
        ("zip", "--prefix all", "47602;4760*;476**;47***;4****;*"),
        ("born", "--date month,year,decade", "1975-12-24;1975-12;1975;1970s;*"),
        ("disease", "--rule groups.toml", "flu;lung;*"),
        ("disease", "--rule tree.toml", "flu;lung;*"),
    ] {
        let piped = folder
            .run(&format!("hierarchy build people.csv --column {column} {rule}"))
            .done()
            .stdout;
        assert!(piped.lines().any(|line| line == first), "{rule}: {piped}");
        folder
            .run(&format!("hierarchy build people.csv --column {column} {rule} -o built.csv"))
            .done();
        assert_eq!(folder.read("built.csv"), piped);
        let check = format!("hierarchy check built.csv --data people.csv --column {column}");
        assert!(folder.run(&check).done().stdout.contains(": sound; "), "{rule}");
        let line = format!(
            "anonymize people.csv -k 2 --quasi {column} --identifying name --hierarchy {column}=built.csv -m datafly"
        );
        folder.run(&line).done();
    }
}

#[test]
fn hierarchy_check_lists_all_faults() {
    let folder = Folder::new();
    folder.write("sex.csv", b"F;x;*\nF;x;*\nM;x;+\nD;*\n");
    let ended = folder.run("hierarchy check sex.csv");
    assert_eq!(ended.code, Some(1), "{ended:?}");
    insta::assert_snapshot!(ended.stdout);
    folder.write("sex.csv", b"F;*\n");
    let ended = folder.run("hierarchy check sex.csv --data people.csv --column sex");
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("\"M\" of the data is not covered"), "{ended:?}");
}

#[test]
fn every_command_has_its_help() {
    let folder = Folder::new();
    for (command, words) in [
        (
            "",
            &[
                "demo",
                "inspect",
                "init",
                "anonymize",
                "run",
                "verify",
                "apply",
                "hierarchy",
                "frontier",
                "Exit codes",
            ][..],
        ),
        ("demo", &["--rows", "--seed", "--write", "--json"]),
        ("inspect", &["--delimiter", "--missing", "--json"]),
        ("init", &["--output", "--force"]),
        (
            "anonymize",
            &[
                "-k",
                "--quasi",
                "--hierarchy",
                "--l-diversity",
                "--show-spec",
                "--cut-at",
                "--gap",
                "incrowd methods",
                "Examples",
            ],
        ),
        ("frontier", &["-k", "--max-suppressed", "--time-limit", "--output", "Example"]),
        ("run", &["--output", "--json"]),
        ("verify", &["--quasi", "--original", "--wildcards", "--t-closeness"]),
        ("apply", &["--unseen", "--output"]),
        ("hierarchy", &["build", "check"]),
        ("hierarchy build", &["--intervals", "--prefix", "--date", "--rule", "Examples"]),
        ("hierarchy check", &["--data", "--column"]),
    ] {
        let help = folder.run(&format!("{command} --help")).done();
        for word in words {
            assert!(
                help.stdout.contains(word),
                "{word} in the help of `{command}`:\n{}",
                help.stdout
            );
        }
    }
    assert!(folder.run("--version").done().stdout.starts_with("incrowd 0."));
    // The benchmarks are a program of their own.
    assert!(!folder.run("--help").done().stdout.contains("bench"));
}

/// Ctrl-C, the end of a session and the end of a container.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_partial_file() {
    let folder = Folder::new();
    folder.run("demo --rows 200000 --write big.csv").done();
    for signal in ["-INT", "-TERM", "-HUP"] {
        interrupted(&folder, signal);
        let _ = std::fs::remove_file(folder.path("out.csv"));
    }
}

#[cfg(unix)]
fn interrupted(folder: &Folder, signal: &str) {
    use std::process::{Command, Stdio};

    let line = "anonymize big.csv -k 3 --quasi age,race,education,occupation -o out.csv -q";
    let mut command = folder.command(line.split_whitespace());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    folder.wait_until_begun(&mut child);
    assert!(
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success()
    );
    let code = child.wait().unwrap().code();
    assert!(!folder.has_unfinished());
    match code {
        // Interrupted during the search, the best so far is still written, whole.
        Some(130) if !folder.path("out.csv").exists() => {}
        Some(130) => {
            folder.run("verify out.csv -k 3 --quasi age,race,education,occupation").done();
        }
        other => panic!("{signal}: exit code {other:?}"),
    }
}
