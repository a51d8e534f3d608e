//! Depth-first search below one node, within a budget.

use crate::search::Control;
use crate::space::cuts::{CutDecision, CutSet, CutSpace};

use super::cell_hash_table::CellHashTable;
use super::cost_model::CostModel;
use super::join_groups::JoinGroups;
use super::last_axis_dp::LastAxisProgram;
use super::layout::CellKey;
use super::node::{ProverContext, ProverNode};
use super::pair_conflicts::{BoundSlack, CutConflicts};
use super::pair_suppression::PairSuppression;
use super::probing::ProbingResult;
use crate::space::proof_steps::{ProofStep, ProofSteps};

/// A node by its decisions alone; its cells can be made anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenNode {
    /// No solution below it costs less.
    pub(super) bound: u64,
    /// Solutions of interest below it suppress at most so many rows.
    pub(super) most: u64,
    pub(super) choices: Vec<CutDecision>,
    /// Its number in the proof that is written down.
    pub(super) number: u64,
}

/// A solution.
#[derive(Debug, Clone)]
pub(super) struct IncumbentCuts {
    pub(super) cost: u64,
    pub(super) cuts: CutSet,
}

/// One dive.
pub(super) struct ProverDive<'a, M: CostModel, K> {
    ground: &'a ProverContext<'a, M>,
    control: &'a Control,
    /// Solutions that do not cost less are of no interest.
    cost: u64,
    /// How much of the cost may remain unproven.
    gap: f64,
    /// Nodes with this bound or more are of no interest.
    cutoff: u64,
    /// The best found here.
    pub(super) best: Option<IncumbentCuts>,
    /// What is left to search when the budget is spent.
    pub(super) open: Vec<OpenNode>,
    pub(super) nodes: u64,
    /// How many cells may still be looked at.
    pub(super) budget: i64,
    found: ProbingResult,
    /// The bound that the last pass found, which is what rises are added to.
    passed: u64,
    pairs: PairSuppression,
    groups: JoinGroups<K, M::Load>,
    unused: Vec<CutConflicts>,
    finish: LastAxisProgram,
    spare: Vec<ProverNode<K, M>>,
    places: CellHashTable,
    /// What is proven, where that is written down.
    pub(super) steps: Option<ProofSteps>,
}

impl<'a, M: CostModel, K: CellKey> ProverDive<'a, M, K> {
    pub(super) fn new(
        ground: &'a ProverContext<'a, M>,
        control: &'a Control,
        cost: u64,
        gap: f64,
        budget: u64,
    ) -> Self {
        ProverDive {
            ground,
            control,
            cost,
            gap,
            cutoff: cutoff(ground.space, cost, gap),
            best: None,
            open: Vec::new(),
            nodes: 0,
            budget: budget as i64,
            found: ProbingResult::new(ground.layout.slots),
            passed: 0,
            pairs: PairSuppression::new(),
            groups: JoinGroups::default(),
            unused: Vec::new(),
            finish: LastAxisProgram::default(),
            spare: Vec::new(),
            places: CellHashTable::default(),
            steps: control.proof().map(|_| ProofSteps::default()),
        }
    }

    /// The first node, with whatever the bounds decide decided; none if that settles the search.
    pub(super) fn base(&mut self, choices: Vec<CutDecision>) -> Option<ProverNode<K, M>> {
        let mut node = self.ground.node(choices)?;
        self.note(|steps| steps.number(0));
        let stays = self.settle(&mut node);
        self.step(if stays { ProofStep::Keep } else { ProofStep::Close });
        stays.then_some(node)
    }

    /// Searches below a sketch, which lies below the base.
    pub(super) fn run(&mut self, base: &ProverNode<K, M>, sketch: &OpenNode) {
        self.note(|steps| steps.number(sketch.number));
        match self.ground.below(base, &sketch.choices, &mut self.places) {
            Some(mut node) => {
                (node.bound, node.most) = (sketch.bound, sketch.most);
                self.search(node, None);
            }
            None => self.step(ProofStep::Close),
        }
    }

    /// Writes down what is proven, if somebody wants it.
    fn note(&mut self, write: impl FnOnce(&mut ProofSteps)) {
        if let Some(steps) = &mut self.steps {
            write(steps);
        }
    }

    fn step(&mut self, step: ProofStep) {
        self.note(|steps| steps.step(step));
    }

