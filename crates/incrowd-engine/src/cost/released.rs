//! What released labels say, as they are printed.
//!
//! **What it does**: charges each cell of a release for what its label leaves open, whatever the metric thinks of the
//! values behind it: a range of numbers its width relative to the column's, a node the leaves below it relative to all
//! leaves of the hierarchy, a set of nodes the leaves below them, another set or a beginning of text its values relative to
//! all values, a blank and a suppressed row 1, a single value nothing. Weighted and averaged over rows and columns it lies between 0 and 1. A mean or median
//! counts as the range that it stands for.
//! **Example**: `[25-28]` of ages from 17 to 90 costs 3/73, `Western Europe` with 9 of 41 countries below it 9/41.

use crate::value::{Attribute, ClassSummary, Group};

/// What a cell pays for the label of a group that is [shown](Attribute::shown).
pub(crate) fn price(attribute: &Attribute, group: &Group) -> f64 {
    let size = attribute.size(group);
    let of_all = |part: usize, all: usize| if all > 0 { part as f64 / all as f64 } else { 0.0 };
    let wide = || by_width(attribute, group).unwrap_or(0.0);
    let is_numeric = attribute.domain.is_numeric();
    // Whatever the group is, the ends of it are printed, or a number from between.
    let shows_numbers =
        is_numeric && !matches!(attribute.summary, ClassSummary::Range | ClassSummary::Node);
    match group {
        Group::Blank => 1.0,
        _ if shows_numbers => wide(),
        // A node of numbers among ranges reads like one of them.
        Group::Node(_) if is_numeric && attribute.summary == ClassSummary::Range => wide(),
        Group::Node(node) => match &attribute.hierarchy {
            // A leaf, or a node that stands for missing alone, says all there is.
            Some(tree) if tree.leaves_below(*node) < 2 || tree.is_value(*node) => 0.0,
            Some(tree) => {
                of_all(tree.leaves_below(*node) as usize, tree.leaves_below(tree.root()) as usize)
            }
            None => by_width(attribute, group).unwrap_or(1.0),
        },
        Group::Range { .. } if is_numeric => wide(),
        _ if size < 2 => 0.0,
        _ => match attribute.hierarchy.as_ref().filter(|_| attribute.shows_nodes()) {
            Some(tree) => of_all(
                attribute.printed_leaves(tree, group),
                tree.leaves_below(tree.root()) as usize,
            ),
            None => of_all(size, attribute.domain.len()),
        },
    }
}

/// The price of so many of an attribute's values that its label tells one by one.
pub(crate) fn of_listed(attribute: &Attribute, count: usize) -> f64 {
    let tree = attribute.hierarchy.as_ref().filter(|_| attribute.shows_nodes());
    let all = tree.map_or(attribute.domain.len(), |tree| tree.leaves_below(tree.root()) as usize);
    if count < 2 { 0.0 } else { count as f64 / all as f64 }
}

/// The width of a group relative to that of the column; none where the column has no width.
fn by_width(attribute: &Attribute, group: &Group) -> Option<f64> {
    let range = attribute.domain.range();
    let width = || attribute.width(group) + attribute.rounded_width(group);
    (range > 0.0).then(|| (width() / range).min(1.0))
}
