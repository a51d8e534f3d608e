//! Results as text.

use std::path::Path;

use incrowd_run::report::{RunSummary, TextStyle};
use incrowd_run::{Error, Result, RunReport, Warning};
use incrowd_term::{error_width, output_width, tell};

pub(crate) use incrowd_term::{CommandOutcome, json_answer, json_text, maybe, say, seconds, table};

use crate::args::RunOutputArgs;

/// Refuses to print a report between the bytes of something else.
pub(crate) fn one_on_stdout<'a>(
    json: bool,
    outputs: impl IntoIterator<Item = Option<&'a Path>>,
) -> Result<bool> {
    let taken = outputs.into_iter().flatten().any(|output| output == Path::new("-"));
    if taken && json {
        return Err(Error::new("--json and an output named `-` cannot share standard output")
            .help("write the output to a file, or leave out --json"));
    }
    Ok(taken)
}

/// How a run is printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunPrinter {
    json: bool,
    verbose: bool,
    /// Whether standard output holds something else.
    taken: bool,
    /// Lines that the command prints below it.
    below: usize,
}

impl RunPrinter {
    pub(crate) fn new(printing: &RunOutputArgs, taken: bool) -> Self {
        RunPrinter { json: printing.output.json, verbose: printing.verbose, taken, below: 0 }
    }

    /// With so many lines that the command prints below the run.
    pub(crate) fn above(self, below: usize) -> Self {
        RunPrinter { below, ..self }
    }

    /// Prints a run and says how it ended: the answer first, the warnings last.
    pub(crate) fn run(self, report: &RunReport) -> CommandOutcome {
        let summary = RunSummary::new(report);
        if self.json && !self.taken {
            self.warnings(&report.warnings);
            let text = json_answer("report", report);
            say(&format!("{}\n", text.unwrap_or_else(|e| format!("{{\"error\": \"{e}\"}}"))));
        } else {
            let width = if self.taken { error_width() } else { output_width() };
            let text = summary.text(self.style(width));
            if self.taken {
                tell(&text)
            } else {
                say(&text)
            }
            self.warnings(&report.warnings);
        }
        match report.metrics {
            _ if report.outcome.is_interrupted() => CommandOutcome::Interrupted,
            None => CommandOutcome::Unmet,
            // Written all the same, because the user asked to see it.
            _ if report.verdict.as_ref().is_some_and(|verdict| !verdict.holds) => {
                CommandOutcome::Unmet
            }
            _ => CommandOutcome::Done,
        }
    }

    fn style(self, width: Option<usize>) -> TextStyle {
        TextStyle { verbose: self.verbose, width, below: self.below }
    }

    /// Prints warnings to standard error.
    pub(crate) fn warnings(self, warnings: &[Warning]) {
        let style = TextStyle { verbose: self.verbose || self.json, ..self.style(error_width()) };
        let text = RunSummary::of_warnings(warnings).warnings_text(style);
        if !text.is_empty() {
            tell(&format!("{}{text}", if self.json { "" } else { "\n" }));
        }
    }
}
