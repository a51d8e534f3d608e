//! What somebody gets who knows nothing, from tables as people have them.
//!
//! The tables are `incrowd_testing::traps`; every test is about an outcome: what was refused, what was written.

use std::collections::BTreeMap;

use incrowd_testing::traps::{TRAPS, TrapTable};

use crate::common::{Ended, Folder};

/// No released cell is longer than this: a person has to read it.
const READABLE: usize = 80;

/// A folder with one of the tables.
fn folder(file: &str) -> Folder {
    let folder = Folder::new();
    folder.write(file, &TrapTable::named(file).bytes());
    folder
}

/// A table as text: the header and the rows. Written on purpose without the program's own reader.
fn table(text: &str, delimiter: char) -> (Vec<String>, Vec<Vec<String>>) {
    let mut records = Vec::new();
    let (mut record, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            '\r' if !quoted => {}
            letter if letter == delimiter && !quoted => record.push(std::mem::take(&mut field)),
            letter => field.push(letter),
        }
    }
    let header = records.remove(0);
    (header, records)
}

/// The values of a column.
fn column<'a>((header, rows): &'a (Vec<String>, Vec<Vec<String>>), name: &str) -> Vec<&'a str> {
    let at = header.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name}"));
    rows.iter().map(|row| row[at].as_str()).collect()
}

/// The size of the smallest class over these columns.
fn k(table: &(Vec<String>, Vec<Vec<String>>), quasi: &str) -> usize {
    let columns: Vec<Vec<&str>> = quasi.split(',').map(|name| column(table, name)).collect();
    let mut classes: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for row in 0..table.1.len() {
        *classes.entry(columns.iter().map(|column| column[row]).collect()).or_default() += 1;
    }
    classes.values().copied().min().unwrap_or(0)
}

/// What `anonymize` does with nothing but k, quasi-identifiers and what is added.
fn anonymize(folder: &Folder, file: &str, more: &[&str]) -> Ended {
    let quasi = TrapTable::named(file).quasi;
    let mut args = vec!["anonymize", file, "-k", "5", "--quasi", quasi, "-o", "release.csv"];
    args.extend(more);
    // The traps are columns that nobody has named.
    if !more.contains(&"--other") {
        args.extend(["--other", "plain"]);
    }
    Ended::from(folder.command(args).output().unwrap())
}

