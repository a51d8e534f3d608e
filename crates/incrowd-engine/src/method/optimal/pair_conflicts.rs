//! Cuts that cannot be made together.
//!
//! Suppressed rows cost something beyond whatever joins cost, so a solution of interest suppresses only so
//! many; the more joins it needs, the fewer. Two cuts *conflict* if both together suppress more. Of two that
//! conflict one is not made, and of rises that add up ([`ProbingResult::additive`]) follows:
//!
//! - the bound rises by any packing of conflicts: each is paid from what is left of both its cuts' rises;
//! - a cut is *dead*, no solution of interest makes it, if what conflicts with it raises the bound too much
//!   when it goes out;
//! - a cut cannot be left out if what the packing leaves of its own rise fills the gap.
//!
//! Along one axis, the *line*, cuts that go out together cost more than each alone.
//!
//! How many rows two cuts suppress does not change when others go out, and rises that add up only grow; so
//! what is known of a node serves until a cut is made.

use crate::space::cuts::CutDecision;

use super::cost_model::CostModel;
use super::join_groups::JoinGroups;
use super::last_axis_bound::LastAxisBound;
use super::layout::CellKey;
use super::node::{ProverContext, ProverNode};
use super::pair_suppression::PairSuppression;
use super::probing::ProbingResult;

/// What is known of the open cuts of a node together.
#[derive(Debug, Default)]
pub(super) struct CutConflicts {
    /// How many cuts are in.
    ins: usize,
    /// The open cuts.
    cuts: Vec<OpenCut>,
    /// Their places, those with the highest additive rise first.
    order: Vec<usize>,
    /// By two places: rows that both suppress together.
    lost: Vec<u32>,
    line: LastAxisBound,
    /// By place: what the packing leaves of the rise.
    left: Vec<u64>,
    /// By run of the last axis: whether a cut can be made there.
    alive: Vec<bool>,
}

/// An open cut.
#[derive(Debug, Clone, Copy)]
struct OpenCut {
    slot: usize,
    /// Its additive rise.
    rise: u64,
    /// Rows that it suppresses.
    suppressed: u64,
    /// The run of the last axis that begins at it, if it lies on that axis.
    run: Option<usize>,
    /// How small the gap must be before it is worth while to ask again whether it can be made.
    ask_below: u64,
    /// Whether no solution of interest makes it.
    dead: bool,
}

/// What conflicts decide.
#[derive(Debug, Default)]
pub(super) struct ConflictDecisions {
    /// By how much the bound rises.
    pub(super) rise: u64,
    /// The most rows that a solution of interest suppresses from here on.
    pub(super) most: u64,
    /// Cuts that go out, by slot.
    pub(super) outs: Vec<usize>,
    /// Cuts that go in, by slot.
    pub(super) ins: Vec<usize>,
}

/// What a solution of interest may do.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoundSlack {
    /// By how much less than this it may raise the bound.
    pub(super) spare: u64,
    /// How many further rows it may suppress.
    pub(super) rows: u64,
}

impl BoundSlack {
    /// What is left if joins alone raise the bound by so much: the gap has to pay for the rows as well. Nothing
    /// if they fill it.
    pub(super) fn after<M: CostModel>(self, kernel: &M, rise: u64) -> Option<Self> {
        let spare = self.spare.checked_sub(rise).filter(|&spare| spare > 0)?;
        let rows = (spare - 1).checked_div(kernel.row_worth()).unwrap_or(u64::MAX);
        Some(BoundSlack { rows: rows.min(self.rows), ..self })
    }
}

impl CutConflicts {
    /// Searches along the last axis; tells whether that leaves a solution of interest.
    pub(super) fn look_along<M: CostModel, K: CellKey>(
        &mut self,
        ground: &ProverContext<'_, M>,
        node: &ProverNode<K, M>,
        found: &ProbingResult,
        room: BoundSlack,
        groups: &mut JoinGroups<K, M::Load>,
    ) -> bool {
        self.line.build(ground, node, groups);
        self.line.pay(std::iter::empty());
        self.revive();
        for slot in ground.open(node).filter(|&slot| found.suppressed[slot] > room.rows) {
            if let Some(run) = self.line.run_at(slot) {
                self.alive[run] = false;
            }
        }
        self.line.least(true, room.rows, &self.alive) < room.spare
    }

