//! Names of types: each occurs once in its crate, none hides one of the prelude's, and none is a bare participle.
//! GLOSSARY.md has the words to choose from.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use incrowd_testing::rust_sources;

/// Names that every file knows without importing them, and standard types that readers take a bare name for.
const PRELUDE: [&str; 14] = [
    "Box", "Clone", "Copy", "Default", "Drop", "Fn", "Iterator", "None", "Option", "Ordering",
    "Range", "Some", "String", "Vec",
];

/// Past forms that do not end in -ed, and adverbs.
const PAST: [&str; 15] = [
    "Apart",
    "Aside",
    "Elsewhere",
    "Found",
    "Held",
    "Kept",
    "Made",
    "Meant",
    "Met",
    "Ran",
    "Said",
    "Seen",
    "Sent",
    "Shown",
    "Told",
];

/// Nouns that end in -ed.
const NOUNS: [&str; 4] = ["Feed", "Need", "Seed", "Speed"];

/// The types that a file defines outside its tests.
fn types(text: &str) -> Vec<String> {
    // An indented `type` is that of a trait; other types are indented in macros.
    let keywords = ["struct ", "enum ", "trait ", "union "];
    let mut found = Vec::new();
    let mut tests = false;
    for line in text.lines() {
        tests |= line.starts_with("mod tests {");
        let is_alias =
            line.starts_with("type ") || line.starts_with("pub") && line.contains(" type ");
        let mut line = line.trim_start();
        if let Some(rest) = line.strip_prefix("pub") {
            let rest = rest.trim_start();
            line = match rest.strip_prefix('(') {
                Some(scope) => scope.split_once(')').map_or("", |(_, rest)| rest.trim_start()),
                None => rest,
            };
        }
        let alias = line.strip_prefix("type ").filter(|_| is_alias);
        let defined = keywords.iter().find_map(|keyword| line.strip_prefix(keyword));
        let Some(rest) = defined.or(alias) else { continue };
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        if !tests && rest.starts_with(char::is_uppercase) {
            found.push(rest[..end].to_owned());
        }
    }
    found
}

/// Whether a name is one word, and that word the past form of a verb.
fn is_participle(name: &str) -> bool {
    let is_one_word = name.chars().filter(|c| c.is_uppercase()).count() == 1;
    let is_past = name.ends_with("ed") && !NOUNS.contains(&name) || PAST.contains(&name);
    is_one_word && is_past
}

/// The types of each crate, with the files that define them.
fn crates() -> Vec<BTreeMap<String, Vec<PathBuf>>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let defined = folders.filter(|folder| folder.exists()).map(|folder| {
        let mut defined: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for file in rust_sources(&folder) {
            for name in types(&fs::read_to_string(&file).unwrap()) {
                defined.entry(name).or_default().push(file.clone());
            }
        }
        defined
    });
    let defined: Vec<BTreeMap<String, Vec<PathBuf>>> = defined.collect();
    assert!(defined.iter().map(BTreeMap::len).sum::<usize>() > 1_000, "the types are not found");
    defined
}

#[test]
fn every_type_has_a_name_of_its_own() {
    let mut wrong = Vec::new();
    for defined in crates() {
        for (name, files) in defined {
            let faults = [
                (files.len() > 1, "is defined twice in its crate"),
                (PRELUDE.contains(&&name[..]), "hides a name that every file knows"),
                (is_participle(&name), "is a bare participle: say of what"),
            ];
            let told = faults.iter().filter(|(is_wrong, _)| *is_wrong);
            wrong.extend(told.map(|(_, why)| format!("`{name}` {why}: {files:?}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_glossary_names_types_that_exist() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../GLOSSARY.md"));
    let text = text.unwrap();
    let quoted = text.split('`').skip(1).step_by(2);
    let is_type = |it: &&str| {
        it.starts_with(char::is_uppercase)
            && it.chars().any(char::is_lowercase)
            && it.chars().all(char::is_alphanumeric)
    };
    let named: Vec<&str> = quoted.filter(is_type).collect();
    assert!(named.len() > 80, "{}", named.len());
    let crates = crates();
    let is_defined = |name: &&str| crates.iter().any(|defined| defined.contains_key(*name));
    let unknown: Vec<&str> = named.into_iter().filter(|name| !is_defined(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn faults_are_seen() {
    let text =
        "pub(crate) struct Asked;\nenum One {}\npub type Box = u8;\nmod tests {\nstruct Two;\n";
    assert_eq!(types(text), ["Asked", "One", "Box"]);
    assert!(is_participle("Asked") && is_participle("Told"));
    assert!(!is_participle("Seed") && !is_participle("ReleasedLabel"));
}
