//! What the status bar shows of the release that was found.

use incrowd_engine::auto::ReleaseKind;
use incrowd_run::spec::ContextAdvice;
use incrowd_run::{
    RunReport, SearchStatus, Warning,
    report::{RequirementResult, RunSummary, UnlinkedUnits},
};
use serde::Serialize;

use crate::session::{FoundRelease, SessionState};

/// The answer to the question of the spec.
#[derive(Serialize)]
pub(super) struct ReleaseSummary {
    /// Whether the question has changed since.
    stale: bool,
    /// Seconds of searching after which it was the best: the search goes on.
    so_far: Option<f64>,
    /// Whether it is written and verified.
    verified: bool,
    outcome: SearchStatus,
    in_words: String,
    /// The answer, the columns, the warnings and the details, as every front end prints them.
    summary: RunSummary,
    why: Option<String>,
    method: String,
    /// Why the method was chosen, where none was named.
    chosen: Option<String>,
    kind: ReleaseKind,
    metric: &'static str,
    cost: Option<f64>,
    bound: Option<f64>,
    gap: Option<f64>,
    proven: Option<String>,
    k: u64,
    achieved_k: Option<u64>,
    unit: String,
    rows: u64,
    released: u64,
    suppressed: u64,
    classes: usize,
    gcp: Option<f64>,
    highest: Option<f64>,
    average: Option<f64>,
    /// Whether there is a release.
    made: bool,
    repeatable: bool,
    nodes: u64,
    seconds: Option<f64>,
    requirements: Vec<RequirementResult>,
    context: Option<ContextAdvice>,
    unlinked: Option<UnlinkedUnits>,
    failing_rows: u64,
    notes: Vec<String>,
    warnings: Vec<Warning>,
}

impl ReleaseSummary {
    pub(super) fn of(state: &SessionState) -> Option<Self> {
        let kept = state.shown()?;
        let stale = state.question().as_ref() != Some(&kept.question);
        let verified =
            state.written.as_ref().is_some_and(|written| written.question == kept.question);
        Some(Self::new(kept, stale, verified))
    }

    fn new(kept: &FoundRelease, stale: bool, verified: bool) -> Self {
        let report: &RunReport = &kept.report;
        let after = report.picture().map(|picture| &picture.after);
        ReleaseSummary {
            stale,
            so_far: kept.so_far,
            verified,
            outcome: report.outcome,
            in_words: report.in_words.clone(),
            summary: RunSummary::new(report),
            why: report.why.clone(),
            method: report.method.clone(),
            chosen: report.auto.as_ref().map(|chosen| chosen.why.clone()),
            kind: report.kind,
            metric: report.metric,
            cost: report.cost,
            bound: report.bound,
            gap: report.gap,
            proven: report.proven.clone(),
            k: report.k,
            achieved_k: report.achieved_k,
            unit: report.unit.clone(),
            rows: report.rows,
            released: report.released,
            suppressed: report.suppressed,
            classes: report.classes,
            gcp: report.released_gcp,
            highest: after.map(|after| after.highest),
            average: after.map(|after| after.average),
            made: report.metrics.is_some(),
            repeatable: kept.found.is_repeatable(),
            nodes: report.nodes,
            seconds: kept.trace.last().map(|point| point.seconds),
            requirements: report.requirements.clone(),
            context: report.context.clone(),
            unlinked: report.unlinked,
            failing_rows: report.failing_rows,
            notes: report.notes.clone(),
            warnings: report.warnings.clone(),
        }
    }
}
