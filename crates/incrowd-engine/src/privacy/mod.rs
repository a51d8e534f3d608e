//! What a class must satisfy to be released: k and the models beyond it.
//!
//! Every model here is a check on one class: its size and the histogram of one sensitive column in
//! it. Two properties matter to searches, and each model's file proves them:
//!
//! - **union**: if two classes pass, their union passes. It holds for every model here, so
//!   generalizing a passing release further keeps it passing.
//! - **parts** ([`Model::failing_class_may_have_passing_parts`]): whether a class that fails can be
//!   cut into parts of which some pass. Where it cannot, a failing class stays suppressed in every
//!   refinement, and an exact search may count its rows as lost.

mod alpha;
mod beta;
mod closeness;
mod delta;
mod distinct;
mod entropy;
mod known_columns;
mod population;
mod recursive;
mod requirement;
mod risk_limits;
mod tally;
mod wildcards;

use serde::{Deserialize, Serialize};

pub use closeness::GroundDistance;
pub use known_columns::KnownColumns;
pub(crate) use known_columns::{LabelTable, sets};
pub use population::PopulationRequirement;
pub use requirement::{CombinedValues, CountingBasis, Requirement};
pub use risk_limits::{AtRiskLimit, ReleaseRiskLimits, RiskTally, UniquenessLimit};
pub use tally::{ClassTally, SparseCounts};
pub(crate) use wildcards::crowds;

use crate::kit::{Error, Result};
use crate::value::Hierarchy;

/// A privacy model on the histogram of a sensitive column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case")]
pub enum Model {
    /// At least `l` different sensitive values in every class.
    DistinctL {
        /// How many.
        l: u32,
    },
    /// The entropy of the sensitive values in every class is at least that of `l` equally frequent
    /// ones.
    EntropyL {
        /// How many; need not be whole.
        l: f64,
    },
    /// Recursive (c, l)-diversity: the most frequent value is less frequent than `c` times all
    /// values from the l-th most frequent on.
    RecursiveL {
        /// The factor.
        c: f64,
        /// From which rank on the values count.
        l: u32,
    },
    /// The distribution in every class is within `t` of the whole table's.
    TCloseness {
        /// The largest distance.
        t: f64,
        /// How distance is measured.
        distance: GroundDistance,
    },
    /// (alpha, k)-anonymity: no sensitive value makes up more than `alpha` of a class.
    Alpha {
        /// The largest share.
        alpha: f64,
    },
    /// Basic beta-likeness: no value's share grows by more than `beta` relative to the table's.
    BasicBeta {
        /// The largest relative gain.
        beta: f64,
    },
    /// Enhanced beta-likeness: the relative gain is also bounded by the value's own rarity.
    EnhancedBeta {
        /// The largest relative gain.
        beta: f64,
    },
    /// delta-disclosure: every value's share differs from the table's by less than a factor
    /// e^delta either way.
    DeltaDisclosure {
        /// The largest absolute log ratio.
        delta: f64,
    },
    /// Every value that occurs in a class occurs there at least `k` times: k holds for whoever knows the value, too.
    EachValue {
        /// How often.
        k: u32,
    },
}

/// A sensitive column as the models see it: the table's distribution and the distances of values.
#[derive(Debug, Clone)]
pub struct SensitiveDistribution {
    /// Each value's share of the whole table.
    pub shares: Vec<f64>,
    /// A tree over the values, for hierarchical distance.
    pub hierarchy: Option<Hierarchy>,
}

