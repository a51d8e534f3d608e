//! The written release, read back part by part.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use incrowd_assess::expose::{UniqueRowCounter, value_hash};
use incrowd_engine::Control;
use incrowd_run::{
    Error, Result,
    data::{Chunk, Source},
};
use incrowd_verify::{
    ColumnFormat, MissingTokens, Model, Requirements, SensitiveModel, Verifier, VerifierState,
};
use serde::{Deserialize, Serialize};

use super::UNIT_COLUMN;
use super::messages::{packed, travels, unpacked};
use super::partial_counts::CappedHistogram;
use super::row_checksum::{RowChecksum, combined};

/// Different values of unchanged columns that are counted exactly, of all columns together.
const VALUES: usize = 1 << 19;

/// What whoever reads the release back has to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerificationPlan {
    /// The columns of the release, in order.
    pub(super) header: Vec<String>,
    pub(super) k: u64,
    pub(super) quasi: Vec<String>,
    /// The columns that show quasi-identifiers, and those that are as they were.
    pub(super) labels: Vec<usize>,
    pub(super) unchanged: Vec<usize>,
    /// Those of them whose values are counted by themselves.
    pub(super) tallied: Vec<usize>,
    pub(super) sensitive: Vec<String>,
    /// The columns that narrow classes.
    pub(super) narrowing: Vec<String>,
    pub(super) missing: Vec<String>,
    pub(super) told: BTreeMap<String, ColumnFormat>,
    /// What tells people apart, where [`UNIT_COLUMN`] stands for it.
    pub(super) unit: Option<String>,
    /// The same where it is a column of the release.
    pub(super) released_unit: Option<String>,
}

travels!(VerificationPlan);

impl VerificationPlan {
    /// The same for the release itself, without the column of units that stood beside it.
    pub fn without_unit(&self) -> Self {
        VerificationPlan { unit: None, ..self.clone() }
    }

    /// The columns as the verifier sees them.
    pub(super) fn seen(&self) -> Vec<String> {
        self.header.iter().chain(&self.unit).cloned().collect()
    }

    /// What decides which facts are collected; how they are judged is decided where they come together.
    fn requirements(&self) -> Requirements {
        let mut asked = Requirements::new(self.k, self.quasi.iter().cloned());
        asked.unit = self.unit.clone().or_else(|| self.released_unit.clone());
        asked.missing = MissingTokens::new(self.missing.iter().cloned());
        asked.told = self.told.clone();
        asked.narrowing.clone_from(&self.narrowing);
        asked.models = self
            .sensitive
            .iter()
            .map(|column| SensitiveModel {
                column: column.clone(),
                model: Model::DistinctL(1),
                overall: None,
                order: None,
            })
            .collect();
        asked
    }
}

/// What was seen of some parts of a written release. It travels, and is merged in any order.
pub struct PartialVerification {
    checking: VerificationPlan,
    verifier: Verifier,
    facts: ReadBackFacts,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ReadBackFacts {
    pub(super) singles: UniqueRowCounter,
    pub(super) values: Vec<CappedHistogram>,
    /// What is remembered of the labels of all rows, of their unchanged columns, and of all released columns.
    pub(super) labels: RowChecksum,
    pub(super) unchanged: RowChecksum,
    pub(super) all: RowChecksum,
}

#[derive(Serialize, Deserialize)]
struct VerificationMessage {
    checking: VerificationPlan,
    collection: VerifierState,
    facts: ReadBackFacts,
}

impl std::fmt::Debug for PartialVerification {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checked").field("facts", &self.facts).finish_non_exhaustive()
    }
}

fn unfit(error: incrowd_verify::Error) -> Error {
    Error::new(format!("the release could not be verified: {error}"))
}

