//! A node of the relaxation: which intervals may still be made, and the multipliers of conflicts.
//!
//! Under limit 0 the cost of a cut set is the sum over attributes of what their intervals cost: without the crowd
//! each attribute would be a shortest path of its own. The crowd comes in as *conflicts*: a box of fewer than k rows
//! around a cell, in which the class of the cell must not lie. So in one attribute at least, the cell's interval
//! reaches out of the box. A multiplier of zero or more on each such demand gives a bound: the sum of the
//! multipliers, and the shortest paths where an interval that reaches out is cheaper by them.
//!
//! Where rows may be suppressed, at a price of D, a row of the cell can also pay to leave the conflict unmet. Of that price a
//! share q is set aside for each attribute, whatever is left of it being the *stake* b. Then a row pays at least b more than
//! its intervals cost, less b for every attribute in which its interval reaches out of the box, and less what an interval
//! inside the box costs more than its q: if all lie inside, the row is suppressed, and D less the intervals' prices p is
//! at least b less the sum of what each p is above its q; otherwise b is taken off at least once, and no row pays less than
//! its intervals. So the multipliers of a cell's conflicts, each divided by its stake, add up to at most the cell's rows. A
//! limit on suppressed rows only raises the cost.

use rayon::prelude::*;

use super::field::{Box, Field, Ground};

/// A cell, and a box of fewer than k rows around it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conflict {
    pub(super) cell: u32,
    pub(super) within: Box,
    /// Where rows may be suppressed.
    pub(super) priced: Option<Priced>,
}

/// What a row pays that leaves a conflict unmet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Priced {
    /// What it pays more, above zero.
    pub(super) stake: i64,
    /// By attribute, what an interval inside the box may cost without taking something off.
    pub(super) free: Vec<i64>,
}

impl Conflict {
    /// What a row of the cell has at stake.
    pub(super) fn stake(&self) -> i64 {
        self.priced.as_ref().map_or(i64::MAX, |priced| priced.stake)
    }

    /// How much of the conflict an interval of the cell meets in an attribute.
    pub(super) fn met(&self, ground: &Ground, axis: usize, (first, end): (u16, u16)) -> f64 {
        let range = self.within[axis];
        if first < range.0 || end > range.1 {
            return 1.0;
        }
        let Some(Priced { stake, free }) = &self.priced else { return 0.0 };
        let field = &ground.fields[axis];
        let price = field.prices[field.at(usize::from(first), usize::from(end))];
        (price - free[axis]).max(0) as f64 / *stake as f64
    }
}

/// A conflict with its multiplier.
#[derive(Debug, Clone)]
pub(super) struct Weighed {
    pub(super) conflict: std::sync::Arc<Conflict>,
    pub(super) weight: f64,
}

/// The relaxation solved for some multipliers.
pub(super) struct Solved {
    /// No cut set of the node costs less.
    pub(super) bound: i64,
    /// By attribute, the first value and the end of the interval of each value.
    pub(super) intervals: Vec<Vec<(u16, u16)>>,
    /// By attribute the length of its shortest path.
    lengths: Vec<i64>,
    /// By attribute the costs of intervals less multipliers.
    reduced: Vec<Vec<i64>>,
}

