//! The search as a whole: rounds of dives from a pool of open nodes, lowest bound first, and local searches
//! beside them.

use crate::kit::BoundedNode;
use crate::search::{Control, Event, IncumbentReporter, StopReason};
use crate::space::cuts::{
    ClassPricing, ClimbBudget, ClimbIncumbent, CutSet, CutSpace, ProgressObserver, climb, polish,
};
use crate::space::dive_rounds::{DIVES, DiveRounds, in_parallel};
use crate::space::proof_steps::ProofSteps;

use super::cost_model::{CostModel, CostModelTask};
use super::dive::{IncumbentCuts, OpenNode, ProverDive, cutoff};
use super::layout::{AxisLayout, CellKey};
use super::node::{ProverContext, ProverNode};
use super::relax::{Relaxation, RelaxationStep};

/// What a search found.
pub(super) struct ProverResult {
    pub(super) best: Option<IncumbentCuts>,
    /// No solution costs less.
    pub(super) bound: u64,
    pub(super) nodes: u64,
    pub(super) stopped: Option<StopReason>,
}

/// A search that may start from solutions known already.
pub(super) struct Prover<'a> {
    pub(super) space: &'a CutSpace<'a>,
    pub(super) layout: AxisLayout,
    pub(super) known: Vec<CutSet>,
    pub(super) gap: f64,
    /// How many cells may be looked at, where somebody else has searched already; none for all that it takes.
    pub(super) work: Option<u64>,
    pub(super) control: &'a Control,
}

/// Cells that a dive may look at, in the first round and at most.
const BUDGET: (u64, u64) = (200_000, 20_000_000);
/// Nodes the size of the first one that every dive may look at.
const NODES: u64 = 8;
/// In these rounds the local search looks for better solutions beside the dives. Easy searches end
/// before.
const CLIMBS: [u64; 3] = [8, 10, 12];
/// Steps of each local search, at least and at most; between, as many as there are cells. Fewer find too
/// little in a large table, and a small one is searched faster than climbed.
const STEPS: (u64, u64) = (50, 2_500);
/// The steps and the seed of the method climb. Metrics that charge for widths are slow to prove, and whoever stops the
/// prover early must not be worse off than with climb: its whole search is made first in a table of so many cells
/// that no proof is quick, and in a smaller one before this round, which easy searches do not reach. What comes
/// before it is a small share of its work.
const WHOLE_CLIMB: ClimbBudget = ClimbBudget { steps: Some(10_000), seed: 1 };
const WHOLE_CLIMB_CELLS: u64 = STEPS.1;
const WHOLE_CLIMB_ROUND: u64 = 2;
/// From this round on the relaxation is worked on, too; alone as long as it is ahead of the dives, which take seconds for a
/// round by then.
const RELAX_ROUND: u64 = 2;
/// The logarithm of the most steps that it makes in one turn where more is asked than it knows of.
const LONGEST_TURN: u64 = 6;
/// Where the work is limited, each of the local searches gets one such part of it.
const SHARE: u64 = 4;
/// Steps of the local search around what the relaxation proposes.
const MENDING: u64 = 24;
/// The most steps of the first one for the classification metric: many cut sets cost the least there, and unless
/// k is small one is found soon.
const CM_STEPS: u64 = 500;

impl CostModelTask<ProverResult> for Prover<'_> {
    fn run<M: CostModel>(self, kernel: &M) -> ProverResult {
        if self.layout.bits <= u64::BITS {
            self.rounds::<M, u64>(kernel)
        } else {
            self.rounds::<M, u128>(kernel)
        }
    }
}

/// What a task of a round brings.
#[derive(Default)]
struct ProverDiveResult {
    best: Option<IncumbentCuts>,
    open: Vec<OpenNode>,
    nodes: u64,
    /// How many cells it looked at.
    work: u64,
    steps: Option<ProofSteps>,
}

