//! The commands, one file each.

mod anonymize;
mod apply;
mod attack;
mod check;
mod checks;
mod column_lists;
mod compare;
mod database;
mod demo;
mod evaluate;
mod forms;
mod frontier;
mod hierarchy;
mod inspect;
mod methods;
mod plot;
#[cfg(test)]
mod reference;
mod report;
mod risk;
#[cfg(feature = "serve")]
mod serve;
mod shell;
mod sql;
mod structure;
mod trace;
mod verify;

use std::path::Path;

use incrowd_run::spec::{KeywordValue, OptionValue, Spec, SpecFile, parsing::parse_delimiter};
use incrowd_run::{
    Error, ErrorKind, Result,
    data::{ColumnDetail, ColumnFix, Input, ReadOptions, Source},
    detail_needed, input_of, on_threads, reading_of, treated,
};
use incrowd_term::tell;

use crate::CommandOutcome;
use crate::args::{Command, InDatabaseArgs, Keywords, OptionArgs, OptionSet};

/// Runs a command.
pub(crate) fn run(mut command: Command) -> Result<CommandOutcome> {
    column_lists::split(&mut command).and_then(|()| dispatch(command)).map_err(with_flags)
}

/// The same error with the options that fix it, where the library does not know of any.
fn with_flags(error: Error) -> Error {
    match error.kind {
        ErrorKind::Unseen => error.help(
            "suppress such rows with --unseen suppress, or anonymize the new table by itself",
        ),
        ErrorKind::NoRole if error.place.is_none() && error.snippet.is_none() => {
            error.help("name it in --quasi, --identifying, --sensitive, --class or --plain")
        }
        _ if !error.mends.is_empty() => {
            let line = mended(crate::command_line::typed().into_iter(), &error.mends);
            let help = error.help.clone().unwrap_or_default();
            error.help(format!("{help}; to go on, look at the roles and paste:\n{line}"))
        }
        _ => error,
    }
}

/// The command line as typed, with the roles that fix it.
fn mended(args: impl Iterator<Item = String>, mends: &[ColumnFix]) -> String {
    const ROLES: [&str; 6] =
        ["--quasi", "--identifying", "--sensitive", "--class", "--plain", "--accept"];
    // Who is protected may have a role as well.
    let roles = || mends.iter().filter(|mend| ![UNIT, LINKED, SAME_BOX, DROP].contains(&mend.role));
    let is_mended = |name: &str| roles().any(|mend| mend.column == name);
    let rest = |list: &str| -> String {
        list.split(',').filter(|name| !is_mended(name)).collect::<Vec<_>>().join(",")
    };
    let mut line = vec!["incrowd".to_owned()];
    let mut args = args.skip(1);
    // A column that had another role loses it.
    while let Some(arg) = args.next() {
        let (option, value) = match arg.split_once('=') {
            Some((option, value)) if ROLES.contains(&option) => (option, Some(value.to_owned())),
            _ if ROLES.contains(&&arg[..]) => (&arg[..], args.next()),
            _ => {
                line.push(report::quoted(&arg));
                continue;
            }
        };
        let left = value.map(|value| rest(&value)).unwrap_or_default();
        if !left.is_empty() {
            line.extend([option.to_owned(), report::quoted(&left)]);
        }
    }
    for option in ROLES {
        let named = mends.iter().filter(|mend| option.ends_with(&format!("-{}", mend.role)));
        let names: Vec<String> = named.map(|mend| listed(&mend.column)).collect();
        if !names.is_empty() {
            line.extend([option.to_owned(), report::quoted(&names.join(","))]);
        }
    }
    if let Some(mend) = mends.iter().find(|mend| mend.role == UNIT) {
        line.extend([format!("--{UNIT}"), report::quoted(&mend.column)]);
    }
    for mend in mends.iter().filter(|mend| mend.role == DROP) {
        line.extend(["--treat".to_owned(), report::quoted(&format!("{}={DROP}", mend.column))]);
    }
    for role in [LINKED, SAME_BOX] {
        if mends.iter().any(|mend| mend.role == role) {
            line.push(format!("--{role}"));
        }
    }
    line.join(" ")
}

/// What a column is to be that tells apart who is protected.
const UNIT: &str = "unit";
/// What rows are to be that a released column ties together.
const LINKED: &str = "linked";
/// What the rows of a unit are to share.
const SAME_BOX: &str = "same-box";
/// What becomes of a column whose values are replaced, so that it is not released.
const DROP: &str = "drop";