/// Solves the shortest paths; none if an attribute has no path left.
pub(super) fn solve(ground: &Ground, allowed: &[Vec<bool>], weighed: &[Weighed]) -> Option<Solved> {
    let weights: Vec<i64> = weighed.iter().map(|it| it.weight as i64).collect();
    let mut bound: i64 = weights.iter().sum();
    let mut solved =
        Solved { bound: 0, intervals: Vec::new(), lengths: Vec::new(), reduced: Vec::new() };
    for (axis, field) in ground.fields.iter().enumerate() {
        let (values, width) = (field.values, field.values + 1);
        // What is taken off, as differences along both ends.
        let mut off = vec![0i64; width * width];
        let mut add = |from: usize, to: usize, low: usize, high: usize, weight: i64| {
            // first in from..=to, end in low..=high.
            off[from * width + low] += weight;
            if high < values {
                off[from * width + high + 1] -= weight;
            }
            off[(to + 1) * width + low] -= weight;
            if high < values {
                off[(to + 1) * width + high + 1] += weight;
            }
        };
        for (it, &weight) in weighed.iter().zip(&weights) {
            let range = it.conflict.within[axis];
            if weight == 0 || ground.is_whole(axis, range) {
                continue;
            }
            let value = usize::from(ground.values[axis][it.conflict.cell as usize]);
            add(0, value, value + 1, values, weight);
            add(usize::from(range.0), value, value + 1, usize::from(range.1), -weight);
        }
        let inside = match ground.suppressed {
            None => Vec::new(),
            Some(_) => taken_inside(ground, axis, weighed),
        };
        for first in 0..values {
            for end in 0..=values {
                let at = first * width + end;
                let left = if end > 0 { off[at - 1] } else { 0 };
                let above = if first > 0 { off[at - width] } else { 0 };
                let both = if first > 0 && end > 0 { off[at - width - 1] } else { 0 };
                off[at] += left + above - both;
            }
        }
        let mut reduced: Vec<i64> =
            field.costs.iter().zip(&off).map(|(&cost, &off)| cost - off).collect();
        reduced.iter_mut().zip(&inside).for_each(|(reduced, off)| *reduced -= off);
        let mut length = vec![i64::MAX; width];
        let mut before = vec![0usize; width];
        length[0] = 0;
        for first in 0..values {
            if length[first] == i64::MAX {
                continue;
            }
            for end in first + 1..=values {
                let at = first * width + end;
                if allowed[axis][at] && length[first] + reduced[at] < length[end] {
                    length[end] = length[first] + reduced[at];
                    before[end] = first;
                }
            }
        }
        if length[values] == i64::MAX {
            return None;
        }
        bound += length[values];
        let mut intervals = vec![(0, 0); values];
        let mut end = values;
        while end > 0 {
            let first = before[end];
            intervals[first..end].fill((first as u16, end as u16));
            end = first;
        }
        solved.intervals.push(intervals);
        solved.lengths.push(length[values]);
        solved.reduced.push(reduced);
    }
    solved.bound = bound;
    Some(solved)
}

/// So many conflicts are one task. Sums of whole numbers do not depend on it.
const TASK: usize = 2_048;

/// What conflicts take off the intervals inside their boxes, never less than they should.
fn taken_inside(ground: &Ground, axis: usize, weighed: &[Weighed]) -> Vec<i64> {
    let field = &ground.fields[axis];
    let parts = weighed.par_chunks(TASK).map(|part| Taken::by(ground, axis, part));
    let taken = parts.reduce(|| Taken::nothing(field), Taken::and);
    taken.of(field)
}

/// What rows of conflicts take off: for each unit by which an interval costs more than it may, a rate, so that all of them
/// together take a rate times the price, less what is free. Both are whole numbers, and sums of changes from one end of an
/// interval to the next: a conflict costs a step for each first value, whatever the ends are.
struct Taken {
    rates: Vec<i128>,
    free: Vec<i128>,
}

/// What one conflict takes off: a rate, and that times what is free.
#[derive(Clone, Copy)]
struct Off {
    rate: i128,
    free: i128,
}

/// Rates are whole numbers of parts of so many bits.
const RATE_BITS: u32 = 32;

impl Taken {
    fn nothing(field: &Field) -> Self {
        Taken { rates: vec![0; field.costs.len()], free: vec![0; field.costs.len()] }
    }

