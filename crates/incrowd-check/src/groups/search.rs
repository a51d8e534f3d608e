//! The search for k rows whose prices add up to more than they pay.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::table::Profiles;

use super::prices::Prices;

/// What is searched for around a root.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    /// The price of a row of each combination.
    pub(super) worth: &'a dyn Fn(usize) -> i64,
    /// Which combinations may be in a group with the root.
    pub(super) may_join: &'a dyn Fn(usize) -> bool,
    /// What every group with a combination costs each of its rows at least.
    pub(super) floors: &'a [i64],
}

pub(super) struct Searcher<'a> {
    pub(super) profiles: &'a Profiles,
    pub(super) prices: &'a Prices,
    pub(super) k: i64,
}

/// Groups that hold at least a box, and further rows of these combinations.
struct Part {
    words: Vec<u64>,
    candidates: Vec<Candidate>,
    /// No group of it is violated by more.
    bound: i64,
    /// The column and the value to divide it by, if its box does not hold all of the group that the bound comes from.
    division: Option<(usize, u16)>,
}

/// A combination that may join.
#[derive(Clone, Copy)]
struct Candidate {
    at: u32,
    /// How many rows it has besides the root.
    rows: i64,
    worth: i64,
    /// What the group then costs each row at least.
    cost: i64,
}

impl Searcher<'_> {
    /// By how much the prices of k rows, the root among them and none above it, exceed what they pay, at most; 0 if
    /// they never do.
    pub(super) fn excess(&self, root: usize, target: Target<'_>, mut steps: u64) -> i64 {
        let worth = (target.worth)(root);
        let words = self.prices.start(self.profiles.of(root));
        let all = (0..self.profiles.counts.len()).filter(|&at| (target.may_join)(at));
        let candidates = all.map(|at| Candidate {
            at: at as u32,
            rows: i64::from(self.profiles.counts[at]) - i64::from(at == root),
            worth: (target.worth)(at),
            cost: 0,
        });
        let least = target.floors[root];
        let mut first = Part { words, candidates: Vec::new(), bound: 0, division: None };
        self.price(&mut first, candidates, target, worth);
        let mut open = Vec::new();
        if self.look(&mut first, worth, least) {
            open.push(first);
        }
        let mut excess = 0;
        while let Some(part) = open.pop() {
            if part.bound <= excess {
                continue;
            }
            steps = steps.saturating_sub(1 + part.candidates.len() as u64);
            // What is found, or left over, counts in full.
            let Some((column, code)) = part.division.filter(|_| steps > 0) else {
                excess = excess.max(part.bound);
                continue;
            };
            let rule = &self.prices.columns[column];
            let stays = |candidate: &&Candidate| {
                let own = self.profiles.of(candidate.at as usize)[column];
                rule.holds(&part.words, own) || !rule.reaches(&part.words, own, code)
            };
            let candidates = part.candidates.iter().filter(stays).copied().collect();
            let mut without =
                Part { words: part.words.clone(), candidates, bound: 0, division: None };
            if self.look(&mut without, worth, least) {
                open.push(without);
            }
            let mut with =
                Part { words: part.words, candidates: Vec::new(), bound: 0, division: None };
            rule.add(&mut with.words, code);
            self.price(&mut with, part.candidates.into_iter(), target, worth);
            if self.look(&mut with, worth, least) {
                open.push(with);
            }
        }
        excess
    }

    /// Takes the combinations into a part that can be in a violated group of it, with what the group costs then.
    fn price(
        &self,
        part: &mut Part,
        candidates: impl Iterator<Item = Candidate>,
        target: Target<'_>,
        worth: i64,
    ) {
        let now: Vec<(i64, i64)> =
            self.prices.columns.iter().map(|column| column.now(&part.words)).collect();
        let whole: i64 = now.iter().map(|now| now.0).sum();
        'all: for mut candidate in candidates.filter(|it| it.rows > 0) {
            let at = candidate.at as usize;
            let floor = target.floors[at];
            let mut cost = whole;
            if floor >= worth {
                continue;
            }
            for ((column, &now), &code) in
                self.prices.columns.iter().zip(&now).zip(self.profiles.of(at))
            {
                cost += column.with(&part.words, now, code) - now.0;
                // A group that costs each row as much as the root is worth is not violated.
                if cost >= worth {
                    continue 'all;
                }
            }
            candidate.cost = cost.max(floor);
            part.candidates.push(candidate);
        }
        part.candidates.sort_unstable_by_key(|it| (it.cost, it.at));
    }

    /// Bounds a part, and says how to divide it; `false` if no group of it is violated.
    fn look(&self, part: &mut Part, worth: i64, least: i64) -> bool {
        let own = self.prices.cost(&part.words).max(least);
        let (mut best, mut best_length) = (i64::MIN, 0);
        let mut heap: BinaryHeap<Reverse<i64>> = BinaryHeap::new();
        let (mut sum, needed) = (0, (self.k - 1) as usize);
        if needed == 0 {
            best = worth - own;
        }
        let mut at = 0;
        while at < part.candidates.len() && needed > 0 {
            let cost = part.candidates[at].cost;
            while at < part.candidates.len() && part.candidates[at].cost == cost {
                let Candidate { rows, worth, .. } = part.candidates[at];
                for _ in 0..rows.min(needed as i64) {
                    if heap.len() == needed {
                        if heap.peek().is_some_and(|low| low.0 >= worth) {
                            break;
                        }
                        sum -= heap.pop().map_or(0, |low| low.0);
                    }
                    heap.push(Reverse(worth));
                    sum += worth;
                }
                at += 1;
            }
            let bound = worth + sum - self.k * cost.max(own);
            if heap.len() == needed && bound > best {
                (best, best_length) = (bound, at);
            }
        }
        if best <= 0 {
            return false;
        }
        part.bound = best;
        // Of the group that the bound comes from, the dearest that the box does not hold.
        let threshold = {
            let mut worths: Vec<i64> = Vec::new();
            for it in &part.candidates[..best_length] {
                worths.extend(std::iter::repeat_n(it.worth, it.rows.min(needed as i64) as usize));
            }
            worths.sort_unstable_by_key(|&worth| Reverse(worth));
            worths.get(needed.wrapping_sub(1)).copied().unwrap_or(i64::MIN)
        };
        let chosen = part.candidates[..best_length].iter().rev().filter(|it| it.worth >= threshold);
        for candidate in chosen {
            let codes = self.profiles.of(candidate.at as usize);
            let dearest = self
                .prices
                .columns
                .iter()
                .enumerate()
                .filter(|(at, column)| !column.holds(&part.words, codes[*at]))
                .max_by_key(|(at, column)| {
                    let now = column.now(&part.words);
                    column.with(&part.words, now, codes[*at]) - now.0
                });
            if let Some((column, _)) = dearest {
                part.division = Some((column, codes[column]));
                break;
            }
        }
        true
    }
}
