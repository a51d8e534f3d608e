//! Tables and files that were made to do harm.

use crate::common::{Ended, Folder};

/// What no terminal may get from a table.
fn acts(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || ('\u{202a}'..='\u{202e}').contains(&c)
}

#[track_caller]
fn harmless(ended: &Ended) {
    let told = format!("{}{}", ended.stdout, ended.stderr);
    assert!(!told.contains(acts), "{told:?}");
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let folder = Folder::new();
    let rows: String = (0..8)
        .map(|at| {
            format!("{},\u{1b}[2J{},\u{202e}gnp.exe\u{9b}31m,x\u{7}{at}\r\n", 20 + at % 2, at % 2)
        })
        .collect();
    let table = format!("age,ci\u{1b}]0;gotcha\u{7}ty,note,key\u{8}\r\n{rows}");
    folder.write("bad.csv", table.as_bytes());
    let city = "ci\u{1b}]0;gotcha\u{7}ty";
    let quasi = format!("age,{city}");
    let key = "key\u{8}";
    for args in [
        vec!["inspect", "bad.csv"],
        vec!["inspect", "bad.csv", "--json"],
        vec!["anonymize", "bad.csv", "-k", "2", "--quasi", &quasi],
        vec![
            "anonymize",
            "bad.csv",
            "-k",
            "2",
            "--quasi",
            &quasi,
            "--identifying",
            key,
            "--plain",
            "note",
            "-o",
            "out.csv",
        ],
        vec!["anonymize", "bad.csv", "-k", "2", "--quasi", "nothing\u{1b}[1m"],
        vec!["verify", "bad.csv", "-k", "5", "--quasi", &quasi, "--show-values"],
        vec!["verify", "bad.csv", "-k", "5", "--quasi", &quasi, "--show-values", "--json"],
        vec!["risk", "bad.csv", "--quasi", &quasi],
        vec!["evaluate", "metrics", "out.csv", "--original", "bad.csv", "--quasi", &quasi],
        vec!["compare", "bad.csv", "-k", "2", "--quasi", &quasi, "--no-cache"],
        vec!["init", "bad.csv", "-o", "-"],
    ] {
        let ended = Ended::from(folder.command(args.iter().copied()).output().unwrap());
        assert!(ended.code.is_some_and(|code| code <= 2), "{args:?}: {ended:?}");
        harmless(&ended);
    }
    // What was released is what it was.
    assert!(folder.read("out.csv").contains('\u{9b}'));
}

#[test]
fn formulas_are_warned_about_and_made_harmless() {
    let folder = Folder::new();
    folder.write("bad.csv", b"age,note\n20,=cmd|' /C calc'!A0\n20,-5\n21,@SUM(A1)\n21,+7\n");
    let ask = "anonymize bad.csv -k 2 --quasi age --plain note -o out.csv --seed 1";
    let ended = folder.run(&format!("{ask} --json")).done();
    let json = ended.json();
    assert!(json["warnings"].to_string().contains("\"formulas\""), "{json}");
    assert!(
        folder.read("out.csv").contains("\n[20-20],=cmd")
            || folder.read("out.csv").contains(",=cmd")
    );
    let ended = folder.run(&format!("{ask} --csv-safe")).done();
    assert!(!ended.stderr.contains("spreadsheet"), "{ended:?}");
    let safe = folder.read("out.csv");
    assert!(
        safe.contains(",'=cmd")
            && safe.contains(",'@SUM")
            && safe.contains(",-5")
            && safe.contains(",+7"),
        "{safe}"
    );
    // Numbers are no formulas.
    folder.write("good.csv", b"age,note\n20,-5\n20,+7\n21,-1.5\n21,-\n");
    let ended = folder.run("anonymize good.csv -k 2 --quasi age --plain note -o out.csv").done();
    assert!(!ended.stderr.contains("spreadsheet"), "{ended:?}");
}

#[test]
fn values_of_people_are_told_only_when_asked_for() {
    let folder = Folder::new();
    for (line, secret) in [
        ("verify people.csv -k 2 --quasi age,sex,zip --unchecked name,born", "47677"),
        ("anonymize people.csv -k 2 --quasi age,disease --type disease=number -o out.csv", "flu"),
        ("verify others.csv -k 1 --quasi age --original people.csv", "23"),
    ] {
        folder.write("others.csv", b"age\n[50-51]\n");
        let kept = folder.run(line);
        let told = folder.run(&format!("{line} --show-values"));
        assert_eq!(kept.code, told.code, "{kept:?}");
        let all = |ended: &Ended| format!("{}{}", ended.stdout, ended.stderr);
        assert!(all(&told).contains(secret), "{told:?}");
        assert!(!all(&kept).contains(secret), "{kept:?}");
    }
    let json = folder.run("verify people.csv -k 2 --quasi age,sex,zip --json").json();
    let example = &json["violations"][0]["examples"][0];
    assert_eq!(example["values"][0]["column"], "age");
    assert_eq!(example["rows"][0], 1);
    assert!(!json["violations"].to_string().contains("47677"), "{json}");
}

