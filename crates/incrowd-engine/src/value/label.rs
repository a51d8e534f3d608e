//! Labels that people can read: sets as text, and what stands for a set that is too long to be read.

use std::ops::RangeInclusive;

use super::attribute::Attribute;
use super::group::{BLANK, Group};
use super::set::{BETWEEN, element, length};

/// A released set grows no longer than so many characters. Longer ones become the node of the hierarchy, a range, the
/// prefix that their values share, or blank. Values of the table and nodes keep the names they have.
pub const LONGEST_LABEL: usize = 80;

impl Attribute {
    /// What stands for a group whose label would be too long to read: the node above it, a range of numbers or of
    /// neighbours in the alphabet, all values with the same beginning, or blank. None where the label is short.
    pub(super) fn readable(&self, group: &Group) -> Option<Group> {
        let (first, last) = match group {
            Group::Set(codes) if !self.fits(codes.iter().copied()) => self.span(group),
            Group::Range { first, last } if !self.reads_well(*first, *last) => (*first, *last),
            _ => return None,
        };
        Some(match &self.hierarchy {
            Some(tree) => Group::Node(tree.common(first, last)),
            None if self.domain.is_numeric() => Group::Range { first, last },
            None => self.readable_text(first, last, self.size(group)).unwrap_or(Group::Blank),
        })
    }

    /// A range of text that holds these values, so many of them, and has a label that can be read.
    fn readable_text(&self, first: u32, last: u32, size: usize) -> Option<Group> {
        let gapless = (last - first) as usize + 1 == size;
        if gapless && self.range_reads_well(first, last) {
            return Some(Group::Range { first, last });
        }
        let (first, last) = self.with_prefix_of(first, last)?;
        self.range_reads_well(first, last).then_some(Group::Range { first, last })
    }

    /// Whether the label of a range is short enough as it is.
    fn reads_well(&self, first: u32, last: u32) -> bool {
        first == last || self.domain.is_numeric() || self.fits(first..=last)
    }

    /// Whether values are a set that can be read.
    pub(super) fn fits(&self, codes: impl IntoIterator<Item = u32>) -> bool {
        // Braces, and a comma and a space between two values.
        let mut taken = 0;
        codes.into_iter().all(|code| {
            taken += 2 + length(self.domain.label(code));
            taken <= LONGEST_LABEL
        })
    }

    /// Whether a range of text that is too long as a set has a label that is short and says nothing else.
    fn range_reads_well(&self, first: u32, last: u32) -> bool {
        let all = u32::from(self.domain.missing_code().is_some())..=self.domain.len() as u32 - 1;
        let label = self.text_range_label(first, last);
        (first..=last) != all
            && label.chars().count() <= LONGEST_LABEL
            && (!self.domain.is_alphabetical() || self.domain.find_text(&label).is_err())
    }

    /// A range of text: what its values begin with if just these do, or its ends.
    pub(super) fn text_range_label(&self, first: u32, last: u32) -> String {
        if self.with_prefix_of(first, last) == Some((first, last)) {
            return format!("{}{BLANK}", self.prefix(first, last));
        }
        let (first, last) = (self.domain.label(first), self.domain.label(last));
        format!("{{{}, {BETWEEN}, {}}}", element(first), element(last))
    }

    /// What two values begin with. All values between them in the alphabet begin so, too.
    fn prefix(&self, first: u32, last: u32) -> &str {
        let (first, last) = (self.domain.label(first), self.domain.label(last));
        let same = first.char_indices().zip(last.chars()).find(|((_, a), b)| a != b);
        let end = same.map_or(first.len().min(last.len()), |((at, _), _)| at);
        &first[..end]
    }

    /// The values that begin as these two do, if they begin alike.
    fn with_prefix_of(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        let prefix = self.prefix(first, last);
        if prefix.trim_start() != prefix || prefix.is_empty() || !self.domain.is_alphabetical() {
            return None;
        }
        let values = u32::from(self.domain.missing_code().is_some())..=self.domain.len() as u32 - 1;
        let (first, end) = self.begin_with(prefix, values)?;
        Some((first, end - 1))
    }

    fn begin_with(&self, prefix: &str, values: RangeInclusive<u32>) -> Option<(u32, u32)> {
        let behind = *values.end() + 1;
        let start = partition(*values.start(), behind, |code| self.domain.label(code) < prefix);
        let end = partition(start, behind, |code| self.domain.label(code).starts_with(prefix));
        (start < end).then_some((start, end))
    }
}

/// The first code between two for which something no longer holds.
pub(super) fn partition(mut low: u32, mut high: u32, holds: impl Fn(u32) -> bool) -> u32 {
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
