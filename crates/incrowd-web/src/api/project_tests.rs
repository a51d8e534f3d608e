//! Projects: nothing is lost.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::tests::{call, opened, quiet, refused, session};
use crate::session::Session;

/// What must be the same before and after: all but what counts and measures.
fn essence(state: &Value) -> Value {
    let mut project = state["project"].clone();
    project.as_object_mut().unwrap().remove("stored");
    for release in project["releases"].as_array_mut().unwrap() {
        release.as_object_mut().unwrap().remove("present");
    }
    let mut answer = state["answer"].clone();
    for measured in ["seconds", "summary", "nodes"] {
        answer.as_object_mut().map(|answer| answer.remove(measured));
    }
    json!([state["toml"], state["undo"], state["redo"], project, answer, state["file"]])
}

/// Another launch in the same folder.
fn reopened(folder: &Path, what: &str) -> Arc<Session> {
    let session = session(folder);
    call(&session, "open", json!({ "path": what }));
    let state = quiet(&session);
    assert_eq!(state["error"], Value::Null);
    session
}

fn set_k(session: &Arc<Session>, k: u64) {
    call(session, "spec", json!({ "privacy": { "k": k } }));
}

fn searched(session: &Arc<Session>, k: u64) -> Value {
    let algorithm = json!({ "method": "mondrian" });
    call(session, "spec", json!({ "privacy": { "k": k }, "algorithm": algorithm }));
    quiet(session);
    call(session, "search", json!({}));
    let state = quiet(session);
    assert_eq!(state["error"], Value::Null);
    state
}

#[test]
fn a_project_is_there_again_after_the_process_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let first = opened(folder.path(), 400);
    let path = folder.path().join("people.csv.incrowd");
    first.save().unwrap();
    assert!(!path.exists(), "nothing was decided yet");
    searched(&first, 5);
    searched(&first, 3);
    call(&first, "notes", json!({ "notes": "ask the clinic about k" }));
    set_k(&first, 9);
    call(&first, "undo", json!({}));
    let before = quiet(&first);
    assert_eq!(before["answer"]["k"], json!(3));
    assert_eq!(before["project"]["releases"].as_array().unwrap().len(), 2);
    first.save().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // Opened by the name of its table and by its own, with the release that belongs to the question.
    for what in ["people.csv", "people.csv.incrowd"] {
        let again = reopened(folder.path(), what);
        let after = quiet(&again);
        assert_eq!(essence(&after), essence(&before));
        // It can be written as if it had been searched for here.
        let output = format!("{what}.out.csv");
        call(&again, "finish", json!({ "output": output }));
        let state = quiet(&again);
        assert_eq!(state["written"]["verdict"]["holds"], json!(true), "{}", state["error"]);
    }
}

#[test]
fn undo_brings_back_the_question_and_its_release() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 400);
    let cost_of = |state: &Value| state["answer"]["cost"].as_f64().unwrap();
    let five = cost_of(&searched(&session, 5));
    let two = cost_of(&searched(&session, 2));
    assert!(two < five);
    call(&session, "undo", json!({}));
    let state = quiet(&session);
    assert_eq!((cost_of(&state), &state["answer"]["stale"]), (five, &json!(false)));
    call(&session, "redo", json!({}));
    assert_eq!(cost_of(&quiet(&session)), two);
    // The same question by another way.
    set_k(&session, 5);
    assert_eq!(cost_of(&quiet(&session)), five);
    assert_eq!(quiet(&session)["project"]["releases"].as_array().unwrap().len(), 2);
}

#[test]
fn another_way_to_read_the_table_keeps_what_was_decided() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 300);
    call(&session, "spec", json!({ "columns": { "age": { "role": "plain" } } }));
    set_k(&session, 7);
    quiet(&session);
    call(&session, "open", json!({ "path": "people.csv", "encoding": "windows-1252" }));
    let state = quiet(&session);
    assert_eq!(state["error"], Value::Null);
    assert_eq!(state["spec"]["columns"]["age"]["role"], json!("plain"));
    assert_eq!(state["spec"]["privacy"]["k"], json!(7));
    assert_eq!(state["spec"]["data"]["encoding"], json!("windows-1252"));
    assert_eq!(state["undo"], json!(true));
    call(&session, "undo", json!({}));
    let state = quiet(&session);
    assert_eq!(state["spec"]["data"]["encoding"], json!("windows-1252"));
    // With another delimiter there is one column only: that is refused, and nothing has changed.
    let before = essence(&state);
    call(&session, "open", json!({ "path": "people.csv", "delimiter": ";" }));
    let state = quiet(&session);
    assert!(state["error"]["message"].as_str().unwrap().contains("lacks"), "{}", state["error"]);
    assert_eq!(essence(&state), before);
    // A new project leaves the one before as it is.
    call(&session, "open", json!({ "path": "people.csv", "delimiter": ";", "anew": true }));
    let state = quiet(&session);
    assert_eq!(state["file"]["columns"], json!(1));
    assert_eq!(state["project"]["path"], json!("people.csv 2.incrowd"));
    call(&session, "open", json!({ "path": "people.csv" }));
    assert_eq!(essence(&quiet(&session)), before);
}

