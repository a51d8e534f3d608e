//! `bench`: benchmarks that anybody can run again.

mod classification;
mod local;
mod paper;

use incrowd::{Method, Outcome, Solution};
use incrowd_io::{Error, Follow, Result};

use crate::End;
use crate::args::Bench;
use crate::progress::Bars;

pub(crate) fn bench(args: &Bench) -> Result<End> {
    match args {
        Bench::Paper(args) => paper::paper(args),
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

/// A method with options: `mondrian:cut=penalty:mode=relaxed`.
fn method_of(text: &str) -> Result<(String, Method)> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let options: Vec<(&str, &str)> = parts
        .map(|option| {
            option.split_once('=').ok_or_else(|| {
                Error::new(format!("`{option}` is not an option of a method"))
                    .help("write METHOD:OPTION=VALUE, such as mondrian:cut=penalty")
            })
        })
        .collect::<Result<_>>()?;
    Ok((text.to_owned(), Method::new(name, &options)?))
}

/// What to say of a method that found nothing.
fn unsolved(name: &str, solution: &Solution) -> Error {
    let why = match &solution.outcome {
        Outcome::Infeasible { why } => why.clone(),
        _ => "nothing was found in time".to_owned(),
    };
    Error::new(format!("{name}: {why}"))
}

/// A row of results as an object; numbers as such.
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

/// The user's Ctrl-C, as a search wants to hear of it.
struct Cancelled<'a>(&'a Bars);

impl incrowd::Stop for Cancelled<'_> {
    fn stop(&self) -> Option<incrowd::StopReason> {
        self.0.cancelled().then_some(incrowd::StopReason::Cancelled)
    }
}
