//! mu-argus from the command line and from a spec file.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::Folder;

pub(crate) const PEOPLE: &str = "\
race,birth,gender,zip
black,1965,male,02141
black,1965,male,02141
black,1965,female,02138
black,1965,female,02138
black,1964,female,02138
black,1964,female,02138
white,1964,male,02138
white,1965,female,02139
white,1964,male,02139
white,1964,male,02139
white,1967,male,02138
white,1967,male,02138
";

const LINE: &str = "anonymize twelve.csv -k 2 --quasi race,birth,gender,zip -m mu-argus \
                    --argus birth=most,zip=more,gender=more --keep-order -q";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("twelve.csv", PEOPLE.as_bytes());
    folder
}

#[test]
fn what_fails_is_repaired_suppressed_or_written_on_demand() {
    let folder = folder();
    let verify =
        |file: &str| folder.run(&format!("verify {file} -k 2 --quasi race,birth,gender,zip"));
    // Repaired, all twelve hold.
    let text = folder.run(&format!("{LINE} -o repaired.csv -v")).done().stdout;
    assert!(text.contains("mu-Argus blanked 3 values: birth 2, gender 1"), "{text}");
    assert!(text.contains("2 rows still fail; further values were blanked"), "{text}");
    assert_eq!(folder.read("repaired.csv").lines().count(), 13);
    verify("repaired.csv").done();
    // Without repair the two are suppressed.
    folder.run(&format!("{LINE} --option repair=off -o rows.csv")).done();
    assert_eq!(folder.read("rows.csv").lines().count(), 11);
    verify("rows.csv").done();
    // Under an explicit word they are written, and everybody says that this fails.
    let ended = folder.run(&format!("{LINE} --option repair=off --failing write -o failing.csv"));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("FAILS"), "{ended:?}");
    assert!(
        ended.stdout.contains("do not publish this")
            || ended.stderr.contains("do not publish this"),
        "{ended:?}"
    );
    let written = folder.read("failing.csv");
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!((lines[7], lines[8]), ("white,*,male,02138", "white,*,*,02139"));
    assert_eq!(verify("failing.csv").code, Some(1));
    let refused = folder.run(&format!("{LINE} --failing write -o no.csv"));
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("repair=off"), "{refused:?}");
    assert!(!folder.path("no.csv").exists());
}

#[test]
fn sets_stand_in_the_spec_file() {
    let folder = folder();
    let shown =
        folder.run(&format!("{LINE} --option repair=off --failing write --show-spec")).done();
    assert!(shown.stdout.contains("argus = \"most\""), "{}", shown.stdout);
    assert!(shown.stdout.contains("failing = \"write\""), "{}", shown.stdout);
    folder.write("spec.toml", shown.stdout.as_bytes());
    let ended = folder.run("run spec.toml -o spec.csv -q");
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(folder.read("spec.csv").contains("white,*,*,02139"));
    let bad =
        folder.run("anonymize twelve.csv -k 2 --quasi race,birth -m mu-argus --argus birth=lots");
    assert_eq!(bad.code, Some(2));
    assert!(bad.stderr.contains("most"), "{bad:?}");
    let unknown = folder.run("anonymize twelve.csv -k 2 --quasi race,birth --argus zip=most");
    assert_eq!(unknown.code, Some(2));
    // Without any set they are suggested, and the note says so.
    let suggested = folder
        .run("anonymize twelve.csv -k 2 --quasi race,birth,gender,zip -m mu-argus -q -v")
        .done();
    assert!(suggested.stdout.contains("no column is in a set"), "{}", suggested.stdout);
}
