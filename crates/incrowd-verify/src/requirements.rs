//! What a release has to satisfy.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use crate::column_format::ColumnFormat;
use crate::date::DateForm;
use crate::error::{Error, Result};
use crate::hierarchy::LabelHierarchy;
use crate::number::NumberStyle;
use crate::risks::RiskBounds;
use crate::value::MissingTokens;

/// What a release has to satisfy and how its values are to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Requirements {
    /// The quasi-identifiers. One that the release replaced by two columns `NAME_min` and
    /// `NAME_max` is still named `NAME` here.
    pub quasi: Vec<String>,
    /// Every class must have at least this many rows.
    pub k: u64,
    /// The column that tells apart who is protected, people or households, where they may have several rows: every class
    /// must then hold k of them, and models, sizes and risks count them. Values that are missing are one unit together.
    pub unit: Option<String>,
    /// Columns that are released as they are and that others may know, or can tell from the quasi-identifiers: k, models
    /// and risks must hold for the rows of a class that share their values.
    pub narrowing: Vec<String>,
    /// What must hold for the sensitive columns beyond k.
    pub models: Vec<SensitiveModel>,
    /// Whether a missing sensitive value counts towards l as a value of its own.
    pub count_missing: bool,
    /// Which shares of the whole table models compare a class with.
    pub reference: ReferenceDistribution,
    /// Columns that must not appear in the release.
    pub identifying: Vec<String>,
    /// Read `*` as matching anything. This is the weaker reading: a row then counts as hidden
    /// among all rows it *might* agree with, although one who knows how the release was made can
    /// often tell them apart. It concerns k only; models are measured on rows that are equal.
    pub wildcards: bool,
    /// Hierarchies of columns: of quasi-identifiers to read the labels, of sensitive columns for
    /// the hierarchical distance.
    pub ladders: BTreeMap<String, LabelHierarchy>,
    /// How quasi-identifiers that hold dates are written in the original. Their released labels are units of time
    /// and ranges of them, `2018-Q2` and `[2018-04 to 2018-09]`.
    pub dates: BTreeMap<String, DateForm>,
    /// The order of a quasi-identifier's text values, to read `{a, ..., b}`, where it is not that of the alphabet.
    pub orders: BTreeMap<String, Vec<String>>,
    /// The strings that stand for a missing value.
    pub missing: MissingTokens,
    /// Columns not to compare with the original, such as means or medians.
    pub unchecked: Vec<String>,
    /// What is known of columns, by their names in the release: how numbers are written, what was done to values before
    /// they were released, what they were called.
    pub told: BTreeMap<String, ColumnFormat>,
    /// Quasi-identifiers whose labels are known to come from a list, and not to be fitted to classes.
    pub fixed_labels: BTreeSet<String>,
    /// What must hold of the release as a whole, of few known columns and in a population.
    pub risks: RiskBounds,
}

/// Which shares of the whole table models compare a class with: where rows were suppressed, those of the release and those of
/// the original differ, and with them t, beta and delta.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReferenceDistribution {
    /// The original's where it is known, else the release's own.
    #[default]
    Original,
    /// The release's own, which everybody can count.
    Release,
    /// A class must pass against either.
    Both,
}

impl Requirements {
    /// k-anonymity over these quasi-identifiers and nothing else.
    pub fn new<S: Into<String>>(k: u64, quasi: impl IntoIterator<Item = S>) -> Self {
        Requirements {
            quasi: quasi.into_iter().map(Into::into).collect(),
            k,
            unit: None,
            narrowing: Vec::new(),
            models: Vec::new(),
            count_missing: false,
            reference: ReferenceDistribution::default(),
            identifying: Vec::new(),
            wildcards: false,
            ladders: BTreeMap::new(),
            dates: BTreeMap::new(),
            orders: BTreeMap::new(),
            missing: MissingTokens::default(),
            unchecked: Vec::new(),
            told: BTreeMap::new(),
            fixed_labels: BTreeSet::new(),
            risks: RiskBounds::default(),
        }
    }

    /// How a column writes its numbers.
    pub(crate) fn style(&self, column: &str) -> NumberStyle {
        self.told.get(column).map_or_else(NumberStyle::default, |told| told.style)
    }

