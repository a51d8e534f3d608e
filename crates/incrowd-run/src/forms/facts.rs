//! What is known of a release: its spec, its files, its verdict.

use std::io::Read;
use std::time::{SystemTime, UNIX_EPOCH};

use incrowd_assess::risk::{PopulationSize, RiskOptions, RiskReport};
use incrowd_engine::Control;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::attack_figures::AttackFigures;
use crate::assess::{VerifyOptions, risk_of, verify_release};
use crate::checks::list::findings_of;
use crate::spec::{ColumnSection, Role, SpecFile, write_spec};
use crate::{Error, Finding, Result, SecretKey, ShareableSummary, Source};

/// A file by its name and what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileDigest {
    /// The name, without the folder.
    pub name: String,
    /// How many bytes.
    pub bytes: u64,
    /// Their BLAKE3 hash.
    pub blake3: String,
    /// Their SHA-256 hash.
    pub sha256: String,
}

impl FileDigest {
    /// The facts of some bytes.
    pub fn of(name: impl Into<String>, bytes: &[u8]) -> Self {
        FileDigest {
            name: name.into(),
            bytes: bytes.len() as u64,
            blake3: blake3::hash(bytes).to_hex().to_string(),
            sha256: hex(&Sha256::digest(bytes)),
        }
    }

    /// The facts of the file that a source reads.
    pub fn of_source(source: &Source) -> Result<Self> {
        let (mut one, mut other) = (blake3::Hasher::new(), Sha256::new());
        let mut bytes = 0;
        each_block(source, |block| {
            bytes += block.len() as u64;
            one.update(block);
            other.update(block);
        })?;
        Ok(FileDigest {
            name: source.file_name(),
            bytes,
            blake3: one.finalize().to_hex().to_string(),
            sha256: hex(&other.finalize()),
        })
    }
}

/// A confidential file by its name and a hash that only whoever has the key can compute: anybody who guesses what is in
/// it could check a guess against any other hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyedDigest {
    /// The name, without the folder.
    pub name: String,
    /// The BLAKE3 hash of its bytes under the key.
    pub keyed_blake3: String,
}

impl KeyedDigest {
    /// The file that a source reads.
    pub fn of_source(source: &Source, key: &SecretKey) -> Result<Self> {
        let mut hasher = key.of("incrowd record: the original").hasher();
        each_block(source, |block| {
            hasher.update(block);
        })?;
        let keyed_blake3 = hasher.finalize().to_hex().to_string();
        Ok(KeyedDigest { name: source.file_name(), keyed_blake3 })
    }
}

/// Reads the file of a source, block by block.
fn each_block(source: &Source, mut take: impl FnMut(&[u8])) -> Result<()> {
    let mut input = source.bytes();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read =
            input.read(&mut buffer).map_err(|cause| Error::file("read", source.path(), &cause))?;
        if read == 0 {
            return Ok(());
        }
        take(&buffer[..read]);
    }
}

/// The seconds since 1970, in UTC.
pub(super) fn seconds_since_1970() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What is known of a release and may be told wherever it may be seen.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReleaseFacts<'a> {
    /// What was asked for.
    pub file: &'a SpecFile,
    /// The release.
    pub release: &'a Source,
    /// The table that it was made of, where it is at hand: its values are in no form, only its name and its columns'.
    pub(super) original: Option<&'a Source>,
    /// What may be told of the release, with the verdict of the independent verifier.
    pub shareable: ShareableSummary,
    /// What attacks gave, where the original is at hand and they were made.
    pub(super) attack: Option<AttackFigures>,
    /// The risks of the release by itself, where they were measured.
    pub(super) risk: Option<RiskReport>,
    /// The file of the release.
    pub release_file: FileDigest,
    /// The spec as it is understood, so that a comment or a blank changes nothing.
    pub spec_file: FileDigest,
}

impl<'a> ReleaseFacts<'a> {
    /// Has the release verified by what its spec asks, against the original if there is one, and takes down the rest.
    pub fn gather(
        file: &'a SpecFile,
        release: &'a Source,
        original: Option<&'a Source>,
        control: &Control,
    ) -> Result<Self> {
        let mut options = VerifyOptions::of_spec(file)?;
        // Where people are not told apart in the release, their rows are counted: never fewer than people.
        options.unit.take_if(|unit| !release.columns().contains(unit));
        // Bias is measured against the original, and tells of rows that are not released.
        options.risks.max_bias.take_if(|_| original.is_none());
        let verdict = verify_release(release, original, &options, control)?;
        let privacy = &file.spec.privacy;
        let least = privacy.k.max(privacy.least_rows());
        let name = file.path().and_then(|path| path.file_name());
        let name =
            name.map_or_else(|| "spec".to_owned(), |name| name.to_string_lossy().into_owned());
        Ok(ReleaseFacts {
            file,
            release,
            original,
            shareable: ShareableSummary::of_verdict(verdict, least, privacy.unit.is_some()),
            attack: None,
            risk: None,
            release_file: FileDigest::of_source(release)?,
            spec_file: FileDigest::of(name, write_spec(&file.spec).as_bytes()),
        })
    }

