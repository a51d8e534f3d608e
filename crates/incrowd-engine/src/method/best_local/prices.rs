//! What a group of rows costs.
//!
//! The metrics that the search minimizes charge a row the sum over attributes of a price that depends on
//! the group's values in one of two ways only. A *span* attribute (numbers, and text that is released as a
//! node of a hierarchy) is priced by its lowest and its highest code; a *set* attribute (other text) by how
//! many values there are, as long as its label tells them one by one. Beyond that the price is that of the
//! label which stands for the set. Missing beside other values is released blank either way.
//!
//! Prices are those of the metric divided by what a suppressed row costs, so a row costs from 0 to 1.

use crate::cost::{GroupPrice, Metric, released};
use crate::problem::Problem;
use crate::value::{Attribute, ClassSummary, Group, Hierarchy, LONGEST_LABEL};

use super::LabelPricing;

/// The prices of a problem's attributes.
pub(super) struct LocalPrices<'a> {
    /// The attributes priced by their values.
    pub(super) sets: Vec<SetPrice<'a>>,
    /// The attributes priced by their ends.
    pub(super) spans: Vec<SpanPrice<'a>>,
    /// What the metric charges for a suppressed row: our 1.
    pub(super) unit: f64,
    charge: LabelCharge<'a>,
}

impl<'a> LocalPrices<'a> {
    /// The metric that the search minimizes for a problem: the problem's own if it charges rows for
    /// their released values attribute by attribute, else the certainty penalty.
    pub(super) fn metric(problem: &Problem) -> Metric {
        match problem.metric {
            own @ (Metric::Ncp | Metric::Loss | Metric::Precision) => own,
            _ => Metric::Ncp,
        }
    }

    pub(super) fn new(problem: &'a Problem, labels: LabelPricing) -> Self {
        let metric_used = Self::metric(problem);
        let charge = LabelCharge::new(problem, metric_used, labels);
        let (mut sets, mut spans) = (Vec::new(), Vec::new());
        for (at, attribute) in problem.attributes.iter().enumerate() {
            if charge.counts_values(at) {
                sets.push(SetPrice::new(at, attribute, &charge, labels));
            } else {
                let flat = metric_used == Metric::Precision;
                spans.push(SpanPrice::new(at, attribute, flat, &charge));
            }
        }
        LocalPrices { sets, spans, unit: charge.unit, charge }
    }

    /// What a row of a group with just these values (ascending, distinct) of a set attribute pays.
    pub(super) fn of_values(&self, set: usize, codes: &[u32]) -> f32 {
        let set = &self.sets[set];
        let mixed = codes.len() > 1 && set.missing == codes.first().copied();
        let taken = || codes.iter().map(|&code| set.length(code)).sum();
        if mixed || codes.len() < 2 || set.fits(taken()) {
            set.of(codes.len() as u32, mixed)
        } else {
            self.charge.of(set.at, &set.attribute.group(codes))
        }
    }
}

impl LocalPrices<'_> {
    /// What a row pays at most for a set attribute of a group with values from one to another.
    pub(super) fn of_ends(&self, set: usize, first: u32, last: u32) -> f32 {
        let set = &self.sets[set];
        let whole = match &set.attribute.hierarchy {
            Some(tree) => Group::Node(tree.common(first, last)),
            None => Group::Range { first, last },
        };
        self.charge.of(set.at, &whole)
    }
}

/// What rows are charged for groups, in shares of what a suppressed row pays.
struct LabelCharge<'a> {
    attributes: &'a [Attribute],
    metric: GroupPrice<'a>,
    basis: ChargeBasis,
    unit: f64,
}

/// What of a group is charged for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChargeBasis {
    /// What it holds, by the metric.
    Meant,
    /// What is shown of it, by the metric.
    Shown,
    /// What its label says.
    Released,
}

