//! A genetic search over cut sets.
//!
//! **What it does**: a division of all attributes into intervals is a string of bits, one for each place
//! where a cut can be. A population of strings is bred: two parents, good ones more likely, give a child
//! that has the first part of its string from one and the rest from the other, and a few bits flipped; it
//! takes the place of the worst. Where hierarchies (or missing values, or cuts that the user demands or
//! refuses) do not allow a child, it becomes the most similar one that they allow.
//! **Guarantee**: k-anonymous (and every other model asked for) and within the limit; no promise about
//! cost. The same seed and steps give the same result on any number of threads.
//! **Cost**: a step is one child: one pass over the cells at most, less where it resembles the last one.
//! **Example**: Iyengar's own: loss or classification on the Adult census data.
//! **Reference**: Iyengar, *Transforming Data to Satisfy Privacy Constraints* (2002).

use rayon::prelude::*;

use super::algorithm::{Algorithm, MethodInfo};
use super::options::{OptionInfo, OptionValues};
use super::recoding_model::RecodingModel;
use super::settings::{BINS, CUTS, CutFreedom, ending, seed, settings, steps};
use crate::kit::{Result, SearchRng};
use crate::problem::Problem;
use crate::search::{Control, IncumbentReporter, Solution};
use crate::space::cuts::{CutDecision, CutRules, NearestDivision, ProfileGrid};
use crate::space::grouping::{GroupingContext, GroupingScore, GroupingState, nothing_found};

/// Children that are bred before any of them joins the population, and how many boards price them.
const BATCH: usize = 32;
const BOARDS: usize = 4;

/// So many children in vain, for each member of the population, and another one is bred.
const PATIENCE: u64 = 25;

/// One population in so many begins with the best string so far among its own. The others would only find
/// their way back to it.
const WITH_BEST: u64 = 3;

const POPULATION: OptionInfo = OptionInfo {
    name: "population",
    values: OptionValues::Number { default: 50, least: 2, most: 100_000, off: None },
    about: "how many divisions are bred from",
};

const MUTATION: OptionInfo = OptionInfo {
    name: "mutation",
    values: OptionValues::Share { default: 0.015 },
    about: "the share of a child's cuts that are flipped",
};

const STEPS: OptionInfo = steps(20_000);

const SEED: OptionInfo = seed("genetic-seed");

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "genetic",
    about: "intervals for every attribute, bred (single-dimensional, genetic)",
    family: RecodingModel::SingleDimensional,
    recoding: "global",
    options: Genetic::OPTIONS,
    heeds_levels: false,
    heeds_cuts: true,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

settings! {
    /// A genetic search over cut sets.
    pub struct Genetic {
        /// Where attributes with a hierarchy may be cut.
        cuts: CutFreedom = CUTS,
        /// Attributes with more values are put into so many bins of equally many rows first; 0 for never.
        bins: usize = BINS,
        /// How many divisions are bred from.
        population: usize = POPULATION,
        /// The share of a child's cuts that are flipped.
        mutation: f64 = MUTATION,
        /// How many children to breed; 0 to go on until the control says stop.
        steps: u64 = STEPS,
        /// What the random choices come from.
        seed: u64 = SEED,
    }
}

impl Genetic {
    /// What may be cut.
    fn rules(&self) -> CutRules {
        CutRules { along_tree: self.cuts == CutFreedom::Tree, most_values: self.bins }
    }
}

impl Algorithm for Genetic {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn cut_rules(&self) -> Option<CutRules> {
        Some(self.rules())
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let grid = ProfileGrid::new(problem, self.rules())?;
        let frame = GroupingContext::new(&grid)?;
        let herald = IncumbentReporter::new(control);
        let mut farm = GeneticSearch::new(&frame, self, &herald);
        for line in 0.. {
            farm.settle(line);
            farm.breed();
            if farm.is_over() || farm.nearest.iter().all(|nearest| nearest.open.is_empty()) {
                break;
            }
        }
        let (best, steps) = (farm.best, farm.steps);
        if best.standing.excess > 0 {
            return Ok(nothing_found(problem, best.standing.excess, steps));
        }
        let mut board = GroupingState::new(&frame, frame.collapsed());
        board.go_to(&best.cuts);
        let recoding = board.recoding();
        Ok(Solution::feasible(recoding, steps).stopped_by(control.stop()))
    }
}

/// A string of bits: by axis and position, both ends included.
type Chromosome = Vec<Vec<bool>>;

/// A division and how good it is.
#[derive(Debug, Clone)]
struct ScoredChromosome {
    cuts: Chromosome,
    standing: GroupingScore,
}

struct GeneticSearch<'m, 'f, 'a> {
    method: &'m Genetic,
    herald: &'m IncumbentReporter<'m>,
    nearest: Vec<NearestDivision>,
    boards: Vec<GroupingState<'f, 'a>>,
    /// The best first.
    members: Vec<ScoredChromosome>,
    best: ScoredChromosome,
    chance: SearchRng,
    steps: u64,
}