impl Prover<'_> {
    fn rounds<M: CostModel, K: CellKey>(self, kernel: &M) -> ProverResult {
        let Prover { space, control, gap, work, .. } = self;
        let (k, limit) = (space.problem.privacy.k, space.limit);
        let ground = ProverContext { space, kernel, k, limit, layout: self.layout.clone() };
        let root = ground.layout.choices(space);
        let mut best = match work {
            None => self.climb(0, &self.known),
            Some(work) => self.refine(work),
        };
        if let Some(best) = best.as_ref().filter(|_| space.asks_more_than_size()) {
            // Nothing was told of it: what a search by size takes for better may be worse.
            control.improved(space.price.shown(best.cost), || space.recoding(&best.cuts));
        }
        let whole = OpenNode { bound: 0, most: limit, choices: root.clone(), number: 1 };
        let mut numbered = 1;
        let mut rounds = DiveRounds::new(whole, BUDGET, control);
        let mut base: Option<(u64, ProverNode<K, M>)> = None;
        let mut relaxation = if work.is_none() { Relaxation::new(space) } else { None };
        let mut left = work;
        for round in 0.. {
            if left == Some(0) {
                break;
            }
            if round == WHOLE_CLIMB_ROUND
                && work.is_none()
                && self.climbs_wholly()
                && let Some(found) = self.whole_climb()
                && best.as_ref().is_none_or(|best| found.cost < best.cost)
            {
                let cost = space.price.shown(found.cost);
                control.improved(cost, || space.recoding(&found.cuts));
                best = Some(found);
            }
            let cost = best.as_ref().map_or(u64::MAX, |best| best.cost);
            let dive = |budget: u64| ProverDive::<M, K>::new(&ground, control, cost, gap, budget);
            if base.as_ref().is_none_or(|(known, _)| *known > cost) {
                // A better solution decides more.
                let mut first = dive(0);
                base = first.base(root.clone()).map(|base| (cost, base));
                self.write(first.steps);
            }
            let batch = rounds.batch(cutoff(space, cost, gap));
            let Some((_, base)) = base.as_ref().filter(|_| !batch.is_empty()) else { break };
            // Less than a few nodes would only put off the same work. While few nodes are open, long dives
            // would make other threads wait.
            let least = NODES * base.cells.len() as u64;
            let few = 2 * batch.len() < DIVES;
            let budget = rounds.budget(least, if few { batch.len().ilog2() } else { u32::MAX });
            let share = left.map_or(u64::MAX, |left| left / batch.len() as u64 + 1);
            let budget = budget.min(share);
            let is_due = CLIMBS.contains(&round) && batch.len() == DIVES && work.is_none();
            let climbs = usize::from(is_due);
            let known: Vec<CutSet> = best.iter().map(|best| best.cuts.clone()).collect();
            let tasks = std::iter::repeat_n(None, climbs).chain(batch.iter().map(Some));
            let below = cutoff(space, cost, gap);
            let relaxed = relaxation.as_mut().filter(|relaxation| {
                round >= RELAX_ROUND && cost < u64::MAX && relaxation.can_go_on()
            });
            let (hauls, step) = rayon::join(
                || {
                    in_parallel(tasks, |task: Option<&OpenNode>| match task {
                        None => ProverDiveResult {
                            best: self.climb(round + 1, &known),
                            ..ProverDiveResult::default()
                        },
                        Some(sketch) => {
                            let mut dive = dive(budget);
                            dive.run(base, sketch);
                            let work = budget.saturating_add_signed(-dive.budget);
                            let ProverDive { best, open, nodes, steps, .. } = dive;
                            ProverDiveResult { best, open, nodes, work, steps }
                        }
                    })
                },
                || relaxed.map(|relaxation| relaxation.step(below, control)),
            );
            for mut haul in hauls {
                self.write(haul.steps.take());
                for open in &mut haul.open {
                    numbered += 1;
                    open.number = numbered;
                }
                if let Some(found) = haul.best
                    && best.as_ref().is_none_or(|best| found.cost < best.cost)
                {
                    let cost = space.price.shown(found.cost);
                    control.improved(cost, || space.recoding(&found.cuts));
                    best = Some(found);
                }
                rounds.absorb(haul.nodes, haul.open);
                left = left.map(|left| left.saturating_sub(haul.work));
            }
            rounds.tell_nodes();
            let mut relaxed = step.map(|step| self.take_up(step, below, &mut best));
            let shown = |bound: u64| space.price.shown(bound);
            let cutoff_now = |best: &Option<IncumbentCuts>| {
                cutoff(space, best.as_ref().map_or(u64::MAX, |it| it.cost), gap)
            };
            let dived = rounds.go_on(cutoff_now(&best), shown);
            // Where the relaxation is ahead by far, the dives will not get there. But it knows of sizes alone: where more is
            // asked, it may be ahead and never arrive, so both get turns that double.
            let sizes_decide = space.problem.privacy.is_by_size() && !space.asks_more_than_size();
            let mut turns = if sizes_decide { u64::MAX } else { 1 << round.min(LONGEST_TURN) };
            while let (Some(bound), Some(relaxation)) = (relaxed, relaxation.as_mut()) {
                rounds.nodes += relaxation.worked();
                rounds.tell_nodes();
                let is_ahead = bound >= rounds.bound || relaxation.has_just_begun();
                rounds.raise(bound.min(cutoff_now(&best)), shown);
                let is_closed = bound >= cutoff_now(&best);
                if !is_ahead || is_closed || rounds.stopped.is_some() {
                    break;
                }
                if turns == 0 || !relaxation.can_go_on() {
                    break;
                }
                turns -= 1;
                let below = cutoff_now(&best);
                let step = relaxation.step(below, control);
                relaxed = Some(self.take_up(step, below, &mut best));
                rounds.stopped = control.stop();
            }
            let closed = relaxed.is_some_and(|bound| bound >= cutoff_now(&best));
            if !dived || closed || rounds.stopped.is_some() {
                break;
            }
        }
        let DiveRounds { mut bound, nodes, stopped, .. } = rounds;
        if let (None, Some(best)) = (stopped, &best)
            && left != Some(0)
        {
            // Whatever was left aside had at least this bound.
            bound = bound.max(cutoff(space, best.cost, gap));
            control.tell(Event::Bound(space.price.shown(bound)));
        }
        if let Some(log) = control.proof() {
            log.claim(bound);
        }
        ProverResult { best, bound, nodes, stopped }
    }

    /// Writes down what a dive has proven.
    fn write(&self, steps: Option<ProofSteps>) {
        if let (Some(log), Some(steps)) = (self.control.proof(), steps) {
            log.write(&steps.0);
        }
    }

    /// Takes up what the relaxation found; returns its bound.
    fn take_up(&self, step: RelaxationStep, below: u64, best: &mut Option<IncumbentCuts>) -> u64 {
        let (space, control) = (self.space, self.control);
        let known = best.as_ref().map_or(u64::MAX, |best| best.cost);
        let mut found: Option<IncumbentCuts> = None;
        let mut offer = |cost: u64, cuts: &CutSet| {
            if cost < found.as_ref().map_or(known, |found| found.cost) {
                found = Some(IncumbentCuts { cost, cuts: cuts.clone() });
            }
        };
        for cuts in &step.proposals {
            let priced = space.release_price(cuts);
            if !cuts.is_allowed(&space.axes) || priced.suppressed > space.limit {
                continue;
            }
            offer(priced.cost, cuts);
            let ear = ProverReporter { herald: None, space };
            let effort = ClimbBudget { steps: Some(MENDING), seed: 1 };
            let near = [cuts.clone()];
            let climbed = climb(space, &near, effort, control, &ear);
            if let Some(best) = climbed.and_then(|(climbed, _)| released(space, climbed)) {
                offer(best.cost, &best.cuts);
            }
        }
        if let Some(found) = found {
            control.improved(space.price.shown(found.cost), || space.recoding(&found.cuts));
            *best = Some(found);
        }
        // Where nothing is open, nothing costs less than asked for, but what was found just now.
        step.bound.unwrap_or(below)
    }

    /// Improves what is known already within a share of the work: by what classes ask, then by what the release does.
    fn refine(&self, work: u64) -> Option<IncumbentCuts> {
        let (space, control) = (self.space, self.control);
        let looks = (work / (SHARE * space.cells().max(1) as u64)).max(STEPS.0);
        let effort = ClimbBudget { steps: Some(looks), seed: 1 };
        let problem = space.problem;
        let mut starts = self.known.clone();
        if problem.population.is_some() || problem.suppresses_what_may_pass() {
            let ear = ProverReporter { herald: None, space };
            let climbed = climb(space, &self.known, effort, control, &ear);
            starts.extend(climbed.map(|(climbed, _)| climbed.cuts));
        }
        let ClimbIncumbent { cuts, priced } = polish(space, &starts, effort, control)?;
        Some(IncumbentCuts { cost: priced.cost, cuts })
    }

    /// Whether climb's whole search is due once it turns out that the proof takes long.
    fn climbs_wholly(&self) -> bool {
        let cells = self.space.counts.len() as u64;
        matches!(self.space.price, ClassPricing::Widths(_)) && cells < WHOLE_CLIMB_CELLS
    }

    /// The whole search of the method climb.
    fn whole_climb(&self) -> Option<IncumbentCuts> {
        let (space, control) = (self.space, self.control);
        let (climbed, _) =
            climb(space, &[], WHOLE_CLIMB, control, &ProverReporter { herald: None, space })?;
        released(space, climbed)
    }

    /// Looks for a good solution by local search.
    fn climb(&self, time: u64, known: &[CutSet]) -> Option<IncumbentCuts> {
        let (space, control) = (self.space, self.control);
        let short = time == 0 && matches!(space.price, ClassPricing::Cm);
        let most = if short { CM_STEPS } else { STEPS.1 };
        let steps = (space.counts.len() as u64).clamp(STEPS.0, most);
        let effort = match (time, &space.price) {
            (0, ClassPricing::Widths(_)) if !self.climbs_wholly() => WHOLE_CLIMB,
            (0, ClassPricing::Widths(_)) => ClimbBudget { steps: Some(steps), ..WHOLE_CLIMB },
            _ => ClimbBudget { steps: Some(steps), seed: time },
        };
        // What later ones find is told with all that their round brings.
        let is_told = time == 0 && !space.asks_more_than_size();
        let herald = is_told.then(|| IncumbentReporter::new(control));
        let (climbed, _) = climb(space, known, effort, control, &ProverReporter { herald, space })?;
        released(space, climbed)
    }
}

/// What a local search found, at the price of its release; none if that suppresses too many rows.
fn released(space: &CutSpace<'_>, climbed: ClimbIncumbent) -> Option<IncumbentCuts> {
    let cost = match space.asks_more_than_size() {
        false => climbed.priced.cost,
        true => {
            let priced = space.release_price(&climbed.cuts);
            (priced.suppressed <= space.limit).then_some(priced.cost)?
        }
    };
    Some(IncumbentCuts { cost, cuts: climbed.cuts })
}

/// Tells what the first local search finds.
struct ProverReporter<'e> {
    herald: Option<IncumbentReporter<'e>>,
    space: &'e CutSpace<'e>,
}

impl ProgressObserver for ProverReporter<'_> {
    fn improved(&self, climbed: &ClimbIncumbent) {
        if let Some(herald) = &self.herald {
            let cost = self.space.price.shown(climbed.priced.cost);
            herald.improved(cost, || self.space.recoding(&climbed.cuts));
        }
    }

    /// Nodes are counted, not steps.
    fn worked(&self, _: u64) {}
}

impl BoundedNode for OpenNode {
    type Bound = u64;

    fn bound(&self) -> u64 {
        self.bound
    }

    fn rank(&self) -> u64 {
        self.bound
    }
}
