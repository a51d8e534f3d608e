//! Repair: any prices become dual feasible, and so a proof.
//!
//! The combination of the highest price is examined: if the constraint of a crowd around it is violated, its price is
//! lowered, else it is done with. Lowering one price violates no constraint of those that are done with, so in the end
//! all hold. If pricing ends early, the price is lowered by all that a constraint could be violated, or to its personal
//! minimum: then a crowd in which nobody has a higher price has a mean price of at most that, which is at most what the
//! crowd pays.

use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::context::CrowdContext;
use super::dual_prices::broken_around;
use crate::search::Control;

/// So many are looked at at once. It decides what is found, and so does not depend on the machine.
const LOT: usize = 64;

/// After so many times a combination is lowered by all that could be broken.
const PATIENCE: u8 = 12;

/// How many looks a repair may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RepairBudget {
    /// For each root...
    pub(crate) each: u64,
    /// ... as long as all together have taken fewer than this...
    pub(crate) ample: u64,
    /// ... and then.
    pub(crate) then: u64,
}

/// Lowers dual prices until no constraint is violated; returns the steps it took. If it is stopped, what is left is lowered to
/// personal minima.
pub(crate) fn repair(
    ground: &CrowdContext,
    worths: &mut [i64],
    minima: &[i64],
    looks: RepairBudget,
    control: &Control,
) -> u64 {
    let mut queue: BinaryHeap<(i64, u32)> =
        worths.iter().enumerate().map(|(id, &worth)| (worth, id as u32)).collect();
    let mut done = vec![false; worths.len()];
    let mut tries = vec![0u8; worths.len()];
    let mut steps = 0;
    let mut stopped = false;
    while queue.peek().is_some_and(|top| top.0 > 0) {
        stopped = stopped || control.stop().is_some();
        let looks = if steps < looks.ample { looks.each } else { looks.then };
        let lot: Vec<(i64, u32)> = (0..LOT).map_while(|_| queue.pop()).collect();
        let found: Vec<(Option<i64>, u64)> = {
            let (worths, done) = (&*worths, &done);
            lot.par_iter()
                .map(|&(worth, root)| {
                    if worth <= minima[root as usize] {
                        return (None, 0);
                    }
                    if stopped {
                        return (Some(minima[root as usize]), 0);
                    }
                    let later =
                        |id: u32| !done[id as usize] && (worths[id as usize], id) < (worth, root);
                    let view = (worths, minima);
                    let (found, steps) = broken_around(ground, view, root, later, 0, looks);
                    if found.bound <= 0 {
                        return (None, steps);
                    }
                    // What was found for certain comes first: it says how many rows of the root share it.
                    let rows = found.crowds.last().map_or(1, |(crowd, _)| crowd[0].1);
                    let lower = match found.worth {
                        Some(by) if tries[root as usize] < PATIENCE && by * 2 > found.bound => {
                            // Rounded up.
                            worth - (by + rows - 1) / rows
                        }
                        _ => worth - found.bound,
                    };
                    (Some(lower.max(minima[root as usize])), steps)
                })
                .collect()
        };
        let highest = lot.first().map_or(0, |top| top.0);
        let mut still_open: Vec<(u32, i64)> = Vec::new();
        for (&(worth, root), (lower, more)) in lot.iter().zip(found) {
            steps += more;
            if let Some(lower) = lower {
                worths[root as usize] = lower;
                tries[root as usize] = tries[root as usize].saturating_add(1);
                still_open.push((root, lower));
                queue.push((lower, root));
                continue;
            }
            // One that was looked at before it, and is still open, was not among those that it was held against.
            let is_minimal = worth <= minima[root as usize];
            let waits = still_open.iter().any(|&(other, lower)| {
                !(is_minimal && lower <= worth) && ground.pair(other, root) < highest
            });
            if waits {
                still_open.push((root, worth));
                queue.push((worth, root));
            } else {
                done[root as usize] = true;
            }
        }
    }
    steps
}