    /// Refuses requirements that make no sense whatever the release.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = |problem: String| Err(Error::Requirements(problem));
        if self.k == 0 {
            return wrong("k must be at least 1".to_owned());
        }
        if self.quasi.is_empty() {
            return wrong("no quasi-identifier is named, so there are no classes".to_owned());
        }
        let mut seen = BTreeSet::new();
        for column in &self.quasi {
            if !seen.insert(column) {
                return wrong(format!("the quasi-identifier `{column}` is named twice"));
            }
        }
        if let Some(column) = self.narrowing.iter().find(|column| !seen.insert(column)) {
            return wrong(format!("`{column}` narrows classes, and is named twice"));
        }
        if self.wildcards && !self.narrowing.is_empty() {
            return wrong(
                "narrowing needs classes, and there are none where `*` matches anything".to_owned(),
            );
        }
        if let Some(column) = self.unit.as_ref().filter(|column| seen.contains(column)) {
            return wrong(format!(
                "`{column}` cannot be both the unit of protection and a quasi-identifier: choose one"
            ));
        }
        if let Err(problem) = self.risks.check() {
            return wrong(problem);
        }
        let strict = self.risks.population.as_ref();
        let strict = strict.is_some_and(|it| it.presence.is_some() || it.unique.is_some());
        if let Some(name) = self.quasi.iter().find(|name| strict && self.unchecked.contains(name)) {
            return wrong(format!(
                "`{name}` is not compared with the population, so presence and uniqueness \
                 there cannot be measured"
            ));
        }
        if self.wildcards && self.risks.needs_classes() {
            return wrong(
                "risks need classes, and there are none where `*` matches anything".to_owned(),
            );
        }
        if self.unit.is_some() && self.risks.known.is_some() {
            return wrong(
                "k for known columns counts rows, not units: leave out one of them".to_owned(),
            );
        }
        let widths = self.risks.population.iter().flat_map(|it| it.people.iter());
        if widths.into_iter().any(|(values, _)| values.len() != self.quasi.len()) {
            return wrong("the population lacks a value for some quasi-identifier".to_owned());
        }
        if self.wildcards && self.unit.is_some() {
            return wrong(
                "a unit needs classes, and there are none where `*` matches anything".to_owned(),
            );
        }
        if let Some(column) = self.identifying.iter().find(|column| seen.contains(column)) {
            return wrong(format!(
                "`{column}` cannot be both identifying and a quasi-identifier: choose one"
            ));
        }
        for SensitiveModel { column, model, overall, .. } in &self.models {
            let total = overall.iter().flatten().map(|&(_, count)| u128::from(count)).sum::<u128>();
            // Above that, products with the counts of a class would not fit into 128 bits.
            if overall.is_some() && !(1..=1 << 48).contains(&total) {
                return wrong(format!(
                    "the overall distribution given for column `{column}` has {total} rows in all"
                ));
            }
            if let Err(problem) = model.check() {
                return wrong(format!("{model} for column `{column}`: {problem}"));
            }
            let hierarchical =
                matches!(model, Model::TCloseness { distance: Distance::Hierarchical, .. });
            if hierarchical && !self.ladders.contains_key(column) {
                return wrong(format!(
                    "the hierarchical distance for column `{column}` needs that column's hierarchy"
                ));
            }
        }
        Ok(())
    }
}

/// A model that a sensitive column has to satisfy in every class.
#[derive(Debug, Clone, PartialEq)]
pub struct SensitiveModel {
    /// The sensitive column.
    pub column: String,
    /// The model.
    pub model: Model,
    /// The distribution over the whole table that t-closeness, beta-likeness and delta-disclosure
    /// compare with, as values and counts. Where it is not given, that of the original is used if
    /// there is an original with this column, and that of the release otherwise.
    pub overall: Option<Vec<(String, u64)>>,
    /// The order of the values for the ordered distance. Where it is not given, numbers order
    /// themselves (missing first); other values take the order of the column's hierarchy, or else
    /// that of `overall`, or else that of first appearance.
    pub order: Option<Vec<String>>,
}

impl SensitiveModel {
    /// A model with the overall distribution and the order found by themselves.
    pub fn new(column: impl Into<String>, model: Model) -> Self {
        SensitiveModel { column: column.into(), model, overall: None, order: None }
    }
}

