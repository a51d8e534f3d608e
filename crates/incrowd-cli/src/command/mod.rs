//! The commands, one file each.

mod anonymize;
mod apply;
mod demo;
mod hierarchy;
mod look;
mod verify;

use std::path::Path;

use incrowd_io::spec::parse_delimiter;
use incrowd_io::{Error, Input, ReadOptions, Result, Source};

use crate::End;
use crate::args::{Command, Reading};

/// Runs a command.
pub(crate) fn run(command: Command) -> Result<End> {
    match command {
        Command::Demo(args) => demo::demo(&args),
        Command::Inspect(args) => look::inspect(&args),
        Command::Init(args) => look::init(&args),
        Command::Anonymize(args) => anonymize::anonymize(&args),
        Command::Run(args) => anonymize::run(&args),
        Command::Verify(args) => verify::verify(&args),
        Command::Apply(args) => apply::apply(&args),
        Command::Hierarchy(args) => hierarchy::hierarchy(&args),
    }
}

/// Opens a table as the options say.
fn open(path: &Path, delimiter: Option<&str>, threads: Option<u32>) -> Result<Source> {
    let delimiter = delimiter.map(parse_delimiter).transpose()?.map(|c| c as u8);
    let options =
        ReadOptions { delimiter, threads: threads.map(|n| n as usize), ..ReadOptions::default() };
    Source::open(&Input::from(path), &options)
}

impl Reading {
    fn open(&self, path: &Path) -> Result<Source> {
        open(path, self.delimiter.as_deref(), None)
    }

    /// The fields that mean "no value".
    fn missing(&self) -> Vec<String> {
        self.missing.clone().unwrap_or_else(|| incrowd::MISSING_TOKENS.map(str::to_owned).to_vec())
    }
}

/// The place of a column, or an error that suggests the nearest name.
fn column_of(source: &Source, name: &str) -> Result<usize> {
    source.columns().iter().position(|column| column == name).ok_or_else(|| {
        Error::new(format!("{} has no column `{name}`", source.name()))
            .help(incrowd_io::spec::suggest(name, source.columns().iter().map(String::as_str)))
    })
}

/// Runs something on so many threads.
fn on_threads<T: Send>(threads: Option<u32>, work: impl FnOnce() -> T + Send) -> Result<T> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads as usize)
        .build()
        .map_err(|e| Error::new(format!("cannot start {threads} threads: {e}")))?;
    Ok(pool.install(work))
}
