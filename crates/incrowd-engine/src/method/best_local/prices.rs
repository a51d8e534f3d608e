//! What a group of rows costs.
//!
//! The metrics that the search minimizes charge a row the sum over attributes of a price that depends on
//! the group's values in one of two ways only. A *span* attribute (numbers, and whatever has a hierarchy)
//! is priced by its lowest and its highest code; a *set* attribute (text without a hierarchy) by how many
//! values there are. Missing beside other values is released blank either way.
//!
//! Prices are those of the metric divided by what a suppressed row costs, so a row costs from 0 to 1.

use crate::cost::Metric;
use crate::problem::Problem;
use crate::value::{Attribute, Group, LONGEST_LABEL};

use super::LabelPricing;

/// The prices of a problem's attributes.
pub(super) struct LocalPrices<'a> {
    /// The attributes priced by the number of their values.
    pub(super) sets: Vec<SetPrice>,
    /// The attributes priced by their ends.
    pub(super) spans: Vec<SpanPrice<'a>>,
    /// What the metric charges for a suppressed row: our 1.
    pub(super) unit: f64,
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
        let metric = problem.group_prices(metric_used);
        let unit = metric.suppressed();
        let (mut sets, mut spans) = (Vec::new(), Vec::new());
        for (at, attribute) in problem.attributes.iter().enumerate() {
            let price = |group: &Group| (metric.of(at, group) / unit) as f32;
            if attribute.hierarchy.is_none() && !attribute.domain.is_numeric() {
                let mut set = SetPrice::new(at, attribute, price);
                if labels == LabelPricing::Printed {
                    set.most = printable(attribute);
                }
                sets.push(set);
            } else {
                let flat = metric_used == Metric::Precision;
                spans.push(SpanPrice::new(at, attribute, flat, price));
            }
        }
        LocalPrices { sets, spans, unit }
    }
}

/// The prices of an attribute by how many of its values a group holds.
pub(super) struct SetPrice {
    /// The attribute.
    pub(super) at: usize,
    /// How many values it has.
    pub(super) values: usize,
    /// The code of missing.
    pub(super) missing: Option<u32>,
    two: f32,
    each_more: f32,
    blank: f32,
    /// A group with more values is released blank.
    most: u32,
}

impl SetPrice {
    fn new(at: usize, attribute: &Attribute, price: impl Fn(&Group) -> f32) -> Self {
        // Every metric's price grows evenly with each value after the second.
        let values = attribute.domain.len();
        let first = u32::from(attribute.domain.missing_code().is_some());
        let price_of = |count: u32| price(&Group::Set((first..first + count).collect()));
        let most = values as u32 - first;
        let two = if most < 2 { 0.0 } else { price_of(2) };
        let each_more = if most < 3 { 0.0 } else { price_of(3) - two };
        let missing = attribute.domain.missing_code();
        SetPrice {
            at,
            values,
            missing,
            two,
            each_more,
            blank: price(&Group::Blank),
            most: u32::MAX,
        }
    }

    /// What a row of a group with so many values pays; `mixed` if missing is one of several.
    #[inline]
    pub(super) fn of(&self, values: u32, mixed: bool) -> f32 {
        if mixed || values > self.most {
            self.blank
        } else if values < 2 {
            0.0
        } else {
            self.two + self.each_more * (values - 2) as f32
        }
    }
}

/// How many values of an attribute a set can hold and still be printed, as their names are long on average.
fn printable(attribute: &Attribute) -> u32 {
    let domain = &attribute.domain;
    let length: usize =
        (0..domain.len() as u32).map(|code| 2 + domain.label(code).chars().count()).sum();
    ((LONGEST_LABEL * domain.len()) / length.max(1)).max(1) as u32
}

/// The prices of an attribute by the ends of a group.
pub(super) struct SpanPrice<'a> {
    /// The attribute.
    pub(super) at: usize,
    /// What it is.
    pub(super) attribute: &'a Attribute,
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
    fn new(at: usize, attribute: &'a Attribute, flat: bool, price: impl Fn(&Group) -> f32) -> Self {
        let values = attribute.domain.len();
        let span = |first: u32, last: u32| {
            price(&attribute.meant(&Group::Range { first, last: last.max(first) }))
        };
        let reach = if values <= TABLE {
            let codes = || 0..values as u32;
            let prices = codes().flat_map(|first| codes().map(move |last| (first, last)));
            SpanPriceRule::Table {
                values,
                prices: prices.map(|(first, last)| span(first, last)).collect(),
            }
        } else if let Some(tree) = &attribute.hierarchy {
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
            SpanPriceRule::width(attribute, &price)
        };
        SpanPrice { at, attribute, reach }
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
            SpanPriceRule::Tree { nodes } if first != last => match &self.attribute.hierarchy {
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
