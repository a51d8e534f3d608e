//! A node of the relaxation: which intervals may still be made, and the multipliers of conflicts.
//!
//! Under limit 0 the cost of a cut set is the sum over attributes of what their intervals cost: without the crowd
//! each attribute would be a shortest path of its own. The crowd comes in as *conflicts*: a box of fewer than k rows
//! around a cell, in which the class of the cell must not lie. So in one attribute at least, the cell's interval
//! reaches out of the box. A multiplier of zero or more on each such demand gives a bound: the sum of the
//! multipliers, and the shortest paths where an interval that reaches out is cheaper by them.

use super::conflict::ConflictSet;
use super::context::RelaxationContext;

/// The relaxation solved for some multipliers.
pub(super) struct LagrangianSolution {
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
pub(super) fn solve(
    ground: &RelaxationContext,
    allowed: &[Vec<bool>],
    conflicts: &ConflictSet,
    weights: &[f64],
) -> Option<LagrangianSolution> {
    let mut bound: i64 = weights.iter().map(|&weight| weight as i64).sum();
    let taken_off = conflicts.taken_off(ground, weights);
    let mut solved = LagrangianSolution {
        bound: 0,
        intervals: Vec::new(),
        lengths: Vec::new(),
        reduced: Vec::new(),
    };
    for (axis, (field, off)) in ground.fields.iter().zip(taken_off).enumerate() {
        let (values, width) = (field.values, field.values + 1);
        let mut reduced = off;
        reduced.iter_mut().zip(&field.costs).for_each(|(it, &cost)| *it = cost - *it);
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

impl LagrangianSolution {
    /// Forbids the intervals with which nothing costs less than `below`; returns how many there were, none if
    /// nothing is left.
    pub(super) fn fix(
        &self,
        ground: &RelaxationContext,
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

/// Forbids intervals that no class can live with: together with the cuts that are certain elsewhere they hold some
/// rows, but fewer than k. Returns whether any were, none if nothing is left.
pub(super) fn propagate(ground: &RelaxationContext, allowed: &mut [Vec<bool>]) -> Option<bool> {
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
fn narrow(
    ground: &RelaxationContext,
    parts: &[Vec<u16>],
    axis: usize,
    allowed: &mut [bool],
) -> Option<bool> {
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
