//! Proofs that another program checks, through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use common::Folder;

const RUN: &str = "anonymize people.csv -k 3 --quasi age,sex --other drop -o release.csv";

fn people() -> Folder {
    let folder = Folder::new();
    folder.run("demo --rows 300 --seed 3 --write people.csv").done();
    folder
}

#[test]
fn a_run_claims_what_its_certificate_confirms() {
    let folder = people();
    let line =
        format!("{RUN} -m optimal --metric dm --certificate proof.certificate --certified --json");
    let told = folder.run(&line).json();
    assert_eq!(told["certificate"]["holds"], true, "{told:#}");
    assert_eq!(told["in_words"], "proven optimal, certificate checked");
    assert_eq!(told["cost"].as_f64(), told["certificate"]["bound"].as_f64());
    // The same by the command, from the files alone.
    let told = folder.run("check people.csv proof.certificate release.csv --json").json();
    assert_eq!(told["holds"], true, "{told:#}");
    assert_eq!(told["bound"], told["cost"]);
    let told = folder.run("check people.csv proof.certificate release.csv").done().stdout;
    assert!(told.contains("no release of this kind costs less"), "{told}");
}

#[test]
fn a_local_bound_is_checked_too() {
    let folder = people();
    let line =
        format!("{RUN} --kind local --prove --certificate proof.certificate --certified --json");
    let told = folder.run(&line).json();
    assert_eq!(told["certificate"]["holds"], true, "{told:#}");
    assert!(told["proven"].as_str().unwrap().ends_with("; certificate checked"), "{told:#}");
    let line = line.replace(" --json", "");
    let told = folder.run(&line).done().stdout;
    let words: Vec<&str> = told.split_whitespace().collect();
    assert!(words.join(" ").contains("(certificate checked)"), "{told}");
}

#[test]
fn what_cannot_be_checked_is_refused_and_nothing_is_written() {
    let folder = people();
    let refused = |line: &str, words: &str| {
        let ended = folder.run(line);
        assert_eq!(ended.code, Some(2), "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{line}: {}", ended.stderr);
        assert!(!folder.path("release.csv").exists(), "{line}");
    };
    refused(&format!("{RUN} -m optimal --metric dm --certified"), "--certificate");
    refused(&format!("{RUN} -m mondrian --certificate proof.certificate"), "demand a proof");
    refused(&format!("{RUN} -m climb --metric dm --certificate proof.certificate"), "writes no");
}

#[test]
fn a_certificate_of_another_table_confirms_nothing() {
    let folder = people();
    folder.run(&format!("{RUN} -m optimal --metric dm --certificate proof.certificate")).done();
    folder.run("demo --rows 301 --seed 4 --write others.csv").done();
    let refused = folder.run("check others.csv proof.certificate");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let mut bytes = std::fs::read(folder.path("proof.certificate")).unwrap();
    let last = bytes.len() - 9;
    bytes[last] ^= 0x40;
    folder.write("forged.certificate", &bytes);
    assert_ne!(folder.run("check people.csv forged.certificate").code, Some(0));
}
