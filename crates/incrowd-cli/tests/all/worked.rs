//! The worked examples of the documentation, run as they are printed there.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use common::Folder;

/// A command of the page, and what it prints.
struct Step {
    line: String,
    printed: Vec<String>,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        let Some(text) = line.strip_prefix("    ") else {
            open = false;
            continue;
        };
        if let Some(command) = text.strip_prefix("$ incrowd ") {
            steps.push(Step { line: command.to_owned(), printed: Vec::new() });
            open = true;
        } else if let Some(step) = steps.last_mut().filter(|_| open) {
            match step.line.strip_suffix('\\') {
                Some(line) => step.line = format!("{line}{}", text.trim_start()),
                None => step.printed.push(text.trim_end().to_owned()),
            }
        }
    }
    steps
}

/// Arguments as a shell takes them apart, as far as the page needs it.
fn arguments(line: &str) -> Vec<String> {
    let mut arguments = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => arguments.push(String::new()),
            letter => arguments.last_mut().unwrap().push(letter),
        }
    }
    arguments.retain(|argument| !argument.is_empty());
    arguments
}

#[test]
fn the_pages_tell_what_happens() {
    tells_what_happens(
        "guides/hospital-visits.md",
        &["visits.csv", "visits.toml", "visits-public.toml"],
    );
    tells_what_happens("guides/survey.md", &["survey.csv", "survey.toml"]);
}

fn tells_what_happens(page: &str, files: &[&str]) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let folder = Folder::new();
    for name in files {
        folder.write(name, &std::fs::read(format!("{root}/examples/{name}")).unwrap());
    }
    let page = std::fs::read_to_string(format!("{root}/docs/{page}")).unwrap();
    let steps = steps(&page);
    assert!(steps.len() >= 5, "{}", steps.len());
    for Step { line, printed } in steps {
        let output = folder.command(arguments(&line)).output().unwrap();
        let told =
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code().is_some_and(|code| code < 2), "{line}\n{told}");
        for expected in printed.iter().filter(|expected| !expected.ends_with("...")) {
            assert!(
                told.lines().any(|line| line.trim_end() == expected),
                "{line}\n{expected}\n{told}"
            );
        }
    }
}
