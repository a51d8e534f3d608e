//! What the columns give away that are released as they are.

use incrowd_assess::expose::{Disclosure, Exposure};
use incrowd_assess::thresholds::{NEARLY_ALL, UNDONE, UNDONE_BY_TARGET};
use incrowd_engine::words::thousands;

use crate::plan::declaration::Declaration;
use crate::plan::interface::{ColumnRefusal, Interface, refusal};
use crate::plan::warning::Warning;
use crate::{ErrorKind, Result};

/// Refuses a release of so many rows in which columns undo what it does to others, and warns of what is below the limit or meant.
pub(crate) fn judge(
    exposure: &Exposure,
    rows: u64,
    said: impl Fn(&str) -> Declaration,
    voice: Interface,
) -> Result<Vec<Warning>> {
    let mut refused: Vec<ColumnRefusal> = Vec::new();
    let mut warnings = Vec::new();
    for column in &exposure.unchanged {
        let tells: Vec<&Disclosure> =
            exposure.tells.iter().filter(|told| told.column == column.column).collect();
        let Some(most) = tells.first() else { continue };
        let limit = match said(&column.column) {
            Declaration::Nothing | Declaration::Plain | Declaration::Masked => UNDONE,
            Declaration::Target => UNDONE_BY_TARGET,
            Declaration::Accepted => f64::INFINITY,
            Declaration::Judged => continue,
        };
        let parts: Vec<String> = tells
            .iter()
            .map(|told| format!("`{}` in {:.1} % of the rows", told.quasi, 100.0 * told.share))
            .collect();
        let sample = exposure
            .sampled
            .map_or(String::new(), |rows| format!(" (estimated from {} rows)", thousands(rows)));
        let why = format!("it reveals the original {}{sample}", parts.join(", "));
        if most.share > limit && said(&column.column) == Declaration::Masked {
            refused.push(ColumnRefusal::masked(&column.column, why, voice));
        } else if most.share > limit {
            let names_rows = column.unique_rows as f64 >= NEARLY_ALL * rows as f64;
            refused.push(ColumnRefusal::undoes(&column.column, why, names_rows, voice));
        } else {
            let message =
                format!("`{}` reveals part of what the release generalizes: {why}", column.column);
            warnings.push(Warning::new("undoes", message));
        }
    }
    if refused.is_empty() {
        return Ok(warnings);
    }
    let headline = match &refused[..] {
        [one] => {
            format!("column `{}` reveals values that the release generalizes", one.mend.column)
        }
        several => format!("{} columns reveal values that the release generalizes", several.len()),
    };
    let mut error = refusal(ErrorKind::Undoes, &headline, &refused, UNDOES_HELP);
    for warning in warnings {
        error.message.push_str(&format!("\n  below the limit: {warning}"));
    }
    Err(error)
}

/// Whether a column tells more than it may, and is released on purpose.
pub(crate) fn is_waived(exposure: &Exposure, said: impl Fn(&str) -> Declaration) -> bool {
    let tells = exposure.tells.iter().filter(|told| said(&told.column) == Declaration::Accepted);
    tells.into_iter().any(|told| told.share > UNDONE)
}

const UNDOES_HELP: &str = "nothing was written; leave such a column out, or generalize it as well";
