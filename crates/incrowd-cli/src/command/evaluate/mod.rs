//! `evaluate`: how useful a release is. One file for each way to measure it.

mod classification;
mod metrics;
mod queries;

use incrowd_run::Result;

use crate::CommandOutcome;
use crate::args::EvaluateCommand;

pub(crate) fn evaluate(args: &EvaluateCommand) -> Result<CommandOutcome> {
    match args {
        EvaluateCommand::Metrics(args) => metrics::metrics(args),
        EvaluateCommand::Statistics(args) => metrics::statistics(args),
        EvaluateCommand::All(args) => metrics::all(args),
        EvaluateCommand::Queries(args) => queries::queries(args),
        EvaluateCommand::Classification(args) => classification::classification(args),
    }
}
