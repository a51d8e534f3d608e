//! How far the shares of categories differ between the original and the release.
//!
//! A column of at most [`CATEGORIES`] values is one of categories. The share of a category of the released rows, minus its
//! share of the original's, is how far it moves. In a column that is released as it is both shares can be counted. A
//! generalized label leaves open which of its values a row has, so there the shift is measured as far as the two tables
//! prove it: no assignment of original values to labels has a smaller one.

use std::collections::BTreeMap;

use super::boxes::ReleasedBoxes;
use super::domain::Domain;
use crate::collected_tables::CollectedTables;
use crate::original_rows::OriginalRows;
use crate::risks::{RiskRequirement, RiskVerdict};

/// Columns with more values are none of categories.
const CATEGORIES: usize = 50;

/// The column whose shares move most, and whether that is too far.
pub(crate) struct ColumnShift {
    pub(crate) column: Option<String>,
    pub(crate) verdict: RiskVerdict,
}

/// Both tables, with what labels contain.
pub(super) struct ComparedShares<'a> {
    pub(super) collected: &'a CollectedTables,
    pub(super) originals: &'a OriginalRows,
    pub(super) domains: &'a [Domain<'a>],
    pub(super) boxes: &'a ReleasedBoxes<'a>,
}

/// The values that a label contains, as closed ranges of ranks, with the rows that are released with it.
type LabelRows = BTreeMap<Vec<(u32, u32)>, u64>;

impl ComparedShares<'_> {
    /// The farthest that the share of a category has moved for certain.
    pub(super) fn judge(&self, most: f64) -> ColumnShift {
        let equal = (0..self.originals.equal.len()).map(|at| {
            let name = &self.collected.values[self.originals.equal[at]].name;
            (name, self.equal_column(at))
        });
        let contained = (0..self.domains.len()).map(|at| {
            let name = &self.collected.quasi[self.originals.contained[at]].name;
            (name, self.contained_column(at))
        });
        let farthest = contained
            .chain(equal)
            .filter_map(|(name, shift)| Some((name, shift?)))
            .reduce(|one, other| if other.1 > one.1 { other } else { one });
        let (column, what) = match farthest {
            Some((name, shift)) if shift > 0.0 => {
                (Some(name.clone()), format!("bias, the farthest that a share moves (in `{name}`)"))
            }
            _ => (None, "bias, the farthest that a share moves".to_owned()),
        };
        let reached = farthest.map(|(_, shift)| shift);
        let verdict = RiskVerdict::at_most(RiskRequirement::Bias, &what, most, reached);
        ColumnShift { column, verdict }
    }

    /// The farthest that the share of a value moves in a column that is released as it is.
    fn equal_column(&self, at: usize) -> Option<f64> {
        let OriginalRows { groups, originals, released, .. } = self.originals;
        let mut counts: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for tuple in 0..originals.len() {
            let value = groups.key(originals.key(tuple)[0] as usize)[at];
            counts.entry(value).or_default().0 += originals.count(tuple);
        }
        for tuple in 0..released.len() {
            let value = groups.key(released.key(tuple)[0] as usize)[at];
            counts.entry(value).or_default().1 += released.count(tuple);
        }
        let (before, after) = counts.values().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        if counts.len() > CATEGORIES || before == 0 || after == 0 {
            return None;
        }
        let share = |part: u64, of: u64| part as f64 / of as f64;
        let shifts =
            counts.values().map(|&(was, is)| (share(is, after) - share(was, before)).abs());
        shifts.reduce(f64::max)
    }

    /// The farthest that the share of a value has moved for certain in a quasi-identifier. Rows that are blank in all of them
    /// may have been suppressed or generalized: the reading in which less has moved counts.
    fn contained_column(&self, at: usize) -> Option<f64> {
        let (originals, domain) = (&self.originals.originals, &self.domains[at]);
        let mut before: BTreeMap<u32, u64> = BTreeMap::new();
        for tuple in 0..originals.len() {
            let rank = domain.rank[originals.key(tuple)[1 + at] as usize];
            *before.entry(rank).or_default() += originals.count(tuple);
        }
        if before.len() > CATEGORIES || before.is_empty() {
            return None;
        }
        let star: Option<Vec<u32>> =
            self.collected.labels.iter().map(|labels| labels.find("*")).collect();
        let (mut shown, mut blank) = (LabelRows::new(), LabelRows::new());
        for tuple in 0..self.boxes.len() as u32 {
            let Some(cover) = self.boxes.sides(tuple).nth(at) else { continue };
            let key = self.collected.classes.key(self.boxes.class(tuple));
            let is_blank = star.as_ref().is_some_and(|star| key == star);
            let into = if is_blank { &mut blank } else { &mut shown };
            *into.entry(cover.ranges.clone()).or_default() += self.boxes.count(tuple);
        }
        let without = proven_shift(&before, &shown);
        if blank.is_empty() {
            return without;
        }
        for (ranges, rows) in blank {
            *shown.entry(ranges).or_default() += rows;
        }
        Some(without?.min(proven_shift(&before, &shown)?))
    }
}

