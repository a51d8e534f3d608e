//! What a release costs, by every metric, measured in one walk over its classes.

use serde::{Deserialize, Serialize};

use super::Release;
use super::classes::EquivalenceClasses;
use crate::cost::{
    AverageClassSize, Metric, blanks, cm, dm, entropy, geometric, loss, ncp, precision, released,
};
use crate::problem::Problem;
use crate::value::GroupSet;

/// Every metric of a release that applies to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LossMeasures {
    /// Discernibility; `u64::MAX` stands for all above it.
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
    /// What the labels leave open as they are printed, weighted and averaged over rows and columns, from 0 to 1.
    #[serde(default)]
    pub released_gcp: f64,
}

impl LossMeasures {
    /// Measures the classes of a problem; those not released count as suppressed.
    pub fn of(problem: &Problem, classes: &EquivalenceClasses) -> Self {
        let rows = problem.rows;
        let unreleased = rows - classes.released_rows();
        let cm = problem
            .class
            .map(|column| minorities(problem, classes, classes.released(), column) + unreleased);
        let weights: Vec<f64> =
            problem.attributes.iter().map(|attribute| attribute.weight).collect();
        let total_weight: f64 = weights.iter().sum();

        // Rows per released group: then every price is asked for once per group.
        let shown = held(
            &classes.groups,
            classes.released().map(|class| (classes.ids_of(class), classes.sizes[class])),
        );
        let width = problem.attributes.len();
        let meant = classes.meant.as_ref().map(|meant| {
            let parts = meant.ids.chunks_exact(width).zip(&meant.sizes).zip(&meant.class_of);
            let released = parts.filter(|(_, class)| {
                classes.released.get(**class as usize).is_some_and(|released| *released)
            });
            held(&meant.groups, released.map(|((ids, &size), _)| (ids, size)))
        });
        let groups = classes.meant.as_ref().map_or(&classes.groups, |meant| &meant.groups);
        let rows_of = meant.as_ref().unwrap_or(&shown);
        let (mut ncp, mut climbed, mut bits, mut blanked, mut printed) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let mut losses: Vec<f64> = Vec::with_capacity(weights.len());
        for (at, attribute) in problem.attributes.iter().enumerate() {
            let pricing = entropy::EntropyPricing::new(problem.marginal(at));
            let mut loss = 0.0;
            for (group, &held) in groups[at].as_slice().iter().zip(&rows_of[at]) {
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
            for (group, &held) in classes.groups[at].as_slice().iter().zip(&shown[at]) {
                if held > 0 {
                    printed += weights[at] * held as f64 * released::price(attribute, group);
                }
            }
            let lost = unreleased as f64;
            ncp += weights[at] * lost;
            blanked += weights[at] * lost;
            printed += weights[at] * lost;
            losses.push(loss + lost);
            climbed += lost;
            bits += lost * pricing.everything() - pricing.original();
        }
        let all = rows as f64;
        let has_hierarchy =
            problem.attributes.iter().any(|attribute| attribute.hierarchy.is_some());
        LossMeasures {
            dm: dm::of(classes.released().map(|class| classes.sizes[class]), rows, unreleased),
            cm,
            cm_share: cm.map(|cm| cm as f64 / all),
            average: AverageClassSize::of(
                classes.released_rows(),
                classes.released().count(),
                problem.privacy.k,
            ),
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
            released_gcp: printed / (all * total_weight),
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

/// What a release loses, measured over its own rows by their own values: nothing in it depends on rows that are suppressed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReleasedMeasures {
    /// The mean certainty penalty, weighted by attribute, from 0 to 1.
    pub lost: f64,
    /// Discernibility: the squares of the class sizes, summed; `u64::MAX` stands for all above it.
    pub discernibility: u64,
    /// Rows of a class on average.
    pub average_class: f64,
    /// The share of rows that are not of their class's majority, where there is a class column; rows that are blank
    /// throughout are left out.
    pub outside_majority: Option<f64>,
}

impl ReleasedMeasures {
    /// Measures a release as it is seen; `kept` is how much is kept of each attribute.
    pub fn of(problem: &Problem, release: &Release, kept: &[f64]) -> Self {
        let (sizes, rows) = (release.shown_sizes(), release.rows());
        let classes = &release.classes;
        let told = || classes.released().filter(|&class| !classes.is_blank(class));
        let told_rows: u64 = told().map(|class| classes.sizes[class]).sum();
        let weights = || problem.attributes.iter().map(|attribute| attribute.weight);
        let lost: f64 = weights().zip(kept).map(|(weight, kept)| weight * (1.0 - kept)).sum();
        let minority = |column| minorities(problem, classes, told(), column) as f64;
        let squares = sizes.iter().map(|&size| size.saturating_mul(size));
        ReleasedMeasures {
            lost: lost / weights().sum::<f64>().max(f64::MIN_POSITIVE),
            discernibility: squares.fold(0, u64::saturating_add),
            average_class: rows as f64 / sizes.len().max(1) as f64,
            outside_majority: problem
                .class
                .map(|column| minority(column) / told_rows.max(1) as f64),
        }
    }
}

/// How many rows carry each group of each attribute.
fn held<'a>(groups: &[GroupSet], classes: impl Iterator<Item = (&'a [u32], u64)>) -> Vec<Vec<u64>> {
    let mut held: Vec<Vec<u64>> =
        groups.iter().map(|groups| vec![0; groups.as_slice().len()]).collect();
    for (ids, size) in classes {
        for (held, &id) in held.iter_mut().zip(ids) {
            held[id as usize] += size;
        }
    }
    held
}

/// Rows of some classes that are not of their class's majority in a column.
fn minorities(
    problem: &Problem,
    classes: &EquivalenceClasses,
    some: impl Iterator<Item = usize>,
    column: usize,
) -> u64 {
    let mut tally = problem.targets.tally();
    let minority = |class: usize| {
        classes.fill(class, &problem.targets, &mut tally);
        cm::minority(&tally, column)
    };
    some.map(minority).sum()
}
