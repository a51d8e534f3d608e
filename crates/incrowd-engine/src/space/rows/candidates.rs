//! The cuts that an attribute allows, and how good each is.

use super::part_view::PartView;
use super::parts::ProfileRows;
use super::rules::{PartitionMode, SplitCriterion};
use super::split::{CutUnits, PartSplit, SplitCandidate, SplitScratch, add_all};

/// Which cuts between units are allowed.
struct AllowedCuts {
    /// Behind each unit but the last.
    behind: Vec<bool>,
    /// Around each unit.
    around: Vec<bool>,
    /// Between all of them at once.
    apart: bool,
}

impl PartView<'_> {
    /// The best cut along an attribute, if any is allowed.
    pub(super) fn best_along(
        &self,
        at: usize,
        pieces: &[ProfileRows],
        scratch: &mut SplitScratch,
    ) -> Option<SplitCandidate> {
        if self.rules.cut != SplitCriterion::Penalty && self.mixes_missing(at) {
            // Missing values are parted from others as soon as they can be, whatever else is gained.
            let units = CutUnits::of_values(&self.values[at]);
            if let Some(candidate) = self.part_missing(at, &units, pieces, scratch) {
                return Some(candidate);
            }
        }
        if self.rules.cut == SplitCriterion::Median && self.follows_tree(at) {
            return self.all_children(at, pieces, scratch);
        }
        let halve = self.rules.mode == PartitionMode::Relaxed && !self.follows_tree(at);
        if self.rules.cut == SplitCriterion::Median {
            let halves = || self.halved(at, pieces, scratch);
            return halve.then(halves).flatten().or_else(|| self.median(at, pieces, scratch));
        }
        let strict = self.best_of_all(at, pieces, scratch);
        strict.or_else(|| halve.then(|| self.halved(at, pieces, scratch)).flatten())
    }

    /// What an attribute may be cut into.
    fn units(&self, at: usize) -> CutUnits {
        let values = &self.values[at];
        let Some(tree) =
            self.problem.attributes[at].hierarchy.as_ref().filter(|_| self.follows_tree(at))
        else {
            return CutUnits::of_values(values);
        };
        let node = tree.common(values[0].0, values[values.len() - 1].0);
        let mut units: Vec<(u32, u64)> = Vec::new();
        let mut values = values.iter().peekable();
        for child in tree.children(node) {
            let codes = tree.codes(child);
            let mut rows = 0;
            while let Some(value) = values.next_if(|value| codes.contains(&value.0)) {
                rows += value.1;
            }
            if rows > 0 {
                units.push((codes.start, rows));
            }
        }
        CutUnits { units }
    }

    /// Which cuts leave sides that pass.
    fn allowed(
        &self,
        at: usize,
        units: &CutUnits,
        pieces: &[ProfileRows],
        scratch: &mut SplitScratch,
    ) -> AllowedCuts {
        let k = self.problem.privacy.k;
        let mut before = 0;
        let fits = |rows: u64| rows >= k && self.rows - rows >= k;
        let behind = units.units[..units.len() - 1].iter().map(|unit| {
            before += unit.1;
            fits(before)
        });
        let mut allowed = AllowedCuts {
            behind: behind.collect(),
            around: units.units.iter().map(|unit| fits(unit.1)).collect(),
            apart: units.units.iter().all(|unit| unit.1 >= k),
        };
        let none = !allowed.behind.contains(&true) && !allowed.around.contains(&true);
        if self.problem.privacy.is_by_size() || none {
            return allowed;
        }
        let codes = self.problem.cells.codes(at);
        let mut by_unit: Vec<(u32, &ProfileRows)> = pieces
            .iter()
            .map(|piece| (units.of_code(codes.get(piece.cell as usize)) as u32, piece))
            .collect();
        by_unit.sort_by_key(|piece| piece.0);
        let mut before = self.problem.targets.tally();
        for unit in by_unit.chunk_by(|a, b| a.0 == b.0) {
            let place = unit[0].0 as usize;
            scratch.left.clear();
            for (_, piece) in unit {
                scratch.left.add(self.problem.targets.of(piece.label), piece.count);
            }
            before.absorb(&scratch.left);
            allowed.apart = allowed.apart && self.problem.privacy.passes(&scratch.left);
            allowed.around[place] = allowed.around[place] && scratch.both_pass(self.problem);
            if place + 1 < units.len() && allowed.behind[place] {
                std::mem::swap(&mut scratch.left, &mut before);
                allowed.behind[place] = scratch.both_pass(self.problem);
                std::mem::swap(&mut scratch.left, &mut before);
            }
        }
        allowed
    }

    fn uneven(&self, rows: u64) -> u64 {
        (2 * rows).abs_diff(self.rows)
    }

    /// The cut between missing and all other values.
    pub(super) fn part_missing(
        &self,
        at: usize,
        units: &CutUnits,
        pieces: &[ProfileRows],
        scratch: &mut SplitScratch,
    ) -> Option<SplitCandidate> {
        if !self.allowed(at, units, pieces, scratch).behind[0] {
            return None;
        }
        let (rows, split) = (units.units[0].1, PartSplit::Before(vec![units.units[1].0]));
        let uneven = self.uneven(rows);
        Some(self.judged(at, SplitCandidate { split, merit: uneven as f64, uneven }, pieces))
    }

    /// The cut at the median, or the allowed one that halves the rows best.
    pub(super) fn median(
        &self,
        at: usize,
        pieces: &[ProfileRows],
        scratch: &mut SplitScratch,
    ) -> Option<SplitCandidate> {
        let units = CutUnits::of_values(&self.values[at]);
        let allowed = self.allowed(at, &units, pieces, scratch);
        let mut before = 0;
        let mut best: Option<SplitCandidate> = None;
        for (cut, allowed) in allowed.behind.into_iter().enumerate() {
            before += units.units[cut].1;
            let uneven = self.uneven(before);
            // Of two cuts around the median value, the one above it is the median cut.
            if allowed && best.as_ref().is_none_or(|best| uneven <= best.uneven) {
                let split = PartSplit::Before(vec![units.units[cut + 1].0]);
                best = Some(SplitCandidate { split, merit: uneven as f64, uneven });
            }
        }
        best
    }

    /// Between the children of the lowest node above the values: all of them that occur must pass.
    pub(super) fn all_children(
        &self,
        at: usize,
        pieces: &[ProfileRows],
        scratch: &mut SplitScratch,
    ) -> Option<SplitCandidate> {
        let units = self.units(at);
        let allowed = units.len() > 1 && self.allowed(at, &units, pieces, scratch).apart;
        allowed.then(|| {
            let split = PartSplit::Before(units.units[1..].iter().map(|unit| unit.0).collect());
            let most = units.units.iter().map(|unit| unit.1).max().unwrap_or(0);
            let uneven = self.uneven(most);
            SplitCandidate { split, merit: uneven as f64, uneven }
        })
    }

    /// The best of all allowed cuts by penalty or by purity.
    pub(super) fn best_of_all(
        &self,
        at: usize,
        pieces: &[ProfileRows],
        scratch: &mut SplitScratch,
    ) -> Option<SplitCandidate> {
        let units = self.units(at);
        let allowed = self.allowed(at, &units, pieces, scratch);
        // A number's class is a range, and so is one that mixes missing with others: what is taken out
        // of its middle would still lie inside.
        let domain = &self.problem.attributes[at].domain;
        let as_sets = units.len() > 2 && !domain.is_numeric() && !self.mixes_missing(at);
        let apart = allowed.apart && units.len() > 2 && self.follows_tree(at);
        let around =
            |unit: usize| as_sets && (1..units.len() - 1).contains(&unit) && allowed.around[unit];
        if !apart && !allowed.behind.contains(&true) && !(0..units.len()).any(around) {
            return None;
        }
        let merits = match (self.rules.cut, self.spreads) {
            (SplitCriterion::Penalty, Some(spreads)) => {
                self.penalties(spreads, at, &units, pieces, scratch)
            }
            _ => self.impurities(at, &units, pieces),
        };
        let mut best: Option<SplitCandidate> = None;
        let mut offer = |candidate: SplitCandidate| {
            if best.as_ref().is_none_or(|best| candidate.order(best).is_lt()) {
                best = Some(candidate);
            }
        };
        if apart {
            let split = PartSplit::Before(units.units[1..].iter().map(|unit| unit.0).collect());
            let most = units.units.iter().map(|unit| unit.1).max().unwrap_or(0);
            offer(SplitCandidate { split, merit: merits.apart, uneven: self.uneven(most) });
        }
        let mut before = 0;
        for unit in 0..units.len() {
            before += units.units[unit].1;
            if unit + 1 < units.len() && allowed.behind[unit] {
                let split = PartSplit::Before(vec![units.units[unit + 1].0]);
                let uneven = self.uneven(before);
                offer(SplitCandidate { split, merit: merits.behind[unit], uneven });
            }
            if around(unit) {
                let split = PartSplit::Alone(units.codes(unit));
                let uneven = self.uneven(units.units[unit].1);
                offer(SplitCandidate { split, merit: merits.around[unit], uneven });
            }
        }
        best
    }

    /// Two halves, the rows at the median dealt to either side.
    pub(super) fn halved(
        &self,
        at: usize,
        pieces: &[ProfileRows],
        scratch: &mut SplitScratch,
    ) -> Option<SplitCandidate> {
        let target = self.rows / 2;
        let mut before = 0;
        let (median, room) = self.values[at].iter().find_map(|&(code, held)| {
            before += held;
            (before >= target).then(|| (code, target - (before - held)))
        })?;
        let codes = self.problem.cells.codes(at);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let mut room = room;
        for &piece in pieces {
            let code = codes.get(piece.cell as usize);
            if code != median {
                if code < median {
                    left.push(piece)
                } else {
                    right.push(piece)
                }
                continue;
            }
            let taken = room.min(piece.count);
            room -= taken;
            if taken > 0 {
                left.push(ProfileRows { count: taken, ..piece });
            }
            if taken < piece.count {
                right.push(ProfileRows { count: piece.count - taken, ..piece });
            }
        }
        // Halves of one value each would be the same class again.
        let only = |side: &[ProfileRows]| {
            side.iter().all(|piece| codes.get(piece.cell as usize) == median)
        };
        if only(&left) && only(&right) {
            return None;
        }
        if !self.problem.privacy.is_by_size() {
            scratch.left.clear();
            add_all(&mut scratch.left, self.problem, &left);
            if !scratch.both_pass(self.problem) {
                return None;
            }
        }
        let uneven = self.uneven(target);
        let candidate =
            SplitCandidate { split: PartSplit::Halves(left, right), merit: 0.0, uneven };
        Some(self.judged(at, candidate, pieces))
    }
}
