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
mod recursive;
mod wildcards;

use serde::{Deserialize, Serialize};

pub use closeness::Distance;
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
        distance: Distance,
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
}

/// A sensitive column as the models see it: the table's distribution and the distances of values.
#[derive(Debug, Clone)]
pub struct Background {
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
        }
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
    pub fn passes(&self, histogram: &[u64], size: u64, background: &Background) -> bool {
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
        }
    }

    /// Refuses parameters that make no sense.
    pub fn validate(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::new(format!("{} needs {what}", self.name())));
        match *self {
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

/// One requirement beyond k.
#[derive(Debug, Clone)]
pub struct Requirement {
    /// Which label column it looks at: an index into [`Targets::columns`](crate::problem::Targets::columns).
    pub column: usize,
    /// The model.
    pub model: Model,
    /// What the model knows of the column.
    pub background: Background,
}

/// All that a class must satisfy.
#[derive(Debug, Clone)]
pub struct Privacy {
    /// The least size of a class.
    pub k: u64,
    /// The models beyond k.
    pub requirements: Vec<Requirement>,
    /// Whether a blank is taken to match anything, the weaker reading: then k rows must fit each row,
    /// however many are equal to it.
    pub wildcards: bool,
}

impl Privacy {
    /// Whether a class passes.
    pub fn passes(&self, tally: &Tally) -> bool {
        tally.size >= self.k
            && self.requirements.iter().all(|requirement| {
                let histogram = &tally.histograms[requirement.column];
                requirement.model.passes(histogram, tally.size, &requirement.background)
            })
    }

    /// The first requirement that a class fails, in words.
    pub fn complaint(&self, tally: &Tally) -> Option<String> {
        if tally.size < self.k {
            return Some(format!("k = {}", self.k));
        }
        self.requirements
            .iter()
            .find(|requirement| {
                let histogram = &tally.histograms[requirement.column];
                !requirement.model.passes(histogram, tally.size, &requirement.background)
            })
            .map(|requirement| requirement.model.name().to_owned())
    }

    /// Whether a class that fails may have parts that pass, for any of the requirements.
    pub fn failing_class_may_have_passing_parts(&self) -> bool {
        self.requirements
            .iter()
            .any(|requirement| requirement.model.failing_class_may_have_passing_parts())
    }
}

/// A class's size and its histogram of each label column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// How many rows.
    pub size: u64,
    /// For each label column, how many rows carry each value.
    pub histograms: Vec<Vec<u64>>,
}

impl Tally {
    /// An empty class over label columns with domains of these sizes.
    pub fn new(domains: &[usize]) -> Self {
        Tally { size: 0, histograms: domains.iter().map(|&size| vec![0; size]).collect() }
    }

    /// Empties the class.
    pub fn clear(&mut self) {
        self.size = 0;
        for histogram in &mut self.histograms {
            histogram.fill(0);
        }
    }

    /// Adds rows that carry these label values.
    #[inline]
    pub fn add(&mut self, label: &[u32], count: u64) {
        self.size += count;
        for (histogram, &value) in self.histograms.iter_mut().zip(label) {
            histogram[value as usize] += count;
        }
    }

    /// Adds another class's rows.
    pub fn absorb(&mut self, other: &Tally) {
        self.size += other.size;
        for (mine, others) in self.histograms.iter_mut().zip(&other.histograms) {
            for (mine, others) in mine.iter_mut().zip(others) {
                *mine += others;
            }
        }
    }

    /// Makes this class what is left of `whole` without `part`.
    pub fn difference(&mut self, whole: &Tally, part: &Tally) {
        self.size = whole.size - part.size;
        for ((mine, whole), part) in
            self.histograms.iter_mut().zip(&whole.histograms).zip(&part.histograms)
        {
            for ((mine, whole), part) in mine.iter_mut().zip(whole).zip(part) {
                *mine = whole - part;
            }
        }
    }
}

#[cfg(test)]
mod tests;
