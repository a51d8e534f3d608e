//! What is known of a release: its spec, its files, its verdict.

use std::io::Read;

use incrowd::Control;
use incrowd_verify::Verdict;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::assess::{VerifyOptions, verify_release};
use crate::spec::{Role, SpecFile, write_spec};
use crate::{Error, Result, Source};

/// A file by its name and what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileFacts {
    /// The name, without the folder.
    pub name: String,
    /// How many bytes.
    pub bytes: u64,
    /// Their BLAKE3 hash.
    pub blake3: String,
    /// Their SHA-256 hash.
    pub sha256: String,
}

impl FileFacts {
    /// The facts of some bytes.
    pub fn of(name: impl Into<String>, bytes: &[u8]) -> Self {
        FileFacts {
            name: name.into(),
            bytes: bytes.len() as u64,
            blake3: blake3::hash(bytes).to_hex().to_string(),
            sha256: hex(&Sha256::digest(bytes)),
        }
    }

    /// The facts of the file that a source reads.
    pub fn of_source(source: &Source) -> Result<Self> {
        let mut input = source.bytes();
        let (mut one, mut other) = (blake3::Hasher::new(), Sha256::new());
        let (mut buffer, mut bytes) = (vec![0; 1 << 16], 0);
        loop {
            let read = input
                .read(&mut buffer)
                .map_err(|cause| Error::file("read", source.path(), &cause))?;
            if read == 0 {
                break;
            }
            bytes += read as u64;
            one.update(&buffer[..read]);
            other.update(&buffer[..read]);
        }
        Ok(FileFacts {
            name: source.file_name(),
            bytes,
            blake3: one.finalize().to_hex().to_string(),
            sha256: hex(&other.finalize()),
        })
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What is known of a release.
#[derive(Debug)]
#[non_exhaustive]
pub struct Facts<'a> {
    /// What was asked for.
    pub file: &'a SpecFile,
    /// The release.
    pub release: &'a Source,
    /// The table that it was made of, where it is at hand.
    pub original: Option<&'a Source>,
    /// What the independent verifier says of it.
    pub verdict: Verdict,
    /// The file of the release.
    pub release_file: FileFacts,
    /// The file of the original.
    pub original_file: Option<FileFacts>,
    /// The spec as it is understood, so that a comment or a blank changes nothing.
    pub spec_file: FileFacts,
}

impl<'a> Facts<'a> {
    /// Has the release verified by what its spec asks, against the original if there is one, and takes down the rest.
    pub fn gather(
        file: &'a SpecFile,
        release: &'a Source,
        original: Option<&'a Source>,
        control: &Control,
    ) -> Result<Self> {
        let mut options = VerifyOptions::of_spec(file)?;
        // Where people are not told apart in the release, their rows are counted: never fewer than people.
        let hidden = options.unit.take_if(|unit| !release.columns().contains(unit));
        let mut verdict = verify_release(release, original, &options, control)?;
        if let Some(unit) = hidden {
            verdict.notes.push(format!("`{unit}` is not released: rows were counted, not people"));
        }
        let name = file.path().and_then(|path| path.file_name());
        let name =
            name.map_or_else(|| "spec".to_owned(), |name| name.to_string_lossy().into_owned());
        Ok(Facts {
            file,
            release,
            original,
            verdict: verdict.without_values(),
            release_file: FileFacts::of_source(release)?,
            original_file: original.map(FileFacts::of_source).transpose()?,
            spec_file: FileFacts::of(name, write_spec(&file.spec).as_bytes()),
        })
    }

    /// The names of the columns with a role.
    pub(super) fn columns(&self, role: Role) -> Vec<&'a str> {
        let columns = self.file.spec.columns.iter().filter(|column| column.role == role);
        columns.map(|column| column.name.as_str()).collect()
    }

    /// The hash of the verdict as JSON.
    pub fn verdict_hash(&self) -> Result<String> {
        let text = serde_json::to_string(&self.verdict)
            .map_err(|e| Error::new(format!("the verdict cannot be written: {e}")))?;
        Ok(blake3::hash(text.as_bytes()).to_hex().to_string())
    }
}

/// A list as text, or what to say if it is empty.
pub(super) fn or_none(list: &[&str]) -> String {
    if list.is_empty() { "none".to_owned() } else { list.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_that_everybody_computes() {
        let facts = FileFacts::of("x", b"abc");
        assert_eq!(
            facts.sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            facts.blake3,
            "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"
        );
        assert_eq!(facts.bytes, 3);
    }
}
