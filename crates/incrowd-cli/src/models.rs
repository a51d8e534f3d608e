//! The models beyond k, as options give them.

use std::str::FromStr;

use incrowd_io::spec::Privacy;
use incrowd_io::{Error, Result};

use crate::args::Models;

/// Reads the models into a spec's privacy section. A model that names no column speaks of the only
/// sensitive one.
pub(crate) fn read(models: &Models, k: u64) -> Result<Privacy> {
    let mut privacy = Privacy::k(k);
    privacy.count_missing = models.count_missing;
    privacy.reference = models.reference.as_deref().map(str::parse).transpose()?;
    privacy.l_diversity = each("--l-diversity", &models.l_diversity)?;
    privacy.t_closeness = each("--t-closeness", &models.t_closeness)?;
    privacy.alpha = each("--alpha", &models.alpha)?;
    privacy.beta_likeness = each("--beta-likeness", &models.beta_likeness)?;
    privacy.delta_disclosure = each("--delta-disclosure", &models.delta_disclosure)?;
    Ok(privacy)
}

/// Reads the models of an option; an error that comes without help names the option.
fn each<T: FromStr<Err = Error>>(option: &str, texts: &[String]) -> Result<Vec<T>> {
    let read = |text: &String| {
        text.parse().map_err(|error: Error| {
            let help = error.help.clone().or_else(|| Some(format!("see {option} in --help")));
            Error { help, ..error }
        })
    };
    texts.iter().map(read).collect()
}
