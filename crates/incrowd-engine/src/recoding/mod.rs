//! What an algorithm returns: the map from original to released values.

mod box_assignment;
mod boxes;
mod describe;
mod saved;

use serde::{Deserialize, Serialize};

pub use box_assignment::{BoxAssignment, BoxNarrowing, OUTSIDE, ProfileShare};
pub(crate) use boxes::BoxLocator;
pub use boxes::BoxSet;
pub(crate) use describe::GroupWording;
pub use saved::{SavedRecoding, SavedTarget, SavedTransform};

use crate::table::Profiles;
use crate::value::{Attribute, Group, GroupSet};

/// The map from original to released values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Recoding {
    /// One map per attribute: intervals, groups, hierarchy levels or a hierarchy frontier.
    Global(GlobalRecoding),
    /// Disjoint boxes over the whole quasi-identifier.
    Regional(BoxSet),
    /// Boxes that may overlap; rows are assigned to them.
    Local(BoxAssignment),
    /// Single cells blanked: boxes of single values and blanks; rows are assigned to them.
    Cellwise(BoxAssignment),
    /// One map per attribute and single cells blanked: boxes of its groups and blanks; rows are assigned
    /// to them.
    Mixed(BoxAssignment),
}

/// A map per attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GlobalRecoding {
    /// The released groups of each attribute.
    pub groups: Vec<GroupSet>,
    /// For each attribute and code the group's id.
    pub maps: Vec<Vec<u32>>,
}

impl GlobalRecoding {
    /// A map per attribute, from the group of each code.
    pub fn new(attributes: &[Attribute], group_of: impl Fn(usize, u32) -> Group) -> Self {
        let mut groups = Vec::with_capacity(attributes.len());
        let mut maps = Vec::with_capacity(attributes.len());
        for (at, attribute) in attributes.iter().enumerate() {
            let mut known = GroupSet::new();
            let codes = 0..attribute.domain.len() as u32;
            maps.push(codes.map(|code| known.intern(group_of(at, code))).collect());
            groups.push(known);
        }
        GlobalRecoding { groups, maps }
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
            Recoding::Mixed(_) => "mixed",
        }
    }

    /// Which rows go where, if boxes may overlap; none if values alone decide.
    pub fn shares(&self) -> &[ProfileShare] {
        match self {
            Recoding::Global(_) | Recoding::Regional(_) => &[],
            Recoding::Local(assigned)
            | Recoding::Cellwise(assigned)
            | Recoding::Mixed(assigned) => &assigned.shares,
        }
    }

    /// The recoding with these shares, which [`Recoding::shares`] has told of this table; none if they are of another one.
    pub fn with_shares(
        mut self,
        attributes: &[Attribute],
        cells: &Profiles,
        shares: Vec<ProfileShare>,
    ) -> Option<Self> {
        match &mut self {
            _ if shares.is_empty() => Some(self),
            Recoding::Global(_) | Recoding::Regional(_) => None,
            Recoding::Local(assigned)
            | Recoding::Cellwise(assigned)
            | Recoding::Mixed(assigned) => {
                assigned.shares = shares;
                assigned.is_of(attributes, cells).then_some(self)
            }
        }
    }

    /// The released groups of each attribute.
    pub fn groups(&self) -> &[GroupSet] {
        match self {
            Recoding::Global(global) => &global.groups,
            Recoding::Regional(boxes) => &boxes.groups,
            Recoding::Local(assigned)
            | Recoding::Cellwise(assigned)
            | Recoding::Mixed(assigned) => &assigned.boxes.groups,
        }
    }
}
