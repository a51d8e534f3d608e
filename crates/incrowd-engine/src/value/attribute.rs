//! A quasi-identifier: its domain, hierarchy and weight.

use serde::{Deserialize, Serialize};

use super::decimal::Decimal;
use super::domain::Domain;
use super::group::{BLANK, Group, GroupSet};
use super::hierarchy::Hierarchy;
use super::set::set_label;

/// How the numbers of a class are released.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassSummary {
    /// As a range or set: `[25-28]`, `{a, b}`, or a hierarchy node's label.
    #[default]
    Range,
    /// As the mean of the class's values.
    Mean,
    /// As the (lower) median of the class's values.
    Median,
    /// As two columns, `age_min` and `age_max`.
    Columns,
    /// As the label of the lowest hierarchy node above the class's values, which need not be all of its
    /// values.
    Node,
    /// As the set of hierarchy nodes and values that hold the class's values and the fewest others, as far as it can be
    /// read: `{Western Europe, Japan}`.
    Nodes,
}

/// How well a column identifies people, for the method mu-argus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgusSet {
    /// Most identifying.
    Most,
    /// More identifying than others.
    More,
    /// Identifying.
    Identifying,
}

impl ArgusSet {
    /// The set in a word.
    pub fn name(self) -> &'static str {
        match self {
            ArgusSet::Most => "Most",
            ArgusSet::More => "More",
            ArgusSet::Identifying => "Identifying",
        }
    }
}

/// A quasi-identifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// The column's name.
    pub name: String,
    /// Its ordered values.
    pub domain: Domain,
    /// A tree over the values.
    pub hierarchy: Option<Hierarchy>,
    /// The units of time, or round bins of numbers, that a column without a hierarchy has as full-domain levels. Nothing but
    /// [levels](Attribute::at_level) knows of it: dates are priced and cut by their width in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<Hierarchy>,
    /// How much information lost here counts, 1 by default.
    pub weight: f64,
    /// How numbers are released.
    pub summary: ClassSummary,
    /// Cuts that a recoding by intervals must make or must not make: the first code beyond the cut, and
    /// whether it is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<(u32, bool)>,
    /// The full-domain levels at which values may be released, where they are limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<LevelLimits>,
    /// How well it identifies people, where somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argus: Option<ArgusSet>,
    /// To which multiples the ends of ranges are rounded outwards where a release shows them, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Decimal>,
}

/// The full-domain levels at which values may be released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelLimits {
    /// The lowest.
    pub least: u32,
    /// The highest.
    pub most: u32,
}

impl Attribute {
    /// The narrowest group that a release can show for these values (ascending, distinct).
    ///
    /// Numbers become their range, other values the hierarchy node with just these values, or else
    /// the set of them. Missing and other values together become a range too, which is
    /// [shown](Attribute::shown) blank.
    pub fn group(&self, codes: &[u32]) -> Group {
        let (Some(&first), Some(&last)) = (codes.first(), codes.last()) else {
            return Group::Blank;
        };
        if first == last {
            return Group::Range { first, last };
        }
        if self.domain.missing_code() == Some(first) {
            return Group::Range { first, last };
        }
        if let Some(tree) = self.hierarchy.as_ref().filter(|_| !self.shows_nodes()) {
            let node = tree.common(first, last);
            let below = tree.codes(node);
            if below.len() == codes.len() {
                return Group::Node(node);
            }
        }
        if self.domain.is_numeric() {
            return Group::Range { first, last };
        }
        Group::Set(codes.into())
    }

    /// The group of just these values (ascending, distinct) and no others: numbers that are no neighbours
    /// become a set, where [`Attribute::group`] would give the range around them.
    pub fn exact_group(&self, codes: &[u32]) -> Group {
        match self.group(codes) {
            wide @ Group::Range { .. } if self.size(&wide) > codes.len() => {
                Group::Set(codes.into())
            }
            exact => exact,
        }
    }