/// The farthest that the share of a value has moved, whichever values the rows of a label have; none without rows.
fn proven_shift(before: &BTreeMap<u32, u64>, labels: &LabelRows) -> Option<f64> {
    let all: u64 = before.values().sum();
    let left: u64 = labels.values().sum();
    if left == 0 {
        return None;
    }
    let share = |part: u64, of: u64| part as f64 / of as f64;
    let holds = |ranges: &[(u32, u32)], rank: u32| {
        ranges.iter().any(|&(low, high)| low <= rank && rank <= high)
    };
    let inside: Vec<(u64, Vec<u32>)> = labels
        .iter()
        .map(|(ranges, &rows)| {
            let ranks = before.keys().copied().filter(|&rank| holds(ranges, rank));
            (rows, ranks.collect())
        })
        .collect();
    let mut farthest = 0f64;
    for (&rank, &was) in before {
        let (mut least, mut most) = (0, 0);
        for (rows, ranks) in inside.iter().filter(|(_, ranks)| ranks.contains(&rank)) {
            // What the other values of the label cannot fill is of this one.
            let others: u64 = ranks.iter().filter(|&&it| it != rank).map(|it| before[it]).sum();
            least += rows.saturating_sub(others);
            most += rows;
        }
        let (least, most) = (share(least, left), share(most.min(was), left));
        let was = share(was, all);
        farthest = farthest.max(least - was).max(was - most);
    }
    // Where a label shares no value with others, the shifts of its values add up to that of the label.
    for (at, (rows, ranks)) in inside.iter().enumerate() {
        let apart = |(other, (_, held)): (usize, &(u64, Vec<u32>))| {
            other == at || !held.iter().any(|rank| ranks.contains(rank))
        };
        if !ranks.is_empty() && inside.iter().enumerate().all(apart) {
            let was: u64 = ranks.iter().map(|rank| before[rank]).sum();
            let shift = (share(*rows, left) - share(was, all)).abs();
            farthest = farthest.max(shift / ranks.len() as f64);
        }
    }
    Some(farthest)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    /// Every way in which released rows can have values of their labels.
    fn slow(before: &[u64], labels: &[(Vec<u32>, u64)]) -> f64 {
        fn fill(left: &mut Vec<u64>, labels: &[(Vec<u32>, u64)], each: &mut dyn FnMut(&[u64])) {
            let Some(((ranks, rows), rest)) = labels.split_first() else { return each(left) };
            let Some((&first, others)) = ranks.split_first() else {
                return if *rows == 0 {
                    fill(left, rest, each)
                };
            };
            for taken in 0..=left[first as usize].min(*rows) {
                left[first as usize] -= taken;
                let mut next = vec![(others.to_vec(), rows - taken)];
                next.extend_from_slice(rest);
                fill(left, &next, each);
                left[first as usize] += taken;
            }
        }
        let all: u64 = before.iter().sum();
        let rows: u64 = labels.iter().map(|it| it.1).sum();
        let mut best = f64::INFINITY;
        fill(&mut before.to_vec(), labels, &mut |left| {
            let shifts = before.iter().zip(left).map(|(&was, &gone)| {
                ((was - gone) as f64 / rows as f64 - was as f64 / all as f64).abs()
            });
            best = best.min(shifts.fold(0.0, f64::max));
        });
        best
    }

    /// What is proven is never more than what some assignment has, and all of it where labels are values.
    #[test]
    fn no_assignment_has_less_than_what_is_proven() {
        let mut state = 7u64;
        let mut below = |end: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % end
        };
        let (mut told, mut exact) = (0, 0);
        for _ in 0..400 {
            let values = 2 + below(3) as u32;
            let before: Vec<u64> = (0..values).map(|_| 1 + below(5)).collect();
            let single = below(2) == 0;
            let mut left = before.clone();
            let mut labels: BTreeMap<Vec<(u32, u32)>, u64> = BTreeMap::new();
            for rank in 0..values {
                let kept = below(left[rank as usize] + 1);
                left[rank as usize] -= kept;
                let (low, high) = match single {
                    true => (rank, rank),
                    false => (
                        below(u64::from(rank) + 1) as u32,
                        rank + below(u64::from(values - rank)) as u32,
                    ),
                };
                *labels.entry(vec![(low, high)]).or_default() += kept;
            }
            labels.retain(|_, rows| *rows > 0);
            let shares = (0..values).zip(before.iter().copied()).collect();
            let Some(proven) = proven_shift(&shares, &labels) else { continue };
            let listed: Vec<(Vec<u32>, u64)> = labels
                .iter()
                .map(|(ranges, &rows)| ((ranges[0].0..=ranges[0].1).collect(), rows))
                .collect();
            let least = slow(&before, &listed);
            assert!(proven <= least + 1e-9, "{before:?} {labels:?}: {proven} {least}");
            told += u32::from(proven > 0.0);
            if single {
                assert!((proven - least).abs() < 1e-9, "{before:?} {labels:?}: {proven} {least}");
                exact += 1;
            }
        }
        assert!(told > 100 && exact > 100, "{told} {exact}");
    }
}
