//! The question of a comparison, from its options.

use std::path::Path;

use incrowd_demo::{Census, SENSITIVE};
use incrowd_run::spec::{
    ColumnSection, Role, SpecFile,
    parsing::{parse_duration, parse_limit},
};
use incrowd_run::{
    Error, Result,
    compare::{CacheLocation, Compare},
    demo::SyntheticCensus,
};

use crate::args;
use crate::command::{spec_of, spec_of_options};

/// What a comparison is asked to do.
pub(super) struct CompareRequest {
    pub(super) file: SpecFile,
    pub(super) compare: Compare,
    /// Where made-up people are kept; gone with the comparison.
    _people: Option<SyntheticCensus>,
}

impl CompareRequest {
    pub(super) fn new(args: &args::CompareArgs) -> Result<Self> {
        let mut people = None;
        let mut file = match &args.input {
            None => {
                let census = Census::new(args.demo_rows, 1);
                demo(args, people.insert(SyntheticCensus::new(census)?))?
            }
            Some(path) if is_spec(path) => spec_file(args, path)?,
            Some(path) => from_options(args, path)?,
        };
        if let Some(limit) = &args.max_suppressed {
            file.spec.goal.max_suppressed = Some(parse_limit(limit)?);
        }
        if args.about.has("threads") {
            file.spec.algorithm.threads = args.about.spec(Path::new("-"))?.spec.algorithm.threads;
        }
        let keep = match (&args.cache, args.no_cache) {
            (_, true) => CacheLocation::Nothing,
            (None, false) => CacheLocation::Usual,
            (Some(folder), false) => CacheLocation::In(folder.clone()),
        };
        let mut compare = Compare::new()
            .with_methods(args.methods.clone())
            .with_ks(args.k.iter().copied())
            .with_keep(keep);
        match args.time_limit.as_deref() {
            Some("none") => compare = compare.with_time_limit(None),
            Some(text) => compare = compare.with_time_limit(Some(parse_duration(text)?)),
            None => {}
        }
        Ok(CompareRequest { file, compare, _people: people })
    }
}

fn is_spec(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// The question of a spec file, which says all about its table.
fn spec_file(args: &args::CompareArgs, path: &Path) -> Result<SpecFile> {
    if !args.quasi.is_empty() || !args.about.is_silent_but("threads") {
        return Err(Error::new(
            "options about table, columns, models and metric cannot be combined with a spec file",
        )
        .help("change the spec, or leave it out and give all of them as options"));
    }
    SpecFile::read(path)
}

fn from_options(args: &args::CompareArgs, input: &Path) -> Result<SpecFile> {
    if args.quasi.is_empty() {
        return Err(Error::new("no column is a quasi-identifier").help(
            "name the columns that others may know: --quasi age,sex,zip; or give a spec file",
        ));
    }
    spec_of(input, 1, &args.quasi, [args.about.keywords()])
}

/// The question about made-up people, with hierarchies of their columns.
fn demo(args: &args::CompareArgs, people: &SyntheticCensus) -> Result<SpecFile> {
    let mut quasi = args.quasi.clone();
    if quasi.is_empty() {
        quasi = people.census().quasi().into_iter().map(str::to_owned).collect();
    }
    let mut spec = spec_of(&people.input(), 1, &quasi, [args.about.keywords()])?.spec;
    people.give_hierarchies(&mut spec)?;
    if spec.column(SENSITIVE).is_none() && spec.columns_with(Role::Class).next().is_none() {
        spec.columns.push(ColumnSection::new(SENSITIVE, Role::Class));
    }
    spec_of_options(spec)
}
