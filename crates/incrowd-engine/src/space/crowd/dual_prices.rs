//! Dual prices of the linear program that puts rows into crowds, by column generation.
//!
//! Give a row of combination j the dual price y_j, such that for every set S of k rows
//!
//! ```text
//! sum over S of y  <=  k * cost(S)          (the dual constraint of S)
//! ```
//!
//! Then any grouping costs at least the sum of all prices: a crowd of exactly k rows pays at least the sum of its
//! rows' prices, and so does a larger one, whose k-subsets pay no more than it on average. A suppressed row pays
//! `ONE`, so y is at most that. Personal minima are feasible prices; better ones come from the linear program over
//! the crowds whose constraints are violated.

use rayon::prelude::*;

use super::attribute_prices::ONE;
use super::context::{CrowdCandidate, CrowdContext};
use super::group_pricing::{CrowdMembers, PricingGoal, PricingResult, hunt};
use super::personal_minima::PersonalMinima;
use super::restricted_master::RestrictedMaster;
use crate::search::Control;

/// The crowds around a row whose dual constraints are violated most.
pub(super) struct ViolationGoal<'a> {
    ground: &'a CrowdContext,
    worths: &'a [i64],
    root: u32,
    /// The dual price of the root, that of no other member being higher.
    top: i64,
    /// The candidates of the highest prices so far: price, id, rows; a heap, the cheapest first.
    heap: std::collections::BinaryHeap<std::cmp::Reverse<(i64, u32, i64)>>,
}

impl<'a> ViolationGoal<'a> {
    pub(super) fn new(ground: &'a CrowdContext, worths: &'a [i64], root: u32) -> Self {
        let top = worths[root as usize];
        ViolationGoal { ground, worths, root, top, heap: std::collections::BinaryHeap::new() }
    }

    /// How many rows of a combination can stand beside one of the root.
    fn rows(&self, id: u32) -> i64 {
        self.ground.counts[id as usize] - i64::from(id == self.root)
    }

    /// Goes through candidates that are sorted by cost and calls with the sum of the k - 1 highest dual prices so
    /// far, whenever there are so many and the sum has grown.
    fn sweep(&mut self, candidates: &[CrowdCandidate], mut call: impl FnMut(usize, i64)) {
        let wanted = self.ground.k - 1;
        self.heap.clear();
        let (mut rows, mut sum) = (0i64, 0i64);
        for (at, candidate) in candidates.iter().enumerate() {
            let worth = candidate.worth;
            // Most have lower prices than all that are there.
            if rows == wanted && self.heap.peek().is_some_and(|least| worth <= least.0.0) {
                continue;
            }
            let more = self.rows(candidate.id).min(wanted);
            if more > 0 {
                rows += more;
                sum += worth * more;
                self.heap.push(std::cmp::Reverse((worth, candidate.id, more)));
            }
            while let Some(&std::cmp::Reverse((worth, id, held))) = self.heap.peek() {
                let over = rows - wanted;
                if over <= 0 {
                    break;
                }
                self.heap.pop();
                let gone = over.min(held);
                rows -= gone;
                sum -= worth * gone;
                if held > gone {
                    self.heap.push(std::cmp::Reverse((worth, id, held - gone)));
                }
            }
            if rows == wanted {
                call(at, sum);
            }
        }
    }
}

impl PricingGoal for ViolationGoal<'_> {
    fn look(
        &mut self,
        candidates: &mut [CrowdCandidate],
        crowd: &mut CrowdMembers,
    ) -> Option<(i64, i64)> {
        // They come nearly sorted.
        candidates.sort_by_key(|&candidate| cost_with(candidate));
        let (k, top) = (self.ground.k, self.top);
        let mut best: Option<(i64, usize)> = None;
        self.sweep(candidates, |at, sum| {
            let worth = top + sum - k * cost_with(candidates[at]);
            if best.is_none_or(|best| worth > best.0) {
                best = Some((worth, at));
            }
        });
        let (bound, at) = best?;
        // The sum of the highest prices of others in any crowd here beside one candidate.
        let all: i64 = self.heap.iter().map(|it| it.0.0 * it.0.2).sum();
        let told = all - self.heap.peek().map_or(0, |it| it.0.0);
        self.sweep(&candidates[..=at], |_, _| {});
        crowd.clear();
        crowd.push((self.root, 1));
        for &std::cmp::Reverse((_, id, rows)) in &self.heap {
            if id == self.root { crowd[0].1 += rows } else { crowd.push((id, rows)) }
        }
        crowd[1..].sort_unstable();
        Some((bound, told))
    }

    fn worth(&self, crowd: &CrowdMembers, cost: i64) -> i64 {
        let sum: i64 = crowd.iter().map(|&(id, rows)| self.worths[id as usize] * rows).sum();
        sum - self.ground.k * cost
    }

    fn is_hopeless(&self, candidate: CrowdCandidate, told: i64, best: i64) -> bool {
        self.top + told + candidate.worth - self.ground.k * cost_with(candidate) <= best
    }
}

/// What a crowd costs at least that a candidate is in.
#[inline]
fn cost_with(candidate: CrowdCandidate) -> i64 {
    candidate.cost.max(candidate.least)
}

