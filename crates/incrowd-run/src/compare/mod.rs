//! The same question answered by several methods for several k, side by side.
//!
//! Every release is made, read by the independent verifier and priced by one metric; none is written. What
//! was found can be [kept](CacheLocation), so that one method more costs one method's time.

mod cache;
mod comparison;
mod proof_progress;
mod request;
mod tables;

use std::time::Duration;

use incrowd_engine::{Control, Event, MethodChoice};

use crate::spec::{AlgorithmSection, ReleaseSection, SpecFile};
use crate::{Job, Result, Source, Trial, TrialTable, cost_text, methods, on_threads, seconds_text};
use cache::TrialCache;
pub use cache::{BUILD, CacheLocation};
pub use comparison::{ComparedMethod, ComparedTrial, Comparison, ReferenceCost};
use proof_progress::patient;
use request::{ComparisonRequest, RequestedMethod};
pub use tables::ComparisonTable;

/// The methods of a comparison if none are named: at least one of every family but cell suppression, quick
/// ones and thorough ones.
pub const USUAL_METHODS: [&str; 8] = [
    "optimal",
    "climb",
    "top-down",
    "lattice",
    "datafly",
    "mondrian",
    "cluster-down",
    "best-local",
];

/// The k of a comparison if none are named; those above the number of rows are left out.
pub const USUAL_KS: [u64; 6] = [2, 5, 10, 25, 50, 100];

/// How long a search may take if nothing is said.
const USUAL_TIME: Duration = Duration::from_secs(60);

/// What a comparison is asked to do.
///
/// ```
/// use incrowd_engine::Control;
/// use incrowd_run::spec::{ColumnSection, Role, Spec};
/// use incrowd_run::{SpecFile, open_input, compare::Compare};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let table = folder.path().join("people.csv");
/// # let rows: String = (0..40).map(|at| format!("{},{}\n", 20 + at % 9, at % 3)).collect();
/// # std::fs::write(&table, format!("age,city\n{rows}")).unwrap();
/// let columns = ["age", "city"].map(|name| ColumnSection::new(name, Role::Quasi));
/// let file = SpecFile::from_options(Spec::new(&table, columns.to_vec(), 1))?;
/// let asked = Compare::new().with_methods(["optimal", "mondrian:mode=relaxed"]).with_ks([2, 5]);
/// let comparison = asked.run(&file, &open_input(&file)?, &Control::new())?;
/// assert!(comparison.results.iter().flatten().flatten().all(|found| found.trial.cost.is_some()));
/// # Ok::<(), incrowd_run::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Compare {
    /// The methods, each with its options: see [`methods::parse`]; `all` for all of them. If none is named, the
    /// [usual ones](USUAL_METHODS) and the spec's own.
    pub methods: Vec<String>,
    /// The least sizes of a class; the [usual ones](USUAL_KS) if none is named.
    pub ks: Vec<u64>,
    /// How long each search may take, where the spec's limit (or a minute, if it has none) does not hold.
    pub time_limit: Option<Option<Duration>>,
    /// Where results are kept.
    pub keep: CacheLocation,
}

impl Compare {
    /// The usual methods and k, a minute for each search, nothing kept.
    pub fn new() -> Self {
        Self::default()
    }

    /// With these methods.
    #[must_use]
    pub fn with_methods<T: Into<String>>(mut self, methods: impl IntoIterator<Item = T>) -> Self {
        self.methods = methods.into_iter().map(Into::into).collect();
        self
    }

    /// With these k.
    #[must_use]
    pub fn with_ks(mut self, ks: impl IntoIterator<Item = u64>) -> Self {
        self.ks = ks.into_iter().collect();
        self
    }

    /// With so much time for each search; as much as it takes if none is given.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Option<Duration>) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// With results kept there, and those taken that are there.
    #[must_use]
    pub fn with_keep(mut self, keep: CacheLocation) -> Self {
        self.keep = keep;
        self
    }

