//! The best division of one axis while the others stay: a shortest path over its values.

/// An interval that an axis may be divided into: its first value and its end.
pub(super) type AxisInterval = (u16, u16);

/// What each interval of an axis costs, all its classes together.
#[derive(Debug, Default)]
pub(super) struct IntervalCosts {
    /// How many values the axis has.
    pub(super) values: usize,
    /// By interval: `first * (values + 1) + end`.
    pub(super) cost: Vec<u64>,
    /// The rows that an interval suppresses, by the same; empty where nobody asks.
    pub(super) lost: Vec<u64>,
}

/// What a path is to be good at.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathGoal {
    /// The most rows that may be suppressed.
    pub(super) limit: u64,
    /// What an interval costs beyond the price of its rows.
    pub(super) per_interval: u64,
    /// A position that must be cut, or must not.
    pub(super) fixed: Option<(usize, bool)>,
}

/// An axis divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AxisDivision {
    /// The ends of its intervals, from the left.
    pub(super) ends: Vec<u16>,
    /// What they cost.
    pub(super) cost: u64,
    /// The rows that they suppress.
    pub(super) lost: u64,
}

/// The most partial paths that are kept for a position where the limit bites. With more of them some
/// are let go, and the path found may not be the best.
const FRONT: usize = 48;

/// A partial path, by its last step.
#[derive(Debug, Clone, Copy)]
struct PartialPath {
    weight: u64,
    lost: u64,
    /// Where the last step began, and which mark stood there.
    from: (u16, u16),
}

impl IntervalCosts {
    fn at(&self, (first, end): AxisInterval) -> usize {
        usize::from(first) * (self.values + 1) + usize::from(end)
    }

    fn lost(&self, step: AxisInterval) -> u64 {
        if self.lost.is_empty() { 0 } else { self.lost[self.at(step)] }
    }

    fn weight(&self, step: AxisInterval, aim: &PathGoal) -> u64 {
        self.cost[self.at(step)].saturating_add(aim.per_interval)
    }

    /// The division with these ends.
    fn division(&self, ends: Vec<u16>) -> AxisDivision {
        let (mut cost, mut lost, mut first) = (0, 0, 0);
        for &end in &ends {
            cost += self.cost[self.at((first, end))];
            lost += self.lost((first, end));
            first = end;
        }
        AxisDivision { ends, cost, lost }
    }

    /// The best division out of these steps, which come sorted; none if the limit allows none. Among
    /// equals it has the fewest intervals.
    pub(super) fn best(&self, steps: &[AxisInterval], aim: &PathGoal) -> Option<AxisDivision> {
        let allowed = |step: AxisInterval| {
            self.lost(step) <= aim.limit
                && aim.fixed.is_none_or(|(position, made)| {
                    let (first, end) = (usize::from(step.0), usize::from(step.1));
                    if made {
                        !(first < position && position < end)
                    } else {
                        first != position && end != position
                    }
                })
        };
        // To the end, without a limit: the answer if that suppresses few enough rows, a bound if not.
        let mut rest = vec![(u64::MAX, u32::MAX, 0u16); self.values + 1];
        rest[self.values] = (0, 0, 0);
        for &step in steps.iter().rev() {
            let (weight, intervals, _) = rest[usize::from(step.1)];
            if intervals < u32::MAX && allowed(step) {
                let way = (weight.saturating_add(self.weight(step, aim)), intervals + 1, step.1);
                let best = &mut rest[usize::from(step.0)];
                if (way.0, way.1) < (best.0, best.1) {
                    *best = way;
                }
            }
        }
        if rest[0].1 == u32::MAX {
            return None;
        }
        let mut ends = Vec::with_capacity(rest[0].1 as usize);
        let mut at = 0;
        while at < self.values {
            let end = rest[at].2;
            ends.push(end);
            at = usize::from(end);
        }
        let division = self.division(ends);
        if division.lost <= aim.limit {
            return Some(division);
        }
        self.best_within(steps, aim, &rest, allowed)
    }

    /// The same by partial paths that are neither dearer nor suppress more than another.
    fn best_within(
        &self,
        steps: &[AxisInterval],
        aim: &PathGoal,
        rest: &[(u64, u32, u16)],
        allowed: impl Fn(AxisInterval) -> bool,
    ) -> Option<AxisDivision> {
        let mut least = vec![u64::MAX; self.values + 1];
        least[self.values] = 0;
        for &step in steps.iter().rev().filter(|&&step| allowed(step)) {
            let lost = least[usize::from(step.1)].saturating_add(self.lost(step));
            let best = &mut least[usize::from(step.0)];
            *best = lost.min(*best);
        }
        if least[0] > aim.limit {
            return None;
        }
        let mut fronts: Vec<Vec<PartialPath>> = vec![Vec::new(); self.values + 1];
        fronts[0].push(PartialPath { weight: 0, lost: 0, from: (0, 0) });
        let mut settled = 0;
        for &step in steps {
            let (first, end) = (usize::from(step.0), usize::from(step.1));
            // Steps are sorted, so nothing leads here any more once one leads on.
            if first != settled {
                settled = first;
                thin(&mut fronts[first]);
            }
            if rest[end].1 == u32::MAX || !allowed(step) {
                continue;
            }
            let (weight, lost) = (self.weight(step, aim), self.lost(step));
            let (before, after) = fronts.split_at_mut(end);
            for (at, mark) in before[first].iter().enumerate() {
                let lost = mark.lost + lost;
                if lost.saturating_add(least[end]) <= aim.limit {
                    let weight = mark.weight.saturating_add(weight);
                    after[0].push(PartialPath { weight, lost, from: (step.0, at as u16) });
                }
            }
        }
        let last = &fronts[self.values];
        let mut mark = last.iter().min_by_key(|mark| (mark.weight, mark.lost))?;
        let mut ends = vec![self.values as u16];
        while mark.from.0 > 0 {
            ends.push(mark.from.0);
            mark = &fronts[usize::from(mark.from.0)][usize::from(mark.from.1)];
        }
        ends.reverse();
        Some(self.division(ends))
    }
}

/// Leaves only marks that no other beats in both ways, and not too many.
fn thin(front: &mut Vec<PartialPath>) {
    front.sort_unstable_by_key(|mark| (mark.weight, mark.lost));
    let mut fewest = u64::MAX;
    front.retain(|mark| {
        let better = mark.lost < fewest;
        fewest = fewest.min(mark.lost);
        better
    });
    if front.len() > FRONT {
        // The cheapest, the one that suppresses least and an even choice between them.
        let last = front.len() - 1;
        let mut at = 0;
        let mut kept = 0;
        front.retain(|_| {
            let keep = at * (FRONT - 1) >= kept * last;
            kept += usize::from(keep);
            at += 1;
            keep
        });
    }
}
