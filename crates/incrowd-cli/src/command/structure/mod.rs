//! `structure`: balanced structures.

mod show;
mod survey;

use std::path::Path;

use incrowd_engine::structure::{StructureOutcome, StructureSpec};
use incrowd_engine::words::thousands;
use incrowd_engine::{Control, StopReason};
use incrowd_run::spec::parsing::parse_duration;
use incrowd_run::{
    Result,
    explore::{TableStructure, nearest_of_table, structure_facts},
};

use crate::progress::ProgressDisplay;
use crate::{CommandOutcome, args};

pub(crate) fn structure(args: &args::StructureArgs) -> Result<CommandOutcome> {
    let time_limit = args.time_limit.as_deref().map(parse_duration).transpose()?;
    let bars = ProgressDisplay::new(args.printing.quiet || args.printing.json);
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
fn search(args: &args::StructureArgs, k: u32, control: &Control) -> Result<CommandOutcome> {
    let largest = StructureSpec::largest(k, args.domains.clone());
    let spec = StructureSpec {
        rows: args.rows.unwrap_or(largest.rows),
        repeats: args.repeats.unwrap_or(1),
        blanks: args.blanks,
        ..largest
    };
    let answer = spec.search(args.limit, control)?;
    // What was found is checked, whether it is printed or shown.
    let facts = structure_facts(&spec, &answer)?;
    if args.printing.json {
        sayln!("{facts:#}");
    } else {
        show::answer(&spec, &answer);
    }
    Ok(end(&answer.outcome))
}

/// Maps a table to its closest structure.
fn nearest(
    args: &args::StructureArgs,
    path: &Path,
    k: u32,
    control: &Control,
) -> Result<CommandOutcome> {
    let source = args.reading.open(path)?;
    let found = nearest_of_table(&source, &args.quasi, k, args.limit, control)?;
    let TableStructure { columns: names, values, nearest, .. } = &found;
    if args.printing.json {
        sayln!("{:#}", found.to_json(k));
    } else {
        show::nearest(names, values, nearest);
    }
    Ok(match (&nearest.structure, nearest.stopped) {
        (_, Some(StopReason::Cancelled)) => CommandOutcome::Interrupted,
        (None, _) => CommandOutcome::Unmet,
        _ => CommandOutcome::Done,
    })
}

fn end(outcome: &StructureOutcome) -> CommandOutcome {
    match outcome {
        StructureOutcome::Found(_) => CommandOutcome::Done,
        StructureOutcome::Undecided { reason: Some(StopReason::Cancelled) } => {
            CommandOutcome::Interrupted
        }
        _ => CommandOutcome::Unmet,
    }
}

/// How many states, with the noun.
fn states(number: u64) -> String {
    format!("{} {}", thousands(number), if number == 1 { "state" } else { "states" })
}