/// The role that `inspect` proposes for each column.
fn roles(folder: &Folder, file: &str) -> BTreeMap<String, String> {
    let found = folder.run(&format!("inspect {file} --json")).done().json();
    let columns = found["columns"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    columns.map(|column| (text(&column["name"]), text(&column["role"]))).collect()
}

/// The line that a refusal gives to paste, run in the same folder by a shell, with this program first in its path.
fn paste(folder: &Folder, refused: &Ended) -> Ended {
    let line = refused
        .stderr
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| line.starts_with("incrowd "))
        .unwrap_or_else(|| panic!("no line to paste in {}", refused.stderr));
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_incrowd"));
    let mut path = std::ffi::OsString::from(program.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", line]).current_dir(folder.path("")).env("PATH", path);
    Ended::from(shell.output().unwrap())
}

#[track_caller]
fn refused(ended: &Ended, names: &[&str]) {
    assert_eq!(ended.code, Some(2), "{ended:?}");
    for name in names {
        assert!(ended.stderr.contains(name), "{name} is not named in {}", ended.stderr);
    }
}

/// Whatever is released of any of the tables: nothing long, k rows alike, no partial file after a refusal.
#[test]
fn no_table_leads_to_an_unsafe_or_unreadable_release() {
    for trap in &TRAPS {
        let folder = folder(trap.file);
        let mut ended = anonymize(&folder, trap.file, &[]);
        if ended.code != Some(0) {
            assert_eq!(ended.code, Some(2), "{}: {ended:?}", trap.file);
            assert!(!folder.path("release.csv").exists(), "{} left a file", trap.file);
            if trap.file == "admissions.csv" {
                ended = anonymize(&folder, trap.file, &["--date-format", "d/m/y"]);
            } else {
                ended = paste(&folder, &ended);
            }
        }
        assert_eq!(ended.code, Some(0), "{}: {ended:?}", trap.file);
        let delimiter = if matches!(trap.file, "incomes.csv" | "staff.csv") { ';' } else { ',' };
        let release = table(&folder.read("release.csv"), delimiter);
        assert!(k(&release, trap.quasi) >= 5, "{}", trap.file);
        let longest = release.1.iter().flatten().max_by_key(|cell| cell.chars().count()).unwrap();
        assert!(longest.chars().count() <= READABLE, "{}: {longest}", trap.file);
        assert!(
            !release.1.iter().flatten().any(|cell| cell.contains("0000000000")),
            "{}",
            trap.file
        );
    }
}

/// `init` and `run`: what is written is run as it is, or refused because a person has to decide.
#[test]
fn a_first_spec_is_safe_or_asks() {
    for trap in &TRAPS {
        let folder = folder(trap.file);
        folder.run(&format!("init {} -o first.toml", trap.file)).done();
        let ended = folder.run("run first.toml");
        let spec = folder.read("first.toml");
        match ended.code {
            Some(0) => {}
            Some(2) => assert!(
                spec.contains("undecided")
                    || trap.file == "admissions.csv"
                    || ended.stderr.contains("--plain")
                    || ended.stderr.contains("role ="),
                "{}: {ended:?}",
                trap.file
            ),
            _ => panic!("{}: {ended:?}", trap.file),
        }
    }
}

#[test]
fn the_number_of_an_interview_is_no_measurement() {
    let folder = folder("survey.csv");
    let role = roles(&folder, "survey.csv")["CASEID"].clone();
    assert!(role == "identifying" || role == "undecided", "{role}");
    let ended = anonymize(&folder, "survey.csv", &[]);
    refused(&ended, &["CASEID"]);
    paste(&folder, &ended).done();
    let release = table(&folder.read("release.csv"), ',');
    assert!(!release.0.contains(&"CASEID".to_owned()), "{:?}", release.0);
    assert!(release.0.contains(&"q4".to_owned()), "{:?}", release.0);
}

#[test]
fn half_a_coordinate_and_an_exact_time_are_not_plain() {
    let folder = folder("stops.csv");
    let roles = roles(&folder, "stops.csv");
    for name in ["long", "lat", "stopped_at"] {
        assert_ne!(roles[name], "plain", "{name}");
    }
    refused(&anonymize(&folder, "stops.csv", &[]), &["long", "stopped_at"]);
    refused(&anonymize(&folder, "stops.csv", &["--other", "plain"]), &["long", "stopped_at"]);
    anonymize(&folder, "stops.csv", &["--plain", "long,stopped_at"]).done();
}

#[test]
fn births_are_released_as_months_and_years() {
    let folder = folder("visits.csv");
    assert_eq!(roles(&folder, "visits.csv")["visit_id"], "identifying");
    anonymize(&folder, "visits.csv", &["--identifying", "visit_id"]).done();
    let release = table(&folder.read("release.csv"), ',');
    for born in column(&release, "born") {
        assert!(!born.contains('{') && !born.contains('/'), "{born}");
    }
    assert!(
        column(&release, "born").iter().any(|born| born.starts_with('[') && born.contains(" to "))
    );
    for zip in column(&release, "zip") {
        assert!(!zip.contains("****") || zip.len() <= 6, "{zip}");
    }
    folder
        .run("verify release.csv -k 5 --quasi born,sex,zip --identifying visit_id --original visits.csv")
        .done();
}

#[test]
fn a_town_tells_the_zip_code() {
    let folder = folder("towns.csv");
    let ended = anonymize(&folder, "towns.csv", &[]);
    refused(&ended, &["birth_year"]);
    anonymize(&folder, "towns.csv", &["--identifying", "town,birth_year"]).done();
    // A town that follows from the ZIP code is shared by five people in every class.
    let meant = ["--plain", "town", "--identifying", "birth_year", "--json"];
    let told = anonymize(&folder, "towns.csv", &meant).done().json();
    assert_eq!(told["narrowing"], serde_json::json!(["town"]));
    let mut unchanged = told["unchanged"].as_array().unwrap().iter();
    let town = unchanged.find(|column| column["column"] == "town").unwrap();
    assert_eq!((&town["unique_rows"], &town["unique_rows_with_quasi"]), (&0.into(), &0.into()));
}

#[test]
fn decimal_commas_are_numbers() {
    let folder = folder("incomes.csv");
    let found = folder.run("inspect incomes.csv --json").done().json();
    assert_eq!(found["columns"][2]["kind"], "number");
    anonymize(&folder, "incomes.csv", &["--ranges", "tight"]).done();
    let release = table(&folder.read("release.csv"), ';');
    assert!(column(&release, "income").iter().all(|income| !income.contains('{')));
    assert!(
        column(&release, "income")
            .iter()
            .any(|income| income.starts_with('[') && income.contains(','))
    );
    let line = "verify release.csv -k 5 --quasi age,sex,income --original incomes.csv";
    folder.run(line).done();
    // By the order of the numbers, not of their texts.
    folder
        .run("anonymize incomes.csv -k 5 --quasi age,sex --sensitive income --t-closeness ordered:0.2 -o t.csv")
        .done();
}

#[test]
fn large_and_negative_numbers_stay_what_they_are() {
    let folder = folder("accounts.csv");
    anonymize(&folder, "accounts.csv", &[]).done();
    let release = table(&folder.read("release.csv"), ',');
    let original = table(&folder.read("accounts.csv"), ',');
    let known = column(&original, "account");
    for account in column(&release, "account") {
        let ends = account.trim_matches(['[', ']']);
        for end in ends.split('-').filter(|end| *end != "*") {
            assert!(known.contains(&end), "{account}");
        }
    }
    let balances = column(&release, "balance");
    assert!(balances.iter().any(|balance| balance.contains(" to ")), "{balances:?}");
    folder
        .run("verify release.csv -k 5 --quasi account,balance,rate --original accounts.csv")
        .done();
    folder.write(
        "bins.toml",
        b"[data]\ninput = \"accounts.csv\"\n[columns]\nrate = { role = \"quasi\", bins = { width = 0.3, start = 0 } }\n\
          account = { role = \"identifying\" }\nbalance = { role = \"plain\" }\n[privacy]\nk = 3\n\
          [release]\noutput = \"bins.csv\"\n",
    );
    folder.run("run bins.toml").done();
    for rate in column(&table(&folder.read("bins.csv"), ','), "rate") {
        assert!(rate.len() <= "[33.9-34.2]".len(), "{rate}");
    }
    folder.run("verify bins.csv -k 3 --quasi rate --original accounts.csv").done();
}

#[test]
fn codes_get_a_hierarchy_and_sets_a_word() {
    let folder = folder("diagnoses.csv");
    folder.run("init diagnoses.csv -o d.toml").done();
    let spec = folder.read("d.toml");
    assert!(spec.contains("icd10"), "{spec}");
    let ended = anonymize(&folder, "diagnoses.csv", &["--sensitive", "discharge", "-v"]).done();
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert!(said.contains("icd") && said.contains("--hierarchy"), "{said}");
    anonymize(&folder, "diagnoses.csv", &["--hierarchy", "icd=icd10"]).done();
    for icd in column(&table(&folder.read("release.csv"), ','), "icd") {
        assert!(!icd.contains('{'), "{icd}");
    }
}

#[test]
fn old_encodings_and_names_with_commas() {
    let folder = folder("staff.csv");
    let ended = anonymize(
        &folder,
        "staff.csv",
        &["--identifying", "Name", "--sensitive", "Gehalt, brutto"],
    )
    .done();
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert!(said.to_lowercase().contains("windows-1252"), "{said}");
    let release = folder.read("release.csv");
    assert!(release.contains("männlich") && !release.contains("Name"), "{release}");
}

#[test]
fn a_value_that_vanishes_is_told() {
    let folder = folder("deaths.csv");
    let ended =
        anonymize(&folder, "deaths.csv", &["--max-suppressed", "2%", "--method", "mondrian"])
            .done();
    let kept = table(&folder.read("release.csv"), ',');
    if !column(&kept, "died").contains(&"yes") {
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains("died = yes"), "{said}");
    }
    let lattice = "anonymize deaths.csv -k 10 --quasi age,sex,ward --method lattice --max-suppressed 2% \
                   --hierarchy age=intervals:10 -o gone.csv --json";
    let ended = folder.run(lattice).done();
    assert!(!column(&table(&folder.read("gone.csv"), ','), "died").contains(&"yes"));
    let warnings = ended.json()["warnings"].to_string();
    assert!(warnings.contains("died = yes"), "{warnings}");
}

