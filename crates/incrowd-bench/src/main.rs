//! The command `incrowd-bench`: benchmarks that anybody can run again. It is not installed with `incrowd`.
#![allow(clippy::print_stderr, reason = "this crate is a command")]

#[macro_use(sayln)]
extern crate incrowd_term;

mod args;
mod classification;
mod figures;
mod local;
mod paper;
mod recodings;
mod search;
mod sheet;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use incrowd_engine::{MethodChoice, Metric, Outcome, Solution};
use incrowd_run::spec::{
    ClassSummary, ColumnSection, Role, Spec, SpecFile,
    hierarchies::Hierarchy,
    parsing::{Bins, parse_delimiter},
};
use incrowd_run::{
    Error, Job, Result,
    data::{Input, ReadOptions, Source},
    explore::ParameterSweep,
    methods, open_input,
    report::ResultsFile,
};
use incrowd_term::{CommandOutcome, ProgressDisplay, json_text, table};

use crate::args::{AdultFiles, AgeCoding, Cli, ExperimentCommand, PaperMetric};

fn main() -> ExitCode {
    incrowd_term::exit_code(bench(&Cli::parse().bench))
}

fn bench(args: &ExperimentCommand) -> Result<CommandOutcome> {
    match args {
        ExperimentCommand::Paper(args) => paper::paper(args),
        ExperimentCommand::Search(args) => search::search(args),
        ExperimentCommand::Local(args) => local::local(args),
        ExperimentCommand::Recodings(args) => recodings::recodings(args),
        ExperimentCommand::Classification(args) => classification::classification(args),
        ExperimentCommand::Figures(args) => figures::figures(args),
    }
}

/// The quasi-identifiers of the Adult data, in the paper's order.
const QUASI: [&str; 8] = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
];

/// The class column of the Adult data.
const CLASS: &str = "salary-class";

impl From<PaperMetric> for Metric {
    fn from(metric: PaperMetric) -> Self {
        match metric {
            PaperMetric::Dm => Metric::Dm,
            PaperMetric::Cm => Metric::Cm,
        }
    }
}

/// How a series of questions is answered.
struct SolveOptions<'a> {
    method: &'a str,
    time_limit: Option<Duration>,
}

/// How ages are taken.
#[derive(Clone, Copy)]
struct AgeSettings {
    coding: AgeCoding,
    /// Whether they have their hierarchy.
    hierarchy: bool,
}

impl From<AgeCoding> for AgeSettings {
    fn from(coding: AgeCoding) -> Self {
        AgeSettings { coding, hierarchy: false }
    }
}

/// The Adult data, for k up to the largest.
fn adult(
    files: &AdultFiles,
    ages: AgeSettings,
    largest: u64,
    asked: &SolveOptions<'_>,
    bars: &ProgressDisplay,
) -> Result<ParameterSweep> {
    let mut columns: Vec<ColumnSection> = QUASI
        .iter()
        .map(|&name| {
            let mut column = ColumnSection::new(name, Role::Quasi);
            if name != "age" || ages.hierarchy {
                column.hierarchy = Some(Hierarchy::File(files.hierarchy(name)));
                // The papers release any run of neighbours, not nodes only.
                column.summary = Some(ClassSummary::Range);
            }
            if name == "age" && ages.coding == AgeCoding::Coarse {
                column.bins = Some(Bins { width: 5.0, start: 16.0 });
            }
            column
        })
        .collect();
    columns.push(ColumnSection::new(CLASS, Role::Class));
    let mut spec = Spec::new(&files.data, columns, largest);
    spec.data.delimiter = Some(';');
    spec.algorithm.method = asked.method.to_owned();
    spec.algorithm.time_limit = asked.time_limit;
    spec.algorithm.threads = files.threads;
    let file = SpecFile::from_options(spec)?;
    let source = open_input(&file)?;
    ParameterSweep::new(&Job::new(&file, &source)?, &source, false, &bars.control)
}

/// A method by the name that the results call it, with its options and some more.
fn parse(text: &str, more: &[(&str, &str)]) -> Result<(String, MethodChoice)> {
    Ok((text.to_owned(), methods::parse(text, more)?))
}

/// Opens a table as the options say.
fn open(path: &Path, delimiter: Option<&str>, threads: Option<u32>) -> Result<Source> {
    let delimiter = delimiter.map(parse_delimiter).transpose()?.map(|c| c as u8);
    let options =
        ReadOptions { delimiter, threads: threads.map(|n| n as usize), ..ReadOptions::default() };
    Source::open(&Input::from(path), &options)
}

/// The written name of a choice.
fn name<T: clap::ValueEnum>(choice: T) -> String {
    choice.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// Prints results as a table or as an array of objects.
fn print(header: &[&str], results: &ResultsFile, json: bool) -> Result<()> {
    let rows = results.rows().iter();
    if !json {
        sayln!("{}", table(header, rows.cloned()));
        return Ok(());
    }
    let lines: Vec<serde_json::Value> = rows.map(|row| as_json(header, row)).collect();
    sayln!("{}", json_text("results", &lines)?);
    Ok(())
}

/// A row of the results as an object; numbers as such.
fn as_json(header: &[&str], row: &[String]) -> serde_json::Value {
    let fields = header.iter().zip(row).map(|(name, field)| {
        let value = match serde_json::from_str::<serde_json::Number>(field) {
            Ok(number) => number.into(),
            Err(_) if field.is_empty() => serde_json::Value::Null,
            Err(_) => field.clone().into(),
        };
        ((*name).to_owned(), value)
    });
    serde_json::Value::Object(fields.collect())
}

/// What to say of a method that found nothing.
fn unsolved(name: &str, solution: &Solution) -> Error {
    let why = match &solution.outcome {
        Outcome::Infeasible { why } => why.clone(),
        _ => "nothing was found in time".to_owned(),
    };
    Error::new(format!("{name}: {why}"))
}