impl<'m, 'f, 'a> GeneticSearch<'m, 'f, 'a> {
    fn new(
        frame: &'f GroupingContext<'a>,
        method: &'m Genetic,
        herald: &'m IncumbentReporter<'m>,
    ) -> Self {
        let axes = &frame.grid.axes;
        let bare: Chromosome = axes
            .iter()
            .map(|axis| {
                let edge = |at: usize| at == 0 || at == axis.values();
                let made = |at: usize| edge(at) || axis.settled(at) == CutDecision::In;
                (0..=axis.values()).map(made).collect()
            })
            .collect();
        let mut board = GroupingState::new(frame, frame.collapsed());
        board.go_to(&bare);
        let best = ScoredChromosome { cuts: bare, standing: board.standing() };
        if best.standing.excess == 0 {
            herald.improved(best.standing.cost, || board.recoding());
        }
        GeneticSearch {
            method,
            herald,
            nearest: axes.iter().map(NearestDivision::new).collect(),
            boards: (0..BOARDS).map(|_| GroupingState::new(frame, frame.collapsed())).collect(),
            members: Vec::new(),
            best,
            chance: SearchRng::new(method.seed, 0, 0),
            steps: 0,
        }
    }

    /// How many children may still be bred.
    fn left(&self) -> usize {
        let left = |steps: u64| usize::try_from(steps.saturating_sub(self.steps));
        ending(self.method.steps).map_or(usize::MAX, |steps| left(steps).unwrap_or(usize::MAX))
    }

    fn is_over(&self) -> bool {
        self.left() == 0 || self.herald.stop().is_some()
    }

    /// A new population: random divisions with few cuts or many, sometimes the best so far among them.
    fn settle(&mut self, line: u64) {
        self.chance = SearchRng::new(self.method.seed, 1, line);
        self.members.clear();
        if line.is_multiple_of(WITH_BEST) {
            self.members.push(self.best.clone());
        }
        let mut young = Vec::new();
        for _ in 1..self.method.population {
            let mut cuts = self.best.cuts.clone();
            for (made, nearest) in cuts.iter_mut().zip(&self.nearest) {
                let density = self.chance.share() * self.chance.share();
                for &at in &nearest.open {
                    made[at] = self.chance.share() < density;
                }
                nearest.mend(made, None);
            }
            young.push(cuts);
        }
        for batch in young.chunks(BATCH) {
            if self.is_over() {
                return;
            }
            for member in self.price(&batch[..self.left().min(batch.len())]) {
                self.admit(member);
            }
        }
    }

    /// Breeds until nothing better has come for long.
    fn breed(&mut self) {
        let patience = PATIENCE * self.method.population as u64;
        let mut last = self.steps;
        while !self.members.is_empty() && !self.is_over() && self.steps - last < patience {
            let children: Vec<Chromosome> =
                (0..BATCH.min(self.left())).map(|_| self.child()).collect();
            let least = self.members[0].standing;
            for member in self.price(&children) {
                self.admit(member);
            }
            if self.members[0].standing < least {
                last = self.steps;
            }
        }
    }

    /// The child of two members, good ones more likely.
    fn child(&mut self) -> Chromosome {
        let many = self.members.len();
        let mut parent = || {
            let rank = self.chance.share();
            (rank * rank * many as f64) as usize
        };
        let (one, other) = (parent(), parent());
        let mut cuts = self.members[one].cuts.clone();
        let bits: usize = self.nearest.iter().map(|nearest| nearest.open.len()).sum();
        let mut point = self.chance.below(bits.max(1));
        for (axis, nearest) in self.nearest.iter().enumerate() {
            let made = &mut cuts[axis];
            let kept = point.min(nearest.open.len());
            point -= kept;
            for &at in &nearest.open[kept..] {
                made[at] = self.members[other].cuts[axis][at];
            }
            nearest.mend(made, None);
            for &at in &nearest.open {
                if self.chance.share() < self.method.mutation {
                    made[at] = !made[at];
                    if !nearest.mend(made, Some(at)) {
                        made[at] = !made[at];
                    }
                }
            }
        }
        cuts
    }

    /// Prices divisions, each board its part of them.
    fn price(&mut self, young: &[Chromosome]) -> Vec<ScoredChromosome> {
        let share = young.len().div_ceil(BOARDS).max(1);
        let herald = self.herald;
        let priced: Vec<Vec<ScoredChromosome>> = self
            .boards
            .par_iter_mut()
            .zip(young.par_chunks(share))
            .map(|(board, young)| {
                let price = |cuts: &Chromosome| {
                    if herald.stop().is_some() {
                        return None;
                    }
                    herald.worked(1);
                    board.go_to(cuts);
                    let standing = board.standing();
                    if standing.excess == 0 {
                        herald.improved(standing.cost, || board.recoding());
                    }
                    Some(ScoredChromosome { cuts: cuts.clone(), standing })
                };
                young.iter().map_while(price).collect()
            })
            .collect();
        let members: Vec<ScoredChromosome> = priced.into_iter().flatten().collect();
        self.steps += members.len() as u64;
        members
    }

    /// Lets a division in, at its rank, unless it is known or worse than all others; the worst must go.
    fn admit(&mut self, member: ScoredChromosome) {
        let rank = self.members.partition_point(|other| other.standing < member.standing);
        let same = |other: &&ScoredChromosome| other.standing == member.standing;
        let mut equals = self.members[rank..].iter().take_while(same);
        if equals.any(|other| other.cuts == member.cuts) {
            return;
        }
        self.members.insert(rank, member);
        self.members.truncate(self.method.population.max(1));
        if self.members[0].standing < self.best.standing {
            self.best.clone_from(&self.members[0]);
        }
    }
}
