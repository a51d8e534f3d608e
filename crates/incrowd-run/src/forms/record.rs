//! The record of releases: one line for each, tied to the line before it by a hash.
//!
//! **Guarantee.** A line that is changed, left out, put in or moved breaks the chain from there on. Lines that are cut off
//! the end do not: whoever wants to notice that keeps the hash of the last line elsewhere.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use incrowd_engine::value::civil_of;
use incrowd_verify::{Verdict, Violation, ViolationKind};
use serde::{Deserialize, Serialize};

use super::facts::{FileDigest, KeyedDigest, ReleaseFacts, seconds_since_1970};
use super::safe_harbor::{Checklist, ItemStatus};
use crate::{Error, Finding, Result, SecretKey, Source};

/// Who approved a release.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Approval {
    /// Who, if anybody has yet.
    pub by: Option<String>,
    /// A remark.
    pub remark: Option<String>,
}

/// The original as a line of the record tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RecordedOriginal {
    /// By a hash under the key of the record.
    Keyed(KeyedDigest),
    /// By hashes that everybody can compute, as lines did before there were keys.
    Open(FileDigest),
}

/// Where the key of a record lies, which stays with whoever keeps it.
fn key_of(record: &Path) -> PathBuf {
    let mut name = record.file_name().unwrap_or_default().to_owned();
    name.push(".key");
    record.with_file_name(name)
}

/// A check on a line of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCheck {
    /// Its id.
    pub id: String,
    /// What became of it.
    pub status: String,
    /// What was counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, u64>,
}

impl From<Finding> for RecordedCheck {
    fn from(found: Finding) -> Self {
        let figures = found.figures.iter();
        let figures =
            figures.filter_map(|(name, figure)| Some((name.to_string(), figure.as_u64()?)));
        let status = found.status.name().to_owned();
        RecordedCheck { id: found.id.to_owned(), status, figures: figures.collect() }
    }
}

/// A line of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordEntry {
    /// Which line it is, from 1.
    pub number: u64,
    /// The hash of the line before; empty for the first.
    pub previous: String,
    /// When it was written, in UTC.
    pub at: String,
    /// The program that wrote it.
    pub program: String,
    /// The release.
    pub release: FileDigest,
    /// The table that it was made of, where it was at hand.
    pub original: Option<RecordedOriginal>,
    /// The spec as it was understood.
    pub spec: FileDigest,
    /// The k asked for.
    pub k: u64,
    /// Whether the verifier found everything met.
    pub holds: bool,
    /// The hash of its verdict.
    pub verdict: String,
    /// The hash of the seed, where the spec has one. A short seed can be found by trying.
    pub seed: Option<String>,
    /// Who approved the release, and when.
    pub approved_by: Option<String>,
    /// A remark of theirs.
    pub remark: Option<String>,
    /// How the items of the Safe Harbor list stand, where it was gone through.
    pub checklist: Option<Vec<(String, String)>>,
    /// What every check found when the line was made, as far as the release tells; lines of before have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<RecordedCheck>,
    /// Columns that somebody has accepted although they look as if they gave people away; lines of before do not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<String>,
    /// The hash of all of the above.
    pub hash: String,
}

impl RecordEntry {
    /// The hash of everything but the hash.
    fn digest(&self) -> Result<String> {
        let bare = RecordEntry { hash: String::new(), ..self.clone() };
        let text = serde_json::to_string(&bare).map_err(unwritable)?;
        Ok(blake3::hash(text.as_bytes()).to_hex().to_string())
    }
}

fn unwritable(error: serde_json::Error) -> Error {
    Error::new(format!("the record cannot be written: {error}"))
}

/// Adds a line to a record, which is made if it is not there. A record that is broken gets no more.
pub fn append_record(
    path: &Path,
    facts: &ReleaseFacts<'_>,
    approval: &Approval,
    checklist: Option<&Checklist>,
) -> Result<RecordEntry> {
    if !facts.holds() {
        return Err(Error::new("the release fails its verification, and is not put on record")
            .help("`incrowd verify` shows what is wrong"));
    }
    if let Some(open) =
        checklist.and_then(|list| list.items.iter().find(|it| it.standing == ItemStatus::Open))
    {
        return Err(Error::new(format!(
            "item {} of the checklist is open: {}",
            open.key,
            open.done.join("; ")
        ))
        .help("fix it, or attest it"));
    }
    let before = match path.exists() {
        true => read_record(path)?,
        false => Vec::new(),
    };
    let original = match facts.original {
        Some(source) => {
            let (key, _) = SecretKey::open(&key_of(path))?;
            Some(RecordedOriginal::Keyed(KeyedDigest::of_source(source, &key)?))
        }
        None => None,
    };
    // A short seed could be found by trying.
    let seed = match facts.file.spec.algorithm.seed {
        Some(seed) => {
            let (key, _) = SecretKey::open(&key_of(path))?;
            let hash = key.hash(&format!("incrowd seed {seed}"));
            Some(hash.iter().map(|byte| format!("{byte:02x}")).collect())
        }
        None => None,
    };
    let mut entry = RecordEntry {
        number: before.len() as u64 + 1,
        previous: before.last().map_or_else(String::new, |entry| entry.hash.clone()),
        at: now(),
        program: format!("incrowd {}", env!("CARGO_PKG_VERSION")),
        release: facts.release_file.clone(),
        original,
        spec: facts.spec_file.clone(),
        k: facts.file.spec.privacy.k,
        holds: facts.holds(),
        verdict: facts.verdict_hash()?,
        seed,
        approved_by: approval.by.clone(),
        remark: approval.remark.clone(),
        checklist: checklist.map(|list| {
            let items = list.items.iter();
            items.map(|item| (item.key.clone(), item.standing.to_string())).collect()
        }),
        checks: facts.checks().into_iter().map(RecordedCheck::from).collect(),
        accepted: facts.accepted().into_iter().map(str::to_owned).collect(),
        hash: String::new(),
    };
    entry.hash = entry.digest()?;
    let line = serde_json::to_string(&entry).map_err(unwritable)? + "\n";
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|e| Error::file("write", path, &e))?;
    Ok(entry)
}

