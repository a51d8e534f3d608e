//! Personal minima: what a row pays at least, whatever crowd of k rows it stands in.

use rayon::prelude::*;

use super::attribute_prices::ONE;
use super::context::{CrowdCandidate, CrowdContext};
use super::group_pricing::{CrowdMembers, PricingGoal, PricingResult, hunt};
use crate::kit::SearchRng;
use crate::search::Control;

/// Combinations are looked at in lots of so many, a control being asked between them.
const LOT: usize = 256;

/// The crowds around a row that cost least.
struct LeastCostGoal<'a> {
    ground: &'a CrowdContext,
    root: u32,
}

impl PricingGoal for LeastCostGoal<'_> {
    fn look(
        &mut self,
        candidates: &mut [CrowdCandidate],
        crowd: &mut CrowdMembers,
    ) -> Option<(i64, i64)> {
        let ground = self.ground;
        candidates.sort_by_key(|candidate| (candidate.cost, candidate.id));
        crowd.clear();
        let mut missing = ground.k - ground.counts[self.root as usize];
        crowd.push((self.root, ground.counts[self.root as usize]));
        for candidate in candidates.iter() {
            let rows = ground.counts[candidate.id as usize].min(missing);
            crowd.push((candidate.id, rows));
            missing -= rows;
            if missing == 0 {
                return Some((-candidate.cost, 0));
            }
        }
        None
    }

    fn worth(&self, _: &CrowdMembers, cost: i64) -> i64 {
        -cost
    }

    fn is_hopeless(&self, candidate: CrowdCandidate, _: i64, best: i64) -> bool {
        -candidate.cost <= best
    }
}

/// What is known of the crowds around each combination.
pub(crate) struct PersonalMinima {
    /// What a row of each combination pays at least.
    pub(crate) least: Vec<i64>,
    /// The cheapest crowd found around each combination that was looked at, with what a row of it pays.
    pub(super) crowds: Vec<Option<(CrowdMembers, i64)>>,
    /// How many combinations were looked at, of those that cannot be a crowd of their own.
    pub(crate) looked: usize,
    /// How many of those there are.
    pub(crate) of: usize,
    /// The sample among them that was drawn before any was looked at.
    pub(crate) sample: Vec<u32>,
    /// How many steps it took.
    pub(crate) steps: u64,
}

/// Looks at combinations in a random order, as many as `steps` steps will do by the look of the first ones, with at
/// most `looks` looks at candidates for each; if a part of them will not do, all or no more than those first ones.
pub(crate) fn minima(
    ground: &CrowdContext,
    (steps, in_part): (u64, bool),
    looks: u64,
    control: &Control,
) -> PersonalMinima {
    let least: Vec<i64> =
        (0..ground.len() as u32).into_par_iter().map(|id| ground.cost_of([id])).collect();
    let mut order: Vec<u32> =
        (0..ground.len() as u32).filter(|&id| ground.counts[id as usize] < ground.k).collect();
    let mut chance = SearchRng::of_seed(2);
    for at in (1..order.len()).rev() {
        order.swap(at, chance.below(at + 1));
    }
    let of = order.len();
    let crowds = vec![None; ground.len()];
    let mut minima = PersonalMinima { least, crowds, looked: 0, of, sample: Vec::new(), steps: 0 };
    // How many can be looked at is decided by the first lot, which is no part of the sample: how many are looked at
    // must not depend on what is found in them.
    let first = order.len().min(LOT);
    minima.look_at(ground, &order[..first], looks);
    let each = minima.steps / first.max(1) as u64 + 1;
    let more = (steps.saturating_sub(minima.steps) / each).min((of - first) as u64) as usize;
    let more = if in_part || more == of - first { more } else { 0 };
    let chosen = &order[first..first + more];
    for lot in chosen.chunks(LOT) {
        if control.stop().is_some() {
            return minima;
        }
        minima.look_at(ground, lot, looks);
    }
    minima.sample = chosen.to_vec();
    minima
}

