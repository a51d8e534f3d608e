//! Ends of ranges that need be nobody's values.
//!
//! The range of a class, `[53-97]`, tells that somebody is 53 and somebody 97. Where an attribute has a step, ranges are
//! told from the multiple of it below to the one above, `[50-100]`: which multiples depends on the ends alone, so groups
//! with the same ends read the same and are one. A single value has no ends to hide and stays.

use super::attribute::{Attribute, ClassSummary};
use super::decimal::Decimal;
use super::group::Group;
use super::label::partition;
use super::scale::{Scale, ValueBounds};

/// How the ends of ranges of numbers are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RangeRounding {
    /// As they are: values of people in the class.
    #[default]
    Tight,
    /// Rounded outwards to multiples of a readable step, the largest of which ten fit into the column.
    Rounded,
    /// Rounded as far as a column's labels say at most a hundredth less by it.
    Sparing,
    /// They are ends of bins, breaks or hierarchies that somebody has given.
    Fixed,
}

/// At least so many steps fit into a column.
const LEAST_STEPS: f64 = 10.0;

/// A range with its ends rounded outwards.
struct OutwardRange {
    low: Option<Decimal>,
    high: Option<Decimal>,
    /// The first and the last value that lie inside.
    codes: (u32, u32),
}

impl Attribute {
    /// Whether groups of its numbers are told by ends that are values of people.
    pub fn tells_ends(&self) -> bool {
        let by_ends = match self.summary {
            ClassSummary::Columns => true,
            ClassSummary::Range => self.hierarchy.is_none(),
            ClassSummary::Mean
            | ClassSummary::Median
            | ClassSummary::Node
            | ClassSummary::Nodes => false,
        };
        // Dates are told in whole units of time, bins by their own ends.
        by_ends
            && matches!(self.domain.scale(), Some(Scale::Numbers(_)))
            && self.bounds().any(ValueBounds::is_point)
    }

    /// Whether labels come from a list that was there before the data: nodes, bins, rounded ends.
    pub fn is_on_fixed_list(&self) -> bool {
        match self.domain.scale() {
            _ if self.summary == ClassSummary::Node => self.hierarchy.is_some(),
            Some(Scale::Numbers(_)) => !self.tells_ends() || self.step.is_some(),
            _ => false,
        }
    }

    /// The steps to which ends can be rounded so that they read well, from the largest down to the smallest that hides
    /// anything: 1, 2 or 5 times a power of ten.
    pub fn readable_steps(&self) -> Vec<Decimal> {
        let places = self.bounds().flat_map(|bounds| [bounds.low, bounds.high]).flatten();
        let finest = -(places.map(Decimal::places).max().unwrap_or(0) as i32);
        let most = self.domain.range() / LEAST_STEPS;
        // Without numbers that differ there is nothing to round.
        if !self.tells_ends() || !most.is_finite() || most <= 0.0 {
            return Vec::new();
        }
        let top = most.log10().floor() as i32;
        let steps = (finest..=top).rev().flat_map(|exponent| {
            [5, 2, 1].into_iter().filter_map(move |digit| Decimal::new(digit, exponent))
        });
        let hides = |step: &Decimal| Decimal::new(1, finest).is_some_and(|finest| *step > finest);
        steps.filter(|step| step.to_f64() <= most).filter(hides).collect()
    }

    /// A shown group with all values between its rounded ends; any other group as it is.
    pub(super) fn between_rounded_ends(&self, group: Group) -> Group {
        match group {
            Group::Range { first, last } => match self.outward(first, last) {
                Some(OutwardRange { codes: (first, last), .. }) => Group::Range { first, last },
                None => group,
            },
            other => other,
        }
    }

    /// A range of numbers with rounded ends; none where ends are not rounded.
    fn outward(&self, first: u32, last: u32) -> Option<OutwardRange> {
        self.outward_to(first, last, self.step.filter(|_| first < last)?)
    }