impl<'a> LabelCharge<'a> {
    fn new(problem: &'a Problem, metric: Metric, labels: LabelPricing) -> Self {
        let basis = match (labels, metric) {
            (LabelPricing::Meant, _) => ChargeBasis::Meant,
            (LabelPricing::Printed, Metric::Ncp) => ChargeBasis::Released,
            (LabelPricing::Printed, _) => ChargeBasis::Shown,
        };
        let metric = problem.group_prices(metric);
        let unit = metric.suppressed();
        LabelCharge { attributes: &problem.attributes, metric, basis, unit }
    }

    fn of(&self, at: usize, group: &Group) -> f32 {
        let attribute = &self.attributes[at];
        let price = match self.basis {
            ChargeBasis::Meant => self.metric.of(at, &attribute.meant(group)),
            ChargeBasis::Shown => self.metric.of(at, &attribute.shown(group)),
            ChargeBasis::Released => {
                attribute.weight * released::price(attribute, &attribute.shown(group))
            }
        };
        (price / self.unit) as f32
    }

    /// The price of so many values that are told one by one.
    fn of_listed(&self, at: usize, count: usize) -> f32 {
        let attribute = &self.attributes[at];
        let price = match self.basis {
            ChargeBasis::Released => attribute.weight * released::of_listed(attribute, count),
            ChargeBasis::Meant | ChargeBasis::Shown => self.metric.of_listed(at, count),
        };
        (price / self.unit) as f32
    }

    /// Whether the values of an attribute count, and not only its ends.
    fn counts_values(&self, at: usize) -> bool {
        let attribute = &self.attributes[at];
        // Labels tell sets where the metric looks at the node above them.
        let tells_sets = self.basis == ChargeBasis::Released
            && attribute.summary != ClassSummary::Node
            && !attribute.domain.is_numeric();
        tells_sets || self.metric.counts_values(at)
    }

    /// The hierarchy whose nodes an attribute is priced by.
    fn tree(&self, at: usize) -> Option<&'a Hierarchy> {
        let attribute = &self.attributes[at];
        let tells_ends = self.basis == ChargeBasis::Released
            && attribute.summary != ClassSummary::Node
            && attribute.domain.is_numeric();
        attribute.hierarchy.as_ref().filter(|_| !tells_ends)
    }
}

/// The prices of an attribute by how many of its values a group holds.
pub(super) struct SetPrice<'a> {
    /// The attribute.
    pub(super) at: usize,
    /// What it is.
    attribute: &'a Attribute,
    /// How many values it has.
    pub(super) values: usize,
    /// The code of missing.
    pub(super) missing: Option<u32>,
    two: f32,
    each_more: f32,
    blank: f32,
    /// Sets of more characters are not told value by value.
    longest: u32,
}

impl<'a> SetPrice<'a> {
    fn new(
        at: usize,
        attribute: &'a Attribute,
        charge: &LabelCharge<'_>,
        labels: LabelPricing,
    ) -> Self {
        // Every metric's price grows evenly with each value after the second.
        let two = charge.of_listed(at, 2);
        SetPrice {
            at,
            attribute,
            values: attribute.domain.len(),
            missing: attribute.domain.missing_code(),
            two,
            each_more: charge.of_listed(at, 3) - two,
            blank: charge.of(at, &Group::Blank),
            longest: match labels {
                LabelPricing::Meant => u32::MAX,
                LabelPricing::Printed => LONGEST_LABEL as u32,
            },
        }
    }

    /// What a row of a group with so many values pays where they are told one by one; `mixed` if missing is one of
    /// several.
    #[inline]
    pub(super) fn of(&self, values: u32, mixed: bool) -> f32 {
        if mixed {
            self.blank
        } else if values < 2 {
            0.0
        } else {
            self.two + self.each_more * (values - 2) as f32
        }
    }

    /// How many characters a value takes in the label of a set.
    pub(super) fn length(&self, code: u32) -> u32 {
        self.attribute.length_in_set(code) as u32
    }

    /// Whether a set of so many characters is told value by value.
    #[inline]
    pub(super) fn fits(&self, taken: u32) -> bool {
        taken <= self.longest
    }
}

