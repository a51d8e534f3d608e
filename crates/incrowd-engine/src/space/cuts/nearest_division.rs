//! The allowed division of an axis that is nearest to one that is wanted.

use super::{Axis, CutDecision};

/// Finds allowed divisions of an axis.
#[derive(Debug, Clone)]
pub(crate) struct NearestDivision {
    values: usize,
    /// The positions where there is a choice.
    pub(crate) open: Vec<usize>,
    /// What is settled beforehand, by position.
    settled: Vec<CutDecision>,
    /// The intervals that may be made, sorted; empty where any may, as far as the shape is concerned.
    steps: Vec<(u16, u16)>,
}

impl NearestDivision {
    pub(crate) fn new(axis: &Axis) -> Self {
        let values = axis.values();
        let settled = axis.all_settled().to_vec();
        let mut steps = Vec::new();
        if !axis.is_free() {
            axis.each_allowed(&settled, |first, end| steps.push((first as u16, end as u16)));
        }
        let open = (1..values).filter(|&at| settled[at] == CutDecision::Open).collect();
        NearestDivision { values, open, settled, steps }
    }

    /// Makes a division an allowed one, changing as few cuts as can be (of equals it has fewer); the cut at
    /// `kept` stays as it is. False, and nothing is changed, if there is no such division.
    pub(crate) fn mend(&self, made: &mut [bool], kept: Option<usize>) -> bool {
        let settled = |at: usize| match self.settled[at] {
            CutDecision::Open => None,
            choice => Some(choice == CutDecision::In),
        };
        if kept.and_then(settled).is_some_and(|choice| Some(choice) != kept.map(|at| made[at])) {
            return false;
        }
        if self.steps.is_empty() {
            for (at, made) in made.iter_mut().enumerate().take(self.values).skip(1) {
                *made = settled(at).unwrap_or(*made);
            }
            return true;
        }
        let allowed = |&&(first, end): &&(u16, u16)| {
            kept.is_none_or(|kept| {
                let (first, end) = (usize::from(first), usize::from(end));
                if made[kept] {
                    !(first < kept && kept < end)
                } else {
                    first != kept && end != kept
                }
            })
        };
        // How many cuts lie before a position; a path's length is the number of cuts that it changes.
        let mut before = vec![0u32; self.values + 1];
        for at in 1..=self.values {
            before[at] = before[at - 1] + u32::from(at > 1 && made[at - 1]);
        }
        const FAR: (u32, u32) = (u32::MAX, u32::MAX);
        let mut rest = vec![(FAR, 0u16); self.values + 1];
        rest[self.values] = ((0, 0), 0);
        for &(first, end) in self.steps.iter().rev().filter(allowed) {
            let (far, _) = rest[usize::from(end)];
            if far == FAR {
                continue;
            }
            let (from, to) = (usize::from(first), usize::from(end));
            let inside = before[to] - before[from + 1];
            let added = u32::from(to < self.values && !made[to]);
            let way = (far.0 + inside + added, far.1 + 1);
            if way < rest[from].0 {
                rest[from] = (way, end);
            }
        }
        if rest[0].0 == FAR {
            return false;
        }
        made[1..self.values].fill(false);
        let mut at = 0;
        while at < self.values {
            at = usize::from(rest[at].1);
            made[at] = true;
        }
        true
    }
}
