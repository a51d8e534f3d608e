//! `structure --survey`: which balanced structures exist.

use std::time::Duration;

use incrowd::{Control, StopReason, StructureOutcome, StructureSpec, thousands};
use incrowd_io::Result;
use serde_json::json;

use super::{checked, word};
use crate::End;

/// Values in each column, and up to how many columns.
const GRIDS: [(u32, usize); 2] = [(2, 6), (3, 4)];
const KS: std::ops::RangeInclusive<u32> = 2..=4;

/// What was found out for one k and number of columns.
struct Entry {
    spec: StructureSpec,
    /// For each number of rows the outcome in a word.
    found: Vec<(u32, &'static str)>,
    states: u64,
}

pub(super) fn survey(
    limit: u64,
    time_limit: Option<Duration>,
    control: &Control,
    json: bool,
) -> Result<End> {
    let mut entries = Vec::new();
    let mut interrupted = false;
    for (size, most) in GRIDS {
        for (k, columns) in KS.flat_map(|k| (1..=most).map(move |columns| (k, columns))) {
            let largest = StructureSpec::largest(k, vec![size; columns]);
            let mut entry = Entry { found: Vec::new(), states: 0, spec: largest };
            let step = entry.spec.step();
            for rows in (1..=entry.spec.rows / step).map(|rounds| rounds * step) {
                let spec = StructureSpec { rows, ..entry.spec.clone() };
                let answer = spec.search(limit, &control.clone().with_time_limit(time_limit))?;
                if let StructureOutcome::Found(structure) = &answer.outcome {
                    checked(structure, &spec)?;
                }
                let cancelled = Some(StopReason::Cancelled);
                interrupted |= answer.outcome == StructureOutcome::Undecided { reason: cancelled };
                entry.found.push((rows, word(&answer.outcome)));
                entry.states += answer.states;
            }
            entries.push(entry);
        }
    }
    if json {
        show_json(&entries);
    } else {
        show_text(&entries);
    }
    Ok(if interrupted { End::Interrupted } else { End::Done })
}

impl Entry {
    /// The numbers of rows with that outcome.
    fn rows(&self, wanted: &str) -> Vec<u32> {
        self.found.iter().filter(|(_, word)| *word == wanted).map(|(rows, _)| *rows).collect()
    }

    /// Whether k * m rows are more than there are combinations.
    fn is_too_small(&self) -> bool {
        u64::from(self.spec.step()) > self.spec.points()
    }
}

fn show_json(entries: &[Entry]) {
    let entries: Vec<_> = entries
        .iter()
        .map(|entry| {
            json!({
                "values": entry.spec.domains.first(),
                "k": entry.spec.k,
                "columns": entry.spec.domains.len(),
                "blanks_per_row": entry.spec.blanks(),
                "found": entry.rows("found"),
                "absent": entry.rows("absent"),
                "undecided": entry.rows("undecided"),
                "states": entry.states,
            })
        })
        .collect();
    sayln!("{:#}", json!(entries));
}

/// A table that can stand in a document.
fn show_text(entries: &[Entry]) {
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
            false => list(entry.rows("absent")),
        };
        sayln!(
            "| {} | {} | {} | {blanks} | {} | {absent} | {} | {} |",
            entry.spec.domains.first().copied().unwrap_or(0),
            entry.spec.k,
            entry.spec.domains.len(),
            list(entry.rows("found")),
            list(entry.rows("undecided")),
            thousands(entry.states)
        );
    }
}
