//! `anonymize` and `run`: one run, from options or from a spec file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use incrowd_report::{RunPage, run_page};
use incrowd_run::spec::{OptionValue, Role, SpecFile, parsing::parse_assignment, write_spec};
use incrowd_run::{
    Error, Job, Result, RunPlan, RunReport,
    data::{OutputFile, Source},
};

use super::database::{DataLocation, tell_moved};
use super::report::command;
use super::trace::TraceWriter;
use super::{on_threads, spec_of};
use crate::args::{AnonymizeArgs, RunArgs, RunOutputArgs};
use crate::progress::ProgressDisplay;
use crate::show::RunPrinter;
use crate::{CommandOutcome, show};

pub(crate) fn anonymize(args: &AnonymizeArgs) -> Result<CommandOutcome> {
    let question = &args.question;
    let given = [question.about.keywords(), args.release.keywords()];
    let file = spec_of(&question.input, args.least.k, &question.quasi, given)?;
    if args.show_spec {
        sayln!("{}", write_spec(&file.spec));
        return Ok(CommandOutcome::Done);
    }
    execute(&file, args.trace.as_deref(), &args.printing)
}

pub(crate) fn run(args: &RunArgs) -> Result<CommandOutcome> {
    let mut file = SpecFile::read(&args.spec)?;
    if let Some(population) = &args.population {
        file.spec.data.population = Some(from_here(population)?);
    }
    if let Some(path) = &args.seed_file {
        file.spec.release.seed_file = Some(from_here(path)?);
    }
    for (names, role) in [
        (&args.quasi, Role::Quasi),
        (&args.identifying, Role::Identifying),
        (&args.sensitive, Role::Sensitive),
        (&args.plain, Role::Plain),
    ] {
        file.spec.give_role(names, role);
    }
    for name in &args.accept {
        let columns = file.spec.columns.iter_mut();
        let column = columns.into_iter().find(|column| column.name == *name).ok_or_else(|| {
            Error::new(format!("--accept {name}: this column has no role"))
                .help("give it a role, too: --plain or --sensitive")
        })?;
        column.accept = true;
    }
    if let Some(other) = &args.other {
        file.spec.data.other = Some(other.parse()?);
    }
    if args.unit.is_some() {
        file.spec.privacy.unit.clone_from(&args.unit);
    }
    let beyond = args.beyond.keywords()?;
    if !beyond.is_empty() {
        let other = file.spec.data.other;
        let base = write_spec(&file.spec);
        file.spec = SpecFile::from_typed(Some(&base), None, &beyond)?.spec;
        file.spec.data.other = other;
    }
    let release = &mut file.spec.release;
    if let Some(output) = &args.output {
        release.output = Some(from_here(output)?);
    }
    if let Some(report) = &args.report {
        release.report = Some(from_here(report)?);
    } else if args.no_report {
        release.report = None;
    } else if release.report.is_none() {
        release.report = release.output.as_deref().and_then(beside);
    }
    execute(&file, args.trace.as_deref(), &args.printing)
}

/// A path given on the command line, which is relative to here, not to the spec.
fn from_here(path: &Path) -> Result<PathBuf> {
    match path == Path::new("-") {
        true => Ok(path.to_owned()),
        false => std::path::absolute(path).map_err(|e| Error::file("find", path, &e)),
    }
}

/// Where the report of a release goes if nothing is said: `release.csv.gz` has `release.report.html`
/// beside it.
fn beside(release: &Path) -> Option<PathBuf> {
    let name = release.file_name()?.to_str().filter(|name| *name != "-")?;
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    Some(release.with_file_name(format!("{stem}.report.html")))
}

/// The file of a report. Where nobody has named it, it must not lead elsewhere.
fn report_file(path: &Path, job: &Job) -> Result<OutputFile> {
    let file = OutputFile::create(path)?;
    match job.output.as_deref().and_then(beside).as_deref() == Some(path) {
        true => file.in_place(),
        false => Ok(file),
    }
}