/// A condition on the values of a sensitive column within a class.
///
/// In the definitions, q is a value's share of the class and p its share of the whole table.
/// Sums of floating-point terms are compared with a tolerance of 1e-9.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// At least l distinct values.
    DistinctL(u64),
    /// The entropy (natural logarithm) is at least ln l.
    EntropyL(f64),
    /// With the counts sorted downwards, r1 < c (r_l + ... + r_m).
    RecursiveCL {
        /// The factor c.
        c: f64,
        /// From which count on the tail is summed.
        l: u64,
    },
    /// The distance between the class's distribution and the whole table's is at most t.
    TCloseness {
        /// The threshold.
        t: f64,
        /// The ground distance between values.
        distance: Distance,
    },
    /// No value's share of the class is above alpha.
    AlphaK(f64),
    /// (q - p) / p is at most beta for every value with q > p.
    BasicBeta(f64),
    /// (q - p) / p is at most the smaller of beta and -ln p for every value with q > p.
    EnhancedBeta(f64),
    /// |ln(q / p)| < delta for every value of the whole table. A class that lacks one of the
    /// table's values therefore fails.
    DeltaDisclosure(f64),
}

/// The ground distance between two values for t-closeness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// All values are equally far apart: half the sum of the differences.
    Equal,
    /// Values lie on a line, one step apart, scaled to length 1: earth mover's distance.
    Ordered,
    /// Two values are as far apart as their closest common ancestor is high, scaled to 1.
    Hierarchical,
}

impl Model {
    fn check(&self) -> Result<(), &'static str> {
        let (fine, problem) = match *self {
            Model::DistinctL(l) => (l >= 1, "l must be at least 1"),
            Model::EntropyL(l) => (l >= 1.0 && l.is_finite(), "l must be at least 1"),
            Model::RecursiveCL { c, l } => {
                (c > 0.0 && c.is_finite() && l >= 1, "c must be above 0 and l at least 1")
            }
            Model::TCloseness { t, .. } => ((0.0..=1.0).contains(&t), "t must lie in 0 to 1"),
            Model::AlphaK(alpha) => (alpha > 0.0 && alpha <= 1.0, "alpha must lie in 0 to 1"),
            Model::BasicBeta(beta) | Model::EnhancedBeta(beta) => {
                (beta > 0.0 && beta.is_finite(), "beta must be above 0")
            }
            Model::DeltaDisclosure(delta) => {
                (delta > 0.0 && delta.is_finite(), "delta must be above 0")
            }
        };
        if fine { Ok(()) } else { Err(problem) }
    }

    /// Whether the model compares the class with the whole table.
    pub fn needs_overall(&self) -> bool {
        match self {
            Model::DistinctL(_)
            | Model::EntropyL(_)
            | Model::RecursiveCL { .. }
            | Model::AlphaK(_) => false,
            Model::TCloseness { .. }
            | Model::BasicBeta(_)
            | Model::EnhancedBeta(_)
            | Model::DeltaDisclosure(_) => true,
        }
    }

    /// Whether a class with that t, beta or delta meets it; models of other quantities are met by any.
    pub(crate) fn is_met_by(&self, measured: f64) -> bool {
        match *self {
            Model::TCloseness { t: bound, .. }
            | Model::BasicBeta(bound)
            | Model::EnhancedBeta(bound) => measured <= bound + 1e-9,
            Model::DeltaDisclosure(delta) => measured < delta,
            _ => true,
        }
    }

    /// The letter of the quantity that is measured.
    pub(crate) fn letter(&self) -> &'static str {
        match self {
            Model::DistinctL(_) | Model::EntropyL(_) => "l",
            Model::RecursiveCL { .. } => "c",
            Model::TCloseness { .. } => "t",
            Model::AlphaK(_) => "alpha",
            Model::BasicBeta(_) | Model::EnhancedBeta(_) => "beta",
            Model::DeltaDisclosure(_) => "delta",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Model::DistinctL(l) => write!(f, "distinct {l}-diversity"),
            Model::EntropyL(l) => write!(f, "entropy {l}-diversity"),
            Model::RecursiveCL { c, l } => write!(f, "recursive ({c}, {l})-diversity"),
            Model::TCloseness { t, distance } => write!(
                f,
                "{t}-closeness ({} distance)",
                match distance {
                    Distance::Equal => "equal",
                    Distance::Ordered => "ordered",
                    Distance::Hierarchical => "hierarchical",
                }
            ),
            Model::AlphaK(alpha) => write!(f, "({alpha}, k)-anonymity"),
            Model::BasicBeta(beta) => write!(f, "basic {beta}-likeness"),
            Model::EnhancedBeta(beta) => write!(f, "enhanced {beta}-likeness"),
            Model::DeltaDisclosure(delta) => write!(f, "{delta}-disclosure privacy"),
        }
    }
}
