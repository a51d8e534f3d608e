//! What approvers ask for, by calls: goals, treatments, attacks, forms and the record.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use incrowd_run::data::{Input, ReadOptions, Source};
use incrowd_run::forms::{check_record, read_record};
use serde_json::{Value, json};

use super::tests::{call, opened, quiet, refused, session};
use crate::session::Session;

/// Visits of patients: names, dates, ZIP codes and towns that go with them.
fn visits(folder: &Path) -> Arc<Session> {
    let mut text = "name,patient,zip,town,age,admitted,ill\n".to_owned();
    for row in 0..600u32 {
        let (person, zip) = (row / 2, row / 2 % 6);
        let town = ["Aachen", "Berlin", "Celle", "Dresden", "Essen", "Fulda"][zip as usize];
        // Dates and illnesses have nothing to do with people.
        let chance = |salt: u32| (row * 31 + salt).wrapping_mul(2_654_435_761) >> 13;
        let (age, month, day) = (20 + person % 40, 1 + chance(1) % 12, 1 + chance(2) % 28);
        writeln!(
            text,
            "Zed Smith{person},P{person:04},1000{zip},{town},{age},2024-{month:02}-{day:02},{}",
            ["flu", "cold", "gout"][(chance(3) % 3) as usize]
        )
        .unwrap();
    }
    std::fs::write(folder.join("visits.csv"), text).unwrap();
    let session = session(folder);
    call(&session, "open", json!({ "path": "visits.csv" }));
    quiet(&session);
    let columns = json!({
        "name": { "role": "identifying" }, "patient": { "role": "identifying" },
        "zip": { "role": "quasi" }, "town": { "role": "plain" }, "age": { "role": "quasi" },
        "admitted": { "role": "identifying" }, "ill": { "role": "sensitive" },
    });
    let algorithm = json!({ "method": "mondrian" });
    call(
        &session,
        "spec",
        json!({ "columns": columns, "privacy": { "k": 3, "unit": "patient" }, "algorithm": algorithm }),
    );
    quiet(&session);
    session
}

#[test]
fn safe_harbor_says_of_every_column_what_its_list_asks_for() {
    let folder = tempfile::tempdir().unwrap();
    let session = visits(folder.path());
    let before = quiet(&session)["toml"].clone();
    call(&session, "safe-harbor", json!({}));
    let columns = quiet(&session)["spec"]["columns"].clone();
    assert_eq!(columns["name"]["role"], json!("identifying"));
    assert_eq!(columns["patient"]["role"], json!("identifying"));
    assert_eq!(columns["zip"]["treat"], json!("zip3"));
    assert_eq!(columns["age"]["top"], json!(90));
    assert_eq!(columns["admitted"]["date-unit"], json!("year"));
    call(&session, "undo", json!({}));
    assert_eq!(quiet(&session)["toml"], before);
}

fn searched(session: &Arc<Session>) -> Value {
    call(session, "search", json!({}));
    let state = quiet(session);
    assert_eq!(state["error"], Value::Null);
    assert_eq!(state["answer"]["made"], json!(true), "{}", state["answer"]);
    state
}

#[test]
fn the_context_goes_into_the_spec_and_risks_are_met_or_told_to_be_out_of_reach() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 600);
    let purpose = json!({ "audience": "agreement", "knowledge": "sample", "harm": "low" });
    let told = call(&session, "propose", purpose.clone());
    assert!(told["guidance"].as_array().unwrap().len() > 3 && told["why"][0].is_string());
    assert!(quiet(&session)["spec"]["context"].is_null());
    let mut take = purpose.clone();
    take["take"] = json!(true);
    call(&session, "propose", take);
    let state = quiet(&session);
    assert_eq!(state["spec"]["context"], purpose);
    assert_eq!(state["spec"]["privacy"]["k"], told["k"]);

    // Numbers that make no sense change nothing; what cannot be met is told before any search.
    let before = quiet(&session)["toml"].clone();
    for risk in [json!(0), json!(1.5), json!("x")] {
        refused(&session, "spec", json!({ "privacy": { "max-average-risk": risk } }));
    }
    assert_eq!(quiet(&session)["toml"], before);
    call(&session, "spec", json!({ "privacy": { "max-average-risk": 0.0001 } }));
    let why = quiet(&session)["look"]["told"]["infeasible"].clone();
    assert!(why.as_str().unwrap().contains("risk of 0.17%"), "{why}");
    call(&session, "spec", json!({ "privacy": { "max-average-risk": null, "k-map": true } }));
    let why = quiet(&session)["look"]["told"]["refused"]["message"].clone();
    assert!(why.as_str().unwrap().contains("population"), "{why}");
    refused(&session, "spec", json!({ "data": { "population": "nobody.csv" } }));

    let risks = json!({ "k-map": null, "max-average-risk": 0.1, "max-at-risk": "5%@0.2" });
    let algorithm = json!({ "method": "mondrian" });
    call(&session, "spec", json!({ "privacy": risks, "algorithm": algorithm }));
    assert!(quiet(&session)["look"]["told"]["infeasible"].is_null());
    let state = searched(&session);
    let reached = state["answer"]["requirements"].as_array().unwrap();
    assert_eq!(reached.len(), 2);
    assert!(reached[0]["achieved"].as_f64().unwrap() <= 0.1, "{reached:?}");
    call(&session, "undo", json!({}));
    assert!(quiet(&session)["spec"]["privacy"]["max-average-risk"].is_null());
}

