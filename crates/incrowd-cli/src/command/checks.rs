//! `checks`: what every release must pass.

use incrowd_run::{
    Result,
    checks::{CHECKS, checks_page},
};
use incrowd_term::{json_answer, table};

use crate::CommandOutcome;
use crate::args::ChecksArgs;

/// Lists the checks.
pub(super) fn checks(args: &ChecksArgs) -> Result<CommandOutcome> {
    match (args.json, args.markdown) {
        (true, _) => sayln!("{}", json_answer("checks", &CHECKS)?),
        (_, true) => sayln!("{}", checks_page().trim_end()),
        _ => {
            let rows = CHECKS.iter().map(|check| {
                [check.id, check.looks_at, check.protects].map(str::to_owned).to_vec()
            });
            sayln!("{}", table(&["check", "looks at", "what it makes sure of"], rows));
        }
    }
    Ok(CommandOutcome::Done)
}
