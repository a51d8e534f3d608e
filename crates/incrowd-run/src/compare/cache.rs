//! Results that need not be found again.
//!
//! A result is kept under a hash of all that it depends on: the bytes of the table, the spec with the
//! contents of its hierarchies, the method with its options, k, the time limit, and the build of the program
//! ([`BUILD`]): another version, or the same one with a line changed, finds everything anew.
//! Where files lie does not matter. Entries are written beside their place and renamed, so one is there in
//! whole or not at all; one that cannot be read is passed over and written anew.

use std::path::{Path, PathBuf};
use std::time::Duration;

use blake3::Hasher;
use serde::{Deserialize, Serialize};

use crate::question_hash::{add, question_hash};
use crate::spec::{ReleaseSection, SpecFile};
use crate::{Error, OutputFile, Result, Source, Trial};

/// What this program was built from, as a hash: the sources of the engine, the verifier and this crate, the
/// versions of all libraries, the target and how much was optimized. The build script makes it.
pub const BUILD: &str = env!("INCROWD_BUILD");

/// Where the results of comparisons are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CacheLocation {
    /// Nowhere: everything is searched for anew.
    #[default]
    Nothing,
    /// In the folder `incrowd/compare` of the user's cache (`$XDG_CACHE_HOME` or `~/.cache`), if there is one.
    Usual,
    /// In this folder.
    In(PathBuf),
}

/// Counts up when what is kept changes its form or its meaning.
const FORMAT: u32 = 1;

/// A file of the cache.
#[derive(Serialize, Deserialize)]
struct CacheEntry {
    format: u32,
    /// The entry's own name: a file that was renamed says nothing.
    key: String,
    trial: Trial,
}

/// A folder of results; or none, if nothing is to be kept.
pub(super) struct TrialCache {
    folder: Option<PathBuf>,
    /// What all results of this comparison depend on.
    question: blake3::Hash,
    /// What went wrong, a sentence each.
    pub(super) notes: Vec<String>,
}

/// Where results are kept if nothing is said.
fn usual_folder() -> Option<PathBuf> {
    let known = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let root = known("XDG_CACHE_HOME")
        .or_else(|| known("LOCALAPPDATA"))
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(known("HOME")?).join(".cache")))?;
    Some(root.join("incrowd").join("compare"))
}

impl TrialCache {
    /// No cache at all.
    fn none() -> Self {
        TrialCache { folder: None, question: blake3::hash(&[]), notes: Vec::new() }
    }

    /// The cache of a question.
    pub(super) fn open(keep: &CacheLocation, file: &SpecFile, source: &Source) -> Result<Self> {
        let mut cache = TrialCache::none();
        let place = match keep {
            CacheLocation::Nothing => return Ok(cache),
            CacheLocation::Usual => usual_folder(),
            CacheLocation::In(folder) => Some(folder.clone()),
        };
        let Some(place) = place else {
            cache.notes.push("results are not cached: there is no cache folder".to_owned());
            return Ok(cache);
        };
        if let Err(e) = std::fs::create_dir_all(&place) {
            if matches!(keep, CacheLocation::In(_)) {
                return Err(Error::file("make", &place, &e));
            }
            cache.notes.push(format!("results are not cached in {}: {e}", place.display()));
            return Ok(cache);
        }
        cache.folder = Some(place);
        cache.question = question(file, source)?;
        Ok(cache)
    }

    /// The name of a result: hexadecimal digits.
    fn key(&self, method: &str, k: u64, time_limit: Option<Duration>) -> String {
        let mut hasher = Hasher::new();
        let limit = time_limit.map_or_else(|| "none".to_owned(), |limit| format!("{limit:?}"));
        for part in [&self.question.to_hex()[..], method, &k.to_string(), &limit] {
            add(&mut hasher, part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// What a method was found to do for a k, if that is known.
    pub(super) fn get(
        &mut self,
        method: &str,
        k: u64,
        time_limit: Option<Duration>,
    ) -> Option<Trial> {
        let key = self.key(method, k, time_limit);
        let path = self.folder.as_ref()?.join(format!("{key}.json"));
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return None,
            Err(e) => {
                self.notes.push(format!("skipped {}: {e}", path.display()));
                return None;
            }
        };
        match serde_json::from_slice::<CacheEntry>(&text) {
            Ok(entry) if entry.format == FORMAT && entry.key == key => Some(entry.trial),
            _ => {
                let path = path.display();
                self.notes.push(format!("skipped {path}: it is not a result of this program"));
                None
            }
        }
    }

    /// Keeps a result. That it cannot be kept is no reason to end.
    pub(super) fn put(&mut self, method: &str, k: u64, limit: Option<Duration>, trial: &Trial) {
        let key = self.key(method, k, limit);
        let Some(path) = self.folder.as_ref().map(|folder| folder.join(format!("{key}.json")))
        else {
            return;
        };
        let entry = CacheEntry { format: FORMAT, key, trial: trial.clone() };
        if let Err(error) = write(&path, &entry) {
            self.notes.push(format!("a result could not be cached: {error}"));
            // What failed once would fail again and again.
            self.folder = None;
        }
    }
}

fn write(path: &Path, entry: &CacheEntry) -> Result<()> {
    let text = serde_json::to_vec_pretty(entry)
        .map_err(|e| Error::new(format!("it cannot be written as JSON: {e}")))?;
    OutputFile::create_private(path)?.fill(text)
}

/// All that every result of a comparison depends on.
fn question(file: &SpecFile, source: &Source) -> Result<blake3::Hash> {
    let mut spec = file.spec.clone();
    spec.release = ReleaseSection::default();
    // Each result has its own.
    spec.algorithm.method.clear();
    spec.algorithm.options.clear();
    spec.algorithm.time_limit = None;
    spec.privacy.k = 1;
    // Releases are shuffled by it, and nothing is released.
    spec.algorithm.seed = None;
    let purpose = ["incrowd compare", env!("CARGO_PKG_VERSION"), BUILD];
    question_hash(&purpose, file, spec, source)
}