#[test]
fn treated_columns_show_no_original_and_followers_follow() {
    let folder = tempfile::tempdir().unwrap();
    let session = visits(folder.path());
    let tells = quiet(&session)["look"]["told"]["tells"].clone();
    assert_eq!(tells[0]["column"], json!("town"), "{tells}");
    // A pseudonym of the unit links its rows; dates are shifted by unit.
    let error =
        refused(&session, "spec", json!({ "columns": { "patient": { "treat": "pseudonym" } } }));
    assert!(error.help.unwrap().contains("linked"));
    let columns = json!({
        "patient": { "treat": "pseudonym" }, "admitted": { "treat": "shift:30" },
        "name": { "treat": "initials" }, "town": { "follows": "zip" },
    });
    call(&session, "spec", json!({ "columns": columns, "privacy": { "linked": true } }));
    let outside = refused(&session, "spec", json!({ "release": { "key-file": "../out.key" } }));
    assert!(outside.message.contains("outside"), "{outside}");
    call(&session, "spec", json!({ "release": { "key-file": "own.key" } }));
    let state = quiet(&session);
    assert_eq!(state["look"]["told"]["refused"], Value::Null);
    assert_eq!(state["look"]["told"]["tells"], json!([]));
    assert!(!folder.path().join("own.key").exists(), "a look makes no key");
    let state = searched(&session);
    assert!(folder.path().join("own.key").exists());
    assert_eq!(state["columns"][1]["treat"]["needs_key"], json!(true));
    let rows = call(&session, "rows", json!({ "from": 0, "count": 50 })).to_string();
    assert!(!rows.contains("Zed") && !rows.contains("P00"), "{rows}");
    call(&session, "finish", json!({ "output": "out.csv" }));
    let state = quiet(&session);
    assert_eq!(state["error"], Value::Null);
    assert_eq!(state["written"]["lost_key"], json!(false));
    let text = std::fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert!(!text.contains("Zed") && !text.contains("P00") && text.contains("Z.S."), "{text}");
}

#[test]
fn a_release_is_attacked_before_it_is_written_and_so_is_another_tools() {
    let folder = tempfile::tempdir().unwrap();
    let session = visits(folder.path());
    call(
        &session,
        "spec",
        json!({ "columns": { "town": { "role": "identifying" } }, "privacy": { "k": 20 } }),
    );
    quiet(&session);
    assert!(refused(&session, "begin-attack", json!({})).help.is_some());
    searched(&session);
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let before = names();
    call(&session, "begin-attack", json!({}));
    assert_eq!(quiet(&session)["error"], Value::Null);
    assert_eq!(names(), before, "nothing stays behind");
    let own = call(&session, "attack", json!({}));
    assert_eq!(own["stale"], json!(false));
    let attacks = own["told"]["attacks"].as_array().unwrap();
    assert_eq!(attacks[0]["name"], json!("singling out"));
    assert_eq!(attacks[0]["found"], json!(false), "{own}");
    assert_eq!(own["told"]["known"], json!(["zip", "age"]));
    let page = call(&session, "attack-page", json!({}));
    assert!(page["page"].as_str().unwrap().contains("singling out"));

    // A copy of the table is no release.
    let bad =
        json!({ "release": "visits.csv", "known": ["zip", "age", "admitted"], "secret": ["ill"] });
    call(&session, "begin-attack", bad);
    assert_eq!(quiet(&session)["error"], Value::Null);
    let other = call(&session, "attack", json!({}));
    assert_eq!(other["told"]["found"], json!(true), "{other}");
    assert_eq!(other["told"]["release"], json!("visits.csv"));
    refused(&session, "begin-attack", json!({ "release": "../elsewhere.csv" }));
}

