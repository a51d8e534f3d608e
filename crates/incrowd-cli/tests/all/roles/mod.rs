//! Columns that nobody has named: what gives people away is refused, and nothing else is.

mod tables;

use std::process::Command;

use serde_json::Value;

use crate::common::{Ended, Folder};
use tables::{harmless, towns, traps};

const ASK: &str = "-k 3 --quasi age,sex,region -m mondrian --json -o release.csv";

/// The run that a refusal proposes as the fix.
#[track_caller]
fn paste(folder: &Folder, refused: &Ended) -> Ended {
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(!folder.path("release.csv").exists(), "a refused release was written");
    let error = &refused.json()["error"];
    let line = error["help"].as_str().unwrap().lines().last().unwrap().to_owned();
    assert!(line.starts_with("incrowd "), "{line}");
    assert!(refused.stderr.trim_end().ends_with(&line), "{}", refused.stderr);
    let shell = format!("'{}' {}", env!("CARGO_BIN_EXE_incrowd"), &line["incrowd ".len()..]);
    let output = Command::new("sh").args(["-c", &shell]).current_dir(folder.path("")).output();
    Ended::from(output.unwrap())
}

fn refused_columns(refused: &Ended) -> Vec<String> {
    let columns = refused.json()["error"]["columns"].clone();
    let columns = columns.as_array().unwrap().iter();
    columns.map(|column| column["column"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn harmless_tables_are_released() {
    let mut refused = Vec::new();
    let mut tried = 0;
    for (name, table) in harmless() {
        let folder = Folder::new();
        folder.write("t.csv", table.as_bytes());
        let ended = folder.run(&format!("anonymize t.csv {ASK}"));
        tried += 1;
        if ended.code != Some(0) {
            refused.push(name);
        } else if name == "income" {
            // A measurement is nobody's name, and nobody outside knows it: it is told.
            assert!(ended.stderr.contains("`MonthlyIncome`: most values"), "{}", ended.stderr);
        }
    }
    // The patients of the README and the people of the demo.
    let folder = Folder::new();
    let patients = include_bytes!("../../../../../examples/patients.csv");
    folder.write("patients.csv", patients);
    let ask = "-k 3 --quasi age,sex,zip --identifying name -m mondrian";
    folder.run(&format!("anonymize patients.csv {ask} -o release.csv")).done();
    folder.run("demo --rows 2000 --seed 3 --write made.csv").done();
    let quasi = incrowd_demo::QUASI.join(",");
    folder
        .run(&format!("anonymize made.csv -k 5 --quasi {quasi} -m mondrian -o made.release.csv"))
        .done();
    folder.write("adult.csv", incrowd_testing::adult_file("adult.csv").as_bytes());
    let quasi = incrowd_testing::ADULT_QUASI.join(",");
    folder.run(&format!("anonymize adult.csv -k 5 --quasi {quasi} -m mondrian -o a.csv")).done();
    assert!(tried + 3 >= 10 && refused.is_empty(), "{refused:?}");
}

#[test]
fn what_gives_people_away_is_refused_and_the_line_mends_it() {
    for (name, table, columns) in traps() {
        let folder = Folder::new();
        folder.write("t.csv", table.as_bytes());
        let ended = folder.run(&format!("anonymize t.csv {ASK}"));
        assert_eq!(ended.code, Some(2), "{name}: {ended:?}");
        assert_eq!(ended.json()["error"]["code"], "exposed-columns", "{name}");
        assert_eq!(refused_columns(&ended), columns, "{name}");
        // A dry run is refused as well, and `--other plain` waives nothing.
        let dry =
            folder.run("anonymize t.csv -k 3 --quasi age,sex,region -m mondrian --other plain");
        assert_eq!((dry.code, dry.stdout.as_str()), (Some(2), ""), "{name}");
        let pasted = paste(&folder, &ended).done();
        let header = folder.read("release.csv").lines().next().unwrap().to_owned();
        assert!(pasted.json()["unchanged"].is_array(), "{header}");
        // Who says that it is meant gets it, and is told what it does.
        let plain = columns.join(",");
        let meant = folder
            .run(&format!("anonymize t.csv {ASK} --plain {plain} --accept {plain}"))
            .done()
            .json();
        let unchanged = meant["unchanged"].as_array().unwrap();
        assert!(
            unchanged.iter().any(|it| it["unique_rows"].as_u64() > Some(5)),
            "{name} {meant:#}"
        );
        // Left out, nothing is to be said.
        folder.run(&format!("anonymize t.csv {ASK} --other drop")).done();
    }
}

#[test]
fn columns_that_undo_others_are_refused_unless_they_are_meant() {
    let folder = Folder::new();
    folder.write("t.csv", towns().as_bytes());
    let ask = "anonymize t.csv -k 5 --quasi age,sex,zip -m mondrian --json -o release.csv";
    let ended = folder.run(ask);
    let error = ended.json()["error"].clone();
    assert_eq!(error["code"], "undoing-columns", "{error:#}");
    // A town is shared by five people in every class, which makes it harmless.
    assert_eq!(refused_columns(&ended), ["birth_year"]);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("`age`"), "{message}");
    let mended = paste(&folder, &ended).done().json();
    assert_eq!(mended["narrowing"], serde_json::json!(["town"]));
    assert_eq!(mended["unchanged"].as_array().unwrap().len(), 2);
    let meant =
        folder.run(&format!("{ask} --plain town,birth_year --accept birth_year")).done().json();
    let codes: Vec<&str> = meant["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"undoes") && codes.contains(&"implied"), "{codes:?}");
    let inspected = folder.run("inspect t.csv --json").done().json();
    let tells: Vec<(&str, &str)> = inspected["tells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|told| (told["column"].as_str().unwrap(), told["quasi"].as_str().unwrap()))
        .collect();
    for pair in [("town", "zip"), ("birth_year", "age"), ("zip", "town")] {
        assert!(tells.contains(&pair), "{tells:?}");
    }
    assert!(!tells.iter().any(|told| told.0 == "color" || told.1 == "color"), "{tells:?}");
}

#[test]
fn undecided_columns_are_refused_by_run_and_named_on_its_command_line() {
    let folder = Folder::new();
    let (_, income) = harmless().pop().unwrap();
    folder.write("t.csv", income.replace("MonthlyIncome", "figure").as_bytes());
    folder.run("init t.csv").done();
    // Whole numbers of their own may number people: whoever knows better says so.
    let spec = folder.read("t.toml");
    assert!(spec.contains("figure.role = \"identifying\""), "{spec}");
    let spec = spec.replace("figure.role = \"identifying\"", "figure.role = \"undecided\"");
    folder.write("t.toml", spec.as_bytes());
    let ended = folder.run("run t.toml -o release.csv --json --no-report");
    assert_eq!(ended.json()["error"]["code"], "undecided-columns");
    assert_eq!(refused_columns(&ended), ["figure"]);
    paste(&folder, &ended).done();
    std::fs::remove_file(folder.path("release.csv")).unwrap();
    folder
        .run("run t.toml -o release.csv --json --no-report --plain figure --accept figure")
        .done();
    assert!(folder.read("release.csv").starts_with("age,sex,region,figure"));
}

#[test]
fn a_spec_that_forgets_a_column_is_refused() {
    let folder = Folder::new();
    let (_, table, _) = traps().swap_remove(0);
    folder.write("t.csv", table.as_bytes());
    let spec = |more: &str| {
        format!(
            "[data]\ninput = \"t.csv\"\n[columns]\nage.role = \"quasi\"\nsex.role = \"quasi\"\n\
             q.role = \"plain\"\n{more}[privacy]\nk = 3\n"
        )
    };
    folder.write("t.toml", spec("").as_bytes());
    let ended = folder.run("run t.toml -o release.csv --no-report --json");
    assert_eq!(ended.json()["error"]["code"], "exposed-columns");
    let message = ended.json()["error"]["message"].to_string();
    assert!(message.contains("CASEID = { role = \\\"identifying\\\" }"), "{message}");
    paste(&folder, &ended).done();
    folder.write("t.toml", spec("CASEID = { role = \"plain\", accept = true }\n").as_bytes());
    folder.run("run t.toml -o release.csv --no-report").done();
}

#[test]
fn an_identifier_among_the_quasi_identifiers_is_warned_of() {
    let folder = Folder::new();
    let (_, table, _) = traps().into_iter().find(|(name, ..)| *name == "visits").unwrap();
    folder.write("t.csv", table.as_bytes());
    let ask = "anonymize t.csv -k 3 --quasi age,visit_id -m mondrian --json";
    let report = folder.run(ask).done().json();
    let warned = report["warnings"].as_array().unwrap().iter();
    let warned: Vec<&Value> =
        warned.filter(|warning| warning["code"] == "identifier-as-quasi").collect();
    assert_eq!(warned.len(), 1);
    assert!(warned[0]["message"].as_str().unwrap().contains("--identifying visit_id"));
}

#[test]
fn results_name_what_others_know_and_what_stays_unchanged() {
    let folder = Folder::new();
    let (_, table) = harmless().swap_remove(1);
    folder.write("t.csv", table.as_bytes());
    let ask =
        "anonymize t.csv -k 3 --quasi age,sex,region -m mondrian -o release.csv --report page.html";
    let text = folder.run(&format!("{ask} -v")).done().stdout;
    assert!(text.contains("3 rows by age, sex and region"), "{text}");
    assert!(text.contains("together with age, sex and region"), "{text}");
    let page = folder.read("page.html");
    assert!(page.contains("by age, sex and region") && page.contains("rows singled out alone"));
    // The counts are those of the released rows.
    let line = "anonymize t.csv -k 3 --quasi age -m mondrian --json -o r.csv";
    let report = folder.run(line).done().json();
    let released = folder.read("r.csv");
    let rows: Vec<Vec<&str>> =
        released.lines().skip(1).map(|row| row.split(',').collect()).collect();
    let alone = |keys: &dyn Fn(&[&str]) -> String| {
        let keys: Vec<String> = rows.iter().map(|row| keys(row)).collect();
        let once = |key: &&String| keys.iter().filter(|other| other == key).count() == 1;
        keys.iter().filter(once).count() as u64
    };
    let unchanged = report["unchanged"].as_array().unwrap();
    assert_eq!(unchanged.len(), 11);
    for (at, it) in unchanged.iter().enumerate() {
        assert_eq!(it["unique_rows"], alone(&|row| row[1 + at].to_owned()));
        let beside = alone(&|row| format!("{},{}", row[0], row[1 + at]));
        assert_eq!(it["unique_rows_with_quasi"], beside);
    }
    let together = &report["unchanged_together"];
    assert_eq!(together["unique_rows"], alone(&|row| row[1..].join(",")));
    assert_eq!(together["unique_rows_with_quasi"], alone(&|row| row.join(",")));
}

#[test]
fn errors_are_json_where_json_is_asked_for() {
    let folder = Folder::new();
    for line in [
        "anonymize none.csv -k 3 --quasi age --json",
        "anonymize people.csv -k 3 --quasi agee --json",
        "anonymize people.csv -k 3 --quasi age --no-such-option --json",
    ] {
        let ended = folder.run(line);
        assert_eq!(ended.code, Some(2));
        let error = &ended.json()["error"];
        assert!(error["code"].is_string() && error["message"].is_string(), "{error:#}");
        assert!(error.get("help").is_some());
    }
}
