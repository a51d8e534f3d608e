//! What nodes cost, and what all nodes of a box must cost at least.
//!
//! A box is all nodes between a low and a high one. Where a class that fails has no part that passes, the
//! rows that the high corner suppresses are suppressed in the whole box: they are set aside and pay
//! what suppressed rows pay. All other rows pay at least what they would pay in the low corner if
//! nothing were suppressed there, since on the way up classes only grow and prices only rise.

use super::levels::{AttributeLevel, GeneralizationLattice};
use crate::cost::{Metric, geometric_mean};
use crate::value::Group;

/// How releases are priced.
#[derive(Debug)]
pub(super) enum NodePricing {
    /// Discernibility.
    Dm,
    /// Classification, by that label column.
    Cm(usize),
    /// Average class size.
    Average,
    /// The metrics that charge each row and attribute for its group.
    Groups(LevelPrices),
}

/// Rows that are suppressed in a whole box, and what the others pay.
#[derive(Debug, Clone)]
pub(super) struct BoxSuppression {
    pub(super) rows: u64,
    /// For metrics that price groups, by attribute and level: what all rows that are not set aside pay.
    pub(super) base: Vec<Vec<f64>>,
}

/// A price for every group of every level.
#[derive(Debug)]
pub(super) struct LevelPrices {
    /// By attribute and level: what a row pays, by group.
    prices: Vec<Vec<Vec<f64>>>,
    /// By attribute and level: what all rows pay together.
    base: Vec<Vec<f64>>,
    /// By attribute: what a suppressed row pays.
    blank: Vec<f64>,
    /// What every release pays less than that.
    offset: f64,
    /// The attributes' weights, if their means are multiplied instead of added.
    geometric: Option<Vec<f64>>,
}

impl NodePricing {
    pub(super) fn new(lattice: &GeneralizationLattice<'_>, metric: Metric) -> Self {
        match metric {
            Metric::Dm => NodePricing::Dm,
            // A problem with this metric has a class column.
            Metric::Cm => NodePricing::Cm(lattice.problem.class.unwrap_or(0)),
            Metric::AverageClassSize => NodePricing::Average,
            metric => NodePricing::Groups(LevelPrices::new(lattice, metric)),
        }
    }

    /// No rows set aside.
    pub(super) fn nothing_aside(&self) -> BoxSuppression {
        let base = match self {
            NodePricing::Groups(groups) => groups.base.clone(),
            _ => Vec::new(),
        };
        BoxSuppression { rows: 0, base }
    }

    /// By attribute and level how general it is: in the metric's measure, or in bits.
    pub(super) fn generality(&self, lattice: &GeneralizationLattice<'_>) -> Vec<Vec<f64>> {
        match self {
            NodePricing::Groups(groups) => groups.base.clone(),
            _ => Self::bits(lattice),
        }
    }

    /// By attribute and level the bits that a value is generalized by on average.
    pub(super) fn bits(lattice: &GeneralizationLattice<'_>) -> Vec<Vec<f64>> {
        let bits = |level: &AttributeLevel, marginal: &[u64]| {
            let rows = level.rows(marginal).into_iter().map(|rows| rows as f64);
            rows.map(|rows| rows * rows.max(1.0).log2()).sum::<f64>() / lattice.problem.rows as f64
        };
        let levels = lattice.levels.iter().enumerate();
        levels
            .map(|(at, levels)| {
                let marginal = lattice.problem.marginal(at);
                levels.iter().map(|level| bits(level, &marginal)).collect()
            })
            .collect()
    }
}

impl LevelPrices {
    fn new(lattice: &GeneralizationLattice<'_>, metric: Metric) -> Self {
        let problem = lattice.problem;
        let price = problem.group_prices(metric);
        let (mut prices, mut base) = (Vec::new(), Vec::new());
        for (at, levels) in lattice.levels.iter().enumerate() {
            let marginal = problem.marginal(at);
            let of_level = |level: &AttributeLevel| -> Vec<f64> {
                level.groups.iter().map(|group| price.of(at, group)).collect()
            };
            let all: Vec<Vec<f64>> = levels.iter().map(of_level).collect();
            base.push(
                levels
                    .iter()
                    .zip(&all)
                    .map(|(level, prices)| paid(&level.rows(&marginal), prices))
                    .collect(),
            );
            prices.push(all);
        }
        let weights = || problem.attributes.iter().map(|attribute| attribute.weight).collect();
        LevelPrices {
            prices,
            base,
            blank: (0..lattice.width()).map(|at| price.of(at, &Group::Blank)).collect(),
            offset: price.offset(),
            geometric: (metric == Metric::GeometricLoss).then(weights),
        }
    }

    /// What a node costs that suppresses so many rows of each attribute's groups, besides those aside.
    pub(super) fn cost(
        &self,
        node: &[u32],
        aside: &BoxSuppression,
        suppressed: &[Vec<u64>],
    ) -> f64 {
        self.total(node.iter().enumerate().map(|(at, &level)| {
            let level = level as usize;
            let rows: u64 = suppressed[at].iter().sum();
            aside.base[at][level] - paid(&suppressed[at], &self.prices[at][level])
                + self.blank[at] * (rows + aside.rows) as f64
        }))
    }

    /// What every node at least as general as `low` costs at least.
    pub(super) fn floor(&self, low: &[u32], aside: &BoxSuppression) -> f64 {
        self.total(low.iter().enumerate().map(|(at, &level)| self.least(at, level, aside)))
    }

    /// The same for the nodes in which an attribute is at least at a level.
    pub(super) fn floor_from(
        &self,
        low: &[u32],
        aside: &BoxSuppression,
        raised: usize,
        to: u32,
    ) -> f64 {
        self.total(
            low.iter()
                .enumerate()
                .map(|(at, &level)| self.least(at, if at == raised { to } else { level }, aside)),
        )
    }

    fn least(&self, at: usize, level: u32, aside: &BoxSuppression) -> f64 {
        aside.base[at][level as usize] + self.blank[at] * aside.rows as f64
    }

    /// Takes rows, counted by their groups in `node`, out of what is paid at an attribute's levels.
    pub(super) fn set_aside(
        &self,
        lattice: &GeneralizationLattice<'_>,
        at: usize,
        node: &[u32],
        rows: &[u64],
        base: &mut [f64],
    ) {
        let from = lattice.level(node, at);
        let levels = lattice.levels[at].iter().zip(&self.prices[at]).zip(base);
        for ((level, prices), base) in levels.skip(node[at] as usize) {
            let price = |code: &u32| prices[level.of_code[*code as usize] as usize];
            let paid = |(rows, code): (&u64, &u32)| *rows as f64 * price(code);
            // Rounding can leave a trace below zero.
            *base = (*base - rows.iter().zip(&from.example).map(paid).sum::<f64>()).max(0.0);
        }
    }

    fn total(&self, paid: impl Iterator<Item = f64>) -> f64 {
        match &self.geometric {
            Some(weights) => geometric_mean(paid.zip(weights.iter().copied())),
            None => (paid.sum::<f64>() - self.offset).max(0.0),
        }
    }
}

fn paid(rows: &[u64], prices: &[f64]) -> f64 {
    rows.iter().zip(prices).map(|(&rows, price)| rows as f64 * price).sum()
}
