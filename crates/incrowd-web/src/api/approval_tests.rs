//! Writing waits for what must be done.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use serde_json::{Value, json};

use super::tests::{call, opened, quiet, refused, session};
use crate::session::TicketContent;

fn items(state: &Value) -> Vec<Value> {
    state["project"]["approval"]["rules"]["items"].as_array().unwrap().clone()
}

#[test]
fn a_release_waits_for_the_items_that_bind_and_for_its_reviewer() {
    let folder = tempfile::tempdir().unwrap();
    let session_one = opened(folder.path(), 300);
    let session = &session_one;
    assert!(
        refused(session, "review", json!({ "kind": "approve", "by": "J. Doe" })).help.is_some()
    );
    let question = json!({ "algorithm": { "method": "mondrian" }, "privacy": { "k": 4 } });
    call(session, "spec", question);
    quiet(session);
    call(session, "search", json!({}));
    let state = quiet(session);
    assert_eq!(state["project"]["approval"]["waits_for"], json!([]));
    let mut list = items(&state);
    let text = list[4]["text"].as_str().unwrap().to_owned();
    list[4]["required"] = json!(true);
    call(session, "approval-rules", json!({ "items": list, "needs_approval": true }));
    let write = json!({ "output": "out.csv" });
    let error = refused(session, "finish", write.clone());
    assert!(error.message.contains(&text) && error.message.contains("reviewer"), "{error}");
    assert!(!folder.path().join("out.csv").exists());
    refused(session, "tick", json!({ "text": "no such line", "done": true }));
    call(session, "tick", json!({ "text": text, "done": true, "by": "J. Doe" }));
    call(session, "review", json!({ "kind": "refuse", "by": "Dr. Roe", "text": "why k = 4?" }));
    let error = refused(session, "finish", write.clone());
    assert!(!error.message.contains(&text) && error.message.contains("reviewer"), "{error}");
    for odd in [json!({ "kind": "approve", "by": " " }), json!({ "kind": "comment", "by": "x" })] {
        refused(session, "review", odd);
    }
    call(session, "review", json!({ "kind": "approve", "by": "Dr. Roe" }));
    // What was said is there again after the process is gone.
    session.save().unwrap();
    let said = quiet(session)["project"]["approval"].clone();
    assert_eq!(said["said"]["comments"][0]["text"], json!("why k = 4?"));
    let again = self::session(folder.path());
    call(&again, "open", json!({ "path": "people.csv" }));
    assert_eq!(quiet(&again)["project"]["approval"], said);
    call(&again, "finish", write);
    assert_eq!(quiet(&again)["error"], Value::Null);
    let report = std::fs::read_to_string(folder.path().join("out.report.html")).unwrap();
    assert!(report.contains("J. Doe") && report.contains("approved (Dr. Roe"), "in the report");
    assert!(!report.contains("why k"), "comments are not");
    // Another release is another one to approve.
    call(&again, "spec", json!({ "privacy": { "k": 6 } }));
    quiet(&again);
    call(&again, "search", json!({}));
    let state = quiet(&again);
    assert_eq!(state["project"]["approval"]["waits_for"].as_array().unwrap().len(), 2);
    assert!(refused(&again, "finish", json!({ "output": "six.csv" })).message.contains("waits"));
    call(&again, "undo", json!({}));
    assert_eq!(quiet(&again)["project"]["approval"]["waits_for"], json!([]));
    // A form is a page to print, which can be loaded again.
    call(&again, "begin-forms", json!({}));
    quiet(&again);
    let ticket = call(&again, "form-ticket", json!({ "what": "clinical" }));
    let code = ticket["path"].as_str().unwrap().strip_prefix("/ticket/").unwrap().to_owned();
    assert!(again.has_ticket(&code) && !again.has_ticket("x"));
    let Some(TicketContent::Page(page)) = again.redeem(&code) else { panic!("no page") };
    assert!(
        page.starts_with("<!DOCTYPE html>")
            && page.contains("<li>")
            && page.contains("@media print")
    );
    let Some(TicketContent::Page(same)) = again.redeem(&code) else { panic!("no page") };
    assert_eq!(same, page);
}
