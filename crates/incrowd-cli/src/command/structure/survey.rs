//! `structure --survey`: which balanced structures exist.

use std::time::Duration;

use incrowd_engine::Control;
use incrowd_engine::structure::{StructureExistence, SurveyEntry, survey_structures};
use incrowd_engine::words::thousands;
use incrowd_run::Result;
use serde_json::json;

use crate::CommandOutcome;

pub(super) fn survey(
    limit: u64,
    time_limit: Option<Duration>,
    control: &Control,
    json: bool,
) -> Result<CommandOutcome> {
    let survey = survey_structures(limit, time_limit, control)?;
    if json {
        show_json(&survey.entries);
    } else {
        show_text(&survey.entries);
    }
    Ok(if survey.interrupted { CommandOutcome::Interrupted } else { CommandOutcome::Done })
}

fn show_json(entries: &[SurveyEntry]) {
    let entries: Vec<_> = entries
        .iter()
        .map(|entry| {
            json!({
                "values": entry.spec.domains.first(),
                "k": entry.spec.k,
                "columns": entry.spec.domains.len(),
                "blanks_per_row": entry.spec.blanks(),
                "found": entry.rows(StructureExistence::Found),
                "absent": entry.rows(StructureExistence::Absent),
                "undecided": entry.rows(StructureExistence::Undecided),
                "states": entry.states,
            })
        })
        .collect();
    sayln!("{:#}", json!(entries));
}

/// A table that can stand in a document.
fn show_text(entries: &[SurveyEntry]) {
    let list = |rows: Vec<u32>| rows.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    sayln!(
        "| values | k | m | blanks per row | exists with rows | does not with rows | undecided | states |"
    );
    sayln!("| ---: | ---: | ---: | ---: | --- | --- | --- | ---: |");
    for entry in entries {
        let blanks = match entry.spec.blanks() as usize {
            blanks if blanks > entry.spec.domains.len() => "-".to_owned(),
            blanks => blanks.to_string(),
        };
        let absent = match entry.is_too_small() {
            true => format!("{} (only {} combinations)", entry.spec.step(), entry.spec.points()),
            false => list(entry.rows(StructureExistence::Absent)),
        };
        sayln!(
            "| {} | {} | {} | {blanks} | {} | {absent} | {} | {} |",
            entry.spec.domains.first().copied().unwrap_or(0),
            entry.spec.k,
            entry.spec.domains.len(),
            list(entry.rows(StructureExistence::Found)),
            list(entry.rows(StructureExistence::Undecided)),
            thousands(entry.states)
        );
    }
}
