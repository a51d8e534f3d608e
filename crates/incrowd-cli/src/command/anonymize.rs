//! `anonymize` and `run`: one run, from options or from a spec file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use incrowd_report::{RunPage, run_page};
use incrowd_run::spec::{
    ColumnSection, DateFormats, Hierarchy, OptionValue, OtherColumns, Role, RowOrder, Spec,
    SpecFile, parse_assignment, parse_bins, parse_delimiter, parse_duration, parse_limit,
    write_spec,
};
use incrowd_run::{Error, Job, OutputFile, Result, RunPlan};
use incrowd_term::tell;

use super::database::DataLocation;
use super::report::command;
use super::trace::TraceWriter;
use super::{on_threads, spec_of_options};
use crate::args::{AnonymizeArgs, OutputArgs, ProblemArgs, RunArgs, SpecArgs};
use crate::progress::ProgressDisplay;
use crate::{CommandOutcome, models, show};

pub(crate) fn anonymize(args: &AnonymizeArgs) -> Result<CommandOutcome> {
    let spec = spec(args)?;
    let file = spec_of_options(spec)?;
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
            Error::new(format!("--accept {name}: nothing says what this column is"))
                .help("name its role, too: --plain or --sensitive")
        })?;
        column.accept = true;
    }
    if let Some(other) = &args.other {
        file.spec.data.other = Some(other.parse()?);
    }
    if args.unit.is_some() {
        file.spec.privacy.unit.clone_from(&args.unit);
    }
    args.beyond.write_into(&mut file.spec)?;
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

fn execute(file: &SpecFile, trace: Option<&Path>, printing: &OutputArgs) -> Result<CommandOutcome> {
    let spec = &file.spec;
    let on_stdout = show::one_on_stdout(
        printing.json,
        [
            spec.release.output.as_deref(),
            spec.release.recoding.as_deref(),
            spec.release.report.as_deref(),
            spec.release.internal_report.as_deref(),
            trace,
        ],
    )?;
    let bars = ProgressDisplay::new(printing.quiet || printing.json);
    let mut place = DataLocation::open(file, &bars.control)?;
    let file = &place.understood(file);
    let source = place.source(file)?;
    let job = Job::new(file, &source)?;
    let expected = job.warnings(&source);
    for warning in &expected {
        tell(&format!("warning: {warning}"));
    }
    let written = file.path().map(|path| ("the spec", path));
    let taken: Vec<_> = [("the input", source.path())].into_iter().chain(written).collect();
    let trace = TraceWriter::new(trace, &job, &taken, &bars)?;
    let page = job.report.as_deref().map(|path| report_file(path, &job)).transpose()?;
    let internal = job.internal_report.as_deref().map(OutputFile::create_private).transpose()?;
    let mut backend = place.backend(&job, &source, &trace.control)?;
    let plan = RunPlan::new(&job, &source);
    let stage = || plan.stage(&mut *backend, &trace.control);
    let staged = on_threads(spec.algorithm.threads, stage)??;
    let (trace, trace_file) = trace.write()?;
    let mut outputs: Vec<OutputFile> = trace_file.into_iter().collect();
    let told = RunPage::new(file, &job, source.file_name(), &staged.report)
        .with_trace(&trace)
        .with_command(command(crate::command_line::typed().into_iter()));
    if let Some(page) = page {
        outputs.push(page.filled(run_page(&told))?);
    }
    if let Some(page) = internal {
        outputs.push(page.filled(run_page(&told.confidential()))?);
    }
    let report = staged.commit(&mut *backend, outputs)?;
    drop((backend, bars));
    if let Some((out, into)) = place.moved() {
        tell(&format!("note: moved {out} bytes out of the database and {into} into it"));
    }
    for warning in report.warnings.iter().filter(|warning| !expected.contains(warning)) {
        tell(&format!("warning: {warning}"));
    }
    Ok(show::run(&report, printing.json, on_stdout))
}

