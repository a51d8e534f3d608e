//! How far the ends of a release's ranges are rounded outwards.

use super::Release;
use crate::cost::released;
use crate::problem::Problem;
use crate::value::{Attribute, Decimal, RangeRounding};

/// Rounding that nobody has asked for may make the labels of a column say so much less, and no more.
const SPARING: f64 = 0.01;

impl Problem {
    /// The same problem with steps to which the ends of ranges are rounded where they are shown, chosen for a release
    /// of it with tight ends. Releases have to be made anew from it; searches do not see any of this.
    pub fn with_rounded_ends(mut self, ranges: RangeRounding, tight: &Release) -> Self {
        let step_of = |at: usize, attribute: &Attribute| match ranges {
            RangeRounding::Tight | RangeRounding::Fixed => None,
            RangeRounding::Rounded => attribute.readable_steps().first().copied(),
            RangeRounding::Sparing => sparing_step(at, attribute, tight),
        };
        let steps: Vec<Option<Decimal>> = self
            .attributes
            .iter()
            .enumerate()
            .map(|(at, attribute)| step_of(at, attribute))
            .collect();
        for (attribute, step) in self.attributes.iter_mut().zip(steps) {
            attribute.step = step;
        }
        self
    }
}

/// The largest step by which the labels of a column say at most a hundredth less than they do.
fn sparing_step(at: usize, attribute: &Attribute, tight: &Release) -> Option<Decimal> {
    let steps = attribute.readable_steps();
    if steps.is_empty() {
        return None;
    }
    let groups = tight.classes.groups[at].as_slice();
    let mut rows = vec![0_u64; groups.len()];
    for class in tight.classes.released() {
        rows[tight.classes.ids_of(class)[at] as usize] += tight.classes.sizes[class];
    }
    let price = |attribute: &Attribute| -> f64 {
        let held = groups.iter().zip(&rows).filter(|(_, rows)| **rows > 0);
        held.map(|(group, &rows)| rows as f64 * released::price(attribute, &attribute.shown(group)))
            .sum()
    };
    let most = price(attribute) * (1.0 + SPARING);
    let mut rounded = attribute.clone();
    steps.into_iter().find(|&step| {
        rounded.step = Some(step);
        price(&rounded) <= most
    })
}
