//! A part as it is looked at before it is cut.

use rayon::prelude::*;

use super::parts::ProfileRows;
use super::rules::{HierarchyCuts, PartitionRules};
use super::split::{PartSplit, SplitCandidate, ValueCounts};
use super::spread::SpreadTable;
use crate::problem::Problem;
use crate::table::CodeColumn;
use crate::value::Group;

/// Attributes of parts of at least so many pieces are looked at in parallel.
pub(super) const PARALLEL: usize = 1 << 16;

/// Attributes that have one value in a part, and so in all parts that it is cut into; of the first 64 at most.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SettledAttributes(u64);

impl SettledAttributes {
    fn has(self, at: usize) -> bool {
        self.0.checked_shr(at as u32).is_some_and(|rest| rest & 1 == 1)
    }
}

/// The part looked at last. Keeps its buffers from one part to the next.
pub(super) struct PartView<'a> {
    pub(super) problem: &'a Problem,
    pub(super) spreads: Option<&'a SpreadTable>,
    pub(super) rules: PartitionRules,
    /// Per attribute, the values of the part.
    pub(super) values: Vec<ValueCounts>,
    /// Per attribute, zeros between uses.
    counts: Vec<Vec<u64>>,
    pub(super) rows: u64,
}

impl<'a> PartView<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        spreads: Option<&'a SpreadTable>,
        rules: PartitionRules,
    ) -> Self {
        PartView {
            problem,
            spreads,
            rules,
            values: vec![Vec::new(); problem.attributes.len()],
            counts: problem.domains().into_iter().map(|size| vec![0; size]).collect(),
            rows: 0,
        }
    }

    /// Counts the values of each attribute in a part, of which some are known to be settled; none if it is too small to
    /// be cut.
    pub(super) fn look_at(
        &mut self,
        pieces: &[ProfileRows],
        settled: SettledAttributes,
    ) -> Option<()> {
        self.rows = pieces.iter().map(|piece| piece.count).sum();
        if self.rows < 2 * self.problem.privacy.k {
            return None;
        }
        let (cells, rows) = (&self.problem.cells, self.rows);
        let look = |(at, (values, counts)): (usize, (&mut ValueCounts, &mut Vec<u64>))| {
            values.clear();
            if let Some(first) = pieces.first().filter(|_| settled.has(at)) {
                values.push((cells.code(at, first.cell as usize), rows));
                return;
            }
            match cells.codes(at) {
                CodeColumn::Narrow(codes) => count(pieces, codes, values, counts),
                CodeColumn::Wide(codes) => count(pieces, codes, values, counts),
            }
            values.sort_unstable();
            for (code, held) in values.iter_mut() {
                *held = std::mem::take(&mut counts[*code as usize]);
            }
        };
        let both = (&mut self.values, &mut self.counts);
        if pieces.len() < PARALLEL {
            both.0.iter_mut().zip(both.1).enumerate().for_each(look);
        } else {
            both.0.par_iter_mut().zip(both.1).enumerate().for_each(look);
        }
        Some(())
    }

    /// The attributes that have one value in the part.
    pub(super) fn settled(&self) -> SettledAttributes {
        let settled = self.values.iter().take(64).zip(0..).filter(|(values, _)| values.len() == 1);
        SettledAttributes(settled.fold(0, |all, (_, at)| all | 1 << at))
    }

    /// The attributes that have several values in the part.
    pub(super) fn mixed(&self) -> Vec<usize> {
        (0..self.values.len()).filter(|&at| self.values[at].len() > 1).collect()
    }

    /// How wide the part is in an attribute, relative to the whole domain.
    pub(super) fn width(&self, at: usize) -> f64 {
        let attribute = &self.problem.attributes[at];
        let values = &self.values[at];
        let (first, last) = (values[0].0, values[values.len() - 1].0);
        let share = if self.mixes_missing(at) {
            1.0
        } else if let Some(tree) = &attribute.hierarchy {
            tree.codes(tree.common(first, last)).len() as f64 / attribute.domain.len() as f64
        } else if attribute.is_measured_by_width() {
            attribute.width(&Group::Range { first, last }) / attribute.domain.range()
        } else {
            values.len() as f64 / attribute.domain.len() as f64
        };
        share * attribute.weight
    }

    /// How much an attribute's values tell of a row of the part, in bits.
    pub(super) fn entropy(&self, at: usize) -> f64 {
        let rows = self.rows as f64;
        let bits = self.values[at].iter().map(|value| {
            let share = value.1 as f64 / rows;
            -share * share.log2()
        });
        bits.sum::<f64>() * self.problem.attributes[at].weight
    }

    /// Whether missing stands beside other values: such a class could only be released blank.
    pub(super) fn mixes_missing(&self, at: usize) -> bool {
        let missing = self.problem.attributes[at].domain.missing_code();
        missing.is_some() && missing == self.values[at].first().map(|value| value.0)
    }

    /// Whether an attribute is cut along its hierarchy.
    pub(super) fn follows_tree(&self, at: usize) -> bool {
        self.rules.along == HierarchyCuts::Tree && self.problem.attributes[at].hierarchy.is_some()
    }

    /// The pieces on the sides of a cut.
    pub(super) fn sides(
        &self,
        at: usize,
        candidate: SplitCandidate,
        pieces: &[ProfileRows],
    ) -> Vec<Vec<ProfileRows>> {
        let codes = self.problem.cells.codes(at);
        let code = |piece: &ProfileRows| codes.get(piece.cell as usize);
        match candidate.split {
            PartSplit::Halves(left, right) => vec![left, right],
            PartSplit::Before(boundaries) => {
                let mut sides = vec![Vec::new(); boundaries.len() + 1];
                for piece in pieces {
                    let side = boundaries.partition_point(|&boundary| boundary <= code(piece));
                    sides[side].push(*piece);
                }
                sides
            }
            PartSplit::Alone(alone) => {
                let (inside, outside) =
                    pieces.iter().partition(|piece| alone.contains(&code(piece)));
                vec![inside, outside]
            }
        }
    }
}

/// Counts the values of some pieces by their codes, and lists those that were not there before.
fn count<C: Copy + Into<u32>>(
    pieces: &[ProfileRows],
    codes: &[C],
    values: &mut ValueCounts,
    counts: &mut [u64],
) {
    for piece in pieces {
        let code = codes[piece.cell as usize].into();
        let count = &mut counts[code as usize];
        if *count == 0 {
            values.push((code, 0));
        }
        *count += piece.count;
    }
}
