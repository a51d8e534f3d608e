//! Loss, LM.
//!
//! **What it does**: like the certainty penalty, with one value counted as none: numbers
//! (highest - lowest) / range; with a hierarchy (leaves below the node, or below the nodes of a set, - 1) / (leaves - 1),
//! leaves as the hierarchy defines them; other text (values - 1) / (all values - 1). Blank costs 1. Averaged over rows
//! and weighted attributes.
//! **Example**: 5 of 16 schools cost 4/15.
//! **Reference**: Iyengar, *Transforming Data to Satisfy Privacy Constraints* (2002).

use crate::value::{Attribute, Group};

pub(crate) fn price(attribute: &Attribute, group: &Group) -> f64 {
    if matches!(group, Group::Blank) {
        return 1.0;
    }
    if attribute.is_measured_by_width() {
        let range = attribute.domain.range();
        return if range > 0.0 { attribute.width(group) / range } else { 0.0 };
    }
    let size = match (&attribute.hierarchy, attribute.node(group)) {
        (Some(tree), _) if attribute.shows_nodes() => attribute.printed_leaves(tree, group),
        (Some(tree), Some(node)) => tree.leaves_below(node) as usize,
        _ => attribute.size(group),
    };
    of_size(size, all(attribute))
}

/// The price of so many of an attribute's values that its label tells one by one.
pub(crate) fn of_listed(attribute: &Attribute, count: usize) -> f64 {
    of_size(count, all(attribute))
}

fn all(attribute: &Attribute) -> usize {
    let leaves = attribute.hierarchy.as_ref().map(|tree| tree.leaves_below(tree.root()) as usize);
    leaves.unwrap_or(attribute.domain.len())
}

fn of_size(size: usize, all: usize) -> f64 {
    if all <= 1 { 0.0 } else { size.saturating_sub(1) as f64 / (all - 1) as f64 }
}
