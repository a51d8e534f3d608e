//! The space of cut sets: single-dimensional recoding by intervals.
//!
//! A *cut* is a boundary between two neighbouring values of an attribute. A set of cuts divides every
//! attribute into intervals, and the rows into classes: the boxes of the grid. This is the space of
//! Bayardo and Agrawal's paper, and several algorithms search it: they share the [`CutSpace`], which says
//! what may be cut and what a cut set costs, and nothing else.
//!
//! Costs are whole numbers here, so that sums do not depend on their order and "not below" means just
//! that. Metrics that are fractions are counted in small units, rounded down ([`ClassPricing::Widths`]).

mod axis;
mod class_pricing;
mod climb;
mod nearest_division;
mod polish;
mod set;
mod space;

pub(crate) use axis::{Axis, CutDecision};
pub(crate) use class_pricing::{ClassPricing, IntervalPrices, units};
pub(crate) use climb::{ClimbBudget, ClimbIncumbent, ProgressObserver, climb};
pub(crate) use nearest_division::NearestDivision;
pub(crate) use polish::polish;
pub(crate) use set::{CutCost, CutSet};
pub(crate) use space::{CutSpace, ProfileGrid};

use crate::kit::{Result, words};
use crate::problem::Problem;

/// What may be cut, beside the rules that attributes carry themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutRules {
    /// Whether attributes with a hierarchy are cut along its nodes only.
    pub along_tree: bool,
    /// Attributes with more values are put into so many bins beforehand; 0 for never.
    pub most_values: usize,
}

impl Default for CutRules {
    fn default() -> Self {
        CutRules { along_tree: false, most_values: 128 }
    }
}

impl CutRules {
    /// Which columns of a problem are put into bins beforehand, and where the bins start: a sentence
    /// for each.
    pub fn notes(&self, problem: &Problem) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        for (at, attribute) in problem.attributes.iter().enumerate() {
            let axis = Axis::new(attribute, &problem.marginal(at), *self)?;
            let Some(bins) = axis.bins() else { continue };
            let starts: Vec<String> = (0..bins)
                .map(|bin| attribute.domain.label(axis.codes(bin..bin + 1).start).to_owned())
                .collect();
            notes.push(format!(
                "column {:?} has {} values: put into {} bins before the search, which start at {}",
                attribute.name,
                words::thousands(attribute.domain.len() as u64),
                bins,
                starts.join(", ")
            ));
        }
        Ok(notes)
    }
}

/// Turns mixed second differences at (i, j) into the sums over i >= first and j < end, for all intervals of
/// an axis: an entry stands at `first * (values + 1) + end`.
pub(crate) fn sum_up(table: &mut [u64], values: usize) {
    let width = values + 1;
    for first in (0..values).rev() {
        let mut sum = 0u64;
        for end in 0..=values {
            let here = table[first * width + end];
            let below = if first + 1 < values { table[(first + 1) * width + end] } else { 0 };
            table[first * width + end] = sum.wrapping_add(below);
            sum = sum.wrapping_add(here);
        }
    }
}