    fn by(ground: &Ground, axis: usize, weighed: &[Weighed]) -> Self {
        let field = &ground.fields[axis];
        let mut taken = Taken::nothing(field);
        for it in weighed.iter().filter(|it| it.weight > 0.0) {
            let Some(Priced { stake, free }) = &it.conflict.priced else { continue };
            let free = free[axis];
            // Rounded up, and once more for what the division has lost.
            let rate = it.weight / *stake as f64 * f64::from(RATE_BITS).exp2();
            let rate = rate as i128 + 1 + (rate as i128 >> 50);
            let off = Off { rate, free: rate * i128::from(free) };
            let value = usize::from(ground.values[axis][it.conflict.cell as usize]);
            let (low, high) = it.conflict.within[axis];
            // Where the ends begin that cost more than they may; most intervals inside do not.
            let mut dear = value + 1;
            for first in usize::from(low)..=value {
                let (start, to) = (field.at(first, 0), field.at(first, usize::from(high)));
                if field.rises {
                    // From a later first value on, they begin later.
                    let prices = &field.prices[start + dear..=to];
                    dear += prices.iter().take_while(|&&price| price <= free).count();
                    if dear > usize::from(high) {
                        break;
                    }
                    taken.add(start + dear..to + 1, off);
                } else {
                    let prices = (start + value + 1..).zip(&field.prices[start + value + 1..=to]);
                    let dear = prices.filter(|it| *it.1 > free);
                    dear.for_each(|(at, _)| taken.add(at..at + 1, off));
                }
            }
        }
        taken
    }

