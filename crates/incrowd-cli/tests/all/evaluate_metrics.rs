//! The metrics of a written release are those of the engine that made it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::Folder;
use serde_json::Value;

const QUASI: &str = "age,sex,race,marital-status,education,native-country,workclass,occupation";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.run("demo --rows 240 --write demo.csv --hierarchies h").done();
    folder
}

fn hierarchies() -> String {
    QUASI.split(',').map(|column| format!(" --hierarchy {column}=h/{column}.csv")).collect()
}

/// Every number of one object is in the other, to the twelfth digit.
#[track_caller]
fn same(engine: &Value, files: &Value, what: &str, spelled_out: bool) {
    for (name, value) in engine.as_object().unwrap() {
        // A long set without a hierarchy is shown by less than itself, and a file cannot tell what it meant.
        if !spelled_out && !["dm", "cm", "released_gcp"].contains(&name.as_str()) {
            continue;
        }
        match (value.as_f64(), files[name].as_f64()) {
            (Some(one), Some(other)) => {
                let apart = (one - other).abs();
                assert!(apart <= 1e-9 * one.abs().max(1.0), "{what}: {name} {one} {other}");
            }
            (one, other) => assert_eq!(one, other, "{what}: {name}"),
        }
    }
}

#[test]
fn metrics_from_files_are_those_of_the_engine() {
    let folder = folder();
    let trees = hierarchies();
    let few = "--max-suppressed 5%";
    let cases = [
        // Single-dimensional.
        ("optimal --time-limit 1s --metric dm", trees.as_str(), ""),
        ("climb --option steps=2000", trees.as_str(), "--weight age=3"),
        ("climb --option steps=2000 --option cuts=tree --metric dm", trees.as_str(), ""),
        ("anneal --option steps=2000", "", ""),
        ("top-down", trees.as_str(), ""),
        ("climb --option steps=1000", "", "--bins age=5@16"),
        // Full-domain.
        ("datafly", trees.as_str(), ""),
        ("lattice --metric loss --time-limit 1s", trees.as_str(), few),
        // Multidimensional and local.
        ("mondrian", "", ""),
        ("mondrian --option mode=relaxed", trees.as_str(), "--summary age=columns"),
        ("mondrian", trees.as_str(), "--summary occupation=node --summary education=node"),
        ("cluster-down", trees.as_str(), "--weight sex=0.5"),
        ("cluster-up", "", few),
        ("best-local --option steps=500", trees.as_str(), few),
        // Cells.
        ("cells --option steps=500 --option nodes=100", "", ""),
        ("cover --option improve=0 --option nodes=100", "", ""),
        ("mu-argus", trees.as_str(), ""),
    ];
    for (method, trees, columns) in cases {
        let options = format!("--quasi {QUASI} {trees} {columns} --class income");
        let made = folder
            .run(&format!("anonymize demo.csv -k 4 {options} -m {method} -o out.csv -q --json"))
            .done()
            .json();
        let columns = columns.replace(few, "");
        let line = format!(
            "evaluate metrics out.csv --original demo.csv -k 4 --json --quasi {QUASI} {trees} {columns} \
             --class income"
        );
        let read = folder.run(&line).done().json();
        let what = format!("{method} {columns}");
        same(&made["metrics"], &read["metrics"], &what, !trees.is_empty());
        for name in ["rows", "released", "suppressed", "classes"] {
            assert_eq!(made[name], read[name], "{what}: {name}");
        }
        assert_eq!(made["achieved_k"], read["class_sizes"]["smallest"], "{what}");
        let refused = read["refused"].as_array().unwrap();
        assert!(refused.iter().all(|why| why.as_str().unwrap().contains("hierarchy")), "{read}");
    }
}

