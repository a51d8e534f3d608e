//! The optimal full-domain search.
//!
//! **What it does**: finds the node of least cost among all that keep to the suppression limit, for every
//! metric. It never lists the lattice: it looks at boxes, all nodes between a low and a high one. The
//! classes of the two corners bound the cost of every node of the box ([`judge`](super::judge)); a box
//! that cannot hold a better node goes as a whole, any other is cut in two ([`dive`](super::dive)).
//! Dives from the open boxes of lowest bound run in parallel.
//! **Guarantee**: the least cost of all nodes, proven, for every model; if it is stopped, the best
//! found and a bound below which no cost lies.
//! **Cost**: two roll-ups per box, each as long as the classes of its low corner are many; exponential
//! in the attributes at worst, milliseconds for the Adult census data.
//! **Example**: Adult by discernibility, k = 2, nothing suppressed: 19,399,310.
//! **Reference**: the space is that of Samarati, *Protecting Respondents' Identities in Microdata Release*
//! (2001); roll-ups are from LeFevre, DeWitt and Ramakrishnan, *Incognito* (2005).

use super::context::{KeyWidthTask, LatticeContext, TOP, infeasible, with_words};
use super::dive::{LatticeDive, OpenBox};
use super::evaluator::NodeEvaluator;
use super::frequencies::{ClassKeyLayout, FrequencyRollup, FrequencySet};
use super::levels::GeneralizationLattice;
use super::ranking::{NodeRanking, SatisfyingNode};
use crate::kit::{BoundedNode, Result};
use crate::method::algorithm::{Algorithm, MethodInfo};
use crate::method::options::{OptionInfo, OptionValues};
use crate::method::recoding_model::RecodingModel;
use crate::method::settings::{GAP, NamedChoice, settings};
use crate::problem::Problem;
use crate::search::{
    Control, Event, FrontierPoint, LatticeFacts, Solution, SolutionDetails, StopReason,
};
use crate::space::dive_rounds::{DiveRounds, in_parallel};
use crate::space::proof_steps;

const FRONTIER: OptionInfo = OptionInfo {
    name: "frontier",
    values: OptionValues::Words(FrontierScope::NAMES),
    about: "also find the least cost for k of 2, 3, 5, 10, ..., or for every k from 2 to the table's size",
};

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "lattice",
    about: "the best hierarchy level for every column, proven (full-domain, branch and bound)",
    family: RecodingModel::FullDomain,
    recoding: "global",
    options: Lattice::OPTIONS,
    heeds_levels: true,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: true,
};

/// For which k the least cost is wanted besides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FrontierScope {
    /// For none.
    #[default]
    Nothing,
    /// For a few usual ones.
    Standard,
    /// For all there are.
    All,
}

impl NamedChoice for FrontierScope {
    const NAMES: &'static [&'static str] = &["off", "standard", "all"];
    const CHOICES: &'static [Self] =
        &[FrontierScope::Nothing, FrontierScope::Standard, FrontierScope::All];
}

settings! {
    /// The optimal full-domain search: the best node there is, or the best found with a proven bound.
    pub struct Lattice {
        /// How many of the best nodes to tell.
        top: usize = TOP,
        /// For which k to find the least cost besides.
        frontier: FrontierScope = FRONTIER,
        /// The gap at which the search may end: (cost - bound) / cost.
        gap: f64 = GAP,
    }
}

/// The k of the standard frontier.
const STANDARD: [u64; 12] = [2, 3, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000];

impl Algorithm for Lattice {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let lattice = GeneralizationLattice::new(problem);
        let default = if problem.metric.prices_suppression() { problem.rows } else { 0 };
        let limit = problem.limit.rows(problem.rows, default);
        let judge = NodeEvaluator::new(&lattice, problem.metric, limit);
        let layout = ClassKeyLayout::new(&lattice)?;
        let groups = || {
            lattice.levels.iter().map(|levels| levels.iter().map(|it| it.of_code.clone()).collect())
        };
        let control = &proof_steps::begin(control, || {
            proof_steps::levels(problem, limit, groups().collect())
        });
        let ground = LatticeContext { lattice: &lattice, judge: &judge, layout: &layout, control };
        let found =
            with_words(layout.words, OptimumSearch { ground, top: self.top, gap: self.gap });
        let mut facts = LatticeFacts::new(lattice.nodes(), found.checked);
        facts.top = found.ranking.facts(&lattice);
        let Some(best) = found.ranking.best() else {
            return Ok(match found.stopped {
                Some(reason) => Solution::stopped(reason, Some(found.bound), found.checked),
                None => infeasible(&judge, found.checked),
            }
            .with_details(SolutionDetails::Lattice(facts)));
        };
        let proven = found.bound >= best.cost;
        if let Some(log) = control.proof() {
            // Of the metrics that can be checked all costs are whole numbers.
            log.claim(found.bound.min(best.cost) as u64);
        }
        if self.frontier != FrontierScope::Nothing {
            facts.frontier = self.points(problem, &lattice, &layout, limit, best, control);
        }
        let solution = Solution::feasible(lattice.recoding(&best.node), found.checked);
        Ok(if proven {
            solution.proven()
        } else {
            solution.with_bound(Some(found.bound)).stopped_by(found.stopped)
        }
        .with_details(SolutionDetails::Lattice(facts)))
    }
}

