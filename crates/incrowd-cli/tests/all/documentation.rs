//! Every command of the documentation, run in the order of its page, prints what the page shows.
//!
//! A page shows a command as an indented line `$ incrowd ...` with its output below. A line `...`
//! stands for any lines that are not shown, and at the end of a line for the rest of it. `$ cat
//! FILE` of a file that no command has written makes the file with the content that the page shows,
//! and so does `<!-- file: NAME -->` before a block. `<!-- not run: reason -->` before a block
//! excepts its commands. `UPDATE=1 cargo test -p incrowd-cli documentation` writes what the
//! commands print today into the pages; `PAGE=survey.md` checks one page.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::common::Folder;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const INDENT: &str = "    ";

/// A command of a page.
struct Step {
    /// As the shell gets it.
    command: String,
    /// The lines of the page that show its output.
    shown: std::ops::Range<usize>,
    is_run: bool,
}

fn steps(lines: &[String]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut is_run = true;
    let mut file: Option<String> = None;
    let mut at = 0;
    while at < lines.len() {
        let Some(text) = lines[at].strip_prefix(INDENT) else {
            if lines[at].starts_with("<!-- not run") {
                is_run = false;
            } else if let Some(name) = lines[at].strip_prefix("<!-- file: ") {
                file = Some(name.trim_end_matches(" -->").to_owned());
            } else if !lines[at].is_empty() {
                is_run = true;
            }
            at += 1;
            continue;
        };
        if let Some(name) = file.take() {
            let start = at;
            while at < lines.len() && is_output(lines, at) {
                at += 1;
            }
            steps.push(Step { command: format!("cat {name}"), shown: start..at, is_run: true });
            continue;
        }
        at += 1;
        let Some(command) = text.strip_prefix("$ ") else { continue };
        let mut command = command.to_owned();
        while command.ends_with('\\') && at < lines.len() {
            command.pop();
            command.push_str(lines[at].trim_start());
            at += 1;
        }
        let start = at;
        while at < lines.len() && is_output(lines, at) {
            at += 1;
        }
        steps.push(Step { command, shown: start..at, is_run });
    }
    steps
}

/// Whether a line shows output: an indented line that is no command, or an empty one between two such lines.
fn is_output(lines: &[String], at: usize) -> bool {
    let shows = |line: &String| line.starts_with(INDENT) && !line.starts_with("    $ ");
    shows(&lines[at])
        || lines[at].is_empty()
            && lines[at..].iter().find(|line| !line.is_empty()).is_some_and(shows)
}

/// A line without what no two runs share: times.
fn comparable(line: &str) -> String {
    let words: Vec<&str> = line.trim_end().split(' ').collect();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let is_unit = |word: &str| matches!(word.trim_end_matches([',', '.', ')']), "s" | "ms" | "min");
    let masked = words.iter().enumerate().map(|(at, word)| {
        let timed = words.get(at + 1).is_some_and(|next| is_unit(next));
        if timed && is_number(word) { "#" } else { word }
    });
    masked.collect::<Vec<_>>().join(" ")
}

/// A line without its figures: by it a stale line finds the present one.
fn without_figures(line: &str) -> String {
    let mut text = String::new();
    for letter in line.chars().filter(|letter| !letter.is_whitespace()) {
        let letter = if letter.is_ascii_digit() { '0' } else { letter };
        if !(letter == '0' && text.ends_with('0')) {
            text.push(letter);
        }
    }
    text
}

/// The shown lines as the program prints them today, or what is not printed.
fn renewed(shown: &[String], printed: &[String]) -> Result<Vec<String>, String> {
    if !shown.iter().any(|line| line.trim() == "...") {
        return Ok(printed.to_vec());
    }
    let mut renewed = Vec::new();
    let mut rest: VecDeque<&String> = printed.iter().collect();
    let mut skips = false;
    for line in shown {
        if line.trim() == "..." {
            skips = true;
            renewed.push(line.clone());
            continue;
        }
        let is_whole = !line.ends_with("...");
        let cut = |other: &str| match is_whole {
            true => other.to_owned(),
            false => other.chars().take(line.chars().count() - 3).chain("...".chars()).collect(),
        };
        let same = |other: &&String| comparable(&cut(other)) == comparable(line);
        let alike = |other: &&String| without_figures(&cut(other)) == without_figures(line);
        let reach = if skips { rest.len() } else { 1.min(rest.len()) };
        let within: Vec<&String> = rest.iter().take(reach).copied().collect();
        let found = within.iter().position(same).or_else(|| within.iter().position(alike));
        let Some(found) = found else {
            return Err(format!("not printed here: {line}"));
        };
        let now = rest.drain(..=found).next_back().unwrap();
        // A time of the page stays while the rest of its line is true.
        renewed.push(if same(&now) { line.clone() } else { cut(now) });
        skips = false;
    }
    if !skips && !rest.is_empty() {
        return Err(format!("not shown: {}", rest[0]));
    }
    Ok(renewed)
}

