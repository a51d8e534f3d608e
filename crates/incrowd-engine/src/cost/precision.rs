//! Precision, Prec.
//!
//! **What it does**: one minus the average over rows and attributes of level used / hierarchy height. The
//! level of a group is that of the lowest node above its values; an attribute without a hierarchy has two
//! levels, the value and anything else.
//! **Example**: level 1 of 4 for every row of one attribute gives 0.75.
//! **Reference**: Sweeney, *Achieving k-anonymity privacy protection* (2002).

use crate::value::{Attribute, Group};

pub(crate) fn price(attribute: &Attribute, group: &Group) -> f64 {
    if matches!(group, Group::Blank) {
        return 1.0;
    }
    if let Group::Range { first, last } = group
        && first == last
    {
        return 0.0;
    }
    // Dates without a hierarchy have their units of time as levels.
    let node = match group {
        Group::Node(node) => Some(*node),
        _ => attribute.node(group),
    };
    match (attribute.tree(), node) {
        (Some(tree), Some(node)) => {
            f64::from(tree.height() - tree.depth(node)) / f64::from(tree.height().max(1))
        }
        _ => 1.0,
    }
}
