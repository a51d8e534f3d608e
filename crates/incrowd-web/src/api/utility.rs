//! What the release is still good for.

use std::sync::Arc;

use incrowd_assess::classify::{ClassificationOptions, ClassificationReport};
use incrowd_assess::queries::{CountAnswer, CountQuestion, ReleaseView, Workload};
use incrowd_assess::usefulness::UsefulnessOptions;
use incrowd_engine::{Control, Table, words};
use incrowd_run::assess::statistics_of_table;
use incrowd_run::spec::Role;
use incrowd_run::{Error, Result};
use serde::Deserialize;

use super::release::kept;
use super::risk::original;
use super::{NoFields, ResultAnswer, done};
use crate::session::{
    AnalystStatistics, FoundRelease, PredictionSummary, QuerySummary, Session, UtilityResult,
    UtilitySummary,
};

#[derive(Deserialize)]
pub(super) struct UtilityRequest {
    /// How many columns a question asks about.
    #[serde(default)]
    dimensions: Option<u32>,
    /// The column to predict.
    #[serde(default)]
    class: Option<String>,
}

/// Trees are grown from at most so many rows: more of them change little.
const ROWS: usize = 200_000;

/// Begins to ask random questions, and to predict a column.
pub(super) fn begin(session: &Arc<Session>, asked: UtilityRequest) -> Result<NoFields> {
    let kept = kept(session)?;
    let question = kept.question.clone();
    session.begin_aside(
        "use",
        move |session, control| {
            let (_, opened) = session.file()?;
            let problem = kept.found.problem();
            let release = kept.found.release().ok_or_else(|| Error::new("there is no release"))?;
            let width = problem.attributes.len() as u32;
            let seen = ReleaseView::of_release(problem, release);
            let mut errors = Vec::new();
            let dimensions =
                asked.dimensions.map_or_else(|| (1..=width.min(3)).collect(), |it| vec![it]);
            for dimensions in dimensions {
                let workload = Workload { dimensions, ..Workload::default() };
                let found = workload.errors(problem, &seen)?;
                errors.push(QuerySummary { dimensions, errors: found });
            }
            if control.is_cancelled() {
                return Err(Error::interrupted());
            }
            let spec = &kept.file.spec;
            let usual = spec.columns_with(Role::Class).chain(spec.columns_with(Role::Sensitive));
            let statistics = match problem.rows <= ROWS as u64 {
                true => statistics(&kept, original(&kept, &opened.table)?, control),
                false => Err(Error::new(format!(
                    "statistics are compared for tables of up to {} rows",
                    words::thousands(ROWS as u64)
                ))),
            };
            // Questions and trees are told all the same.
            let (statistics, no_statistics) = match statistics {
                Ok(found) => (Some(found), None),
                Err(error) if error.is_interrupted() => return Err(error),
                Err(error) => (None, Some(error.message)),
            };
            let class = asked.class.or_else(|| usual.map(|column| column.name.clone()).next());
            let table = original(&kept, &opened.table)?;
            let predicted = match class.filter(|_| table.rows() <= ROWS) {
                None => None,
                Some(class) => {
                    let released = release.table_in_order(problem, table, &[&class])?;
                    let quasi: Vec<&str> =
                        problem.attributes.iter().map(|it| it.name.as_str()).collect();
                    let settings = ClassificationOptions::default();
                    let report = ClassificationReport::new(
                        &settings,
                        &released,
                        Some(table),
                        &quasi,
                        &class,
                    )?;
                    let original = report.original.as_ref();
                    Some(PredictionSummary {
                        class,
                        release: report.release.error,
                        original: original.map(|it| it.error),
                        baseline: original.map_or(report.release.baseline, |it| it.baseline),
                        with_suppressed: report.with_suppressed.map(|it| it.error),
                        rows: report.release.rows,
                    })
                }
            };
            let (queries, most_rows) = (errors, ROWS);
            Ok(UtilitySummary { queries, predicted, statistics, no_statistics, most_rows })
        },
        move |state, told| state.usefulness = Some(UtilityResult { question, told }),
    )?;
    done()
}

/// What analysts find in the release, and in its table.
fn statistics(kept: &FoundRelease, table: &Table, control: &Control) -> Result<AnalystStatistics> {
    let problem = kept.found.problem();
    let release = kept.found.release().ok_or_else(|| Error::new("there is no release"))?;
    let names = kept.job.columns.iter().map(|&(at, _)| kept.source.columns()[at].as_str());
    let others: Vec<&str> = names
        .filter(|name| problem.attributes.iter().all(|it| it.name != *name))
        .filter(|name| table.column(name).is_some())
        .collect();
    let released = release.table_in_order(problem, table, &others)?;
    let options = UsefulnessOptions::new();
    let (job, source) = (&kept.job, &kept.source);
    let found = statistics_of_table(job, problem, source, table, &released, &options, control)?;
    Ok(AnalystStatistics {
        numbers: found.numbers,
        categories: found.categories,
        associations: found.associations,
        association_loss: found.association_loss,
        subgroups: kept.report.subgroups.clone(),
    })
}

#[derive(Deserialize)]
pub(super) struct CountRequest {
    question: String,
}

/// A question of somebody's own: the truth, and what the release says.
pub(super) fn count(session: &Arc<Session>, asked: CountRequest) -> Result<CountAnswer> {
    let CountRequest { question } = asked;
    let kept = kept(session)?;
    let question: CountQuestion = question.parse()?;
    let problem = kept.found.problem();
    let release = kept.found.release().ok_or_else(|| Error::new("there is no release"))?;
    Ok(question.ask(problem, &ReleaseView::of_release(problem, release))?)
}

/// What was found.
pub(super) fn show(session: &Arc<Session>, _: NoFields) -> Result<ResultAnswer<UtilitySummary>> {
    let state = session.state();
    Ok(match &state.usefulness {
        None => ResultAnswer { told: None, stale: false },
        Some(known) => {
            let stale = state.shown().is_none_or(|kept| kept.question != known.question);
            ResultAnswer { told: Some(known.told.clone()), stale }
        }
    })
}