/// What a command prints, and whether it ended as a command should.
fn run(folder: &Folder, command: &str) -> (Vec<String>, i32) {
    let program = Path::new(env!("CARGO_BIN_EXE_incrowd")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(folder.path(""))
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        .env_remove("SOURCE_DATE_EPOCH")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect();
    (lines, output.status.code().unwrap_or(-1))
}

/// Runs the commands of a page; the page as it should be, and what is wrong with it.
fn check(page: &Path) -> (String, String) {
    let text = std::fs::read_to_string(page).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let folder = Folder::new();
    std::fs::remove_file(folder.path("people.csv")).unwrap();
    copy(Path::new(&format!("{ROOT}/examples")), &folder.path(""));
    let mut faults = String::new();
    let mut grown = 0_isize;
    for step in steps(&lines.clone()) {
        if !step.is_run {
            continue;
        }
        let moved = |at: usize| at.checked_add_signed(grown).unwrap();
        let range = moved(step.shown.start)..moved(step.shown.end);
        let shown: Vec<String> = lines[range.clone()]
            .iter()
            .map(|line| line.strip_prefix(INDENT).unwrap_or(line).trim_end().to_owned())
            .collect();
        let file = step.command.strip_prefix("cat ").map(|name| folder.path(name));
        if let Some(file) = file.filter(|file| !file.exists()) {
            std::fs::write(file, shown.join("\n") + "\n").unwrap();
            continue;
        }
        let (printed, code) = run(&folder, &step.command);
        let is_refusal = printed.iter().any(|line| line.starts_with("error: "));
        if code > 1 && !(is_refusal && shown.iter().any(|line| line.starts_with("error: "))) {
            writeln!(faults, "$ {}\nends with {code}:\n{}\n", step.command, printed.join("\n"))
                .unwrap();
            continue;
        }
        let same = |now: &[String]| {
            now.iter().map(|line| comparable(line)).eq(shown.iter().map(|line| comparable(line)))
        };
        match renewed(&shown, &printed) {
            Ok(now) if same(&now) => {}
            Ok(now) => {
                writeln!(faults, "$ {}\nprints now:\n{}\n", step.command, now.join("\n")).unwrap();
                grown += now.len().cast_signed() - shown.len().cast_signed();
                let now = now.into_iter().map(|line| match line.is_empty() {
                    true => line,
                    false => format!("{INDENT}{line}"),
                });
                lines.splice(range, now);
            }
            Err(fault) => {
                let printed = printed.join("\n");
                writeln!(faults, "$ {}\n{fault}\nprinted:\n{printed}\n", step.command).unwrap();
            }
        }
    }
    (lines.join("\n") + "\n", faults)
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

#[test]
fn commands_print_what_the_pages_show() {
    let root = std::fs::canonicalize(ROOT).unwrap();
    let mut all = vec![root.join("README.md")];
    pages(&root.join("docs"), &mut all);
    if let Ok(only) = std::env::var("PAGE") {
        all.retain(|page| page.ends_with(&only));
    }
    all.sort();
    let updates = std::env::var_os("UPDATE").is_some();
    let faults = Mutex::new(String::new());
    let open = Mutex::new(all);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(page) = { open.lock().unwrap().pop() } {
                    let (now, wrong) = check(&page);
                    if updates && now != std::fs::read_to_string(&page).unwrap() {
                        std::fs::write(&page, now).unwrap();
                    }
                    if !wrong.is_empty() {
                        let name = page.strip_prefix(&root).unwrap().display();
                        write!(faults.lock().unwrap(), "== {name}\n{wrong}\n").unwrap();
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{faults}");
}
