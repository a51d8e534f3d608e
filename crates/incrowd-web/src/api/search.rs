//! The search.

use std::sync::Arc;

use incrowd_engine::search::SelectedMethod;
use incrowd_run::{Job, LocalTable, Result, RunPlan, open_input, report::Tracer};
use serde::Serialize;

use super::{NoFields, done};
use crate::project::ProjectRelease;
use crate::session::{FoundRelease, ProgressPoint, Session};

/// Begins to search for a release. What was found before stays until the search has ended.
pub(super) fn search(session: &Arc<Session>, _: NoFields) -> Result<NoFields> {
    begin(session)?;
    done()
}

pub(super) fn begin(session: &Arc<Session>) -> Result<()> {
    // What is wrong with the question is told at once.
    let (file, opened) = session.file()?;
    Job::new(&file, &opened.source).map(drop).or_else(|error| match is_renamed(&file) {
        true => Ok(()),
        false => Err(crate::session::without_lines(error)),
    })?;
    session.begin(
        "search",
        |session, control, progress| {
            let (file, _) = session.file()?;
            let source = open_input(&file)?;
            let job = Job::new(&file, &source)?;
            let tracer = Tracer::new();
            let control = tracer.listen(control);
            let mut table = LocalTable::dry(&source);
            let found = RunPlan::new(&job, &source).search(&mut table, &control)?;
            let points = progress.points();
            let trace = tracer.points();
            progress.phase("look");
            let report = found.report(&job, &source, &control.to_the_end())?;
            let found =
                Arc::new(FoundRelease::new(file, job, source, found, report, trace, points));
            let id = session.state().next_release();
            let made = found.report.metrics.is_some();
            let release = made.then(|| ProjectRelease::new(id, found.clone()));
            Ok((found, release))
        },
        |state, (found, release)| match release {
            Some(release) => state.keep(release),
            None => state.found = Some(found),
        },
    )
}

/// Whether columns get other names as they are read: then the open table does not know them.
fn is_renamed(file: &incrowd_run::SpecFile) -> bool {
    file.spec.columns.iter().any(|column| column.source.is_some())
}

/// How the last search went.
#[derive(Serialize)]
pub(super) struct TraceAnswer {
    points: Vec<ProgressPoint>,
    tried: Option<SelectedMethod>,
}

/// How the last search went.
pub(super) fn trace(session: &Arc<Session>, _: NoFields) -> Result<TraceAnswer> {
    let found = session.state().found.clone();
    Ok(match found {
        None => TraceAnswer { points: Vec::new(), tried: None },
        Some(kept) => TraceAnswer { points: kept.points.clone(), tried: kept.report.auto.clone() },
    })
}
