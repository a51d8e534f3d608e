//! Names the build: a hash of what the results of a search depend on, for the cache of comparisons.
//!
//! The sources of the engine, the verifier and this crate are hashed by their content, so that the name changes with
//! any line of them and stays the same when nothing changed; in a packaged crate, where only its own sources
//! are at hand, the versions say the rest.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut hash = Fnv::new();
    for part in [
        "src",
        "../incrowd-data/src",
        "../incrowd-spec/src",
        "../incrowd-engine/src",
        "../incrowd-assess/src",
        "../incrowd-verify/src",
        "../../Cargo.lock",
    ] {
        let path = root.join(part);
        if path.exists() {
            println!("cargo:rerun-if-changed={}", path.display());
            add(&mut hash, &path, part);
        }
    }
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["CARGO_PKG_VERSION", "TARGET", "OPT_LEVEL"] {
        hash.add(env::var(name).unwrap_or_default().as_bytes());
    }
    println!("cargo:rustc-env=INCROWD_BUILD={:016x}", hash.0);
}

/// Adds a file, or a folder's files in the order of their names.
fn add(hash: &mut Fnv, path: &Path, name: &str) {
    let Ok(entries) = fs::read_dir(path) else {
        hash.add(name.as_bytes());
        hash.add(&fs::read(path).unwrap_or_default());
        return;
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    for entry in names {
        add(hash, &path.join(&entry), &format!("{name}/{entry}"));
    }
}

/// The hash FNV-1a: it needs no library, and nobody attacks it.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes with their number, so that no two lists run together.
    fn add(&mut self, bytes: &[u8]) {
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