    /// Searches below a node, and for a while chooses by join rises that are known.
    fn search(&mut self, mut node: ProverNode<K, M>, mut rises: Option<JoinRises>) {
        // Pairs say most where a cut has just been made; asked again after each cut that is not, they
        // cost more than they save.
        let mut fresh = true;
        let mut known: Option<CutConflicts> = None;
        let end = loop {
            self.nodes += 1;
            if !self.settle(&mut node) {
                break ProofStep::Close;
            }
            let cost = self.ground.head_cost(&node);
            if cost < self.cost {
                self.offer(cost, &node.choices);
            }
            if node.bound >= self.cutoff || self.ground.open(&node).next().is_none() {
                break ProofStep::Close;
            }
            if self.budget <= 0 {
                let ProverNode { bound, most, ref choices, .. } = node;
                self.open.push(OpenNode { bound, most, choices: choices.clone(), number: 0 });
                break ProofStep::Defer;
            }
            if let Some(axis) = self.only_axis(&node) {
                let cutoff = self.cutoff;
                if let Some(best) = self.finish.solve(self.ground, &node, axis, cutoff) {
                    self.improve(best.cost, &best.choices);
                }
                break ProofStep::Path;
            }
            let spare = self.cutoff - self.passed;
            // Conflicts need the node's own rises.
            let conflicts = self.has_conflicts(&node);
            let compared = fresh && conflicts;
            // The last axis takes less time than all the rest, and often it is enough.
            let looked = compared.then(|| self.look_along(&node));
            if let Some(None) = looked {
                break ProofStep::Close;
            }
            let looked = looked.flatten();
            let will_do = |rises: &JoinRises| !compared && rises.will_do(spare, conflicts);
            let own = !rises.as_ref().is_some_and(will_do);
            if let Some(rises) = rises.as_mut().filter(|_| !own) {
                rises.uses += 1;
                self.found.joined.copy_from_slice(&rises.joined);
            } else {
                self.ground.join_rises(&node, &mut self.found);
                match self.force(&mut node) {
                    None => break ProofStep::Close,
                    Some(true) => {
                        self.unused.extend(looked);
                        continue;
                    }
                    Some(false) => rises = Some(JoinRises::new(&self.found.joined)),
                }
            }
            fresh = false;
            if let Some(mut conflicts) = looked {
                let decided = self.compare(&mut node, &mut conflicts);
                known = Some(conflicts);
                match decided {
                    None => break ProofStep::Close,
                    Some(true) => continue,
                    Some(false) => {}
                }
            }
            let mut dead = Vec::new();
            let mut conflicts = known.as_mut().filter(|known| known.still_hold(&node));
            if let Some(conflicts) = &mut conflicts {
                if own {
                    conflicts.raise(&self.found);
                }
                if own || M::RISES_ADD {
                    dead = self.dead(&node, conflicts);
                }
            }
            if dead.is_empty() {
                let Some(slot) = self.branch(&node, &[]) else { break ProofStep::Close };
                let outs = conflicts.map_or(Vec::new(), |known| self.against(&node, known, slot));
                self.note(|steps| steps.branch(slot));
                let (cutoff, spare, places) = (self.cutoff, &mut self.spare, &mut self.places);
                match self.ground.child(&node, &[slot], &outs, cutoff, spare, places) {
                    Some(child) => self.search(child, rises.clone()),
                    None => {
                        self.step(ProofStep::Close);
                        self.nodes += 1;
                    }
                }
                dead.push(slot);
            }
            if !self.decide(&mut node, &dead) {
                break ProofStep::Close;
            }
        };
        self.step(end);
        self.spare.push(node);
        self.unused.extend(known);
    }

    /// The only axis with open cuts, if it can be finished at once.
    fn only_axis(&self, node: &ProverNode<K, M>) -> Option<usize> {
        // What is asked of the release as a whole is no sum over intervals.
        let space = self.ground.space;
        if !space.problem.privacy.is_by_size() || space.asks_more_than_size() {
            return None;
        }
        let mut axes = self.ground.open(node).map(|slot| self.ground.layout.cut(slot).0);
        let axis = axes.next()?;
        axes.all(|other| other == axis).then_some(axis)
    }

    /// Takes up the cuts that are in, which cost so much by size: where more is asked of classes or of the release, they
    /// may cost more.
    fn offer(&mut self, cost: u64, choices: &[CutDecision]) {
        let space = self.ground.space;
        if !space.asks_more_than_size() {
            return self.improve(cost, choices);
        }
        let priced = space.release_price(&self.cuts(choices));
        if priced.cost < self.cost && priced.suppressed <= space.limit {
            self.improve(priced.cost, choices);
        }
    }

    fn improve(&mut self, cost: u64, choices: &[CutDecision]) {
        self.cost = cost;
        self.cutoff = cutoff(self.ground.space, cost, self.gap);
        self.best = Some(IncumbentCuts { cost, cuts: self.cuts(choices) });
    }