/// Reads a record and checks its chain.
pub fn read_record(path: &Path) -> Result<Vec<RecordEntry>> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::file("read", path, &e))?;
    let mut entries: Vec<RecordEntry> = Vec::new();
    for (line, at) in text.lines().zip(1..) {
        let broken = |what: &str| {
            Error::new(format!("the record is broken: {what}"))
                .at(path, Some(at), None)
                .help("it was changed later; the lines before this one are sound")
        };
        let entry: RecordEntry =
            serde_json::from_str(line).map_err(|_| broken("a line cannot be read"))?;
        let previous = entries.last().map_or("", |entry| entry.hash.as_str());
        if entry.previous != previous || entry.number != at {
            return Err(broken("a line does not follow the one before it"));
        }
        if entry.digest()? != entry.hash {
            return Err(broken("a line was changed after it was written"));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// What a record says of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordCheck {
    /// Whether the release is on record, with this original.
    pub holds: bool,
    /// In words.
    pub words: String,
    /// The line that it is on.
    pub number: Option<u64>,
}

impl RecordCheck {
    /// Tells it in a verdict, which does not hold if the release is not on record.
    pub fn add_to(self, verdict: &mut Verdict) {
        if self.holds {
            verdict.notes.push(self.words);
            return;
        }
        verdict.holds = false;
        verdict.violations.push(Violation {
            kind: ViolationKind::NotOnRecord,
            message: self.words,
            column: None,
            classes: 0,
            rows: verdict.rows,
            examples: Vec::new(),
        });
    }
}

/// Looks a release up in a record, whose chain must be sound.
pub fn check_record(
    path: &Path,
    release: &Source,
    original: Option<&Source>,
) -> Result<RecordCheck> {
    release.needs_rows("the record")?;
    let entries = read_record(path)?;
    let here = FileDigest::of_source(release)?;
    let Some(entry) = entries.iter().rev().find(|entry| entry.release.blake3 == here.blake3) else {
        let words = format!(
            "none of the {} releases on record is this one: it was changed later, or never \
             recorded",
            entries.len()
        );
        return Ok(RecordCheck { holds: false, words, number: None });
    };
    let other = match (&entry.original, original) {
        (Some(then), Some(now)) => differs(path, then, now)?,
        _ => None,
    };
    if let Some(but) = other {
        let words = format!("the release is number {} on record, but {but}", entry.number);
        return Ok(RecordCheck { holds: false, words, number: Some(entry.number) });
    }
    let approved = match &entry.approved_by {
        Some(who) => format!("approved by {who}"),
        None => "approved by nobody".to_owned(),
    };
    let words = format!(
        "the release is number {} of {} on record, {approved}, {}",
        entry.number,
        entries.len(),
        entry.at
    );
    Ok(RecordCheck { holds: true, words, number: Some(entry.number) })
}

/// Why an original is not known to be the one on record, if it is not.
fn differs(record: &Path, then: &RecordedOriginal, now: &Source) -> Result<Option<String>> {
    let same = match then {
        RecordedOriginal::Open(then) => then.blake3 == FileDigest::of_source(now)?.blake3,
        RecordedOriginal::Keyed(then) => {
            let path = key_of(record);
            if !path.exists() {
                return Ok(Some(format!(
                    "without {} it cannot be checked whether it was made from this original",
                    path.file_name().unwrap_or_default().to_string_lossy()
                )));
            }
            let (key, _) = SecretKey::open(&path)?;
            then.keyed_blake3 == KeyedDigest::of_source(now, &key)?.keyed_blake3
        }
    };
    Ok((!same).then(|| "it was made from another original".to_owned()))
}

/// The time, in UTC.
fn now() -> String {
    let since = seconds_since_1970();
    let (year, month, day) = civil_of(since.div_euclid(86_400));
    let second = since.rem_euclid(86_400);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}