    /// The same with the risks of all attackers and, where the original is at hand, with what attacks give. The forms that
    /// say them need it; it takes longer than all others.
    pub fn measured(self, control: &Control) -> Result<Self> {
        let attack = match self.original {
            None => None,
            Some(original) => AttackFigures::gather(self.file, self.release, original, control)?,
        };
        let quasi: Vec<String> = self.columns(Role::Quasi).into_iter().map(str::to_owned).collect();
        let risk = match quasi.is_empty() || self.shareable.rows == 0 {
            true => None,
            false => Some(risk_of(self.release, &quasi, None, &self.risk_options(), control)?),
        };
        Ok(ReleaseFacts { attack, risk, ..self })
    }

    /// The threshold of the context, or that of published clinical data; the k that it means; where it comes from.
    pub(super) fn threshold(&self) -> (f64, u64, &'static str) {
        // Guidance rounds its thresholds: 0.09 is one in eleven, 0.33 one in three.
        match self.file.spec.context {
            None => (0.09, 11, " (EMA policy 0070, Health Canada)"),
            Some(context) => {
                let proposal = context.proposal();
                (proposal.threshold, proposal.k, ", from the context")
            }
        }
    }

    /// The column that tells people apart, where the release does not show it.
    pub(super) fn hidden_unit(&self) -> Option<&'a str> {
        let unit = self.file.spec.privacy.unit_column();
        unit.filter(|unit| self.release.place_of(unit).is_err())
    }

    /// How risks are measured: by the release and the question alone.
    fn risk_options(&self) -> RiskOptions {
        let spec = &self.file.spec;
        let (_, k, _) = self.threshold();
        // One in eleven is not above 0.0909.
        let options = RiskOptions::new()
            .with_threshold((1.0 / k as f64) * (1.0 + 1e-9))
            .with_size(0)
            .with_missing(spec.data.missing_tokens());
        let options = match spec.privacy.risks.sampling_fraction {
            Some(fraction) => options.with_sampling(PopulationSize::Fraction(fraction)),
            None => options,
        };
        // Where people are not told apart in the release, their rows are counted.
        match spec.privacy.unit_column().filter(|_| self.hidden_unit().is_none()) {
            Some(unit) => options.with_unit_column(unit),
            None => options,
        }
    }

    /// Columns of the table that are not in the release.
    pub(super) fn not_released(&self) -> Vec<&'a str> {
        let columns = self.file.spec.columns.iter();
        let left_out = columns.filter(|column| {
            column.released_role() == Role::Identifying && column.follows.is_none()
        });
        left_out.map(|column| column.name.as_str()).collect()
    }

    /// Whether the verifier found everything met.
    pub fn holds(&self) -> bool {
        self.shareable.verdict.as_ref().is_some_and(|verdict| verdict.holds)
    }

    /// What every check finds in the release, as far as it tells.
    pub fn checks(&self) -> Vec<Finding> {
        self.shareable.verdict.as_ref().map_or_else(Vec::new, findings_of)
    }

    /// Columns that look as if they named or told people apart, and that somebody has accepted.
    pub(super) fn accepted(&self) -> Vec<&'a str> {
        let columns = self.file.spec.columns.iter().filter(|column| column.accept);
        columns.map(|column| column.name.as_str()).collect()
    }

    /// The names of the columns with a role.
    pub(super) fn columns(&self, role: Role) -> Vec<&'a str> {
        let columns = self.file.spec.columns.iter().filter(|column| column.role == role);
        columns.map(|column| column.name.as_str()).collect()
    }

    /// The names of the columns that are neither generalized nor treated.
    pub(super) fn released_as_they_are(&self) -> Vec<&'a str> {
        let plain = |column: &&ColumnSection| {
            column.released_role() == Role::Plain && column.treat.is_none()
        };
        self.file.spec.columns.iter().filter(plain).map(|column| column.name.as_str()).collect()
    }

    /// The hash of the verdict as JSON, as far as it may be told.
    pub fn verdict_hash(&self) -> Result<String> {
        let text = serde_json::to_string(&self.shareable.verdict)
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
        let facts = FileDigest::of("x", b"abc");
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
