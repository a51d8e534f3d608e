//! Groups of rows that are merged and divided.

use crate::problem::Problem;
use crate::search::{Control, StopReason};
use crate::space::rows::{ProfileRows, SpreadTable, TablePart};

/// The groups of a block. A group that was merged into another one is empty.
pub(super) struct ClusterGroups<'a> {
    pub(super) problem: &'a Problem,
    pub(super) spreads: &'a SpreadTable,
    control: &'a Control,
    parts: Vec<TablePart>,
    sizes: Vec<u64>,
    passes: Vec<bool>,
    penalties: Vec<f64>,
    /// The groups' spreads, one after the other.
    flat: Vec<u64>,
    merges: u64,
}

impl<'a> ClusterGroups<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        spreads: &'a SpreadTable,
        control: &'a Control,
    ) -> Self {
        ClusterGroups {
            problem,
            spreads,
            control,
            parts: Vec::new(),
            sizes: Vec::new(),
            passes: Vec::new(),
            penalties: Vec::new(),
            flat: Vec::new(),
            merges: 0,
        }
    }

    pub(super) fn k(&self) -> u64 {
        self.problem.privacy.k
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn merges(&self) -> u64 {
        self.merges
    }

    /// How many rows a group has; 0 if it was merged into another one.
    pub(super) fn size(&self, at: usize) -> u64 {
        self.sizes[at]
    }

    /// Whether a group could be released.
    pub(super) fn passes(&self, at: usize) -> bool {
        self.passes[at]
    }

    pub(super) fn part(&self, at: usize) -> &TablePart {
        &self.parts[at]
    }

    pub(super) fn spread(&self, at: usize) -> &[u64] {
        let stride = self.spreads.stride();
        &self.flat[at * stride..(at + 1) * stride]
    }

    /// The penalty of all rows of a group.
    pub(super) fn penalty(&self, at: usize) -> f64 {
        self.penalties[at]
    }

    /// The penalty of all rows of two groups, were they one.
    #[inline]
    pub(super) fn joint_penalty(&self, one: usize, other: usize) -> f64 {
        (self.sizes[one] + self.sizes[other]) as f64
            * self.spreads.joint_penalty(self.spread(one), self.spread(other))
    }

    /// Adds a group.
    pub(super) fn push(&mut self, part: TablePart) {
        self.flat.resize(self.flat.len() + self.spreads.stride(), 0);
        self.parts.push(TablePart::new());
        self.sizes.push(0);
        self.passes.push(false);
        self.penalties.push(0.0);
        self.replace(self.parts.len() - 1, part);
    }

    /// Makes a group consist of other rows.
    pub(super) fn replace(&mut self, at: usize, part: TablePart) {
        let stride = self.spreads.stride();
        let spread = &mut self.flat[at * stride..(at + 1) * stride];
        spread.fill(0);
        part.iter().for_each(|piece| self.spreads.add(spread, self.spreads.cell(piece.cell)));
        self.sizes[at] = rows_of(&part);
        self.penalties[at] = self.sizes[at] as f64 * self.spreads.penalty(spread);
        self.passes[at] = self.would_pass(&part);
        self.parts[at] = part;
    }

    /// Puts the rows of a group into another one.
    pub(super) fn merge(&mut self, from: usize, into: usize) {
        let mut part = std::mem::take(&mut self.parts[into]);
        part.append(&mut self.parts[from]);
        self.replace(into, part);
        (self.sizes[from], self.passes[from]) = (0, false);
        self.merges += 1;
    }

    /// Whether these rows could be released as a class.
    pub(super) fn would_pass(&self, part: &[ProfileRows]) -> bool {
        let privacy = &self.problem.privacy;
        if privacy.is_by_size() {
            return rows_of(part) >= privacy.k;
        }
        let mut tally = self.problem.targets.tally();
        part.iter().for_each(|piece| tally.add(self.problem.targets.of(piece.label), piece.count));
        privacy.passes(&tally)
    }

    /// Why the search must stop now, if it must.
    pub(super) fn check(&self) -> Result<(), StopReason> {
        self.control.stop().map_or(Ok(()), Err)
    }

    /// Divides every group of at least 2k rows that differ into as many groups as k allows, each of
    /// which passes; where one would not, the group stays as it is.
    pub(super) fn divide_large(&mut self) {
        for at in 0..self.parts.len() {
            if self.sizes[at] < 2 * self.k() || self.penalties[at] <= 0.0 {
                continue;
            }
            let parts = self.divided(at);
            if parts.len() > 1 && parts.iter().all(|part| self.would_pass(part)) {
                self.merges += parts.len() as u64;
                let mut parts = parts.into_iter();
                if let Some(first) = parts.next() {
                    self.replace(at, first);
                }
                parts.for_each(|part| self.push(part));
            }
        }
    }

    /// The rows of a group in lots of k, the last one of what is left: each begins with the row farthest
    /// from the lot before, and takes the rows that widen it least.
    fn divided(&self, at: usize) -> Vec<TablePart> {
        let (k, spreads) = (self.k(), self.spreads);
        let mut left = self.parts[at].clone();
        let mut rows = self.sizes[at];
        let mut parts: Vec<TablePart> = Vec::new();
        let mut last: Vec<u64> = spreads.cell(left[0].cell).to_vec();
        while rows >= 2 * k {
            let far = farthest(spreads, &last, &left);
            let mut spread = spreads.cell(left[far].cell).to_vec();
            let mut lot = TablePart::new();
            let mut missing = k;
            let mut next = far;
            loop {
                spreads.add(&mut spread, spreads.cell(left[next].cell));
                let taken = take(&mut left, next, missing);
                missing -= taken.count;
                lot.push(taken);
                if missing == 0 {
                    break;
                }
                next = nearest(spreads, &spread, &left);
            }
            rows -= k;
            parts.push(lot);
            last = spread;
        }
        parts.push(left);
        parts
    }

    /// The groups that have rows.
    pub(super) fn into_parts(self) -> Vec<TablePart> {
        self.parts.into_iter().filter(|part| !part.is_empty()).collect()
    }
}

/// How many rows there are.
pub(super) fn rows_of(part: &[ProfileRows]) -> u64 {
    part.iter().map(|piece| piece.count).sum()
}

/// Takes up to so many rows of a piece.
pub(super) fn take(part: &mut TablePart, at: usize, most: u64) -> ProfileRows {
    let piece = part[at];
    let count = piece.count.min(most);
    if count == piece.count {
        part.remove(at);
    } else {
        part[at].count -= count;
    }
    ProfileRows { count, ..piece }
}

/// The piece that differs most from these rows, the first of equals.
pub(super) fn farthest(spreads: &SpreadTable, spread: &[u64], part: &[ProfileRows]) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (at, piece) in part.iter().enumerate() {
        let penalty = spreads.joint_penalty(spread, spreads.cell(piece.cell));
        if penalty > best.0 {
            best = (penalty, at);
        }
    }
    best.1
}

/// The piece that widens these rows least, the first of equals.
pub(super) fn nearest(spreads: &SpreadTable, spread: &[u64], part: &[ProfileRows]) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (at, piece) in part.iter().enumerate() {
        let penalty = spreads.joint_penalty(spread, spreads.cell(piece.cell));
        if penalty < best.0 {
            best = (penalty, at);
        }
    }
    best.1
}
