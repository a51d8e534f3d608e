//! The program: `incrowd-check TABLE CERTIFICATE`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use std::fs::File;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [table, certificate] = &args[..] else {
        eprintln!("usage: incrowd-check TABLE CERTIFICATE");
        return ExitCode::from(2);
    };
    let open = |path: &str| File::open(path).map_err(|error| format!("{path}: {error}"));
    let checked = open(table).and_then(|table| {
        incrowd_check::check(table, open(certificate)?).map_err(|error| error.to_string())
    });
    match checked {
        Ok(confirmation) => {
            println!("{confirmation}");
            ExitCode::from(u8::from(!confirmation.holds()))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