    /// Looks at the open cuts of a node in pairs, after the last axis.
    pub(super) fn pair<M: CostModel, K: CellKey>(
        &mut self,
        ground: &ProverContext<'_, M>,
        node: &ProverNode<K, M>,
        found: &ProbingResult,
        pairs: &mut PairSuppression,
    ) {
        pairs.count(ground, node);
        self.ins = ins(node);
        self.cuts.clear();
        self.cuts.extend(pairs.open.iter().map(|&slot| OpenCut {
            slot,
            rise: found.additive[slot],
            suppressed: found.suppressed[slot],
            run: self.line.run_at(slot),
            ask_below: u64::MAX,
            dead: false,
        }));
        self.order.clear();
        self.order.extend(0..self.cuts.len());
        self.order.sort_by_key(|&place| std::cmp::Reverse(self.cuts[place].rise));
        let count = self.cuts.len();
        self.lost.clear();
        self.lost.resize(count * count, 0);
        for (u, one) in self.cuts.iter().enumerate() {
            for (v, other) in self.cuts.iter().enumerate().skip(u + 1) {
                let alone = (one.suppressed + other.suppressed) as i64;
                let lost = (alone + pairs.more(u, v)).max(0) as u32;
                self.lost[u * count + v] = lost;
                self.lost[v * count + u] = lost;
            }
        }
    }

    /// Whether what is known still holds: no further cut has been made.
    pub(super) fn still_hold<M: CostModel, K: CellKey>(&self, node: &ProverNode<K, M>) -> bool {
        self.ins == ins(node)
    }

    /// Takes notice of rises that have been computed anew.
    pub(super) fn raise(&mut self, found: &ProbingResult) {
        for cut in &mut self.cuts {
            cut.rise = found.additive[cut.slot];
        }
    }

    /// What follows from the conflicts; nothing if no solution of interest is left.
    pub(super) fn decide<M: CostModel>(
        &mut self,
        kernel: &M,
        found: &ProbingResult,
        mut room: BoundSlack,
    ) -> Option<ConflictDecisions> {
        let packed = loop {
            let packed = self.pack(room.rows);
            let joined = packed + self.line.least(false, room.rows, &self.alive);
            let next = room.after(kernel, joined)?;
            if next.rows == room.rows {
                break packed;
            }
            room = next;
        };
        let quiet = self.line.ways(false, room.rows, &self.alive);
        std::mem::swap(&mut self.line.made, &mut self.line.quiet_made);
        let loud = self.line.ways(true, room.rows, &self.alive);
        let mut decided = ConflictDecisions {
            rise: packed + loud,
            most: room.rows,
            ..ConflictDecisions::default()
        };
        if decided.rise >= room.spare {
            return None;
        }
        for (place, cut) in self.cuts.iter().enumerate() {
            let conflicting = packed + self.rest(place, room.rows);
            let loss = found.loss[cut.slot];
            let (made, unmade) = match cut.run {
                Some(run) => (
                    conflicting + self.line.made[run].max(loss + self.line.quiet_made[run]),
                    packed + self.line.unmade[run],
                ),
                None => (conflicting + loud.max(loss + quiet), packed + self.left[place] + loud),
            };
            if made >= room.spare || cut.suppressed > room.rows {
                decided.outs.push(cut.slot);
            } else if unmade >= room.spare {
                decided.ins.push(cut.slot);
            }
        }
        Some(decided)
    }

    /// Lets every run of the last axis begin an interval again.
    fn revive(&mut self) {
        self.alive.clear();
        self.alive.resize(self.line.runs() + 1, true);
    }

    /// Packs the conflicts, and tells what that comes to, if so many rows may be suppressed.
    ///
    /// What it takes from the rises of the last axis' own cuts is no longer there for that axis.
    fn pack(&mut self, rows: u64) -> u64 {
        let mut packed = 0;
        self.left.clear();
        self.revive();
        for cut in &self.cuts {
            let alone = cut.suppressed > rows;
            match cut.run {
                // The last axis itself knows what it costs to leave its cuts.
                Some(run) => self.alive[run] = !alone,
                None if alone => packed += cut.rise,
                None => {}
            }
            self.left.push(if alone { 0 } else { cut.rise });
        }
        let count = self.cuts.len();
        for (before, &v) in self.order.iter().enumerate() {
            let lost = &self.lost[v * count..(v + 1) * count];
            let mut own = self.left[v];
            for &u in &self.order[..before] {
                if own == 0 {
                    break;
                }
                if u64::from(lost[u]) > rows {
                    let paid = own.min(self.left[u]);
                    packed += paid;
                    self.left[u] -= paid;
                    own -= paid;
                }
            }
            self.left[v] = own;
        }
        let taken = self.cuts.iter().zip(&self.left).filter_map(|(cut, left)| {
            cut.run.filter(|_| cut.suppressed <= rows).map(|run| (run, cut.rise - left))
        });
        self.line.pay(taken);
        packed
    }