impl Model {
    /// How the model is called in sentences.
    pub fn name(&self) -> &'static str {
        match self {
            Model::DistinctL { .. } => "distinct l-diversity",
            Model::EntropyL { .. } => "entropy l-diversity",
            Model::RecursiveL { .. } => "recursive (c,l)-diversity",
            Model::TCloseness { .. } => "t-closeness",
            Model::Alpha { .. } => "(alpha,k)-anonymity",
            Model::BasicBeta { .. } => "basic beta-likeness",
            Model::EnhancedBeta { .. } => "enhanced beta-likeness",
            Model::DeltaDisclosure { .. } => "delta-disclosure",
            Model::EachValue { .. } => "k for each value of a known column",
        }
    }

    /// Whether it asks for a variety of values, to which a missing one adds nothing.
    pub fn is_diversity(&self) -> bool {
        matches!(self, Model::DistinctL { .. } | Model::EntropyL { .. } | Model::RecursiveL { .. })
    }

    /// Whether a class that fails may have parts that pass.
    ///
    /// It is `false` only for distinct l-diversity (and for k itself): parts hold no more rows and
    /// no more distinct values than the whole. All other models look at shares, and a part can have
    /// better shares than the whole, so a search that drops failing classes for good is exact for
    /// them only where nothing may be suppressed.
    pub fn failing_class_may_have_passing_parts(&self) -> bool {
        !matches!(self, Model::DistinctL { .. })
    }

    /// Whether a class with this histogram of the sensitive column (of `size` rows in all) passes.
    pub fn passes(&self, histogram: &[u64], size: u64, background: &SensitiveDistribution) -> bool {
        match *self {
            Model::DistinctL { l } => distinct::passes(histogram, l),
            Model::EntropyL { l } => entropy::passes(histogram, size, l),
            Model::RecursiveL { c, l } => recursive::passes(histogram, c, l),
            Model::TCloseness { t, distance } => {
                closeness::distance(histogram, size, background, distance) <= t + SLACK
            }
            Model::Alpha { alpha } => alpha::passes(histogram, size, alpha),
            Model::BasicBeta { beta } => beta::basic(histogram, size, &background.shares, beta),
            Model::EnhancedBeta { beta } => {
                beta::enhanced(histogram, size, &background.shares, beta)
            }
            Model::DeltaDisclosure { delta } => {
                delta::passes(histogram, size, &background.shares, delta)
            }
            // Union: what occurs in either class occurs in both together at least as often.
            Model::EachValue { k } => {
                histogram.iter().all(|&count| count == 0 || count >= u64::from(k))
            }
        }
    }

    /// Refuses parameters that make no sense.
    pub fn validate(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::new(format!("{} needs {what}", self.name())));
        match *self {
            Model::EachValue { k: 0 } => wrong("k of at least 1"),
            Model::DistinctL { l: 0 } | Model::RecursiveL { l: 0, .. } => wrong("l of at least 1"),
            Model::EntropyL { l } if !(l >= 1.0 && l.is_finite()) => wrong("l of at least 1"),
            Model::RecursiveL { c, .. } if !(c > 0.0 && c.is_finite()) => wrong("c above 0"),
            Model::TCloseness { t, .. } if !(0.0..=1.0).contains(&t) => wrong("t between 0 and 1"),
            Model::Alpha { alpha } if !(alpha > 0.0 && alpha <= 1.0) => {
                wrong("alpha above 0, at most 1")
            }
            Model::BasicBeta { beta } | Model::EnhancedBeta { beta }
                if !(beta > 0.0 && beta.is_finite()) =>
            {
                wrong("beta above 0")
            }
            Model::DeltaDisclosure { delta } if !(delta > 0.0 && delta.is_finite()) => {
                wrong("delta above 0")
            }
            _ => Ok(()),
        }
    }
}

/// Rounding must not make a class fail that meets its bound exactly.
pub(crate) const SLACK: f64 = 1e-9;

/// All that a class must satisfy.
#[derive(Debug, Clone)]
pub struct PrivacyRequirements {
    /// The least size of a class.
    pub k: u64,
    /// The models beyond k.
    pub requirements: Vec<Requirement>,
    /// Whether a blank is taken to match anything, the weaker reading: then k rows must fit each row,
    /// however many are equal to it.
    pub wildcards: bool,
    /// Whether people with rows in several places are judged by shares: then two classes that pass can fail together,
    /// and what a search takes for granted of classes that pass proves nothing.
    pub scattered: bool,
    /// Whether units of protection have rows in several profiles, so that one may be in several classes.
    pub shared_units: bool,
    /// What the release as a whole must satisfy.
    pub overall: ReleaseRiskLimits,
    /// What a class must satisfy in the population that the table is a part of.
    pub population: Option<PopulationRequirement>,
    /// How many rows must look alike to whoever knows a few columns.
    pub known: Option<KnownColumns>,
}

impl PrivacyRequirements {
    /// The crowd that is asked for, in a class or among those who agree on few columns.
    pub fn least_crowd(&self) -> u64 {
        self.known.map_or(self.k, |known| known.k.max(self.k))
    }

