//! One node worked on: multipliers raised step by step, conflicts looked for, intervals forbidden.

use std::sync::Arc;

use rayon::prelude::*;

use super::conflict::{BoxConflict, ConflictSet, WeightedConflict};
use super::context::RelaxationContext;
use super::lagrangian::{LagrangianSolution, propagate, solve};
use super::separation::{AverageSupport, PrimalAverage};
use crate::kit::SearchRng;
use crate::search::Control;

/// A node: the intervals that may still be made, and the multipliers.
#[derive(Debug, Clone)]
pub(super) struct RelaxationNode {
    pub(super) allowed: Vec<Vec<bool>>,
    pub(super) weighed: Vec<WeightedConflict>,
    /// No cut set in it costs less.
    pub(super) bound: i64,
    pub(super) depth: u32,
    /// How long its steps are.
    pub(super) step: f64,
    /// How often it was worked on.
    pub(super) visits: u32,
}

/// What became of a node.
pub(super) struct NodeOutcome {
    /// The node; none if nothing in it costs less than what is known.
    pub(super) node: Option<RelaxationNode>,
    /// Where to divide it: attribute and position; none if every cut is decided.
    pub(super) division: Option<(usize, usize)>,
    /// How likely each cut is, by attribute and position: what a cut set could be made of.
    pub(super) cut: Vec<Vec<f64>>,
}

/// How much of the average stays at every step.
const KEPT: f64 = 0.9;

/// Step lengths: at the start, at least, at most.
pub(super) const STEP: (f64, f64, f64) = (0.1, 0.005, 1.5);

/// Where even these are too long, there is nothing to be gained.
const SHORTEST: f64 = 1e-6;

/// After so many steps in vain they get shorter.
const PATIENCE: u32 = 4;

/// Around so many cells conflicts are looked for side by side.
const ASIDE: usize = 64;

/// Sums of multipliers stay below this, so that nothing overflows.
const MOST: f64 = (1u64 << 59) as f64;

/// How long a node is worked on, and how often conflicts are looked for, around how many cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct VolumeSchedule {
    pub(super) rounds: u64,
    pub(super) every: u64,
    pub(super) cells: usize,
    /// So many conflicts are taken each time.
    pub(super) taken: usize,
}

/// Works on a node for some rounds, looking for cut sets that cost less than `below`.
pub(super) fn work(
    ground: &RelaxationContext,
    mut node: RelaxationNode,
    below: i64,
    pace: VolumeSchedule,
    order: &[u32],
    chance: &mut SearchRng,
    control: &Control,
) -> NodeOutcome {
    let rounds = pace.rounds;
    let closed = || NodeOutcome { node: None, division: None, cut: Vec::new() };
    if propagate(ground, &mut node.allowed).is_none() {
        return closed();
    }
    let mut conflicts = ConflictSet::new(ground.fields.len());
    let mut weights: Vec<f64> = node.weighed.iter().map(|it| it.weight).collect();
    node.weighed.into_iter().for_each(|it| conflicts.push(it.conflict));
    let Some(mut solved) = solve(ground, &node.allowed, &conflicts, &weights) else {
        return closed();
    };
    let mut best = solved.bound;
    let mut mean = first_mean(ground, &solved);
    let mut slope: Vec<f64> = conflicts.unmet(ground, &solved.intervals).collect();
    let (mut step, mut misses) = (node.step, 0);
    let mut at = chance.below(order.len().max(1));
    let mut fixed = 0;
    for round in 0..rounds {
        if best >= below {
            return closed();
        }
        if round % pace.every == 0 {
            if control.stop().is_some() {
                break;
            }
            let support = AverageSupport::new(ground, &mean);
            let (mut taken, mut left) = (0, pace.cells.min(order.len()));
            while left > 0 && taken < pace.taken {
                let some = left.min(ASIDE);
                let found: Vec<Option<(BoxConflict, f64)>> = (1..=some)
                    .into_par_iter()
                    .map(|step| {
                        let conflict =
                            support.conflict(ground, order[(at + step) % order.len()])?;
                        let unmet = support.unmet(ground, &conflict);
                        Some((conflict, unmet))
                    })
                    .collect();
                at = (at + some) % order.len();
                left -= some;
                for (conflict, unmet) in found.into_iter().flatten().take(pace.taken - taken) {
                    slope.push(unmet);
                    weights.push(0.0);
                    conflicts.push(Arc::new(conflict));
                    taken += 1;
                }
            }
        }
        let moves = weights.iter().zip(&slope).filter(|it| *it.0 > 0.0 || *it.1 > 0.0);
        let norm: f64 = moves.map(|(_, slope)| slope * slope).sum();
        if norm < 1e-12 {
            // Either all conflicts are met, or steps are so long that they are met many times over: then shorter ones start
            // where the best was.
            let fresh: Vec<f64> = conflicts.unmet(ground, &solved.intervals).collect();
            if step < SHORTEST || fresh.iter().all(|&slope| slope <= 0.0) {
                break;
            }
            (slope, mean) = (fresh, first_mean(ground, &solved));
            (step, misses) = (step * 0.25, 0);
            continue;
        }
        // A little beyond what is known, so that steps do not die out near it.
        let length = step * (below as f64 * 1.01 - best as f64) / norm;
        let longer = |(weight, slope): (&f64, &f64)| (weight + length * slope).max(0.0).round();
        let mut trial: Vec<f64> = weights.iter().zip(&slope).map(longer).collect();
        conflicts.keep_within_stakes(ground, &mut trial);
        if trial.iter().sum::<f64>() > MOST {
            step = (step * 0.5).max(STEP.1 * 1e-6);
            continue;
        }
        let Some(next) = solve(ground, &node.allowed, &conflicts, &trial) else { return closed() };
        for (axis, field) in ground.fields.iter().enumerate() {
            mean[axis].iter_mut().for_each(|share| *share *= KEPT);
            let mut value = 0;
            while value < field.values {
                let (first, end) = next.intervals[axis][value];
                mean[axis][field.at(usize::from(first), usize::from(end))] += 1.0 - KEPT;
                value = usize::from(end);
            }
        }
        let fresh = conflicts.unmet(ground, &next.intervals);
        slope.par_iter_mut().zip(fresh).for_each(|(slope, fresh)| {
            *slope = KEPT * *slope + (1.0 - KEPT) * fresh;
        });
        if next.bound > best {
            best = next.bound;
            weights = trial;
            (step, misses) = ((step * 1.05).min(STEP.2), 0);
            solved = next;
            if round % 5 == 0 {
                match solved.fix(ground, &mut node.allowed, below) {
                    None => return closed(),
                    Some(more) => fixed += more,
                }
                if fixed > 50 {
                    fixed = 0;
                    if propagate(ground, &mut node.allowed).is_none() {
                        return closed();
                    }
                }
            }
        } else {
            misses += 1;
            if misses >= PATIENCE {
                (step, misses) = ((step * 0.8).max(STEP.1.min(step)), 0);
            }
        }
    }
    if best >= below || solved.fix(ground, &mut node.allowed, below).is_none() {
        return closed();
    }
    let weighed = conflicts.weighed(&weights, &slope);
    let bound = best.max(node.bound);
    let (division, cut) = divide(ground, &node.allowed, &mean);
    let visits = node.visits + 1;
    let node =
        RelaxationNode { allowed: node.allowed, weighed, bound, depth: node.depth, step, visits };
    NodeOutcome { node: Some(node), division, cut }
}

