//! The least cost where only one column has open cuts: a shortest path over its intervals. Rule 5.

use crate::key::Key;

use super::choice::Choice;
use super::cost::CostRule;
use super::node::{Ground, Node};

/// What an interval costs and how many rows it suppresses.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    cost: u64,
    lost: u64,
}

/// The least cost in the case, or the cap if that is not below it; nothing if two columns have open cuts.
pub(super) fn least<K: Key, C: CostRule>(
    ground: &Ground<C>,
    node: &Node<K>,
    cap: u64,
) -> Option<u64> {
    if node.is_closed() || node.lost > ground.limit {
        return Some(u64::MAX);
    }
    let is_open = |&at: &usize| node.choices[at] == Choice::Open;
    let mut open = (0..node.choices.len()).filter(is_open).map(|slot| ground.layout.axis(slot));
    let axis = open.next()?;
    if open.any(|other| other.first != axis.first) {
        return None;
    }
    let choices = &node.choices[axis.slots()];
    let mut ends: Vec<usize> = (0..axis.values).filter(|&at| choices[at] != Choice::Out).collect();
    let count = ends.len();
    ends.push(axis.values);
    let mut rank = vec![0; axis.values];
    for (at, &start) in ends[..count].iter().enumerate() {
        rank[start] = at;
    }
    // By first run and end.
    let stride = count + 1;
    let mut steps: Vec<Option<Step>> = vec![None; stride * stride];
    for from in 0..count {
        for to in from + 1..=count {
            if axis.allows(ends[from], ends[to]) {
                steps[from * stride + to] = Some(Step::default());
            }
            if to < count && choices[ends[to]] == Choice::In {
                break;
            }
        }
    }
    let mut slices = vec![(0u32, 0u32); count];
    for class in &node.classes {
        slices.fill((0, 0));
        for cell in &node.cells[class.start..class.end] {
            let slice = &mut slices[rank[cell.key.field(axis.field)]];
            slice.0 += cell.rows;
            slice.1 += cell.ones;
        }
        for from in 0..count {
            let (mut rows, mut ones) = (0, 0);
            for to in from + 1..=count {
                rows += slices[to - 1].0;
                ones += slices[to - 1].1;
                if let Some(step) = &mut steps[from * stride + to] {
                    if u64::from(rows) < ground.k {
                        step.cost += ground.rule.suppressed(rows);
                        step.lost += u64::from(rows);
                    } else {
                        step.cost += ground.rule.whole(rows, ones);
                    }
                }
            }
        }
    }
    let mut onward = vec![u64::MAX; stride];
    onward[count] = 0;
    for from in (0..count).rev() {
        for to in from + 1..=count {
            if let Some(step) = steps[from * stride + to] {
                onward[from] = onward[from].min(step.cost.saturating_add(onward[to]));
            }
        }
    }
    let whole = node.fixed.saturating_add(onward[0]);
    if whole >= cap {
        return Some(whole);
    }
    // Ways to every run, as cost and suppressed rows, none of which is worse than another in both.
    let limit = ground.limit - node.lost;
    let mut ways: Vec<Vec<(u64, u64)>> = vec![Vec::new(); stride];
    ways[0].push((node.fixed, 0));
    for from in 0..count {
        for at in 0..ways[from].len() {
            let (cost, lost) = ways[from][at];
            for to in from + 1..=count {
                let Some(step) = steps[from * stride + to] else { continue };
                let new = (cost + step.cost, lost + step.lost);
                if new.1 > limit || new.0.saturating_add(onward[to]) >= cap {
                    continue;
                }
                if !ways[to].iter().any(|way| way.0 <= new.0 && way.1 <= new.1) {
                    ways[to].retain(|way| way.0 < new.0 || way.1 < new.1);
                    ways[to].push(new);
                }
            }
        }
    }
    Some(ways[count].iter().map(|way| way.0).min().unwrap_or(cap))
}
