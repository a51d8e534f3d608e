//! What classes cost, in whole numbers.

use crate::cost::Metric;
use crate::problem::Problem;

use super::Axis;

/// How a space prices classes.
#[derive(Debug, Clone)]
pub(crate) enum ClassPricing {
    /// Discernibility: n² for a class, all rows for each suppressed one.
    Dm,
    /// Classification: rows outside the majority, and suppressed rows.
    Cm,
    /// Metrics that charge each row and attribute for the width of its interval.
    Widths(IntervalPrices),
}

/// A price per interval of each axis, and per suppressed row.
#[derive(Debug, Clone)]
pub(crate) struct IntervalPrices {
    /// By axis: the price of the interval from `first` to `end` stands at `first * (values + 1) + end`.
    prices: Vec<Vec<u64>>,
    /// How many values each axis has.
    values: Vec<usize>,
    /// What a suppressed row costs.
    pub(crate) suppressed: u64,
    /// How many units make one of the metric.
    scale: f64,
    /// What every solution costs less than its units say, in the metric.
    offset: f64,
}

/// How many units make one of a metric where costs are counted in whole numbers, by what the worst release
/// costs: sums of units stay exact, also as `f64`.
pub(crate) fn units(worst: f64) -> f64 {
    const MOST: f64 = (1u64 << 52) as f64;
    if worst > 0.0 { (MOST / worst).log2().floor().exp2() } else { 1.0 }
}

impl ClassPricing {
    pub(crate) fn new(problem: &Problem, axes: &[Axis]) -> Self {
        match problem.metric {
            Metric::Dm => ClassPricing::Dm,
            Metric::Cm => ClassPricing::Cm,
            metric => ClassPricing::Widths(IntervalPrices::new(problem, axes, metric)),
        }
    }

    /// A share of a cost as it is shown, in units.
    pub(crate) fn share(&self, cost: u64, share: f64) -> u64 {
        let offset = match self {
            ClassPricing::Widths(widths) => widths.offset * widths.scale,
            _ => 0.0,
        };
        ((cost as f64 - offset).max(0.0) * share) as u64
    }

    /// A cost in the metric's own measure.
    pub(crate) fn shown(&self, cost: u64) -> f64 {
        match self {
            ClassPricing::Widths(widths) => (cost as f64 / widths.scale - widths.offset).max(0.0),
            _ => cost as f64,
        }
    }
}

impl IntervalPrices {
    fn new(problem: &Problem, axes: &[Axis], metric: Metric) -> Self {
        let price = problem.group_prices(metric);
        let scale = units(price.suppressed() * problem.rows as f64);
        let prices = axes
            .iter()
            .enumerate()
            .map(|(at, axis)| {
                let attribute = &problem.attributes[at];
                let values = axis.values();
                let mut prices = vec![0; values * (values + 1)];
                for first in 0..values {
                    for end in first + 1..=values {
                        if axis.allows(first, end) || end == first + 1 {
                            let codes: Vec<u32> = axis.codes(first..end).collect();
                            let group = attribute.meant(&attribute.group(&codes));
                            prices[first * (values + 1) + end] =
                                (price.of(at, &group) * scale) as u64;
                        }
                    }
                }
                prices
            })
            .collect();
        IntervalPrices {
            prices,
            values: axes.iter().map(Axis::values).collect(),
            suppressed: (price.suppressed() * scale) as u64,
            scale,
            offset: price.offset(),
        }
    }

    /// The price of an interval, for one row.
    #[inline]
    pub(crate) fn of(&self, axis: usize, first: usize, end: usize) -> u64 {
        self.prices[axis][first * (self.values[axis] + 1) + end]
    }
}