/// The spec that the options stand for.
fn spec(args: &AnonymizeArgs) -> Result<Spec> {
    let mut spec = question(&args.question, args.least.k)?;
    spec.privacy.wildcards = args.wildcards;
    spec.goal.max_suppressed = args.max_suppressed.as_deref().map(parse_limit).transpose()?;
    spec.algorithm.method = args.method.clone();
    spec.algorithm.time_limit = args.time_limit.as_deref().map(parse_duration).transpose()?;
    spec.algorithm.seed = args.seed;
    spec.algorithm.prove = args.prove.then_some(true);
    let top = args.question.about.treating.top_of_method();
    let short = [
        ("kind", args.kind.as_deref()),
        ("effort", args.effort.as_deref()),
        ("gap", args.gap.as_deref()),
        ("top", top),
    ];
    spec.algorithm.options = method_options(&args.option, &short)?;
    spec.release.output = args.output.clone();
    spec.release.into = args.into.clone();
    spec.release.grant = args.grant.clone();
    spec.data.in_database = args.in_database;
    spec.release.recoding = args.recoding.clone();
    spec.release.report = args.report.clone();
    spec.release.internal_report.clone_from(&args.internal_report);
    spec.data.population = args.population.clone().or(spec.data.population);
    spec.data.earlier.clone_from(&args.earlier);
    spec.release.delimiter = args.output_delimiter.as_deref().map(parse_delimiter).transpose()?;
    spec.release.suppressed = args.suppressed.parse()?;
    spec.release.failing = args.failing.parse()?;
    spec.release.key_file.clone_from(&args.key_file);
    spec.release.seed_file.clone_from(&args.seed_file);
    args.beyond.write_into(&mut spec)?;
    spec.release.csv_safe = args.csv_safe;
    spec.release.ranges = args.ranges.as_deref().map(str::parse).transpose()?;
    spec.release.order = match (args.keep_order, args.sort) {
        (true, _) => RowOrder::Keep,
        (_, true) => RowOrder::Sort,
        _ => RowOrder::Shuffle,
    };
    Ok(spec)
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

/// The spec of a question, with nothing said about how it is answered.
pub(super) fn question(args: &ProblemArgs, k: u64) -> Result<Spec> {
    spec_about(&args.input, &args.quasi, &args.about, k)
}

/// The spec of a question about a table with these quasi-identifiers.
pub(super) fn spec_about(input: &Path, quasi: &[String], args: &SpecArgs, k: u64) -> Result<Spec> {
    let mut columns = NamedColumns::default();
    for name in quasi {
        columns.add(name, Role::Quasi)?;
    }
    for name in &args.identifying {
        columns.add(name, Role::Identifying)?;
    }
    for name in &args.sensitive {
        columns.add(name, Role::Sensitive)?;
    }
    if let Some(name) = &args.class {
        columns.add(name, Role::Class)?;
    }
    for name in &args.plain {
        columns.add(name, Role::Plain)?;
    }
    for (name, file) in assigned("--hierarchy", &args.hierarchy, parse_assignment)? {
        columns.get(&name, "--hierarchy")?.hierarchy = Some(Hierarchy::from_word(&file)?);
    }
    for (name, bins) in assigned("--bins", &args.bins, parse_bins)? {
        columns.get(&name, "--bins")?.bins = Some(bins);
    }
    for (name, values) in assigned("--order", &args.order, parse_values)? {
        columns.get(&name, "--order")?.order = Some(values);
    }
    for (name, weight) in assigned("--weight", &args.weight, parse_assignment)? {
        let weight = incrowd_engine::value::parse_number(&weight).ok_or_else(|| {
            Error::new(format!("the weight `{weight}` of column `{name}` is not a number"))
                .help("write a number above 0, such as --weight age=2.5")
        })?;
        columns.get(&name, "--weight")?.weight = Some(weight);
    }
    for (name, kind) in assigned("--type", &args.types, parse_assignment)? {
        columns.get(&name, "--type")?.r#type = Some(kind.parse()?);
    }
    for (name, summary) in assigned("--summary", &args.summary, parse_assignment)? {
        columns.get(&name, "--summary")?.summary = Some(summary.parse()?);
    }
    for (name, values) in assigned("--cut-at", &args.cut_at, parse_values)? {
        columns.get(&name, "--cut-at")?.cut_at = values;
    }
    for (name, values) in assigned("--never-cut-at", &args.never_cut_at, parse_values)? {
        columns.get(&name, "--never-cut-at")?.never_cut_at = values;
    }
    for (name, level) in assigned("--min-level", &args.min_level, parse_level)? {
        columns.get(&name, "--min-level")?.min_level = Some(level);
    }
    for (name, level) in assigned("--max-level", &args.max_level, parse_level)? {
        columns.get(&name, "--max-level")?.max_level = Some(level);
    }
    for (name, set) in assigned("--argus", &args.argus, parse_assignment)? {
        columns.get(&name, "--argus")?.argus = Some(set.parse()?);
    }
    for name in &args.accept {
        columns.get(name, "--accept")?.accept = true;
    }
    let dates = DateFormats::parse(&args.reading.date_format)?;
    for (name, form) in dates.columns {
        columns.get(&name, "--date-format")?.date_format = Some(form);
    }
    let mut spec = Spec::new(input, columns.0, k);
    spec.data.date_format = dates.general;
    spec.privacy = models::read(&args.models, k)?;
    spec.privacy.unit.clone_from(&args.unit);
    spec.data.population.clone_from(&args.models.risks.k_map);
    spec.data.table = args.reading.table.clone();
    spec.data.filter = args.reading.filter.clone();
    spec.data.delimiter = args.reading.delimiter.as_deref().map(parse_delimiter).transpose()?;
    spec.data.encoding = args.reading.encoding.clone();
    spec.data.sheet = args.reading.sheet.clone();
    spec.data.max_expansion = args.reading.max_expansion;
    spec.data.missing = args.reading.missing_only.clone();
    spec.data.missing_add = args.reading.missing.clone();
    spec.data.decimal = args.reading.decimal()?;
    spec.data.other = Some(match args.roles.as_deref() {
        Some("guess") => OtherColumns::Guess,
        Some(other) => {
            let error = Error::new(format!("roles cannot be {other:?}"));
            return Err(error.help("guess takes the roles that the values suggest; name others by --quasi, --plain, ..."));
        }
        None => args.other.parse()?,
    });
    spec.goal.metric = args.metric.parse()?;
    spec.algorithm.threads = args.threads;
    args.treating.write_into(&mut spec)?;
    spec.data.survey_weight.clone_from(&args.survey_weight);
    spec.weigh();
    Ok(spec)
}

/// Reads `column=LEVEL`.
fn parse_level(text: &str) -> Result<(String, u32)> {
    let (column, level) = parse_assignment(text)?;
    let number = level.parse().map_err(|_| {
        Error::new(format!("the level `{level}` of column `{column}` is not a whole number"))
            .help("levels count from 0, the values themselves: --max-level age=2")
    })?;
    Ok((column, number))
}

/// Reads `column=VALUE,VALUE,...`.
fn parse_values(text: &str) -> Result<(String, Vec<String>)> {
    let (column, values) = parse_assignment(text)?;
    Ok((column, values.split(',').map(str::to_owned).collect()))
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

/// The columns that options have named so far.
#[derive(Default)]
pub(super) struct NamedColumns(pub(super) Vec<ColumnSection>);

impl NamedColumns {
    pub(super) fn add(&mut self, name: &str, role: Role) -> Result<()> {
        if name.is_empty() {
            return Err(Error::new(format!("a name in the list of {role} columns is empty"))
                .help("separate names by single commas, without spaces"));
        }
        if let Some(column) = self.0.iter().find(|column| column.name == name) {
            let message = if column.role == role {
                format!("column `{name}` is named twice as {role}")
            } else {
                format!("column `{name}` cannot be both {} and {role}", column.role)
            };
            return Err(Error::new(message).help("give every column one role"));
        }
        self.0.push(ColumnSection::new(name, role));
        Ok(())
    }

    fn get(&mut self, name: &str, option: &str) -> Result<&mut ColumnSection> {
        let known: Vec<String> = self.0.iter().map(|column| column.name.clone()).collect();
        self.0.iter_mut().find(|column| column.name == name).ok_or_else(|| {
            Error::new(format!("{option} speaks of column `{name}`, which has no role"))
                .help(incrowd_run::spec::suggest(name, known.iter().map(String::as_str)))
        })
    }
}
