//! Normalized certainty penalty, NCP, and its share of the worst case, GCP.
//!
//! **What it does**: charges each row and attribute the width of the released value relative to the whole
//! domain: numbers (highest - lowest) / range; with a hierarchy the values below the lowest node above
//! the class's values / all values; other text, and sets of nodes, the number of values / all values. One
//! value costs 0, a blank one 1. The sum is weighted by attribute; GCP divides it by its worst case.
//! **Example**: ages [25-28] of 17 to 90 cost 3/73.
//! **Reference**: Xu et al., *Utility-Based Anonymization* (2006).

use crate::value::{Attribute, Group};

pub(crate) fn price(attribute: &Attribute, group: &Group) -> f64 {
    if matches!(group, Group::Blank) {
        return 1.0;
    }
    let (first, last) = attribute.span(group);
    if first == last && !attribute.is_measured_by_width() {
        return 0.0;
    }
    if attribute.is_measured_by_width() {
        let range = attribute.domain.range();
        return if range > 0.0 { attribute.width(group) / range } else { 0.0 };
    }
    let size = match (&attribute.hierarchy, attribute.node(group)) {
        (Some(tree), Some(node)) if !attribute.shows_nodes() => tree.codes(node).len(),
        _ => attribute.size(group),
    };
    size as f64 / attribute.domain.len() as f64
}

/// The price of so many of an attribute's values that its label tells one by one.
pub(crate) fn of_listed(attribute: &Attribute, count: usize) -> f64 {
    if count < 2 { 0.0 } else { count as f64 / attribute.domain.len() as f64 }
}