#[test]
fn forms_are_filled_in_and_the_release_is_put_on_record() {
    let folder = tempfile::tempdir().unwrap();
    let session = visits(folder.path());
    call(&session, "spec", json!({ "columns": { "town": { "role": "identifying" } } }));
    quiet(&session);
    assert!(refused(&session, "begin-forms", json!({})).help.is_some());
    searched(&session);
    call(&session, "finish", json!({ "output": "out.csv" }));
    quiet(&session);
    assert!(
        refused(&session, "form", json!({ "what": "clinical" })).message.contains("not filled")
    );
    call(&session, "begin-forms", json!({}));
    let state = quiet(&session);
    assert_eq!(state["error"], Value::Null);
    let formed = &state["formed"];
    assert_eq!(formed["holds"], json!(true));
    let items = formed["checklist"]["items"].as_array().unwrap();
    assert_eq!((items.len(), formed["checklist"]["done"].clone()), (19, json!(false)));
    let attested = json!({ "R": "J. Doe looked", "knowledge": "J. Doe knows of nothing" });
    call(&session, "begin-forms", json!({ "attested": attested }));
    let items = quiet(&session)["formed"]["checklist"]["items"].clone();
    assert_eq!(items[18]["standing"], json!("attested"), "{items}");
    let form = call(&session, "form", json!({ "what": "croissant" }));
    assert_eq!(form["name"], json!("out.croissant.json"));
    let described: Value = serde_json::from_str(form["text"].as_str().unwrap()).unwrap();
    assert!(described["@context"].is_object());
    call(&session, "write-forms", json!({}));
    for name in [
        "safe-harbor.md",
        "expert-determination.md",
        "motivated-intruder.md",
        "clinical.md",
        "iso27559.md",
        "croissant.json",
    ] {
        let text = std::fs::read_to_string(folder.path().join(format!("out.{name}"))).unwrap();
        assert!(text.len() > 200 && !text.contains("Zed"), "{name}");
    }
    assert!(refused(&session, "write-forms", json!({})).message.contains("exists"));
    call(&session, "write-forms", json!({ "replace": true }));

    // ZIP codes of five digits are open: with the list it is refused, without it is put on record.
    let given = json!({ "into": "record.jsonl", "approved_by": " J. Doe ", "safe_harbor": true });
    call(&session, "record", given);
    let state = quiet(&session);
    assert!(state["error"]["message"].as_str().unwrap().contains("open"), "{}", state["error"]);
    assert!(!folder.path().join("record.jsonl").exists());
    call(&session, "record", json!({ "into": "record.jsonl", "approved_by": " J. Doe " }));
    let state = quiet(&session);
    assert_eq!(state["error"], Value::Null);
    let recorded = &state["recorded"];
    assert_eq!(recorded["entry"]["approved_by"], json!("J. Doe"));
    assert!(recorded["command"].as_str().unwrap().ends_with("--record record.jsonl"));
    let record = folder.path().join("record.jsonl");
    assert_eq!(read_record(&record).unwrap().len(), 1);
    let options = ReadOptions::default();
    let release = Source::open(&Input::from(folder.path().join("out.csv")), &options).unwrap();
    assert!(check_record(&record, &release, None).unwrap().holds);
    refused(&session, "record", json!({ "into": "../record.jsonl" }));
}

#[test]
fn specs_are_found_and_questions_of_ones_own_answered() {
    let folder = tempfile::tempdir().unwrap();
    let session = visits(folder.path());
    call(&session, "spec", json!({ "columns": { "town": { "role": "identifying" } } }));
    quiet(&session);
    searched(&session);
    let answer = call(&session, "count", json!({ "question": "age = 20..29 and zip = 10000" }));
    assert!(answer["truth"].as_u64().unwrap() > 0, "{answer}");
    let error = refused(&session, "count", json!({ "question": "height > 3" }));
    assert!(error.help.unwrap().contains("age"));
    call(&session, "finish", json!({ "output": "out.csv" }));
    quiet(&session);
    let recent = call(&session, "recent", json!({}));
    assert_eq!(recent["specs"][0]["path"], json!("out.spec.toml"));
    assert_eq!(recent["specs"][0]["table"], json!("visits.csv"));
}
