//! The whole way by calls, without a browser.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use incrowd_demo::Census;
use incrowd_engine::Control;
use incrowd_run::{Job, SpecFile, demo::write_census, open_input, run};
use serde_json::{Value, json};

use super::{ApiResponse, answer};
use crate::paths::RootFolder;
use crate::session::{Session, TaskRunner};

pub(super) fn session(folder: &Path) -> Arc<Session> {
    Session::new(RootFolder::new(folder).unwrap(), TaskRunner::threads().unwrap())
}

pub(super) fn call(session: &Arc<Session>, name: &str, given: Value) -> Value {
    match answer(session, name, given.to_string().as_bytes()) {
        ApiResponse::Json(value) => value,
        ApiResponse::Refused(error) => panic!("{name}: {error}"),
        _ => panic!("{name}"),
    }
}

pub(super) fn refused(session: &Arc<Session>, name: &str, given: Value) -> incrowd_run::Error {
    match answer(session, name, given.to_string().as_bytes()) {
        ApiResponse::Refused(error) => error,
        _ => panic!("{name} is not refused"),
    }
}

/// Waits until nothing goes on.
pub(super) fn quiet(session: &Arc<Session>) -> Value {
    let since = Instant::now();
    loop {
        let state = call(session, "state", json!({}));
        let aside = state["aside"].as_array().is_none_or(Vec::is_empty);
        if state["work"].is_null() && state["look"]["pending"] == json!(false) && aside {
            return state;
        }
        assert!(since.elapsed() < Duration::from_secs(120), "it does not end: {state}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

pub(super) fn opened(folder: &Path, rows: u64) -> Arc<Session> {
    write_census(&Census::new(rows, 3), &folder.join("people.csv"), None).unwrap();
    let session = session(folder);
    call(&session, "open", json!({ "path": "people.csv" }));
    quiet(&session);
    session
}

#[test]
fn the_way_from_a_table_to_a_release_that_the_command_line_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 600);
    let state = quiet(&session);
    assert_eq!(state["file"]["rows"], json!(600));
    assert!(state["look"]["told"]["standing"]["unique_share"].as_f64().unwrap() > 0.1);
    let algorithm = json!({ "method": "mondrian" });
    call(&session, "spec", json!({ "privacy": { "k": 4 }, "algorithm": algorithm }));
    quiet(&session);
    assert!(refused(&session, "finish", json!({ "output": "out.csv" })).help.is_some());
    call(&session, "search", json!({}));
    let state = quiet(&session);
    assert_eq!(state["error"], Value::Null);
    assert!(state["answer"]["achieved_k"].as_u64().unwrap() >= 4, "{}", state["answer"]);
    assert_eq!(state["answer"]["verified"], json!(false));
    let rows = call(&session, "rows", json!({ "from": 590, "count": 50 }));
    assert!(rows["rows"].as_array().unwrap().len() <= 10);
    assert!(rows["rows"][0]["before"].is_null());
    call(&session, "finish", json!({ "output": "out.csv", "confirmed": ["somebody looked"] }));
    let state = quiet(&session);
    assert_eq!(state["error"], Value::Null);
    assert_eq!(state["answer"]["verified"], json!(true));
    assert_eq!(state["written"]["verdict"]["holds"], json!(true));
    let place = |name: &str| folder.path().join(name);
    let seed = std::fs::read_to_string(place("out.seed")).unwrap();
    let mut file = SpecFile::read(&place("out.spec.toml")).unwrap();
    assert_eq!(file.spec.release.seed_file, None);
    file.spec.release.seed_file = Some(place("out.seed"));
    file.spec.release.output = Some("again.csv".into());
    let source = open_input(&file).unwrap();
    run(&Job::new(&file, &source).unwrap(), &source, &Control::new()).unwrap();
    let written = std::fs::read(place("out.csv")).unwrap();
    assert_eq!(written, std::fs::read(place("again.csv")).unwrap());
    let report = std::fs::read_to_string(place("out.report.html")).unwrap();
    assert!(report.contains("somebody looked") && !report.contains(seed.trim()));
    // What is there is not replaced unless that is allowed.
    assert!(refused(&session, "finish", json!({ "output": "out.csv" })).message.contains("exists"));
    // Another question: the release on the screen is not its answer.
    call(&session, "spec", json!({ "privacy": { "k": 9 } }));
    let state = quiet(&session);
    assert_eq!(state["answer"]["stale"], json!(true));
    let error = refused(&session, "finish", json!({ "output": "other.csv" }));
    assert!(error.message.contains("changed"), "{error}");
    call(&session, "undo", json!({}));
    assert_eq!(quiet(&session)["answer"]["stale"], json!(false));
}

#[test]
fn the_release_of_made_up_people_is_made_again_by_its_command_lines() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(folder.path());
    call(&session, "demo", json!({}));
    quiet(&session);
    call(&session, "spec", json!({ "algorithm": { "method": "mondrian" } }));
    quiet(&session);
    call(&session, "search", json!({}));
    quiet(&session);
    call(&session, "finish", json!({ "output": "out.csv" }));
    let state = quiet(&session);
    assert_eq!(state["error"], Value::Null);
    let command = state["written"]["command"].as_str().unwrap();
    let lines: Vec<&str> = command.lines().collect();
    let first = "incrowd demo --write made-up-people.csv --rows 30000 --hierarchies \
                 made-up-hierarchies";
    assert_eq!(lines, [first, "incrowd run out.spec.toml --seed-file out.seed"]);
    let place = |name: &str| folder.path().join(name);
    let hierarchies = place("made-up-hierarchies");
    write_census(&Census::new(30_000, 1), &place("made-up-people.csv"), Some(&hierarchies))
        .unwrap();
    let mut file = SpecFile::read(&place("out.spec.toml")).unwrap();
    file.spec.release.seed_file = Some(place("out.seed"));
    file.spec.release.output = Some("again.csv".into());
    let source = open_input(&file).unwrap();
    run(&Job::new(&file, &source).unwrap(), &source, &Control::new()).unwrap();
    let written = std::fs::read(place("out.csv")).unwrap();
    assert_eq!(written, std::fs::read(place("again.csv")).unwrap());
}

