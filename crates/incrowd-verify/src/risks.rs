//! What a release as a whole has to satisfy, and what its classes have to satisfy in a population.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

/// What a release has to satisfy beyond what each class shows by itself.
///
/// The risk of a person is 1 divided by how many people the class holds: rows, or units of protection where those are
/// counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RiskBounds {
    /// The most that classes divided by people may be.
    pub average: Option<f64>,
    /// The share of people whose risk may be above a threshold: share and threshold.
    pub at_risk: Option<(f64, f64)>,
    /// The share of people who may be unique in the population, by estimate, and the share of the population that is in the
    /// table.
    pub unique: Option<(f64, f64)>,
    /// So many rows must agree in every combination of at most so many quasi-identifiers: rows and columns.
    pub known: Option<(u64, usize)>,
    /// The population, and what must hold in it.
    pub population: Option<Population>,
    /// The farthest that the share of a category may move between the original and the release. It is measured where there is an
    /// original.
    pub max_bias: Option<f64>,
}

/// A population, and what the classes of a release must satisfy in it. A person fits a class if each of its released
/// values contains the person's value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Population {
    /// The values of the quasi-identifiers in the order of the requirements, and how many people have them.
    pub people: Arc<Vec<(Vec<String>, u64)>>,
    /// The least people who fit each class: k-map.
    pub least: u64,
    /// The least and the most probability that a person of the population is in the release: delta-presence. A person
    /// who fits several classes has the sum of the shares of each.
    pub presence: Option<(f64, f64)>,
    /// The most share of the rows that may be in classes which only one person fits.
    pub unique: Option<f64>,
}

impl Population {
    /// The people behind rows of values, the weight of each of so many such rows: the whole people in each combination, and
    /// of those who are left over as many as their weights give together, one each where most of a person is left.
    pub fn of_weights(
        rows: impl IntoIterator<Item = (Vec<String>, f64, u64)>,
    ) -> Vec<(Vec<String>, u64)> {
        // Millionths of people, so that sums are exact.
        let mut sums: BTreeMap<Vec<String>, u128> = BTreeMap::new();
        for (values, weight, rows) in rows {
            let parts = (weight.max(0.0) * 1e6).round() as u128;
            let sum = sums.entry(values).or_default();
            *sum = sum.saturating_add(parts.saturating_mul(u128::from(rows)));
        }
        let mut left: Vec<(u128, &Vec<String>)> =
            sums.iter().map(|(values, parts)| (parts % 1_000_000, values)).collect();
        let over = left.iter().map(|it| it.0).sum::<u128>() / 1_000_000;
        left.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
        let one_more: BTreeSet<&Vec<String>> =
            left.into_iter().take(over as usize).map(|it| it.1).collect();
        let people = sums.iter().map(|(values, parts)| {
            let whole = u64::try_from(parts / 1_000_000).unwrap_or(u64::MAX);
            (values.clone(), whole.saturating_add(u64::from(one_more.contains(values))))
        });
        people.filter(|(_, people)| *people > 0).collect()
    }
}

/// What a release reaches of a requirement on its risks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RiskVerdict {
    /// Which requirement.
    pub requirement: RiskRequirement,
    /// The bound that was asked for.
    pub required: f64,
    /// What the release reaches; nothing for a release without rows.
    pub achieved: Option<f64>,
    /// Whether it is met.
    pub holds: bool,
    /// The same in words.
    pub text: String,
}

/// The requirements on risks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RiskRequirement {
    /// Classes divided by people, at most.
    AverageRisk,
    /// The share of people above a risk, at most.
    AtRisk,
    /// The rows that agree in any few columns, at least.
    KnownColumns,
    /// The people of the population who fit a class, at least.
    KMap,
    /// The probability of a person of the population to be in the release, at least.
    LeastPresence,
    /// The same, at most.
    MostPresence,
    /// The share of rows that only one person of the population fits, counted or estimated, at most.
    PopulationUnique,
    /// How far the share of a category moves between the original and the release, at most.
    Bias,
}

impl RiskVerdict {
    /// What is met if it is at most what was asked for.
    pub(crate) fn at_most(
        requirement: RiskRequirement,
        what: &str,
        required: f64,
        achieved: Option<f64>,
    ) -> Self {
        // Sums and ratios are not exact.
        let holds = achieved.is_none_or(|achieved| achieved <= required + 1e-9);
        Self::told(requirement, what, "at most", (required, achieved, holds))
    }

    /// What is met if it is at least what was asked for.
    pub(crate) fn at_least(
        requirement: RiskRequirement,
        what: &str,
        required: f64,
        achieved: Option<f64>,
    ) -> Self {
        let holds = achieved.is_none_or(|achieved| achieved >= required - 1e-9);
        Self::told(requirement, what, "at least", (required, achieved, holds))
    }

    fn told(
        requirement: RiskRequirement,
        what: &str,
        bound: &str,
        (required, achieved, holds): (f64, Option<f64>, bool),
    ) -> Self {
        let text = match achieved {
            Some(achieved) => {
                format!("{what}: {}, required {bound} {}", figure(achieved), figure(required))
            }
            None => format!("{what}: no rows, required {bound} {}", figure(required)),
        };
        RiskVerdict { requirement, required, achieved, holds, text }
    }
}

impl RiskBounds {
    /// Whether anything is asked of classes.
    pub(crate) fn needs_classes(&self) -> bool {
        RiskBounds { max_bias: None, known: None, ..self.clone() } != RiskBounds::default()
    }

    /// What is wrong with the numbers, if anything is.
    pub(crate) fn check(&self) -> Result<(), String> {
        let is_share = |share: f64| (0.0..=1.0).contains(&share);
        if self.average.is_some_and(|average| !(average > 0.0 && average <= 1.0)) {
            return Err("the average risk must lie above 0 and be at most 1".to_owned());
        }
        if self.at_risk.is_some_and(|(share, threshold)| !is_share(share) || !is_share(threshold)) {
            return Err("the share at risk and its threshold must lie in 0 to 1".to_owned());
        }
        if self.unique.is_some_and(|(share, of)| !is_share(share) || !is_share(of) || of == 0.0) {
            return Err(
                "the share of uniques must lie in 0 to 1, and the sampling fraction above 0 to 1"
                    .to_owned(),
            );
        }
        if self.known.is_some_and(|(k, columns)| k == 0 || columns == 0) {
            return Err("known columns and their k must be at least 1".to_owned());
        }
        if self.max_bias.is_some_and(|most| !is_share(most)) {
            return Err("the limit on bias must lie in 0 to 1".to_owned());
        }
        let Some(population) = &self.population else { return Ok(()) };
        if population.people.is_empty() {
            return Err("the population has no people".to_owned());
        }
        let wrong = |(least, most): (f64, f64)| !is_share(least) || !is_share(most) || least > most;
        if population.presence.is_some_and(wrong) || population.unique.is_some_and(|u| !is_share(u))
        {
            return Err("shares of a population must lie in 0 to 1, the least first".to_owned());
        }
        Ok(())
    }
}

/// A quantity with at most four decimals.
fn figure(quantity: f64) -> String {
    let text = format!("{quantity:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