impl PartialVerification {
    /// Nothing yet, of a part with this number.
    pub fn new(checking: &VerificationPlan, part: u64) -> Result<Self> {
        let mut verifier =
            Verifier::new(&checking.seen(), &checking.requirements()).map_err(unfit)?;
        verifier.set_part(part).map_err(unfit)?;
        Ok(PartialVerification {
            verifier,
            facts: ReadBackFacts {
                singles: UniqueRowCounter::new(checking.unchanged.len(), VALUES),
                values: vec![CappedHistogram::default(); checking.tallied.len()],
                labels: RowChecksum::default(),
                unchanged: RowChecksum::default(),
                all: RowChecksum::default(),
            },
            checking: checking.clone(),
        })
    }

    /// Takes further rows.
    pub fn add(&mut self, batch: RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let schema = batch.schema();
        let source = Source::from_batches("the release", schema, vec![batch], Some(1))?;
        let expected = self.checking.header.iter().map(String::as_str);
        let unit = self.checking.unit.is_some().then_some(UNIT_COLUMN);
        if source.columns().iter().map(String::as_str).ne(expected.chain(unit)) {
            return Err(Error::new("the columns of the written release are not the expected ones"));
        }
        let read: Vec<usize> = (0..source.columns().len()).collect();
        let this = std::sync::Mutex::new(self);
        let step = |(): &mut (), chunk: &Chunk| {
            let mut this = this.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            this.take(chunk, read.len())
        };
        source.fold(&read, || (), step, &Control::new())?;
        Ok(())
    }

    fn take(&mut self, chunk: &Chunk, width: usize) -> Result<()> {
        let PartialVerification { checking, verifier, facts } = self;
        let mut hashes = vec![0; checking.header.len()];
        let mut beside = vec![0; checking.unchanged.len()];
        for row in 0..chunk.rows() {
            verifier.push((0..width).map(|at| chunk.field(row, at))).map_err(unfit)?;
            for (at, hash) in hashes.iter_mut().enumerate() {
                *hash = value_hash(chunk.field(row, at));
            }
            let labels = combined(checking.labels.iter().map(|&at| hashes[at]));
            beside.iter_mut().zip(&checking.unchanged).for_each(|(to, &at)| *to = hashes[at]);
            facts.singles.add(labels, &beside);
            facts.labels.add(labels);
            facts.unchanged.add(combined(beside.iter().copied()));
            facts.all.add(combined(hashes.iter().copied()));
        }
        for (&at, values) in checking.tallied.iter().zip(&mut facts.values) {
            if !values.full {
                chunk.column(at).for_each(|value| values.add(value, 1));
            }
        }
        Ok(())
    }

    /// Adds what was seen of other parts.
    pub fn merge(self, other: PartialVerification) -> Result<Self> {
        let PartialVerification { checking, verifier, mut facts } = self;
        let verifier = verifier.merge(other.verifier).map_err(unfit)?;
        facts.singles.merge(other.facts.singles);
        for (values, part) in facts.values.iter_mut().zip(&other.facts.values) {
            values.merge(part);
        }
        facts.labels.merge(&other.facts.labels);
        facts.unchanged.merge(&other.facts.unchanged);
        facts.all.merge(&other.facts.all);
        Ok(PartialVerification { checking, verifier, facts })
    }

    /// The bytes that another process makes the same of.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let collection = self.verifier.to_collection();
        packed(&VerificationMessage {
            checking: self.checking.clone(),
            collection,
            facts: self.facts.clone(),
        })
    }

    /// What bytes of another process stand for.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let VerificationMessage { checking, collection, facts } = unpacked(bytes)?;
        let asked = checking.requirements();
        let verifier = Verifier::from_collection(&collection, &asked).map_err(unfit)?;
        Ok(PartialVerification { checking, verifier, facts })
    }

    /// How many rows were seen.
    pub fn rows(&self) -> u64 {
        self.facts.all.rows
    }

    /// What the rows were found to be, and what the verifier makes of them under requirements.
    pub(super) fn judged(
        self,
        requirements: &Requirements,
    ) -> Result<(incrowd_verify::Verdict, ReadBackFacts)> {
        let collection = self.verifier.to_collection();
        let verifier = Verifier::from_collection(&collection, requirements).map_err(unfit)?;
        Ok((verifier.finish().map_err(unfit)?, self.facts))
    }
}