#[test]
fn what_cannot_be_is_told_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let empty = session(folder.path());
    assert!(refused(&empty, "search", json!({})).message.contains("no table"));
    assert!(refused(&empty, "open", json!({ "path": "../x.csv" })).help.is_some());
    assert!(matches!(answer(&empty, "nothing", b"{}"), ApiResponse::Unknown));
    assert!(matches!(answer(&empty, "open", b"{"), ApiResponse::Refused(_)));
    assert!(matches!(answer(&empty, "open", b"[1]"), ApiResponse::Refused(_)));
    let session = opened(folder.path(), 300);
    let before = quiet(&session);
    for patch in [
        json!({ "privacy": { "k": 0 } }),
        json!({ "columns": { "age": { "role": "king" } } }),
        json!({ "columns": { "age": { "hierarchy": "/etc/passwd" } } }),
        json!({ "data": { "population": "../../elsewhere.csv" } }),
        json!("k = 5"),
    ] {
        refused(&session, "spec", patch);
    }
    assert_eq!(quiet(&session)["toml"], before["toml"]);
    // More people than there are.
    call(&session, "spec", json!({ "privacy": { "k": 400 } }));
    let state = quiet(&session);
    assert!(state["look"]["told"]["refused"]["message"].as_str().unwrap().contains("300"));
    let sensitive = incrowd_demo::SENSITIVE;
    let model = json!({ "column": sensitive, "l": 99 });
    call(&session, "spec", json!({ "privacy": { "k": 2, "l-diversity": model } }));
    let state = quiet(&session);
    let why = state["look"]["told"]["infeasible"].as_str().unwrap();
    assert!(why.starts_with("even one class of all 300 rows fails"), "{why}");
}

