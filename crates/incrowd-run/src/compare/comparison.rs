//! The results of a comparison, side by side.

use incrowd_engine::method::RecodingModel;
use incrowd_engine::words::thousands;
use incrowd_engine::{Algorithm as _, Method, MethodChoice, Metric};

use super::request::{ComparisonRequest, RequestedMethod};
use crate::spec::{Spec, SpecFile, parsing::duration_text};
use crate::{Job, Source, Trial, TrialTable};

/// A result, and whether it was known before.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ComparedTrial {
    /// What the method found.
    pub trial: Trial,
    /// Whether it comes from the cache.
    pub cached: bool,
}

/// What is proven of the least cost of any single-dimensional recoding for one k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceCost {
    /// The least cost, or what it does not fall below.
    pub cost: f64,
    /// Whether it is the least cost.
    pub proven: bool,
}

/// A method that takes part.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ComparedMethod {
    /// Its name with the options as given.
    pub label: String,
    /// What its releases can look like.
    pub family: RecodingModel,
    /// Whether what it proves is what others are measured by: that holds for every recoding by intervals.
    proves: bool,
}

/// The results of a comparison, method by k. It serializes to one object that names every run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Comparison {
    /// The metric that prices every release.
    pub metric: Metric,
    /// What the table is called, without its folder.
    pub table: String,
    /// How many rows it has.
    pub rows: u64,
    /// How many distinct combinations of quasi-identifiers it has.
    pub cells: u64,
    /// The quasi-identifiers.
    pub quasi: Vec<String>,
    /// The models beyond k, in words.
    pub models: Vec<String>,
    /// Most rows that may be suppressed; each method's own default if nothing is said.
    pub limit: Option<String>,
    /// How long each search may take.
    pub time_limit: Option<String>,
    /// The k, ascending.
    pub ks: Vec<u64>,
    /// The methods.
    pub contenders: Vec<ComparedMethod>,
    /// For each method what it did for each k; none where the user ended the comparison before.
    pub results: Vec<Vec<Option<ComparedTrial>>>,
    /// Whether the user ended it early.
    pub interrupted: bool,
    /// What went wrong with the cache, a sentence each.
    pub cache_notes: Vec<String>,
    /// The question; its method and its k do not matter.
    pub spec: Spec,
}

impl Comparison {
    /// No results yet.
    pub(super) fn new(
        file: &SpecFile,
        job: &Job,
        source: &Source,
        table: &TrialTable,
        asked: &ComparisonRequest<'_>,
    ) -> Self {
        let models = job.problem.models.iter();
        let none = || asked.ks.iter().map(|_| None).collect();
        Comparison {
            metric: table.metric(),
            table: source.file_name(),
            rows: table.rows(),
            cells: table.cells() as u64,
            quasi: job.problem.quasi.iter().map(|column| column.name.clone()).collect(),
            models: models.map(|(column, model)| format!("{} of {column}", model.name())).collect(),
            limit: file.spec.goal.max_suppressed.map(|limit| limit.to_string()),
            time_limit: asked.time_limit.map(duration_text),
            ks: asked.ks.clone(),
            contenders: contenders(asked.entrants),
            results: asked.entrants.iter().map(|_| none()).collect(),
            interrupted: false,
            cache_notes: Vec::new(),
            spec: file.spec.clone(),
        }
    }

