//! `evaluate`: how useful a release is. One file for each way to measure it.

mod classification;
mod metrics;
mod queries;

use incrowd_run::Result;

use crate::CommandOutcome;
use crate::args::EvaluateCommand;

pub(crate) fn evaluate(args: &EvaluateCommand) -> Result<CommandOutcome> {
    match args {
        EvaluateCommand::Metrics(args) => metrics::metrics(args, false),
        EvaluateCommand::All(args) => metrics::metrics(args, true),
        EvaluateCommand::Queries(args) => queries::queries(args),
        EvaluateCommand::Classification(args) => classification::classification(args),
    }
}
