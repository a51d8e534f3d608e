//! The command `incrowd`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(incrowd_cli::run(std::env::args_os().collect()))
}
