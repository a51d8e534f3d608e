//! Where a part is cut.

use rayon::prelude::*;

use super::part_view::{PARALLEL, PartView, SettledAttributes};
use super::parts::{ProfileRows, TablePart};
use super::rules::{DimensionRule, LookAhead, PartitionRules, SplitCriterion};
use super::split::{SplitCandidate, SplitScratch};
use super::spread::SpreadTable;
use crate::problem::Problem;

/// A part is small if it has less than so many times k rows.
const SMALL: u64 = 8;

/// So many of the best cuts are looked behind.
const TRIED: usize = 3;

/// Looks at parts and cuts them.
pub(super) struct PartCutter<'a> {
    view: PartView<'a>,
    scratch: SplitScratch,
    /// Looks at the sides of a cut.
    next: Option<Box<PartCutter<'a>>>,
}

/// The best of the cuts, the first of equals.
fn best(found: Vec<(usize, SplitCandidate)>) -> Option<(usize, SplitCandidate)> {
    found.into_iter().reduce(|best, next| if next.1.order(&best.1).is_lt() { next } else { best })
}

impl<'a> PartCutter<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        spreads: Option<&'a SpreadTable>,
        rules: PartitionRules,
    ) -> Self {
        let view = PartView::new(problem, spreads, rules);
        PartCutter { view, scratch: SplitScratch::new(problem), next: None }
    }

    /// Cuts a part, of which some attributes are settled, if any cut is allowed. Tells what is settled in its sides.
    pub(super) fn cut(
        &mut self,
        pieces: &[ProfileRows],
        settled: SettledAttributes,
    ) -> Option<(Vec<TablePart>, SettledAttributes)> {
        self.view.look_at(pieces, settled)?;
        let mut scratch = std::mem::replace(&mut self.scratch, SplitScratch::none());
        scratch.fill_whole(self.view.problem, pieces);
        let chosen = match (self.view.rules.dimension, self.view.rules.cut) {
            (DimensionRule::Range, _) | (DimensionRule::Auto, SplitCriterion::Median) => {
                self.first_of(|at| self.view.width(at), pieces, &mut scratch)
            }
            (DimensionRule::Entropy, _) => {
                self.first_of(|at| self.view.entropy(at), pieces, &mut scratch)
            }
            (DimensionRule::Penalty | DimensionRule::Auto, _) => {
                let found = self.best_of_each(pieces, &mut scratch);
                if self.looks_ahead() { self.best_ahead(found, pieces) } else { best(found) }
            }
        };
        self.scratch = scratch;
        chosen.map(|(at, candidate)| (self.view.sides(at, candidate, pieces), self.view.settled()))
    }

    /// Whether the next cut of each side decides on this one.
    fn looks_ahead(&self) -> bool {
        let most = match self.view.rules.ahead {
            LookAhead::Off => 0,
            LookAhead::Small => SMALL * self.view.problem.privacy.k,
            LookAhead::All => u64::MAX,
        };
        self.view.rules.cut == SplitCriterion::Penalty && self.view.rows < most
    }

    /// Of the best cuts the one after which the next cuts leave the least penalty.
    fn best_ahead(
        &mut self,
        mut found: Vec<(usize, SplitCandidate)>,
        pieces: &[ProfileRows],
    ) -> Option<(usize, SplitCandidate)> {
        let spreads = self.view.spreads?;
        // Stable: of equals the attribute named first comes first.
        found.sort_by(|a, b| a.1.order(&b.1));
        found.truncate(TRIED);
        if found.len() < 2 {
            return found.pop();
        }
        let mut next = self.next.take().unwrap_or_else(|| {
            Box::new(PartCutter::new(self.view.problem, self.view.spreads, self.view.rules))
        });
        let settled = self.view.settled();
        for (at, candidate) in &mut found {
            let sides = self.view.sides(*at, candidate.clone(), pieces);
            let left = sides.iter().map(|side| next.least_penalty(spreads, side, settled));
            candidate.merit = left.sum();
        }
        self.next = Some(next);
        best(found)
    }

    /// What the best cut of a part would leave of its penalty; all of it, if it cannot be cut.
    fn least_penalty(
        &mut self,
        spreads: &SpreadTable,
        pieces: &[ProfileRows],
        settled: SettledAttributes,
    ) -> f64 {
        if self.view.look_at(pieces, settled).is_some() {
            let mut scratch = std::mem::replace(&mut self.scratch, SplitScratch::none());
            scratch.fill_whole(self.view.problem, pieces);
            let found = best(self.best_of_each(pieces, &mut scratch));
            self.scratch = scratch;
            if let Some((_, candidate)) = found {
                return candidate.merit;
            }
        }
        self.view.penalty_of(spreads, pieces)
    }

    /// The cut along the first attribute that allows one, those of largest size first.
    fn first_of(
        &self,
        size: impl Fn(usize) -> f64,
        pieces: &[ProfileRows],
        scratch: &mut SplitScratch,
    ) -> Option<(usize, SplitCandidate)> {
        let mut sized: Vec<(f64, usize)> =
            self.view.mixed().into_iter().map(|at| (size(at), at)).collect();
        sized.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        sized.into_iter().find_map(|(_, at)| Some((at, self.view.best_along(at, pieces, scratch)?)))
    }

    /// The best cut along each attribute that allows one.
    fn best_of_each(
        &self,
        pieces: &[ProfileRows],
        scratch: &mut SplitScratch,
    ) -> Vec<(usize, SplitCandidate)> {
        let price_anew = self.view.rules.dimension == DimensionRule::Penalty
            && self.view.rules.cut != SplitCriterion::Penalty;
        let judge = |at: usize, scratch: &mut SplitScratch| {
            let mut candidate = self.view.best_along(at, pieces, scratch)?;
            if price_anew && let Some(spreads) = self.view.spreads {
                candidate.merit = self.view.penalty_after(spreads, at, &candidate, pieces);
            }
            Some((at, candidate))
        };
        if pieces.len() < PARALLEL {
            return self.view.mixed().into_iter().filter_map(|at| judge(at, scratch)).collect();
        }
        let whole = &*scratch;
        self.view.mixed().into_par_iter().filter_map(|at| judge(at, &mut whole.clone())).collect()
    }
}
