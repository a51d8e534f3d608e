//! Cuts, their numbers, and what the shape of a column says of them.

use crate::error::Result;
use crate::key::{Field, fields};
use crate::question::{Question, Shape};

/// What is decided of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Choice {
    Open,
    In,
    Out,
}

/// A column.
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) field: Field,
    /// The number of its position 0; the cut before value p has the number `first + p`.
    pub(super) first: usize,
    pub(super) values: usize,
    shape: Shape,
}

/// All columns, and the numbers of their cuts. The positions 0 and the end of a column have numbers too, and count as
/// made.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) axes: Vec<Axis>,
    pub(super) slots: usize,
    pub(super) bits: u32,
    axis_of: Vec<u32>,
}

impl Axis {
    pub(super) fn slots(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.values + 1
    }

    pub(super) fn is_free(&self) -> bool {
        self.shape == Shape::Free
    }

    pub(super) fn allows(&self, first: usize, end: usize) -> bool {
        match &self.shape {
            Shape::Free => true,
            Shape::FirstAloneOrAll => first > 0 || end == 1 || end == self.values,
            Shape::Nodes(nodes) => {
                nodes.iter().any(|&(f, e)| (usize::from(f), usize::from(e)) == (first, end))
            }
        }
    }

    /// Whether every division stays allowed without the cut at a position.
    fn can_drop(&self, position: usize) -> bool {
        match self.shape {
            Shape::Free => true,
            Shape::FirstAloneOrAll => position > 1,
            Shape::Nodes(_) => false,
        }
    }

    /// The intervals that the choices and the shape allow, by their first value.
    fn steps(&self, choices: &[Choice]) -> Vec<(usize, usize)> {
        let edge = |at: usize| at == 0 || at == self.values || choices[at] != Choice::Out;
        let whole = |first: usize, end: usize| (first + 1..end).all(|at| choices[at] != Choice::In);
        let mut steps = Vec::new();
        match &self.shape {
            Shape::Nodes(nodes) => steps.extend(
                nodes
                    .iter()
                    .map(|&(first, end)| (usize::from(first), usize::from(end)))
                    .filter(|&(first, end)| edge(first) && edge(end) && whole(first, end)),
            ),
            _ => {
                for first in (0..self.values).filter(|&first| edge(first)) {
                    for end in first + 1..=self.values {
                        if edge(end) && self.allows(first, end) {
                            steps.push((first, end));
                        }
                        if choices.get(end) == Some(&Choice::In) && end < self.values {
                            break;
                        }
                    }
                }
            }
        }
        steps.sort_unstable();
        steps
    }

    /// Decides the open cuts that all divisions have, or none; `false` if there is no division at all.
    fn follow(&self, choices: &mut [Choice]) -> bool {
        if self.is_free() {
            return true;
        }
        let steps = self.steps(choices);
        let (mut from, mut to) = (vec![false; self.values + 1], vec![false; self.values + 1]);
        from[0] = true;
        to[self.values] = true;
        for &(first, end) in &steps {
            from[end] |= from[first];
        }
        for &(first, end) in steps.iter().rev() {
            to[first] |= to[end];
        }
        if !from[self.values] {
            return false;
        }
        for at in 1..self.values {
            if choices[at] == Choice::Open {
                let over = |&&(first, end): &&(usize, usize)| {
                    first < at && at < end && from[first] && to[end]
                };
                if !(from[at] && to[at]) {
                    choices[at] = Choice::Out;
                } else if steps.iter().find(over).is_none() {
                    choices[at] = Choice::In;
                }
            }
        }
        true
    }
}

impl Layout {
    pub(super) fn new(question: &Question) -> Result<Self> {
        let (mut axes, mut axis_of) = (Vec::new(), Vec::new());
        let mut first = 0;
        let (fields, bits) = fields(question.columns.iter().map(|column| column.values.len()))?;
        for (at, (column, field)) in question.columns.iter().zip(fields).enumerate() {
            let values = column.values.len();
            axes.push(Axis { field, first, values, shape: column.shape.clone() });
            first += values + 1;
            axis_of.resize(first, at as u32);
        }
        Ok(Layout { axes, slots: first, bits, axis_of })
    }

    pub(super) fn axis(&self, slot: usize) -> &Axis {
        &self.axes[self.axis_of[slot] as usize]
    }

    /// Whether a number is that of a cut between two values.
    pub(super) fn is_cut(&self, slot: usize) -> bool {
        let axis = self.axis(slot);
        slot > axis.first && slot < axis.first + axis.values
    }

    pub(super) fn can_drop(&self, slot: usize) -> bool {
        let axis = self.axis(slot);
        axis.can_drop(slot - axis.first)
    }

    /// What the question itself decides; nothing if it allows no division.
    pub(super) fn root(&self, question: &Question) -> Option<Vec<Choice>> {
        let mut choices = vec![Choice::In; self.slots];
        for (axis, column) in self.axes.iter().zip(&question.columns) {
            choices[axis.first + 1..axis.first + axis.values].fill(Choice::Open);
            column.made.iter().for_each(|&at| choices[axis.first + at] = Choice::In);
            column.refused.iter().for_each(|&at| choices[axis.first + at] = Choice::Out);
        }
        self.follow(&mut choices).then_some(choices)
    }

    /// Both what one and what the other says; nothing if they contradict each other.
    pub(super) fn both(&self, one: &[Choice], other: &[Choice]) -> Option<Vec<Choice>> {
        let mut both = one.to_vec();
        for (choice, &other) in both.iter_mut().zip(other) {
            match (*choice, other) {
                (Choice::Open, other) => *choice = other,
                (Choice::In, Choice::Out) | (Choice::Out, Choice::In) => return None,
                _ => {}
            }
        }
        self.follow(&mut both).then_some(both)
    }

    /// Decides what follows from the shapes of columns; `false` if a column has no division left.
    pub(super) fn follow(&self, choices: &mut [Choice]) -> bool {
        self.axes.iter().all(|axis| axis.follow(&mut choices[axis.slots()]))
    }
}
