//! What a release costs: the metrics of information loss.
//!
//! Nearly every metric is a sum over classes, and the ones that look at values are sums over attributes
//! of a price per released group. So a metric is one file with one pricing function, and all of them
//! are measured in one walk over the classes
//! ([`Measures`](crate::release::LossMeasures)).

pub(crate) mod average;
pub(crate) mod blanks;
pub(crate) mod cm;
pub(crate) mod dm;
pub(crate) mod entropy;
pub(crate) mod geometric;
pub(crate) mod loss;
pub(crate) mod ncp;
pub(crate) mod precision;
pub(crate) mod released;

use serde::{Deserialize, Serialize};

pub use average::AverageClassSize;

use crate::value::{Attribute, Group};

/// What is minimized.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Discernibility: the sum over rows of the size of the crowd each stands in.
    Dm,
    /// Classification: rows outside their class's majority label.
    Cm,
    /// Normalized certainty penalty, weighted.
    #[default]
    Ncp,
    /// Iyengar's loss, weighted.
    Loss,
    /// Iyengar's loss with the geometric mean over attributes.
    GeometricLoss,
    /// One minus Sweeney's precision.
    Precision,
    /// Non-uniform entropy.
    Entropy,
    /// Average class size: released rows per class.
    AverageClassSize,
    /// Blanked cells, weighted.
    Blanks,
}

impl Metric {
    /// All metrics, in the order in which they are listed.
    pub const ALL: [Metric; 9] = [
        Metric::Dm,
        Metric::Cm,
        Metric::Ncp,
        Metric::Loss,
        Metric::GeometricLoss,
        Metric::Precision,
        Metric::Entropy,
        Metric::AverageClassSize,
        Metric::Blanks,
    ];

    /// The name used on the command line and in spec files.
    pub fn name(&self) -> &'static str {
        match self {
            Metric::Dm => "dm",
            Metric::Cm => "cm",
            Metric::Ncp => "ncp",
            Metric::Loss => "loss",
            Metric::GeometricLoss => "geometric-loss",
            Metric::Precision => "precision",
            Metric::Entropy => "entropy",
            Metric::AverageClassSize => "average-class-size",
            Metric::Blanks => "blanks",
        }
    }

    /// The metric of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// What it measures, in a line.
    pub fn about(&self) -> &'static str {
        match self {
            Metric::Dm => {
                "discernibility: the squares of the class sizes; a suppressed row costs n"
            }
            Metric::Cm => {
                "classification: rows outside their class's majority label, and suppressed rows"
            }
            Metric::Ncp => {
                "certainty penalty: how wide released values are, summed over rows and attributes"
            }
            Metric::Loss => "Iyengar's loss: how wide released values are, averaged, from 0 to 1",
            Metric::Precision => {
                "one minus Sweeney's precision: how far up the hierarchies values went"
            }
            Metric::GeometricLoss => {
                "Iyengar's loss with the geometric mean over attributes, from 0 to 1"
            }
            Metric::Entropy => "non-uniform entropy: bits needed to restore the original values",
            Metric::AverageClassSize => {
                "average class size: released rows per class; suppressed rows cost nothing"
            }
            Metric::Blanks => {
                "blanked cells, each with its column's weight; a suppressed row is blank throughout"
            }
        }
    }

    /// Whether a release pays for the rows that it suppresses. Otherwise a search must not suppress any
    /// unless it is told how many.
    pub fn prices_suppression(&self) -> bool {
        !matches!(self, Metric::AverageClassSize)
    }

    /// Whether the cost is a sum over rows, which a search over cut sets needs.
    pub fn is_a_sum(&self) -> bool {
        !matches!(self, Metric::GeometricLoss | Metric::AverageClassSize)
    }
}

/// What a row pays for a released group of an attribute under the certainty penalty, from 0 to 1.
pub fn certainty_penalty(attribute: &Attribute, group: &Group) -> f64 {
    ncp::price(attribute, group)
}

/// The geometric mean of attributes' mean losses: pairs of loss and weight.
pub(crate) fn geometric_mean(losses: impl Iterator<Item = (f64, f64)>) -> f64 {
    geometric::of(losses)
}

/// The metrics that charge each row and attribute for its released group, as one function of the group.
pub(crate) struct GroupPrice<'a> {
    attributes: &'a [Attribute],
    metric: Metric,
    pricings: Vec<entropy::EntropyPricing>,
    /// What a weighted price is divided by.
    divisor: f64,
}

impl<'a> GroupPrice<'a> {
    /// The prices of a metric other than the two that look at classes, for a table of so many rows of which
    /// `marginals` says how many carry each value of each attribute.
    pub(crate) fn new(
        attributes: &'a [Attribute],
        marginals: impl Iterator<Item = Vec<u64>>,
        rows: u64,
        metric: Metric,
    ) -> Self {
        let rows = rows as f64;
        let divisor = match metric {
            Metric::Loss => rows * attributes.iter().map(|a| a.weight).sum::<f64>(),
            Metric::GeometricLoss => rows,
            Metric::Precision => rows * attributes.len() as f64,
            _ => 1.0,
        };
        let pricings = marginals.map(entropy::EntropyPricing::new).collect();
        GroupPrice { attributes, metric, pricings, divisor }
    }

    /// What a row pays for a released group of an attribute.
    pub(crate) fn of(&self, at: usize, group: &Group) -> f64 {
        let attribute = &self.attributes[at];
        let price = match self.metric {
            Metric::Loss => attribute.weight * loss::price(attribute, group),
            Metric::GeometricLoss => loss::price(attribute, group),
            Metric::Precision => precision::price(attribute, group),
            Metric::Entropy => self.pricings[at].group(attribute, group),
            Metric::Blanks => attribute.weight * blanks::price(attribute, group),
            _ => attribute.weight * ncp::price(attribute, group),
        };
        price / self.divisor
    }

    /// What a row pays for text of which its label tells so many values one by one, by the certainty penalty, loss or
    /// precision. No label of as many values costs less.
    pub(crate) fn of_listed(&self, at: usize, count: usize) -> f64 {
        let attribute = &self.attributes[at];
        let price = match self.metric {
            Metric::Loss => attribute.weight * loss::of_listed(attribute, count),
            Metric::Precision => f64::from(u8::from(count > 1)),
            _ => attribute.weight * ncp::of_listed(attribute, count),
        };
        price / self.divisor
    }

    /// Whether an attribute is priced by how many values a group holds: text that is not released as one node.
    pub(crate) fn counts_values(&self, at: usize) -> bool {
        let attribute = &self.attributes[at];
        let is_set = match attribute.hierarchy {
            Some(_) => attribute.shows_nodes() && self.metric != Metric::Precision,
            None => true,
        };
        is_set && !attribute.domain.is_numeric()
    }

    /// What a suppressed row pays.
    pub(crate) fn suppressed(&self) -> f64 {
        (0..self.attributes.len()).map(|at| self.of(at, &Group::Blank)).sum()
    }

    /// What every release pays less than its groups say.
    pub(crate) fn offset(&self) -> f64 {
        match self.metric {
            Metric::Entropy => self.pricings.iter().map(entropy::EntropyPricing::original).sum(),
            _ => 0.0,
        }
    }
}
