//! Suppressing outliers: rows without which the others of their class can be told apart better.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::assign::assigned;
use super::parts::{ProfileRows, TablePart};
use super::spread::SpreadTable;
use crate::problem::Problem;
use crate::recoding::Recoding;

/// The parts without their outliers, if the user allows rows to be suppressed, and only then.
pub(crate) fn trimmed(
    problem: &Problem,
    spreads: &SpreadTable,
    parts: Vec<TablePart>,
) -> Vec<TablePart> {
    let limit = problem.limit.rows(problem.rows, 0);
    if limit == 0 {
        return parts;
    }
    let fewer = trim(problem, spreads, parts.clone(), limit);
    // Rows taken out may be released after all, with others of the same values; should that make a class
    // fail that is not theirs, nothing is taken out.
    let recoding = Recoding::Local(assigned(problem, &fewer));
    let mut classes = recoding.classes(&problem.attributes, &problem.cells);
    classes.suppress_failing(problem, None);
    if classes.suppressed_rows() <= limit { fewer } else { parts }
}

/// Takes rows out of parts where that lowers the penalty, a suppressed row counting 1 per attribute (times
/// its weight), the most gain per row first, never more than `limit` rows. Every part keeps passing. The
/// rows taken out are parts behind the others, one for each cell: too small to be released.
fn trim(
    problem: &Problem,
    spreads: &SpreadTable,
    mut parts: Vec<TablePart>,
    limit: u64,
) -> Vec<TablePart> {
    let trimmer = OutlierTrimmer { problem, spreads };
    let mut left = limit;
    let mut steps: BinaryHeap<TrimStep> = parts
        .par_iter()
        .enumerate()
        .filter_map(|(at, part)| trimmer.best_step(at, part, left))
        .collect::<Vec<_>>()
        .into();
    let mut taken: Vec<ProfileRows> = Vec::new();
    while let Some(step) = steps.pop() {
        let part = &mut parts[step.part];
        if step.rows <= left {
            left -= step.rows;
            let codes = problem.cells.codes(step.attribute);
            let (out, kept): (TablePart, TablePart) =
                part.iter().partition(|piece| codes.get(piece.cell as usize) == step.code);
            taken.extend(out);
            *part = kept;
        }
        // The next step of the same part; a smaller one, if this one did not fit.
        steps.extend(trimmer.best_step(step.part, part, left));
    }
    taken.sort_unstable_by_key(|piece| (piece.cell, piece.label));
    parts.extend(taken.chunk_by(|a, b| a.cell == b.cell).map(<[ProfileRows]>::to_vec));
    parts
}

/// Rows of a part that could go: all those with one value.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TrimStep {
    /// The penalty saved for each of them, beyond their own price.
    gain: f64,
    part: usize,
    attribute: usize,
    code: u32,
    rows: u64,
}

impl Eq for TrimStep {}

impl Ord for TrimStep {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.part.cmp(&self.part))
    }
}

impl PartialOrd for TrimStep {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct OutlierTrimmer<'a> {
    problem: &'a Problem,
    spreads: &'a SpreadTable,
}

impl OutlierTrimmer<'_> {
    /// The step of a part that gains most per row, if any gains, of at most so many rows.
    fn best_step(&self, part: usize, pieces: &[ProfileRows], most: u64) -> Option<TrimStep> {
        let (problem, spreads) = (self.problem, self.spreads);
        let size: u64 = pieces.iter().map(|piece| piece.count).sum();
        let most = most.min(size.saturating_sub(problem.privacy.k));
        if most == 0 {
            return None;
        }
        let mut spread = vec![0; spreads.stride()];
        pieces.iter().for_each(|piece| spreads.add(&mut spread, spreads.cell(piece.cell)));
        let now = size as f64 * spreads.penalty(&spread);
        let mut best: Option<TrimStep> = None;
        for attribute in 0..problem.attributes.len() {
            for (code, rows) in self.ends(attribute, pieces) {
                if rows > most {
                    continue;
                }
                let codes = problem.cells.codes(attribute);
                let stays = |piece: &&ProfileRows| codes.get(piece.cell as usize) != code;
                spread.fill(0);
                for piece in pieces.iter().filter(stays) {
                    spreads.add(&mut spread, spreads.cell(piece.cell));
                }
                let then = (size - rows) as f64 * spreads.penalty(&spread);
                let gain = (now - then) / rows as f64 - spreads.blank();
                let better = best.is_none_or(|best| gain > best.gain);
                if gain > 1e-9 && better && self.passes(pieces.iter().filter(stays)) {
                    best = Some(TrimStep { gain, part, attribute, code, rows });
                }
            }
        }
        best
    }

    /// The values whose rows could go: any of a text attribute, else the lowest and the highest.
    fn ends(&self, attribute: usize, pieces: &[ProfileRows]) -> Vec<(u32, u64)> {
        let codes = self.problem.cells.codes(attribute);
        let mut values: Vec<(u32, u64)> =
            pieces.iter().map(|piece| (codes.get(piece.cell as usize), piece.count)).collect();
        values.sort_unstable();
        values.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        if values.len() < 2 {
            return Vec::new();
        }
        let known = &self.problem.attributes[attribute];
        if known.hierarchy.is_some() || known.domain.is_numeric() {
            values = vec![values[0], values[values.len() - 1]];
        }
        values
    }

    fn passes<'p>(&self, pieces: impl Iterator<Item = &'p ProfileRows>) -> bool {
        // The size has been looked at.
        if self.problem.privacy.is_by_size() {
            return true;
        }
        let mut tally = self.problem.targets.tally();
        pieces.for_each(|piece| tally.add(self.problem.targets.of(piece.label), piece.count));
        self.problem.privacy.passes(&tally)
    }
}
