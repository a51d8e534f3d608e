//! What a release costs: the metrics of information loss.
//!
//! Nearly every metric is a sum over classes, and the ones that look at values are sums over attributes
//! of a price per released group. So a metric is one file with one pricing function, and all of them
//! are measured in one walk over the classes.

mod average;
mod blanks;
mod cm;
mod dm;
mod entropy;
mod geometric;
mod loss;
mod ncp;
mod precision;

use serde::{Deserialize, Serialize};

pub use average::AverageClassSize;

use crate::attribute::Attribute;
use crate::problem::Problem;
use crate::recoding::{Classes, Group};

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

/// The geometric mean of attributes' mean losses: pairs of loss and weight.
pub(crate) fn geometric_mean(losses: impl Iterator<Item = (f64, f64)>) -> f64 {
    geometric::of(losses)
}

/// The metrics that charge each row and attribute for its released group, as one function of the group.
pub(crate) struct GroupPrice<'a> {
    problem: &'a Problem,
    metric: Metric,
    pricings: Vec<entropy::Pricing>,
    /// What a weighted price is divided by.
    divisor: f64,
}

impl<'a> GroupPrice<'a> {
    /// The prices of a metric other than the two that look at classes.
    pub(crate) fn new(problem: &'a Problem, metric: Metric) -> Self {
        let attributes = &problem.attributes;
        let rows = problem.rows as f64;
        let divisor = match metric {
            Metric::Loss => rows * attributes.iter().map(|a| a.weight).sum::<f64>(),
            Metric::GeometricLoss => rows,
            Metric::Precision => rows * attributes.len() as f64,
            _ => 1.0,
        };
        let pricings =
            (0..attributes.len()).map(|at| entropy::Pricing::new(problem.marginal(at))).collect();
        GroupPrice { problem, metric, pricings, divisor }
    }

    /// What a row pays for a released group of an attribute.
    pub(crate) fn of(&self, at: usize, group: &Group) -> f64 {
        let attribute = &self.problem.attributes[at];
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

    /// What a suppressed row pays.
    pub(crate) fn suppressed(&self) -> f64 {
        (0..self.problem.attributes.len()).map(|at| self.of(at, &Group::Blank)).sum()
    }

    /// What every release pays less than its groups say.
    pub(crate) fn offset(&self) -> f64 {
        match self.metric {
            Metric::Entropy => self.pricings.iter().map(entropy::Pricing::original).sum(),
            _ => 0.0,
        }
    }
}

/// The normalized certainty penalty of a row whose value of an attribute is released as this group.
pub(crate) fn certainty_penalty(attribute: &Attribute, group: &Group) -> f64 {
    ncp::price(attribute, group)
}

/// Every metric of a release that applies to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Discernibility.
    pub dm: u64,
    /// Classification, where there is a class column.
    pub cm: Option<u64>,
    /// The same as a share of all rows.
    pub cm_share: Option<f64>,
    /// Average class size, with and without the division by k.
    #[serde(flatten)]
    pub average: AverageClassSize,
    /// Certainty penalty, summed.
    pub ncp: f64,
    /// Certainty penalty as a share of the worst case, from 0 to 1.
    pub gcp: f64,
    /// Iyengar's loss, from 0 to 1.
    pub loss: f64,
    /// The same with the geometric mean over attributes.
    pub geometric_loss: f64,
    /// Sweeney's precision, from 0 to 1, where an attribute has a hierarchy.
    pub precision: Option<f64>,
    /// Non-uniform entropy in bits.
    pub entropy: f64,
    /// Blanked cells, weighted.
    pub blanks: f64,
}

impl Measures {
    /// Measures the classes of a problem; those not released count as suppressed.
    pub fn of(problem: &Problem, classes: &Classes) -> Self {
        let rows = problem.rows;
        let unreleased = rows - classes.released_rows();
        let cm = problem.class.map(|column| cm::of(problem, classes, column, unreleased));
        let weights: Vec<f64> =
            problem.attributes.iter().map(|attribute| attribute.weight).collect();
        let total_weight: f64 = weights.iter().sum();

        // Rows per released group: then every price is asked for once per group.
        let mut held: Vec<Vec<u64>> =
            classes.groups.iter().map(|groups| vec![0; groups.as_slice().len()]).collect();
        for class in classes.released() {
            for (held, &id) in held.iter_mut().zip(classes.ids_of(class)) {
                held[id as usize] += classes.sizes[class];
            }
        }
        let (mut ncp, mut climbed, mut bits, mut blanked) = (0.0, 0.0, 0.0, 0.0);
        let mut losses: Vec<f64> = Vec::with_capacity(weights.len());
        for (at, attribute) in problem.attributes.iter().enumerate() {
            let pricing = entropy::Pricing::new(problem.marginal(at));
            let mut loss = 0.0;
            for (group, &held) in classes.groups[at].as_slice().iter().zip(&held[at]) {
                if held == 0 {
                    continue;
                }
                let held = held as f64;
                ncp += weights[at] * held * ncp::price(attribute, group);
                loss += held * loss::price(attribute, group);
                climbed += held * precision::price(attribute, group);
                bits += held * pricing.group(attribute, group);
                blanked += weights[at] * held * blanks::price(attribute, group);
            }
            let lost = unreleased as f64;
            ncp += weights[at] * lost;
            blanked += weights[at] * lost;
            losses.push(loss + lost);
            climbed += lost;
            bits += lost * pricing.everything() - pricing.original();
        }
        let all = rows as f64;
        let has_hierarchy =
            problem.attributes.iter().any(|attribute| attribute.hierarchy.is_some());
        Measures {
            dm: dm::of(classes, rows, unreleased),
            cm,
            cm_share: cm.map(|cm| cm as f64 / all),
            average: AverageClassSize::of(classes, problem.privacy.k),
            ncp,
            gcp: ncp / (all * total_weight),
            loss: losses.iter().zip(&weights).map(|(loss, weight)| loss * weight).sum::<f64>()
                / (all * total_weight),
            geometric_loss: geometric::of(
                losses.iter().map(|loss| loss / all).zip(weights.iter().copied()),
            ),
            precision: has_hierarchy.then(|| 1.0 - climbed / (all * weights.len() as f64)),
            // Rounding can leave a trace below zero.
            entropy: bits.max(0.0),
            blanks: blanked,
        }
    }

    /// The cost under a metric, to be minimized; none where the metric does not apply.
    pub fn cost(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::Dm => Some(self.dm as f64),
            Metric::Cm => self.cm.map(|cm| cm as f64),
            Metric::Ncp => Some(self.ncp),
            Metric::Loss => Some(self.loss),
            Metric::GeometricLoss => Some(self.geometric_loss),
            Metric::Precision => self.precision.map(|precision| 1.0 - precision),
            Metric::Entropy => Some(self.entropy),
            Metric::Blanks => Some(self.blanks),
            // Where nothing is released there is no class to speak of.
            Metric::AverageClassSize => (self.average.rows > 0.0).then_some(self.average.rows),
        }
    }
}
