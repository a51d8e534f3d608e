//! A local search over cut sets.
//!
//! While all axes but one stay divided as they are, cost and suppressed rows add up over the intervals
//! of that one, so its best division is a shortest path ([`path`]) over a table that one pass over the
//! cells fills ([`lines`]). Everything here is made of that one move:
//!
//! - *descent* makes it for one axis after the other until none can be divided better;
//! - *cooling* starts with no cuts and a charge on every interval that falls step by step: the cuts that
//!   pay most are made first, on whatever axis they lie, and none of them for good;
//! - a *detour* makes a cut or takes it back, lets the other axes answer, and only then that cut's own.
//!
//! Rounds take turns between detours from the best cut set so far and from a new start: cooling with
//! charges that differ from axis to axis by chance.

mod interval_costs;
mod shortest_path;
mod state;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use self::interval_costs::CostScratch;
use self::shortest_path::{AxisDivision, IntervalCosts, PathGoal};
use self::state::{ClimbContext, ClimbState};
use super::axis::CutDecision;
use super::{CutCost, CutSet, CutSpace};
use crate::kit::SearchRng;
use crate::search::Control;

/// How long to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClimbBudget {
    /// How many steps to make; none to go on until the control says stop.
    pub(crate) steps: Option<u64>,
    /// What the random choices come from.
    pub(crate) seed: u64,
}

/// A cut set within the limit, and what it costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClimbIncumbent {
    /// The cuts.
    pub(crate) cuts: CutSet,
    /// What they cost.
    pub(crate) priced: CutCost,
}

/// So many detours in vain end a round.
const PATIENCE: u32 = 20;

/// The share of detours that begin on two axes at once.
const TWO_AT_ONCE: f64 = 0.3;

/// So many rounds are made side by side.
const BATCH: u64 = 4;

/// By what the charge on an interval falls, and where it ends as a share of its start.
const COOLING: (f64, f64) = (4.0, 1e-5);

/// Somebody who wants to hear of a search that runs on several threads.
pub(crate) trait ProgressObserver: Sync {
    /// This is the best so far, as far as one of the threads knows.
    fn improved(&self, climbed: &ClimbIncumbent);
    /// So many more steps were made.
    fn worked(&self, steps: u64);
}

/// Searches for a cut set of little cost within the limit, from those known and from nothing, until the
/// steps are made or the control says stop; a *step* is the best division of one axis. None if there is none
/// within the limit at all.
///
/// Rounds are made in batches side by side. All rounds of a batch begin with what was known before it, and
/// their results are compared in order, so the threads change nothing: the same space, known sets and
/// effort give the same result, unless the control says stop. Also returns how many steps were made.
pub(crate) fn climb(
    space: &CutSpace<'_>,
    known: &[CutSet],
    effort: ClimbBudget,
    control: &Control,
    hear: &dyn ProgressObserver,
) -> Option<(ClimbIncumbent, u64)> {
    let bare = bare(space);
    let keeps_limit = bare.priced.suppressed <= space.limit;
    if !keeps_limit && !space.problem.suppresses_what_may_pass() {
        return None;
    }
    let mut chance = SearchRng::of_seed(effort.seed);
    let frame = ClimbContext::new(space, &mut chance);
    let mut worst = bare.clone();
    match keeps_limit {
        true => hear.improved(&bare),
        // Whatever keeps to the limit is better.
        false => worst.priced.cost = u64::MAX,
    }
    let most = effort.steps.unwrap_or(u64::MAX);
    let run = |chance: SearchRng,
               most: u64,
               best: &ClimbIncumbent,
               task: &dyn Fn(&mut CutClimber<'_, '_, '_>)| {
        let mut told = 0;
        let mut tell = |climbed: &ClimbIncumbent, steps: u64| {
            hear.worked(steps - told);
            told = steps;
            hear.improved(climbed);
        };
        let mut climber = CutClimber::new(&frame, chance, most, control, best.clone(), &mut tell);
        task(&mut climber);
        let found = (climber.best, climber.steps);
        hear.worked(found.1 - told);
        found
    };
    let start = ClimbPosition::new(&frame, bare.clone());
    let begin = |climber: &mut CutClimber<'_, '_, '_>| {
        for cuts in known.iter().filter(|cuts| cuts.is_allowed(&space.axes)) {
            let priced = space.price(cuts);
            if priced.suppressed <= space.limit {
                let mut place = climber.place(ClimbIncumbent { cuts: cuts.clone(), priced });
                climber.note(&place);
                climber.descend(&mut place);
            }
        }
        climber.cool(&mut start.clone(), false);
    };
    let (mut best, mut made) = run(chance.clone(), most, &worst, &begin);
    while made < most && control.stop().is_none() {
        let left = most - made;
        let rounds: Vec<(u64, u64)> =
            (0..BATCH.min(left)).map(|round| (round, chance.word())).collect();
        let share = left / rounds.len() as u64;
        let found: Vec<(ClimbIncumbent, u64)> = rounds
            .into_par_iter()
            .with_max_len(1)
            .map(|(round, seed)| {
                run(SearchRng::of_seed(seed), share, &best, &|climber| {
                    climber.round(&start, round % 2 == 0);
                })
            })
            .collect();
        let before = made;
        for (climbed, steps) in found {
            made += steps;
            if climbed.priced.cost < best.priced.cost {
                best = climbed;
            }
        }
        if made == before {
            // There is nothing to choose.
            break;
        }
    }
    (best.priced.suppressed <= space.limit).then_some((best, made))
}