#[test]
fn risk_usefulness_and_alternatives_of_a_release() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 400);
    call(&session, "spec", json!({ "algorithm": { "method": "mondrian" } }));
    quiet(&session);
    call(&session, "search", json!({}));
    quiet(&session);
    call(&session, "begin-risk", json!({ "fraction": 0.1 }));
    call(&session, "begin-use", json!({}));
    call(&session, "begin-compare", json!({ "methods": ["mondrian", "datafly"], "ks": [2, 5] }));
    let state = quiet(&session);
    assert_eq!(state["error"], Value::Null);
    let risk = call(&session, "risk", json!({}));
    let (before, after) = (&risk["told"]["before"], &risk["told"]["after"]);
    assert_eq!(after["unique_rows"], json!(0));
    assert!(before["prosecutor"]["highest"].as_f64() > after["prosecutor"]["highest"].as_f64());
    let told = call(&session, "use", json!({}));
    assert_eq!(told["told"]["queries"].as_array().unwrap().len(), 3);
    let plane = call(&session, "alternatives", json!({}));
    let points = plane["points"].as_array().unwrap();
    assert_eq!(points.len(), 4);
    assert!(points.iter().any(|it| it["present"] == json!(true)));
    call(&session, "choose", json!({ "method": "mondrian:mode=relaxed", "k": 2 }));
    let state = quiet(&session);
    assert_eq!(state["answer"]["k"], json!(2));
    assert_eq!(state["spec"]["algorithm"]["mode"], json!("relaxed"));
}

#[test]
fn a_hierarchy_is_given_changed_exported_and_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 300);
    let rule = json!({ "column": "age", "hierarchy": { "intervals": [5, 20] } });
    call(&session, "put-hierarchy", rule);
    let told = call(&session, "hierarchy", json!({ "column": "age" }));
    assert_eq!(told["rows"][0].as_array().unwrap().len(), 4);
    let below: Vec<u64> = told["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|level| level["below_k"].as_u64().unwrap())
        .collect();
    assert!(below.is_sorted_by(|a, b| a >= b), "{below:?}");
    let ApiResponse::File(_, text) = answer(&session, "export", br#"{"column":"age"}"#) else {
        panic!("it is not exported")
    };
    std::fs::write(folder.path().join("age.csv"), text).unwrap();
    call(&session, "put-hierarchy", json!({ "column": "age", "hierarchy": null }));
    call(&session, "import", json!({ "column": "age", "path": "age.csv" }));
    let again = call(&session, "hierarchy", json!({ "column": "age" }));
    assert_eq!(again["rows"], told["rows"]);
    call(&session, "undo", json!({}));
    assert!(quiet(&session)["spec"]["columns"]["age"]["hierarchy"].is_null());
}

#[test]
fn a_saved_recoding_takes_new_rows() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 800);
    let algorithm = json!({ "method": "auto", "kind": "global", "effort": "quick" });
    call(&session, "spec", json!({ "algorithm": algorithm }));
    quiet(&session);
    call(&session, "search", json!({}));
    quiet(&session);
    call(&session, "finish", json!({ "output": "out.csv", "recoding": true }));
    assert_eq!(quiet(&session)["error"], Value::Null);
    write_census(&Census::new(700, 4), &folder.path().join("new.csv"), None).unwrap();
    let given = json!({ "recoding": "out.recoding.json", "input": "new.csv", "suppress_unseen": true, "output": "new.release.csv" });
    call(&session, "again", given);
    let state = quiet(&session);
    assert_eq!(state["error"], Value::Null);
    let told = call(&session, "again-told", json!({}));
    assert_eq!(told["told"]["holds"], json!(true));
    assert!(folder.path().join("new.release.csv").exists());
}
