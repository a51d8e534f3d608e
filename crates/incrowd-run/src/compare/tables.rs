//! A comparison as tables, CSV and JSON.

use incrowd_engine::words::thousands;
use serde::{Serialize, Serializer};

use super::comparison::{ComparedTrial, Comparison, above_text};
use crate::{SearchStatus, Trial, cost_text};

/// What a table shows of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparisonTable {
    /// What stands above it.
    pub title: String,
    /// For each method the text for each k.
    pub cells: Vec<Vec<String>>,
}

/// The columns of the CSV form.
const HEADER: [&str; 17] = [
    "method",
    "family",
    "k",
    "outcome",
    "cost",
    "bound",
    "gap",
    "above_optimum",
    "above_bound",
    "suppressed",
    "classes",
    "achieved_k",
    "gcp",
    "dm",
    "cpu_seconds",
    "wall_seconds",
    "why",
];

impl Comparison {
    /// The tables of a comparison: cost, cost above the optimum, suppressed rows, seconds.
    pub fn tables(&self) -> Vec<ComparisonTable> {
        let each =
            |of: &dyn Fn(usize, usize, &ComparedTrial) -> Option<String>| -> Vec<Vec<String>> {
                let cell = |row: usize, k: usize| match &self.results[row][k] {
                    None => "...".to_owned(),
                    Some(told) => of(row, k, told).unwrap_or_else(|| "-".to_owned()),
                };
                (0..self.contenders.len())
                    .map(|row| (0..self.ks.len()).map(|k| cell(row, k)).collect())
                    .collect()
            };
        let mut measures = vec![ComparisonTable {
            title: format!("cost ({})", self.metric.name()),
            cells: each(&|_, _, told| told.trial.cost.map(cost_text)),
        }];
        if (0..self.ks.len()).any(|k| self.reference(k).is_some()) {
            measures.push(ComparisonTable {
                title: "above the optimum".to_owned(),
                cells: each(&|row, k, _| match self.is_reference(row, k) {
                    true => Some("proven".to_owned()),
                    false => self.above(row, k).map(above_text),
                }),
            });
        }
        measures.push(ComparisonTable {
            title: "rows suppressed".to_owned(),
            cells: each(&|_, _, told| told.trial.suppressed.map(thousands)),
        });
        measures.push(ComparisonTable {
            title: "seconds".to_owned(),
            cells: each(&|_, _, told| {
                let ran = told.trial.outcome != SearchStatus::Refused;
                ran.then(|| {
                    let mark = if told.trial.is_stopped() { "*" } else { "" };
                    format!("{}{mark}", short_seconds(told.trial.wall_seconds))
                })
            }),
        });
        measures
    }

    /// How the numbers are to be read, a sentence each.
    pub fn reading(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(proof) = self.proof() {
            let mut text = format!("Above the optimum: {proof}.");
            let references: Vec<_> = (0..self.ks.len()).filter_map(|k| self.reference(k)).collect();
            if references.iter().any(|reference| !reference.proven) {
                text.push_str(
                    " `<` says that it is above a bound: the release may be nearer to the optimum.",
                );
            }
            text.push_str(
                " Recodings that are not single-dimensional, or not by intervals, can cost less.",
            );
            sentences.push(text);
        }
        let trials = || self.places().filter_map(|(_, _, told)| told).map(|told| &told.trial);
        if trials().any(Trial::is_stopped) {
            sentences.push(match &self.time_limit {
                Some(limit) => {
                    format!(
                        "`*` says that the time limit of {limit} ended the search: its best so far."
                    )
                }
                None => "`*` says that the search was stopped: its best so far.".to_owned(),
            });
        }
        sentences
    }