/// The most general cut set of all. Where others keep to the limit, so does it, unless parts of what fails may pass.
fn bare(space: &CutSpace<'_>) -> ClimbIncumbent {
    let cuts = CutSet::new(&space.axes, |axis, at| space.axes[axis].settled(at) == CutDecision::In);
    let priced = space.price(&cuts);
    ClimbIncumbent { cuts, priced }
}

/// A cut set that the search stands on.
#[derive(Clone)]
struct ClimbPosition {
    board: ClimbState,
    cost: u64,
    /// The rows that it suppresses, or fewer where the limit allows any number.
    lost: u64,
}

impl ClimbPosition {
    fn new(frame: &ClimbContext<'_, '_>, climbed: ClimbIncumbent) -> Self {
        let ClimbIncumbent { cuts, priced } = climbed;
        ClimbPosition {
            board: ClimbState::new(frame, cuts),
            cost: priced.cost,
            lost: priced.suppressed,
        }
    }
}

struct CutClimber<'c, 's, 'p> {
    frame: &'c ClimbContext<'s, 'p>,
    scratch: CostScratch,
    costs: IntervalCosts,
    chance: SearchRng,
    control: &'c Control,
    best: ClimbIncumbent,
    /// Called with each that is the best so far, and how many steps it took.
    improved: &'c mut dyn FnMut(&ClimbIncumbent, u64),
    /// Divisions looked for, and how many may be.
    steps: u64,
    most: u64,
}

impl<'c, 's, 'p> CutClimber<'c, 's, 'p> {
    fn new(
        frame: &'c ClimbContext<'s, 'p>,
        chance: SearchRng,
        most: u64,
        control: &'c Control,
        best: ClimbIncumbent,
        improved: &'c mut dyn FnMut(&ClimbIncumbent, u64),
    ) -> Self {
        let (scratch, costs) = (CostScratch::default(), IntervalCosts::default());
        CutClimber { frame, scratch, costs, chance, control, best, improved, steps: 0, most }
    }

    /// Whether it is time to end.
    fn is_over(&self) -> bool {
        self.steps >= self.most || self.control.stop().is_some()
    }

    /// Wanders from the best place so far, or from a new one.
    fn round(&mut self, bare: &ClimbPosition, from_best: bool) {
        let mut place = bare.clone();
        if from_best {
            place = self.place(self.best.clone());
        } else {
            self.cool(&mut place, true);
        }
        self.wander(&mut place);
    }

    fn place(&self, climbed: ClimbIncumbent) -> ClimbPosition {
        ClimbPosition::new(self.frame, climbed)
    }

    /// The axes that leave a choice, in random order.
    fn shuffled(&mut self) -> Vec<usize> {
        let all = 0..self.frame.axes.len();
        let mut axes: Vec<usize> =
            all.filter(|&axis| !self.frame.axes[axis].open.is_empty()).collect();
        for at in (1..axes.len()).rev() {
            axes.swap(at, self.chance.place(at + 1));
        }
        axes
    }

    /// What a division has to keep to in the end.
    fn aim(&self) -> PathGoal {
        PathGoal { limit: self.frame.space.limit, per_interval: 0, fixed: None }
    }

    /// The best division of an axis while the others stay as they are.
    fn best_division(
        &mut self,
        place: &ClimbPosition,
        axis: usize,
        aim: &PathGoal,
    ) -> Option<AxisDivision> {
        self.steps += 1;
        self.scratch.costs(self.frame, &place.board, axis, &mut self.costs);
        self.costs.best(&self.frame.axes[axis].steps, aim)
    }

    fn take(&self, place: &mut ClimbPosition, axis: usize, division: &AxisDivision) {
        place.board.divide(self.frame, axis, &division.ends);
        (place.cost, place.lost) = (division.cost, division.lost);
    }

    /// Keeps a place if it is the best so far.
    fn note(&mut self, place: &ClimbPosition) {
        let limit = self.frame.space.limit;
        if place.lost <= limit && place.cost < self.best.priced.cost {
            let cuts = place.board.cuts.clone();
            let priced = self.frame.space.price(&cuts);
            debug_assert_eq!(priced.cost, place.cost);
            if priced.suppressed <= limit && priced.cost < self.best.priced.cost {
                self.best = ClimbIncumbent { cuts, priced };
                (self.improved)(&self.best, self.steps);
            }
        }
    }