    /// Answers a spec's question by every method for every k. The spec's own k, its method and where its release
    /// would go do not matter. A method that cannot do it tells so in its result; when the user ends it, what
    /// was found by then is returned.
    pub fn run(&self, file: &SpecFile, source: &Source, control: &Control) -> Result<Comparison> {
        let entrants = entrants(&self.methods, &file.spec.algorithm)?;
        let time_limit =
            self.time_limit.unwrap_or(file.spec.algorithm.time_limit.or(Some(USUAL_TIME)));
        let file = posed(file);
        let job = Job::new(&file, source)?;
        let mut cache = TrialCache::open(&self.keep, &file, source)?;
        on_threads(file.spec.algorithm.threads, || {
            let mut table = TrialTable::new(&job, source, control)?;
            let asked = ComparisonRequest {
                entrants: &entrants,
                ks: self.fitting_ks(table.rows()),
                time_limit,
            };
            let mut comparison = Comparison::new(&file, &job, source, &table, &asked);
            asked.answer(&mut table, &mut cache, &mut comparison, control)?;
            comparison.cache_notes = cache.notes;
            Ok(comparison)
        })?
    }

    /// The k in order. Of the usual ones those are left out that a table of so many rows is too small for; those
    /// that were asked for stay, and are told why they cannot be.
    fn fitting_ks(&self, rows: u64) -> Vec<u64> {
        let mut ks = self.ks.clone();
        if ks.is_empty() {
            ks.extend(USUAL_KS.into_iter().filter(|&k| k <= rows));
        }
        if ks.is_empty() {
            ks.push(rows);
        }
        ks.sort_unstable();
        ks.dedup();
        ks
    }
}

/// The question of a comparison as one that any method can be asked; each entry is asked by itself.
fn posed(file: &SpecFile) -> SpecFile {
    let mut file = file.clone();
    file.spec.privacy.k = 1;
    let any = if file.spec.privacy.wildcards { "cells" } else { "optimal" };
    file.spec.algorithm.method = any.to_owned();
    file.spec.algorithm.options.clear();
    file.spec.release = ReleaseSection::default();
    file
}

/// The methods that take part: those named, or the usual ones and the one that a spec asks for.
fn entrants(named: &[String], algorithm: &AlgorithmSection) -> Result<Vec<RequestedMethod>> {
    let mut labels: Vec<String> = Vec::new();
    for name in named {
        match name.as_str() {
            "all" => labels.extend(MethodChoice::names().map(str::to_owned)),
            _ => labels.push(name.clone()),
        }
    }
    if labels.is_empty() {
        labels.extend(USUAL_METHODS.iter().map(|name| (*name).to_owned()));
        labels.push(methods::text(algorithm));
    }
    let mut entrants: Vec<RequestedMethod> = Vec::new();
    for label in labels {
        let method = methods::parse(&label, &[])?;
        if entrants.iter().all(|entrant| entrant.method != method) {
            entrants.push(RequestedMethod { label, method });
        }
    }
    Ok(entrants)
}