#[cfg(unix)]
#[test]
fn what_is_confidential_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let out = "-o out.csv --recoding recoding.json --trace trace.csv --report page.html";
    let line =
        format!("anonymize people.csv -k 2 --quasi age,sex --identifying name,zip,born {out}");
    let asked = format!("umask 000; exec {} {line}", env!("CARGO_BIN_EXE_incrowd"));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &asked]).current_dir(folder.path("."));
    assert!(shell.output().unwrap().status.success());
    let mode =
        |name: &str| std::fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("recoding.json"), mode("trace.csv")), (0o600, 0o600));
    assert_eq!((mode("out.csv"), mode("page.html")), (0o666, 0o666));
}

#[test]
fn no_output_replaces_an_input() {
    let folder = Folder::new();
    folder.write("sex.csv", b"F,*\nM,*\n");
    folder.write("all.csv", b"age,sex\n23,F\n27,M\n");
    let ask = "anonymize people.csv -k 2 --quasi age,sex --identifying name,zip,born --hierarchy sex=sex.csv \
               --population all.csv -o out.csv";
    let before = folder.content();
    for output in ["trace", "report", "recoding"] {
        for input in ["people.csv", "sex.csv", "all.csv", "./sex.csv"] {
            let ended = folder.run(&format!("{ask} --{output} {input}"));
            assert_eq!(ended.code, Some(2), "--{output} {input}: {ended:?}");
            assert!(ended.stderr.contains("would be written over"), "{ended:?}");
            assert_eq!(folder.content(), before);
        }
    }
    for line in [
        "risk people.csv --quasi age,sex --population all.csv --report all.csv",
        "evaluate metrics all.csv --original people.csv --quasi age,sex --hierarchy sex=sex.csv --report sex.csv",
        "evaluate metrics all.csv --original people.csv --quasi age,sex --report people.csv",
        "apply recoding.json people.csv -o people.csv",
    ] {
        assert_eq!(folder.run(line).code, Some(2), "{line}");
        assert_eq!(folder.content(), before, "{line}");
    }
}

/// What fails at the end takes everything with it.
#[test]
fn outputs_appear_together_or_not_at_all() {
    let folder = Folder::new();
    let ask = "anonymize people.csv -k 2 --quasi age,sex --identifying name,zip,born -o out.csv --recoding r.json";
    // The folder of the last output is no folder.
    let before = folder.content();
    assert_eq!(folder.run(&format!("{ask} --report people.csv/page.html")).code, Some(2));
    assert_eq!(folder.content(), before);
    folder.run(&format!("{ask} --report page.html")).done();
    for name in ["out.csv", "r.json", "page.html"] {
        assert!(folder.path(name).exists(), "{name}");
    }
}

#[test]
fn a_small_file_that_unpacks_to_much_is_refused() {
    let folder = Folder::new();
    let text = format!("age,sex\n{}", "20,f\n".repeat(600_000));
    folder.write("plain.csv", text.as_bytes());
    folder.run("anonymize plain.csv -k 2 --quasi age,sex -o bomb.csv.gz --sort").done();
    let ended = folder.run("inspect bomb.csv.gz --max-expansion 20");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.stderr.contains("unpacks to more than") && ended.stderr.contains("--max-expansion"),
        "{ended:?}"
    );
    assert_eq!(
        folder.run("anonymize bomb.csv.gz -k 2 --quasi age,sex --max-expansion 20").code,
        Some(2)
    );
    folder.run("inspect bomb.csv.gz").done();
}

/// Work that grows with the square of the columns takes minutes here.
#[test]
fn many_columns_are_no_trouble() {
    let folder = Folder::new();
    let count = 20_000;
    let names: Vec<String> = (0..count).map(|at| format!("c{at}")).collect();
    let row = |age: u32| format!("{age},f{}\n", ",1".repeat(count));
    let rows: String = (0..6).map(|at| row(20 + at % 2)).collect();
    folder.write("wide.csv", format!("age,sex,{}\n{rows}", names.join(",")).as_bytes());
    let start = std::time::Instant::now();
    folder.run("anonymize wide.csv -k 2 --quasi age,sex -o out.csv -q").done();
    folder.run("verify out.csv -k 2 --quasi age,sex --original wide.csv").done();
    assert!(start.elapsed().as_secs() < 240, "{:?}", start.elapsed());
}
