//! Cuts of a part, and the memory that looking for them takes.

use std::cmp::Ordering;
use std::ops::Range;

use super::parts::ProfileRows;
use crate::privacy::ClassTally;
use crate::problem::Problem;

/// The values of one attribute in a part: ascending codes with their rows.
pub(super) type ValueCounts = Vec<(u32, u64)>;

/// A cut of a part along an attribute.
#[derive(Debug, Clone)]
pub(super) struct SplitCandidate {
    pub(super) split: PartSplit,
    /// How bad it is, by the rule in force.
    pub(super) merit: f64,
    /// How far it is from halving the rows; of equally good cuts the evenest is taken.
    pub(super) uneven: u64,
}

impl SplitCandidate {
    /// Better ones first.
    pub(super) fn order(&self, other: &SplitCandidate) -> Ordering {
        self.merit.total_cmp(&other.merit).then(self.uneven.cmp(&other.uneven))
    }
}

/// What goes where.
#[derive(Debug, Clone)]
pub(super) enum PartSplit {
    /// Boundaries, each given by the first code behind it.
    Before(Vec<u32>),
    /// These codes on one side, all others on the other.
    Alone(Range<u32>),
    /// The rows at the median dealt to either side.
    Halves(Vec<ProfileRows>, Vec<ProfileRows>),
}

/// Values of an attribute that stay together whatever is cut, ascending: single values, or all those
/// below a child of the lowest common node.
pub(super) struct CutUnits {
    /// First code and rows of each.
    pub(super) units: Vec<(u32, u64)>,
}

impl CutUnits {
    pub(super) fn of_values(values: &ValueCounts) -> Self {
        CutUnits { units: values.clone() }
    }

    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// How many rows a unit has.
    pub(super) fn rows(&self, at: usize) -> u64 {
        self.units[at].1
    }

    /// The unit of a code that occurs.
    pub(super) fn of_code(&self, code: u32) -> usize {
        self.units.partition_point(|unit| unit.0 <= code) - 1
    }

    /// The codes of a unit.
    pub(super) fn codes(&self, at: usize) -> Range<u32> {
        let end = self.units.get(at + 1).map_or(u32::MAX, |next| next.0);
        self.units[at].0..end
    }
}

/// Buffers, and the label histogram of the part in hand.
#[derive(Clone)]
pub(super) struct SplitScratch {
    whole: ClassTally,
    pub(super) left: ClassTally,
    right: ClassTally,
    /// Spreads of units, of all up to a unit, and of all from one on.
    pub(super) units: Vec<u64>,
    pub(super) before: Vec<u64>,
    pub(super) after: Vec<u64>,
    /// The unit of each code that occurs.
    pub(super) unit_of: Vec<u32>,
}

impl SplitScratch {
    pub(super) fn new(problem: &Problem) -> Self {
        let tally = problem.targets.tally();
        SplitScratch { whole: tally.clone(), left: tally.clone(), right: tally, ..Self::none() }
    }

    pub(super) fn none() -> Self {
        let tally = ClassTally::new(&[], 0);
        SplitScratch {
            whole: tally.clone(),
            left: tally.clone(),
            right: tally,
            units: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            unit_of: Vec::new(),
        }
    }

    /// Makes `whole` that of a part.
    pub(super) fn fill_whole(&mut self, problem: &Problem, pieces: &[ProfileRows]) {
        if problem.privacy.is_by_size() {
            return;
        }
        self.whole.clear();
        add_all(&mut self.whole, problem, pieces);
    }

    /// Whether `left` and what it leaves of the part pass.
    pub(super) fn both_pass(&mut self, problem: &Problem) -> bool {
        self.right.difference(&self.whole, &self.left);
        problem.privacy.passes(&self.left) && problem.privacy.passes(&self.right)
    }
}

pub(super) fn add_all(tally: &mut ClassTally, problem: &Problem, pieces: &[ProfileRows]) {
    for piece in pieces {
        tally.add(problem.targets.of(piece.label), piece.count);
    }
}
