//! What matters is on the screen of a terminal of 80 columns and 24 lines when a run has ended.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::process::Command;

use crate::common::Folder;

const LINES: usize = 24;
const COLUMNS: usize = 80;

/// What a command leaves on the screen; none where no terminal can be made.
fn screen(folder: &Folder, command: &str) -> Option<Vec<String>> {
    let program = env!("CARGO_BIN_EXE_incrowd");
    let typed = format!("stty cols {COLUMNS} rows {LINES}; '{program}' {command}");
    let run = Command::new("script")
        .args(["-qec", &typed, "/dev/null"])
        .current_dir(folder.path(""))
        .output();
    let Ok(output) = run else {
        assert!(std::env::var_os("CI").is_none(), "there is no `script` (bsdutils)");
        return None;
    };
    let printed = String::from_utf8(output.stdout).unwrap();
    // A progress line is written over and over; the prompt takes the last line of the screen.
    let lines: Vec<String> = printed.lines().map(plain).collect();
    Some(lines[lines.len().saturating_sub(LINES - 1)..].to_vec())
}

/// A line as it is seen at last: without control sequences, and what stands after the last return.
fn plain(line: &str) -> String {
    let mut seen = String::new();
    let mut letters = line.trim_end_matches('\r').chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' => seen.clear(),
            '\u{1b}' => {
                letters.by_ref().take(1).for_each(drop);
                for letter in letters.by_ref() {
                    if letter.is_ascii_alphabetic() {
                        break;
                    }
                }
            }
            letter => seen.push(letter),
        }
    }
    seen
}

fn shows_the_answer(folder: &Folder, command: &str, first: &str) {
    let Some(lines) = screen(folder, command) else { return };
    let text = lines.join("\n");
    for start in [first, "Safe", "Kept", "column", "age"] {
        assert!(lines.iter().any(|line| line.starts_with(start)), "{start}:\n{text}");
    }
    let widest = lines.iter().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= COLUMNS, "{widest}:\n{text}");
}

#[test]
fn the_answer_of_the_demo_is_on_the_screen() {
    shows_the_answer(&Folder::new(), "demo --rows 2000 --no-report", "Made");
}

#[test]
fn the_answer_of_the_first_release_is_on_the_screen() {
    let folder = Folder::new();
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/patients.csv");
    folder.write("patients.csv", &std::fs::read(table).unwrap());
    let command = "anonymize patients.csv -k 3 --quasi age,sex,zip --sensitive diagnosis --l-diversity 2 \
                   --identifying name -o release.csv";
    shows_the_answer(&folder, command, "Written");
}

#[test]
fn many_columns_and_warnings_leave_the_answer_on_the_screen() {
    let folder = Folder::new();
    let sensitive: Vec<String> = (0..12).map(|at| format!("finding_{at}")).collect();
    let row = |at: usize| {
        let values: Vec<String> = (0..12).map(|column| ((at + column) % 3).to_string()).collect();
        format!("{},{},{}\n", 20 + at % 40, at % 2, values.join(","))
    };
    let rows: String = (0..400).map(row).collect();
    let table = format!("age,sex,{}\n{rows}", sensitive.join(","));
    folder.write("findings.csv", table.as_bytes());
    let command = format!(
        "anonymize findings.csv -k 5 --quasi age,sex --sensitive {} --unit row -o release.csv",
        sensitive.join(",")
    );
    shows_the_answer(&folder, &command, "Written");
}
