//! Releases to choose from: what other methods and other k would cost.

use std::sync::Arc;
use std::time::Duration;

use incrowd_engine::auto::ReleaseKind;
use incrowd_run::spec::Role;
use incrowd_run::{
    Error, Result, SearchStatus, compare::Compare, explore::Trial, methods, open_input,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{NoFields, done};
use crate::session::{ReleaseAlternatives, SearchSpec, Session};

#[derive(Deserialize)]
pub(super) struct CompareRequest {
    #[serde(default)]
    methods: Vec<String>,
    #[serde(default)]
    ks: Vec<u64>,
    #[serde(default)]
    seconds: Option<f64>,
}

/// How long each search may take unless somebody says otherwise.
const SECONDS: f64 = 10.0;

/// Begins to compare. Without a choice: every kind of release by the method that suits it, an exact one, and a few k
/// about the present one.
pub(super) fn begin(session: &Arc<Session>, asked: CompareRequest) -> Result<NoFields> {
    let (file, _) = session.file()?;
    let spec = &file.spec;
    let levels = spec.columns_with(Role::Quasi).any(|column| column.hierarchy.is_some());
    // Quick ones first: the plane fills while the others search.
    let usual = ["mondrian", "auto:kind=levels", "auto:kind=global", "auto:kind=local", "optimal"];
    let methods: Vec<String> = match asked.methods.is_empty() {
        false => asked.methods,
        true => usual
            .into_iter()
            .filter(|name| levels || !name.ends_with("levels"))
            .map(str::to_owned)
            .collect(),
    };
    let k = spec.privacy.k;
    let mut ks = if asked.ks.is_empty() { vec![2, 3, 5, 10, 20, 50, k] } else { asked.ks };
    ks.sort_unstable();
    ks.dedup();
    let seconds = asked.seconds.filter(|it| it.is_finite() && *it > 0.0).unwrap_or(SECONDS);
    let limit = Duration::try_from_secs_f64(seconds.min(3600.0))
        .map_err(|e| Error::new(format!("this is not a time: {e}")))?;
    session.begin(
        "compare",
        move |session, control, _| {
            let (file, _) = session.file()?;
            let source = open_input(&file)?;
            let question = SearchSpec::of_any(&file.spec);
            let mut found = ReleaseAlternatives { question, comparisons: Vec::new() };
            for method in methods {
                let asked = Compare::new().with_methods([method]).with_ks(ks.iter().copied());
                let comparison = asked.with_time_limit(Some(limit)).run(&file, &source, control)?;
                let over = comparison.interrupted;
                found.comparisons.push(comparison);
                let so_far = Arc::new(found.clone());
                session.change(|state| state.alternatives = Some(so_far));
                if over {
                    break;
                }
            }
            Ok(())
        },
        |_, ()| {},
    )?;
    done()
}

/// What was found: one point for each method and k.
#[derive(Default, Serialize)]
pub(super) struct AlternativesAnswer {
    points: Vec<AlternativePoint>,
    metric: Option<&'static str>,
    rows: Option<u64>,
    /// Whether the question has changed since.
    stale: bool,
    interrupted: bool,
    time_limit: Option<String>,
}

/// A release as a point of the plane.
#[derive(Serialize)]
struct AlternativePoint {
    method: String,
    kind: Option<ReleaseKind>,
    k: u64,
    outcome: SearchStatus,
    in_words: String,
    why: Option<String>,
    cost: Option<f64>,
    bound: Option<f64>,
    gap: Option<f64>,
    suppressed: Option<u64>,
    classes: Option<u64>,
    achieved_k: Option<u64>,
    highest: Option<f64>,
    average: Option<f64>,
    gcp: Option<f64>,
    seconds: f64,
    /// Whether it is what the spec asks for.
    present: bool,
}

/// What was found.
pub(super) fn show(session: &Arc<Session>, _: NoFields) -> Result<AlternativesAnswer> {
    let (known, any, spec) = {
        let state = session.state();
        let spec = state.history.as_ref().map(|history| history.spec().clone());
        (state.alternatives.clone(), spec.as_ref().map(SearchSpec::of_any), spec)
    };
    let Some(known) = known else { return Ok(AlternativesAnswer::default()) };
    let mut points = Vec::new();
    for comparison in &known.comparisons {
        for (row, at, told) in comparison.places() {
            let Some(found) = told else { continue };
            let (label, k) = (&comparison.contenders[row].label, comparison.ks[at]);
            let present = spec.as_ref().is_some_and(|spec| {
                spec.privacy.k == k && methods::text(&spec.algorithm) == *label
            });
            points.push(point(label, k, &found.trial, comparison.rows, present));
        }
    }
    let first = known.comparisons.first();
    Ok(AlternativesAnswer {
        points,
        metric: first.map(|it| it.metric.name()),
        rows: first.map(|it| it.rows),
        stale: any.as_ref() != Some(&known.question),
        interrupted: known.comparisons.iter().any(|it| it.interrupted),
        time_limit: first.and_then(|it| it.time_limit.clone()),
    })
}

fn point(label: &str, k: u64, trial: &Trial, rows: u64, present: bool) -> AlternativePoint {
    let released = trial.suppressed.map(|gone| rows - gone);
    let average = trial
        .classes
        .zip(released)
        .map(|(classes, released)| classes as f64 / released.max(1) as f64);
    AlternativePoint {
        method: label.to_owned(),
        kind: kind_of(label),
        k,
        outcome: trial.outcome,
        in_words: trial.in_words.clone(),
        why: trial.why.clone(),
        cost: trial.cost,
        bound: trial.bound.or(trial.cost.filter(|_| trial.is_proven())),
        gap: trial.gap,
        suppressed: trial.suppressed,
        classes: trial.classes,
        achieved_k: trial.achieved_k,
        highest: trial.achieved_k.map(|k| 1.0 / k.max(1) as f64),
        average,
        gcp: trial.metrics.as_ref().map(|metrics| metrics.released_gcp),
        seconds: trial.wall_seconds,
        present,
    }
}

/// The kind of release that a method makes, by how it is written.
fn kind_of(label: &str) -> Option<ReleaseKind> {
    methods::parse(label, &[]).ok().map(|method| method.kind())
}

#[derive(Deserialize)]
pub(super) struct ChooseRequest {
    method: String,
    k: u64,
}

/// Takes a point into the spec, and searches for its release.
pub(super) fn choose(session: &Arc<Session>, asked: ChooseRequest) -> Result<NoFields> {
    let ChooseRequest { method, k } = asked;
    if session.work().is_some() {
        return Err(Error::new("another computation is running").help("wait for it, or stop it"));
    }
    let mut parts = method.split(':');
    let name = parts.next().unwrap_or_default();
    let options = parts.filter_map(|option| option.split_once('='));
    let (file, _) = session.file()?;
    let mut algorithm = serde_json::Map::new();
    // Options of the method before are none of this one.
    for old in file.spec.algorithm.options.keys() {
        algorithm.insert(old.clone(), Value::Null);
    }
    for (option, value) in options {
        algorithm.insert(option.to_owned(), json!(value));
    }
    algorithm.insert("method".to_owned(), json!(name));
    session.patch(&json!({ "privacy": { "k": k }, "algorithm": algorithm }))?;
    // A release that the project has is taken up, and not searched for again.
    if !session.has_answer() {
        super::search::begin(session)?;
    }
    done()
}
