//! The questions of the parity test as pages ask them: a spec is opened, searched for and finished. The answers must be those
//! of the command line.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../../incrowd-run/tests/parity/asked.rs"]
mod asked;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::tests::{quiet, session};
use super::{ApiResponse, answer};
use crate::session::Session;
use asked::{Nature, Question};

/// So many sessions ask at once: most of their time they wait.
const SESSIONS: usize = 4;

/// Calls, and waits until nothing goes on; what was refused, at once or later on, is an error.
fn step(session: &Arc<Session>, name: &str, given: &Value) -> Result<Value, Value> {
    match answer(session, name, given.to_string().as_bytes()) {
        ApiResponse::Json(_) => {}
        ApiResponse::Refused(error) => return Err(error.to_json()["error"].clone()),
        _ => panic!("{name} is no call"),
    }
    let state = quiet(session);
    match &state["error"] {
        Value::Null => Ok(state),
        error => Err(error.clone()),
    }
}

/// The quasi-identifiers by their names in the release.
fn quasi(question: &Question) -> Vec<String> {
    let options = &question.options;
    let listed = |keyword: &str| {
        let names = options.get(keyword).and_then(Value::as_array).into_iter().flatten();
        names.map(|name| name.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let plain = listed("plain");
    let weight = options.get("survey_weight").and_then(Value::as_str).map(str::to_owned);
    let weight = weight.filter(|name| !plain.contains(name));
    let renamed = |name: String| match options.get("rename").and_then(|names| names.get(&name)) {
        Some(other) => other.as_str().unwrap().to_owned(),
        None => name,
    };
    listed("quasi").into_iter().chain(weight).map(renamed).collect()
}

fn ask(
    session: &Arc<Session>,
    folder: &Path,
    question: &Question,
) -> Result<(Value, String), Value> {
    let places = [("data", format!("input = \"{}.csv\"", question.table))];
    std::fs::write(folder.join("question.toml"), asked::spec(question, &places)).unwrap();
    // Each is a question of its own, and not the next one of the same project.
    step(session, "open", &json!({ "path": "question.toml", "anew": true, "discard": true }))?;
    let state = step(session, "search", &json!({}))?;
    let said = state["answer"]["in_words"].to_string();
    if state["answer"]["made"] != json!(true) {
        return Ok((asked::answer(question, &state["answer"], None), said));
    }
    let state = step(session, "finish", &json!({ "output": "release.csv", "replace": true }))?;
    let facts = json!({
        "warnings": state["written"]["warnings"],
        "checks": state["written"]["checks"],
        "verdict": state["written"]["verdict"],
        "quasi": quasi(question),
    });
    let text = std::fs::read_to_string(folder.join("release.csv")).unwrap();
    Ok((asked::answer(question, &facts, Some(&asked::csv_rows(&text))), said))
}

#[test]
fn pages_are_answered_as_the_command_line_is() {
    // Who is protected, and what is refused, in full; of the others, every second.
    let in_full = ["roles-", "copies-", "unit-", "masked-", "treat-"];
    let questions: Vec<Question> = asked::questions()
        .into_iter()
        .enumerate()
        .filter(|(at, it)| at % 2 == 0 || in_full.iter().any(|start| it.name.starts_with(start)))
        .map(|(_, question)| question)
        .collect();
    let expected = asked::expected();
    let ask_some = |first: usize| {
        let folder = tempfile::tempdir().unwrap();
        asked::put_tables(folder.path());
        let session = session(folder.path());
        let mut differing: Vec<String> = Vec::new();
        for question in questions.iter().skip(first).step_by(SESSIONS) {
            let (found, said) = ask(&session, folder.path(), question)
                .unwrap_or_else(|error| (asked::refusal(&error), error["message"].to_string()));
            // Pages need not tell the checks one by one.
            let no_checks = found["checks"].as_object().is_none_or(serde_json::Map::is_empty);
            let nature = Nature { no_checks, ..Nature::default() };
            let expected = &expected[&question.name];
            differing.extend(asked::differences(question, expected, &found, &said, nature));
        }
        differing
    };
    let differing: Vec<String> = std::thread::scope(|scope| {
        let ask_some = &ask_some;
        let all: Vec<_> = (0..SESSIONS).map(|first| scope.spawn(move || ask_some(first))).collect();
        all.into_iter().flat_map(|some| some.join().unwrap()).collect()
    });
    let count = differing.len();
    assert!(differing.is_empty(), "{count} answers differ:\n{}", differing.join("\n"));
}
