//! Kinds of release instead of methods, and what is said of the methods.

use crate::common::Folder;

const QUASI: &str = "age,sex,marital-status,education,occupation";

#[test]
fn every_kind_gives_a_verified_release_and_says_how() {
    let folder = Folder::new();
    folder.run("demo --rows 300 --write demo.csv").done();
    for (kind, recoding) in [
        ("local", "local"),
        ("global", "global"),
        ("levels", "global"),
        ("cells", "cellwise"),
        ("mixed", "mixed"),
    ] {
        for privacy in ["", "--sensitive income --l-diversity 2"] {
            let line = format!(
                "anonymize demo.csv -k 4 --quasi {QUASI} {privacy} --other drop --kind {kind} --effort quick \
                 -o out.csv --json"
            );
            let made = folder.run(&line).done().json();
            assert_eq!((&made["kind"], &made["recoding_kind"]), (&kind.into(), &recoding.into()));
            assert_eq!(made["verdict"]["holds"], true, "{made:#}");
            let method = made["method"].as_str().unwrap();
            assert!(made["auto"]["why"].as_str().unwrap().starts_with(method), "{made:#}");
            let printed = made["released_gcp"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&printed));
            assert_eq!(made["metrics"]["released_gcp"], made["released_gcp"]);
            // Levels made by rule are labels that anybody can read.
            let verify = format!("verify out.csv -k 4 --quasi {QUASI} --original demo.csv");
            folder.run(&verify).done();
        }
    }
}

#[test]
fn a_spec_says_kind_and_effort_too() {
    let folder = Folder::new();
    folder.run("demo --rows 200 --write demo.csv").done();
    let line = "anonymize demo.csv -k 4 --quasi age,sex --other drop --kind global --effort quick --seed-file key";
    let spec = folder.run(&format!("{line} --show-spec")).done().stdout;
    assert!(spec.contains("kind = \"global\"") && spec.contains("effort = \"quick\""), "{spec}");
    folder.write("spec.toml", spec.as_bytes());
    folder.run(&format!("{line} -o one.csv")).done();
    folder.run("run spec.toml -o other.csv --no-report").done();
    assert_eq!(folder.read("one.csv"), folder.read("other.csv"));
}

#[test]
fn methods_are_listed_and_explained() {
    let folder = Folder::new();
    let listed = folder.run("methods").done().stdout;
    for word in ["auto", "--kind local", "best-local", "--kind cells", "mu-argus"] {
        assert!(listed.contains(word), "{word}: {listed}");
    }
    let one = folder.run("methods best-local").done().stdout;
    for word in
        ["steps", "1000", "search-seed", "docs/reference/methods/best-local.md", "kind local"]
    {
        assert!(one.contains(word), "{word}: {one}");
    }
    let all = folder.run("methods --json").done().json();
    assert!(all.as_array().unwrap().len() > 20);
    assert_eq!(folder.run("methods lattice --json").done().json()["kind"], "levels");
    let ended = folder.run("methods mondrain");
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("mondrian"), "{}", ended.stderr);
}

#[test]
fn help_fits_on_screens() {
    let folder = Folder::new();
    let lines = |flag: &str| folder.run(&format!("anonymize {flag}")).done().stdout.lines().count();
    assert!(lines("-h") <= 50, "{}", lines("-h"));
    assert!(lines("--help") <= 152, "{}", lines("--help"));
}
