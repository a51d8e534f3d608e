//! Recodings in words.

use super::{Group, Recoding};
use crate::attribute::Attribute;
use crate::words;

/// At most so many groups are named.
const SHOWN: usize = 12;

impl Recoding {
    /// The recoding in words, a line per attribute:
    /// `age: 12 groups: [17-21], [22-24], ...`.
    pub fn describe(&self, attributes: &[Attribute]) -> Vec<String> {
        attributes
            .iter()
            .zip(self.groups())
            .map(|(attribute, groups)| {
                let mut groups: Vec<&Group> = groups.as_slice().iter().collect();
                groups.sort_by_key(|group| attribute.span(group));
                let name = &attribute.name;
                let single = |group: &&Group| attribute.size(group) == 1;
                let blank = |group: &&Group| attribute.size(group) == attribute.domain.len();
                if groups.iter().all(single) {
                    return format!("{name}: kept as it is");
                }
                if groups.iter().all(blank) {
                    let label = groups.first().map_or(String::new(), |group| attribute.label(group));
                    return format!("{name}: generalized to {label} everywhere");
                }
                let shown: Vec<String> =
                    groups.iter().take(SHOWN).map(|group| attribute.label(group)).collect();
                let more = if groups.len() > SHOWN { ", ..." } else { "" };
                let number = words::count(groups.len() as u64, "group", "groups");
                format!("{name}: {number}: {}{more}", shown.join(", "))
            })
            .collect()
    }
}