    /// Divides one axis after the other as well as can be, until none can be divided better.
    fn descend(&mut self, place: &mut ClimbPosition) {
        let mut settled = vec![false; self.frame.axes.len()];
        self.settle(place, &mut settled, &[]);
        self.note(place);
    }

    /// The same for the axes that are not settled and not to be kept as they are. An axis that moves
    /// unsettles the others. A place beyond the limit is left by the first way back.
    fn settle(&mut self, place: &mut ClimbPosition, settled: &mut [bool], kept: &[usize]) {
        let axes = self.shuffled();
        let aim = self.aim();
        loop {
            let mut moved = false;
            for &axis in axes.iter().filter(|axis| !kept.contains(axis)) {
                if self.is_over() {
                    return;
                }
                if std::mem::replace(&mut settled[axis], true) {
                    continue;
                }
                let Some(division) = self.best_division(place, axis, &aim) else { continue };
                let intervals = place.board.cuts.intervals(axis).count();
                // Fewer intervals at the same cost leave the other axes more freedom.
                if place.lost > aim.limit
                    || (division.cost, division.ends.len()) < (place.cost, intervals)
                {
                    self.take(place, axis, &division);
                    settled.fill(false);
                    settled[axis] = true;
                    moved = true;
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// Makes cuts where they pay most first, then descends.
    fn cool(&mut self, place: &mut ClimbPosition, by_chance: bool) {
        let (falls, last) = COOLING;
        let factors: Vec<f64> = (0..self.frame.axes.len())
            .map(|_| if by_chance { about_one(self.chance.share()) } else { 1.0 })
            .collect();
        let first = place.cost as f64 / 2.0;
        let mut charge = first;
        while charge >= 0.5 && charge > first * last {
            for axis in self.shuffled() {
                if self.is_over() {
                    return;
                }
                let mut aim =
                    PathGoal { per_interval: (charge * factors[axis]) as u64, ..self.aim() };
                if place.lost > aim.limit {
                    // Several axes may have to move before few enough rows fail.
                    aim.limit = self.frame.space.problem.rows;
                }
                if let Some(division) = self.best_division(place, axis, &aim) {
                    self.take(place, axis, &division);
                }
            }
            self.note(place);
            charge /= falls;
        }
        self.descend(place);
    }

    /// Makes detours until they have been in vain for long enough.
    fn wander(&mut self, place: &mut ClimbPosition) {
        let mut vain = 0;
        while vain < PATIENCE && !self.is_over() {
            vain += 1;
            let many = 1 + usize::from(self.chance.happens(TWO_AT_ONCE));
            if let Some(there) = self.detour(place, many)
                && there.cost <= place.cost
            {
                if there.cost < place.cost {
                    vain = 0;
                }
                *place = there;
            }
        }
    }

    /// Makes a cut or takes it back on each of so many axes, and lets the others answer before these
    /// may. None if that leads nowhere.
    fn detour(&mut self, place: &ClimbPosition, many: usize) -> Option<ClimbPosition> {
        let mut moved = self.shuffled();
        moved.truncate(many);
        let mut there = place.clone();
        for &axis in &moved {
            let open = &self.frame.axes[axis].open;
            let position = open[self.chance.place(open.len())];
            let fixed = Some((position, !place.board.cuts.has(axis, position)));
            // The others may repair what this breaks.
            let aim = PathGoal { limit: self.frame.space.problem.rows, fixed, ..self.aim() };
            let division = self.best_division(&there, axis, &aim)?;
            self.take(&mut there, axis, &division);
        }
        let mut settled = vec![false; self.frame.axes.len()];
        self.settle(&mut there, &mut settled, &moved);
        let (here, now) = (&place.board.cuts, &there.board.cuts);
        let unmoved = |axis: usize| here.intervals(axis).eq(now.intervals(axis));
        if moved.len() == 1
            && (0..self.frame.axes.len()).all(|axis| moved.contains(&axis) || unmoved(axis))
        {
            // Nobody else moved, so the axis would only move back.
            return None;
        }
        for axis in moved {
            settled[axis] = false;
        }
        self.settle(&mut there, &mut settled, &[]);
        self.note(&there);
        (there.lost <= self.frame.space.limit).then_some(there)
    }
}

/// A factor from 1/4 to 4 out of a share from 0 to 1: nearly a power, from operations that every machine
/// rounds alike.
fn about_one(share: f64) -> f64 {
    let power = 4.0 * share;
    let whole = power.floor();
    f64::from(1u8 << whole as u8) * (1.0 + power - whole) / 4.0
}
