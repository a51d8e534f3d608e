//! `methods`: what there is to choose from.

use incrowd_engine::auto::{ReleaseKind, SearchEffort};
use incrowd_run::Result;
use incrowd_run::methods::{MethodEntry, catalogue, entry};
use incrowd_term::{json_answer, table};

use crate::CommandOutcome;
use crate::args::MethodsArgs;

/// Lists the methods, or explains one.
pub(super) fn methods(args: &MethodsArgs) -> Result<CommandOutcome> {
    match (&args.name, args.json) {
        (Some(name), true) => sayln!("{}", json_answer("method", &entry(name)?)?),
        (Some(name), false) => sayln!("{}", explained(&entry(name)?)),
        (None, true) => sayln!("{}", json_answer("methods", &catalogue())?),
        (None, false) => sayln!("{}", listed(&catalogue())),
    }
    Ok(CommandOutcome::Done)
}

/// The methods by kind, a line each.
fn listed(entries: &[MethodEntry]) -> String {
    let mut text =
        "You need not choose: auto does, by the kind of release and the effort.\n".to_owned();
    let line = |name: &str, about: &str| format!("  {name:<13}{about}\n");
    for entry in entries.iter().filter(|entry| entry.kind.is_none()) {
        text.push_str(&line(entry.name, entry.about));
    }
    for kind in ReleaseKind::ALL {
        text.push_str(&format!("\n--kind {kind}: {}\n", kind.about()));
        for entry in entries.iter().filter(|entry| entry.kind == Some(kind)) {
            text.push_str(&line(entry.name, entry.about));
        }
    }
    text.push_str("\n`incrowd methods NAME` explains one with its options; -m NAME uses it.");
    text
}

/// A method with its options.
fn explained(entry: &MethodEntry) -> String {
    let mut text = format!("{}: {}\n", entry.name, entry.about);
    match entry.kind {
        Some(kind) => text.push_str(&format!("kind {kind}: {}\n", kind.about())),
        None => {
            for kind in ReleaseKind::ALL {
                text.push_str(&format!("  --kind {:<10}{}\n", kind.name(), kind.about()));
            }
            for effort in SearchEffort::ALL {
                text.push_str(&format!("  --effort {:<8}{}\n", effort.name(), effort.about()));
            }
        }
    }
    if entry.options.is_empty() {
        text.push_str("\nIt has no options.\n");
    } else {
        let rows = entry.options.iter().map(|option| {
            let (name, values) = (option.name.to_owned(), option.values.clone());
            vec![name, values, option.default.clone(), option.about.to_owned()]
        });
        text.push_str(&format!("\n{}\n", table(&["option", "values", "default", "what"], rows)));
        if entry.kind.is_some() {
            let example = &entry.options[0];
            text.push_str(&format!(
                "\n-m {} --option {}={}\n",
                entry.name, example.name, example.default
            ));
        }
    }
    text.push_str(&format!("\nMore: {}", entry.page));
    text
}
