//! Which files pages can have read and written, whatever is open.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

use serde_json::{Value, json};

use super::tests::{call, opened, quiet, refused, session};
use crate::session::TicketContent;

/// Made-up people lie in a folder of their own, outside the one named at launch.
#[test]
fn paths_are_checked_while_made_up_people_are_open() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("in");
    std::fs::create_dir(&folder).unwrap();
    let secret = outer.path().join("secret.csv");
    std::fs::write(&secret, "Female;her secret\nMale;his secret\n").unwrap();
    let session = session(&folder);
    call(&session, "demo", json!({}));
    let before = quiet(&session)["toml"].clone();
    let outside = secret.to_str().unwrap();
    for patch in [
        json!({ "columns": { "sex": { "hierarchy": outside } } }),
        json!({ "columns": { "sex": { "hierarchy": "/etc/passwd" } } }),
        json!({ "data": { "population": outside } }),
        json!({ "data": { "earlier": [outside] } }),
        json!({ "data": { "input": outside } }),
        json!({ "release": { "key-file": outer.path().join("made.key") } }),
        json!({ "release": { "seed-file": outer.path().join("made.key") } }),
        json!({ "release": { "seed-file": outside } }),
    ] {
        let error = refused(&session, "spec", patch.clone());
        assert!(error.message.contains("outside the folder"), "{patch} {error}");
    }
    assert!(!outer.path().join("made.key").exists());
    let given = json!({ "column": "sex", "hierarchy": outside });
    assert!(refused(&session, "put-hierarchy", given).message.contains("outside the folder"));
    assert_eq!(quiet(&session)["toml"], before);
    // The files that were made up are read, and those of the folder named at launch are.
    let told = call(&session, "hierarchy", json!({ "column": "native-country" }));
    assert!(told["rows"].as_array().is_some_and(|rows| rows.len() > 10), "{told}");
    std::fs::write(folder.join("sex.csv"), "Female;*\nMale;*\n").unwrap();
    let inside = folder.join("sex.csv");
    call(&session, "put-hierarchy", json!({ "column": "sex", "hierarchy": inside }));
    let told = call(&session, "hierarchy", json!({ "column": "sex" }));
    assert_eq!(told["rows"].as_array().unwrap().len(), 2, "{told}");
}

/// A link that lies where a file is going to be written leads nowhere.
#[cfg(unix)]
#[test]
fn files_beside_a_release_follow_no_links() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("in");
    std::fs::create_dir(&folder).unwrap();
    let session = opened(&folder, 300);
    call(&session, "spec", json!({ "algorithm": { "method": "mondrian" } }));
    quiet(&session);
    call(&session, "search", json!({}));
    quiet(&session);
    let victim = outer.path().join("victim");
    let link = |name: &str, to: &Path| std::os::unix::fs::symlink(to, folder.join(name)).unwrap();
    let is_link = |name: &str| std::fs::symlink_metadata(folder.join(name)).unwrap().is_symlink();
    let files = ["out.csv", "out.spec.toml", "out.seed", "out.report.html", "out.recoding.json"];
    let given = json!({ "output": "out.csv", "recoding": true, "replace": true });
    for (at, name) in files.into_iter().enumerate() {
        for there in [false, true] {
            if there {
                std::fs::write(&victim, "as it was").unwrap();
            }
            link(name, &victim);
            let error = refused(&session, "finish", given.clone());
            assert!(at == 0 || error.message.contains("is a link"), "{name} {error}");
            assert!(is_link(name) && victim.exists() == there, "{name}");
            std::fs::remove_file(folder.join(name)).unwrap();
            if there {
                assert_eq!(std::fs::read_to_string(&victim).unwrap(), "as it was");
                std::fs::remove_file(&victim).unwrap();
            }
        }
    }
    // Without links all is written, and again over it.
    for _ in 0..2 {
        call(&session, "finish", given.clone());
        assert_eq!(quiet(&session)["error"], Value::Null);
    }
    call(&session, "begin-forms", json!({}));
    assert_eq!(quiet(&session)["error"], Value::Null);
    link("out.clinical.md", &victim);
    assert!(refused(&session, "write-forms", json!({})).message.contains("is a link"));
    assert!(!victim.exists());
    std::fs::remove_file(folder.join("out.clinical.md")).unwrap();
    call(&session, "write-forms", json!({}));
    link("record.jsonl", &victim);
    let error = refused(&session, "record", json!({ "into": "record.jsonl" }));
    assert!(error.message.contains("is a link"), "{error}");
    // A release that was written is read where it lies, and not where a link leads.
    std::fs::write(&victim, "as it was").unwrap();
    std::fs::remove_file(folder.join("out.report.html")).unwrap();
    link("out.report.html", &victim);
    let ticket = call(&session, "ticket", json!({ "what": "report" }));
    let code = ticket["path"].as_str().unwrap().strip_prefix("/ticket/").unwrap();
    let TicketContent::File(path) = session.redeem(code).unwrap() else { panic!("a page") };
    assert!(session.root.own(&path).unwrap_err().message.contains("is a link"));
    // A link within the folder that somebody names is followed, as ever.
    std::fs::write(folder.join("real.csv"), "").unwrap();
    link("named.csv", &folder.join("real.csv"));
    call(&session, "finish", json!({ "output": "named.csv", "replace": true }));
    assert_eq!(quiet(&session)["error"], Value::Null);
    assert!(is_link("named.csv") && std::fs::metadata(folder.join("real.csv")).unwrap().len() > 0);
}

/// Whatever lies in a file: the answer is a sentence, and the next file can be opened.
#[test]
fn no_file_ends_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let session = opened(folder.path(), 50);
    let ends = [
        "csv", "csv.gz", "csv.zst", "parquet", "xlsx", "xls", "ods", "sav", "dta", "xpt", "toml",
        "incrowd",
    ];
    let mut noise = 1u32;
    let mut random = |_| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (noise >> 24) as u8
    };
    let random: Vec<u8> = (0..5000).map(&mut random).collect();
    let deep = "[".repeat(100_000);
    let keys = "a.".repeat(50_000) + "a = 1\n";
    let heads: [&[u8]; 9] = [
        b"PAR1",
        b"PK\x03\x04",
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd",
        b"$FL2",
        b"\xff\xfe",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"HEADER RECORD*******LIBRARY",
        b"<stata_dta>",
    ];
    let mut contents: Vec<Vec<u8>> = vec![
        Vec::new(),
        vec![0; 4096],
        random.clone(),
        deep.into_bytes(),
        keys.into_bytes(),
        b"a,b\n\"".to_vec(),
        b"\n\n\n".to_vec(),
        b"a\n".repeat(3),
        vec![b','; 20_000],
        b"{\"incrowd-project\":1}".to_vec(),
    ];
    contents.extend(heads.iter().map(|head| [head, random.as_slice()].concat()));
    for end in ends {
        let name = format!("odd.{end}");
        for content in &contents {
            std::fs::write(folder.path().join(&name), content).unwrap();
            call(&session, "open", json!({ "path": name, "discard": true }));
            let state = quiet(&session);
            let opened = state["file"]["name"] == json!(name);
            assert!(opened || state["error"]["message"].is_string(), "{end} {content:.20?}");
            // What was drafted of it is a project of its own, which is not kept.
            let _ = std::fs::remove_file(folder.path().join(format!("{name}.incrowd")));
        }
    }
    call(&session, "open", json!({ "path": "people.csv", "discard": true }));
    assert_eq!(quiet(&session)["file"]["rows"], json!(50));
}