fn first_mean(ground: &RelaxationContext, solved: &LagrangianSolution) -> PrimalAverage {
    ground
        .fields
        .iter()
        .zip(&solved.intervals)
        .map(|(field, intervals)| {
            let mut mean = vec![0.0; field.costs.len()];
            for &(first, end) in intervals {
                mean[field.at(usize::from(first), usize::from(end))] = 1.0;
            }
            mean
        })
        .collect()
}

/// Where to divide a node: at the cut that is least certain and matters most; and how likely each cut is.
fn divide(
    ground: &RelaxationContext,
    allowed: &[Vec<bool>],
    mean: &PrimalAverage,
) -> (Option<(usize, usize)>, Vec<Vec<f64>>) {
    let mut best: Option<(f64, usize, usize)> = None;
    let mut cut = Vec::new();
    for (axis, field) in ground.fields.iter().enumerate() {
        let values = field.values;
        let mut likely = vec![1.0; values + 1];
        for (position, likely) in likely.iter_mut().enumerate().take(values).skip(1) {
            let (mut crossing, mut cost, mut open_over, mut open_at) = (0.0, 0.0, false, false);
            for first in 0..position {
                for end in position..=values {
                    let at = field.at(first, end);
                    let ends_here = end == position;
                    open_at |= ends_here && allowed[axis][at];
                    if !ends_here {
                        open_over |= allowed[axis][at];
                        crossing += mean[axis][at];
                        cost += mean[axis][at] * field.costs[at] as f64;
                    }
                }
            }
            *likely = match (open_over, open_at) {
                (false, _) => 1.0,
                (_, false) => 0.0,
                _ => 1.0 - crossing,
            };
            if !(open_over && open_at) {
                continue;
            }
            let doubt = crossing.min(1.0 - crossing).max(1e-4);
            let score = doubt * (cost / crossing.max(1e-4) + 1.0);
            if best.is_none_or(|best| score > best.0) {
                best = Some((score, axis, position));
            }
        }
        cut.push(likely);
    }
    (best.map(|(_, axis, position)| (axis, position)), cut)
}

/// The two halves of a node: with a cut and without it.
pub(super) fn halves(
    ground: &RelaxationContext,
    node: &RelaxationNode,
    (axis, position): (usize, usize),
) -> [RelaxationNode; 2] {
    let field = &ground.fields[axis];
    let (mut with, mut without) = (node.clone(), node.clone());
    for first in 0..field.values {
        for end in first + 1..=field.values {
            let at = field.at(first, end);
            if first < position && position < end {
                with.allowed[axis][at] = false;
            }
            if first == position || end == position {
                without.allowed[axis][at] = false;
            }
        }
    }
    for half in [&mut with, &mut without] {
        (half.depth, half.visits, half.step) = (node.depth + 1, 0, STEP.0.min(4.0 * node.step));
    }
    [with, without]
}
