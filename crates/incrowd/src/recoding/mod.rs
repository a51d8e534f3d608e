//! What an algorithm returns: the map from original to released values.

mod boxes;
mod classes;
mod describe;
mod group;
mod saved;

use serde::{Deserialize, Serialize};

pub use boxes::Boxes;
pub use classes::{Assignment, Classes, OUTSIDE, Share};
pub(crate) use describe::Wording;
pub use group::{Group, Groups};
pub use saved::{SavedLabel, SavedRecoding};

use crate::attribute::Attribute;
use crate::table::Cells;

/// The map from original to released values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Recoding {
    /// One map per attribute: intervals, groups, hierarchy levels or a hierarchy frontier.
    Global(Global),
    /// Disjoint boxes over the whole quasi-identifier.
    Regional(Boxes),
    /// Boxes that may overlap; rows are assigned to them.
    Local(Assigned),
    /// Single cells blanked: boxes of single values and blanks; rows are assigned to them.
    Cellwise(Assigned),
}

/// A map per attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Global {
    /// The released groups of each attribute.
    pub groups: Vec<Groups>,
    /// For each attribute and code the group's id.
    pub maps: Vec<Vec<u32>>,
}

impl Global {
    /// A map per attribute, from the group of each code.
    pub fn new(attributes: &[Attribute], group_of: impl Fn(usize, u32) -> Group) -> Self {
        let mut groups = Vec::with_capacity(attributes.len());
        let mut maps = Vec::with_capacity(attributes.len());
        for (at, attribute) in attributes.iter().enumerate() {
            let mut known = Groups::new();
            let codes = 0..attribute.domain.len() as u32;
            maps.push(codes.map(|code| known.intern(group_of(at, code))).collect());
            groups.push(known);
        }
        Global { groups, maps }
    }
}

/// Boxes and the rows that go into each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assigned {
    /// The boxes.
    pub boxes: Boxes,
    /// Which rows go where. It speaks of the cells of one table, so it is not saved: applied to new
    /// rows, the first box that contains a row takes it.
    #[serde(skip)]
    pub shares: Vec<Share>,
}

impl Assigned {
    /// Boxes and the rows that go into each, told row by row in any order.
    pub(crate) fn of_rows(boxes: Boxes, mut shares: Vec<Share>) -> Self {
        let key = |share: &Share| (share.cell, share.label, share.class);
        shares.sort_unstable_by_key(key);
        shares.dedup_by(|next, share| {
            let same = key(next) == key(share);
            if same {
                share.count += next.count;
            }
            same
        });
        Assigned { boxes, shares }
    }
}

impl Recoding {
    /// The kind, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Recoding::Global(_) => "global",
            Recoding::Regional(_) => "regional",
            Recoding::Local(_) => "local",
            Recoding::Cellwise(_) => "cellwise",
        }
    }

    /// The released groups of each attribute.
    pub fn groups(&self) -> &[Groups] {
        match self {
            Recoding::Global(global) => &global.groups,
            Recoding::Regional(boxes) => &boxes.groups,
            Recoding::Local(assigned) | Recoding::Cellwise(assigned) => &assigned.boxes.groups,
        }
    }

    /// The classes that the recoding makes of these cells.
    pub fn classes(&self, attributes: &[Attribute], cells: &Cells) -> Classes {
        Classes::new(self, attributes, cells, None)
    }

    /// The same for a regional recoding, knowing already which box each cell lies in.
    pub fn classes_of_boxes(
        &self,
        attributes: &[Attribute],
        cells: &Cells,
        boxes: &[u32],
    ) -> Classes {
        Classes::new(self, attributes, cells, Some(boxes))
    }
}