#[test]
fn opening_another_table_and_coming_back_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 300);
    let other = std::fs::read(folder.path().join("people.csv")).unwrap();
    std::fs::write(folder.path().join("other.csv"), other).unwrap();
    let before = essence(&searched(&session, 4));
    call(&session, "open", json!({ "path": "other.csv" }));
    assert_eq!(quiet(&session)["undo"], json!(false));
    set_k(&session, 6);
    call(&session, "open", json!({ "path": "people.csv" }));
    assert_eq!(essence(&quiet(&session)), before);
    let known = call(&session, "projects", json!({}));
    assert_eq!(known["projects"].as_array().unwrap().len(), 2);
    // Made-up people are not kept: whoever goes on is asked.
    call(&session, "demo", json!({}));
    quiet(&session);
    call(&session, "open", json!({ "path": "people.csv" }));
    quiet(&session);
    call(&session, "demo", json!({}));
    quiet(&session);
    set_k(&session, 8);
    assert_eq!(quiet(&session)["project"]["at_risk"], json!(true));
    assert!(
        refused(&session, "open", json!({ "path": "people.csv" })).message.contains("not kept")
    );
    call(&session, "open", json!({ "path": "people.csv", "discard": true }));
    assert_eq!(quiet(&session)["file"]["name"], json!("people.csv"));
}

#[test]
fn projects_are_renamed_and_deleted_and_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 200);
    let place = |name: &str| folder.path().join(name);
    set_k(&session, 4);
    quiet(&session);
    session.save().unwrap();
    for name in ["", "../up", "a/b", ".hidden", "nul\0"] {
        refused(&session, "rename-project", json!({ "name": name }));
    }
    call(&session, "rename-project", json!({ "name": "Clinic 2026" }));
    session.save().unwrap();
    assert!(place("Clinic 2026.incrowd").is_file() && !place("people.csv.incrowd").exists());
    let again = reopened(folder.path(), "people.csv");
    assert_eq!(quiet(&again)["project"]["name"], json!("Clinic 2026"));
    // Two programs at once: the second one does not write over what the first has written.
    set_k(&again, 5);
    quiet(&again);
    again.save().unwrap();
    set_k(&session, 6);
    quiet(&session);
    let error = session.save().unwrap_err();
    assert!(error.message.contains("another program"), "{error}");
    let state = quiet(&session);
    assert_eq!(state["project"]["at_risk"], json!(true));
    assert!(refused(&session, "open", json!({ "path": "people.csv" })).message.contains("saved"));
    call(&session, "rename-project", json!({ "name": "Mine" }));
    session.save().unwrap();
    assert_eq!(quiet(&session)["project"]["fault"], Value::Null);
    assert!(place("Mine.incrowd").is_file() && place("Clinic 2026.incrowd").is_file());
    refused(&session, "rename-project", json!({ "name": "Clinic 2026" }));
    // Only projects are deleted; the open one is closed.
    for path in ["people.csv", "nobody.incrowd", "../x.incrowd"] {
        refused(&session, "delete-project", json!({ "path": path }));
    }
    call(&session, "delete-project", json!({ "path": "Mine.incrowd" }));
    let state = quiet(&session);
    assert_eq!((&state["file"], &state["project"]), (&Value::Null, &Value::Null));
    session.save().unwrap();
    assert!(!place("Mine.incrowd").exists() && place("people.csv").is_file());
}

#[test]
fn damaged_and_foreign_projects_are_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let first = opened(folder.path(), 200);
    searched(&first, 4);
    first.save().unwrap();
    let path = folder.path().join("people.csv.incrowd");
    let text = std::fs::read_to_string(&path).unwrap();
    let session = session(folder.path());
    let told = |content: &str, what: &str| {
        std::fs::write(&path, content).unwrap();
        call(&session, "open", json!({ "path": what }));
        let state = quiet(&session);
        assert!(state["file"].is_null(), "{content:.60}");
        assert!(state["error"]["help"].is_string());
        state["error"]["message"].as_str().unwrap().to_owned()
    };
    for content in ["", "{", "[]", "{\"incrowd-project\":2}", &text[..text.len() / 2]] {
        assert!(told(content, "people.csv").contains("cannot be read"));
        assert!(told(content, "people.csv.incrowd").contains("cannot be read"));
    }
    let mut project: Value = serde_json::from_str(&text).unwrap();
    project["at"] = json!(1000);
    assert!(told(&project.to_string(), "people.csv.incrowd").contains("no question"));
    // A project leads to no file outside the folder.
    let mut project: Value = serde_json::from_str(&text).unwrap();
    for spec in project["specs"].as_array_mut().unwrap() {
        *spec = json!(spec.as_str().unwrap().replace("people.csv", "/etc/passwd"));
    }
    assert!(told(&project.to_string(), "people.csv.incrowd").contains("outside"));
    // A release of a table that has changed is not shown as one of the present table.
    std::fs::write(&path, &text).unwrap();
    let table = folder.path().join("people.csv");
    let rows = std::fs::read_to_string(&table).unwrap();
    let shorter: Vec<&str> = rows.lines().take(150).collect();
    std::fs::write(&table, shorter.join("\n") + "\n").unwrap();
    call(&session, "open", json!({ "path": "people.csv" }));
    let state = quiet(&session);
    assert_eq!((&state["file"]["rows"], &state["answer"]), (&json!(149), &Value::Null));
    let error = state["error"]["message"].as_str().unwrap();
    assert!(error.contains("changed since"), "{error}");
    assert_eq!(state["project"]["releases"].as_array().unwrap().len(), 1);
}

