//! Simulated annealing over groups of values.
//!
//! **What it does**: puts the values of every attribute into groups, which need not be intervals: `{25, 31}`.
//! It goes through the attributes in turn and moves a value into another group or out of its group. What
//! costs less is kept, what costs more only by chance, and ever more seldom. Several chains run side by
//! side, the best grouping of all is released.
//! **Guarantee**: k-anonymous (and every other model asked for) and within the limit; no promise about
//! cost. The same seed and steps give the same result on any number of threads.
//! **Cost**: a step looks at the cells that carry the values it moves, and at their classes.
//! **Example**: the Adult census data by classification, k = 250: 5,353, where the least cost of all
//! divisions into intervals is 5,422.
//! **Reference**: Winkler, *Using Simulated Annealing for k-anonymity* (2002).

mod chain;
mod moves;

use rayon::prelude::*;

use self::chain::{AnnealingChain, ChainResult, ChainSchedule};
use self::moves::GroupShapes;
use super::algorithm::{Algorithm, MethodInfo};
use super::options::{OptionInfo, OptionValues};
use super::recoding_model::RecodingModel;
use super::settings::{BINS, NamedChoice, ending, seed, settings, steps};
use crate::kit::Result;
use crate::problem::Problem;
use crate::search::{Control, IncumbentReporter, Solution};
use crate::space::cuts::{CutRules, ProfileGrid};
use crate::space::grouping::{GroupingContext, nothing_found};

/// The first of several rounds gives each chain so many steps, every later one twice as many as the one
/// before.
const FIRST_ROUND: u64 = 10_000;

const GROUPS: OptionInfo = OptionInfo {
    name: "groups",
    values: OptionValues::Words(AllowedGroups::NAMES),
    about: "put any values together, only neighbours, or only those below a node of the hierarchy",
};

const CHAINS: OptionInfo = OptionInfo {
    name: "chains",
    values: OptionValues::Number { default: 2, least: 1, most: 64, off: None },
    about: "how many chains share the steps",
};

const HOT: OptionInfo = OptionInfo {
    name: "hot",
    values: OptionValues::Share { default: 0.15 },
    about: "the temperature at first, as a share of what a typical worse move costs",
};

const COLD: OptionInfo = OptionInfo {
    name: "cold",
    values: OptionValues::Share { default: 0.1 },
    about: "the temperature in the end, as a share of that at first",
};

const STEPS: OptionInfo = steps(200_000);

const SEED: OptionInfo = seed("anneal-seed");

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "anneal",
    about: "any groups of values for every attribute (single-dimensional, simulated annealing)",
    family: RecodingModel::SingleDimensional,
    recoding: "global",
    options: Anneal::OPTIONS,
    heeds_levels: false,
    heeds_cuts: true,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

/// Which values may be put together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AllowedGroups {
    /// Any.
    #[default]
    Any,
    /// Neighbours.
    Intervals,
    /// Those below a node of the hierarchy; neighbours where there is none.
    Tree,
}

impl NamedChoice for AllowedGroups {
    const NAMES: &'static [&'static str] = &["any", "intervals", "tree"];
    const CHOICES: &'static [Self] =
        &[AllowedGroups::Any, AllowedGroups::Intervals, AllowedGroups::Tree];
}

settings! {
    /// Simulated annealing over groups of values.
    pub struct Anneal {
        /// Which values may be put together.
        groups: AllowedGroups = GROUPS,
        /// Attributes with more values are put into so many bins of equally many rows first; 0 for never.
        bins: usize = BINS,
        /// How many chains share the steps.
        chains: u64 = CHAINS,
        /// The temperature at first, as a share of what a typical worse move costs.
        hot: f64 = HOT,
        /// The temperature in the end, as a share of that at first.
        cold: f64 = COLD,
        /// How many steps to make; 0 to go on until the control says stop.
        steps: u64 = STEPS,
        /// What the random choices come from.
        seed: u64 = SEED,
    }
}

impl Anneal {
    /// What may be cut, where only neighbours are put together.
    fn rules(&self) -> CutRules {
        CutRules { along_tree: self.groups == AllowedGroups::Tree, most_values: self.bins }
    }

    /// How many steps each chain makes in a round, when so many are left in all.
    fn round_steps(&self, round: u64, left: Option<u64>) -> u64 {
        match left {
            // A known number of steps is best spent on one slow cooling.
            Some(left) => (left / self.chains.max(1)).max(1),
            None => FIRST_ROUND << round.min(30),
        }
    }
}

impl Algorithm for Anneal {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn cut_rules(&self) -> Option<CutRules> {
        Some(self.rules())
    }

    fn heeds_cuts(&self) -> bool {
        self.groups != AllowedGroups::Any
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let grid = ProfileGrid::new(problem, self.rules())?;
        let frame = GroupingContext::new(&grid)?;
        let shapes = GroupShapes::new(&frame, self.groups);
        let herald = IncumbentReporter::new(control);
        let mut best = ChainResult::start(&frame, &shapes);
        if best.standing.excess == 0 {
            herald.improved(best.standing.cost, || frame.recoding(&best.groups));
        }
        let steps = ending(self.steps);
        let mut made = 0;
        for round in 0.. {
            let left = steps.map(|steps| steps.saturating_sub(made));
            let chains = left.map_or(self.chains, |left| left.min(self.chains));
            let schedule = ChainSchedule {
                steps: self.round_steps(round, left),
                hot: self.hot,
                cold: self.cold,
            };
            let trips: Vec<ChainResult> = (0..chains as usize)
                .into_par_iter()
                .with_max_len(1)
                .map(|chain| {
                    let chance = crate::kit::SearchRng::new(self.seed, round, chain as u64);
                    AnnealingChain::new(&frame, &shapes, &best, chance, &herald).run(&schedule)
                })
                .collect();
            let before = made;
            for trip in trips {
                made += trip.steps;
                if trip.standing < best.standing {
                    best = trip;
                }
            }
            let done = steps.is_some_and(|steps| made >= steps);
            if done || made == before || control.stop().is_some() {
                break;
            }
        }
        if best.standing.excess > 0 {
            return Ok(nothing_found(problem, best.standing.excess, made));
        }
        let recoding = frame.recoding(&best.groups);
        let mut solution = Solution::feasible(recoding, made).stopped_by(control.stop());
        solution.notes.extend(shapes.notes(problem));
        Ok(solution)
    }
}
