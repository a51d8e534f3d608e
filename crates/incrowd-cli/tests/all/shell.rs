//! Completions and manual pages: shells and `man` accept them, and every command is there.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::Folder;

/// The commands as the help lists them.
fn commands(folder: &Folder) -> Vec<String> {
    let help = folder.run("--help").done().stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.take_while(|line| !line.is_empty());
    let names: Vec<String> = names
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect();
    assert!(names.len() > 12, "{names:?}");
    names
}

/// Whether a program accepts a text on its standard input, and what it says; none if there is no such program.
fn accepts(program: &str, args: &[&str], text: &str) -> Option<(bool, String)> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Some((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

#[test]
fn completions_know_every_command() {
    let folder = Folder::new();
    let commands = commands(&folder);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(&format!("completions {shell}")).done().stdout;
        for word in commands.iter().map(String::as_str).chain(["max-suppressed", "show-spec"]) {
            assert!(script.contains(word), "{word} for {shell}");
        }
        // Those that can be asked without being started for good.
        if ["bash", "zsh", "fish"].contains(&shell)
            && let Some((accepted, said)) = accepts(shell, &["-n"], &script)
        {
            assert!(accepted && said.is_empty(), "{shell}: {said}");
        }
    }
    let ended = folder.run("completions tcl");
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("bash, elvish, fish, powershell, zsh"), "{}", ended.stderr);
}

/// A manual page that troff has nothing to say against, where there is one.
#[track_caller]
fn check_page(page: &str) {
    assert!(page.contains(".TH ") && page.contains(".SH NAME"), "{page}");
    if let Some((accepted, said)) = accepts("groff", &["-man", "-Tascii", "-z", "-ww"], page) {
        // What a terminal's font lacks is not the page's fault.
        let faults: Vec<&str> = said.lines().filter(|l| !l.contains("special character")).collect();
        assert!(accepted && faults.is_empty(), "{faults:?}");
    }
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let folder = Folder::new();
    let page = folder.run("manual").done().stdout;
    check_page(&page);
    let commands = commands(&folder);
    for name in &commands {
        let escaped = name.replace('-', "\\-");
        assert!(page.contains(&format!("incrowd\\-{escaped}(1)")), "{name}: {page}");
    }
    let said = folder.run("manual --folder pages/man1").done().stdout;
    let pages: Vec<_> = std::fs::read_dir(folder.path("pages/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(said.starts_with(&format!("{} pages written", pages.len())), "{said}");
    for name in commands.iter().map(|name| format!("incrowd-{name}.1")) {
        assert!(pages.contains(&name), "{name}: {pages:?}");
    }
    for name in ["incrowd.1", "incrowd-hierarchy-build.1"] {
        assert!(pages.iter().any(|page| page == name), "{name}: {pages:?}");
    }
    for name in &pages {
        check_page(&folder.read(&Path::new("pages/man1").join(name).to_string_lossy()));
    }
    // A folder that cannot be one.
    assert_eq!(folder.run("manual --folder people.csv").code, Some(2));
}