    /// A shown range of numbers one step coarser: with its ends at multiples of twice the step; of a single value the range of
    /// one step around it.
    pub(crate) fn coarser_range(&self, first: u32, last: u32) -> Option<Group> {
        let step = self.step?;
        let step = if first < last { step.checked_add(step)? } else { step };
        let OutwardRange { codes: (first, last), .. } = self.outward_to(first, last, step)?;
        Some(Group::Range { first, last })
    }

    /// The values from one code to another with ends rounded outwards to multiples of a step.
    fn outward_to(&self, first: u32, last: u32, step: Decimal) -> Option<OutwardRange> {
        let is_number = matches!(self.domain.scale(), Some(Scale::Numbers(_)));
        if !is_number || self.domain.missing_code() == Some(first) {
            return None;
        }
        let (low, high) = (self.domain.bounds(first)?.low, self.domain.bounds(last)?.high);
        let floor = |end: Decimal| end.floor_to(step, Decimal::ZERO);
        let ceil = |end: Decimal| match floor(end)? {
            below if below == end => Some(below),
            below => below.checked_add(step),
        };
        // Numbers with more digits than can be reckoned with keep their ends.
        let low = low.map(|low| floor(low).unwrap_or(low));
        let high = high.map(|high| ceil(high).unwrap_or(high));
        // A multiple of the step is the begin of a range of its own.
        let high = match low.zip(high) {
            Some((low, high)) if low == high => low.checked_add(step),
            _ => high,
        };
        let least = u32::from(self.domain.missing_code().is_some());
        let from = partition(least, first, |code| {
            self.domain.bounds(code).is_some_and(|bounds| bounds.low < low)
        });
        let to = partition(last + 1, self.domain.len() as u32, |code| {
            let end = self.domain.bounds(code).and_then(|bounds| bounds.high);
            high.is_none() || end.zip(high).is_some_and(|(end, high)| end <= high)
        }) - 1;
        Some(OutwardRange { low, high, codes: (from, to) })
    }

    /// The label of a range with rounded ends; none where ends are not rounded.
    pub(super) fn rounded_label(&self, first: u32, last: u32) -> Option<String> {
        let OutwardRange { low, high, .. } = self.outward(first, last)?;
        Some(self.domain.scale()?.label(&ValueBounds { low, high }))
    }

    /// The lowest and the highest end that a release tells of a group; none where it does not lie on a scale.
    pub(crate) fn ends(&self, group: &Group) -> Option<[String; 2]> {
        let (first, last) = self.span(group);
        match (self.outward(first, last), self.domain.scale()) {
            (Some(OutwardRange { low: Some(low), high: Some(high), .. }), Some(scale)) => {
                Some([scale.show(low), scale.show(high)])
            }
            _ => self.domain.ends((first, last)),
        }
    }

    /// What rounded ends add to the width of a shown group within the range of the column.
    pub(crate) fn rounded_width(&self, group: &Group) -> f64 {
        let Group::Range { first, last } = *group else { return 0.0 };
        let Some(outward) = self.outward(first, last) else { return 0.0 };
        let apart = |from: Option<Decimal>, to: Option<Decimal>| {
            from.zip(to).and_then(|(from, to)| to.checked_sub(from)).map_or(0.0, Decimal::to_f64)
        };
        let ends = |code: u32| self.domain.bounds(code);
        let (least, most) =
            (u32::from(self.domain.missing_code().is_some()), self.domain.len() as u32 - 1);
        let below = apart(outward.low, ends(first).and_then(|b| b.low))
            .min(apart(ends(least).and_then(|b| b.low), ends(first).and_then(|b| b.low)));
        let above = apart(ends(last).and_then(|b| b.high), outward.high)
            .min(apart(ends(last).and_then(|b| b.high), ends(most).and_then(|b| b.high)));
        below.max(0.0) + above.max(0.0)
    }

    /// Where its numbers lie.
    fn bounds(&self) -> impl Iterator<Item = &ValueBounds> {
        (0..self.domain.len() as u32).filter_map(|code| self.domain.bounds(code))
    }
}