    /// What a release means by a group: itself, or the node above it if the user wants nodes, unless
    /// that holds missing and other values together, for which there is no label but the blank. Which
    /// rows belong to it is for the group to say. Metrics price this.
    pub fn meant(&self, group: &Group) -> Group {
        let node =
            self.node(group).filter(|_| self.summary == ClassSummary::Node && self.size(group) > 1);
        let whole = node.map_or_else(|| self.in_whole_units(group), Group::Node);
        let node = match whole {
            Group::Node(node) if self.summary == ClassSummary::Node || whole != *group => {
                Some(node)
            }
            _ => None,
        }
        .filter(|_| self.size(group) > 1);
        self.unmixed(whole, node)
    }

    /// What a release shows for a group: what it means, or a wider group where the label would be
    /// [too long to read](super::LONGEST_LABEL) or where ends are rounded.
    pub fn shown(&self, group: &Group) -> Group {
        let meant = self.meant(group);
        self.between_rounded_ends(match self.readable(&meant) {
            Some(wider) => {
                let node = if let Group::Node(node) = wider { Some(node) } else { None };
                self.unmixed(wider, node)
            }
            None => meant,
        })
    }

    /// The group, or blank where it has no other label; `node` if it stands for other values' node.
    fn unmixed(&self, group: Group, node: Option<u32>) -> Group {
        let mixes =
            self.domain.missing_code() == Some(self.span(&group).0) && self.size(&group) > 1;
        // What reads the same is the same.
        let tree = self.hierarchy.as_ref();
        let reads_blank = tree.zip(node).is_some_and(|(tree, node)| tree.label(node) == BLANK)
            || matches!(group, Group::Range { first, last } if self.domain.is_open(first, last));
        if mixes || reads_blank { Group::Blank } else { group }
    }

    /// Groups as a release means them, and for each of them the id of the one meant.
    pub(crate) fn meant_groups(&self, groups: &GroupSet) -> (GroupSet, Vec<u32>) {
        interned(groups, |group| self.meant(group))
    }

    /// The tree that nodes are of: the hierarchy, or the units of time of dates without one.
    pub fn tree(&self) -> Option<&Hierarchy> {
        self.hierarchy.as_ref().or(self.units.as_ref())
    }

    /// A group of dates with all others in the units of time that tell it; any other group as it is.
    fn in_whole_units(&self, group: &Group) -> Group {
        let (first, last) = self.span(group);
        let wide = first < last && matches!(group, Group::Range { .. } | Group::Set(_));
        let Some((first, last)) = wide.then(|| self.domain.in_whole_units(first, last)).flatten()
        else {
            return group.clone();
        };
        // What a node of the hierarchy holds is called as that node is.
        let node = self.hierarchy.as_ref().map(|tree| (tree, tree.common(first, last)));
        match node.filter(|(tree, node)| tree.codes(*node) == (first..last + 1)) {
            Some((_, node)) => Group::Node(node),
            None => Group::Range { first, last },
        }
    }

    /// Groups as a release shows them, and for each of them the id of the one shown.
    pub(crate) fn shown_groups(&self, groups: &GroupSet) -> (GroupSet, Vec<u32>) {
        interned(groups, |group| self.shown(group))
    }

    /// Whether a released group contains a value.
    pub fn contains(&self, group: &Group, code: u32) -> bool {
        match group {
            Group::Blank => true,
            Group::Range { first, last } => (*first..=*last).contains(&code),
            Group::Set(codes) => codes.binary_search(&code).is_ok(),
            Group::Node(node) => self.tree().is_some_and(|tree| tree.codes(*node).contains(&code)),
        }
    }