    /// The comparison as CSV, a line for each method and k.
    pub fn to_csv(&self) -> String {
        let quoted = |text: &str| match text.contains([',', '"', '\n']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        let mut text = HEADER.join(",") + "\n";
        for (row, k, told) in self.places() {
            let Some(ComparedTrial { trial, .. }) = told else { continue };
            let (above_optimum, above_bound) = self.shares(row, k);
            let metrics = trial.metrics.as_ref();
            let fields = [
                quoted(&self.contenders[row].label),
                self.contenders[row].family.to_string(),
                self.ks[k].to_string(),
                trial.outcome.to_string(),
                field(trial.cost),
                field(trial.bound),
                field(trial.gap),
                field(above_optimum),
                field(above_bound),
                field(trial.suppressed),
                field(trial.classes),
                field(trial.achieved_k),
                field(metrics.map(|metrics| metrics.gcp)),
                field(metrics.map(|metrics| metrics.dm)),
                format!("{:.3}", trial.cpu_seconds),
                format!("{:.3}", trial.wall_seconds),
                quoted(trial.why.as_deref().unwrap_or_default()),
            ];
            text.push_str(&(fields.join(",") + "\n"));
        }
        text
    }

    /// How much a release costs above the proven optimum, or else above the bound.
    fn shares(&self, row: usize, k: usize) -> (Option<f64>, Option<f64>) {
        match self.above(row, k) {
            None => (None, None),
            Some((share, reference)) if reference.proven => (Some(share), None),
            Some((share, _)) => (None, Some(share)),
        }
    }
}

impl Serialize for Comparison {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct ComparisonDocument<'a> {
            version: &'static str,
            table: &'a str,
            rows: u64,
            cells: u64,
            quasi: &'a [String],
            models: &'a [String],
            metric: &'static str,
            max_suppressed: Option<&'a str>,
            time_limit: Option<&'a str>,
            k: &'a [u64],
            methods: Vec<serde_json::Value>,
            optimum: Vec<serde_json::Value>,
            runs: Vec<TrialDocument<'a>>,
            missing: Vec<serde_json::Value>,
            cached: usize,
            interrupted: bool,
        }
        #[derive(Serialize)]
        struct TrialDocument<'a> {
            method: &'a str,
            family: incrowd_engine::method::RecodingModel,
            k: u64,
            #[serde(flatten)]
            trial: &'a Trial,
            above_optimum: Option<f64>,
            above_bound: Option<f64>,
            cached: bool,
        }
        let runs = self.places().filter_map(|(row, k, told)| {
            let ComparedTrial { trial, cached } = told?;
            let (above_optimum, above_bound) = self.shares(row, k);
            let (method, family) =
                (self.contenders[row].label.as_str(), self.contenders[row].family);
            let (k, cached) = (self.ks[k], *cached);
            Some(TrialDocument { method, family, k, trial, above_optimum, above_bound, cached })
        });
        let missing = self.places().filter(|(_, _, told)| told.is_none());
        let whole = ComparisonDocument {
            version: env!("CARGO_PKG_VERSION"),
            table: &self.table,
            rows: self.rows,
            cells: self.cells,
            quasi: &self.quasi,
            models: &self.models,
            metric: self.metric.name(),
            max_suppressed: self.limit.as_deref(),
            time_limit: self.time_limit.as_deref(),
            k: &self.ks,
            methods: self
                .contenders
                .iter()
                .map(|row| serde_json::json!({ "method": row.label, "family": row.family }))
                .collect(),
            optimum: (0..self.ks.len())
                .filter_map(|k| {
                    let known = self.reference(k)?;
                    let (k, proven) = (self.ks[k], known.proven);
                    Some(serde_json::json!({ "k": k, "cost": known.cost, "proven": proven }))
                })
                .collect(),
            runs: runs.collect(),
            missing: missing
                .map(|(row, k, _)| {
                    serde_json::json!({ "method": self.contenders[row].label, "k": self.ks[k] })
                })
                .collect(),
            cached: self.known().1,
            interrupted: self.interrupted,
        };
        whole.serialize(out)
    }
}

fn short_seconds(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 99.5 => thousands(seconds.round() as u64),
        seconds if seconds >= 9.95 => format!("{seconds:.1}"),
        _ => format!("{seconds:.2}"),
    }
}

/// A field of CSV that may be empty.
fn field<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