    /// Every result there could be, with its place.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize, Option<&ComparedTrial>)> {
        let results = self.results.iter().enumerate();
        results.flat_map(|(row, of)| {
            of.iter().enumerate().map(move |(k, told)| (row, k, told.as_ref()))
        })
    }

    /// How many results there are, and how many of them were known before.
    pub fn known(&self) -> (usize, usize) {
        let told = || self.places().filter_map(|(_, _, told)| told);
        (told().count(), told().filter(|told| told.cached).count())
    }

    /// What is proven of the least cost of any single-dimensional recoding.
    pub fn reference(&self, k: usize) -> Option<ReferenceCost> {
        let trials = || {
            let rows = self.contenders.iter().zip(&self.results).filter(|(row, _)| row.proves);
            rows.filter_map(|(_, of)| of[k].as_ref()).map(|told| &told.trial)
        };
        let proven = trials().filter(|trial| trial.is_proven()).find_map(|trial| trial.cost);
        if let Some(cost) = proven {
            return Some(ReferenceCost { cost, proven: true });
        }
        let bound = trials().filter_map(|trial| trial.bound).max_by(f64::total_cmp);
        bound.map(|cost| ReferenceCost { cost, proven: false })
    }

    /// How much more a release costs than what is proven of the least cost, as a share; below 0 where it
    /// costs less.
    pub fn above(&self, row: usize, k: usize) -> Option<(f64, ReferenceCost)> {
        let cost = self.results[row][k].as_ref()?.trial.cost?;
        let reference = self.reference(k).filter(|reference| reference.cost > 0.0)?;
        Some((cost / reference.cost - 1.0, reference))
    }

    /// Whether a result is what the least cost is known by.
    pub fn is_reference(&self, row: usize, k: usize) -> bool {
        let proven = self.results[row][k].as_ref().is_some_and(|told| told.trial.is_proven());
        proven && self.contenders[row].proves
    }

    /// What is missing, and why: methods with their k, and the reason in a sentence.
    pub fn reasons(&self) -> Vec<(String, String)> {
        let mut reasons: Vec<(usize, Vec<u64>, String)> = Vec::new();
        for (row, k, told) in self.places() {
            let why = match told {
                None => "not run: the comparison was interrupted".to_owned(),
                Some(told) if told.trial.cost.is_some() => continue,
                Some(told) => told.trial.in_words.clone(),
            };
            match reasons.last_mut() {
                Some(last) if last.0 == row && last.2 == why => last.1.push(self.ks[k]),
                _ => reasons.push((row, vec![self.ks[k]], why)),
            }
        }
        let all = self.ks.len();
        reasons
            .into_iter()
            .map(|(row, ks, why)| {
                let label = &self.contenders[row].label;
                let ks: Vec<String> = ks.iter().map(|&k| thousands(k)).collect();
                let which = if ks.len() == all {
                    label.clone()
                } else {
                    format!("{label}, k {}", ks.join(", "))
                };
                (which, why)
            })
            .collect()
    }

    /// The families of the methods, with what they are and who belongs to each.
    pub fn families(&self) -> Vec<(RecodingModel, Vec<&str>)> {
        let of = |family: RecodingModel| {
            let rows = self.contenders.iter().filter(move |row| row.family == family);
            rows.map(|row| row.label.as_str()).collect::<Vec<_>>()
        };
        let all = RecodingModel::ALL.into_iter().map(|family| (family, of(family)));
        all.filter(|(_, methods)| !methods.is_empty()).collect()
    }

    /// What is proven of the least cost over all k, in a sentence without its end; none if nothing is.
    pub fn proof(&self) -> Option<String> {
        let known: Vec<ReferenceCost> =
            (0..self.ks.len()).filter_map(|k| self.reference(k)).collect();
        let proven = known.iter().filter(|reference| reference.proven).count();
        let all = self.ks.len();
        match (known.len(), proven) {
            (0, _) => None,
            (_, proven) if proven == all => Some(
                "the least cost of any single-dimensional recoding is proven for every k"
                    .to_owned(),
            ),
            (_, 0) => Some(
                "the least cost of any single-dimensional recoding is not proven: a bound is \
                 used instead"
                    .to_owned(),
            ),
            _ => Some(format!(
                "the least cost of any single-dimensional recoding is proven for {proven} of \
                 {all} k; a bound is used for the others"
            )),
        }
    }

    /// What to know of how methods took the question, whatever k is.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (row, results) in self.contenders.iter().zip(&self.results) {
            let done = || {
                results.iter().flatten().filter(|told| told.trial.cost.is_some()).map(|t| &t.trial)
            };
            let first = done().next().map_or(&[][..], |trial| &trial.notes);
            let always = |note: &&String| done().all(|trial| trial.notes.contains(note));
            notes.extend(first.iter().filter(always).map(|note| match note.split(' ').next() {
                Some(name) if row.label.starts_with(name) => note.clone(),
                _ => format!("{}: {note}", row.label),
            }));
        }
        notes
    }
}

/// The methods. What is proven of coarse bins says nothing of finer ones, so those count that prove most.
fn contenders(entrants: &[RequestedMethod]) -> Vec<ComparedMethod> {
    let reach = |entrant: &RequestedMethod| {
        let prover = matches!(
            entrant.method,
            MethodChoice::Named(Method::Optimal(_) | Method::KOptimize(_))
        );
        let rules = entrant.method.cut_rules().filter(|rules| prover && !rules.along_tree)?;
        // 0 says that nothing is put into bins.
        Some(if rules.most_values == 0 { usize::MAX } else { rules.most_values })
    };
    let widest = entrants.iter().filter_map(reach).max();
    let row = |entrant: &RequestedMethod| ComparedMethod {
        label: entrant.label.clone(),
        family: entrant.method.family(),
        proves: widest.is_some() && reach(entrant) == widest,
    };
    entrants.iter().map(row).collect()
}

/// A share above or below a reference: `+3.1%`, or `x12` times as much; `<+3.1%` where the reference is only a
/// bound.
pub(super) fn above_text((share, reference): (f64, ReferenceCost)) -> String {
    let percent = 100.0 * share;
    let text = match percent.abs() {
        size if size < 99.95 => format!("{percent:+.1}%"),
        size if size < 999.5 => format!("{percent:+.0}%"),
        _ => format!("x{}", thousands((share + 1.0).round() as u64)),
    };
    if reference.proven { text } else { format!("<{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_in_few_characters() {
        let told =
            |share: f64, proven: bool| above_text((share, ReferenceCost { cost: 1.0, proven }));
        assert_eq!(told(0.0, true), "+0.0%");
        assert_eq!(told(0.0314, false), "<+3.1%");
        assert_eq!(told(-0.25, true), "-25.0%");
        assert_eq!(told(5.236, true), "+524%");
        assert_eq!(told(416.6, false), "<x418");
        assert_eq!(told(12_344.0, true), "x12,345");
    }
}