/// Searches for the crowds around a root whose constraints are violated by more than `least`, among those in which no
/// row has a higher price and all are admitted; also returns the steps that it took.
pub(super) fn broken_around(
    ground: &CrowdContext,
    (worths, minima): (&[i64], &[i64]),
    root: u32,
    admitted: impl Fn(u32) -> bool,
    least: i64,
    looks: u64,
) -> (PricingResult, u64) {
    let top = worths[root as usize];
    let words = ground.start(root);
    let mut goal = ViolationGoal::new(ground, worths, root);
    let mut candidates = Vec::new();
    // A crowd of a violated constraint pays less than the mean of its prices, which is at most the highest.
    let steps = ground.near(&words, top, |id, cost| {
        let (least_cost, worth) = (minima[id as usize], worths[id as usize]);
        let candidate = CrowdCandidate { id, cost, least: least_cost, worth };
        let is_root = id == root && ground.counts[root as usize] > 1;
        let others = (ground.k - 2) * top;
        if (is_root || admitted(id)) && !goal.is_hopeless(candidate, others, least) {
            candidates.push(candidate);
        }
    });
    let found = hunt(ground, &mut goal, words, candidates, least, looks);
    let steps = steps + found.looks;
    (found, steps)
}

/// The rounds of pricing: how many looks each root gets.
const ROUNDS: [u64; 12] = [
    8_000, 16_000, 30_000, 60_000, 120_000, 120_000, 250_000, 250_000, 500_000, 500_000, 500_000,
    1_000_000,
];

/// Where pricing around a root ends early, the price of the root may fall by this share of what is in doubt: a price that
/// cannot be proven would be taken back in the end, and others can have what it gives up. Where pricing comes to its
/// end, the price of the root may be so many times as high in the next round.
const DOUBT: f64 = 0.5;
const RELAX: f64 = 1.25;

/// How far a price may move in one round, beside its personal minimum.
const REACH: f64 = 0.5;

/// Once fewer crowds were found than one for so many combinations, and pricing came to its end around nearly all roots,
/// prices hardly change any more: what is left is repaired, and the rest of the work saved.
const SETTLED: usize = 9;

/// So many of the crowds found around a root become columns.
const KEPT: usize = 5;

/// Prices that violate the constraints little, and the crowds that the linear program makes use of.
pub(crate) struct DualPrices {
    pub(crate) worths: Vec<i64>,
    /// Crowds of k rows with how much of each the program takes.
    pub(crate) crowds: Vec<(CrowdMembers, f64)>,
    #[allow(dead_code, reason = "the figures of tests")]
    pub(crate) steps: u64,
}

/// What pricing has found around a root.
#[derive(Default)]
struct RootPricing {
    /// The crowds of the constraints that are violated most, with what a row of them pays.
    crowds: Vec<(CrowdMembers, i64)>,
    /// By how much more a constraint could be violated than was found.
    doubt: i64,
    steps: u64,
}

/// Improves on personal minima by pricing and the linear program, until `steps` steps are made. The program begins with the
/// crowds of a release that was found: a good one holds most of those that matter.
pub(crate) fn improve(
    ground: &CrowdContext,
    minima: &PersonalMinima,
    found: &[CrowdMembers],
    steps: u64,
    control: &Control,
) -> DualPrices {
    let mut program = RestrictedMaster::new(ground);
    for crowd in found {
        program.add(crowd, ground.cost_of(crowd.iter().map(|member| member.0)));
    }
    let known = minima.crowds.iter().flatten();
    known.for_each(|(crowd, cost)| program.add(crowd, *cost));
    // Combinations that fill a crowd alone.
    for id in 0..ground.len() as u32 {
        if ground.counts[id as usize] >= ground.k {
            program.add(&vec![(id, ground.k)], minima.least[id as usize]);
        }
    }
    let mut worths: Vec<i64> = minima.least.iter().map(|&least| least + least / 10 * 3).collect();
    program.start(&worths);
    let one = ONE as f64;
    let mean =
        minima.least.iter().map(|&it| it as f64 / one).sum::<f64>() / ground.len().max(1) as f64;
    let reach: Vec<f64> =
        minima.least.iter().map(|&least| REACH * (least as f64 / one + 0.1 * mean)).collect();
    // The highest price that each may have.
    let mut most = vec![ground.most as f64 / one; ground.len()];
    let mut made = 0;
    for looks in ROUNDS {
        if made >= steps || control.stop().is_some() {
            break;
        }
        let tolerance = ONE / 1_000_000;
        let view = (&worths[..], &minima.least[..]);
        let found: Vec<RootPricing> = (0..ground.len() as u32)
            .into_par_iter()
            .map(|root| {
                let top = worths[root as usize];
                if top <= minima.least[root as usize] {
                    return RootPricing::default();
                }
                let admitted = |id: u32| (worths[id as usize], id) < (top, root);
                let (found, steps) = broken_around(ground, view, root, admitted, tolerance, looks);
                let doubt = found.bound - found.worth.unwrap_or(tolerance);
                let mut crowds = found.crowds;
                crowds.drain(..crowds.len().saturating_sub(KEPT));
                RootPricing { crowds, doubt, steps }
            })
            .collect();
        let (mut new, mut in_doubt) = (0, 0);
        for (root, RootPricing { crowds, doubt, steps }) in found.into_iter().enumerate() {
            let (worth, least) = (worths[root] as f64 / one, minima.least[root] as f64 / one);
            most[root] = match doubt > 0 {
                true => most[root].min(least.max(worth - DOUBT * doubt as f64 / one)),
                false => most[root].max(worth * RELAX),
            };
            made += steps;
            in_doubt += usize::from(doubt > 0);
            new += crowds.len();
            crowds.iter().for_each(|(crowd, cost)| program.add(crowd, *cost));
        }
        if new == 0 {
            break;
        }
        made += program.solve(&reach, &most);
        worths = program.worths();
        if made > steps / 12 && (new + in_doubt) * SETTLED < ground.len() {
            break;
        }
    }
    DualPrices { worths, crowds: program.used(), steps: made }
}
