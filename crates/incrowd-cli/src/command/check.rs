//! `check`: the proof of a bound, checked anew.

use incrowd_run::{CertificateCheck, Result};
use incrowd_term::json_answer;

use crate::CommandOutcome;
use crate::args::CheckArgs;

pub(super) fn check(args: &CheckArgs) -> Result<CommandOutcome> {
    let checked =
        CertificateCheck::of_files(&args.table, &args.certificate, args.release.as_deref())?;
    match args.json {
        true => sayln!("{}", json_answer("check", &checked)?),
        false => sayln!("{}", checked.text),
    }
    Ok(if checked.holds { CommandOutcome::Done } else { CommandOutcome::Unmet })
}
