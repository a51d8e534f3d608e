//! Certificates about groups: a dual price for every combination, and a least cost of what stands with it.
//!
//! The body has a *floor* for every combination (no k rows of which one has it cost each less), and then a *price* for
//! every combination (k rows never have prices that add up to more than they pay). The prices of all rows add up to a
//! bound. Both are searched for violations; what is violated is lowered until it is not. Rules 7 and 8.

mod prices;
mod search;

use std::io::Read;

use crate::error::{Error, Result};
use crate::input::Input;
use crate::question::Question;
use crate::table::Profiles;
use prices::Prices;
use search::{Searcher, Target};

/// What a suppressed row costs.
const ONE: i64 = 1 << 40;
/// No floor or price is further from zero.
const MOST: i64 = 1 << 47;
/// Steps of a search around one combination, before what is not closed counts as violated.
const STEPS: u64 = 20_000_000;

/// Checks the body; returns the bound and the number of combinations that were looked at.
pub(crate) fn check<R: Read>(
    question: &Question,
    profiles: &Profiles,
    body: &mut Input<R>,
) -> Result<(u64, u64)> {
    let prices = Prices::new(question)?;
    let number = profiles.counts.len();
    let mut floors = Vec::with_capacity(number);
    for _ in 0..number {
        floors.push(body.below(MOST as usize)? as i64);
    }
    let mut worths = Vec::with_capacity(number);
    for _ in 0..number {
        let zigzag = body.below(2 * MOST as usize)? as i64;
        let worth = zigzag >> 1 ^ -(zigzag & 1);
        worths.push(if question.limit > 0 { worth.min(ONE) } else { worth });
    }
    let k = i64::try_from(question.k).ok().filter(|&k| k < 1 << 12);
    let k = k.ok_or_else(|| Error::Question("k is too large".to_owned()))?;
    let searcher = Searcher { profiles, prices: &prices, k };
    let mut cases = 0;
    // Floors, the highest first: who has a higher one is in no group that violates a lower one.
    let mut order: Vec<usize> = (0..number).collect();
    order.sort_by_key(|&at| (-floors[at], at));
    let mut known = vec![0; number];
    for &root in &order {
        let floor = floors[root];
        let target = Target { worth: &|_| floor, may_join: &|_| true, floors: &known };
        let excess = searcher.excess(root, target, STEPS);
        known[root] = floor - excess.div_euclid(k) - i64::from(excess.rem_euclid(k) > 0);
        cases += 1;
    }
    // Prices: of every group the combination with the highest one is the root.
    order.sort_by_key(|&at| (-worths[at], at));
    let mut rank = vec![0; number];
    (0..number).for_each(|place| rank[order[place]] = place);
    let mut sum = 0i128;
    for &root in &order {
        let mut worth = worths[root];
        // A group costs its root at least its floor: where no price is higher, none is violated.
        if worth > known[root].max(0) {
            let target = Target {
                worth: &|at| worths[at],
                may_join: &|at| rank[at] >= rank[root],
                floors: &known,
            };
            worth -= searcher.excess(root, target, STEPS);
            cases += 1;
        }
        sum += i128::from(worth) * i128::from(profiles.counts[root]);
    }
    // Floors are prices, too, that nothing violates.
    let floor = |at: usize| i128::from(known[at].clamp(0, ONE)) * i128::from(profiles.counts[at]);
    let sum = sum.max((0..number).map(floor).sum());
    Ok((u64::try_from(sum).unwrap_or(u64::MAX - 1), cases))
}