    /// What the packing leaves of the rises of a cut's conflicts off the last axis.
    fn rest(&self, place: usize, rows: u64) -> u64 {
        let count = self.cuts.len();
        let lost = &self.lost[place * count..(place + 1) * count];
        let others = lost.iter().zip(&self.cuts).zip(&self.left);
        others
            .filter(|((lost, cut), _)| u64::from(**lost) > rows && cut.run.is_none())
            .map(|(_, left)| left)
            .sum()
    }

    /// The open cuts that no solution of interest makes.
    ///
    /// Choices are those of the node as it is now, when further cuts may have gone out.
    pub(super) fn dead<M: CostModel>(
        &mut self,
        kernel: &M,
        choices: &[CutDecision],
        found: &ProbingResult,
        room: BoundSlack,
    ) -> Vec<usize> {
        let mut dead = Vec::new();
        for place in 0..self.cuts.len() {
            let OpenCut { slot, ask_below, .. } = self.cuts[place];
            if choices[slot] != CutDecision::Open || room.spare > ask_below {
                continue;
            }
            match self.made(kernel, choices, found.loss[slot], place, room, false) {
                None => {
                    self.cuts[place].dead = true;
                    dead.push(slot);
                }
                Some(rest) => self.cuts[place].ask_below = room.spare - rest / 2,
            }
        }
        dead
    }

    /// Whether no solution of interest makes a cut that is off the last axis, with a closer look along it.
    pub(super) fn is_dead<M: CostModel, K: CellKey>(
        &mut self,
        ground: &ProverContext<'_, M>,
        node: &ProverNode<K, M>,
        found: &ProbingResult,
        room: BoundSlack,
        slot: usize,
    ) -> bool {
        let place = self.cuts.binary_search_by_key(&slot, |cut| cut.slot);
        let Some(place) = place.ok().filter(|&place| self.cuts[place].run.is_none()) else {
            return false;
        };
        if M::RISES_ADD {
            self.line.suppose(ground, node, slot);
        }
        let loss = found.loss[slot];
        let made = self.made(ground.kernel, &node.choices, loss, place, room, M::RISES_ADD);
        self.cuts[place].dead = made.is_none();
        made.is_none()
    }

    /// The open cuts that cannot be made with another one, if so many rows may be suppressed.
    pub(super) fn against(
        &self,
        choices: &[CutDecision],
        slot: usize,
        rows: u64,
    ) -> impl Iterator<Item = usize> {
        let place = self.cuts.binary_search_by_key(&slot, |cut| cut.slot).ok();
        let count = self.cuts.len();
        let lost = place.map_or(&[][..], |place| &self.lost[place * count..(place + 1) * count]);
        let cuts = lost.iter().zip(&self.cuts).filter(move |(lost, _)| u64::from(**lost) > rows);
        cuts.map(|(_, cut)| cut.slot)
            .filter(move |&other| other != slot && choices[other] == CutDecision::Open)
    }

    /// What is left of the gap if a cut is made; nothing if no solution of interest makes it.
    fn made<M: CostModel>(
        &mut self,
        kernel: &M,
        choices: &[CutDecision],
        loss: u64,
        place: usize,
        mut room: BoundSlack,
        supposed: bool,
    ) -> Option<u64> {
        let spent = self.line.spent(choices);
        let count = self.cuts.len();
        let own = self.cuts[place];
        loop {
            if own.suppressed > room.rows {
                return None;
            }
            self.revive();
            let mut rise = 0;
            let lost = &self.lost[place * count..(place + 1) * count];
            let mut along = false;
            for (cut, &lost) in self.cuts.iter().zip(lost) {
                let goes = cut.dead || u64::from(lost) > room.rows;
                match (choices[cut.slot], cut.run) {
                    (CutDecision::Open, Some(run)) if goes => {
                        self.alive[run] = false;
                        along = true;
                    }
                    (CutDecision::Open, None) if goes => rise += cut.rise,
                    (CutDecision::Out, Some(run)) => self.alive[run] = false,
                    _ => {}
                }
            }
            let mut lost = loss;
            if along || supposed {
                let enough = room.spare.saturating_add(spent);
                let (quiet, loud) = self.line.path(room.rows, &self.alive, enough, supposed);
                rise += quiet.saturating_sub(spent);
                lost = loss.max(loud - quiet);
            }
            if lost + rise >= room.spare {
                return None;
            }
            let next = room.after(kernel, rise)?;
            if next.rows == room.rows {
                return Some(room.spare - rise - lost);
            }
            room = next;
        }
    }
}

/// How many cuts of a node are in.
fn ins<M: CostModel, K: CellKey>(node: &ProverNode<K, M>) -> usize {
    node.choices.iter().filter(|&&choice| choice == CutDecision::In).count()
}
