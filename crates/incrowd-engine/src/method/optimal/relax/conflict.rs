//! Conflicts: what the crowd demands of intervals.
//!
//! A box of fewer than k rows around a cell is no class: in one attribute at least, the cell's interval reaches out of it.
//!
//! Where rows may be suppressed, at a price of D, a row of the cell can also pay to leave the conflict unmet. Of that price a
//! share q is set aside for each attribute, whatever is left of it being the *stake* b. Then a row pays at least b more than
//! its intervals cost, less b for every attribute in which its interval reaches out of the box, and less what an interval
//! inside the box costs more than its q: if all lie inside, the row is suppressed, and D less the intervals' prices p is
//! at least b less the sum of what each p is above its q; otherwise b is taken off at least once, and no row pays less than
//! its intervals. So the multipliers of a cell's conflicts, each divided by its stake, add up to at most the cell's rows. A
//! limit on suppressed rows only raises the cost.

use std::sync::Arc;

use rayon::prelude::*;

use super::context::{AttributeIntervals, RelaxationContext};

/// A cell, and a box of fewer than k rows around it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BoxConflict {
    pub(super) cell: u32,
    /// What a row pays more that leaves the conflict unmet, above zero; without end where none may.
    pub(super) stake: i64,
    /// By attribute.
    pub(super) sides: Vec<ConflictSide>,
}

/// One attribute of a conflict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ConflictSide {
    /// The value of the cell.
    pub(super) value: u16,
    /// The values of the box, from the first to the end.
    pub(super) within: (u16, u16),
    /// What an interval inside the box may cost a row without taking something off.
    pub(super) free: i64,
}

impl ConflictSide {
    /// How much of a conflict with this stake an interval of the cell meets.
    #[inline]
    pub(super) fn met(
        &self,
        field: &AttributeIntervals,
        stake: i64,
        (first, end): (u16, u16),
    ) -> f64 {
        if first < self.within.0 || end > self.within.1 {
            return 1.0;
        }
        let above = field.prices[field.at(usize::from(first), usize::from(end))] - self.free;
        if above > 0 { above as f64 / stake as f64 } else { 0.0 }
    }
}

/// A conflict with its multiplier.
#[derive(Debug, Clone)]
pub(super) struct WeightedConflict {
    pub(super) conflict: Arc<BoxConflict>,
    pub(super) weight: f64,
}

/// The conflicts of a node that is worked on. Every round goes through all of them: they lie side by side in memory.
pub(super) struct ConflictSet {
    axes: usize,
    all: Vec<Arc<BoxConflict>>,
    /// By conflict the cell and the stake.
    heads: Vec<(u32, i64)>,
    /// By conflict and attribute.
    sides: Vec<ConflictSide>,
}

/// So many conflicts are one task. Sums of whole numbers do not depend on it.
const TASK: usize = 2_048;

impl ConflictSet {
    /// No conflicts, of so many attributes.
    pub(super) fn new(axes: usize) -> Self {
        ConflictSet { axes, all: Vec::new(), heads: Vec::new(), sides: Vec::new() }
    }

    pub(super) fn push(&mut self, conflict: Arc<BoxConflict>) {
        self.heads.push((conflict.cell, conflict.stake));
        self.sides.extend_from_slice(&conflict.sides);
        self.all.push(conflict);
    }