impl ComparisonRequest<'_> {
    /// The order in which methods have their turn: those that prove their cost last, because they take as long as they
    /// may, and whoever ends the comparison then has all the others.
    fn turns(&self) -> Vec<usize> {
        let mut turns: Vec<usize> = (0..self.entrants.len()).collect();
        turns.sort_by_key(|&row| self.entrants[row].proves());
        turns
    }

    /// Finds every result that is not known, until the user ends it.
    fn answer(
        &self,
        table: &mut TrialTable,
        cache: &mut TrialCache,
        found: &mut Comparison,
        control: &Control,
    ) -> Result<()> {
        let of = self.entrants.len() * self.ks.len();
        let limit = self.time_limit;
        // What is known is told even if the user ends it at once.
        for (row, entrant) in self.entrants.iter().enumerate() {
            for (at, &k) in self.ks.iter().enumerate() {
                let known = cache.get(&entrant.identity(), k, limit);
                found.results[row][at] = known.map(|trial| ComparedTrial { trial, cached: true });
            }
        }
        let mut number = 0;
        for row in self.turns() {
            let entrant = &self.entrants[row];
            for (at, &k) in self.ks.iter().enumerate() {
                number += 1;
                if found.results[row][at].is_some() {
                    continue;
                }
                if control.is_cancelled() {
                    found.interrupted = true;
                    return Ok(());
                }
                let name = format!("{}, k {k}", entrant.label);
                control.tell(Event::Part { name: name.clone(), number, of });
                let trial = match entrant.proves() {
                    true => table.trial(&entrant.method, k, limit, &patient(control, limit))?,
                    false => table.trial(&entrant.method, k, limit, control)?,
                };
                if trial.is_interrupted() {
                    found.interrupted = true;
                    return Ok(());
                }
                control.tell(Event::PartDone(format!("{name}: {}", in_short(&trial))));
                cache.put(&entrant.identity(), k, limit, &trial);
                found.results[row][at] = Some(ComparedTrial { trial, cached: false });
            }
        }
        Ok(())
    }
}

/// A result in a few words.
fn in_short(trial: &Trial) -> String {
    let cost = match trial.cost.filter(|_| trial.is_proven() || trial.bound.is_none()) {
        Some(cost) => format!(", cost {}", cost_text(cost)),
        None => String::new(),
    };
    format!("{}{cost}, {}", trial.in_words, seconds_text(trial.wall_seconds))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::open_input;
    use crate::spec::{ColumnSection, Role, Spec};

    #[test]
    fn a_comparison_is_told_kept_and_serialized() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("t.csv");
        let rows: String = (0..30).map(|at| format!("{},{}\n", at * 7 % 11, at % 3)).collect();
        std::fs::write(&table, format!("age,city\n{rows}")).unwrap();
        let columns = ["age", "city"].map(|name| ColumnSection::new(name, Role::Quasi)).to_vec();
        let file = SpecFile::from_options(Spec::new(&table, columns, 1)).unwrap();
        let asked = Compare::new()
            .with_methods(["optimal", "datafly"])
            .with_ks([5, 2])
            .with_time_limit(None)
            .with_keep(CacheLocation::In(folder.path().join("kept")));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hearer = heard.clone();
        let control = Control::new().with_listener(move |event| {
            if let Event::Part { name, number, of } = event {
                hearer.lock().unwrap().push(format!("{name} {number}/{of}"));
            }
        });
        let run = || asked.run(&file, &open_input(&file).unwrap(), &control).unwrap();
        let first = run();
        assert_eq!(first.ks, [2, 5]);
        assert_eq!(first.known(), (4, 0));
        // Provers come last.
        let told = ["datafly, k 2 1/4", "datafly, k 5 2/4", "optimal, k 2 3/4", "optimal, k 5 4/4"];
        assert_eq!(*heard.lock().unwrap(), told);
        assert!(first.reference(0).unwrap().proven);
        let again = run();
        assert_eq!(again.known(), (4, 4));
        assert_eq!(again.to_csv(), first.to_csv());
        assert_eq!(first.to_csv().lines().count(), 5);
        let json = serde_json::to_value(&again).unwrap();
        assert_eq!(
            (json["cached"].as_u64(), json["runs"][0]["outcome"].as_str()),
            (Some(4), Some("optimal"))
        );
        assert_eq!(json["time_limit"], serde_json::Value::Null);
        assert_eq!(first.tables().len(), 4);
    }

    #[test]
    fn usual_k_fit_the_table_and_those_asked_for_stay() {
        assert_eq!(Compare::new().fitting_ks(30), [2, 5, 10, 25]);
        assert_eq!(Compare::new().fitting_ks(1), [1]);
        assert_eq!(Compare::new().with_ks([50, 3, 50]).fitting_ks(10), [3, 50]);
        assert_eq!(BUILD.len(), 16);
    }
}