    /// Takes off the intervals at these places, which have the same first value.
    #[inline]
    fn add(&mut self, places: std::ops::Range<usize>, Off { rate, free }: Off) {
        self.rates[places.start] += rate;
        self.free[places.start] += free;
        // Behind the last interval of the last value there is nothing.
        if let Some(end) = self.rates.get_mut(places.end) {
            *end -= rate;
            self.free[places.end] -= free;
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.rates.iter_mut().zip(other.rates).for_each(|(sum, more)| *sum += more);
        self.free.iter_mut().zip(other.free).for_each(|(sum, more)| *sum += more);
        self
    }

    /// What is taken off each interval, rounded up.
    fn of(self, field: &Field) -> Vec<i64> {
        let (mut rate, mut free) = (0, 0);
        let changes = self.rates.into_iter().zip(self.free).zip(&field.prices);
        let each = changes.map(|((more_rate, more_free), &price)| {
            rate += more_rate;
            free += more_free;
            let taken = rate * i128::from(price) - free;
            if rate == 0 {
                0
            } else {
                i64::try_from((taken >> RATE_BITS) + 1).unwrap_or(i64::MAX / 4)
            }
        });
        each.collect()
    }
}

impl Solved {
    /// Forbids the intervals with which nothing costs less than `below`; returns how many there were, none if
    /// nothing is left.
    pub(super) fn fix(
        &self,
        ground: &Ground,
        allowed: &mut [Vec<bool>],
        below: i64,
    ) -> Option<usize> {
        let mut fixed = 0;
        for (axis, field) in ground.fields.iter().enumerate() {
            let (values, width) = (field.values, field.values + 1);
            let (reduced, allowed) = (&self.reduced[axis], &mut allowed[axis]);
            const FAR: i64 = i64::MAX / 4;
            let (mut from, mut to) = (vec![FAR; width], vec![FAR; width]);
            from[0] = 0;
            to[values] = 0;
            let open = |first: usize| {
                let ends = (first + 1..=values).map(move |end| (end, first * width + end));
                let allowed = &*allowed;
                ends.filter(|&(_, at)| allowed[at]).collect::<Vec<(usize, usize)>>()
            };
            let open: Vec<Vec<(usize, usize)>> = (0..values).map(open).collect();
            for (first, ends) in open.iter().enumerate().filter(|it| !it.1.is_empty()) {
                let here = from[first];
                for &(end, at) in ends.iter().filter(|_| here < FAR) {
                    from[end] = from[end].min(here + reduced[at]);
                }
            }
            for (first, ends) in open.iter().enumerate().rev() {
                let reached = ends.iter().filter(|it| to[it.0] < FAR);
                to[first] = reached.map(|&(end, at)| to[end] + reduced[at]).min().unwrap_or(FAR);
            }
            let others = self.bound - self.lengths[axis];
            let mut left = false;
            for (first, ends) in open.iter().enumerate() {
                for &(end, at) in ends {
                    let reached = from[first] < FAR && to[end] < FAR;
                    if !reached || others + from[first] + reduced[at] + to[end] >= below {
                        allowed[at] = false;
                        fixed += 1;
                    } else {
                        left = true;
                    }
                }
            }
            if !left {
                return None;
            }
        }
        Some(fixed)
    }
}

/// How far a conflict is from being met by a division: 1 less the attributes in which the cell's interval reaches
/// out of the box, and less what is taken off inside.
pub(super) fn unmet(ground: &Ground, conflict: &Conflict, intervals: &[Vec<(u16, u16)>]) -> f64 {
    let met = intervals.iter().enumerate().map(|(axis, intervals)| {
        let value = usize::from(ground.values[axis][conflict.cell as usize]);
        conflict.met(ground, axis, intervals[value])
    });
    1.0 - met.sum::<f64>()
}

/// Forbids intervals that no class can live with: together with the cuts that are certain elsewhere they hold some
/// rows, but fewer than k. Returns whether any were, none if nothing is left.
pub(super) fn propagate(ground: &Ground, allowed: &mut [Vec<bool>]) -> Option<bool> {
    let mut any = false;
    if ground.suppressed.is_some() {
        return Some(false);
    }
    loop {
        let mut again = false;
        // The interval of each value between cuts that no interval reaches across.
        let parts: Vec<Vec<u16>> = ground
            .fields
            .iter()
            .zip(allowed.iter())
            .map(|(field, allowed)| {
                let (values, width) = (field.values, field.values + 1);
                let mut crossed = vec![0i32; values + 2];
                for first in 0..values {
                    for end in first + 1..=values {
                        if allowed[first * width + end] {
                            crossed[first + 1] += 1;
                            crossed[end] -= 1;
                        }
                    }
                }
                let (mut over, mut part) = (0, 0);
                (0..values)
                    .map(|value| {
                        over += crossed[value];
                        if value > 0 && over == 0 {
                            part += 1;
                        }
                        part
                    })
                    .collect()
            })
            .collect();
        for (axis, allowed) in allowed.iter_mut().enumerate() {
            again |= narrow(ground, &parts, axis, allowed)?;
        }
        any |= again;
        if !again {
            return Some(any);
        }
    }
}

/// The same for the intervals of one attribute.
fn narrow(ground: &Ground, parts: &[Vec<u16>], axis: usize, allowed: &mut [bool]) -> Option<bool> {
    let field = &ground.fields[axis];
    let (values, width) = (field.values, field.values + 1);
    // Cells by the class that the others' certain cuts put them into, then by value.
    let mut order: Vec<(u64, u16, u32)> = (0..ground.counts.len())
        .map(|cell| {
            let mut key = 0u64;
            for (other, parts) in parts.iter().enumerate() {
                if other != axis {
                    let part = u64::from(parts[usize::from(ground.values[other][cell])]);
                    key = key.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(part + 1);
                }
            }
            (key, ground.values[axis][cell], ground.counts[cell])
        })
        .collect();
    order.sort_unstable();
    // Two classes with one key would look larger than they are, and forbid less.
    let mut bad = vec![0i32; width * width];
    let mut counts: Vec<(u16, u64)> = Vec::new();
    for class in order.chunk_by(|a, b| a.0 == b.0) {
        counts.clear();
        for &(_, value, count) in class {
            match counts.last_mut() {
                Some(last) if last.0 == value => last.1 += u64::from(count),
                _ => counts.push((value, u64::from(count))),
            }
        }
        // From the first value held on, until there are k rows, ends are bad.
        let mut low = 0;
        for at in 0..counts.len() {
            let mut rows = 0;
            let mut end = values + 1;
            for &(value, count) in &counts[at..] {
                rows += count;
                if rows >= ground.k {
                    end = usize::from(value) + 1;
                    break;
                }
            }
            let from = usize::from(counts[at].0);
            // Firsts from low to from, ends from `from + 1` to before `end`.
            if from + 1 < end {
                for first in low..=from {
                    bad[first * width + from + 1] += 1;
                    if end <= values {
                        bad[first * width + end] -= 1;
                    }
                }
            }
            low = from + 1;
        }
    }
    let mut found = false;
    let mut left = false;
    for first in 0..values {
        let mut over = 0;
        for end in first + 1..=values {
            let at = first * width + end;
            over += bad[at];
            if allowed[at] && over > 0 {
                allowed[at] = false;
                found = true;
            }
            left |= allowed[at];
        }
    }
    left.then_some(found)
}
