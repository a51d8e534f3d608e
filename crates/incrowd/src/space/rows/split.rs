//! Cuts of a part, and the memory that looking for them takes.

use std::cmp::Ordering;
use std::ops::Range;

use super::pieces::Piece;
use crate::privacy::Tally;
use crate::problem::Problem;

/// The values of one attribute in a part: ascending codes with their rows.
pub(super) type Values = Vec<(u32, u64)>;

/// A cut of a part along an attribute.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) split: Split,
    /// How bad it is, by the rule in force.
    pub(super) merit: f64,
    /// How far it is from halving the rows; of equally good cuts the evenest is taken.
    pub(super) uneven: u64,
}

impl Candidate {
    /// Better ones first.
    pub(super) fn order(&self, other: &Candidate) -> Ordering {
        self.merit.total_cmp(&other.merit).then(self.uneven.cmp(&other.uneven))
    }
}

/// What goes where.
#[derive(Debug, Clone)]
pub(super) enum Split {
    /// Boundaries, each given by the first code behind it.
    Before(Vec<u32>),
    /// These codes on one side, all others on the other.
    Alone(Range<u32>),
    /// The rows at the median dealt to either side.
    Halves(Vec<Piece>, Vec<Piece>),
}

/// Values of an attribute that stay together whatever is cut, ascending: single values, or all those
/// below a child of the lowest common node.
pub(super) struct Units {
    /// First code and rows of each.
    pub(super) units: Vec<(u32, u64)>,
}

impl Units {
    pub(super) fn of_values(values: &Values) -> Self {
        Units { units: values.clone() }
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
pub(super) struct Scratch {
    whole: Tally,
    pub(super) left: Tally,
    right: Tally,
    /// Spreads of units, of all up to a unit, and of all from one on.
    pub(super) units: Vec<u64>,
    pub(super) before: Vec<u64>,
    pub(super) after: Vec<u64>,
    /// The unit of each code that occurs.
    pub(super) unit_of: Vec<u32>,
}

impl Scratch {
    pub(super) fn new(problem: &Problem) -> Self {
        let tally = problem.targets.tally();
        Scratch { whole: tally.clone(), left: tally.clone(), right: tally, ..Self::none() }
    }

    pub(super) fn none() -> Self {
        let tally = Tally::new(&[], 0);
        Scratch {
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
    pub(super) fn fill_whole(&mut self, problem: &Problem, pieces: &[Piece]) {
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

pub(super) fn add_all(tally: &mut Tally, problem: &Problem, pieces: &[Piece]) {
    for piece in pieces {
        tally.add(problem.targets.of(piece.label), piece.count);
    }
}
