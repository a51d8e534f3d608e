//! Goals, forms and the record, through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use common::Folder;

const SPEC: &str = "\
# mine
[data]
input = \"visits.csv\"
[columns]
mrn.role = \"identifying\"
email.role = \"identifying\"
age = { role = \"quasi\", top = 90 }
zip = { role = \"quasi\", treat = \"zip3\" }
seen = { role = \"quasi\", date-unit = \"year\" }
ill.role = \"sensitive\"
[privacy]
k = 3
[algorithm]
method = \"mondrian\"
seed = 7
[release]
output = \"out.csv\"
";

fn visits() -> Folder {
    let folder = Folder::new();
    let mut text = "mrn,email,age,zip,seen,ill\n".to_owned();
    for at in 0..40 {
        let (age, zip) = (30 + at % 3 * 31, ["98115", "03601", "97205"][at % 3]);
        text.push_str(&format!(
            "{},p{at}@x.org,{age},{zip},202{}-03-0{},flu\n",
            1000 + at,
            at % 2,
            1 + at % 9
        ));
    }
    folder.write("visits.csv", text.as_bytes());
    folder.write("visits.toml", SPEC.as_bytes());
    folder.run("run visits.toml --no-report").done();
    folder
}

const FORM: &str = "--spec visits.toml --original visits.csv";
const ATTEST: [&str; 4] =
    ["--attest", "R=J. Doe looked at all columns", "--attest", "knowledge=nothing is known"];

#[test]
fn safe_harbor_is_not_done_while_an_item_is_open() {
    let folder = visits();
    let open = folder.run(&format!("forms safe-harbor out.csv {FORM}"));
    assert_eq!(open.code, Some(1));
    assert!(open.stdout.contains("Not done: 2 of 19 are open (R, knowledge)"), "{}", open.stdout);
    for told in [
        "| H | medical record numbers | done | `mrn` is left out |",
        "| F | e-mail addresses | done | `email` is left out |",
        "the first three digits",
        "| D | telephone numbers | absent |",
    ] {
        assert!(open.stdout.contains(told), "{told}\n{}", open.stdout);
    }
    let line = format!("forms safe-harbor out.csv {FORM}");
    let args = line.split_whitespace().chain(ATTEST);
    let done = common::Ended::from(folder.command(args).output().unwrap()).done();
    assert!(done.stdout.contains("Done: nothing on the list is open."), "{}", done.stdout);
    // What is left of columns that were not treated is open.
    for (from, to, words) in [
        ("treat = \"zip3\"", "hierarchy = { prefix = [4] }", "tells more than three digits"),
        ("date-unit = \"year\"", "date-unit = \"month\"", "more of dates than the year"),
        (", top = 90", "", "ages above 89"),
        (
            "mrn.role = \"identifying\"",
            "mrn = { role = \"plain\", accept = true }",
            "`mrn` is in the release",
        ),
    ] {
        folder.write("visits.toml", SPEC.replace(from, to).as_bytes());
        let ended = folder.run("run visits.toml --no-report");
        assert_eq!(ended.code, Some(0), "{from}: {ended:?}");
        let args = line.split_whitespace().chain(ATTEST);
        let open = common::Ended::from(folder.command(args).output().unwrap());
        // Somebody attested item R, under which other codes fall; the others stay open.
        assert_eq!(open.code, Some(1), "{from}: {}", open.stdout);
        assert!(open.stdout.contains(words), "{from}: {}", open.stdout);
    }
}

/// Days without a year, weeks, digits, old ages by the year of birth, places and notes stand against a sentence that does
/// not speak of them.
#[test]
fn the_list_is_open_beside_what_tells_more() {
    let old = |at: usize| (1_915 + at % 20).to_string();
    type Value<'a> = &'a dyn Fn(usize) -> String;
    let columns: [(&str, &str, Value<'_>, bool); 10] = [
        ("week", "C", &|at| (1 + at % 52).to_string(), true),
        ("md", "C", &|at| format!("{}/{}", 1 + at % 12, 1 + at % 28), true),
        ("v3", "C", &|at| format!("2019{:02}{:02}", 1 + at % 12, 1 + at % 28), true),
        ("month", "C", &|at| ["March", "May", "June"][at % 3].to_owned(), true),
        ("birth_year", "C", &old, true),
        ("years", "C", &|at| (80 + at % 20).to_string(), true),
        ("residence", "B", &|at| ["Ashby", "Barton", "Corley"][at % 3].to_owned(), true),
        ("x", "B", &|at| ["Ashby", "Barton", "Corley"][at % 3].to_owned(), true),
        ("illness", "B", &|at| ["Flu", "Gout", "Asthma"][at % 3].to_owned(), false),
        ("notes", "R", &|at| format!("lives with son {}", at % 3), true),
    ];
    for (column, item, value, open) in columns {
        let folder = Folder::new();
        let rows = (0..120).map(|at| format!("{},{},{}\n", 20 + at % 30, at % 2, value(at)));
        let text = format!("age,sex,{column}\n{}", rows.collect::<String>());
        folder.write("t.csv", text.as_bytes());
        let ask =
            format!("anonymize t.csv -k 3 --quasi age,sex --plain {column} --accept {column}");
        folder.run(&format!("{ask} -m mondrian -o out.csv")).done();
        let spec = folder.run(&format!("{ask} --show-spec")).done().stdout;
        folder.write("spec.toml", spec.as_bytes());
        let line = "forms safe-harbor out.csv --spec spec.toml --original t.csv";
        let check = |sentence: String| {
            let attest = [
                "--attest",
                &sentence,
                "--attest",
                "knowledge=J. Doe",
                "--attest",
                "R=J. Doe looked",
            ];
            let args = line.split_whitespace().chain(attest);
            common::Ended::from(folder.command(args).output().unwrap())
        };
        let ended = check(format!("{item}=J. Doe looked"));
        assert_eq!(ended.code, Some(i32::from(open)), "{column}: {}", ended.stdout);
        if open {
            assert!(ended.stdout.contains(&format!("are open ({item})")), "{}", ended.stdout);
            check(format!("{item}=J. Doe: {column} is none of these")).done();
        }
    }
}

#[test]
fn a_spec_by_the_list() {
    let folder = visits();
    let told = folder.run("forms safe-harbor-spec visits.csv -k 3 -o list.toml").done().stdout;
    assert_eq!(told.trim_end(), "written       list.toml");
    folder.run("run list.toml -o listed.csv --no-report").done();
    let line = "forms safe-harbor listed.csv --spec list.toml --original visits.csv";
    let args = line.split_whitespace().chain(ATTEST);
    common::Ended::from(folder.command(args).output().unwrap()).done();
    let released = folder.read("listed.csv");
    assert!(
        !released.contains('@') && !released.contains("98115") && !released.contains("-03-"),
        "{released}"
    );
}

/// A pattern in a released value opens its item, whatever the column is called; column, kind and rows are told, and no value.
#[test]
fn values_are_looked_through_and_none_is_shown() {
    let folder = Folder::new();
    let info = |at: usize| match at % 30 {
        7 => "call 206-555-0101",
        11 => "write to ann@example.org",
        12 => "member id 99812345",
        13 => "see Dr. Rivers",
        _ => "nothing",
    };
    let rows = (0..120)
        .map(|at| format!("{},{},{}\n", 20 + at % 30, ["98101", "06301"][at % 2], info(at)));
    let text = format!("age,zip,info\n{}", rows.collect::<String>());
    folder.write("t.csv", text.as_bytes());
    let ask = "anonymize t.csv -k 3 --quasi age,zip --treat zip=zip3:2000 --plain info --accept info -m mondrian";
    folder.run(&format!("{ask} -o out.csv")).done();
    let spec = folder.run(&format!("{ask} -o out.csv --show-spec")).done().stdout;
    folder.write("spec.toml", spec.as_bytes());
    let list = folder.run("forms safe-harbor out.csv --spec spec.toml --original t.csv");
    assert_eq!(list.code, Some(1));
    for told in [
        "`info` holds names with a title in 4 rows",
        "`info` holds telephone numbers in 4 rows",
        "`info` holds e-mail addresses in 4 rows",
        "`info` holds numbers of members of health plans in 4 rows",
        "(Census 2000, the 17 areas of the guidance of HHS on de-identification (2012))",
        "are open (A, D, F, I, R, knowledge)",
    ] {
        assert!(list.stdout.contains(told), "{told}\n{}", list.stdout);
    }
    for hidden in ["206-555", "ann@", "99812345", "Rivers"] {
        assert!(!list.stdout.contains(hidden), "{hidden}\n{}", list.stdout);
    }
    // The writer of specs leaves the column out, and knows the other lists of areas.
    let spec = folder.run("forms safe-harbor-spec t.csv -k 3 --zip-census 2000").done().stdout;
    assert!(
        spec.contains("[columns.info]\nrole = \"identifying\"") && spec.contains("zip3:2000"),
        "{spec}"
    );
    assert_eq!(folder.run("forms safe-harbor-spec t.csv --zip-census 1990").code, Some(2));
}

/// Attacks, risks of all attackers, and what people must say and sign; columns that are left out are called what they are.
#[test]
fn determinations_and_tests_have_their_figures() {
    let folder = visits();
    let form = |kind: &str| folder.run(&format!("forms {kind} out.csv {FORM}")).done().stdout;
    for kind in ["clinical", "expert-determination", "motivated-intruder"] {
        let text = form(kind);
        for words in [
            "- Direct identifiers, not released: mrn, email.",
            "- Other columns that are not released: none.",
            "- Singling out: gain ",
            "- Linkability: gain ",
            "- Inference of `ill`: gain ",
            "known to the attacker: age, zip, seen",
        ] {
            assert!(text.contains(words), "{kind}: {words}\n{text}");
        }
    }
    let expert = form("expert-determination");
    for words in [
        "45 CFR 164.514(b)(1)",
        "- Prosecutor: highest risk 0.1667",
        "- Marketer: share found 0.1500",
        "to be filled in by the expert",
        "I determine that the risk is very small",
    ] {
        assert!(expert.contains(words), "{words}\n{expert}");
    }
    let sampled =
        SPEC.replace("k = 3\n", "k = 3\nsampling-fraction = 0.1\nmax-population-unique = 0.5\n");
    folder.write("visits.toml", sampled.as_bytes());
    let expert = form("expert-determination");
    assert!(
        expert.contains("- Journalist, estimated from the sampling fraction: highest"),
        "{expert}"
    );
    assert!(
        expert.contains("- Population uniques, estimated at a sampling fraction of 0.1"),
        "{expert}"
    );
    // Without the original there is nothing to attack; a place that is left out is no direct identifier.
    let left_out =
        SPEC.replace("zip = { role = \"quasi\", treat = \"zip3\" }", "zip.role = \"identifying\"");
    folder.write("visits.toml", left_out.as_bytes());
    folder.run("run visits.toml --no-report").done();
    let text = folder.run("forms clinical out.csv --spec visits.toml").done().stdout;
    assert!(text.contains("- Other columns that are not released: zip."), "{text}");
    assert!(text.contains("with the original, the form has the figures"), "{text}");
}

#[test]
fn reports_and_descriptions() {
    let folder = visits();
    let report = folder.run(&format!("forms clinical out.csv {FORM}")).done().stdout;
    for words in [
        "## 3. Risk assessment",
        "Quasi-identifiers: age, zip, seen",
        "verifier finds that the release holds",
    ] {
        assert!(report.contains(words), "{report}");
    }
    let report = folder.run("forms iso27559 out.csv --spec visits.toml").done().stdout;
    assert!(report.contains("Identifiability assessment") && report.contains("k = 3"), "{report}");
    for (part, clause) in [("Context", 6), ("Data", 7), ("Identifiability", 8), ("Governance", 9)] {
        let heading = report.lines().find(|line| line.starts_with(&format!("## {part}")));
        assert!(heading.is_some_and(|it| it.ends_with(&format!("(clause {clause})"))), "{report}");
    }
    folder.run("forms croissant out.csv --spec visits.toml -o croissant.json").done();
    let told: serde_json::Value = serde_json::from_str(&folder.read("croissant.json")).unwrap();
    assert_eq!(told["@type"], "sc:Dataset");
    assert_eq!(told["conformsTo"], "http://mlcommons.org/croissant/1.0");
    assert_eq!(told["recordSet"][0]["field"].as_array().unwrap().len(), 4);
    assert_eq!(told["distribution"][0]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(told["incrowd:anonymization"]["holds"], true);
}

/// One person stands apart and is suppressed: how many that are is told to nobody.
#[test]
fn few_suppressed_people_are_not_counted() {
    let folder = Folder::new();
    let row = |at: usize| format!("{},{}\n", 30 + at % 2, ["flu", "cold"][at % 3 % 2]);
    let crowd: String = (0..20).map(row).collect();
    let spec = "[data]\ninput = \"few.csv\"\n[columns]\nage.role = \"quasi\"\nill.role = \"sensitive\"\n[privacy]\nk = 3\n\
                [goal]\nmetric = \"dm\"\nmax-suppressed = \"all\"\n[algorithm]\nmethod = \"lattice\"\n[release]\noutput = \"few-out.csv\"\n";
    folder.write("few.toml", spec.as_bytes());
    for (apart, told) in [(0, "none"), (1, "fewer than 3 rows"), (2, "fewer than 3 rows")] {
        let lonely: String = (0..apart).map(|at| format!("{},flu\n", 80 + at)).collect();
        folder.write("few.csv", format!("age,ill\n{crowd}{lonely}").as_bytes());
        folder.run("run few.toml --report few.html").done();
        assert_eq!(folder.read("few-out.csv").lines().count(), 21, "{apart}");
        let form = "forms clinical few-out.csv --spec few.toml --original few.csv";
        let form = folder.run(form).done().stdout;
        assert!(form.contains(&format!("Rows released: 20; suppressed: {told}.")), "{form}");
        let page = folder.read("few.html");
        assert!(page.contains(&format!("<td>{told}</td>")), "{apart}: {page}");
        assert!(!page.contains(&format!("{} rows", 20 + apart)) || apart == 0, "{apart}: {page}");
    }
}

#[test]
fn the_record_notices_what_is_changed() {
    let folder = visits();
    let put = |name: &str| {
        folder.run(&format!("record {name} {FORM} --into record.jsonl --approved-by Doe")).done();
    };
    put("out.csv");
    folder.run("run visits.toml --no-report -o other.csv").done();
    put("other.csv");
    let check = "verify out.csv -k 3 --quasi age,zip,seen --record record.jsonl";
    let told = folder.run(check).done().stdout;
    assert!(told.contains("on record, approved by Doe"), "{told}");
    let record = folder.read("record.jsonl");
    let lines: Vec<&str> = record.lines().collect();
    assert_eq!(lines.len(), 2);
    for broken in [
        record.replace("\"approved_by\":\"Doe\"", "\"approved_by\":\"Roe\""),
        format!("{}\n", lines[1]),
        format!("{}\n{}\n", lines[1], lines[0]),
        format!("{}\n{}\n{}\n", lines[0], lines[0], lines[1]),
    ] {
        folder.write("record.jsonl", broken.as_bytes());
        let refused = folder.run(check);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("the record is broken"), "{}", refused.stderr);
    }
    folder.write("record.jsonl", record.as_bytes());
    // A release that is not on record.
    folder.write("out.csv", folder.read("out.csv").replace("flu", "fly").as_bytes());
    let refused = folder.run(check);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stdout.contains("releases on record is this one"), "{}", refused.stdout);
    // The original is told by a hash that takes a key, which stays with whoever keeps the record.
    let original = "verify other.csv -k 3 --quasi age,zip,seen --record record.jsonl --original";
    let known = folder.run(&format!("{original} visits.csv --identifying mrn,email"));
    assert!(!known.stdout.contains("another original"), "{}", known.stdout);
    let entry: serde_json::Value = serde_json::from_str(lines[0]).unwrap();
    let fields: Vec<&String> = entry["original"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["keyed_blake3", "name"], "{entry}");
    folder.write("later.csv", folder.read("visits.csv").replace("flu", "fly").as_bytes());
    let other = folder.run(&format!("{original} later.csv --identifying mrn,email"));
    assert!(other.stdout.contains("it was made from another original"), "{}", other.stdout);
    std::fs::rename(folder.path("record.jsonl.key"), folder.path("elsewhere.key")).unwrap();
    let keyless = folder.run(&format!("{original} visits.csv --identifying mrn,email"));
    assert!(
        keyless.stdout.contains("without record.jsonl.key it cannot be checked"),
        "{}",
        keyless.stdout
    );
    std::fs::rename(folder.path("elsewhere.key"), folder.path("record.jsonl.key")).unwrap();
    // One that fails is not put there.
    let first = folder.read("other.csv").lines().take(2).collect::<Vec<_>>().join("\n");
    folder.write("one.csv", first.as_bytes());
    let refused = folder.run("record one.csv --spec visits.toml --into record.jsonl");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert_eq!(folder.read("record.jsonl"), record);
}

#[test]
fn goals_are_written_into_specs() {
    let folder = visits();
    let told = folder
        .run("goal --audience public --knowledge member --harm medium --into visits.toml")
        .done()
        .stdout;
    assert!(told.contains("0.09") && told.contains("European Medicines Agency"), "{told}");
    let spec = folder.read("visits.toml");
    assert!(
        spec.starts_with("# mine") && spec.contains("k = 11") && spec.contains("[context]"),
        "{spec}"
    );
    folder.write("visits.toml", spec.replace("k = 11", "k = 2").as_bytes());
    let json = folder.run("run visits.toml --no-report --json").done().json();
    let codes: Vec<&str> = json["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"context"), "{codes:?}");
    assert_eq!(json["context"]["proposal"]["k"], 11);
    let asked = folder.run("goal --audience public");
    assert_eq!(asked.code, Some(2));
    assert!(asked.stderr.contains("--knowledge is one of member, sample"), "{}", asked.stderr);
    let json =
        folder.run("goal --audience internal --knowledge sample --harm low --json").done().json();
    assert_eq!(json["proposal"]["k"], 3);
}
