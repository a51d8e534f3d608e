//! Codes and names that carry their groups in themselves.

use crate::common::Folder;

/// Rows of a table: each value so many times.
fn table(header: &str, values: &[&str], times: usize) -> String {
    let rows = values.iter().flat_map(|value| std::iter::repeat_n(format!("{value}\n"), times));
    std::iter::once(format!("{header}\n")).chain(rows).collect()
}

fn labels(text: &str) -> Vec<String> {
    let mut labels: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
    labels.sort();
    labels.dedup();
    labels
}

#[test]
fn ready_hierarchies_release_their_groups() {
    let folder = Folder::new();
    for (header, values, word, expected) in [
        ("land", &["Germany", "FR", "Viet Nam", "Japan", "Kenya"][..], "countries", "Africa"),
        ("dx", &["E11.9", "E10.1", "I10", "I21.3", "I25.1"], "icd10", "chapter 9 (I00-I99)"),
        (
            "ip",
            &["10.1.2.3", "10.1.2.4", "10.1.9.1", "2001:db8::1", "2001:db8::2"],
            "ip",
            "10.1.0.0/16",
        ),
        ("mail", &["a@x.org", "b@x.org", "c@y.org", "d@y.de", "e@z.de"], "email", "@*.org"),
    ] {
        folder.write("t.csv", table(header, values, 3).as_bytes());
        let line = format!(
            "anonymize t.csv -k 4 -m datafly --quasi {header} --hierarchy {header}={word} --max-suppressed all -o out.csv --recoding r.json"
        );
        folder.run(&line).done();
        let released = labels(&folder.read("out.csv"));
        assert!(released.iter().all(|label| !values.contains(&label.as_str())), "{released:?}");
        let rows = folder.run(&format!("anonymize t.csv -k 1 -m mondrian --quasi {header} --hierarchy {header}={word} --show-spec")).done();
        assert!(
            rows.stdout.contains(&format!("hierarchy = {{ ready = \"{word}\" }}")),
            "{}",
            rows.stdout
        );
        let verdict = folder
            .run(&format!(
                "verify out.csv -k 4 --quasi {header} --original t.csv --hierarchy {header}={word}"
            ))
            .done();
        assert!(verdict.stdout.contains("The release holds."), "{expected}: {}", verdict.stdout);
        let again = folder.run("apply r.json t.csv -o again.csv");
        match released.is_empty() {
            true => assert_eq!(again.code, Some(2), "{again:?}"),
            false => assert_eq!(again.code, Some(0), "{again:?}"),
        }
    }
}

#[test]
fn values_that_are_not_covered_are_listed() {
    let folder = Folder::new();
    folder.write("t.csv", table("land", &["Germany", "Atlantis", "France"], 5).as_bytes());
    let line = "anonymize t.csv -k 6 -m datafly --quasi land --max-suppressed all -o out.csv --hierarchy land=countries";
    let ended = folder.run(&format!("{line} --show-values"));
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("\"Atlantis\"")
            && ended.stderr.contains("--hierarchy land=countries:other"),
        "{}",
        ended.stderr
    );
    folder.run(&format!("{line}:elsewhere")).done();
}

#[test]
fn one_longer_code_does_not_lengthen_all_masks() {
    let folder = Folder::new();
    let zips = ["98112", "98113", "98114", "98115-1234", "98116"];
    folder.write("t.csv", table("zip", &zips, 2).as_bytes());
    let line = "anonymize t.csv -k 4 -m datafly --quasi zip --hierarchy zip=prefix:5,4,3 -o out.csv --type zip=text";
    folder.run(line).done();
    assert_eq!(labels(&folder.read("out.csv")), ["9811*"]);
    let verdict = folder
        .run("verify out.csv -k 4 --quasi zip --original t.csv --hierarchy zip=prefix:5,4,3")
        .done();
    assert!(verdict.stdout.contains("The release holds."), "{}", verdict.stdout);
}

#[test]
fn codes_are_proposed_by_inspect_init_and_a_run() {
    let folder = Folder::new();
    let codes: Vec<String> =
        (0..40).map(|at| format!("{}{:02}.{}", ["E", "I", "J"][at % 3], at, at % 10)).collect();
    let rows: String = (0..400)
        .map(|at| format!("{},{},{}\n", 20 + at % 50, 10000 + at % 60 * 37, codes[at % 40]))
        .collect();
    folder.write("t.csv", format!("age,zip,code\n{rows}").as_bytes());
    let ended = folder.run("inspect t.csv").done();
    assert!(ended.stdout.contains("--hierarchy code=icd10"), "{}", ended.stdout);
    assert!(ended.stdout.contains("--hierarchy zip=prefix:4,3,2,1"), "{}", ended.stdout);
    folder.run("init t.csv -o spec.toml").done();
    let spec = folder.read("spec.toml");
    assert!(spec.contains("\nzip.hierarchy = { prefix = [4, 3, 2, 1] }"), "{spec}");
    let ended =
        folder.run("anonymize t.csv -k 5 -m mondrian --quasi age,code --other drop -v").done();
    let told = format!("{}{}", ended.stdout, ended.stderr);
    assert!(told.contains("column `code` has 40 values without order or hierarchy"), "{told}");
    assert!(told.contains("ICD-10 codes, which --hierarchy code=icd10 generalizes"), "{told}");
    let ended = folder
        .run(
            "anonymize t.csv -k 5 -m mondrian --quasi age,code --other drop --hierarchy code=icd10",
        )
        .done();
    assert!(!format!("{}{}", ended.stdout, ended.stderr).contains("without order or hierarchy"));
}
