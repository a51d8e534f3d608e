//! `demo`: the main job on made-up data.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use incrowd::{
    Algorithm, Control, Method, Problem, ProblemSpec, Release, Suppressed, Table, thousands,
};
use incrowd_io::spec::{Column, Role, Spec};
use incrowd_io::{Error, Job, OutputFile, Result, Source, read_table};

use super::report::Told;
use super::trace::Trace;
use super::{hierarchy_text, open_input, spec_of_options};
use crate::args::Demo;
use crate::progress::Bars;
use crate::{End, show};
use incrowd_demo::{Census, SENSITIVE};

/// How many rows are shown before and after.
const SHOWN: usize = 4;

pub(crate) fn demo(args: &Demo) -> Result<End> {
    let census = Census::new(args.rows, args.seed);
    let census = if args.wide { census.widened() } else { census };
    if let Some(target) = &args.write {
        return write(&census, target, args.hierarchies.as_deref());
    }
    let taken =
        show::one_on_stdout(args.printing.json, [args.output.as_deref(), args.trace.as_deref()])?;
    let folder = tempfile::tempdir()
        .map_err(|e| Error::new(format!("cannot make a temporary folder: {e}")))?;
    let input = folder.path().join("people.csv");
    let create = |path: &Path| File::create(path).map_err(|e| Error::file("write", path, &e));
    let mut file = BufWriter::new(create(&input)?);
    census
        .write_csv(&mut file)
        .and_then(|()| file.flush())
        .map_err(|e| Error::file("write", &input, &e))?;

    let quasi = census.quasi();
    let columns = quasi.iter().map(|name| Column::new(*name, Role::Quasi));
    let columns = columns.chain([Column::new(SENSITIVE, Role::Sensitive)]).collect();
    let mut spec = Spec::new(&input, columns, args.k);
    spec.algorithm.method = args.method.clone();
    spec.release.output =
        Some(args.output.clone().unwrap_or_else(|| folder.path().join("release.csv")));
    spec.release.report = (!args.no_report).then(|| args.report.clone());
    let file = spec_of_options(spec)?;
    let bars = Bars::new(args.printing.quiet || args.printing.json);
    let source = open_input(&file)?;
    let job = Job::new(&file, &source)?;
    let trace = Trace::new(args.trace.as_deref(), &job, &[], &bars)?;
    let page = job.report.as_deref().map(OutputFile::create).transpose()?;
    let mut report = incrowd_io::run(&job, &source, &trace.control)?;
    let trace = trace.write()?;
    if let Some(page) = page {
        let told = Told { file: &file, source: &source, job: &job, report: &report, trace };
        super::report::write(page, &told)?;
    }
    drop(bars);
    if args.output.is_none() {
        report.output = None;
    }
    if args.printing.json || taken {
        return Ok(show::run(&report, args.printing.json, taken));
    }
    sayln!("{} made-up people (seed {}), k = {}", thousands(args.rows), args.seed, args.k);
    if report.metrics.is_some() {
        excerpt(&source, &quasi, args)?;
    }
    let end = show::run(&report, false, false);
    if let Some(verdict) = report.verdict {
        sayln!("\n{verdict}");
    }
    sayln!("\n{}", next_steps(&quasi));
    Ok(end)
}

/// The same few people before and after.
fn excerpt(source: &Source, quasi: &[&str], args: &Demo) -> Result<()> {
    let table = read_table(source, None, &Control::new())?;
    let spec = quasi.iter().fold(ProblemSpec::new(args.k), |spec, name| spec.quasi(name));
    let problem = Problem::of_table(&spec, &table)?;
    let solution = Method::new(&args.method, &[])?.solve(&problem, &Control::new())?;
    let Some(recoding) = solution.recoding else { return Ok(()) };
    let release = Release::new(&problem, &recoding, Suppressed::Blank);
    let released = release.table(&problem, &table, &[])?;
    sayln!("\nBefore\n{}", few_rows(&table));
    sayln!("\nAfter, the same people\n{}", few_rows(&released));
    Ok(())
}

fn few_rows(table: &Table) -> comfy_table::Table {
    let mut shown = comfy_table::Table::new();
    shown.load_style(comfy_table::presets::NOTHING);
    shown.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    if shown.width().is_none() {
        shown.set_width(160);
    }
    shown.set_header(table.columns().iter().map(|column| column.name.as_str()));
    for row in 0..table.rows().min(SHOWN) {
        shown.add_row(table.columns().iter().map(|column| column.value(row)));
    }
    shown
}

fn next_steps(quasi: &[&str]) -> String {
    let quasi = quasi.join(",");
    format!(
        "Try next\n  \
         incrowd demo --write people.csv             the made-up table as a file\n  \
         incrowd inspect people.csv                  who stands out in it\n  \
         incrowd anonymize people.csv -k 10 --quasi {quasi} \\\n      \
         --sensitive {SENSITIVE} -o release.csv         a release of your own\n  \
         incrowd verify release.csv -k 10 --quasi {quasi} --original people.csv"
    )
}

fn write(census: &Census, target: &Path, hierarchies: Option<&Path>) -> Result<End> {
    let mut file = OutputFile::create(target)?;
    let mut out = BufWriter::with_capacity(1 << 20, &mut file);
    census
        .write_csv(&mut out)
        .and_then(|()| out.flush())
        .map_err(|e| Error::file("write", target, &e))?;
    drop(out);
    file.commit()?;
    let Some(folder) = hierarchies else { return Ok(End::Done) };
    std::fs::create_dir_all(folder).map_err(|e| Error::file("make", folder, &e))?;
    for column in census.quasi() {
        let Some(rows) = Census::hierarchy(column) else { continue };
        let path = folder.join(format!("{column}.csv"));
        OutputFile::create(&path)?.fill(hierarchy_text(&rows)?)?;
    }
    Ok(End::Done)
}
