//! Pages in a real browser: they load with the network off, and the browser has nothing to complain of.
//!
//! A page says itself that nothing may be loaded or run (its content security policy), so that whatever
//! it tried to would be an error on the console.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;

use std::path::Path;
use std::process::Command;

use common::Folder;

/// What Chromium is called on various systems.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A browser, if there is one. Where `CI` is set, its absence fails.
fn browser() -> Option<&'static str> {
    let runs = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|told| told.status.success())
    };
    let found = NAMES.into_iter().find(runs);
    if found.is_none() {
        incrowd_testing::skip(&format!("none of {NAMES:?} is installed"));
    }
    found
}

/// A page as the browser has it, and what it wrote on its console.
struct Seen {
    page: String,
    console: Vec<String>,
}

fn look(browser: &str, profile: &Path, page: &Path) -> Seen {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--log-level=0"])
        // No name is found and no proxy answers: the network is off.
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    Seen {
        page: String::from_utf8_lossy(&output.stdout).into_owned(),
        console: log.lines().filter(|l| l.contains("CONSOLE")).map(str::to_owned).collect(),
    }
}

#[test]
fn pages_load_with_the_network_off_and_without_a_complaint() {
    let Some(browser) = browser() else { return };
    let folder = Folder::new();
    let profile = folder.path("profile");
    // Complaints are noticed: what a page must not do, it does not do silently.
    let page = folder.path("bad.html");
    let policy = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">";
    let bad =
        format!("<!DOCTYPE html>{policy}<title>bad</title><img src=http://example.org/a.png>");
    folder.write("bad.html", bad.as_bytes());
    assert!(!look(browser, &profile, &page).console.is_empty());

    let columns = "--quasi age,sex,zip,born";
    let pages = [
        (
            "run.html",
            format!(
                "anonymize people.csv -k 4 {columns} --identifying name --sensitive disease -m optimal --metric dm \
                 -o release.csv --report run.html -q"
            ),
            vec!["The question", "Risk before and after", "To make it again"],
        ),
        (
            "compare.html",
            format!(
                "compare people.csv -k 2,4 {columns} --methods optimal,mondrian,datafly --metric dm \
                 --report compare.html -q"
            ),
            vec!["Cost over k", "proven optimum", "The numbers"],
        ),
        (
            "evaluation.html",
            format!(
                "evaluate all release.csv --original people.csv {columns} --report evaluation.html"
            ),
            vec!["Metrics", "Information kept", "Counts taken from the release"],
        ),
        (
            "risk.html",
            format!("risk people.csv {columns} --sampling-fraction 0.1 --report risk.html"),
            vec!["Who could find people", "Unique in the population", "What singles people out"],
        ),
    ];
    for (name, line, words) in pages {
        folder.run(&line).done();
        let seen = look(browser, &profile, &folder.path(name));
        assert_eq!(seen.console, Vec::<String>::new(), "{name}");
        assert!(seen.page.contains("</svg>"), "{name}: {}", seen.page);
        for word in words {
            assert!(seen.page.contains(word), "{name}: {word}");
        }
    }
}
