//! Two-phase hill climbing by single cuts, as in section 7.3 of the paper.

use rayon::prelude::*;

use crate::kit::{Result, SearchRng};
use crate::recoding::Recoding;
use crate::search::IncumbentReporter;
use crate::space::cuts::{CutDecision, CutSet, CutSpace, NearestDivision};
use crate::space::grouping::{GroupingContext, GroupingScore, GroupingState, ValueSlots};

/// So many climbs are made side by side.
const BATCH: u64 = 4;

/// Climbs from random starts until so many steps are made (forever, if none are given) or it is told to
/// stop; a step is a look at one cut. None if nothing keeps to the limit.
pub(super) fn climb(
    space: &CutSpace<'_>,
    steps: Option<u64>,
    seed: u64,
    herald: &IncumbentReporter<'_>,
) -> Result<Option<(Recoding, u64)>> {
    let frame = GroupingContext::new(space)?;
    let nearest: Vec<NearestDivision> = space.axes.iter().map(NearestDivision::new).collect();
    let bare = CutSet::new(&space.axes, |axis, at| space.axes[axis].settled(at) == CutDecision::In);
    let bare = GroupingState::new(&frame, frame.intervals(&bare));
    if bare.standing().excess > 0 {
        return Ok(None);
    }
    let mut best = (bare.standing(), bare.groups().clone());
    herald.improved(best.0.cost, || frame.recoding(&best.1));
    let most = steps.unwrap_or(u64::MAX);
    let mut made = 0;
    for batch in 0.. {
        let left = most - made;
        let share = left / BATCH.min(left).max(1);
        let found: Vec<(GroupingScore, ValueSlots, u64)> = (0..BATCH.min(left) as usize)
            .into_par_iter()
            .with_max_len(1)
            .map(|at| {
                let mut chance = SearchRng::new(seed, batch, at as u64);
                let groups = random_start(space, &frame, &nearest, &mut chance);
                let board = GroupingState::new(&frame, groups);
                let mut climber =
                    TwoPhaseClimber { board, nearest: &nearest, herald, steps: 0, most: share };
                climber.run();
                herald.worked(climber.steps);
                (climber.board.standing(), climber.board.groups().clone(), climber.steps)
            })
            .collect();
        let before = made;
        for (standing, groups, steps) in found {
            made += steps;
            if standing < best.0 {
                best = (standing, groups);
            }
        }
        if made == before || made >= most || herald.stop().is_some() {
            break;
        }
    }
    Ok(Some((frame.recoding(&best.1), made)))
}

/// A random cut set, with few cuts or many.
fn random_start(
    space: &CutSpace<'_>,
    frame: &GroupingContext<'_>,
    nearest: &[NearestDivision],
    chance: &mut SearchRng,
) -> ValueSlots {
    let density = chance.share() * chance.share();
    let mut cuts =
        CutSet::new(&space.axes, |axis, at| space.axes[axis].settled(at) == CutDecision::In);
    for (axis, nearest) in nearest.iter().enumerate() {
        let mut made: Vec<bool> =
            (0..=space.axes[axis].values()).map(|at| cuts.has(axis, at)).collect();
        for &at in &nearest.open {
            made[at] = chance.share() < density;
        }
        nearest.mend(&mut made, None);
        for (at, &made) in made.iter().enumerate() {
            cuts.set(axis, at, made);
        }
    }
    frame.intervals(&cuts)
}

struct TwoPhaseClimber<'c, 'f, 'a> {
    board: GroupingState<'f, 'a>,
    nearest: &'c [NearestDivision],
    herald: &'c IncumbentReporter<'c>,
    steps: u64,
    most: u64,
}

impl TwoPhaseClimber<'_, '_, '_> {
    /// Climbs to a cut set that no single cut makes better.
    fn run(&mut self) {
        self.tell();
        let mut adds = false;
        let mut vain = 0;
        while vain < 2 && !self.is_over() {
            vain += 1;
            while self.best_cut(adds) {
                vain = 0;
                self.tell();
            }
            adds = !adds;
        }
    }

    /// Tells of the cut set if it keeps to the limit.
    fn tell(&self) {
        let standing = self.board.standing();
        if standing.excess == 0 {
            self.herald.improved(standing.cost, || self.board.recoding());
        }
    }

    fn is_over(&self) -> bool {
        self.steps >= self.most || self.herald.stop().is_some()
    }

    /// Adds or drops the cut that helps most; says whether any does.
    fn best_cut(&mut self, adds: bool) -> bool {
        let mut best = (self.board.standing(), None);
        let nearest = self.nearest;
        for (axis, nearest) in nearest.iter().enumerate() {
            for &position in &nearest.open {
                if self.is_over() {
                    return false;
                }
                let mut made = self.board.cuts(axis);
                if made[position] == adds {
                    continue;
                }
                made[position] = adds;
                if !nearest.mend(&mut made, Some(position)) {
                    continue;
                }
                self.steps += 1;
                let moves = self.board.moves_to_intervals(axis, &made);
                let standing = self.board.propose(axis, &moves);
                if standing < best.0 {
                    best = (standing, Some((axis, moves)));
                }
            }
        }
        let Some((axis, moves)) = best.1 else { return false };
        self.board.propose(axis, &moves);
        self.board.accept();
        true
    }
}