#[test]
fn blank_rows_count_as_the_user_says() {
    let folder = folder();
    let options = format!("--quasi {QUASI} {}", hierarchies());
    let made = folder
        .run(&format!(
            "anonymize demo.csv -k 4 {options} -m datafly --max-suppressed 10% --suppressed blank -o out.csv \
             -q --json"
        ))
        .done()
        .json();
    assert!(made["suppressed"].as_u64().unwrap() > 0, "{made}");
    let line = format!("evaluate metrics out.csv --original demo.csv -k 4 --json {options}");
    let read = folder.run(&format!("{line} --blank-suppressed")).done().json();
    same(&made["metrics"], &read["metrics"], "blank rows", true);
    assert_eq!(made["suppressed"], read["suppressed"]);
    let plain = folder.run(&line).done().json();
    assert_eq!(plain["suppressed"], 0);
    assert_ne!(plain["metrics"]["dm"], read["metrics"]["dm"]);
    assert_eq!(plain["metrics"]["blanks"], read["metrics"]["blanks"]);
}

#[test]
fn what_a_release_does_not_tell_is_not_made_up() {
    let folder = folder();
    let line = "--quasi age,sex,education --other drop --summary age=mean";
    folder.run(&format!("anonymize demo.csv -k 4 {line} -o out.csv -q")).done();
    let evaluate = "evaluate metrics out.csv --original demo.csv --quasi age,sex,education";
    let read = folder.run(&format!("{evaluate} --class income --json")).done().json();
    for name in ["ncp", "gcp", "loss", "geometric_loss", "precision", "entropy", "blanks", "cm"] {
        assert!(read["metrics"][name].is_null(), "{name}: {read}");
    }
    assert!(read["metrics"]["dm"].as_u64().unwrap() > 0);
    let text = folder.run(&format!("{evaluate} --class income")).done().stdout;
    for words in ["age shows means", "the release has no column `income`", "kept "] {
        assert!(text.contains(words), "{words}: {text}");
    }
    for (options, message) in [
        ("--hierarchy income=h/sex.csv", "has no role"),
        ("--report out.csv", "the page"),
        ("--original-delimiter ;", "unexpected argument"),
    ] {
        let ended = folder.run(&format!("{evaluate} {options}"));
        assert!(ended.code == Some(2) && ended.stderr.contains(message), "{options}: {ended:?}");
    }
    // More rows than there were people, and people of a kind that there was not.
    let ended = folder.run("evaluate metrics demo.csv --original people.csv --quasi age,sex");
    assert!(ended.code == Some(2), "{ended:?}");
    let twice = folder.read("people.csv") + &folder.read("people.csv").replace("name,age", "x,1");
    folder.write("twice.csv", twice.replace("x,1,sex,zip,born,disease\n", "").as_bytes());
    let ended = folder.run("evaluate metrics twice.csv --original people.csv --quasi age,sex");
    assert!(ended.stderr.contains("16 rows, but the original has only 8"), "{ended:?}");
    folder.write("other.csv", folder.read("people.csv").replace("gina", "").as_bytes());
    let ended =
        folder.run("evaluate metrics other.csv --original people.csv --quasi age --class disease");
    assert!(ended.stderr.contains("which the original lacks"), "{ended:?}");
}

#[test]
fn all_of_it_goes_on_one_page() {
    let folder = folder();
    let options = format!("--quasi {QUASI} --class income {}", hierarchies());
    folder.run(&format!("anonymize demo.csv -k 5 {options} -o out.csv -q")).done();
    let line = format!("evaluate all out.csv --original demo.csv {options}");
    let json = folder.run(&format!("{line} --report page.html --json")).done().json();
    // What each part finds by itself.
    let queries = folder
        .run(&format!(
            "evaluate queries out.csv --original demo.csv --quasi {QUASI} {} --json",
            hierarchies()
        ))
        .done()
        .json();
    assert_eq!(json["queries"]["errors"], queries["errors"]);
    let trees = folder
        .run(&format!(
            "evaluate classification out.csv --original demo.csv --quasi {QUASI} --class income --json"
        ))
        .done()
        .json();
    assert_eq!(json["classification"]["release"], trees["release"]);
    let kept = json["columns"][0]["kept"].as_f64().unwrap();
    assert!(kept > 0.0 && kept < 1.0, "{kept}");
    let page = folder.read("page.html");
    for word in
        ["Metrics", "Risk before and after", "Information kept", "Wrong predictions", "median"]
    {
        assert!(page.contains(word), "{word}");
    }
    let text = folder.run(&line).done().stdout;
    for word in ["dm   ", "C_avg", "GCP", "precision", "bits", "error         median", "wrong for"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
}
