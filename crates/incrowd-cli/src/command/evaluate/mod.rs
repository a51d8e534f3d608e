//! `evaluate`: how useful a release is. One file for each way to measure it.

mod classification;
mod metrics;
mod queries;

use incrowd_run::Result;

use crate::End;
use crate::args::Evaluate;

pub(crate) fn evaluate(args: &Evaluate) -> Result<End> {
    match args {
        Evaluate::Metrics(args) => metrics::metrics(args, false),
        Evaluate::All(args) => metrics::metrics(args, true),
        Evaluate::Queries(args) => queries::queries(args),
        Evaluate::Classification(args) => classification::classification(args),
    }
}
