//! `compare`: many methods, many k, one table and one page.

mod request;
mod show;

use std::path::Path;

use incrowd_report::{compare_chart, compare_page};
use incrowd_run::{
    Error, Result,
    data::{OutputFile, refuse_overwrite},
};
use incrowd_term::tell;

use super::open_input;
use super::report::command;
use crate::CommandOutcome;
use crate::args::CompareArgs;
use crate::progress::ProgressDisplay;
use crate::show::{json_answer, one_on_stdout};
use request::CompareRequest;

pub(crate) fn compare(args: &CompareArgs) -> Result<CommandOutcome> {
    let outputs = [args.report.as_deref(), args.svg.as_deref(), args.csv.as_deref()];
    let taken = one_on_stdout(args.printing.json, outputs)?;
    let asked = CompareRequest::new(args)?;
    let source = open_input(&asked.file)?;
    distinct(&outputs)?;
    let spec = asked.file.path().map(|path| ("the spec", path));
    let known: Vec<_> = [("the input", source.path())].into_iter().chain(spec).collect();
    let create = |what: &str, path: Option<&Path>| -> Result<Option<OutputFile>> {
        let Some(path) = path else { return Ok(None) };
        refuse_overwrite(what, path, &known)?;
        Ok(Some(OutputFile::create(path)?))
    };
    let page = create("the page", outputs[0])?;
    let svg = create("the chart", outputs[1])?;
    let csv = create("the table of results", outputs[2])?;
    let bars = ProgressDisplay::new(args.printing.quiet || args.printing.json);
    let found = asked.compare.run(&asked.file, &source, &bars.control)?;
    drop(bars);
    if let Some(file) = page {
        file.fill(compare_page(&found, Some(&command(crate::command_line::typed().into_iter()))))?;
    }
    svg.map_or(Ok(()), |file| file.fill(compare_chart(&found)))?;
    csv.map_or(Ok(()), |file| file.fill(found.to_csv()))?;
    if args.printing.json {
        sayln!("{}", json_answer("comparison", &found)?);
    } else if !taken {
        sayln!("{}", show::text(&found));
    }
    for note in &found.cache_notes {
        tell(&format!("note: {note}"));
    }
    Ok(if found.interrupted { CommandOutcome::Interrupted } else { CommandOutcome::Done })
}

/// No two outputs may be the same file.
fn distinct(outputs: &[Option<&Path>; 3]) -> Result<()> {
    let named: Vec<&Path> = outputs.iter().flatten().copied().collect();
    match (1..named.len()).find(|&at| named[..at].contains(&named[at])) {
        None => Ok(()),
        Some(at) => Err(Error::new(format!("two outputs are named {}", named[at].display()))
            .help("give every output a file of its own")),
    }
}
