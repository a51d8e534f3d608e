//! A recoding to be kept.

use incrowd_engine::recoding::SavedTarget;
use incrowd_engine::release::in_order_of_use;
use incrowd_engine::value::Scale;
use incrowd_engine::{Problem, Recoding, SavedRecoding};

use crate::Source;
use crate::plan::job::Job;

/// A recoding with all that is needed to apply it again.
pub(crate) fn saved(
    job: &Job,
    source: &Source,
    problem: &Problem,
    recoding: &Recoding,
) -> SavedRecoding {
    let sensitive = problem
        .targets
        .columns
        .iter()
        .enumerate()
        .filter(|(_, label)| job.problem.models.iter().any(|(name, _)| *name == label.name))
        .map(|(at, label)| SavedTarget {
            name: label.name.clone(),
            order: job.problem.targets[at].rule.order.clone(),
            hierarchy: problem
                .privacy
                .requirements
                .iter()
                .find(|requirement| requirement.column == at)
                .and_then(|requirement| requirement.background.hierarchy.as_ref())
                .map(incrowd_engine::Hierarchy::to_rows),
            decimal: comma(label.domain.scale()),
        })
        .collect();
    SavedRecoding {
        version: SavedRecoding::VERSION,
        k: problem.privacy.enough(),
        unit: job.problem.unit.as_ref().map(|unit| unit.name.clone()),
        wildcards: problem.privacy.wildcards,
        models: job.problem.models.clone(),
        count_missing: job.problem.count_missing,
        narrowing: problem.targets.narrowing().map(|column| column.name.clone()).collect(),
        sensitive,
        identifying: job.identifying.clone(),
        // Without its key, nobody could mask a column of new rows: it is left out of them.
        plain: job
            .plain_columns(source)
            .into_iter()
            .filter(|name| !source.place_of(name).is_ok_and(|place| source.is_disguised(place)))
            .collect(),
        missing: job.missing.clone(),
        treatments: source.treatments().to_vec(),
        attributes: problem.attributes.clone(),
        recoding: in_order_of_use(problem, recoding).into_owned(),
    }
}

/// The decimal sign of a column where it is a comma.
fn comma(scale: Option<&Scale>) -> Option<char> {
    match scale {
        Some(Scale::Numbers(format)) => Some(format.point()).filter(|point| *point == ','),
        _ => None,
    }
}
