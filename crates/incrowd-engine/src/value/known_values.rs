//! The values of an attribute that a preview may count.
//!
//! A value that only suppressed rows have changes the domain: its width, how many values it has, how many lie in a range.
//! What is drawn for others is therefore measured by the values of released rows and released labels alone.

use super::attribute::Attribute;
use super::group::Group;

/// Some values of an attribute, and sizes, spans and penalties of groups by these values alone.
#[derive(Debug, Clone)]
pub(crate) struct KnownValues {
    /// How many of them are below each code, and below the end.
    below: Vec<u32>,
}

impl KnownValues {
    /// All values of an attribute.
    pub(crate) fn all(attribute: &Attribute) -> Self {
        KnownValues { below: (0..=attribute.domain.len() as u32).collect() }
    }

    /// The values that released rows have, `rows` of each code, and those that a released set names.
    pub(crate) fn released(rows: &[u64], groups: &[(&Group, u64)]) -> Self {
        let mut known: Vec<bool> = rows.iter().map(|&rows| rows > 0).collect();
        for (group, _) in groups {
            if let Group::Set(codes) = group {
                for &code in codes {
                    known[code as usize] = true;
                }
            }
        }
        let mut below = Vec::with_capacity(known.len() + 1);
        below.push(0);
        let mut number = 0;
        for known in known {
            number += u32::from(known);
            below.push(number);
        }
        KnownValues { below }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.below.last().map_or(0, |&number| number as usize)
    }

    /// Whether a value is one of them.
    pub(crate) fn has(&self, code: usize) -> bool {
        self.below[code] < self.below[code + 1]
    }

    /// How many of them a group contains.
    pub(crate) fn size(&self, attribute: &Attribute, group: &Group) -> usize {
        match group {
            Group::Set(codes) => codes.iter().filter(|&&code| self.has(code as usize)).count(),
            other => {
                let (first, last) = attribute.span(other);
                self.between(first as usize, last as usize + 1)
            }
        }
    }

    fn between(&self, first: usize, end: usize) -> usize {
        let below = |code: usize| self.below.get(code).copied().unwrap_or(0);
        below(end).saturating_sub(below(first)) as usize
    }

    /// The lowest and the highest of them in a group; none if it contains none.
    pub(crate) fn span(&self, attribute: &Attribute, group: &Group) -> Option<(u32, u32)> {
        let (first, last) = attribute.span(group);
        self.span_of(first as usize, last as usize + 1)
    }

    fn span_of(&self, first: usize, end: usize) -> Option<(u32, u32)> {
        if self.between(first, end) == 0 {
            return None;
        }
        let low = self.below.partition_point(|&below| below <= self.below[first]);
        let high = self.below.partition_point(|&below| below < self.below[end]);
        Some((low as u32 - 1, high as u32 - 1))
    }

    /// The certainty penalty of a group relative to these values, from 0 to 1.
    pub(crate) fn penalty(&self, attribute: &Attribute, group: &Group) -> f64 {
        if matches!(group, Group::Blank) {
            return 1.0;
        }
        let Some((first, last)) = self.span(attribute, group) else { return 0.0 };
        let domain = &attribute.domain;
        if attribute.is_measured_by_width() {
            let numbers = usize::from(domain.missing_code().is_some());
            let whole = self.span_of(numbers, domain.len());
            let width = |(first, last): (u32, u32)| {
                let ends = domain.place(first).zip(domain.place(last));
                ends.map_or(0.0, |(low, high)| high.1 - low.0)
            };
            let range = whole.map_or(0.0, width);
            return if range > 0.0 { width((first, last)) / range } else { 0.0 };
        }
        if first == last {
            return 0.0;
        }
        let node = match (group, &attribute.hierarchy) {
            (Group::Node(node), Some(tree)) => Some(tree.codes(*node)),
            (_, Some(tree)) => Some(tree.codes(tree.common(first, last))),
            _ => None,
        };
        let size = match node {
            Some(codes) => self.between(codes.start as usize, codes.end as usize),
            None => self.size(attribute, group),
        };
        size as f64 / self.len().max(1) as f64
    }
}
