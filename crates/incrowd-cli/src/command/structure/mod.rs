//! `structure`: balanced structures.

mod show;
mod survey;

use std::path::Path;

use incrowd::structure::{StructureOutcome, StructureSpec};
use incrowd::words::thousands;
use incrowd::{Control, StopReason};
use incrowd_io::spec::parse_duration;
use incrowd_io::{NearestOfTable, Result, nearest_of_table};
use serde_json::json;

use crate::progress::Bars;
use crate::{End, args};

pub(crate) fn structure(args: &args::Structure) -> Result<End> {
    let time_limit = args.time_limit.as_deref().map(parse_duration).transpose()?;
    let bars = Bars::new(args.printing.quiet || args.printing.json);
    if args.survey {
        return survey::survey(args.limit, time_limit, &bars.control, args.printing.json);
    }
    let control = bars.control.clone().with_time_limit(time_limit);
    let k = args.k.unwrap_or(2);
    match &args.table {
        Some(path) => nearest(args, path, k, &control),
        None => search(args, k, &control),
    }
}

/// Looks for a structure.
fn search(args: &args::Structure, k: u32, control: &Control) -> Result<End> {
    let largest = StructureSpec::largest(k, args.domains.clone());
    let spec = StructureSpec {
        rows: args.rows.unwrap_or(largest.rows),
        repeats: args.repeats.unwrap_or(1),
        blanks: args.blanks,
        ..largest
    };
    let answer = spec.search(args.limit, control)?;
    let found = match &answer.outcome {
        StructureOutcome::Found(structure) => Some(structure.checked(&spec)?),
        _ => None,
    };
    if args.printing.json {
        let (why, reason) = match &answer.outcome {
            StructureOutcome::Absent { why } => (why.clone(), None),
            StructureOutcome::Undecided { reason } => (None, Some(limit_in_words(*reason))),
            StructureOutcome::Found(_) => (None, None),
        };
        let text = json!({
            "outcome": word(&answer.outcome),
            "k": spec.k,
            "columns": spec.domains.len(),
            "domains": spec.domains,
            "rows": spec.rows,
            "repeats": spec.repeats,
            "blanks_per_row": spec.blanks(),
            "states": answer.states,
            "why": why.or(reason.map(str::to_owned)),
            "structure": found.map(|structure| &structure.rows),
        });
        sayln!("{text:#}");
    } else {
        show::answer(&spec, &answer);
    }
    Ok(end(&answer.outcome))
}

/// Maps a table to its closest structure.
fn nearest(args: &args::Structure, path: &Path, k: u32, control: &Control) -> Result<End> {
    let source = args.reading.open(path)?;
    let found = nearest_of_table(&source, &args.quasi, k, args.limit, control)?;
    let NearestOfTable { columns: names, values, rows, nearest, .. } = &found;
    let extra = nearest.blanks().saturating_sub(nearest.least_blanks);
    if args.printing.json {
        let shown = |row: &incrowd::structure::StructureRow| {
            let cell = |(column, cell): (usize, &Option<u32>)| {
                cell.map_or(incrowd::value::BLANK, |code| values[column][code as usize].as_str())
            };
            row.released.iter().enumerate().map(cell).collect::<Vec<_>>()
        };
        let released = nearest
            .structure
            .as_ref()
            .map(|structure| structure.rows.iter().map(shown).collect::<Vec<_>>());
        let found = nearest.structure.is_some();
        let text = json!({
            "outcome": if found { "found" } else { "undecided" },
            "k": k,
            "columns": names,
            "rows": rows,
            "blanks_per_row": found.then_some(nearest.blanks_per_row),
            "blanks": found.then_some(nearest.blanks()),
            "least_blanks": nearest.least_blanks,
            "extra_blanks": found.then_some(extra),
            "proven": found && nearest.undecided.is_empty(),
            "undecided": nearest.undecided,
            "states": nearest.states,
            "released": released,
        });
        sayln!("{text:#}");
    } else {
        show::nearest(names, values, nearest);
    }
    Ok(match (&nearest.structure, nearest.stopped) {
        (_, Some(StopReason::Cancelled)) => End::Interrupted,
        (None, _) => End::Unmet,
        _ => End::Done,
    })
}

/// An outcome in a word.
fn word(outcome: &StructureOutcome) -> &'static str {
    match outcome {
        StructureOutcome::Found(_) => "found",
        StructureOutcome::Absent { .. } => "absent",
        StructureOutcome::Undecided { .. } => "undecided",
    }
}

fn limit_in_words(reason: Option<StopReason>) -> &'static str {
    match reason {
        None => "the search examined as many states as it may: see --limit",
        Some(StopReason::TimeLimit) => "its time was up",
        Some(StopReason::Cancelled) => "it was interrupted",
    }
}

fn end(outcome: &StructureOutcome) -> End {
    match outcome {
        StructureOutcome::Found(_) => End::Done,
        StructureOutcome::Undecided { reason: Some(StopReason::Cancelled) } => End::Interrupted,
        _ => End::Unmet,
    }
}

/// How many states, with the noun.
fn states(number: u64) -> String {
    format!("{} {}", thousands(number), if number == 1 { "state" } else { "states" })
}
