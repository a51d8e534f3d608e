//! Parts of the table that were solved on their own.
//!
//! Once a cut is made, no class reaches across it, and the two sides share nothing but the other cuts.
//! Each side solved alone, with cuts of its own, costs no more than in any common solution: the sum of
//! both is a bound, and often a tight one where cells promise far too much. Sides are divided again in
//! the same way, so the parts form a tree.

use crate::cuts::Choice;

use super::layout::Layout;

/// A part of the table.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// No solution of the part alone costs less.
    bound: u64,
    /// The slot of the cut that divides it, and its two sides.
    sides: Option<(usize, usize, usize)>,
}

/// A tree of parts; the first is the whole table, and sides come after what they are sides of.
#[derive(Debug, Clone)]
pub(super) struct Regions {
    parts: Vec<Part>,
}

impl Default for Regions {
    /// Only the whole, of which nothing is known.
    fn default() -> Self {
        Regions { parts: vec![Part { bound: 0, sides: None }] }
    }
}

impl Regions {
    /// The whole divided by a cut into two sides with what is known of each.
    pub(super) fn divided(slot: usize, sides: [(u64, Regions); 2]) -> Self {
        let mut parts = vec![Part { bound: 0, sides: None }];
        let firsts = sides.map(|(bound, regions)| {
            let first = parts.len();
            parts.extend(regions.parts.iter().map(|part| Part {
                sides: part.sides.map(|(slot, one, other)| (slot, one + first, other + first)),
                ..*part
            }));
            parts[first].bound = parts[first].bound.max(bound);
            first
        });
        parts[0].sides = Some((slot, firsts[0], firsts[1]));
        Regions { parts }
    }

    /// How many parts there are.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The smallest part that a class with these bounds lies in, as far as its cuts are in.
    pub(super) fn place(
        &self,
        layout: &Layout,
        choices: &[Choice],
        bounds: &[(u16, u16)],
    ) -> usize {
        let mut at = 0;
        while let Some((slot, one, other)) = self.parts[at].sides
            && choices[slot] == Choice::In
        {
            let (axis, position) = layout.cut(slot);
            at = if usize::from(bounds[axis].1) < position { one } else { other };
        }
        at
    }

    /// A bound of the whole, from bounds of what lies in each part but in none of its sides.
    pub(super) fn bound(
        &self,
        choices: &[Choice],
        own: &[u64],
        scratch: &mut Vec<(u64, u64)>,
    ) -> u64 {
        scratch.clear();
        scratch.resize(self.parts.len(), (0, 0));
        for (at, part) in self.parts.iter().enumerate().rev() {
            let (mut sum, mut best) = (own[at], part.bound);
            if let Some((slot, one, other)) = part.sides {
                sum += scratch[one].0 + scratch[other].0;
                if choices[slot] == Choice::In {
                    best = best.max(scratch[one].1 + scratch[other].1);
                }
            }
            scratch[at] = (sum, best.max(sum));
        }
        scratch[0].1
    }

    /// The open cut that divides the largest part whose outer cuts are all in.
    pub(super) fn next(&self, choices: &[Choice]) -> Option<usize> {
        let mut reached = vec![false; self.parts.len()];
        reached[0] = true;
        for (at, part) in self.parts.iter().enumerate() {
            if let (true, Some((slot, one, other))) = (reached[at], part.sides) {
                match choices[slot] {
                    Choice::Open => return Some(slot),
                    Choice::In => (reached[one], reached[other]) = (true, true),
                    Choice::Out => {}
                }
            }
        }
        None
    }
}