#[test]
fn a_release_of_the_project_is_taken_up_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let first = opened(folder.path(), 300);
    searched(&first, 6);
    searched(&first, 3);
    first.save().unwrap();
    let session = reopened(folder.path(), "people.csv");
    let releases = quiet(&session)["project"]["releases"].clone();
    let id = releases[0]["id"].clone();
    call(&session, "name-release", json!({ "id": id, "name": "for the clinic" }));
    call(&session, "take-release", json!({ "id": id }));
    let state = quiet(&session);
    assert_eq!((&state["answer"]["k"], &state["spec"]["privacy"]["k"]), (&json!(6), &json!(6)));
    assert_eq!(state["answer"]["cost"], releases[0]["figures"]["cost"]);
    call(&session, "finish", json!({ "output": "six.csv" }));
    let state = quiet(&session);
    assert_eq!(state["written"]["achieved_k"], releases[0]["figures"]["achieved_k"]);
    assert_eq!(state["project"]["releases"][0]["written"][0], json!("six.csv"));
    assert_eq!(state["project"]["releases"][0]["name"], json!("for the clinic"));
    call(&session, "drop-release", json!({ "id": id }));
    assert_eq!(quiet(&session)["project"]["releases"].as_array().unwrap().len(), 1);
    refused(&session, "take-release", json!({ "id": id }));
}

#[test]
fn two_releases_stand_side_by_side_with_the_rows_of_both() {
    let folder = tempfile::tempdir().unwrap();
    let first = opened(folder.path(), 300);
    searched(&first, 12);
    searched(&first, 2);
    first.save().unwrap();
    let session = reopened(folder.path(), "people.csv");
    let pair = json!({ "one": 1, "other": 2 });
    assert_eq!(call(&session, "pair", pair.clone())["ready"], json!(false));
    refused(&session, "pair-rows", json!({ "one": 1, "other": 2, "count": 5 }));
    call(&session, "begin-pair", pair.clone());
    let state = quiet(&session);
    assert_eq!(state["error"], Value::Null);
    // The present release is still the one of the question.
    assert_eq!(state["answer"]["k"], json!(2));
    let told = call(&session, "pair", pair);
    let columns = told["columns"].as_array().unwrap();
    assert!(!columns.is_empty() && told["ready"] == json!(true));
    let kept = |which: &str| -> f64 {
        columns.iter().map(|column| column[which]["kept"].as_f64().unwrap()).sum()
    };
    assert!(kept("one") < kept("other"));
    let ask = |differing: bool, original: bool| {
        let asked = json!({
            "one": 1, "other": 2, "count": 20, "differing": differing, "original": original
        });
        call(&session, "pair-rows", asked)
    };
    let (all, differing) = (ask(false, false), ask(true, true));
    assert!(all["all"].as_u64() >= differing["all"].as_u64() && differing["all"] != json!(0));
    assert!(all["rows"][0]["before"].is_null());
    for row in differing["rows"].as_array().unwrap() {
        assert!(row["one"] != row["other"] && row["before"].is_array());
    }
    refused(&session, "begin-pair", json!({ "one": 1, "other": 9 }));
}

#[test]
fn of_changes_at_the_same_time_none_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 100);
    for k in 2..40_u64 {
        let change = |patch: Value| {
            let session = session.clone();
            move || call(&session, "spec", patch)
        };
        let changes = [
            change(json!({ "privacy": { "k": k } })),
            change(json!({ "goal": { "max-suppressed": format!("{k}%") } })),
            change(json!({ "algorithm": { "seed": k } })),
        ];
        let running: Vec<_> = changes.into_iter().map(std::thread::spawn).collect();
        running.into_iter().for_each(|it| drop(it.join().unwrap()));
        let spec = call(&session, "state", json!({}))["spec"].clone();
        assert_eq!(spec["privacy"]["k"], k, "{spec:#}");
        assert_eq!(spec["goal"]["max-suppressed"], format!("{k}%"), "{spec:#}");
        assert_eq!(spec["algorithm"]["seed"], k, "{spec:#}");
    }
}