impl PersonalMinima {
    fn look_at(&mut self, ground: &CrowdContext, lot: &[u32], looks: u64) {
        let found: Vec<RootMinimum> =
            lot.par_iter().map(|&root| least_around(ground, root, looks)).collect();
        for (&root, RootMinimum { least, crowd, steps }) in lot.iter().zip(found) {
            let known = &mut self.least[root as usize];
            *known = least.max(*known);
            self.crowds[root as usize] = crowd;
            self.steps += steps;
        }
        self.looked += lot.len();
    }

    /// What the rows pay at least, all in all, in the metric's measure.
    pub(crate) fn bound(&self, ground: &CrowdContext) -> f64 {
        total(ground, &self.least)
    }

    /// What the rows pay at least with 99% confidence, where only a sample of the combinations was looked at.
    pub(crate) fn estimate(&self, ground: &CrowdContext) -> Option<f64> {
        let number = self.sample.len();
        if self.looked == self.of || number < 30 {
            return None;
        }
        // Of all that were not in the first lot, by the empirical bound of Maurer and Pontil (2009), which holds for
        // samples without replacement, too.
        let share = |&id: &u32| {
            ground.counts[id as usize] as f64 * self.least[id as usize] as f64 / ONE as f64
        };
        let values: Vec<f64> = self.sample.iter().map(share).collect();
        let mean = values.iter().sum::<f64>() / number as f64;
        let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let variance = spread / (number - 1) as f64;
        // The natural logarithm of 2 / 0.01.
        const ODDS: f64 = 5.298_317_366_548_037;
        let range = (ground.k - 1) as f64;
        let slack = (2.0 * variance * ODDS / number as f64).sqrt()
            + 7.0 * range * ODDS / (3.0 * (number - 1) as f64);
        let rest = (self.of - (self.looked - number)) as f64;
        let unseen = rest * (mean - slack).max(0.0) - values.iter().sum::<f64>();
        let bound = self.bound(ground);
        Some(bound + unseen.max(0.0) * ground.unit)
    }
}

/// What rows pay in all if each combination's pay this much, in the metric's measure, a little less for rounding.
pub(super) fn total(ground: &CrowdContext, each: &[i64]) -> f64 {
    let sum: i128 =
        each.iter().zip(&ground.counts).map(|(&y, &n)| i128::from(y) * i128::from(n)).sum();
    sum as f64 / ONE as f64 * ground.unit * (1.0 - 1e-12)
}

/// What was found around a combination.
pub(super) struct RootMinimum {
    /// What a row of it pays at least.
    least: i64,
    /// The cheapest crowd found, with what a row of it pays.
    pub(super) crowd: Option<(CrowdMembers, i64)>,
    steps: u64,
}

/// The cheapest crowd around a combination that is none by itself.
pub(super) fn least_around(ground: &CrowdContext, root: u32, looks: u64) -> RootMinimum {
    let words = ground.start(root);
    let (mut below, mut steps) = (ONE / 16, 0);
    let mut near: Vec<CrowdCandidate> = Vec::new();
    let mut goal = LeastCostGoal { ground, root };
    // Wider and wider until there is a crowd.
    let (crowd, cost) = loop {
        near.clear();
        steps += ground.near(&words, below, |id, cost| {
            if id != root {
                near.push(CrowdCandidate { id, cost, least: 0, worth: 0 });
            }
        });
        let mut crowd = Vec::new();
        if goal.look(&mut near, &mut crowd).is_some() {
            let cost = ground.cost_of(crowd.iter().map(|member| member.0));
            break (crowd, cost);
        }
        if below > ONE {
            // There are fewer than k rows.
            return RootMinimum { least: 0, crowd: None, steps };
        }
        below = below.saturating_mul(2);
    };
    if cost > below {
        near.clear();
        steps += ground.near(&words, cost, |id, cost| {
            if id != root {
                near.push(CrowdCandidate { id, cost, least: 0, worth: 0 });
            }
        });
    }
    near.retain(|candidate| candidate.cost < cost);
    let PricingResult { bound, worth, mut crowds, looks, .. } =
        hunt(ground, &mut goal, words, near, -cost, looks);
    let best = match worth {
        Some(_) => crowds.pop(),
        None => Some((crowd, cost)),
    };
    RootMinimum { least: -bound, crowd: best, steps: steps + looks }
}
