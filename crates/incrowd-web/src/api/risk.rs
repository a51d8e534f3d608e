//! Who could be found, before and after.

use std::sync::Arc;

use incrowd_assess::risk::{AssessedTable, PopulationSize, RiskOptions, RiskReport, assess};
use incrowd_engine::{Control, Table};
use incrowd_run::{Error, Result};
use serde::Deserialize;

use super::release::kept;
use super::{NoFields, ResultAnswer, done};
use crate::session::{FoundRelease, RiskResult, Session};

#[derive(Deserialize)]
pub(super) struct RiskRequest {
    /// Rows that are found with a chance above this are at risk.
    #[serde(default)]
    threshold: Option<f64>,
    /// The share of the population that is in the table.
    #[serde(default)]
    fraction: Option<f64>,
    /// How many people the population has.
    #[serde(default)]
    people: Option<u64>,
}

/// Begins to look for risks.
pub(super) fn begin(session: &Arc<Session>, asked: RiskRequest) -> Result<NoFields> {
    let kept = kept(session)?;
    let threshold = asked.threshold.unwrap_or(1.0 / kept.report.k.max(1) as f64);
    let sampling = match (asked.fraction, asked.people) {
        (Some(fraction), _) => PopulationSize::Fraction(fraction),
        (None, Some(people)) => PopulationSize::People(people),
        (None, None) => PopulationSize::Unknown,
    };
    let missing = kept.job.missing.clone();
    let options =
        RiskOptions::new().with_threshold(threshold).with_missing(missing).with_sampling(sampling);
    let question = kept.question.clone();
    session.begin_aside(
        "risk",
        move |session, control| {
            let (_, opened) = session.file()?;
            let table = original(&kept, &opened.table)?;
            let quasi: Vec<String> =
                kept.found.problem().attributes.iter().map(|it| it.name.clone()).collect();
            let before = looked(table, &quasi, &options, control)?;
            let (released, names) = released(&kept, table)?;
            let after = looked(&released, &names, &options, control)?;
            Ok(RiskResult { threshold, before, after, journalist: kept.report.journalist.clone() })
        },
        move |state, told| state.risk = Some((question, told)),
    )?;
    done()
}

fn looked(
    table: &Table,
    quasi: &[String],
    options: &RiskOptions,
    control: &Control,
) -> Result<RiskReport> {
    Ok(assess(AssessedTable::of_table("table", table, quasi)?, None, options, control)?)
}

/// The rows that a release was made of.
pub(super) fn original<'a>(kept: &'a FoundRelease, opened: &'a Table) -> Result<&'a Table> {
    Ok(kept.rows(opened)?.table.as_ref().unwrap_or(opened))
}

/// The release as a table of its quasi-identifiers, and their names.
fn released(kept: &FoundRelease, table: &Table) -> Result<(Table, Vec<String>)> {
    let release = kept.found.release().ok_or_else(|| Error::new("there is no release"))?;
    let problem = kept.found.problem();
    let names = (0..problem.attributes.len()).flat_map(|at| release.names(at)).cloned().collect();
    Ok((release.table_in_order(problem, table, &[])?, names))
}

/// What was found.
pub(super) fn show(session: &Arc<Session>, _: NoFields) -> Result<ResultAnswer<RiskResult>> {
    let state = session.state();
    Ok(match &state.risk {
        None => ResultAnswer { told: None, stale: false },
        Some((question, told)) => {
            let stale = state.shown().is_none_or(|kept| kept.question != *question);
            ResultAnswer { told: Some(told.clone()), stale }
        }
    })
}
