//! Labels that people can read: sets as text, and what stands for a set that is too long to be read.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::attribute::{Attribute, ClassSummary};
use super::group::{BLANK, Group};
use super::hierarchy::Hierarchy;
use super::label_cover::CodeRun;
use super::set::{BETWEEN, LONGEST_LABEL, element, length, set_label};

impl Attribute {
    /// Whether values below several nodes are released as the set of these nodes.
    pub(crate) fn shows_nodes(&self) -> bool {
        self.summary == ClassSummary::Nodes && self.hierarchy.is_some() && !self.domain.is_numeric()
    }

    /// What stands for a group whose label would be too long to read: nodes of the hierarchy, a range of numbers, the
    /// set with the fewest other values that can be read, all values with the same beginning, or blank. None where the
    /// label is short.
    pub(super) fn readable(&self, group: &Group) -> Option<Group> {
        let codes: Cow<'_, [u32]> = match group {
            Group::Set(codes) => Cow::Borrowed(codes),
            Group::Range { first, last } if first < last && !self.domain.is_numeric() => {
                (*first..=*last).collect()
            }
            _ => return None,
        };
        if let Some(tree) = self.hierarchy.as_ref().filter(|_| self.shows_nodes()) {
            return Some(match self.readable_nodes(tree, &codes)[..] {
                [node] if tree.is_value(node) => group.clone(),
                [node] => Group::Node(node),
                ref nodes => Group::Set(nodes.iter().flat_map(|&node| tree.codes(node)).collect()),
            });
        }
        if self.fits(codes.iter().copied()) {
            return None;
        }
        let (first, last) = self.span(group);
        Some(match &self.hierarchy {
            Some(tree) => Group::Node(tree.common(first, last)),
            None if self.domain.is_numeric() => Group::Range { first, last },
            None => self.readable_text(&codes).unwrap_or(Group::Blank),
        })
    }

    /// A set, a range or a beginning of text that holds these values and has a label that can be read.
    fn readable_text(&self, codes: &[u32]) -> Option<Group> {
        let (&first, &last) = codes.first().zip(codes.last())?;
        let reads_well = |&(first, last): &CodeRun| self.range_reads_well(first, last);
        let beginning = self.with_prefix_of(first, last).filter(reads_well);
        let runs = self.readable_runs(codes).filter(|runs| match runs[..] {
            [ref run] => reads_well(run),
            _ => true,
        });
        let held = |&(first, last): &CodeRun| last - first + 1;
        let by_runs = runs.as_ref().map_or(u32::MAX, |runs| runs.iter().map(held).sum());
        if let Some((first, last)) = beginning.filter(|run| held(run) <= by_runs) {
            return Some(Group::Range { first, last });
        }
        Some(match runs?[..] {
            [(first, last)] => Group::Range { first, last },
            ref runs => Group::Set(runs.iter().flat_map(|&(first, last)| first..=last).collect()),
        })
    }

    /// A set of values as text, in a form that can be read where there is one.
    pub(super) fn set_text(&self, codes: &[u32]) -> String {
        let show = |&code: &u32| self.domain.label(code);
        if let Some(tree) = self.hierarchy.as_ref().filter(|_| self.shows_nodes()) {
            let nodes = self.readable_nodes(tree, codes);
            return set_label(nodes.iter().map(|&node| tree.label(node)));
        }
        let is_plain_text = self.hierarchy.is_none() && !self.domain.is_numeric();
        if !is_plain_text || self.fits(codes.iter().copied()) {
            return set_label(codes.iter().map(show));
        }
        let Some(runs) = self.readable_runs(codes) else { return BLANK.to_owned() };
        let mut elements: Vec<String> = Vec::new();
        for run in runs {
            let name = |code: u32| element(self.domain.label(code));
            if self.skips_middle(run) {
                elements.extend([name(run.0), BETWEEN.to_owned(), name(run.1)]);
            } else {
                elements.extend((run.0..=run.1).map(name));
            }
        }
        format!("{{{}}}", elements.join(", "))
    }

    /// How many leaves of the hierarchy the label of a group says, as the hierarchy is defined, where sets of nodes are
    /// released.
    pub(crate) fn printed_leaves(&self, tree: &Hierarchy, group: &Group) -> usize {
        let leaves = |node: u32| if tree.is_value(node) { 1 } else { tree.leaves_below(node) };
        let of_codes = |codes: &[u32]| {
            self.readable_nodes(tree, codes).into_iter().map(leaves).sum::<u32>() as usize
        };
        match group {
            Group::Blank => tree.leaves_below(tree.root()) as usize,
            Group::Node(node) => leaves(*node) as usize,
            Group::Range { first, last } => of_codes(&(*first..=*last).collect::<Vec<u32>>()),
            Group::Set(codes) => of_codes(codes),
        }
    }

    /// How many characters a value takes in a set, with a comma and a space, or its part of the braces.
    pub(crate) fn length_in_set(&self, code: u32) -> usize {
        2 + length(self.domain.label(code))
    }

    /// Whether values are a set that can be read.
    pub(super) fn fits(&self, codes: impl IntoIterator<Item = u32>) -> bool {
        let mut taken = 0;
        codes.into_iter().all(|code| {
            taken += self.length_in_set(code);
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
