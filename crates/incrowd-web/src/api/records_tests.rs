//! The records of the table one by one.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use serde_json::{Value, json};

use super::tests::{call, opened, quiet, refused};

#[test]
fn records_are_listed_with_their_crowds_and_veiled_until_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 600);
    assert_eq!(call(&session, "records", json!({ "count": 5 }))["told"], Value::Null);
    assert!(refused(&session, "record-keys", json!({ "number": 1 })).message.contains("counted"));
    call(&session, "begin-records", json!({}));
    let standing = quiet(&session)["look"]["told"]["standing"].clone();
    let list = |asked: Value| call(&session, "records", asked)["told"].clone();
    let alone = list(json!({ "count": 100, "at_most": 1 }));
    assert_eq!(alone["all"], standing["unique_rows"]);
    assert!(alone["records"].as_array().unwrap().iter().all(|it| it["crowd"] == json!(1)));
    assert_eq!(alone["records"][0]["fields"], Value::Null);
    assert_eq!(alone["stale"], json!(false));
    let shown = list(json!({ "count": 3, "from": 2, "column": "age", "show": true }));
    assert_eq!(shown["records"].as_array().unwrap().len(), 3);
    let age = shown["columns"].as_array().unwrap().iter().position(|it| it == "age").unwrap();
    let text = std::fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let mut lines = text.lines();
    let place = lines.next().unwrap().split(',').position(|it| it == "age").unwrap();
    let mut ages: Vec<u32> =
        lines.map(|line| line.split(',').nth(place).unwrap().parse().unwrap()).collect();
    ages.sort_unstable();
    for (at, record) in shown["records"].as_array().unwrap().iter().enumerate() {
        assert_eq!(record["fields"][age], json!(ages[at + 2].to_string()));
    }
    let error = refused(&session, "records", json!({ "count": 1, "column": "nobody" }));
    assert!(error.message.contains("nobody"));
    assert!(refused(&session, "record-keys", json!({ "number": 601 })).message.contains("601"));
    let number = alone["records"][0]["number"].clone();
    let why = call(&session, "record-keys", json!({ "number": number }));
    assert!(!why["keys"].as_array().unwrap().is_empty() && why["labels"] == Value::Null);
    assert!(why["columns"][0]["keys"].as_u64().unwrap() > 0);
    // After a search it is told what became of them.
    call(&session, "spec", json!({ "algorithm": { "method": "mondrian" } }));
    call(&session, "search", json!({}));
    let answer = quiet(&session)["answer"].clone();
    assert_eq!(list(json!({ "count": 1 }))["stale"], json!(true));
    call(&session, "begin-records", json!({}));
    quiet(&session);
    let released = list(json!({ "count": 100, "fate": "released" }));
    assert_eq!(released["all"], answer["released"]);
    let k = answer["k"].as_u64().unwrap();
    let sizes = released["records"].as_array().unwrap();
    assert!(sizes.iter().all(|it| it["released"].as_u64().unwrap() >= k));
    let left = list(json!({ "count": 100, "fate": "left" }));
    assert_eq!(left["all"].as_u64().unwrap(), 600 - answer["released"].as_u64().unwrap());
    let shown = call(&session, "record-keys", json!({ "number": number, "show": true }));
    assert_eq!(
        shown["labels"].as_array().map(Vec::len),
        shown["released"].as_u64().map(|_| { released["columns"].as_array().unwrap().len() })
    );
}
