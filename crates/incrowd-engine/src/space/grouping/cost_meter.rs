//! What a grouping costs, from a few sums over its classes.

use crate::cost::{GroupPrice, Metric, geometric_mean};
use crate::kit::words;
use crate::problem::Problem;
use crate::search::Solution;
use crate::space::cuts::{ProfileGrid, units};
use crate::value::{Attribute, Group};

/// What a search says that found nothing within the limit, though there may be something.
pub(crate) fn nothing_found(problem: &Problem, excess: u64, steps: u64) -> Solution {
    let limit = problem.limit.rows(problem.rows, 0);
    let why = format!(
        "the search found no grouping that suppresses at most {} (the nearest: {} more), but \
         one may exist",
        words::count(limit, "row", "rows"),
        words::thousands(excess)
    );
    Solution::infeasible(why, steps)
}

/// Sums over classes. They are whole numbers, so that adding a change and taking it back leaves no trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ClassSums {
    /// Rows in classes that fail.
    pub(super) suppressed: u64,
    /// Classes that pass.
    pub(super) classes: u64,
    /// Over the classes that pass: squares of sizes, or rows outside the majority.
    pub(super) crowd: u64,
    /// By axis: what the rows that are released pay for their groups, in units.
    pub(super) widths: Vec<u64>,
}

/// How a metric looks at classes.
enum CostBasis {
    /// At their sizes.
    Sizes,
    /// At the majority of a label column.
    Majority,
    /// At how many there are.
    Number,
    /// At the groups of their rows.
    Groups,
}

/// A metric as a function of [`ClassSums`].
pub(super) struct CostMeter<'a> {
    problem: &'a Problem,
    look: CostBasis,
    price: GroupPrice<'a>,
    /// How many units make one of the metric.
    scale: f64,
    /// What a suppressed row pays, in all and for each attribute.
    suppressed: f64,
    blank: Vec<f64>,
    /// The most rows that may be suppressed.
    limit: u64,
}

impl<'a> CostMeter<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let metric = problem.metric;
        let price = problem.group_prices(metric);
        let suppressed = price.suppressed();
        // A release need not pay for what it suppresses: then nothing is, unless the user says so.
        let default = if metric.prices_suppression() { problem.rows } else { 0 };
        CostMeter {
            look: match metric {
                Metric::Dm => CostBasis::Sizes,
                Metric::Cm => CostBasis::Majority,
                Metric::AverageClassSize => CostBasis::Number,
                _ => CostBasis::Groups,
            },
            scale: units(suppressed * problem.rows as f64),
            blank: (0..problem.attributes.len()).map(|at| price.of(at, &Group::Blank)).collect(),
            limit: problem.limit.rows(problem.rows, default),
            problem,
            price,
            suppressed,
        }
    }

    /// Whether groups have prices.
    pub(super) fn looks_at_groups(&self) -> bool {
        matches!(self.look, CostBasis::Groups)
    }

    /// The label column whose majority counts.
    pub(super) fn majority_of(&self) -> Option<usize> {
        self.problem.class.filter(|_| matches!(self.look, CostBasis::Majority))
    }

    /// What a class that passes adds to the crowd; its histogram is that of the class column, if that
    /// counts.
    #[inline]
    pub(super) fn crowd(&self, size: u64, histogram: &[u32]) -> u64 {
        match self.look {
            CostBasis::Sizes => size * size,
            CostBasis::Majority => size - u64::from(histogram.iter().copied().max().unwrap_or(0)),
            CostBasis::Number | CostBasis::Groups => 0,
        }
    }

    /// What a row pays for a group of values of an axis, in units.
    pub(super) fn group(&self, grid: &ProfileGrid<'_>, axis: usize, values: &[u16]) -> u64 {
        let attribute = &self.problem.attributes[axis];
        let group = attribute.meant(&group(attribute, grid, axis, values));
        (self.price.of(axis, &group) * self.scale) as u64
    }

    /// The cost, as if there were no limit.
    fn cost(&self, sums: &ClassSums) -> f64 {
        let rows = self.problem.rows;
        let lost = sums.suppressed;
        match self.look {
            CostBasis::Sizes => (sums.crowd + rows * lost) as f64,
            CostBasis::Majority => (sums.crowd + lost) as f64,
            CostBasis::Number if sums.classes == 0 => f64::INFINITY,
            CostBasis::Number => (rows - lost) as f64 / sums.classes as f64,
            CostBasis::Groups if self.problem.metric == Metric::GeometricLoss => {
                let weights = self.problem.attributes.iter().map(|attribute| attribute.weight);
                let losses = sums.widths.iter().zip(&self.blank);
                let losses =
                    losses.map(|(&units, blank)| units as f64 / self.scale + lost as f64 * blank);
                geometric_mean(losses.zip(weights))
            }
            CostBasis::Groups => {
                let released = sums.widths.iter().sum::<u64>() as f64 / self.scale;
                let cost = released + lost as f64 * self.suppressed - self.price.offset();
                cost.max(0.0)
            }
        }
    }

    /// How good a grouping with these sums is.
    pub(super) fn standing(&self, sums: &ClassSums) -> GroupingScore {
        GroupingScore { excess: sums.suppressed.saturating_sub(self.limit), cost: self.cost(sums) }
    }
}

/// How good a grouping is: less is better.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct GroupingScore {
    /// How many rows too many it suppresses.
    pub(crate) excess: u64,
    /// What it costs, as if there were no limit.
    pub(crate) cost: f64,
}

/// The released group of some values of an axis, ascending.
pub(super) fn group(
    attribute: &Attribute,
    grid: &ProfileGrid<'_>,
    axis: usize,
    values: &[u16],
) -> Group {
    let axis = &grid.axes[axis];
    let codes: Vec<u32> = values
        .iter()
        .flat_map(|&value| axis.codes(usize::from(value)..usize::from(value) + 1))
        .collect();
    attribute.exact_group(&codes)
}