#[test]
fn a_date_that_can_be_read_in_two_ways_is_refused() {
    let folder = folder("admissions.csv");
    let ended = anonymize(&folder, "admissions.csv", &[]);
    refused(&ended, &["admitted", "d/m/y", "m/d/y", "--date-format"]);
    anonymize(&folder, "admissions.csv", &["--date-format", "d/m/y", "--missing", "-,unknown"])
        .done();
    let release = table(&folder.read("release.csv"), ',');
    // With all four spellings read as missing, ages are numbers: no set holds one.
    assert!(column(&release, "age").iter().all(|age| !age.contains('{')));
}

#[test]
fn a_wide_table_gets_a_spec_that_can_be_read() {
    let folder = folder("wide.csv");
    folder.run("init wide.csv -o wide.toml").done();
    let lines = folder.read("wide.toml").lines().count();
    assert!(lines <= 2 * 172 + 60, "{lines} lines");
}

/// Risk and reports work on the releases, and say what they assume.
#[test]
fn releases_come_with_risk_and_reports() {
    let folder = folder("visits.csv");
    let more = ["--identifying", "visit_id", "--sensitive", "diagnosis", "--report", "report.html"];
    let ended = anonymize(&folder, "visits.csv", &more).done();
    assert!(ended.stdout.contains("by born, sex and zip"), "{}", ended.stdout);
    let page = folder.read("report.html");
    assert!(!page.contains("/tmp/") && !page.contains("0000000000"), "noise in the page");
    folder.run("risk release.csv --quasi born,sex,zip").done();
    folder.run("risk visits.csv --quasi born,sex,zip").done();
}
