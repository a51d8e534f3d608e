//! Blanked cells.
//!
//! **What it does**: counts the cells that are released blank, each with its column's weight. A suppressed
//! row counts as blank in every column; a value that is only generalized costs nothing.
//! **Example**: two rows of three columns, the ages of both blank and one row's sex: 3.
//! **Reference**: the cost of Meyerson and Williams, *On the Complexity of Optimal K-Anonymity* (2004).

use crate::value::{Attribute, BLANK, Group};

pub(crate) fn price(attribute: &Attribute, group: &Group) -> f64 {
    // A suppressed row is blank, even where the user wants nodes to be shown.
    if *group == Group::Blank {
        return 1.0;
    }
    let blank = match attribute.meant(group) {
        Group::Blank => true,
        // A root may be called what a blank is.
        Group::Node(node) => attribute.tree().is_none_or(|tree| tree.label(node) == BLANK),
        Group::Range { .. } | Group::Set(_) => false,
    };
    f64::from(u8::from(blank))
}
