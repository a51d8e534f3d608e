//! What an interrupt leaves behind. The outputs under way are listed for the whole process, so
//! this test has a process to itself.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::io::Write;

use incrowd_run::data::{OutputFile, discard_unfinished};

#[test]
fn an_interrupt_leaves_nothing_and_old_files_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.csv"), folder.path().join("new.csv"));
    fs::write(&old, "old").unwrap();
    let mut outputs = [&old, &new].map(|target| OutputFile::create(target).unwrap());
    for output in &mut outputs {
        output.write_all(b"half of it").unwrap();
    }
    discard_unfinished();
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(left, std::slice::from_ref(&old));
    // Should the interrupted work go on for a moment, it cannot commit.
    assert!(outputs.map(OutputFile::commit).iter().all(Result::is_err));
    assert_eq!(fs::read(&old).unwrap(), b"old");
    assert!(!new.exists());
}
