//! Arguments that follow from the table of options.

use std::marker::PhantomData;

use clap::builder::ValueRange;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use incrowd_run::Result;
use incrowd_run::spec::{KeywordValue, OptionEntry, OptionGroup, options, typed};

/// Which groups of options a command takes together.
pub(crate) trait OptionSet {
    const GROUPS: &'static [OptionGroup];
}

/// Declares arguments of some groups of options.
macro_rules! option_sets {
    ($( $(#[doc = $doc:literal])* $args:ident: $set:ident = [$($group:ident),+]; )+) => {$(
        $(#[doc = $doc])*
        pub(crate) type $args = OptionArgs<$set>;

        #[derive(Debug, Clone, PartialEq)]
        pub(crate) enum $set {}

        impl OptionSet for $set {
            const GROUPS: &'static [OptionGroup] = &[$(OptionGroup::$group),+];
        }
    )+};
}

option_sets! {
    /// How a file is read.
    FileReadArgs: FileOptions = [File];
    /// How a table is read, be it a file or of a database.
    TableReadArgs: TableOptions = [File, Database];
    /// Where a table is counted.
    InDatabaseArgs: InDatabaseOptions = [InDatabase];
    /// What is said about a table beyond its name and its quasi-identifiers.
    SpecArgs: SpecOptions = [Columns, Goal, Models, Risks, File, Database, Transforms];
    /// The models and risks beyond k.
    ModelArgs: ModelOptions = [Models, Risks];
    /// What becomes of columns that are no quasi-identifiers, and of rows that belong together.
    FinishingArgs: FinishingOptions = [Finishing];
    /// What is done to each value of a column, whatever its role, before anything else sees it.
    TransformArgs: TransformOptions = [Transforms];
    /// How one release is searched for and written.
    ReleaseArgs: ReleaseOptions = [Search, Output, InDatabase, Release, Finishing];
}

/// Options as keywords.
pub(crate) type Keywords = Vec<(String, KeywordValue)>;

/// Options of some groups, as they were typed.
#[derive(Debug, Clone)]
pub(crate) struct OptionArgs<S> {
    given: Vec<(OptionEntry, Vec<String>)>,
    set: PhantomData<S>,
}

impl<S: OptionSet> OptionArgs<S> {
    fn entries() -> impl Iterator<Item = OptionEntry> {
        options().into_iter().filter(|entry| S::GROUPS.contains(&entry.usage.group))
    }

    /// What was typed, as keywords.
    pub(crate) fn keywords(&self) -> Result<Keywords> {
        let typed = self.given.iter().map(|(entry, texts)| typed(entry, texts));
        Ok(typed.collect::<Result<Vec<_>>>()?.concat())
    }

    /// Whether an option was typed.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.given.iter().any(|(entry, _)| entry.key == key)
    }

    /// Whether nothing was typed but this option.
    pub(crate) fn is_silent_but(&self, key: &str) -> bool {
        self.given.iter().all(|(entry, _)| entry.key == key)
    }

    /// Lists of columns, as they were typed.
    pub(crate) fn column_lists(&mut self) -> impl Iterator<Item = &mut Vec<String>> {
        self.given
            .iter_mut()
            .filter(|(entry, _)| entry.is_list_of_columns())
            .map(|(_, texts)| texts)
    }
}

impl<S: OptionSet> Args for OptionArgs<S> {
    fn augment_args(command: Command) -> Command {
        let keys: Vec<&str> = Self::entries().map(|entry| entry.key).collect();
        let others: Vec<String> =
            command.get_arguments().map(|arg| arg.get_id().to_string()).collect();
        let known = |name: &str| keys.contains(&name) || others.iter().any(|other| other == name);
        Self::entries().fold(command, |command, entry| command.arg(arg(&entry, known)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: OptionSet> FromArgMatches for OptionArgs<S> {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let typed =
            |entry: &OptionEntry| matches.value_source(entry.key) == Some(ValueSource::CommandLine);
        let texts = |entry: OptionEntry| {
            let texts = match entry.usage.value {
                "" => Vec::new(),
                _ => matches.get_many(entry.key).into_iter().flatten().cloned().collect(),
            };
            (entry, texts)
        };
        Ok(OptionArgs {
            given: Self::entries().filter(typed).map(texts).collect(),
            set: PhantomData,
        })
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The argument of an option. It clashes with, and needs, only what the command has.
fn arg(entry: &OptionEntry, known: impl Fn(&str) -> bool) -> Arg {
    let usage = &entry.usage;
    let schema = entry.schema();
    let is_list = schema["type"] == "array" && !entry.is_of_columns();
    let is_model = schema["anyOf"].is_array() && entry.key != "max-suppressed";
    let mut help = entry.summary();
    help.truncate(help.trim_end_matches('.').len() + if help.ends_with("...") { 3 } else { 0 });
    if !usage.default.is_empty() {
        help.push_str(&format!(" [default: {}]", usage.default));
    }
    let mut arg = Arg::new(entry.key).long(entry.key).help(help);
    if let Some(heading) = usage.group.heading() {
        arg = arg.help_heading(heading);
    }
    if let Some(letter) = usage.short {
        arg = arg.short(letter);
    }
    if let Some(alias) = usage.alias {
        arg = arg.visible_alias(alias);
    }
    for name in usage.conflicts.iter().filter(|name| known(name)) {
        arg = arg.conflicts_with(*name);
    }
    if let Some(name) = usage.requires.filter(|name| known(name)) {
        arg = arg.requires(name);
    }
    if usage.value.is_empty() {
        return arg.action(ArgAction::SetTrue);
    }
    let takes_several =
        is_list || is_model || entry.is_of_columns() || usage.has_column || entry.key == "option";
    arg = arg.value_name(usage.value).action(match takes_several {
        true => ArgAction::Append,
        false => ArgAction::Set,
    });
    // Names of columns may hold commas: they are taken apart when the table is known.
    if is_list && !entry.is_list_of_columns() || is_short(entry, &schema) {
        arg = arg.value_delimiter(',');
    }
    match usage.value {
        "FILES" => arg.num_args(ValueRange::new(1..)),
        // A token such as -9 is no option.
        "TOKENS" => arg.allow_hyphen_values(true),
        _ => arg.allow_negative_numbers(true),
    }
}

/// Whether several values of an option of columns can stand behind one another: `age=most,zip=more`.
fn is_short(entry: &OptionEntry, schema: &serde_json::Value) -> bool {
    let is_number = ["integer", "number"].iter().any(|kind| schema["type"] == **kind);
    entry.is_of_columns() && (is_number || schema["oneOf"].is_array())
}
