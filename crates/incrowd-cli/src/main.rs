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
use incrowd_term as progress;
use incrowd_term::End;

fn main() -> ExitCode {
    if let Some(help) =
        args::help::asked(std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()))
    {
        sayln!("{}", help.trim_end());
        return ExitCode::SUCCESS;
    }
    incrowd_term::exit_code(command::run(args::Cli::parse().command))
}
