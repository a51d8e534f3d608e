//! `evaluate queries`: how far counts taken from a release are from the true ones.

use incrowd_assess::queries::Workload;
use incrowd_engine::Control;
use incrowd_engine::words::thousands;
use incrowd_run::Result;
use incrowd_run::assess::{QueryEvaluation, QueryOptions, queries_of};
use incrowd_run::spec::{
    hierarchies::Hierarchy,
    parsing::{parse_assignment, parse_share},
};

use crate::CommandOutcome;
use crate::args::QueriesArgs;
use crate::command::{one_from_stdin, open};

pub(super) fn queries(args: &QueriesArgs) -> Result<CommandOutcome> {
    one_from_stdin(("the release", &args.release), ("the original", Some(&args.original)))?;
    let original = open(&args.original, args.original_delimiter.as_deref(), None)?;
    let release = args.reading.open(&args.release)?;
    let workload = Workload {
        queries: args.queries,
        dimensions: args.dimensions,
        selectivity: parse_share(&args.selectivity)?,
        columns: args.columns.clone(),
        seed: args.seed,
    };
    let read = args.reading.spec(&args.release)?.spec;
    let mut options = QueryOptions::new(&args.quasi)
        .with_missing(read.data.missing_tokens())
        .with_dates(read.date_formats())
        .with_workload(workload);
    for text in &args.hierarchy {
        let (column, file) = parse_assignment(text)?;
        options = options.with_hierarchy(column, Hierarchy::from_word(&file)?);
    }
    let found = queries_of(&release, &original, &options, &Control::new())?;
    show(&found, args.printing.json)?;
    Ok(CommandOutcome::Done)
}

fn show(evaluation: &QueryEvaluation, json: bool) -> Result<()> {
    if json {
        sayln!("{}", crate::show::json_answer("result", evaluation)?);
        return Ok(());
    }
    let QueryEvaluation { rows, released, workload, errors, .. } = evaluation;
    sayln!("{:<14}{} of {} rows", "release", thousands(*released), thousands(*rows));
    let about = match workload.columns.as_slice() {
        [] => "the quasi-identifiers".to_owned(),
        columns => columns.join(", "),
    };
    sayln!(
        "{:<14}{} about {} of {about} (seed {}); {} about no rows passed over",
        "questions",
        thousands(errors.queries.into()),
        workload.dimensions,
        workload.seed,
        thousands(errors.empty.into())
    );
    sayln!("{:<14}{:.2} % of the rows on average", "asked for", 100.0 * errors.mean_selectivity);
    sayln!(
        "{:<14}median {:.2} %, mean {:.2} %",
        "error",
        100.0 * errors.median,
        100.0 * errors.mean
    );
    Ok(())
}
