//! The command `incrowd`.
#![allow(clippy::print_stderr, reason = "this crate is the terminal")]

#[macro_use(sayln)]
extern crate incrowd_term;

mod args;
mod command;
mod inspect;
mod models;
mod show;

use std::process::ExitCode;

use clap::Parser;
use incrowd_io::Error;
use incrowd_term as progress;
use incrowd_term::End;

fn main() -> ExitCode {
    if let Some(help) =
        args::help::asked(std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()))
    {
        sayln!("{}", help.trim_end());
        return ExitCode::SUCCESS;
    }
    let json = std::env::args_os().any(|arg| arg == "--json");
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if json && error.use_stderr() => {
            let text = error.to_string();
            let (message, help) = text.split_once("\n\n").unwrap_or((&text, ""));
            let message = message.trim().trim_start_matches("error: ");
            let error = Error::new(message).help(help.trim());
            return incrowd_term::exit_code_json(Err(error));
        }
        Err(error) => error.exit(),
    };
    let ended = command::run(cli.command);
    if json { incrowd_term::exit_code_json(ended) } else { incrowd_term::exit_code(ended) }
}
