//! The search: a depth-first walk through the tree of sets.

use super::classes::{CutPosition, HeadClasses};
use super::survey::{NodeSurvey, lost};
use crate::search::{Control, Event, StopReason};
use crate::space::cuts::{ClassPricing, CutDecision, CutSet, CutSpace};
use crate::space::proof_steps::{ProofStep, ProofSteps};

/// Event of the number of nodes are told this often.
const TELL_NODES: u64 = 256;

/// So many bytes of a proof are written at once.
const WRITTEN: usize = 1 << 18;

/// A node on the way from the root to where the search is.
struct TreeFrame {
    /// The cuts that its children add, the next one last.
    tail: Vec<CutPosition>,
    /// The cuts that it added to its parent's.
    added: Vec<CutPosition>,
    /// How many classes its parent has.
    classes: usize,
    /// No set below it that has not been looked at costs less.
    bound: u64,
}

/// The search over a space.
pub(super) struct TreeSearch<'a> {
    space: &'a CutSpace<'a>,
    control: &'a Control,
    /// The cuts of the current node, and the classes that they induce.
    head: CutSet,
    classes: HeadClasses<'a>,
    survey: NodeSurvey,
    frames: Vec<TreeFrame>,
    /// The best cut set so far and its cost.
    pub(super) best: Option<(u64, CutSet)>,
    /// How many nodes have been looked at.
    pub(super) nodes: u64,
    /// What is proven, where that is written down.
    steps: Option<ProofSteps>,
    /// By axis: the number of its first cut in a proof.
    numbers: Vec<usize>,
}

/// How a search ended before it was done.
pub(super) struct StoppedSearch {
    pub(super) reason: StopReason,
    /// No cut set costs less.
    pub(super) bound: u64,
}

impl<'a> TreeSearch<'a> {
    pub(super) fn new(space: &'a CutSpace<'a>, control: &'a Control) -> Self {
        let steps = control.proof().map(|_| ProofSteps::default());
        let before = |axis: usize| space.axes[..axis].iter().map(|it| it.values() + 1).sum();
        TreeSearch {
            steps,
            numbers: (0..space.axes.len()).map(before).collect(),
            space,
            control,
            head: CutSet::new(&space.axes, |_, _| false),
            classes: HeadClasses::new(space),
            survey: NodeSurvey::default(),
            frames: Vec::new(),
            best: None,
            nodes: 0,
        }
    }

    /// Takes over a cut set that is known already, if it is better than what is known.
    pub(super) fn offer(&mut self, cuts: CutSet) {
        if cuts.is_allowed(&self.space.axes) {
            let priced = self.space.price(&cuts);
            if priced.suppressed <= self.space.limit {
                self.improve(priced.cost, cuts);
            }
        }
    }

    /// Writes down what is proven, if somebody wants it; cuts have numbers there.
    fn note(&mut self, write: impl FnOnce(&mut ProofSteps, &dyn Fn(CutPosition) -> usize)) {
        if let Some(steps) = &mut self.steps {
            write(steps, &|cut| self.numbers[cut.axis] + cut.position);
        }
    }

    /// Hands on what was written down, once it is so long.
    fn write(&mut self, length: usize) {
        if let (Some(log), Some(steps)) = (self.control.proof(), &mut self.steps)
            && steps.0.len() > length
        {
            log.write(&steps.0);
            steps.0.clear();
        }
    }

    fn improve(&mut self, cost: u64, cuts: CutSet) {
        if cost < self.best_cost() {
            let shown = self.space.price.shown(cost);
            self.control.improved(shown, || self.space.recoding(&cuts));
            self.best = Some((cost, cuts));
        }
    }

    fn best_cost(&self) -> u64 {
        self.best.as_ref().map_or(u64::MAX, |best| best.0)
    }

    /// How many rows the root, the most general of all cut sets, suppresses.
    pub(super) fn suppressed_at_least(&self) -> u64 {
        self.classes.suppressed()
    }

