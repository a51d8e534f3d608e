//! Reports, through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use common::{Folder, PEOPLE};

const ANONYMIZE: &str = "anonymize people.csv -k 4 --quasi age,sex,zip,born --identifying name \
     --sensitive disease --seed 987654 --order sex=M,F";

/// Whatever a page could load or run.
const FORBIDDEN: [&str; 8] =
    ["<script", "javascript:", "src=", "http:", "https:", "url(", "@import", "onload"];

fn is_self_contained(page: &str) -> bool {
    // The name of SVG's vocabulary is an address that nobody opens.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    FORBIDDEN.iter().all(|word| !page.contains(word))
}

#[test]
fn a_report_holds_no_value_that_the_release_does_not_name() {
    let folder = Folder::new();
    for method in
        ["mondrian", "best-local", "cells", "recode-and-blank", "optimal --max-suppressed all"]
    {
        folder.run(&format!("{ANONYMIZE} -m {method} -o out.csv --report out.html")).done();
        let (page, release) = (folder.read("out.html"), folder.read("out.csv"));
        assert!(is_self_contained(&page), "{method}: {page}");
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{method}");
        for word in ["The question", "The answer", "Risk before and after", "age", "--report"] {
            assert!(page.contains(word), "{method}: {word}");
        }
        for row in PEOPLE.lines().skip(1) {
            // Ages are too short to be told from other numbers.
            for cell in row.split(',').filter(|cell| cell.len() > 2) {
                assert!(
                    !page.contains(cell) || release.contains(cell),
                    "{method}: {cell} is in the report, but not in the release"
                );
            }
        }
        assert!(!page.contains("M,F"), "{method}");
    }
}

#[test]
fn a_run_writes_its_report_beside_the_release() {
    let folder = Folder::new();
    folder.write(
        "made.toml",
        b"[data]\ninput = \"people.csv\"\nother = \"drop\"\n[columns.age]\nrole = \"quasi\"\n[columns.sex]\nrole = \
          \"quasi\"\n[privacy]\nk = 3\n",
    );
    folder.run("run made.toml -o there.csv.gz").done();
    assert!(folder.read("there.report.html").contains("nobody can be narrowed down to fewer than"));
    for (options, name) in [("--report my.html", "my.html"), ("--no-report", "none")] {
        let before = folder.content().len();
        let ended = folder.run(&format!("run made.toml -o next.csv {options}")).done();
        assert_eq!(ended.stdout.contains("\nReport  "), name != "none", "{}", ended.stdout);
        assert!(!folder.path("next.report.html").exists());
        let made = folder.content().len() - before;
        assert_eq!(made, if name == "none" { 0 } else { 2 }, "{options}");
    }
    let dry = folder.run("run made.toml").done();
    assert!(!dry.stdout.contains("\nReport  "), "{}", dry.stdout);
}

#[test]
fn a_run_without_a_release_is_reported_too() {
    let folder = Folder::new();
    let ended = folder.run("anonymize people.csv -k 9 --quasi age --other drop --report none.html");
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    let ended = folder.run(
        "anonymize people.csv -k 4 --quasi age --other drop --sensitive disease --l-diversity 4 \
         --report none.html",
    );
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let page = folder.read("none.html");
    assert!(page.contains("No release: "), "{page}");
}

#[test]
fn a_report_replaces_no_other_file() {
    let folder = Folder::new();
    for line in
        ["--report people.csv", "-o out.csv --report out.csv", "--report out.x --trace out.x"]
    {
        let before = folder.content();
        let ended = folder.run(&format!("{ANONYMIZE} {line}"));
        assert_eq!(ended.code, Some(2), "{line}");
        assert!(ended.stderr.contains("the report"), "{}", ended.stderr);
        assert!(before == folder.content(), "{line}");
    }
}

#[test]
fn traces_are_drawn() {
    let folder = Folder::new();
    let search = "anonymize people.csv -k 2 --quasi age,sex --other drop --metric dm";
    folder.run(&format!("{search} -m optimal --trace proof.csv")).done();
    folder.run(&format!("{search} -m climb --trace climb.csv")).done();
    folder.run("plot proof.csv climb.csv -o chart.svg").done();
    let chart = folder.read("chart.svg");
    assert!(chart.starts_with("<svg") && is_self_contained(&chart), "{chart}");
    for word in ["proof", "proof, bound", "climb", "CPU seconds"] {
        assert!(chart.contains(&format!(">{word}</text>")), "{word}");
    }
    for (line, complaint) in [
        ("plot people.csv -o new.svg", "no trace"),
        ("plot proof.csv -o proof.csv", "the chart"),
        ("plot none.csv -o new.svg", "none.csv"),
    ] {
        let before = folder.content();
        let ended = folder.run(line);
        assert_eq!(ended.code, Some(2), "{line}");
        assert!(ended.stderr.contains(complaint), "{}", ended.stderr);
        assert!(before == folder.content(), "{line}");
    }
}

/// Rows of `death = yes` are few and stand apart, so that a method that suppresses takes them all.
#[test]
fn suppression_that_takes_a_value_is_told_loudly() {
    let folder = Folder::new();
    let mut rows = String::from("age,sex,death,ward,note\n");
    for at in 0..600 {
        rows.push_str(&format!(
            "{},{},no,{},n{}\n",
            30 + at % 20,
            ["f", "m"][at % 2],
            ["a", "b", "c"][at % 3],
            at % 7
        ));
    }
    // Each of them alone in its combination.
    for at in 0..12 {
        rows.push_str(&format!("{},{},yes,d,gone\n", 60 + 2 * at, ["f", "m"][at % 2]));
    }
    folder.write("clinic.csv", rows.as_bytes());
    let cuts = (0..12).map(|at| (60 + 2 * at).to_string()).collect::<Vec<_>>().join(",");
    for (roles, quasi) in [
        ("--sensitive death", "age,sex"),
        ("--order death=no,yes --cut-at death=yes", "age,sex,death"),
    ] {
        let line = format!(
            "anonymize clinic.csv -k 3 --quasi {quasi} {roles} -m climb --metric dm --max-suppressed all \
             --cut-at age={cuts} -o out.csv --report out.html --internal-report own.html"
        );
        let ended = folder.run(&format!("{line} -v --show-values")).done();
        let told = "all 12 rows with death = yes are suppressed";
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
        assert!(
            ended.stderr.contains("all 12 rows with ward = d are suppressed"),
            "{}",
            ended.stderr
        );
        assert!(
            ended.stderr.contains("all 12 rows with note = gone are suppressed"),
            "{}",
            ended.stderr
        );
        let json = folder.run(&format!("{line} --json")).done().json();
        let warnings = json["warnings"].as_array().unwrap();
        let removed = warnings.iter().filter(|warning| warning["code"] == "value-suppressed");
        assert!(removed.count() >= 3, "{json}");
        assert_eq!(
            json["losses"][0]["removed"][0]["suppressed"].as_u64().map(|rows| rows > 0),
            Some(true)
        );
        // The page can be shared: it says that rows were suppressed, and nothing of what they had.
        let page = folder.read("out.html");
        assert!(page.contains("the data may lack whole groups of people"), "{quasi}");
        assert!(!page.contains("death = yes") && !page.contains("ward = d"), "{quasi}");
        assert!(folder.read("own.html").contains("all 12 rows with death = yes"), "{quasi}");
        if quasi.contains("death") {
            let recoding = json["recoding"].to_string();
            assert!(
                recoding.contains("; but all 12 rows with death = yes are suppressed"),
                "{recoding}"
            );
        }
    }
}
