//! What released groups say of the values of an attribute.

use crate::value::{Attribute, Group, KnownValues};

/// The narrowest thing that a release names a value by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamingUnit {
    /// It does not name it.
    Unnamed,
    /// The value itself: it is in a range or a set.
    Value,
    /// A node of the hierarchy, by its place among the labels.
    Node(u32),
}

/// What the released groups of an attribute say of its values.
pub(super) struct GroupSpread {
    /// Rows of the release by code, each group's divided evenly among its known values.
    pub(super) after: Vec<f64>,
    pub(super) units: Vec<NamingUnit>,
    /// The labels of nodes.
    pub(super) labels: Vec<String>,
    /// How often anything was touched: it grows with groups and values, not with their product.
    pub(super) work: u64,
}

impl GroupSpread {
    pub(super) fn new(
        attribute: &Attribute,
        groups: &[(&Group, u64)],
        known: &KnownValues,
    ) -> Self {
        let codes = attribute.domain.len();
        // What changes from one code to the next: a range is two changes, however wide it is.
        let mut change = vec![0.0; codes + 1];
        let mut covers = vec![0i64; codes + 1];
        let mut spread = GroupSpread {
            after: vec![0.0; codes],
            units: vec![NamingUnit::Unnamed; codes],
            labels: Vec::new(),
            work: 2 * codes as u64,
        };
        let mut nodes: Vec<&Group> = Vec::new();
        for &(group, held) in groups {
            spread.work += 1;
            let share = held as f64 / known.size(attribute, group).max(1) as f64;
            let (first, last) = attribute.span(group);
            let (first, end) = (first as usize, last as usize + 1);
            match group {
                Group::Blank => continue,
                Group::Set(members) => {
                    spread.work += members.len() as u64;
                    for &code in members {
                        spread.after[code as usize] += share;
                        spread.units[code as usize] = NamingUnit::Value;
                    }
                }
                Group::Range { .. } | Group::Node(_) if end == first + 1 => {
                    spread.after[first] += share;
                }
                Group::Range { .. } | Group::Node(_) => {
                    change[first] += share;
                    change[end] -= share;
                }
            }
            match group {
                Group::Range { .. } => {
                    covers[first] += 1;
                    covers[end] -= 1;
                }
                Group::Node(_) => nodes.push(group),
                Group::Set(_) | Group::Blank => {}
            }
        }
        let (mut level, mut depth) = (0.0, 0);
        for code in 0..codes {
            level += change[code];
            depth += covers[code];
            // What rounding has left of a range that has ended is nobody's.
            if level.abs() > 1e-9 && known.has(code) {
                spread.after[code] += level;
            }
            // Nor does anything depend on the way in which a sum was rounded.
            spread.after[code] = (spread.after[code] * 1e9).round() / 1e9;
            if depth > 0 {
                spread.units[code] = NamingUnit::Value;
            }
        }
        // Nodes lie inside each other: the narrowest is named last.
        let mut nodes: Vec<(usize, String, &Group)> = nodes
            .into_iter()
            .map(|group| (known.size(attribute, group), attribute.label(group), group))
            .collect();
        nodes.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        for (at, (_, label, group)) in nodes.into_iter().enumerate() {
            let (first, last) = attribute.span(group);
            spread.labels.push(label);
            for unit in &mut spread.units[first as usize..=last as usize] {
                spread.work += 1;
                if *unit != NamingUnit::Value {
                    *unit = NamingUnit::Node(at as u32);
                }
            }
        }
        spread
    }
}
