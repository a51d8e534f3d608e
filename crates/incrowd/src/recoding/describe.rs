//! Recodings in words.

use super::{Group, Recoding};
use crate::attribute::Attribute;
use crate::words;

/// At most so many groups are named.
const SHOWN: usize = 12;

impl Recoding {
    /// The recoding in words, a line per attribute: the groups themselves where every value has one
    /// (`age: 12 groups: [17-21], [22-24], ...`), otherwise how many there are and how large.
    pub fn describe(&self, attributes: &[Attribute]) -> Vec<String> {
        attributes
            .iter()
            .zip(self.groups())
            .map(|(attribute, groups)| {
                let what = self.describe_groups(attribute, groups.as_slice().iter().collect());
                format!("{}: {what}", attribute.name)
            })
            .collect()
    }

    /// Some of an attribute's groups in words, such as those that are released.
    pub(crate) fn describe_groups(&self, attribute: &Attribute, mut groups: Vec<&Group>) -> String {
        groups.sort_by_key(|group| attribute.span(group));
        let sizes = || groups.iter().map(|group| attribute.size(group));
        let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        if most <= 1 {
            return "kept as it is".to_owned();
        }
        if let [only] = groups[..] {
            return format!("generalized to {} everywhere", attribute.label(only));
        }
        if matches!(self, Recoding::Cellwise(_)) {
            return "kept as it is where its class agrees, else blank".to_owned();
        }
        let number = words::count(groups.len() as u64, "group", "groups");
        if !matches!(self, Recoding::Global(_)) {
            let all = attribute.domain.len();
            return format!("{number} of {least} to {most} values, of {all} in all");
        }
        let shown: Vec<String> =
            groups.iter().take(SHOWN).map(|group| attribute.label(group)).collect();
        let more = if groups.len() > SHOWN { ", ..." } else { "" };
        format!("{number}: {}{more}", shown.join(", "))
    }
}
