//! What a comparison is asked to do.

use std::path::Path;
use std::time::Duration;

use incrowd::{METHODS, Method};
use incrowd_io::spec::{
    Algorithm, Column, Hierarchy, Role, Spec, SpecFile, parse_duration, parse_limit,
};
use incrowd_io::{Error, Result, methods};

use crate::args::{Compare, DEFAULT_KS, DEFAULT_METHODS};
use crate::command::anonymize::spec_about;
use crate::command::{hierarchy_text, spec_of_options};
use incrowd_demo::{Census, SENSITIVE};

/// How long a search may take if nothing is said.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A method that takes part.
pub(super) struct Entrant {
    /// Its name with the options as given.
    pub(super) label: String,
    pub(super) method: Method,
}

impl Entrant {
    /// The method with all its options, those not given included.
    pub(super) fn identity(&self) -> String {
        format!("{:?}", self.method)
    }
}

/// What a comparison is asked to do.
pub(super) struct Asked {
    /// The question; its method and its k do not matter.
    pub(super) file: SpecFile,
    pub(super) entrants: Vec<Entrant>,
    /// Ascending.
    pub(super) ks: Vec<u64>,
    /// Whether the k were asked for, as opposed to the usual ones.
    chosen: bool,
    pub(super) time_limit: Option<Duration>,
    /// Where made-up people are kept; gone with the comparison.
    _folder: Option<tempfile::TempDir>,
}

impl Asked {
    pub(super) fn new(args: &Compare) -> Result<Self> {
        let mut folder = None;
        let mut file = match &args.input {
            None => demo(args, folder.insert(temporary()?).path())?,
            Some(path) if is_spec(path) => spec_file(args, path)?,
            Some(path) => spec_of_options(from_options(args, path)?)?,
        };
        if let Some(limit) = &args.max_suppressed {
            file.spec.goal.max_suppressed = Some(parse_limit(limit)?);
        }
        if args.about.threads.is_some() {
            file.spec.algorithm.threads = args.about.threads;
        }
        let entrants = entrants(&args.methods, &file.spec.algorithm)?;
        let time_limit = match args.time_limit.as_deref() {
            Some("none") => None,
            Some(text) => Some(parse_duration(text)?),
            None => file.spec.algorithm.time_limit.or(Some(TIME_LIMIT)),
        };
        let mut ks = if args.k.is_empty() { DEFAULT_KS.to_vec() } else { args.k.clone() };
        ks.sort_unstable();
        ks.dedup();
        file.spec.privacy.k = 1;
        // A method that any question can be put to; each entrant is asked by itself.
        let any = if file.spec.privacy.wildcards { "cells" } else { "optimal" };
        file.spec.algorithm.method = any.to_owned();
        file.spec.algorithm.options.clear();
        file.spec.release = incrowd_io::spec::Release::default();
        let chosen = !args.k.is_empty();
        Ok(Asked { file, entrants, ks, chosen, time_limit, _folder: folder })
    }

    /// Leaves out the usual k that a table of so many rows is too small for. Those that were asked for stay,
    /// and are told why they cannot be.
    pub(super) fn fit(&mut self, rows: u64) {
        if !self.chosen {
            self.ks.retain(|&k| k <= rows);
        }
        if self.ks.is_empty() {
            self.ks.push(rows);
        }
    }
}

fn is_spec(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// The question of a spec file, which says all about its table.
fn spec_file(args: &Compare, path: &Path) -> Result<SpecFile> {
    if !args.quasi.is_empty() || !args.about.is_silent() {
        return Err(Error::new(
            "a spec file says all about its table: options about the table, its columns, the models and the \
             metric do not go with it",
        )
        .help("change the spec, or leave it out and give all of them as options"));
    }
    SpecFile::read(path)
}

fn from_options(args: &Compare, input: &Path) -> Result<Spec> {
    if args.quasi.is_empty() {
        return Err(Error::new("no column is a quasi-identifier").help(
            "name the columns that could be matched with other data: --quasi age,sex,zip; or give a spec file",
        ));
    }
    spec_about(input, &args.quasi, &args.about, 1)
}

/// Made-up people in a folder, with hierarchies of their columns.
fn demo(args: &Compare, folder: &Path) -> Result<SpecFile> {
    let census = Census::new(args.demo_rows, 1);
    let input = folder.join("people.csv");
    census.write_file(&input).map_err(|e| Error::file("write", &input, &e))?;
    let mut quasi = args.quasi.clone();
    if quasi.is_empty() {
        quasi = census.quasi().into_iter().map(str::to_owned).collect();
    }
    let mut spec = spec_about(&input, &quasi, &args.about, 1)?;
    for column in spec.columns.iter_mut().filter(|column| column.role == Role::Quasi) {
        let Some(rows) = Census::hierarchy(&column.name) else { continue };
        // Bins and an order are the user's own way of taking a column.
        if column.hierarchy.is_some() || column.bins.is_some() || column.order.is_some() {
            continue;
        }
        let path = folder.join(format!("{}.csv", column.name));
        std::fs::write(&path, hierarchy_text(&rows)?)
            .map_err(|e| Error::file("write", &path, &e))?;
        column.hierarchy = Some(Hierarchy::File(path));
    }
    if spec.column(SENSITIVE).is_none() && spec.columns_with(Role::Class).next().is_none() {
        spec.columns.push(Column::new(SENSITIVE, Role::Class));
    }
    spec_of_options(spec)
}

fn temporary() -> Result<tempfile::TempDir> {
    tempfile::tempdir().map_err(|e| Error::new(format!("cannot make a temporary folder: {e}")))
}

/// The methods that take part: those named, or the usual ones and the one that a spec asks for.
fn entrants(named: &[String], algorithm: &Algorithm) -> Result<Vec<Entrant>> {
    let usual = || DEFAULT_METHODS.iter().map(|name| (*name).to_owned());
    let mut labels: Vec<String> = Vec::new();
    for name in named {
        match name.as_str() {
            "all" => labels.extend(METHODS.iter().map(|info| info.name.to_owned())),
            _ => labels.push(name.clone()),
        }
    }
    if labels.is_empty() {
        labels.extend(usual());
        labels.push(methods::text(algorithm));
    }
    let mut entrants: Vec<Entrant> = Vec::new();
    for label in labels {
        let method = methods::parse(&label, &[])?;
        if entrants.iter().all(|entrant| entrant.method != method) {
            entrants.push(Entrant { label, method });
        }
    }
    Ok(entrants)
}