impl Lattice {
    /// The least cost for other k. A node that is best for some k stays best up to the size of its
    /// smallest class, so there are no gaps between the points.
    fn points(
        &self,
        problem: &Problem,
        lattice: &GeneralizationLattice<'_>,
        layout: &ClassKeyLayout,
        limit: u64,
        best: &SatisfyingNode,
        control: &Control,
    ) -> Vec<FrontierPoint> {
        let mut points = Vec::new();
        let mut standard: Vec<u64> = STANDARD.into_iter().chain([problem.privacy.k]).collect();
        standard.sort_unstable();
        standard.dedup();
        let (mut k, mut known) = (2, best.node.clone());
        while k <= problem.rows && control.stop().is_none() {
            let judge = NodeEvaluator::new(lattice, problem.metric, limit).with_k(k);
            let quiet = control.silent();
            let ground = LatticeContext { lattice, judge: &judge, layout, control: &quiet };
            let (found, to_k) = with_words(layout.words, FrontierSearch { ground, known: &known });
            let Some(best) = found.ranking.best().filter(|_| found.stopped.is_none()) else {
                break;
            };
            known = best.node.clone();
            points.push(FrontierPoint { k, to_k, best: best.facts(lattice) });
            let next = to_k + 1;
            k = match self.frontier {
                FrontierScope::All => next,
                _ => match standard.iter().find(|&&k| k >= next) {
                    Some(&k) => k,
                    None => break,
                },
            };
        }
        points
    }
}

/// What a search found.
pub(super) struct LatticeResult {
    pub(super) ranking: NodeRanking,
    /// No solution costs less.
    bound: f64,
    pub(super) checked: u64,
    stopped: Option<StopReason>,
}

/// Classes that a dive may roll up, in the first round and at most.
const BUDGET: (u64, u64) = (8_000_000, 64_000_000);
/// Roll-ups of the whole table that every dive may make.
const ROLLS: u64 = 16;

impl LatticeContext<'_> {
    /// Searches for the best nodes.
    fn best<const W: usize>(&self, top: usize, gap: f64, known: Option<&[u32]>) -> LatticeResult {
        let LatticeContext { lattice, judge, control, .. } = *self;
        let mut roller: FrequencyRollup<'_, W> =
            FrequencyRollup::new(lattice, self.layout, &judge.relevant);
        let bottom = roller.cells(&judge.relevant);
        let mut ranking = NodeRanking::new(top);
        if let Some(node) = known {
            let mut table = FrequencySet::default();
            roller.roll(&bottom, &lattice.bottom(), node, &mut table);
            let aside = judge.nothing_aside();
            let measure = judge.measure(node, self.layout, &table, &aside, &mut judge.desk());
            ranking.offer(judge, node, &measure);
        }
        let mut rounds = DiveRounds::new(OpenBox::whole(lattice), BUDGET, control);
        loop {
            let batch = rounds.batch(ranking.cutoff(judge, gap));
            if batch.is_empty() {
                break;
            }
            let budget = rounds.budget(ROLLS * bottom.len() as u64, u32::MAX);
            let hauls = in_parallel(&batch, |sketch| {
                LatticeDive::new(self, &bottom, &ranking, gap, budget).run(sketch)
            });
            let before = ranking.least();
            for haul in hauls {
                if let Some(log) = control.proof() {
                    log.write(&haul.steps.0);
                }
                ranking.absorb(haul.ranking);
                rounds.absorb(haul.checked, haul.open);
            }
            rounds.tell_nodes();
            if let Some(best) = ranking.best().filter(|best| best.cost < before) {
                control.improved(best.cost, || judge.lattice.recoding(&best.node));
            }
            let cutoff = ranking.cutoff(judge, gap).min(ranking.least());
            if !rounds.go_on(cutoff, |bound| bound) {
                break;
            }
        }
        let DiveRounds { mut bound, nodes: checked, stopped, .. } = rounds;
        if stopped.is_none() && ranking.best().is_some() {
            bound = if gap > 0.0 {
                ranking.cutoff(judge, gap).min(ranking.least())
            } else {
                ranking.least()
            };
            control.tell(Event::Bound(bound));
        }
        LatticeResult { ranking, bound, checked, stopped }
    }
}

/// A search for the best nodes.
struct OptimumSearch<'a> {
    ground: LatticeContext<'a>,
    top: usize,
    gap: f64,
}

impl KeyWidthTask<LatticeResult> for OptimumSearch<'_> {
    fn run<const W: usize>(self) -> LatticeResult {
        self.ground.best::<W>(self.top, self.gap, None)
    }
}

/// A search for the best node, and for the largest k for which it is still the best.
struct FrontierSearch<'a> {
    ground: LatticeContext<'a>,
    known: &'a [u32],
}

impl KeyWidthTask<(LatticeResult, u64)> for FrontierSearch<'_> {
    fn run<const W: usize>(self) -> (LatticeResult, u64) {
        let LatticeContext { lattice, judge, layout, .. } = self.ground;
        let found = self.ground.best::<W>(1, 0.0, Some(self.known));
        let mut to_k = judge.k;
        if let Some(best) = found.ranking.best() {
            let mut roller: FrequencyRollup<'_, W> =
                FrequencyRollup::new(lattice, layout, &judge.relevant);
            let bottom = roller.cells(&judge.relevant);
            let mut table = FrequencySet::default();
            roller.roll(&bottom, &lattice.bottom(), &best.node, &mut table);
            let sizes = table.sizes.iter().map(|&size| u64::from(size));
            // Without a class nothing changes any more.
            to_k = sizes.filter(|&size| size >= judge.k).min().unwrap_or(lattice.problem.rows);
        }
        (found, to_k)
    }
}

impl BoundedNode for OpenBox {
    type Bound = f64;

    fn bound(&self) -> f64 {
        self.bound
    }

    /// Bounds are not negative, so their bits are in the same order.
    fn rank(&self) -> u64 {
        self.bound.to_bits()
    }
}
