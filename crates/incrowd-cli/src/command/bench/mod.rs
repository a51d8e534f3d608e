//! `bench`: benchmarks that anybody can run again.

mod local;
mod paper;

use incrowd_io::Result;

use crate::End;
use crate::args::Bench;

pub(crate) fn bench(args: &Bench) -> Result<End> {
    match args {
        Bench::Paper(args) => paper::paper(args),
        Bench::Local(args) => local::local(args),
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
