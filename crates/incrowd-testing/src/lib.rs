//! What the tests of all crates share: how many cases they try, and what must be there.
//!
//! Random tests say how many cases they try for a release to be trusted; a commit is tried with a share of
//! them. `INCROWD_THOROUGH=1` asks for all. Tests that need something that a machine may lack skip without it
//! and say so; where `CI` is set they fail.

use std::io::Read;
use std::path::{Path, PathBuf};

mod linear_rng;
pub mod postgres;
mod seeded_rng;
pub mod traps;

pub use linear_rng::LinearRng;
pub use seeded_rng::SeededRng;

/// So many of a test's cases are tried once for every commit.
const SHARE: u32 = 10;

/// No test tries fewer cases than these, unless it never has as many.
const LEAST: u32 = 20;

/// The quasi-identifiers of the Adult census data, as papers take them.
pub const ADULT_QUASI: [&str; 8] = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
];

/// Holds a file of the repository, named from its root, to the text that it is made from, or writes it anew where
/// `UPDATE` is set.
///
/// # Panics
///
/// If the file says something else, or cannot be written.
pub fn hold_file(file: &str, text: &str) {
    let path = repository().join(file);
    if is_set("UPDATE") {
        std::fs::write(&path, text).expect("the file can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(written == text, "{file} is out of date: run this test with UPDATE=1");
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Rust sources below a folder, without tests.
///
/// # Panics
///
/// If a folder cannot be read.
#[must_use]
pub fn rust_sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            found.extend(rust_sources(&path));
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Whether all cases are to be tried.
#[must_use]
pub fn thorough() -> bool {
    is_set("INCROWD_THOROUGH")
}

/// How many cases to try out of so many.
#[must_use]
pub fn cases(all: u32) -> u32 {
    if thorough() { all } else { quick(all) }
}

fn quick(all: u32) -> u32 {
    (all / SHARE).max(LEAST).min(all)
}

/// Says that a test skips for the want of something.
///
/// # Panics
///
/// Where `CI` is set, nothing may be wanting.
#[allow(clippy::print_stderr, reason = "a test that was skipped should not look like one that ran")]
pub fn skip(wanting: &str) {
    assert!(!is_set("CI"), "{wanting}, but where CI is set no test may skip");
    eprintln!("skipped: {wanting}");
}

/// A file of the Adult census data: `adult.csv`, `adult_hierarchy_COLUMN.csv`, `optima.csv` or `orders.txt`.
///
/// # Panics
///
/// If there is no such file.
#[must_use]
pub fn adult_file(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/adult");
    let read = |name: &str| std::fs::read(folder.join(name));
    let packed = match read(&format!("{name}.gz")) {
        Ok(packed) => packed,
        Err(_) => {
            let plain = read(name).unwrap_or_else(|error| panic!("{name}: {error}"));
            return String::from_utf8(plain).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    };
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_string(&mut text)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_share_of_many_and_all_of_few() {
        assert_eq!([8, 20, 60, 400, 2_000].map(super::quick), [8, 20, 20, 40, 200]);
    }
}
