//! A local search by the price of the release.
//!
//! The exact division of one axis ([`climb`](super::climb)) needs a cost that is a sum over classes. What is asked of a
//! release as a whole is none: average risks, uniques, few known columns. Here single cuts are made, taken back and moved
//! by one place, each cut set is priced as its release, and what costs less is kept. When no such step helps, a few cuts
//! change by chance, and it begins anew.

use rayon::prelude::*;

use super::{ClimbBudget, ClimbIncumbent, CutCost, CutDecision, CutSet, CutSpace, NearestDivision};
use crate::kit::SearchRng;
use crate::search::Control;

/// So many searches are made side by side.
const CHAINS: usize = 4;

/// So many cuts change by chance, at most.
const MOST_CHANGED: usize = 4;

/// How far a cut set is beyond the limit, then what its release costs.
type ReleaseScore = (u64, u64);

/// Improves the best of some cut sets, the most general one among them, within so many *steps*: prices of a cut set. None if
/// nothing that it sees keeps to the limit.
///
/// The same space, cut sets and effort give the same result on any number of threads, unless the control says stop.
pub(crate) fn polish(
    space: &CutSpace<'_>,
    starts: &[CutSet],
    effort: ClimbBudget,
    control: &Control,
) -> Option<ClimbIncumbent> {
    let bare = CutSet::new(&space.axes, |axis, at| space.axes[axis].settled(at) == CutDecision::In);
    let allowed = starts.iter().filter(|cuts| cuts.is_allowed(&space.axes)).cloned();
    let priced = std::iter::once(bare).chain(allowed).map(|cuts| {
        let priced = space.release_price(&cuts);
        ClimbIncumbent { cuts, priced }
    });
    let start = priced.min_by_key(|it| score(space, it.priced))?;
    let nearest: Vec<NearestDivision> = space.axes.iter().map(NearestDivision::new).collect();
    let cuts = nearest.iter().enumerate();
    let open: Vec<(usize, usize)> =
        cuts.flat_map(|(axis, nearest)| nearest.open.iter().map(move |&at| (axis, at))).collect();
    if open.is_empty() {
        return (start.priced.suppressed <= space.limit).then_some(start);
    }
    let share = effort.steps.map_or(u64::MAX, |steps| steps.div_ceil(CHAINS as u64));
    let found: Vec<ClimbIncumbent> = (0..CHAINS)
        .into_par_iter()
        .with_max_len(1)
        .map(|chain| {
            let chance = SearchRng::new(effort.seed, 0, chain as u64);
            let best = start.clone();
            let (space, nearest, open) = (space, &nearest[..], &open[..]);
            let mut polisher =
                CutPolisher { space, nearest, open, chance, control, best, left: share };
            polisher.run();
            polisher.best
        })
        .collect();
    let best = found.into_iter().min_by_key(|it| score(space, it.priced))?;
    (best.priced.suppressed <= space.limit).then_some(best)
}

fn score(space: &CutSpace<'_>, priced: CutCost) -> ReleaseScore {
    (priced.suppressed.saturating_sub(space.limit), priced.cost)
}

struct CutPolisher<'c, 'p> {
    space: &'c CutSpace<'p>,
    nearest: &'c [NearestDivision],
    /// The cuts that leave a choice: axis and position.
    open: &'c [(usize, usize)],
    chance: SearchRng,
    control: &'c Control,
    best: ClimbIncumbent,
    /// How many cut sets may still be priced.
    left: u64,
}

impl CutPolisher<'_, '_> {
    fn run(&mut self) {
        let mut place = self.best.clone();
        self.descend(&mut place);
        while !self.is_over() {
            let mut there = self.best.cuts.clone();
            for _ in 0..1 + self.chance.below(MOST_CHANGED) {
                let (axis, at) = self.chance.of(self.open);
                if let Some(changed) = self.changed(&there, axis, at, None) {
                    there = changed;
                }
            }
            let mut place = self.priced(there);
            self.note(&place);
            self.descend(&mut place);
        }
    }

    fn is_over(&self) -> bool {
        self.left == 0 || self.control.stop().is_some()
    }

    fn priced(&mut self, cuts: CutSet) -> ClimbIncumbent {
        self.left = self.left.saturating_sub(1);
        let priced = self.space.release_price(&cuts);
        ClimbIncumbent { cuts, priced }
    }

    fn note(&mut self, place: &ClimbIncumbent) {
        if score(self.space, place.priced) < score(self.space, self.best.priced) {
            self.best = place.clone();
        }
    }

    /// Takes every step that helps, until none does.
    fn descend(&mut self, place: &mut ClimbIncumbent) {
        // A cut changes, or moves one place up or down.
        let mut steps: Vec<(usize, usize, Option<bool>)> = Vec::with_capacity(3 * self.open.len());
        for &(axis, at) in self.open {
            steps.extend([None, Some(false), Some(true)].map(|moved| (axis, at, moved)));
        }
        self.chance.shuffle(&mut steps);
        let mut vain = 0;
        for &(axis, at, moved) in steps.iter().cycle() {
            if vain == steps.len() || self.is_over() {
                break;
            }
            vain += 1;
            let Some(cuts) = self.changed(&place.cuts, axis, at, moved) else { continue };
            let there = self.priced(cuts);
            if score(self.space, there.priced) < score(self.space, place.priced) {
                *place = there;
                vain = 0;
            }
        }
        self.note(place);
    }

    /// The cut set with a cut changed, or moved up or down by one place; none if the axis has no such division.
    fn changed(&self, cuts: &CutSet, axis: usize, at: usize, up: Option<bool>) -> Option<CutSet> {
        let values = self.space.axes[axis].values();
        let mut made: Vec<bool> = (0..=values).map(|at| cuts.has(axis, at)).collect();
        match up {
            None => made[at] = !made[at],
            Some(up) => {
                let to = if up { at + 1 } else { at - 1 };
                if !made[at] || to == 0 || to == values || made[to] {
                    return None;
                }
                (made[at], made[to]) = (false, true);
            }
        }
        if !self.nearest[axis].mend(&mut made, Some(at)) {
            return None;
        }
        let mut cuts = cuts.clone();
        for (at, &made) in made.iter().enumerate() {
            cuts.set(axis, at, made);
        }
        Some(cuts)
    }
}
