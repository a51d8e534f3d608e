//! The models beyond k, as options give them.

use std::str::FromStr;

use incrowd_run::spec::{PrivacySection, RiskLimits, parse_share};
use incrowd_run::{Error, Result};

use crate::args::{ModelArgs, RiskLimitArgs};

/// Reads the models into a spec's privacy section. A model that names no column speaks of the only
/// sensitive one.
pub(crate) fn read(models: &ModelArgs, k: u64) -> Result<PrivacySection> {
    let mut privacy = PrivacySection::k(k);
    privacy.count_missing = models.count_missing;
    privacy.reference = models.reference.as_deref().map(str::parse).transpose()?;
    privacy.l_diversity = each("--l-diversity", &models.l_diversity)?;
    privacy.t_closeness = each("--t-closeness", &models.t_closeness)?;
    privacy.alpha = each("--alpha", &models.alpha)?;
    privacy.beta_likeness = each("--beta-likeness", &models.beta_likeness)?;
    privacy.delta_disclosure = each("--delta-disclosure", &models.delta_disclosure)?;
    privacy.risks = risks(&models.risks)?;
    Ok(privacy)
}

/// Reads what is asked of risks.
fn risks(risks: &RiskLimitArgs) -> Result<RiskLimits> {
    let share = |text: &Option<String>| text.as_deref().map(parse_share).transpose();
    Ok(RiskLimits {
        max_risk: share(&risks.max_risk)?,
        max_average_risk: share(&risks.max_average_risk)?,
        max_at_risk: risks.max_at_risk.as_deref().map(str::parse).transpose()?,
        k_map: risks.k_map.is_some(),
        population_weight: risks.population_weight.clone(),
        sampling_fraction: share(&risks.sampling_fraction)?,
        delta_presence: risks.delta_presence.as_deref().map(str::parse).transpose()?,
        max_population_unique: share(&risks.max_population_unique)?,
        known_columns: risks.known_columns,
    })
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
