//! `inspect` and `init`: what is in a table.

use std::path::{Path, PathBuf};

use incrowd_assess::inspect::InspectOptions;
use incrowd_engine::Control;
use incrowd_run::assess::inspect_source;
use incrowd_run::spec::{SpecFile, first_spec::draft, is_database};
use incrowd_run::{
    Error, Result,
    data::{ColumnDetail, OutputFile, refuse_overwrite},
    treated,
};

use super::{open_or_count, open_untreated, spec_of};
use crate::CommandOutcome;
use crate::args::{InitArgs, InspectArgs};
use crate::inspect::render;

pub(crate) fn inspect(args: &InspectArgs) -> Result<CommandOutcome> {
    let given = [args.reading.keywords(), args.treating.keywords()];
    let file = spec_of(&args.input, 1, &[], given)?;
    let source = open_or_count(&file, &args.counting, |_| ColumnDetail::SharedValues)?;
    let source = treated(&file, source)?;
    for column in source.left() {
        super::tell(&format!("note: {}", column.note()));
    }
    let found = inspect_source(&source, &options(&file), &Control::new())?;
    if args.printing.json {
        sayln!("{}", crate::show::json_answer("report", &found)?);
    } else {
        sayln!("{}", render(&found, terminal_width()));
    }
    Ok(CommandOutcome::Done)
}

fn terminal_width() -> u16 {
    // What does not go to a terminal is read by people too.
    comfy_table::Table::new().width().unwrap_or(100).clamp(60, 160)
}

fn options(file: &SpecFile) -> InspectOptions {
    let dates = file.spec.date_formats();
    let options = InspectOptions::new().with_missing(file.spec.data.missing_tokens());
    options.with_dates(dates.general, dates.columns)
}

pub(crate) fn init(args: &InitArgs) -> Result<CommandOutcome> {
    if is_database(&args.input) {
        return Err(Error::new("init writes specs for files, and the input is a database").help(
            "`incrowd inspect --table` proposes roles; docs/guides/databases.md lists the \
             keys of a spec",
        ));
    }
    let target = args.output.clone().unwrap_or_else(|| default_target(&args.input));
    let to_stdout = target == Path::new("-");
    if !to_stdout && !args.force && target.exists() {
        return Err(Error::new(format!("{} already exists", target.display()))
            .help("name another file with -o, or replace it with --force"));
    }
    if !to_stdout {
        refuse_overwrite("the spec", &target, &[("the table", &args.input)])?;
    }
    let file = args.reading.spec(&args.input)?;
    let source = open_untreated(&file)?;
    let input = relative_to(&args.input, &target);
    let spec = draft(&source, &input, &options(&file), &Control::new())?;
    let file = OutputFile::create(&target)?;
    let file = if args.output.is_some() { file } else { file.in_place()? };
    file.fill(spec.text)?;
    if !to_stdout {
        sayln!("written       {}", target.display());
        sayln!("next          look at the roles in it, then: incrowd run {}", target.display());
    }
    Ok(CommandOutcome::Done)
}

/// `patients.csv.gz` becomes `patients.toml`, beside it.
fn default_target(input: &Path) -> PathBuf {
    if input == Path::new("-") {
        return PathBuf::from("spec.toml");
    }
    let name =
        input.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let stem = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("spec");
    input.with_file_name(format!("{stem}.toml"))
}

/// The input as the spec should name it: relative to the spec's folder where it lies in it.
fn relative_to(input: &Path, spec: &Path) -> String {
    let folder = spec.parent().unwrap_or(Path::new(""));
    let shown = match input.strip_prefix(folder) {
        Ok(inside) => inside.to_owned(),
        Err(_) => std::path::absolute(input).unwrap_or_else(|_| input.to_owned()),
    };
    shown.display().to_string()
}