    /// How far each is from being met by a division: 1 less the attributes in which the cell's interval reaches out of the
    /// box, and less what is taken off inside.
    pub(super) fn unmet<'a>(
        &'a self,
        ground: &'a RelaxationContext,
        intervals: &'a [Vec<(u16, u16)>],
    ) -> impl IndexedParallelIterator<Item = f64> + 'a {
        let each = self.heads.par_iter().zip(self.sides.par_chunks_exact(self.axes));
        each.with_min_len(TASK).map(move |(&(_, stake), sides)| {
            let of_axes = sides.iter().zip(&ground.fields).zip(intervals);
            let met = of_axes.map(|((side, field), intervals)| {
                side.met(field, stake, intervals[usize::from(side.value)])
            });
            1.0 - met.sum::<f64>()
        })
    }

    /// Lowers multipliers to what the rows of each cell have at stake.
    pub(super) fn keep_within_stakes(&self, ground: &RelaxationContext, weights: &mut [f64]) {
        if ground.suppressed.is_none() {
            return;
        }
        let mut used = vec![0.0; ground.counts.len()];
        for (&(cell, stake), weight) in self.heads.iter().zip(&*weights) {
            used[cell as usize] += weight / stake as f64;
        }
        for (&(cell, _), weight) in self.heads.iter().zip(weights) {
            let (most, used) = (f64::from(ground.counts[cell as usize]), used[cell as usize]);
            if used > most {
                *weight = (*weight * most / used * (1.0 - 1e-12)).floor();
            }
        }
    }

    /// By attribute, what multipliers take off each interval, never less than they should.
    pub(super) fn taken_off(&self, ground: &RelaxationContext, weights: &[f64]) -> Vec<Vec<i64>> {
        let is_priced = ground.suppressed.is_some();
        let nothing = || -> Vec<ConflictDiscounts> {
            ground.fields.iter().map(|field| ConflictDiscounts::nothing(field, is_priced)).collect()
        };
        let sides = self.sides.par_chunks(TASK * self.axes);
        let heads = self.heads.par_chunks(TASK);
        let parts =
            heads.zip(sides).zip(weights.par_chunks(TASK)).map(|((heads, sides), weights)| {
                let mut taken = nothing();
                let all = heads.iter().zip(sides.chunks_exact(self.axes)).zip(weights);
                for ((&(_, stake), sides), &weight) in all.filter(|it| *it.1 > 0.0) {
                    let rate = rate(weight, stake);
                    for ((taken, side), field) in taken.iter_mut().zip(sides).zip(&ground.fields) {
                        taken.reaching_out(field, side, weight as i64);
                        if rate > 0 {
                            taken.inside(field, side, rate);
                        }
                    }
                }
                taken
            });
        let and = |one: Vec<ConflictDiscounts>, other| {
            one.into_iter().zip(other).map(ConflictDiscounts::and).collect()
        };
        let taken = parts.reduce_with(and).unwrap_or_else(nothing);
        taken.into_iter().zip(&ground.fields).map(|(taken, field)| taken.of(field)).collect()
    }

    /// The conflicts with a multiplier, or with one to come.
    pub(super) fn weighed(self, weights: &[f64], slopes: &[f64]) -> Vec<WeightedConflict> {
        let all = self.all.into_iter().zip(weights).zip(slopes);
        let live = all.filter(|((_, weight), slope)| **weight > 0.0 || **slope > 0.0);
        live.map(|((conflict, &weight), _)| WeightedConflict { conflict, weight }).collect()
    }
}

/// Rates are whole numbers of parts of so many bits.
const RATE_BITS: u32 = 32;

/// What a multiplier takes off for each unit by which an interval inside the box costs more than it may.
fn rate(weight: f64, stake: i64) -> i128 {
    if stake == i64::MAX {
        return 0;
    }
    let rate = (weight / stake as f64 * f64::from(RATE_BITS).exp2()) as i128;
    // Rounded up, and once more for what the division has lost.
    rate + 1 + (rate >> 50)
}

/// What conflicts take off the intervals of an attribute.
struct ConflictDiscounts {
    /// By those that reach out of boxes, as changes along both ends.
    out: Vec<i64>,
    /// By those inside that cost more than they may: all conflicts together take a rate times the price, less what is
    /// free. Both are sums of changes from one end of an interval to the next: a conflict costs a step for each first value,
    /// whatever the ends are.
    rates: Vec<i128>,
    free: Vec<i128>,
}

