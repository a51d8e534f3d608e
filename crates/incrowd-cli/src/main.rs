//! The command `incrowd`.
#![allow(clippy::print_stderr, reason = "this crate is the terminal")]

/// Prints to standard output, ending in one line end; unlike `println!` it does not mind that nobody
/// reads on.
macro_rules! sayln {
    ($($text:tt)*) => {
        $crate::show::say(&format!("{}\n", format!($($text)*).trim_end_matches('\n')))
    };
}

mod args;
mod census;
mod command;
mod inspect;
mod methods;
mod models;
mod progress;
mod show;

use std::process::ExitCode;

use clap::Parser;

/// How a command ended.
enum End {
    /// All is well.
    Done,
    /// A requirement is not met.
    Unmet,
    /// The user interrupted it; what was found has been written.
    Interrupted,
}

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    match command::run(cli.command) {
        Ok(End::Done) => ExitCode::SUCCESS,
        Ok(End::Unmet) => ExitCode::from(1),
        Ok(End::Interrupted) => ExitCode::from(130),
        Err(error) if error.is_interrupted() => {
            eprintln!("interrupted: nothing was written");
            ExitCode::from(130)
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
