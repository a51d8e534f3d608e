//! What a search found, kept as a text: the same release can be had from it without another search.

use incrowd_engine::recoding::ProfileShare;
use incrowd_engine::search::{SelectedMethod, StopReason};
use incrowd_engine::{Control, Outcome, Problem, SavedRecoding, Solution};
use serde::{Deserialize, Serialize};

use super::searched_run::SearchedRun;
use crate::backend::table_backend::TableBackend;
use crate::plan::job::Job;
use crate::plan::run_plan::RunPlan;
use crate::question_hash::question_hash;
use crate::spec::{ReleaseSection, SpecFile};
use crate::{Error, ErrorKind, Result, Source};

/// The version of the format that this program writes and reads.
const VERSION: u32 = 1;

/// What a search found in a table, for this very question and this very table. It holds every value of the
/// quasi-identifiers that occurs, so it is as confidential as the table.
///
/// Nothing in it is taken on trust: a release that is made of it passes the same checks as one that was searched for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedSearch {
    version: u32,
    /// The hash of all that was asked, the table included: of another question it is no answer.
    question: String,
    proof: SavedProof,
    nodes: u64,
    notes: Vec<String>,
    chosen: Option<SelectedMethod>,
    recoding: serde_json::Value,
    /// Which rows go into which of its boxes, where these may overlap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shares: Vec<SavedShare>,
}

/// Some rows: their combination of values, their targets, their box, and how many they are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct SavedShare(u32, u32, u32, u64);

impl From<&ProfileShare> for SavedShare {
    fn from(share: &ProfileShare) -> Self {
        SavedShare(share.cell, share.target, share.class, share.count)
    }
}

impl From<SavedShare> for ProfileShare {
    fn from(SavedShare(cell, target, class, count): SavedShare) -> Self {
        ProfileShare { cell, target, class, count }
    }
}

/// How the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedProof {
    optimal: bool,
    bound: Option<f64>,
    stopped: Option<StopReason>,
}

impl SavedSearch {
    /// What was found; none if there is no release.
    pub fn new(
        file: &SpecFile,
        plan: RunPlan<'_>,
        found: &SearchedRun,
    ) -> Result<Option<SavedSearch>> {
        let Some(recoding) = found.saved_recoding(plan) else { return Ok(None) };
        let Solution { outcome, nodes, notes, chosen, .. } = found.solution();
        Ok(Some(SavedSearch {
            version: VERSION,
            question: question(file, plan.source)?,
            proof: SavedProof {
                optimal: matches!(outcome, Outcome::Optimal(_)),
                bound: outcome.bound(),
                stopped: outcome.stop_reason(),
            },
            nodes: *nodes,
            notes: notes.clone(),
            chosen: chosen.clone(),
            shares: recoding.recoding.shares().iter().map(SavedShare::from).collect(),
            recoding: serde_json::to_value(&recoding)
                .map_err(|e| Error::new(format!("it cannot be kept: {e}")))?,
        }))
    }

    /// The text to keep.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|e| Error::new(format!("it cannot be kept: {e}")))
    }

    /// Reads the text.
    pub fn from_json(text: &str) -> Result<Self> {
        let wrong = |what: String| Error::new(format!("this is no search that was kept: {what}"));
        let saved: SavedSearch = serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
        match saved.version {
            VERSION => Ok(saved),
            other => Err(wrong(format!("its version is {other}, not {VERSION}"))),
        }
    }

    /// Counts the table and takes the solution: the state that the search left. Refused if the table, a file that the spec
    /// names or the question has changed since.
    pub fn restored(
        &self,
        file: &SpecFile,
        plan: RunPlan<'_>,
        backend: &mut dyn TableBackend,
        control: &Control,
    ) -> Result<SearchedRun> {
        if self.question != question(file, plan.source)? {
            return Err(changed());
        }
        // Every code, group and node exists.
        let saved = SavedRecoding::from_json(&self.recoding.to_string())?;
        let counted = plan.count(backend, control)?;
        let Problem { attributes, cells, .. } = counted.problem();
        let fits = attributes.len() == saved.attributes.len()
            && attributes.iter().zip(&saved.attributes).all(|(one, other)| {
                one.name == other.name && one.domain.len() == other.domain.len()
            });
        if !fits {
            return Err(changed());
        }
        let shares = self.shares.iter().copied().map(ProfileShare::from).collect();
        let recoding = saved.recoding.with_shares(attributes, cells, shares).ok_or_else(changed)?;
        let SavedProof { optimal, bound, stopped } = self.proof;
        let found = Solution::feasible(recoding, self.nodes).with_bound(bound).stopped_by(stopped);
        let mut solution = if optimal { found.proven() } else { found };
        solution.notes.clone_from(&self.notes);
        solution.chosen.clone_from(&self.chosen);
        // Its boxes were merged and its labels drawn when it was found.
        let job = Job { labels: None, outside: None, ..plan.job.clone() };
        counted.solved(&job, solution)
    }
}

fn changed() -> Error {
    Error::new("the table or the question has changed since the release was found")
        .help("search again")
        .of_kind(ErrorKind::Refused)
}

/// All that decides on the release. Where it goes does not matter.
fn question(file: &SpecFile, source: &Source) -> Result<String> {
    let mut spec = file.spec.clone();
    let ReleaseSection { suppressed, labels, label_chance, .. } = spec.release;
    spec.release = ReleaseSection { suppressed, labels, label_chance, ..ReleaseSection::default() };
    let mut contents = Vec::new();
    for path in spec.data.population.iter().chain(&spec.data.earlier) {
        let path = file.resolve(path);
        let bytes = std::fs::read(&path).map_err(|e| Error::file("read", &path, &e))?;
        contents.push(blake3::hash(&bytes).to_hex().to_string());
    }
    let purpose: Vec<&str> =
        ["incrowd search"].into_iter().chain(contents.iter().map(String::as_str)).collect();
    Ok(question_hash(&purpose, file, spec, source)?.to_hex().to_string())
}
