//! What was worked out and is kept, as pages see it.

use incrowd_assess::queries::QueryErrors;
use incrowd_assess::risk::{JournalistRisk, RiskReport};
use incrowd_assess::usefulness::{
    AssociationLoss, AssociationPair, CategoryShift, NumberShift, SubgroupLoss,
};
use incrowd_run::forms::{Checklist, RecordEntry};
use incrowd_run::{Verdict, Warning, checks::Finding};
use serde::Serialize;

/// What was written.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct WrittenSummary {
    pub(crate) files: Vec<WrittenFile>,
    pub(crate) folder: Option<String>,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) checks: Vec<Finding>,
    pub(crate) warnings: Vec<Warning>,
    /// The verdict in words.
    pub(crate) summary: Option<String>,
    /// The command line that makes the same release.
    pub(crate) command: String,
    pub(crate) repeatable: bool,
    /// Whether values were replaced in a way that cannot be repeated.
    pub(crate) lost_key: bool,
    pub(crate) released: u64,
    pub(crate) suppressed: u64,
    pub(crate) achieved_k: Option<u64>,
    pub(crate) confirmed: Vec<String>,
}

/// A file that was written.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct WrittenFile {
    pub(crate) what: &'static str,
    pub(crate) name: String,
    pub(crate) size: u64,
}

/// What the forms say, without their texts.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct FormsSummary {
    pub(crate) checklist: Checklist,
    pub(crate) holds: bool,
    pub(crate) verdict_hash: String,
    pub(crate) forms: Vec<FormFile>,
    /// Where the record would lie.
    pub(crate) record: String,
}

/// A form, and where it would lie.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct FormFile {
    pub(crate) what: &'static str,
    pub(crate) name: String,
}

/// How a release stands on record.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RecordSummary {
    pub(crate) entry: RecordEntry,
    pub(crate) into: String,
    /// The command line that looks the release up.
    pub(crate) command: String,
}

/// Who could be found, before and after.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RiskResult {
    pub(crate) threshold: f64,
    pub(crate) before: RiskReport,
    pub(crate) after: RiskReport,
    pub(crate) journalist: Option<JournalistRisk>,
}

/// What attacks on a release came to.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct AttackSummary {
    /// The file that was attacked; none if it is the release that was found.
    pub(crate) release: Option<String>,
    pub(crate) headline: String,
    pub(crate) compared: String,
    pub(crate) found: bool,
    pub(crate) attacks: Vec<AttackResultRow>,
    pub(crate) known: Vec<String>,
    pub(crate) secret: Vec<String>,
    pub(crate) confidence: f64,
    pub(crate) released: u64,
    pub(crate) notes: Vec<String>,
}

/// What one attack came to.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct AttackResultRow {
    pub(crate) name: String,
    pub(crate) question: &'static str,
    pub(crate) hits: u64,
    pub(crate) tries: u64,
    pub(crate) right: f64,
    pub(crate) control: f64,
    pub(crate) risk: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) found: bool,
}

/// What a release is still good for.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct UtilitySummary {
    pub(crate) queries: Vec<QuerySummary>,
    pub(crate) predicted: Option<PredictionSummary>,
    /// What analysts find.
    pub(crate) statistics: Option<AnalystStatistics>,
    /// Why there are no statistics.
    pub(crate) no_statistics: Option<String>,
    /// Trees are grown from at most so many rows.
    pub(crate) most_rows: usize,
}

/// What analysts find in a release, beside what they find in its table.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct AnalystStatistics {
    pub(crate) numbers: Vec<NumberShift>,
    pub(crate) categories: Vec<CategoryShift>,
    /// Pair by pair, those that lose most first.
    pub(crate) associations: Vec<AssociationPair>,
    pub(crate) association_loss: Vec<AssociationLoss>,
    /// Who pays: the loss by value of columns.
    pub(crate) subgroups: Vec<SubgroupLoss>,
}

/// Random questions about so many columns.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct QuerySummary {
    pub(crate) dimensions: u32,
    pub(crate) errors: QueryErrors,
}

/// How often a tree predicts a column wrongly.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PredictionSummary {
    pub(crate) class: String,
    pub(crate) release: f64,
    pub(crate) original: Option<f64>,
    /// By always saying the most frequent value.
    pub(crate) baseline: f64,
    pub(crate) with_suppressed: Option<f64>,
    pub(crate) rows: u64,
}

/// What a saved recoding does to new rows.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct AppliedRecoding {
    pub(crate) rows: u64,
    pub(crate) released: u64,
    pub(crate) suppressed: u64,
    pub(crate) classes: usize,
    pub(crate) k: u64,
    pub(crate) achieved_k: Option<u64>,
    pub(crate) gcp: Option<f64>,
    pub(crate) quasi: Vec<String>,
    pub(crate) recoding: Vec<String>,
    pub(crate) output: Option<String>,
    pub(crate) holds: Option<bool>,
    pub(crate) warnings: Vec<String>,
}