/// The prices of an attribute by the ends of a group.
pub(super) struct SpanPrice<'a> {
    /// The attribute.
    pub(super) at: usize,
    /// The hierarchy by whose nodes it is priced, if it is.
    pub(super) tree: Option<&'a Hierarchy>,
    reach: SpanPriceRule,
}

enum SpanPriceRule {
    /// Looked up by first and last code.
    Table { values: usize, prices: Vec<f32> },
    /// The width from the low end of the first to the high end of the last, at most blank.
    Width { ends: Vec<(f64, f64)>, scale: f64, blank: f32 },
    /// One value is free, several cost the same.
    Flat { several: f32 },
    /// By the node above both ends.
    Tree { nodes: Vec<f32> },
}

/// Up to so many values every pair of ends gets a price in a table.
const TABLE: usize = 256;

impl<'a> SpanPrice<'a> {
    /// `flat` says that the metric takes numbers for one value or several, however far apart.
    fn new(at: usize, attribute: &'a Attribute, flat: bool, charge: &LabelCharge<'a>) -> Self {
        let values = attribute.domain.len();
        let tree = charge.tree(at);
        let span =
            |first: u32, last: u32| charge.of(at, &Group::Range { first, last: last.max(first) });
        let reach = if values <= TABLE {
            let codes = || 0..values as u32;
            let prices = codes().flat_map(|first| codes().map(move |last| (first, last)));
            SpanPriceRule::Table {
                values,
                prices: prices.map(|(first, last)| span(first, last)).collect(),
            }
        } else if let Some(tree) = tree {
            // The root stands for missing and other values together, too: it costs what blank does.
            let nodes = (0..tree.nodes())
                .map(|node| {
                    let codes = tree.codes(node);
                    if codes.len() < 2 { 0.0 } else { span(codes.start, codes.end - 1) }
                })
                .collect();
            SpanPriceRule::Tree { nodes }
        } else if flat {
            SpanPriceRule::Flat { several: span(0, values as u32 - 1) }
        } else {
            SpanPriceRule::width(attribute, &|group: &Group| charge.of(at, group))
        };
        SpanPrice { at, tree, reach }
    }

    /// What a row of a group from one code to another pays.
    #[inline]
    pub(super) fn of(&self, first: u32, last: u32) -> f32 {
        match &self.reach {
            SpanPriceRule::Table { values, prices } => {
                prices[first as usize * values + last as usize]
            }
            _ => self.reckoned(first, last),
        }
    }

    fn reckoned(&self, first: u32, last: u32) -> f32 {
        match &self.reach {
            SpanPriceRule::Table { values, prices } => {
                prices[first as usize * values + last as usize]
            }
            SpanPriceRule::Width { ends, scale, blank } => {
                let width = ends[last as usize].1 - ends[first as usize].0;
                ((width * scale) as f32).min(*blank)
            }
            SpanPriceRule::Flat { several } if first != last => *several,
            SpanPriceRule::Tree { nodes } if first != last => match self.tree {
                Some(tree) => nodes[tree.common(first, last) as usize],
                None => 0.0,
            },
            SpanPriceRule::Flat { .. } | SpanPriceRule::Tree { .. } => 0.0,
        }
    }
}

impl SpanPriceRule {
    /// Missing lies so far below all numbers that with any of them it costs as much as blank.
    fn width(attribute: &Attribute, price: &impl Fn(&Group) -> f32) -> Self {
        const FAR: f64 = -1e200;
        let domain = &attribute.domain;
        let codes = 0..domain.len() as u32;
        let ends = codes.map(|code| domain.place(code).unwrap_or((FAR, FAR))).collect();
        let (first, last) = (u32::from(domain.missing_code().is_some()), domain.len() as u32 - 1);
        let whole = f64::from(price(&Group::Range { first, last }));
        SpanPriceRule::Width { ends, scale: whole / domain.range(), blank: price(&Group::Blank) }
    }
}