    /// Walks the tree; `best` is optimal afterwards unless it was stopped.
    pub(super) fn run(&mut self) -> Option<StoppedSearch> {
        let cuts = |wanted: CutDecision| {
            let axes = self.space.axes.iter().enumerate();
            axes.flat_map(move |(axis, values)| {
                (1..values.values())
                    .filter(move |&position| values.settled(position) == wanted)
                    .map(move |position| CutPosition { axis, position })
            })
            .collect::<Vec<CutPosition>>()
        };
        self.note(|steps, _| steps.number(1));
        self.enter(cuts(CutDecision::In), cuts(CutDecision::Open));
        while let Some(frame) = self.frames.last_mut() {
            if let Some(cut) = frame.tail.pop() {
                let mut tail = frame.tail.clone();
                self.note(|steps, number| steps.branch(number(cut)));
                let added = self.with_companions(cut, &mut tail);
                self.enter(added, tail);
                if let Some(reason) = self.control.stop() {
                    // What the root said last holds for all that is left.
                    let bound = self.frames[0].bound.min(self.best_cost());
                    for _ in 0..self.frames.len() {
                        self.note(|steps, _| steps.step(ProofStep::Close));
                    }
                    self.write(0);
                    return Some(StoppedSearch { reason, bound });
                }
            } else {
                self.leave();
            }
        }
        None
    }

    /// Goes down to a node that has these cuts beside its parent's.
    fn enter(&mut self, added: Vec<CutPosition>, mut tail: Vec<CutPosition>) {
        self.nodes += 1;
        if self.nodes.is_multiple_of(TELL_NODES) {
            self.control.tell(Event::Nodes(self.nodes));
        }
        let classes = self.classes.list().len();
        for &cut in &added {
            self.head.set(cut.axis, cut.position, true);
            self.classes.split(cut);
        }
        debug_assert!(self.head.is_allowed(&self.space.axes));
        if let Some(cost) = self.cost()
            && cost < self.best_cost()
        {
            self.improve(cost, self.head.clone());
        }
        let bound = self.prune(&mut tail);
        self.reorder(&mut tail);
        self.frames.push(TreeFrame { tail, added, classes, bound });
    }

