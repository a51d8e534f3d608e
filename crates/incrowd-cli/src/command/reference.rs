//! docs/reference/commands.md is made from what the command line says of itself.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fmt::Write;

use clap::{Arg, Command, CommandFactory};

use crate::args::Cli;

const HEAD: &str = "\
# Commands

This page is made from the command line's own help: `incrowd COMMAND --help` shows the same with
examples. Options that are also keys of a spec file are explained in [Options](options.md).

Every command ends with code 0 when all is well, 1 when a requirement is not met, 2 when the input
is bad, and 130 when it was interrupted. Results go to standard output. Warnings, errors and
progress go to standard error.
";

fn page() -> String {
    let mut cli = Cli::command();
    cli.build();
    let mut text = HEAD.to_owned();
    text.push_str("\n| command | what it does |\n| --- | --- |\n");
    for command in shown(&cli) {
        let name = full_name(command);
        let about = one_line(command.get_about().map(ToString::to_string));
        writeln!(text, "| [`{name}`](#{}) | {about} |", name.replace(' ', "-")).unwrap();
    }
    for command in shown(&cli) {
        describe(command, 2, &mut text);
    }
    text
}

fn shown(command: &Command) -> Vec<&Command> {
    command
        .get_subcommands()
        .filter(|below| below.get_name() != "help" && !below.is_hide_set())
        .collect()
}

fn full_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn one_line(text: Option<String>) -> String {
    let text = text.unwrap_or_default();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    // What looks like a tag would be taken for one.
    line.replace('<', "&lt;")
}

/// A paragraph in lines of at most 100 characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        if line.chars().count() + 1 + word.chars().count() > 100 {
            lines.push(word.to_owned());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines.join("\n")
}

fn describe(command: &Command, depth: usize, text: &mut String) {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").split_whitespace();
    let usage: Vec<&str> = usage.collect();
    let about = one_line(command.get_about().map(ToString::to_string));
    let heading = "#".repeat(depth);
    let about = wrapped(&about);
    write!(text, "\n{heading} {}\n\n{about}\n\n    {}\n", full_name(command), usage.join(" "))
        .unwrap();
    let arguments: Vec<&Arg> = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set() && argument.get_id() != "help")
        .collect();
    if !arguments.is_empty() {
        text.push_str("\n| argument | what it is |\n| --- | --- |\n");
    }
    for argument in arguments {
        let short = argument.get_short().map(|short| format!("-{short}"));
        let long = argument.get_long().map(|long| format!("--{long}"));
        let names: Vec<String> = short.into_iter().chain(long).collect();
        let values: Vec<String> = match argument.get_action().takes_values() {
            true => argument.get_value_names().unwrap_or_default().iter().map(to_text).collect(),
            false => Vec::new(),
        };
        let name = [names.join(", "), values.join(" ")].join(" ").replace('|', "\\|");
        let mut help = one_line(argument.get_help().map(ToString::to_string));
        let choices: Vec<String> = argument
            .get_possible_values()
            .iter()
            .filter(|choice| !choice.is_hide_set() && argument.get_action().takes_values())
            .map(|choice| format!("`{}`", choice.get_name()))
            .collect();
        if !choices.is_empty() {
            write!(help, " One of {}.", choices.join(", ")).unwrap();
        }
        writeln!(text, "| `{}` | {help} |", name.trim()).unwrap();
    }
    for below in shown(command) {
        describe(below, depth + 1, text);
    }
}

fn to_text(name: &clap::builder::Str) -> String {
    name.to_string()
}

#[test]
fn the_page_of_commands_is_that_of_the_command_line() {
    incrowd_testing::hold_file("docs/reference/commands.md", &page());
}
