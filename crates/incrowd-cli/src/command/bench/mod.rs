//! `bench`: benchmarks that anybody can run again.

mod classification;
mod local;
mod paper;
mod search;

use std::time::Duration;

use incrowd::{Metric, Outcome, Solution};
use incrowd_io::spec::{Bins, Column, Hierarchy, Role, Spec};
use incrowd_io::{Error, Follow, Job, Result, Series};

use super::{open_input, spec_of_options};
use crate::End;
use crate::args::{Adult, Bench, Coding, PaperMetric};
use crate::methods::parse;
use crate::progress::Bars;

pub(crate) fn bench(args: &Bench) -> Result<End> {
    match args {
        Bench::Paper(args) => paper::paper(args),
        Bench::Search(args) => search::search(args),
        Bench::Local(args) => local::local(args),
        Bench::Classification(args) => classification::classification(args),
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
struct Asked<'a> {
    method: &'a str,
    time_limit: Option<Duration>,
    chain: bool,
}

/// The Adult data with its ages taken in one of the two ways, for k up to the largest.
fn adult(
    args: &Adult,
    coding: Coding,
    largest: u64,
    asked: &Asked<'_>,
    bars: &Bars,
) -> Result<Series> {
    let mut columns: Vec<Column> = QUASI
        .iter()
        .map(|&name| {
            let mut column = Column::new(name, Role::Quasi);
            if name != "age" {
                column.hierarchy = Some(Hierarchy::File(args.files.hierarchy(name)));
            } else if coding == Coding::Coarse {
                column.bins = Some(Bins { width: 5.0, start: 16.0 });
            }
            column
        })
        .collect();
    columns.push(Column::new(CLASS, Role::Class));
    let mut spec = Spec::new(&args.files.data, columns, largest);
    spec.data.delimiter = Some(';');
    spec.algorithm.method = asked.method.to_owned();
    spec.algorithm.time_limit = asked.time_limit;
    spec.algorithm.threads = args.files.threads;
    let file = spec_of_options(spec)?;
    let source = open_input(&file)?;
    Series::new(&Job::new(&file, &source)?, &source, asked.chain, bars)
}

/// The written name of a choice.
fn name<T: clap::ValueEnum>(choice: T) -> String {
    choice.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
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

/// The user's Ctrl-C, as a search wants to hear of it.
struct Cancelled<'a>(&'a Bars);

impl incrowd::Stop for Cancelled<'_> {
    fn stop(&self) -> Option<incrowd::StopReason> {
        self.0.cancelled().then_some(incrowd::StopReason::Cancelled)
    }
}
