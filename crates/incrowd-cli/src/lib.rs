//! The command `incrowd`, for the program of that name and for whatever else brings it along, such as the Python package.
#![allow(clippy::print_stderr, reason = "this crate is the terminal")]

#[macro_use(sayln)]
extern crate incrowd_term;

mod args;
mod command;
mod command_line;
mod gate;
mod inspect;
mod show;

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser};
use incrowd_run::Error;
use incrowd_term as progress;
use incrowd_term::CommandOutcome;

/// Runs a command line, the name of the program first, and tells its exit code: 0 done, 1 a requirement is not met,
/// 2 bad input, 75 try again later, 130 interrupted.
pub fn run(args: Vec<OsString>) -> u8 {
    command_line::remember(&args);
    if let Some(help) = args::help::asked(command_line::typed().into_iter()) {
        sayln!("{}", help.trim_end());
        return 0;
    }
    let json = args.iter().any(|arg| arg == "--json");
    let cli = match args::Cli::try_parse_from(&args).map_err(with_tip) {
        Ok(cli) => cli,
        Err(error) if json && error.use_stderr() => {
            let text = error.to_string();
            let (message, help) = text.split_once("\n\n").unwrap_or((&text, ""));
            let message = message.trim().trim_start_matches("error: ");
            let error = Error::new(message).help(help.trim());
            return incrowd_term::code_json(Err(error));
        }
        Err(error) => {
            // That nobody reads it is not worth another error.
            let _ = error.print();
            return error.exit_code().try_into().unwrap_or(2);
        }
    };
    incrowd_engine::words::hide_values(!cli.show_values);
    let ended = command::run(cli.command);
    if json { incrowd_term::code_json(ended) } else { incrowd_term::code(ended) }
}

/// Who does not know which columns to name can have them proposed.
fn with_tip(mut error: clap::Error) -> clap::Error {
    let missing = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) => missing.iter().any(|it| it.starts_with("--quasi")),
        _ => false,
    };
    if missing {
        let tip = "name columns that others may know, such as age, sex and ZIP code (see \
                   `incrowd inspect FILE`)";
        let tip = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}

/// An option of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandOption {
    /// The command; one of several words with a space between them, such as `evaluate all`.
    pub command: String,
    /// Its long name, or its short one if it has no other, without dashes.
    pub name: String,
    /// Whether it takes a value.
    pub takes_value: bool,
    /// What it does.
    pub help: String,
}

/// The options of every command.
pub fn options() -> Vec<CommandOption> {
    fn walk(command: &clap::Command, above: &str, found: &mut Vec<CommandOption>) {
        for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
            let name = format!("{above}{}", command.get_name());
            if command.has_subcommands() {
                walk(command, &format!("{name} "), found);
                continue;
            }
            let options = command.get_arguments().filter(|arg| !arg.is_positional());
            found.extend(options.filter_map(|arg| {
                let short = arg.get_short().map(String::from);
                Some(CommandOption {
                    command: name.clone(),
                    name: arg.get_long().map(str::to_owned).or(short)?,
                    takes_value: arg.get_action().takes_values(),
                    help: arg.get_help().map(ToString::to_string).unwrap_or_default(),
                })
            }));
        }
    }
    let mut found = Vec::new();
    let mut cli = args::Cli::command();
    cli.build();
    walk(&cli, "", &mut found);
    found.retain(|option| option.name != "help");
    found
}