fn execute(
    file: &SpecFile,
    trace: Option<&Path>,
    printing: &RunOutputArgs,
) -> Result<CommandOutcome> {
    let spec = &file.spec;
    let on_stdout = show::one_on_stdout(
        printing.output.json,
        [
            spec.release.output.as_deref(),
            spec.release.recoding.as_deref(),
            spec.release.report.as_deref(),
            spec.release.internal_report.as_deref(),
            trace,
        ],
    )?;
    let bars = ProgressDisplay::new(printing.output.quiet || printing.output.json);
    let mut place = DataLocation::open(file, &bars.control)?;
    let file = &place.understood(file);
    let source = place.source(file)?;
    let job = Job::new(file, &source)?;
    let printer = RunPrinter::new(printing, on_stdout);
    let report = match release(file, &job, &source, trace, &mut place, &bars) {
        Ok(report) => report,
        Err(error) => {
            drop(bars);
            // The error says what to do; a run that ends well tells the warnings.
            if printing.verbose {
                printer.warnings(&job.warnings(&source));
            }
            return Err(error);
        }
    };
    drop(bars);
    let ended = printer.run(&report);
    if let Some(moved) = place.moved() {
        tell_moved(moved);
    }
    Ok(ended)
}

/// Makes a release and puts it under its name, with the files that belong to it.
fn release(
    file: &SpecFile,
    job: &Job,
    source: &Source,
    trace: Option<&Path>,
    place: &mut DataLocation,
    bars: &ProgressDisplay,
) -> Result<RunReport> {
    let written = file.path().map(|path| ("the spec", path));
    let taken: Vec<_> = [("the input", source.path())].into_iter().chain(written).collect();
    let trace = TraceWriter::new(trace, job, &taken, bars)?;
    let page = job.report.as_deref().map(|path| report_file(path, job)).transpose()?;
    let internal = job.internal_report.as_deref().map(OutputFile::create_private).transpose()?;
    let mut backend = place.backend(job, source, &trace.control)?;
    let plan = RunPlan::new(job, source);
    let stage = || plan.stage(&mut *backend, &trace.control);
    let staged = on_threads(file.spec.algorithm.threads, stage)??;
    let (trace, trace_file) = trace.write()?;
    let mut outputs: Vec<OutputFile> = trace_file.into_iter().collect();
    let told = RunPage::new(file, job, source.file_name(), &staged.report)
        .with_trace(&trace)
        .with_command(command(crate::command_line::typed().into_iter()));
    if let Some(page) = page {
        outputs.push(page.filled(run_page(&told))?);
    }
    if let Some(page) = internal {
        outputs.push(page.filled(run_page(&told.confidential()))?);
    }
    staged.commit(&mut *backend, outputs)
}

/// The options of the method; some have a short form, such as `--gap`.
pub(super) fn method_options(
    options: &[String],
    short: &[(&str, Option<&str>)],
) -> Result<BTreeMap<String, OptionValue>> {
    let short = short.iter().filter_map(|(name, value)| Some(format!("{name}={}", (*value)?)));
    let all: Vec<String> = options.iter().cloned().chain(short).collect();
    let all = assigned("--option", &all, parse_assignment)?;
    Ok(all.into_iter().map(|(name, value)| (name, OptionValue::Text(value))).collect())
}

/// The assignments of an option that may be given for several names, but once for each.
fn assigned<T>(
    option: &str,
    texts: &[String],
    parse: impl Fn(&str) -> Result<(String, T)>,
) -> Result<Vec<(String, T)>> {
    let all: Vec<(String, T)> = texts.iter().map(|text| parse(text)).collect::<Result<_>>()?;
    match (1..all.len()).find(|&at| all[..at].iter().any(|(name, _)| *name == all[at].0)) {
        None => Ok(all),
        Some(at) => Err(Error::new(format!("{option} is given twice for `{}`", all[at].0))
            .help("keep one of the two")),
    }
}
