//! Files that old versions wrote are read for ever; what they are is in `tests/corpus/README.md`.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::common::Folder;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/v1")
}

/// A folder with all files of the corpus.
fn with_corpus() -> Folder {
    let folder = Folder::new();
    for place in ["", "cache"] {
        for entry in std::fs::read_dir(corpus().join(place)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = Path::new(place).join(path.file_name().unwrap());
                folder.write(name.to_str().unwrap(), &std::fs::read(&path).unwrap());
            }
        }
    }
    folder
}

/// The names of files with such an ending, without it.
fn stems(ending: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(corpus()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| Some(name.strip_suffix(ending)?.to_owned())).collect()
}

/// The fields of a line.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        quoted ^= c == '"';
        match c {
            // A comma within quotes ends no field.
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

/// The rows of a table without some of its columns, in order.
fn rows(text: &str, without: &[&str]) -> Vec<Vec<String>> {
    let mut lines = text.lines().map(fields);
    let header = lines.next().unwrap();
    let keeps = |at: usize| !without.contains(&header[at].as_str());
    let mut rows: Vec<Vec<String>> = lines
        .map(|row| row.into_iter().enumerate().filter(|(at, _)| keeps(*at)).map(|f| f.1).collect())
        .collect();
    rows.sort();
    rows.insert(0, header);
    rows
}

#[test]
fn saved_recodings_make_of_a_table_what_they_always_did() {
    let folder = with_corpus();
    for name in stems(".json") {
        // Which of several rows gets which label is not said by a recoding that assigns rows: columns
        // beyond the quasi-identifiers need not stay with them.
        let apart: &[&str] = match name.as_str() {
            "local" => &["sex", "disease", "again"],
            "cellwise" => &["disease"],
            _ => &[],
        };
        folder.run(&format!("apply {name}.json people.csv -o again.csv -q")).done();
        let [before, now] = [format!("{name}.applied.csv"), "again.csv".to_owned()]
            .map(|file| rows(&folder.read(&file), apart));
        assert_eq!(before, now, "{name}");
    }
    assert_eq!(stems(".json").len(), 5);
}

#[test]
fn specs_run() {
    let folder = with_corpus();
    for name in stems(".toml") {
        // A rule for a hierarchy, which others name.
        if name != "zip" {
            let line = format!("run {name}.toml -o {name}.csv -q --json");
            // A note that is different for everybody was released without a word.
            let ended = match folder.run(&line) {
                refused if refused.code == Some(2) => folder.run(&format!("{line} --accept note")),
                ended => ended,
            };
            let ended = ended.done();
            assert_eq!(ended.json()["verdict"]["holds"], true, "{name}: {}", ended.stdout);
        }
    }
}

/// Keys of results change with the program, so that an entry may be found or not. Either is well, if the
/// answers are the same and the files are left in peace.
#[test]
fn entries_of_an_old_cache_do_no_harm() {
    let folder = with_corpus();
    let line = "compare people.csv -k 2,4 --quasi age,sex,city --missing NA,? \
                --methods mondrian,datafly,optimal --metric dm --json";
    let fresh = folder.run(&format!("{line} --no-cache")).done().json();
    let ended = folder.run(&format!("{line} --cache cache")).done();
    let kept = ended.json();
    assert!([0, 6].contains(&kept["cached"].as_u64().unwrap()), "{kept}");
    assert!(ended.stderr.is_empty(), "{}", ended.stderr);
    let costs = |json: &serde_json::Value| {
        let runs = json["runs"].as_array().unwrap();
        runs.iter().map(|run| run["cost"].as_f64()).collect::<Vec<_>>()
    };
    assert_eq!(costs(&fresh), costs(&kept));
    for entry in std::fs::read_dir(corpus().join("cache")).unwrap() {
        let path = entry.unwrap().path();
        let name = Path::new("cache").join(path.file_name().unwrap());
        assert_eq!(folder.read(name.to_str().unwrap()), std::fs::read_to_string(&path).unwrap());
    }
    assert_eq!(folder.run(&format!("{line} --cache cache")).done().json()["cached"], 6);
}