    /// The lowest and the highest code that a group contains.
    pub fn span(&self, group: &Group) -> (u32, u32) {
        let all = (0, self.domain.len().saturating_sub(1) as u32);
        match group {
            Group::Blank => all,
            Group::Range { first, last } => (*first, *last),
            Group::Set(codes) => {
                (codes.first().copied().unwrap_or(0), codes.last().copied().unwrap_or(0))
            }
            Group::Node(node) => self.tree().map_or(all, |tree| {
                let codes = tree.codes(*node);
                (codes.start, codes.end.saturating_sub(1))
            }),
        }
    }

    /// How many values a group contains.
    pub fn size(&self, group: &Group) -> usize {
        match group {
            Group::Set(codes) => codes.len(),
            other => {
                let (first, last) = self.span(other);
                (last - first) as usize + 1
            }
        }
    }

    /// The hierarchy node that a group generalizes to: itself, or the lowest above all its values.
    pub fn node(&self, group: &Group) -> Option<u32> {
        let tree = self.hierarchy.as_ref()?;
        Some(match group {
            Group::Blank => tree.root(),
            Group::Node(node) => *node,
            other => {
                let (first, last) = self.span(other);
                tree.common(first, last)
            }
        })
    }

    /// Whether costs measure this attribute by the width of ranges, as opposed to by a hierarchy or
    /// by counting values.
    pub fn is_measured_by_width(&self) -> bool {
        self.hierarchy.is_none() && self.domain.is_numeric()
    }

    /// How wide a group of numbers is: highest minus lowest.
    pub fn width(&self, group: &Group) -> f64 {
        let (first, last) = self.span(group);
        let low = self.domain.place(first);
        let high = self.domain.place(last);
        low.zip(high).map_or(0.0, |(low, high)| high.1 - low.0)
    }

    /// A group as it stands in a release.
    pub fn label(&self, group: &Group) -> String {
        let show = |code: u32| self.domain.label(code);
        match &self.shown(group) {
            Group::Blank => BLANK.to_owned(),
            Group::Range { first, last } if first == last => show(*first).to_owned(),
            Group::Range { first, last } => self.range_label(*first, *last),
            Group::Set(codes) => self.set_text(codes),
            Group::Node(node) => match self.tree() {
                Some(tree) => tree.label(*node).to_owned(),
                None => BLANK.to_owned(),
            },
        }
    }

    fn range_label(&self, first: u32, last: u32) -> String {
        let told = self.rounded_label(first, last);
        told.or_else(|| self.domain.range_label(first, last)).unwrap_or_else(|| {
            if self.fits(first..=last) {
                set_label((first..=last).map(|code| self.domain.label(code)))
            } else {
                self.text_range_label(first, last)
            }
        })
    }

    /// How many full-domain levels there are above the values themselves. Without a hierarchy there
    /// is one: everything blank.
    pub fn levels(&self) -> u32 {
        self.tree().map_or(1, Hierarchy::height)
    }

    /// The levels at which values may be released: all unless they are limited.
    pub fn allowed_levels(&self) -> std::ops::RangeInclusive<u32> {
        self.limits.map_or(0..=self.levels(), |limits| limits.least..=limits.most)
    }

    /// What a value generalizes to at a full-domain level.
    pub fn at_level(&self, code: u32, level: u32) -> Group {
        match self.tree() {
            _ if level == 0 => Group::Range { first: code, last: code },
            None => Group::Blank,
            Some(tree) => {
                let node = tree.at_level(code, level);
                // Units of time end in nothing: only hierarchies have tops with a name.
                if self.hierarchy.is_none() && node == tree.root() {
                    Group::Blank
                } else if tree.is_value(node) {
                    Group::Range { first: code, last: code }
                } else {
                    Group::Node(node)
                }
            }
        }
    }
}

/// What groups become, each once, and for each of them its id.
fn interned(groups: &GroupSet, become_what: impl Fn(&Group) -> Group) -> (GroupSet, Vec<u32>) {
    let mut found = GroupSet::new();
    let ids = groups.as_slice().iter().map(|group| found.intern(become_what(group))).collect();
    (found, ids)
}