    /// The cuts that are in.
    fn cuts(&self, choices: &[CutDecision]) -> CutSet {
        let layout = &self.ground.layout;
        CutSet::new(&self.ground.space.axes, |axis, position| {
            choices[layout.first[axis] + position] == CutDecision::In
        })
    }

    /// Decides whatever the bounds decide; `false` if nothing below the node is of interest.
    fn settle(&mut self, node: &mut ProverNode<K, M>) -> bool {
        loop {
            if node.suppressed > node.most || node.fixed >= self.cutoff {
                return false;
            }
            self.budget -= node.cells.len() as i64 + 64;
            let bound = self.ground.pass(node, self.cutoff, &mut self.found);
            self.passed = bound;
            node.bound = node.bound.max(bound);
            if node.bound >= self.cutoff {
                return false;
            }
            if self.control.stop().is_some() {
                self.budget = 0;
            }
            let spare = self.cutoff - bound;
            let rows = node.most - node.suppressed;
            let found = &self.found;
            let outs: Vec<usize> = self
                .ground
                .open(node)
                .filter(|&slot| {
                    found.rise[slot] >= spare
                        || found.suppressed[slot] > rows
                        || (found.useful[slot] == 0 && self.ground.can_drop(slot))
                })
                .collect();
            if outs.is_empty() {
                return true;
            }
            self.note(|steps| steps.decide(ProofStep::Out, &outs));
            if !self.decide(node, &outs) {
                return false;
            }
        }
    }

    /// Takes cuts out, and whatever follows from that for their axes.
    fn decide(&mut self, node: &mut ProverNode<K, M>, outs: &[usize]) -> bool {
        let ground = self.ground;
        let layout = &ground.layout;
        let mut outs = outs.to_vec();
        let mut ins = Vec::new();
        let mut axes: Vec<usize> = outs.iter().map(|&slot| layout.cut(slot).0).collect();
        axes.dedup();
        for axis in axes {
            if ground.space.axes[axis].is_free() {
                continue;
            }
            let slots = layout.slots_of(axis);
            let mut choices = node.choices[slots.clone()].to_vec();
            for &slot in outs.iter().filter(|slot| slots.contains(slot)) {
                choices[slot - slots.start] = CutDecision::Out;
            }
            if !ground.space.axes[axis].propagate(&mut choices) {
                return false;
            }
            for (slot, &choice) in slots.clone().zip(&choices) {
                if node.choices[slot] == CutDecision::Open && !outs.contains(&slot) {
                    match choice {
                        CutDecision::Out => outs.push(slot),
                        CutDecision::In => ins.push(slot),
                        CutDecision::Open => {}
                    }
                }
            }
        }
        ground.take_out(node, &outs, &mut self.places);
        self.make(node, &ins).is_some()
    }

    /// Makes the cuts without which the bound is too high; tells whether there were any, and nothing
    /// if they cannot be made.
    fn force(&mut self, node: &mut ProverNode<K, M>) -> Option<bool> {
        let spare = self.cutoff - self.passed;
        let forced: Vec<usize> =
            self.ground.open(node).filter(|&slot| self.found.joined[slot] >= spare).collect();
        self.note(|steps| steps.decide(ProofStep::In, &forced));
        self.make(node, &forced)
    }

    /// Makes cuts; tells whether there were any, and nothing if they cannot be made.
    fn make(&mut self, node: &mut ProverNode<K, M>, slots: &[usize]) -> Option<bool> {
        let layout = &self.ground.layout;
        for slots in slots.chunk_by(|&one, &other| layout.cut(one).0 == layout.cut(other).0) {
            let (cutoff, spare, places) = (self.cutoff, &mut self.spare, &mut self.places);
            let child = self.ground.child(node, slots, &[], cutoff, spare, places)?;
            self.spare.push(std::mem::replace(node, child));
        }
        Some(!slots.is_empty())
    }

    /// What solutions of interest below a node may do.
    fn room(&self, node: &ProverNode<K, M>) -> BoundSlack {
        let room =
            BoundSlack { spare: self.cutoff - self.passed, rows: node.most - node.suppressed };
        room.after(self.ground.kernel, 0).unwrap_or(room)
    }

    /// Whether it is worth while to look for conflicts.
    fn has_conflicts(&self, node: &ProverNode<K, M>) -> bool {
        // What the checker of proofs has no rule for is not used.
        if self.steps.is_some() {
            return false;
        }
        let cuts = self.ground.open(node).count();
        let pairs = cuts * cuts * node.classes.len();
        (M::RISES_ADD || self.room(node).rows < self.ground.k * FEW)
            && pairs <= MANY * node.cells.len() * self.ground.axes()
    }

