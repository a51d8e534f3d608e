//! The search.

use std::sync::Arc;

use incrowd_engine::search::SelectedMethod;
use incrowd_run::{Error, Job, LocalTable, Result, RunPlan, open_input, report::Tracer};
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
        move |session, control, progress| {
            let source = open_input(&file)?;
            let job = Job::new(&file, &source)?;
            progress.ask(&file);
            let tracer = Tracer::new();
            let control = tracer.listen(control).with_incumbents();
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
            None => state.take_found(found),
        },
    )
}

/// Begins to make the best that the search has found so far a release to look at. The search goes on.
pub(super) fn so_far(session: &Arc<Session>, _: NoFields) -> Result<NoFields> {
    let work = session.work().filter(|work| work.kind == "search");
    let work = work.ok_or_else(|| {
        Error::new("no search is running").help("what the last one found is on the page Release")
    })?;
    let (file, best) = work.progress.best().ok_or_else(|| {
        Error::new("the search has nothing to show yet")
            .help("ask again in a moment; some methods tell what they found at the end only")
    })?;
    let seconds = work.progress.searching();
    session.begin_aside(
        "so-far",
        move |_, control| {
            let source = open_input(&file)?;
            let job = Job::new(&file, &source)?;
            let mut table = LocalTable::dry(&source);
            let plan = RunPlan::new(&job, &source);
            let found = plan.with_recoding(&mut table, &best, control)?;
            if found.release().is_none() {
                return Err(Error::new(
                    "the best so far is no release yet: it leaves out too much",
                )
                .help("ask again in a moment"));
            }
            let report = found.report(&job, &source, control)?;
            let (trace, points) = (Vec::new(), work.progress.points());
            let made = FoundRelease::new(file, job, source, found, report, trace, points);
            Ok((work.progress, made.found_after(seconds)))
        },
        |state, (progress, found)| {
            // The search may have ended meanwhile: then its own release is there.
            if state.work().is_some_and(|work| work.progress.is(&progress)) {
                state.show_so_far(Some(Arc::new(found)));
            }
        },
    )?;
    done()
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
    let found = session.state().shown().cloned();
    Ok(match found {
        None => TraceAnswer { points: Vec::new(), tried: None },
        Some(kept) => TraceAnswer { points: kept.points.clone(), tried: kept.report.auto.clone() },
    })
}
