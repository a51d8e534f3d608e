//! The command `incrowd`.
#![allow(clippy::print_stderr, reason = "this crate is the terminal")]

#[macro_use(sayln)]
extern crate incrowd_term;

mod args;
mod command;
mod inspect;
mod methods;
mod models;
mod show;

use std::process::ExitCode;

use clap::Parser;
use incrowd_term as progress;
use incrowd_term::End;

fn main() -> ExitCode {
    incrowd_term::exit_code(command::run(args::Cli::parse().command))
}
