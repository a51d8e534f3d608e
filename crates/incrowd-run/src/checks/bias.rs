//! Whether suppression moves the shares of categories too far.

use incrowd_assess::bias::{SuppressionEffect, most_biased};

use super::evidence::RunEvidence;
use super::finding::{CheckStatus, Finding};
use crate::{Error, ErrorKind, Result};

/// Shares are quotients, which are not exact.
const SLACK: f64 = 1e-9;

/// The farthest that suppression moves a share, as it was counted in every released column of categories.
pub(crate) fn bias(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(most) = evidence.job.problem.max_bias else {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    };
    let Some(effects) = evidence.effects else { return Ok(None) };
    let columns: Vec<_> = effects.iter().filter_map(|effect| effect.bias.clone()).collect();
    let Some(farthest) = most_biased(&columns).filter(|it| it.largest > most + SLACK) else {
        let reached = largest_shift(effects);
        return Ok(Some(Finding::new(CheckStatus::Passed).with("most", reached)));
    };
    let error = Error::new(format!(
        "suppression moves the share of a category of `{}` by {:.2} points, and {:.2} are allowed",
        farthest.column,
        100.0 * farthest.largest,
        100.0 * most
    ))
    .help("nothing was written; suppress fewer rows, choose a smaller k, or allow more bias")
    .of_kind(ErrorKind::Refused);
    Ok(Some(Finding::failed(error).with("most", farthest.largest)))
}

/// The farthest that a share moves; where nothing is suppressed none does.
pub(crate) fn largest_shift(effects: &[SuppressionEffect]) -> f64 {
    effects.iter().filter_map(|effect| Some(effect.bias.as_ref()?.largest)).fold(0.0, f64::max)
}
