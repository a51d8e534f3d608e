//! Recodings in words.

use super::Recoding;
use crate::kit::words;
use crate::value::{Attribute, Group, KnownValues, shown_value};

/// At most so many groups are named.
const SHOWN: usize = 12;

/// How groups are told in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GroupWording {
    /// Every value has one group: they are named.
    Map,
    /// Values are kept or blanked.
    Cells,
    /// Every value has one group or a blank: the groups are named.
    MapAndBlanks,
    /// A value may have several groups: they are counted.
    Boxes,
}

impl GroupWording {
    /// The wording that suits groups of which nothing more is known.
    pub(crate) fn of(attribute: &Attribute, groups: &[&Group]) -> Self {
        let (blank, told): (Vec<&Group>, Vec<&Group>) =
            groups.iter().copied().partition(|group| **group == Group::Blank);
        if !blank.is_empty() && told.iter().all(|group| attribute.size(group) == 1) {
            return GroupWording::Cells;
        }
        // The first value that two groups have in common decides.
        let mut taken = vec![false; attribute.domain.len()];
        let mut take = |code: u32| !std::mem::replace(&mut taken[code as usize], true);
        let disjoint = groups.iter().all(|group| match group {
            Group::Set(codes) => codes.iter().all(|&code| take(code)),
            other => {
                let (first, last) = attribute.span(other);
                (first..=last).all(&mut take)
            }
        });
        if disjoint { GroupWording::Map } else { GroupWording::Boxes }
    }

    /// Some of an attribute's groups in words, such as those that are released, in their order; values are counted as far
    /// as they are known.
    pub(crate) fn describe(
        self,
        attribute: &Attribute,
        groups: &[&Group],
        known: &KnownValues,
    ) -> String {
        let sizes = || groups.iter().map(|group| known.size(attribute, group));
        let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        if groups.iter().all(|group| is_value(attribute, group)) {
            return "unchanged".to_owned();
        }
        if self == GroupWording::MapAndBlanks && groups.contains(&&Group::Blank) {
            let told: Vec<&Group> =
                groups.iter().copied().filter(|group| **group != Group::Blank).collect();
            return match told.is_empty() {
                true => "blank everywhere".to_owned(),
                false => {
                    format!("{}; else blank", GroupWording::Map.describe(attribute, &told, known))
                }
            };
        }
        if let [only] = *groups {
            return format!("generalized to {} everywhere", attribute.label(only));
        }
        let number = words::count(groups.len() as u64, "group", "groups");
        match self {
            GroupWording::Cells => "unchanged where its class agrees, else blank".to_owned(),
            GroupWording::Boxes => {
                let all = known.len();
                let ends = attribute
                    .step
                    .zip(attribute.domain.scale())
                    .map_or_else(String::new, |(step, scale)| {
                        format!("; ends rounded to multiples of {}", scale.show(step))
                    });
                format!("{number} of {least} to {most} of its {all} values{ends}")
            }
            GroupWording::Map | GroupWording::MapAndBlanks => {
                let shown: Vec<String> = groups
                    .iter()
                    .take(SHOWN)
                    .map(|group| shown_value(&attribute.label(group)).to_owned())
                    .collect();
                let more = if groups.len() > SHOWN { ", ..." } else { "" };
                format!("{number}: {}{more}", shown.join(", "))
            }
        }
    }
}

/// Whether a group is shown as one value and stands for no other, whatever values occur.
fn is_value(attribute: &Attribute, group: &Group) -> bool {
    match group {
        Group::Blank => false,
        Group::Range { first, last } => first == last,
        Group::Set(codes) => codes.len() <= 1,
        Group::Node(node) => attribute.tree().is_some_and(|tree| tree.is_value(*node)),
    }
}

impl Recoding {
    /// How its groups are told.
    pub(crate) fn wording(&self) -> GroupWording {
        match self {
            Recoding::Global(_) => GroupWording::Map,
            Recoding::Cellwise(_) => GroupWording::Cells,
            Recoding::Mixed(_) => GroupWording::MapAndBlanks,
            Recoding::Regional(_) | Recoding::Local(_) => GroupWording::Boxes,
        }
    }

    /// The recoding in words, a line per attribute: the groups themselves where every value has one
    /// (`age: 12 groups: [17-21], [22-24], ...`), otherwise how many there are and how large.
    pub fn describe(&self, attributes: &[Attribute]) -> Vec<String> {
        attributes
            .iter()
            .zip(self.groups())
            .map(|(attribute, groups)| {
                let mut groups: Vec<&Group> = groups.as_slice().iter().collect();
                groups.sort_by_key(|group| attribute.span(group));
                let known = KnownValues::all(attribute);
                let what = self.wording().describe(attribute, &groups, &known);
                format!("{}: {what}", attribute.name)
            })
            .collect()
    }
}