    /// Searches along the last axis, where there is one; nothing if that leaves no solution of interest.
    fn look_along(&mut self, node: &ProverNode<K, M>) -> Option<CutConflicts> {
        let (ground, room) = (self.ground, self.room(node));
        let mut conflicts = self.unused.pop().unwrap_or_default();
        self.budget -= node.cells.len() as i64;
        if !M::RISES_ADD || conflicts.look_along(ground, node, &self.found, room, &mut self.groups)
        {
            return Some(conflicts);
        }
        self.unused.push(conflicts);
        None
    }

    /// Decides what conflicts of cuts decide; tells whether that was anything, and nothing if nothing
    /// below the node is of interest.
    fn compare(
        &mut self,
        node: &mut ProverNode<K, M>,
        conflicts: &mut CutConflicts,
    ) -> Option<bool> {
        self.budget -= 2 * node.cells.len() as i64;
        conflicts.pair(self.ground, node, &self.found, &mut self.pairs);
        let decided = conflicts.decide(self.ground.kernel, &self.found, self.room(node))?;
        node.bound = node.bound.max(self.passed + decided.rise);
        node.most = node.suppressed + decided.most;
        if !decided.outs.is_empty() {
            return self.decide(node, &decided.outs).then_some(true);
        }
        self.make(node, &decided.ins)
    }

    /// Cuts that no solution of interest makes.
    fn dead(&mut self, node: &ProverNode<K, M>, conflicts: &mut CutConflicts) -> Vec<usize> {
        let (ground, room) = (self.ground, self.room(node));
        let mut dead = conflicts.dead(ground.kernel, &node.choices, &self.found, room);
        if dead.is_empty() {
            // A closer look takes longer, so only at those that would be made next.
            while let Some(slot) = self.branch(node, &dead)
                && conflicts.is_dead(ground, node, &self.found, room, slot)
            {
                dead.push(slot);
            }
            dead.sort_unstable();
        }
        dead
    }

    /// Cuts that go out when another one is made. Where something would follow for other cuts of an axis, that
    /// is left to the child.
    fn against(
        &self,
        node: &ProverNode<K, M>,
        conflicts: &CutConflicts,
        slot: usize,
    ) -> Vec<usize> {
        let ground = self.ground;
        let is_free = |slot: usize| ground.space.axes[ground.layout.cut(slot).0].is_free();
        let outs = conflicts.against(&node.choices, slot, self.room(node).rows);
        outs.filter(|&out| is_free(out)).collect()
    }

    /// Which cut to decide next, apart from those that are dead.
    fn branch(&self, node: &ProverNode<K, M>, dead: &[usize]) -> Option<usize> {
        let (ground, found) = (self.ground, &self.found);
        let layout = &ground.layout;
        let gap = (self.cutoff - self.passed) as f64;
        let mut best: Option<(f64, usize)> = None;
        for slot in ground.open(node).filter(|slot| !dead.contains(slot)) {
            let (axis, _) = layout.cut(slot);
            let last = if layout.last_is_long && axis == layout.last { 1e-3 } else { 1.0 };
            let urgent = 0.05 + found.joined[slot] as f64 / gap;
            let score = found.interest[slot] * f64::from(found.divides[slot]) * last * urgent;
            if best.is_none_or(|(known, _)| score > known) {
                best = Some((score, slot));
            }
        }
        best.map(|(_, slot)| slot)
    }
}

/// Join rises that were computed for a node. They change slowly, so for a while they are good enough to
/// choose a cut by.
#[derive(Clone)]
struct JoinRises {
    joined: Vec<u64>,
    most: u64,
    /// How often they have served another node.
    uses: u32,
}

impl JoinRises {
    fn new(joined: &[u64]) -> Self {
        let most = joined.iter().copied().max().unwrap_or(0);
        JoinRises { joined: joined.to_vec(), most, uses: 0 }
    }

    /// Whether they can do once more: new ones would hardly fill the gap. Where cuts conflict, fewer are
    /// left to choose from, and it takes better rises to tell them apart.
    fn will_do(&self, gap: u64, conflicts: bool) -> bool {
        self.uses == 0 || (self.uses < 3 && self.most < gap / 2 && !conflicts)
    }
}

/// Pairs are left aside if there are so many times more of them, in all classes, than it takes to look at
/// every cell: then they cost more time and memory than they can save.
const MANY: usize = 64;

/// Conflicts that take more rows than so many times k are hardly ever found.
const FEW: u64 = 24;

/// Nodes with this bound or more are of no interest when a solution of this cost is known.
pub(super) fn cutoff(space: &CutSpace<'_>, cost: u64, gap: f64) -> u64 {
    if cost == u64::MAX { cost } else { cost - space.price.share(cost, gap) }
}
