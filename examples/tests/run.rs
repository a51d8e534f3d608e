//! Every example runs and says what it should.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, Output};

fn run(program: &str, args: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let Output { status, stdout, stderr } =
        Command::new(program).args(args).current_dir(root).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{program}: {out}{err}");
    format!("{out}{err}")
}

#[test]
fn the_first_release_is_written_and_holds() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("release.csv");
    let args = ["examples/patients.csv", output.to_str().unwrap()];
    let said = run(env!("CARGO_BIN_EXE_first_release"), &args);
    assert!(said.contains("The release holds"), "{said}");
    let text = std::fs::read_to_string(output).unwrap();
    assert!(text.starts_with("age,sex,zip,diagnosis\n"), "{text}");
    assert_eq!(text.lines().count(), 25);
}

#[test]
fn a_long_search_tells_and_ends() {
    let said = run(env!("CARGO_BIN_EXE_long_search"), &[]);
    assert!(said.contains("bound") && said.contains("the best that was told"), "{said}");
}

#[test]
fn counts_come_from_elsewhere() {
    let said = run(env!("CARGO_BIN_EXE_counts_from_elsewhere"), &[]);
    assert!(said.contains("80000000120 rows, 60 combinations"), "{said}");
}

#[test]
fn arrow_batches_are_recoded_and_verified() {
    let said = run(env!("CARGO_BIN_EXE_arrow_batches"), &[]);
    assert!(said.contains("The release holds"), "{said}");
}

#[test]
fn a_release_is_judged_from_counts() {
    let said = run(env!("CARGO_BIN_EXE_verifying"), &[]);
    assert!(said.contains("The release FAILS"), "{said}");
}

#[test]
fn a_second_command_does_what_the_first_does() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("release.csv");
    let output = output.to_str().unwrap();
    let args = ["examples/patients.csv", output, "3", "age,sex,zip", "name"];
    let said = run(env!("CARGO_BIN_EXE_anonymize"), &args);
    assert!(said.contains("searching") && said.contains("verifying"), "{said}");
    assert!(said.contains("24 rows released"), "{said}");
    let text = std::fs::read_to_string(output).unwrap();
    assert!(text.starts_with("age,sex,zip\n"), "{text}");
    let page = std::fs::read_to_string(format!("{output}.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("nobody can be narrowed down to"));
}
