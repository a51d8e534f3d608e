//! Gates for pipelines: limits, and checks as files that build servers and code review read.

use serde_json::Value;

use crate::common::Folder;

const GOOD: &str = "age,sex,ill\n30-39,F,flu\n30-39,F,cold\n40-49,M,flu\n40-49,M,cold\n";
const BAD: &str = "age,sex,ill\n30-39,F,flu\n30-39,F,flu\n40-49,M,secret\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("good.csv", GOOD.as_bytes());
    folder.write("bad.csv", BAD.as_bytes());
    folder
}

/// The names and the failures of the test cases in a file.
fn cases(folder: &Folder, name: &str) -> Vec<(String, bool)> {
    let text = folder.read(name);
    let lines = text.lines().filter(|line| line.trim_start().starts_with("<testcase"));
    let of = |line: &str| {
        let class = line.split("classname=\"").nth(1).and_then(|rest| rest.split('"').next());
        (class.unwrap_or_default().to_owned(), !line.ends_with("/>"))
    };
    lines.map(of).collect()
}

#[test]
fn verdicts_are_files_for_build_servers_and_reviews() {
    let folder = folder();
    let gates = "--junit out.xml --sarif out.sarif";
    let asked = "--quasi age,sex -k 2 --sensitive ill --l-diversity 2";
    folder.run(&format!("verify good.csv {asked} --max-average-risk 0.5 {gates}")).done();
    let names =
        ["incrowd.verify.k-anonymity", "incrowd.verify.privacy-model", "incrowd.verify.risk"];
    assert_eq!(cases(&folder, "out.xml"), names.map(|name| (name.to_owned(), false)));
    let sarif: Value = serde_json::from_str(&folder.read("out.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));

    let ended = folder.run(&format!("verify bad.csv {asked} {gates}"));
    assert_eq!(ended.code, Some(1));
    assert_eq!(cases(&folder, "out.xml"), [names[0], names[1]].map(|it| (it.to_owned(), true)));
    let text = folder.read("out.sarif");
    let sarif: Value = serde_json::from_str(&text).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<_> = results.iter().map(|it| it["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["k-anonymity", "privacy-model"]);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 4, "{place}");
    assert!(!text.contains("secret") && !folder.read("out.xml").contains("secret"));

    // Whoever may see values in the terminal does not put them into files that are shared.
    folder.run(&format!("--show-values verify bad.csv {asked} {gates}"));
    assert!(
        !folder.read("out.xml").contains("40-49") && !folder.read("out.sarif").contains("40-49")
    );
}

#[test]
fn releases_that_tell_lies_fail_by_name() {
    let folder = folder();
    folder.write("people.csv", b"age,sex,ill\n31,F,flu\n32,F,cold\n41,M,flu\n42,M,cold\n");
    let line = "--quasi age,sex -k 2 --original people.csv --junit out.xml";
    folder.run(&format!("verify good.csv {line}")).done();
    assert!(cases(&folder, "out.xml").contains(&("incrowd.verify.original".to_owned(), false)));
    folder.write("lie.csv", GOOD.replace("40-49", "50-59").as_bytes());
    assert_eq!(folder.run(&format!("verify lie.csv {line}")).code, Some(1));
    assert!(cases(&folder, "out.xml").contains(&("incrowd.verify.original".to_owned(), true)));
    folder.write("more.csv", b"age,sex,ill,name\n30-39,F,flu,a\n30-39,F,cold,b\n");
    let ended =
        folder.run("verify more.csv --quasi age,sex -k 2 --identifying name --junit out.xml");
    assert_eq!(ended.code, Some(1));
    let broken = ("incrowd.verify.identifying-column".to_owned(), true);
    assert!(cases(&folder, "out.xml").contains(&broken));
}

#[test]
fn limits_end_with_code_one() {
    let folder = folder();
    let risk =
        |limits: &str| folder.run(&format!("risk bad.csv --quasi age,sex --size 0 {limits}"));
    assert_eq!(risk("--max-risk 100% --max-average-risk 0.7 --max-unique 34%").code, Some(0));
    assert_eq!(risk("--max-risk 0.5").code, Some(1));
    assert_eq!(risk("--max-average-risk 0.6").code, Some(1));
    assert_eq!(risk("--max-unique 33% --junit out.xml --sarif out.sarif").code, Some(1));
    assert_eq!(cases(&folder, "out.xml"), [("incrowd.risk.max-unique".to_owned(), true)]);
    let ended = risk("--max-risk many --junit never.xml");
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("`many` of --max-risk"), "{}", ended.stderr);
    assert!(!folder.path("never.xml").exists());

    folder.write("people.csv", b"age,ill\n31,flu\n32,cold\n41,flu\n42,cold\n");
    let line =
        "anonymize people.csv -k 2 --quasi age --plain ill --accept ill -o release.csv --quiet";
    folder.run(line).done();
    let line = "evaluate metrics release.csv --original people.csv --quasi age";
    folder.run(&format!("{line} --max-loss 90%")).done();
    let ended = folder.run(&format!("{line} --max-loss 1% --junit out.xml"));
    assert_eq!(ended.code, Some(1));
    assert_eq!(cases(&folder, "out.xml"), [("incrowd.evaluate.max-loss".to_owned(), true)]);
    let attack = "attack release.csv --original people.csv --known age --secret ill --quiet";
    folder.run(&format!("{attack} --max-risk 100% --junit out.xml")).done();
    assert!(cases(&folder, "out.xml").iter().all(|(name, _)| name == "incrowd.attack.max-risk"));
}

#[test]
fn files_replace_nothing_that_is_read() {
    let folder = folder();
    for line in [
        "verify good.csv --quasi age -k 2 --junit good.csv",
        "risk good.csv --quasi age --sarif good.csv",
        "verify good.csv --quasi age -k 2 --junit out --sarif out",
    ] {
        let ended = folder.run(line);
        assert_eq!(ended.code, Some(2), "{line}: {}", ended.stderr);
    }
    assert_eq!(folder.read("good.csv"), GOOD);
    assert!(!folder.path("out").exists());
}
