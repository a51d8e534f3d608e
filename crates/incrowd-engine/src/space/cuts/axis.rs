//! One attribute as the searches see it.

use std::ops::Range;

use crate::kit::{Error, Result, words};
use crate::value::{Attribute, ClassSummary};

use super::CutRules;

/// The most values of an axis, whatever the rules say: tables over pairs of values must fit in memory.
pub(crate) const MOST_VALUES: usize = 1024;

/// Whether a cut is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum CutDecision {
    /// Not yet decided.
    Open,
    /// It is made.
    In,
    /// It is not.
    Out,
}

/// Which intervals an axis may be divided into.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AxisShape {
    /// Any.
    Free,
    /// Missing values come first and stand alone, or everything is one interval.
    FreeAfterMissing,
    /// Only the values below one node of a hierarchy: sorted pairs of first value and end.
    Nodes(Vec<(u16, u16)>),
}

/// An attribute's values, or bins of them, and how they may be divided.
///
/// Cuts are named by *position*: the cut at position p lies between the values p - 1 and p.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    /// The lowest domain code of each value, and the end of the domain.
    starts: Vec<u32>,
    shape: AxisShape,
    /// What is settled beforehand, by position; the entries at 0 and at the end are unused.
    settled: Vec<CutDecision>,
}

impl Axis {
    /// The axis of an attribute whose codes are carried by so many rows each.
    pub(crate) fn new(attribute: &Attribute, marginal: &[u64], rules: CutRules) -> Result<Self> {
        let size = attribute.domain.len() as u32;
        let missing = attribute.domain.missing_code().is_some() && size > 1;
        // Where the node above a group is released, groups that are no nodes would read like others.
        let nodes_only = rules.along_tree || attribute.summary == ClassSummary::Node;
        let tree = attribute.hierarchy.as_ref().filter(|_| nodes_only);
        let most = if rules.most_values == 0 { MOST_VALUES } else { rules.most_values };
        let mut starts: Vec<u32> = (0..=size).collect();
        if size as usize > most {
            if rules.most_values == 0 {
                return Err(Error::new(format!(
                    "column {:?} has {} values, but at most {} can be cut one by one",
                    attribute.name,
                    words::thousands(size.into()),
                    words::thousands(MOST_VALUES as u64)
                ))
                .help("leave automatic bins on, or give the column bins"));
            }
            starts = match tree {
                Some(tree) => (0..=tree.height())
                    .map(|level| {
                        let mut starts: Vec<u32> = (0..size)
                            .map(|code| tree.codes(tree.at_level(code, level)).start)
                            .collect();
                        starts.dedup();
                        starts.push(size);
                        starts
                    })
                    .find(|starts| starts.len() <= most + 1)
                    .unwrap_or_else(|| vec![0, size]),
                None => equal_bins(attribute, marginal, most, missing),
            };
        }
        let values = starts.len() - 1;
        let shape = match tree {
            Some(tree) => {
                let place = |code: u32| starts.binary_search(&code).ok();
                let mut nodes: Vec<(u16, u16)> = (0..tree.nodes())
                    .filter_map(|node| {
                        let codes = tree.codes(node);
                        Some((place(codes.start)? as u16, place(codes.end)? as u16))
                    })
                    .chain((0..values as u16).map(|value| (value, value + 1)))
                    .filter(|(first, end)| first < end)
                    .collect();
                nodes.sort_unstable();
                nodes.dedup();
                AxisShape::Nodes(nodes)
            }
            None if missing => AxisShape::FreeAfterMissing,
            None => AxisShape::Free,
        };
        let mut axis = Axis { starts, shape, settled: vec![CutDecision::Open; values + 1] };
        axis.settle_rules(attribute)?;
        Ok(axis)
    }

    /// Takes over the cuts that the user demands or refuses.
    fn settle_rules(&mut self, attribute: &Attribute) -> Result<()> {
        for &(code, made) in &attribute.cuts {
            if let Ok(position) = self.starts.binary_search(&code)
                && (1..self.values()).contains(&position)
            {
                self.settled[position] = if made { CutDecision::In } else { CutDecision::Out };
            }
        }
        let mut settled = self.settled.clone();
        if !self.propagate(&mut settled) {
            return Err(Error::new(format!(
                "the required and forbidden cuts of column {:?} contradict each other",
                attribute.name
            ))
            .help(
                "a cut at a node of a hierarchy implies the cuts of its siblings and ancestors",
            ));
        }
        self.settled = settled;
        Ok(())
    }

    /// How many values, or bins, there are.
    pub(crate) fn values(&self) -> usize {
        self.starts.len() - 1
    }

    /// What is settled beforehand of the cut at a position.
    pub(crate) fn settled(&self, position: usize) -> CutDecision {
        self.settled[position]
    }

    /// What is settled beforehand, by position.
    pub(crate) fn all_settled(&self) -> &[CutDecision] {
        &self.settled
    }

    /// The value, or bin, of a domain code.
    pub(crate) fn value(&self, code: u32) -> u16 {
        (self.starts.partition_point(|&start| start <= code) - 1) as u16
    }