impl ConflictDiscounts {
    /// Rates are empty where no row pays to be suppressed.
    fn nothing(field: &AttributeIntervals, is_priced: bool) -> Self {
        let (width, rates) = (field.values + 1, if is_priced { field.costs.len() } else { 0 });
        ConflictDiscounts {
            out: vec![0; width * width],
            rates: vec![0; rates],
            free: vec![0; rates],
        }
    }

    #[inline]
    fn reaching_out(&mut self, field: &AttributeIntervals, side: &ConflictSide, weight: i64) {
        let (values, width, value) = (field.values, field.values + 1, usize::from(side.value));
        let (low, high) = (usize::from(side.within.0), usize::from(side.within.1));
        if (low, high) == (0, values) {
            return;
        }
        // Those that hold the value, first up to it and end behind it, but for those within.
        self.out[value + 1] += weight;
        self.out[low * width + value + 1] -= weight;
        if high < values {
            self.out[low * width + high + 1] += weight;
            self.out[(value + 1) * width + high + 1] -= weight;
        }
    }

    #[inline]
    fn inside(&mut self, field: &AttributeIntervals, side: &ConflictSide, rate: i128) {
        let value = usize::from(side.value);
        let (low, high) = (usize::from(side.within.0), usize::from(side.within.1));
        // Often not even the whole box costs more than it may.
        if field.rises && field.prices[field.at(low, high)] <= side.free {
            return;
        }
        let free = rate * i128::from(side.free);
        // Where the ends begin that cost more than they may; most intervals inside do not.
        let mut dear = value + 1;
        for first in low..=value {
            let (start, to) = (field.at(first, 0), field.at(first, high));
            if field.rises {
                // From a later first value on, they begin later.
                let prices = &field.prices[start + dear..=to];
                dear += prices.iter().take_while(|&&price| price <= side.free).count();
                if dear > high {
                    break;
                }
                self.add(start + dear..to + 1, rate, free);
            } else {
                let prices = (start + value + 1..).zip(&field.prices[start + value + 1..=to]);
                let dear = prices.filter(|it| *it.1 > side.free);
                dear.for_each(|(at, _)| self.add(at..at + 1, rate, free));
            }
        }
    }

    /// Takes off the intervals at these places, which have the same first value.
    #[inline]
    fn add(&mut self, places: std::ops::Range<usize>, rate: i128, free: i128) {
        self.rates[places.start] += rate;
        self.free[places.start] += free;
        // Behind the last interval of the last value there is nothing.
        if let Some(end) = self.rates.get_mut(places.end) {
            *end -= rate;
            self.free[places.end] -= free;
        }
    }

    fn and((mut one, other): (Self, Self)) -> Self {
        one.out.iter_mut().zip(other.out).for_each(|(sum, more)| *sum += more);
        one.rates.iter_mut().zip(other.rates).for_each(|(sum, more)| *sum += more);
        one.free.iter_mut().zip(other.free).for_each(|(sum, more)| *sum += more);
        one
    }

    /// What is taken off each interval, rounded up.
    fn of(self, field: &AttributeIntervals) -> Vec<i64> {
        let (values, width) = (field.values, field.values + 1);
        let mut off = self.out;
        off.truncate(values * width);
        for first in 0..values {
            let mut along = 0;
            for at in first * width..(first + 1) * width {
                along += off[at];
                off[at] = along + if first > 0 { off[at - width] } else { 0 };
            }
        }
        let (mut rate, mut free) = (0, 0);
        let changes = self.rates.into_iter().zip(self.free).zip(&field.prices);
        for (off, ((more_rate, more_free), &price)) in off.iter_mut().zip(changes) {
            rate += more_rate;
            free += more_free;
            if rate != 0 {
                let taken = (rate * i128::from(price) - free) >> RATE_BITS;
                *off += i64::try_from(taken + 1).unwrap_or(i64::MAX / 4);
            }
        }
        off
    }
}