    /// Whether a class passes.
    pub fn passes(&self, tally: &ClassTally) -> bool {
        tally.size >= self.k
            && self.population.is_none_or(|rule| rule.passes(tally.size, tally.people))
            && self.requirements.iter().all(|requirement| requirement.passes(tally))
    }

    /// Whether the size of a class is all that decides about it.
    pub fn is_by_size(&self) -> bool {
        self.requirements.is_empty() && self.population.is_none()
    }

    /// Whether there is more to ask than what classes by themselves must satisfy in the table.
    pub fn goes_beyond_classes(&self) -> bool {
        !self.overall.is_nothing() || self.population.is_some() || self.known.is_some()
    }

    /// Whether a class that fails stays so however it is divided: one of its failures is none that a part can do
    /// without.
    pub(crate) fn is_lost(&self, tally: &ClassTally) -> bool {
        let may_heal = |it: &Requirement| it.model.failing_class_may_have_passing_parts();
        tally.size < self.k
            || self.population.is_some_and(|rule| rule.is_lost(tally.people))
            || self.requirements.iter().any(|it| !may_heal(it) && !it.passes(tally))
    }

    /// Whether everybody of the population must fit a class: who fits none is known not to be in the table.
    pub(crate) fn must_fit_all(&self) -> bool {
        let presence = self.population.and_then(|rule| rule.presence);
        presence.is_some_and(|(least, _)| least > 0.0)
    }

    /// The first requirement that a class fails, in words.
    pub fn complaint(&self, tally: &ClassTally) -> Option<String> {
        if tally.size < self.k {
            return Some(format!("k = {}", self.k));
        }
        if let Some(rule) = self.population.filter(|rule| !rule.passes(tally.size, tally.people)) {
            return Some(rule.name().to_owned());
        }
        self.requirements
            .iter()
            .find(|requirement| !requirement.passes(tally))
            .map(|requirement| requirement.name().to_owned())
    }

    /// Whether nothing is asked but that many rows look alike to whoever knows a few columns.
    pub(crate) fn asks_for_known_only(&self) -> bool {
        self.known.is_some()
            && self.k <= 1
            && self.requirements.is_empty()
            && self.population.is_none()
            && self.overall.is_nothing()
    }

    /// The k that is asked for, be it of rows, of people in the population or for a few columns.
    pub fn asked(&self) -> u64 {
        let known = self.known.map_or(1, |known| known.k);
        self.k.max(self.population.map_or(1, |rule| rule.least)).max(known)
    }

    /// A k that is enough for all that is asked beyond classes: for new rows, of which nobody knows the whole table or
    /// the population.
    pub fn enough(&self) -> u64 {
        let matched = self.population.map_or(1, |rule| rule.least);
        let known = self.known.map_or(1, |known| known.k);
        self.k.max(self.overall.enough()).max(matched).max(known)
    }

    /// The column of the units of protection, where they are not the rows.
    pub fn unit(&self) -> Option<usize> {
        let unit = |it: &&Requirement| matches!(it.counted, CountingBasis::Units);
        self.requirements.iter().find(unit).map(|requirement| requirement.column)
    }

    /// How many people a class holds: units of protection, or rows where each is one.
    pub fn crowd(&self, tally: &ClassTally) -> u64 {
        match self.unit() {
            Some(_) => tally.sparse[0].distinct() as u64,
            None => tally.size,
        }
    }

    /// The same for another k.
    pub(crate) fn set_k(&mut self, k: u64) {
        self.k = k;
        for requirement in &mut self.requirements {
            let least = u32::try_from(k).unwrap_or(u32::MAX);
            if matches!(requirement.counted, CountingBasis::Units) {
                requirement.model = Model::DistinctL { l: least };
            }
            if let Model::EachValue { k } = &mut requirement.model {
                *k = least;
            }
        }
    }

    /// Whether a class that fails may have parts that pass, for any of the requirements.
    pub fn failing_class_may_have_passing_parts(&self) -> bool {
        self.population.is_some_and(|rule| rule.failing_class_may_have_passing_parts())
            || self
                .requirements
                .iter()
                .any(|requirement| requirement.model.failing_class_may_have_passing_parts())
    }
}

#[cfg(test)]
mod tests;