    /// Goes back to the parent, where the cut that led here is now out of the question.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.note(|steps, _| steps.step(ProofStep::Close));
        self.write(if self.frames.is_empty() { 0 } else { WRITTEN });
        for cut in frame.added {
            self.head.set(cut.axis, cut.position, false);
        }
        // The root stays as it is.
        let Some(mut parent) = self.frames.pop() else { return };
        self.classes.recover(frame.classes);
        parent.bound = self.prune(&mut parent.tail);
        if self.frames.is_empty() && parent.bound < self.best_cost() {
            self.control.tell(Event::Bound(self.space.price.shown(parent.bound)));
        }
        self.frames.push(parent);
    }

    /// What the head costs; none if it suppresses too many rows.
    fn cost(&self) -> Option<u64> {
        let suppressed = self.classes.suppressed();
        if suppressed > self.space.limit {
            return None;
        }
        let passing = self.classes.list().iter().enumerate().filter(|(_, class)| class.passes);
        let released: u64 = match &self.space.price {
            ClassPricing::Dm => passing.map(|(_, class)| class.size * class.size).sum(),
            ClassPricing::Cm => passing
                .map(|(at, class)| {
                    class.size
                        - u64::from(self.classes.labels(at).iter().copied().max().unwrap_or(0))
                })
                .sum(),
            ClassPricing::Widths(widths) => {
                let prices: Vec<Vec<u64>> = (0..self.space.axes.len())
                    .map(|axis| {
                        self.head
                            .intervals(axis)
                            .flat_map(|(first, end)| {
                                std::iter::repeat_n(widths.of(axis, first, end), end - first)
                            })
                            .collect()
                    })
                    .collect();
                passing
                    .map(|(_, class)| {
                        let values = self.classes.values(self.classes.cells(class)[0]);
                        let prices = values.iter().zip(&prices);
                        class.size
                            * prices.map(|(&value, prices)| prices[usize::from(value)]).sum::<u64>()
                    })
                    .sum()
            }
        };
        Some(released + suppressed * lost(self.space))
    }

    /// Removes cuts that cannot lead to a better set, until none is left that can be removed, and returns
    /// the bound of what remains.
    ///
    /// This is PRUNE of the paper's Figure 5, and PRUNE-USELESS-VALUES along with it, which needs the same
    /// look at the classes. The figure calls PRUNE again for the imaginary node H + v and removes v if the
    /// tail that comes back is empty. Here that node's *bound* alone decides, as section 5.1 says: a tail
    /// can also come back empty because nothing is left to add, and then H + v itself may still be the
    /// best set; and taken at its word the recursion visits every subset of the tail.
    fn prune(&mut self, tail: &mut Vec<CutPosition>) -> u64 {
        loop {
            self.drop_unreachable(tail);
            if tail.is_empty() {
                return u64::MAX;
            }
            self.survey.take(&mut self.classes, &self.head, tail);
            let best = self.best_cost();
            let (bound, suppressed) = (self.survey.bound, self.survey.suppressed);
            if bound >= best {
                tail.clear();
                return bound;
            }
            let before = tail.len();
            let mut effects = self.survey.effects.iter();
            let mut removed = Vec::new();
            tail.retain(|cut| {
                let stays = effects.next().is_some_and(|effect| {
                    bound + effect.cost < best
                        && suppressed + effect.suppressed <= self.space.limit
                        && (effect.useful || !self.space.axes[cut.axis].can_drop(cut.position))
                });
                if !stays {
                    removed.push(*cut);
                }
                stays
            });
            self.note(|steps, number| {
                let cuts: Vec<usize> = removed.into_iter().map(number).collect();
                steps.decide(ProofStep::Out, &cuts);
            });
            if tail.len() == before {
                return bound;
            }
        }
    }

    /// Sorts what PRUNE has left so that the cut to try first comes last: the one that splits the most
    /// classes, then the one that leaves the smallest sum of squared sizes. Classes that the head
    /// suppresses do not count: nothing happens to them any more.
    fn reorder(&self, tail: &mut [CutPosition]) {
        if tail.is_empty() {
            return;
        }
        let mut ranked: Vec<_> = tail
            .iter()
            .zip(&self.survey.effects)
            .map(|(&cut, effect)| (effect.splits, effect.separated, std::cmp::Reverse(cut)))
            .collect();
        ranked.sort_unstable();
        for (place, (.., std::cmp::Reverse(cut))) in tail.iter_mut().zip(ranked) {
            *place = cut;
        }
    }

    /// The cut and those of the tail that its attribute's shape demands with it, taken out of the tail.
    ///
    /// Divisions along a hierarchy that have a cut all have the same cuts beside it; so a head stays a set
    /// that may be made.
    fn with_companions(&self, cut: CutPosition, tail: &mut Vec<CutPosition>) -> Vec<CutPosition> {
        let mut added = vec![cut];
        if !self.space.axes[cut.axis].is_free() {
            let mut choices = self.choices(cut.axis, tail);
            choices[cut.position] = CutDecision::In;
            self.space.axes[cut.axis].propagate(&mut choices);
            tail.retain(|other| {
                let stays = other.axis != cut.axis || choices[other.position] != CutDecision::In;
                if !stays {
                    added.push(*other);
                }
                stays
            });
        }
        added
    }

    /// Takes the cuts out of the tail that no division has any more, given the shape of their attribute.
    fn drop_unreachable(&self, tail: &mut Vec<CutPosition>) {
        for (axis, values) in self.space.axes.iter().enumerate() {
            if !values.is_free() && tail.iter().any(|cut| cut.axis == axis) {
                let mut choices = self.choices(axis, tail);
                values.propagate(&mut choices);
                tail.retain(|cut| cut.axis != axis || choices[cut.position] != CutDecision::Out);
            }
        }
    }

    /// The cuts of an attribute as its shape sees them.
    fn choices(&self, axis: usize, tail: &[CutPosition]) -> Vec<CutDecision> {
        let mut choices: Vec<CutDecision> = (0..=self.space.axes[axis].values())
            .map(|at| if self.head.has(axis, at) { CutDecision::In } else { CutDecision::Out })
            .collect();
        for cut in tail.iter().filter(|cut| cut.axis == axis) {
            choices[cut.position] = CutDecision::Open;
        }
        choices
    }
}
