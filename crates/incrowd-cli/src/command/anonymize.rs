//! `anonymize` and `run`: one run, from options or from a spec file.

use std::path::Path;

use incrowd_io::spec::{
    Column, Hierarchy, OptionValue, Role, RowOrder, Spec, SpecFile, parse_assignment, parse_bins, parse_delimiter,
    parse_duration, parse_limit, write_spec,
};
use incrowd_io::{COMMAND_LINE, Error, Job, ReadOptions, Result, Source, input_of, order_warning};

use super::on_threads;
use crate::args::{Anonymize, Printing, Run};
use crate::progress::Bars;
use crate::{End, models, show};

pub(crate) fn anonymize(args: &Anonymize) -> Result<End> {
    let spec = spec(args)?;
    let file = SpecFile::from_spec(spec, Path::new(COMMAND_LINE))
        // The user wrote options, not the spec that they stand for.
        .map_err(|error| Error { snippet: None, place: None, ..error })?;
    if args.show_spec {
        print!("{}", write_spec(&file.spec));
        return Ok(End::Done);
    }
    execute(&file, &args.printing)
}

pub(crate) fn run(args: &Run) -> Result<End> {
    let mut file = SpecFile::read(&args.spec)?;
    if let Some(output) = &args.output {
        // Given on the command line, it is relative to here, not to the spec.
        let absolute = if output == Path::new("-") { Ok(output.clone()) } else { std::path::absolute(output) };
        file.spec.release.output = Some(absolute.map_err(|e| Error::file("find", output, &e))?);
    }
    execute(&file, &args.printing)
}

fn execute(file: &SpecFile, printing: &Printing) -> Result<End> {
    let spec = &file.spec;
    let bars = Bars::new(printing.quiet || printing.json);
    let options = ReadOptions {
        delimiter: spec.data.delimiter.map(|c| c as u8),
        threads: spec.algorithm.threads.map(|n| n as usize),
        ..ReadOptions::default()
    };
    let source = Source::open(&input_of(file), &options)?;
    let job = Job::new(file, &source)?;
    if let Some(warning) = order_warning(job.order) {
        eprintln!("warning: {warning}");
    }
    if spec.release.report.is_some() {
        eprintln!("warning: this version does not write reports yet");
    }
    let to_stdout = job.output.as_deref() == Some(Path::new("-"));
    let report = on_threads(spec.algorithm.threads, || incrowd_io::run(&job, &source, &bars))??;
    drop(bars);
    if to_stdout && report.output.is_some() {
        // Standard output holds the release; nothing may be mixed into it.
        eprintln!("verified: {} rows in {} classes", report.released, report.classes);
        return Ok(if report.why.as_deref() == Some("it was interrupted") { End::Interrupted } else { End::Done });
    }
    Ok(show::run(&report, printing.json))
}

/// The spec that the options stand for.
fn spec(args: &Anonymize) -> Result<Spec> {
    let mut columns = Columns::default();
    for name in &args.quasi {
        columns.add(name, Role::Quasi)?;
    }
    for name in &args.identifying {
        columns.add(name, Role::Identifying)?;
    }
    for name in &args.sensitive {
        columns.add(name, Role::Sensitive)?;
    }
    if let Some(name) = &args.class
        && !args.sensitive.contains(name)
    {
        columns.add(name, Role::Class)?;
    }
    for text in &args.hierarchy {
        let (name, file) = parse_assignment(text)?;
        columns.get(&name, "--hierarchy")?.hierarchy = Some(Hierarchy::File(file.into()));
    }
    for text in &args.bins {
        let (name, bins) = parse_bins(text)?;
        columns.get(&name, "--bins")?.bins = Some(bins);
    }
    for text in &args.order {
        let (name, values) = parse_assignment(text)?;
        columns.get(&name, "--order")?.order = Some(values.split(',').map(str::to_owned).collect());
    }
    for text in &args.weight {
        let (name, weight) = parse_assignment(text)?;
        let weight = incrowd::parse_number(&weight)
            .ok_or_else(|| Error::new(format!("the weight `{weight}` of column `{name}` is not a number")))?;
        columns.get(&name, "--weight")?.weight = Some(weight);
    }
    for text in &args.types {
        let (name, kind) = parse_assignment(text)?;
        columns.get(&name, "--type")?.r#type = Some(kind.parse()?);
    }
    for text in &args.summary {
        let (name, summary) = parse_assignment(text)?;
        columns.get(&name, "--summary")?.summary = summary.parse()?;
    }
    let mut spec = Spec::new(&args.input, columns.0, args.k);
    spec.privacy = models::read(&args.models, args.k)?;
    spec.data.delimiter = args.reading.delimiter.as_deref().map(parse_delimiter).transpose()?;
    spec.data.missing = args.reading.missing.clone();
    spec.data.other = args.other.parse()?;
    spec.goal.metric = args.metric.parse()?;
    spec.goal.max_suppressed = args.max_suppressed.as_deref().map(parse_limit).transpose()?;
    spec.algorithm.method = args.method.clone();
    spec.algorithm.time_limit = args.time_limit.as_deref().map(parse_duration).transpose()?;
    spec.algorithm.seed = args.seed;
    spec.algorithm.threads = args.threads;
    for text in &args.option {
        let (name, value) = parse_assignment(text)?;
        spec.algorithm.options.insert(name, OptionValue::Text(value));
    }
    spec.release.output = args.output.clone();
    spec.release.recoding = args.recoding.clone();
    spec.release.delimiter = args.output_delimiter.as_deref().map(parse_delimiter).transpose()?;
    spec.release.suppressed = args.suppressed.parse()?;
    spec.release.order = match (args.keep_order, args.sort) {
        (true, _) => RowOrder::Keep,
        (_, true) => RowOrder::Sort,
        _ => RowOrder::Shuffle,
    };
    Ok(spec)
}

/// The columns that options have named so far.
#[derive(Default)]
struct Columns(Vec<Column>);

impl Columns {
    fn add(&mut self, name: &str, role: Role) -> Result<()> {
        if let Some(column) = self.0.iter().find(|column| column.name == name) {
            let message = if column.role == role {
                format!("column `{name}` is named twice as {role}")
            } else {
                format!("column `{name}` cannot be both {} and {role}", column.role)
            };
            return Err(Error::new(message).help("give every column one role"));
        }
        self.0.push(Column::new(name, role));
        Ok(())
    }

    fn get(&mut self, name: &str, option: &str) -> Result<&mut Column> {
        let known: Vec<String> = self.0.iter().map(|column| column.name.clone()).collect();
        self.0.iter_mut().find(|column| column.name == name).ok_or_else(|| {
            Error::new(format!("{option} speaks of column `{name}`, which has no role"))
                .help(incrowd_io::spec::suggest(name, known.iter().map(String::as_str)))
        })
    }
}