    /// The domain codes of an interval of values.
    pub(crate) fn codes(&self, values: Range<usize>) -> Range<u32> {
        self.starts[values.start]..self.starts[values.end]
    }

    /// Whether values were put into bins, and then into how many.
    pub(crate) fn bins(&self) -> Option<usize> {
        let codes = *self.starts.last()? as usize;
        (codes > self.values()).then(|| self.values())
    }

    /// Whether any interval may be made, as far as the shape is concerned.
    pub(crate) fn is_free(&self) -> bool {
        self.shape == AxisShape::Free
    }

    /// Whether the first value means that there is none, and stands alone or with all others.
    pub(crate) fn begins_with_missing(&self) -> bool {
        self.shape == AxisShape::FreeAfterMissing
    }

    /// The intervals there may be, where only the values below a node of a hierarchy may be put together.
    pub(crate) fn nodes(&self) -> Option<&[(u16, u16)]> {
        match &self.shape {
            AxisShape::Nodes(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// Whether only the values below a node of a hierarchy may be put together.
    pub(crate) fn has_nodes(&self) -> bool {
        matches!(self.shape, AxisShape::Nodes(_))
    }

    /// Whether an interval may be made, as far as the shape is concerned.
    pub(crate) fn allows(&self, first: usize, end: usize) -> bool {
        match &self.shape {
            AxisShape::Free => true,
            AxisShape::FreeAfterMissing => first > 0 || end == 1 || end == self.values(),
            AxisShape::Nodes(nodes) => nodes.binary_search(&(first as u16, end as u16)).is_ok(),
        }
    }

    /// Whether every division that the shape allows stays allowed without the cut at a position.
    pub(crate) fn can_drop(&self, position: usize) -> bool {
        match self.shape {
            AxisShape::Free => true,
            AxisShape::FreeAfterMissing => position > 1,
            AxisShape::Nodes(_) => false,
        }
    }

    /// Calls with every interval that the shape and the choices (by position) allow.
    pub(super) fn each_allowed(&self, choices: &[CutDecision], mut call: impl FnMut(usize, usize)) {
        let values = self.values();
        let edge = |at: usize| at == 0 || at == values || choices[at] != CutDecision::Out;
        match &self.shape {
            AxisShape::Nodes(nodes) => {
                for &(first, end) in nodes {
                    let (first, end) = (usize::from(first), usize::from(end));
                    if edge(first)
                        && edge(end)
                        && (first + 1..end).all(|at| choices[at] != CutDecision::In)
                    {
                        call(first, end);
                    }
                }
            }
            _ => {
                for first in (0..values).filter(|&first| edge(first)) {
                    let ends = choices.iter().enumerate().take(values + 1).skip(first + 1);
                    for (end, &choice) in ends {
                        if edge(end) && self.allows(first, end) {
                            call(first, end);
                        }
                        if end < values && choice == CutDecision::In {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Decides the open cuts (by position) that the shape leaves no choice; `false` if nothing is left
    /// at all.
    pub(crate) fn propagate(&self, choices: &mut [CutDecision]) -> bool {
        let values = self.values();
        if self.is_free() {
            return true;
        }
        // Which positions a path of allowed intervals from the left, and to the right, can reach.
        let (mut from, mut to) = (vec![false; values + 1], vec![false; values + 1]);
        let mut steps = Vec::new();
        self.each_allowed(choices, |first, end| steps.push((first, end)));
        from[0] = true;
        to[values] = true;
        // Intervals come sorted by their first value, so one walk each way is enough.
        for &(first, end) in &steps {
            from[end] |= from[first];
        }
        for &(first, end) in steps.iter().rev() {
            to[first] |= to[end];
        }
        if !from[values] {
            return false;
        }
        // A cut that some complete path jumps over is not forced.
        let mut avoidable = vec![0i32; values + 2];
        for &(first, end) in &steps {
            if from[first] && to[end] {
                avoidable[first + 1] += 1;
                avoidable[end] -= 1;
            }
        }
        let mut over = 0;
        for at in 1..values {
            over += avoidable[at];
            if choices[at] == CutDecision::Open {
                if !(from[at] && to[at]) {
                    choices[at] = CutDecision::Out;
                } else if over == 0 {
                    choices[at] = CutDecision::In;
                }
            }
        }
        true
    }
}

/// Bins of about equally many rows, that keep demanded cuts, have none at refused ones, and leave
/// missing values alone.
fn equal_bins(attribute: &Attribute, marginal: &[u64], bins: usize, missing: bool) -> Vec<u32> {
    let size = marginal.len() as u32;
    let rule = |code: u32| attribute.cuts.iter().find(|cut| cut.0 == code).map(|cut| cut.1);
    let rows: u64 = marginal.iter().sum();
    let mut starts = vec![0];
    let (mut before, mut filled) = (0u64, 0);
    for code in 1..size {
        before += marginal[code as usize - 1];
        let bin = (before * bins as u64).checked_div(rows).unwrap_or(0);
        let alone = missing && code == 1;
        if alone || rule(code) == Some(true) || (bin > filled && rule(code).is_none()) {
            starts.push(code);
            filled = bin;
        }
    }
    starts.push(size);
    starts
}
