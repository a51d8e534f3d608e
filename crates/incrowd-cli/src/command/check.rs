//! `check`: the proof of a bound, checked anew.

use std::fs::File;
use std::path::Path;

use incrowd_run::{Error, Result};
use incrowd_term::json_answer;

use crate::CommandOutcome;
use crate::args::CheckArgs;

pub(super) fn check(args: &CheckArgs) -> Result<CommandOutcome> {
    let open = |path: &Path| File::open(path).map_err(|e| Error::file("read", path, &e));
    let refused = |error: incrowd_check::Error| Error::new(error.to_string());
    let (table, certificate) = (open(&args.table)?, open(&args.certificate)?);
    let confirmed = incrowd_check::check(table, certificate).map_err(refused)?;
    let cost = match &args.release {
        Some(release) => Some(confirmed.cost_of(open(release)?).map_err(refused)?),
        None => None,
    };
    let holds = confirmed.holds() && cost.is_none_or(|cost| confirmed.allows(cost));
    if args.json {
        let answer = serde_json::json!({
            "holds": holds,
            "claimed": confirmed.question.claim,
            "bound": confirmed.bound,
            "cases": confirmed.cases,
            "cost": cost,
        });
        sayln!("{}", json_answer("check", &answer)?);
    } else {
        sayln!("{confirmed}");
        if let Some(cost) = cost {
            sayln!("{}", confirmed.compared(cost));
        }
    }
    Ok(if holds { CommandOutcome::Done } else { CommandOutcome::Unmet })
}
