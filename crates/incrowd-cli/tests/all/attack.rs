//! Attacks on releases, through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use common::Folder;
use serde_json::Value;

const KNOWN: &str = "age,sex,race,marital-status";

/// Made-up people, others like them, and two groups more.
fn census() -> Folder {
    let folder = Folder::new();
    for (name, seed) in [("people", 3), ("others", 4), ("control", 5)] {
        folder.run(&format!("demo --rows 1500 --seed {seed} --write {name}.csv")).done();
    }
    folder
}

fn attacked(folder: &Folder, rest: &str) -> Value {
    let line = format!("attack {rest} --original people.csv --known {KNOWN} --attempts 400 --json");
    serde_json::from_str(&folder.run(&line).done().stdout).unwrap()
}

fn low(report: &Value, attack: &str) -> f64 {
    report[attack]["low"].as_f64().unwrap()
}

#[test]
fn a_bad_release_is_told_from_a_good_one_and_from_none() {
    let folder = census();
    folder
        .run(&format!(
            "anonymize people.csv -k 10 --quasi {KNOWN} --other drop --sensitive income --t-closeness 0.2 -o good.csv"
        ))
        .done();
    // Ages in ranges of five and all else as it was.
    folder
        .run(&format!("anonymize people.csv -k 1 --max-average-risk 1 --quasi {KNOWN} --other drop --bins age=3 --sensitive income -o bad.csv"))
        .done();
    for control in ["", " --control control.csv"] {
        let good = attacked(&folder, &format!("good.csv{control} --secret income"));
        assert_eq!(good["found"], false, "{good:#}");
        let bad = attacked(&folder, &format!("bad.csv{control} --secret income"));
        assert!(low(&bad, "singling_out") > 0.0, "{bad:#}");
        let copy = attacked(&folder, &format!("people.csv{control}"));
        assert!(low(&copy, "singling_out") > low(&bad, "singling_out"), "{copy:#}");
        assert_eq!(copy["found"], true);
        let none = attacked(&folder, &format!("others.csv{control}"));
        assert_eq!(none["found"], false, "{none:#}");
    }
}

#[test]
fn text_page_and_exit_code() {
    let folder = census();
    let line = "attack people.csv --original people.csv --control control.csv --secret income --attempts 200";
    let told = folder.run(line).done().stdout;
    for words in ["singling out", "inference of income", "control group of 1,500", "exposes people"]
    {
        assert!(told.contains(words), "{told}");
    }
    assert_eq!(told, folder.run(&format!("{line} --threads 1")).done().stdout);
    folder.run(&format!("{line} --page attack.html")).done();
    let page = folder.read("attack.html");
    assert!(page.contains("Attacks on a release") && !page.contains("<script"), "{page}");
    assert_eq!(folder.run(&format!("{line} --max-risk 1%")).code, Some(1));
    assert_eq!(folder.run(&format!("{line} --max-risk 100%")).code, Some(0));
}

/// Labels that other tools write are read as the verifier reads them.
#[test]
fn labels_of_other_tools() {
    let folder = Folder::new();
    folder.write(
        "other.csv",
        b"age,sex,zip\n\"[20,30[\",F,476**\n20-29,M,476**\n\"(22, 29]\",M,476**\n>=35,*,479**\n",
    );
    let report = folder
        .run("attack other.csv --original people.csv --known age,sex,zip --json")
        .done()
        .stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["singling_out"]["attack"]["tries"], 8);
    assert_eq!(report["notes"], serde_json::json!([]), "{report:#}");
    // Ann is the only woman in her twenties, and the three from 35 on share one row.
    assert!(report["singling_out"]["attack"]["hits"].as_u64().unwrap() >= 4, "{report:#}");
}

#[test]
fn what_cannot_be_attacked_is_refused() {
    let folder = Folder::new();
    folder.write("none.csv", b"a,b\n1,2\n");
    for (line, words) in [
        ("attack none.csv --original people.csv", "no column of the original"),
        ("attack people.csv --original people.csv --known job", "`job` is not in both"),
        (
            "attack people.csv --original people.csv --control none.csv",
            "control group has no column",
        ),
        ("attack people.csv --original people.csv --confidence 2", "not a share"),
        ("attack - --original -", "cannot both come from standard input"),
    ] {
        let refused = folder.run(line);
        assert_eq!(refused.code, Some(2), "{line}");
        assert!(refused.stderr.contains(words), "{line}: {}", refused.stderr);
    }
}
