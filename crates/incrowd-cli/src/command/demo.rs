//! `demo`: the main job on made-up data.

use incrowd_demo::Census;
use incrowd_engine::Control;
use incrowd_engine::words::thousands;
use incrowd_report::{RunPage, run_page};
use incrowd_run::{
    Job, LocalTable, Result, RunPlan,
    data::{OutputFile, Source},
    demo::{SyntheticCensus, side_by_side, write_census},
    methods,
};
use incrowd_term::first_rows;

use super::report::command;
use super::trace::TraceWriter;
use super::{open_input, spec_of_options};
use crate::args::DemoArgs;
use crate::progress::ProgressDisplay;
use crate::show::RunPrinter;
use crate::{CommandOutcome, show};

/// How many rows are shown before and after.
const SHOWN: usize = 2;

pub(crate) fn demo(args: &DemoArgs) -> Result<CommandOutcome> {
    let census = Census::new(args.rows, args.seed);
    let census = if args.wide { census.widened() } else { census };
    if let Some(target) = &args.write {
        write_census(&census, target, args.hierarchies.as_deref())?;
        return Ok(CommandOutcome::Done);
    }
    let taken = show::one_on_stdout(
        args.printing.output.json,
        [args.output.as_deref(), args.trace.as_deref()],
    )?;
    let people = SyntheticCensus::new(census)?;
    let quasi = people.census().quasi();
    let mut spec = people.spec(args.k);
    spec.algorithm.method = args.method.clone();
    spec.release.output =
        Some(args.output.clone().unwrap_or_else(|| people.folder().join("release.csv")));
    spec.release.report = (!args.no_report).then(|| args.report.clone());
    let file = spec_of_options(spec)?;
    let bars = ProgressDisplay::new(args.printing.output.quiet || args.printing.output.json);
    let source = open_input(&file)?;
    let job = Job::new(&file, &source)?;
    let trace = TraceWriter::new(args.trace.as_deref(), &job, &[], &bars)?;
    let page = job.report.as_deref().map(OutputFile::create).transpose()?;
    let mut backend = LocalTable::to_file(&source, job.output.as_deref())?;
    let staged = RunPlan::new(&job, &source).stage(&mut backend, &trace.control)?;
    let (trace, trace_file) = trace.write()?;
    let mut outputs: Vec<OutputFile> = trace_file.into_iter().collect();
    if let Some(page) = page {
        let told = RunPage::new(&file, &job, source.file_name(), &staged.report).with_trace(&trace);
        outputs.push(page.filled(run_page(
            &told.with_command(command(crate::command_line::typed().into_iter())),
        ))?);
    }
    let mut report = staged.commit(&mut backend, outputs)?;
    drop(bars);
    if args.output.is_none() {
        report.output = None;
    }
    let printer = RunPrinter::new(&args.printing, taken);
    if args.printing.output.json || taken {
        return Ok(printer.run(&report));
    }
    sayln!("{} made-up people (seed {}), k = {}", thousands(args.rows), args.seed, args.k);
    if report.metrics.is_some() {
        excerpt(&source, &quasi, args)?;
    }
    sayln!("");
    let end = printer.above(NEXT_STEPS.lines().count() + 1).run(&report);
    sayln!("\n{NEXT_STEPS}");
    Ok(end)
}

/// The same few people before and after.
fn excerpt(source: &Source, quasi: &[&str], args: &DemoArgs) -> Result<()> {
    let method = methods::parse(&args.method, &[])?;
    let shown = side_by_side(source, quasi, args.k, &method, &Control::new())?;
    if let Some((table, released)) = shown {
        sayln!("\nBefore\n{}", first_rows(&table, SHOWN));
        sayln!("\nAfter, the same people\n{}", first_rows(&released, SHOWN));
    }
    Ok(())
}

const NEXT_STEPS: &str = "Try next
  incrowd demo --write people.csv         the made-up table as a file
  incrowd inspect people.csv              who stands out in it
  incrowd init people.csv                 a spec to fill in, for incrowd run
  incrowd serve                           the same in a browser";
