//! Cell suppression through the real binary: release, report, verifying, saving, the weaker reading.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use common::Folder;

const FOUR: &str = "a,b,c,state\n1,2,3,TX\n1,2,3,AZ\n8,9,3,TX\n1,2,7,TX\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("four.csv", FOUR.as_bytes());
    folder
}

#[test]
fn blanks_are_made_reported_verified_and_saved() {
    let folder = folder();
    for method in ["cells", "cover", "balanced"] {
        let line = format!(
            "anonymize four.csv -k 2 --quasi a,b,c,state -m {method} --metric blanks --json \
             -o {method}.csv --recoding {method}.json"
        );
        let report = folder.run(&line).done().json();
        assert_eq!((&report["outcome"], &report["cost"]), (&"optimal".into(), &8.0.into()));
        assert_eq!(report["recoding_kind"], "cellwise");
        assert_eq!(report["blanks"]["cells"], 8);
        assert_eq!(folder.read(&format!("{method}.csv")).matches('*').count(), 8);
        let checked = format!("verify {method}.csv -k 2 --quasi a,b,c,state --original four.csv");
        folder.run(&checked).done();
        folder.run(&format!("apply {method}.json four.csv -o again.csv")).done();
        folder.run("verify again.csv -k 2 --quasi a,b,c,state --original four.csv").done();
    }
    let report = folder.run("anonymize four.csv -k 2 --quasi a,b,c,state -m balanced -v").done();
    assert!(report.stdout.contains("by row: 2 in 4 rows"), "{}", report.stdout);
    let report = folder.run("anonymize four.csv -k 2 --quasi a,b,c,state -m cover -v").done();
    assert!(report.stdout.contains("1.000 times the optimum"), "{}", report.stdout);
}

#[test]
fn the_weaker_reading_is_asked_for_and_told() {
    let folder = folder();
    let line = "anonymize four.csv -k 2 --quasi a,b,c,state --wildcards -o out.csv";
    let refused = folder.run(&format!("{line} -m mondrian"));
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("wildcards"), "{}", refused.stderr);
    let told = folder.run(&format!("{line} -m cells --recoding saved.json")).done();
    assert!(told.stdout.contains("taken to match anything, which is weaker"), "{}", told.stdout);
    folder.run("verify out.csv -k 2 --quasi a,b,c,state --original four.csv --wildcards").done();
    folder.run("apply saved.json four.csv -o again.csv").done();
    folder.run("verify again.csv -k 2 --quasi a,b,c,state --wildcards").done();

    let spec = folder.run(&format!("{line} -m cells --show-spec")).done().stdout;
    assert!(spec.contains("wildcards = true"), "{spec}");
    folder.write("spec.toml", spec.as_bytes());
    let report = folder.run("run spec.toml --json").done().json();
    assert_eq!(report["wildcards"], true);
    assert!(report["achieved_k"].as_u64().unwrap() >= 2);
}