/// A name as it stands in a list of names: in quotes if it has a comma.
fn listed(name: &str) -> String {
    match name.contains([',', '"']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

/// What a key of a spec is called as an option.
const FLAGS: [(&str, &str); 4] = [
    ("role = \"quasi\"", "--quasi"),
    ("role = \"class\"", "--class COLUMN"),
    ("role = \"sensitive\"", "--sensitive COLUMN"),
    ("hierarchy = \"..\"", "--hierarchy"),
];

fn dispatch(command: Command) -> Result<CommandOutcome> {
    match command {
        Command::Demo(args) => demo::demo(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Init(args) => inspect::init(&args),
        Command::Anonymize(args) => anonymize::anonymize(&args),
        Command::Run(args) => anonymize::run(&args),
        Command::Frontier(args) => frontier::frontier(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Verify(args) => verify::verify(&args),
        Command::Check(args) => check::check(&args),
        Command::Risk(args) => risk::risk(&args),
        Command::Attack(args) => attack::attack(&args),
        Command::Goal(args) => forms::goal(&args),
        Command::Forms(args) => forms::forms(&args),
        Command::Record(args) => forms::record(&args),
        Command::Evaluate(args) => evaluate::evaluate(&args),
        Command::Apply(args) => apply::apply(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::serve(&args),
        Command::Sql(args) => sql::sql(&args),
        Command::Hierarchy(args) => hierarchy::hierarchy(&args),
        Command::Checks(args) => checks::checks(&args),
        Command::Methods(args) => methods::methods(&args),
        Command::Structure(args) => structure::structure(&args),
        Command::Plot(args) => plot::plot(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Manual(args) => shell::manual(&args),
    }
}

/// Opens a table as the options say.
fn open(path: &Path, delimiter: Option<&str>, threads: Option<u32>) -> Result<Source> {
    let delimiter = delimiter.map(parse_delimiter).transpose()?.map(|c| c as u8);
    let options =
        ReadOptions { delimiter, threads: threads.map(|n| n as usize), ..ReadOptions::default() };
    told(Source::open(&Input::from(path), &options)?)
}

/// Opens the table that a spec names, as it says.
fn open_input(file: &SpecFile) -> Result<Source> {
    treated(file, open_untreated(file)?)
}

/// The same, its columns as they are.
fn open_untreated(file: &SpecFile) -> Result<Source> {
    let data = &file.spec.data;
    if file.spec.is_of_database() {
        let threads = file.spec.algorithm.threads;
        return database::open(
            &data.input,
            data.relation().as_deref(),
            data.filter.as_deref(),
            threads,
        );
    }
    told(Source::open(&input_of(file), &reading_of(&file.spec))?)
}

/// Opens the table that options name, or counts it in its database where that is asked for.
fn open_or_count(
    file: &SpecFile,
    counting: &InDatabaseArgs,
    wanted: impl Fn(&str) -> ColumnDetail,
) -> Result<Source> {
    let data = &file.spec.data;
    if let Some(OptionValue::Text(top)) = file.spec.algorithm.options.get("top") {
        return Err(Error::new(format!("--top {top} names no column"))
            .help("write the column and a number: --top age=90"));
    }
    match (counting.has("in-database"), file.spec.is_of_database()) {
        (false, _) => open_untreated(file),
        (true, false) => Err(Error::new("--in-database is for tables of a database")
            .help("leave it out, or name a database: postgres://host/name")),
        (true, true) => {
            let wanted = |column: &str| detail_needed(file, column, wanted(column));
            database::count(&data.input, data.relation().as_deref(), data.filter.as_deref(), wanted)
        }
    }
}

/// Tells what people should know about how a table was taken.
fn told(source: Source) -> Result<Source> {
    for note in source.notes() {
        tell(&format!("note: {note}"));
    }
    Ok(source)
}

/// The spec that options stand for, checked like one that was read.
fn spec_of<const N: usize>(
    input: &Path,
    k: u64,
    quasi: &[String],
    given: [Result<Keywords>; N],
) -> Result<SpecFile> {
    let mut keywords = vec![("k".to_owned(), KeywordValue::Whole(k.into()))];
    if !quasi.is_empty() {
        keywords.push(("quasi".to_owned(), list(quasi)));
    }
    for given in given {
        keywords.extend(given?);
    }
    let input = input.to_string_lossy();
    SpecFile::from_typed(None, Some(&input), &keywords).map_err(with_options)
}

/// A spec that was made from options, checked in the same way.
fn spec_of_options(spec: Spec) -> Result<SpecFile> {
    SpecFile::from_options(spec).map_err(with_options)
}

/// Help that names a key names its option, too.
fn with_options(mut error: Error) -> Error {
    if let Some(help) = &mut error.help
        && let Some((_, flag)) = FLAGS.iter().find(|(key, _)| help.contains(key))
    {
        help.push_str(&format!(" (or {flag})"));
    }
    error
}

fn list(texts: &[String]) -> KeywordValue {
    KeywordValue::List(texts.iter().map(|text| KeywordValue::Text(text.clone())).collect())
}

impl<S: OptionSet> OptionArgs<S> {
    /// A spec in which nothing but these options is said of a table.
    fn spec(&self, input: &Path) -> Result<SpecFile> {
        spec_of(input, 1, &[], [self.keywords()])
    }

    /// Opens a table as the options say.
    fn open(&self, path: &Path) -> Result<Source> {
        open_untreated(&self.spec(path)?)
    }
}

/// Refuses to read two things from standard input.
fn one_from_stdin(one: (&str, &Path), other: (&str, Option<&Path>)) -> Result<()> {
    let stdin = Path::new("-");
    match one.1 == stdin && other.1 == Some(stdin) {
        false => Ok(()),
        true => Err(Error::new(format!(
            "{} and {} cannot both come from standard input",
            one.0, other.0
        ))
        .help("name a file for one of them")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_mended_by_roles() {
        let mend =
            |column: &str, role| ColumnFix { column: column.to_owned(), role, why: String::new() };
        let typed =
            ["/usr/bin/incrowd", "anonymize", "my table.csv", "-k", "5", "--quasi", "age,sex"];
        let args = || typed.iter().map(|&arg| arg.to_owned());
        let mends = [
            mend("id", "identifying"),
            mend("town", "quasi"),
            mend("Gehalt, brutto", "sensitive"),
            mend("name", "identifying"),
        ];
        assert_eq!(
            mended(args(), &mends),
            "incrowd anonymize 'my table.csv' -k 5 --quasi age,sex --quasi town --identifying id,name \
             --sensitive '\"Gehalt, brutto\"'"
        );
        // What had another role loses it.
        let more =
            args().chain(["--sensitive=town".to_owned(), "--plain".to_owned(), "x,id".to_owned()]);
        assert_eq!(
            mended(more, &mends[..2]),
            "incrowd anonymize 'my table.csv' -k 5 --quasi age,sex --plain x --quasi town --identifying id"
        );
    }
}
