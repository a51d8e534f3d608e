//! The models beyond k, measured on the histograms of classes.

mod distance;
mod overall;

use crate::error::Result;
use crate::hierarchy::LabelHierarchy;
use crate::intern::ValueDictionary;
use crate::requirements::{Distance, Model, SensitiveModel};
use crate::value::MissingTokens;
use distance::{HierarchicalDistance, OrderedDistance};
pub(crate) use overall::{Histogram, OverallDistribution};

/// Sums of logarithms and ratios are not exact: what misses a bound by less than this meets it.
const TOLERANCE: f64 = 1e-9;

/// A model made ready to be measured on many classes.
pub(crate) struct ModelMeasure {
    model: Model,
    overall: OverallDistribution,
    /// How many values of the table there are.
    support: usize,
    ground: GroundDistance,
}

enum GroundDistance {
    None,
    Ordered(OrderedDistance),
    Tree(HierarchicalDistance),
}

impl ModelMeasure {
    /// `present` says of each value whether it occurs in the release.
    pub(crate) fn new(
        required: &SensitiveModel,
        values: &ValueDictionary,
        missing: &MissingTokens,
        overall: OverallDistribution,
        present: &[bool],
        ladder: Option<&LabelHierarchy>,
    ) -> Result<Self> {
        let ground = match (required.model, ladder) {
            (Model::TCloseness { distance: Distance::Ordered, .. }, _) => GroundDistance::Ordered(
                OrderedDistance::new(required, values, missing, &overall, present, ladder)?,
            ),
            (Model::TCloseness { distance: Distance::Hierarchical, .. }, Some(ladder)) => {
                let column = &required.column;
                GroundDistance::Tree(HierarchicalDistance::new(
                    column, values, missing, &overall, present, ladder,
                )?)
            }
            _ => GroundDistance::None,
        };
        let support = overall.counts.iter().filter(|&&count| count > 0).count();
        Ok(ModelMeasure { model: required.model, overall, support, ground })
    }

    /// The measured quantity of one class: its l, exp of its entropy, the c it needs to exceed,
    /// its t, alpha, beta or delta. `people` are those of the class where they are counted rather than rows: each may
    /// carry several values.
    pub(crate) fn of(&mut self, histogram: &Histogram, people: Option<u64>) -> f64 {
        let size: u64 = histogram.iter().map(|&(_, count)| count).sum();
        match self.model {
            Model::DistinctL(_) => histogram.len() as f64,
            Model::EntropyL(_) => {
                let share = |count: u64| count as f64 / size as f64;
                let terms = histogram.iter().map(|&(_, count)| -share(count) * share(count).ln());
                terms.sum::<f64>().exp()
            }
            Model::RecursiveCL { l, .. } => {
                let mut counts: Vec<u64> = histogram.iter().map(|&(_, count)| count).collect();
                counts.sort_unstable_by(|a, b| b.cmp(a));
                let tail: u64 = counts.iter().skip(l as usize - 1).sum();
                // Where all values are missing there is no variety at all.
                counts.first().map_or(f64::INFINITY, |&most| most as f64 / tail as f64)
            }
            Model::TCloseness { .. } => match &mut self.ground {
                GroundDistance::None => distance::equal(histogram, size, &self.overall),
                GroundDistance::Ordered(ordered) => ordered.of(histogram, size),
                GroundDistance::Tree(tree) => tree.of(histogram, size),
            },
            Model::AlphaK(_) => {
                let most = histogram.iter().map(|&(_, count)| count).max().unwrap_or(0);
                most as f64 / people.unwrap_or(size) as f64
            }
            Model::BasicBeta(_) => self.gains(histogram, size).fold(0.0, f64::max),
            Model::EnhancedBeta(_) => histogram
                .iter()
                .zip(self.gains(histogram, size))
                .map(|(&(value, _), gain)| {
                    let limit = -self.overall.share(value).ln();
                    if gain <= limit + TOLERANCE { gain } else { f64::INFINITY }
                })
                .fold(0.0, f64::max),
            Model::DeltaDisclosure(_) if histogram.len() < self.support => f64::INFINITY,
            Model::DeltaDisclosure(_) => histogram
                .iter()
                .map(|&(value, count)| self.overall.ratio(value, count, size).ln().abs())
                .fold(0.0, f64::max),
        }
    }

    /// (q - p) / p for each value, negative ones as 0.
    fn gains(&self, histogram: &Histogram, size: u64) -> impl Iterator<Item = f64> {
        histogram
            .iter()
            .map(move |&(value, count)| (self.overall.ratio(value, count, size) - 1.0).max(0.0))
    }

    /// Whether a class with that measured quantity satisfies the model.
    pub(crate) fn satisfied(&self, measured: f64) -> bool {
        match self.model {
            Model::DistinctL(l) => measured >= l as f64,
            Model::EntropyL(l) => measured >= l - TOLERANCE,
            Model::RecursiveCL { c, .. } => measured < c,
            Model::TCloseness { t: bound, .. }
            | Model::AlphaK(bound)
            | Model::BasicBeta(bound)
            | Model::EnhancedBeta(bound) => measured <= bound + TOLERANCE,
            Model::DeltaDisclosure(delta) => measured < delta,
        }
    }

    /// The worse of two measured quantities.
    pub(crate) fn worse(&self, a: f64, b: f64) -> f64 {
        match self.model {
            Model::DistinctL(_) | Model::EntropyL(_) => a.min(b),
            _ => a.max(b),
        }
    }
}
