//! Local search over cut sets.
//!
//! **What it does**: divides every attribute into intervals and improves that step by step: a step is the
//! exact best division of one attribute while the others stay. It starts often, and where no step helps
//! it takes detours. `moves=two-phase` makes single cuts instead, as the paper does: drop the cut whose
//! loss helps most until none does, add likewise, and so on until neither helps; then start anew.
//! **Guarantee**: k-anonymous (and every other model asked for) and within the limit; no promise about
//! cost, though it is often the least there is. The same seed and steps give the same result on any
//! number of threads.
//! **Cost**: a step takes one pass over the cells, and as many sums as there are pairs of cells that differ
//! in that attribute only. A single cut takes a look at the cells that change their interval.
//! **Example**: the Adult census data by discernibility, five-year ages, k = 50: 9,466,920, the least cost
//! of all, in half a second.
//! **Reference**: Bayardo and Agrawal, *Data Privacy through Optimal k-Anonymization* (2005), section 7.3;
//! iterated local search: Lourenço, Martin and Stützle (2003).

mod two_phase;

use super::algorithm::{Algorithm, MethodInfo};
use super::options::{OptionInfo, OptionValues};
use super::recoding_model::RecodingModel;
use super::settings::{BINS, CUTS, CutFreedom, NamedChoice, ending, seed, settings, steps};
use crate::kit::Result;
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::search::{Control, IncumbentReporter, Solution};
use crate::space::cuts::{
    ClimbBudget, ClimbIncumbent, CutRules, CutSpace, ProgressObserver, climb,
};

const MOVES: OptionInfo = OptionInfo {
    name: "moves",
    values: OptionValues::Words(ClimbStrategy::NAMES),
    about: "divide one attribute as well as can be at a time, or drop and add single cuts",
};

/// The default is enough for the best cut sets of the Adult census data, nearly always, in one or two seconds.
const STEPS: OptionInfo = steps(10_000);

const SEED: OptionInfo = seed("climb-seed");

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "climb",
    about: "good intervals for every attribute, fast (single-dimensional, local search)",
    family: RecodingModel::SingleDimensional,
    recoding: "global",
    options: Climb::OPTIONS,
    heeds_levels: false,
    heeds_cuts: true,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

/// How a climb moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClimbStrategy {
    /// By the best division of one attribute.
    #[default]
    Exact,
    /// By single cuts, dropped and added in turn.
    TwoPhase,
}

impl NamedChoice for ClimbStrategy {
    const NAMES: &'static [&'static str] = &["exact", "two-phase"];
    const CHOICES: &'static [Self] = &[ClimbStrategy::Exact, ClimbStrategy::TwoPhase];
}

settings! {
    /// Local search over cut sets: improves the intervals of one attribute at a time.
    pub struct Climb {
        /// Where attributes with a hierarchy may be cut.
        cuts: CutFreedom = CUTS,
        /// Attributes with more values are put into so many bins of equally many rows first; 0 for never.
        bins: usize = BINS,
        /// How it moves.
        moves: ClimbStrategy = MOVES,
        /// How many steps to make; 0 to go on until the control says stop.
        steps: u64 = STEPS,
        /// What the random choices come from.
        seed: u64 = SEED,
    }
}

impl Climb {
    /// What may be cut.
    fn rules(&self) -> CutRules {
        CutRules { along_tree: self.cuts == CutFreedom::Tree, most_values: self.bins }
    }
}

impl Algorithm for Climb {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn cut_rules(&self) -> Option<CutRules> {
        Some(self.rules())
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let space = CutSpace::new(problem, self.rules())?;
        let steps = ending(self.steps);
        let herald = IncumbentReporter::new(control);
        let found: Option<(Recoding, u64)> = match self.moves {
            ClimbStrategy::Exact => {
                let hear = ClimbReporter { herald: &herald, space: &space };
                let effort = ClimbBudget { steps, seed: self.seed };
                climb(&space, &[], effort, control, &hear)
                    .map(|(found, steps)| (space.recoding(&found.cuts), steps))
            }
            ClimbStrategy::TwoPhase => two_phase::climb(&space, steps, self.seed, &herald)?,
        };
        let Some((recoding, steps)) = found else { return Ok(space.infeasible(1)) };
        Ok(Solution::feasible(recoding, steps).stopped_by(control.stop()))
    }
}

struct ClimbReporter<'e> {
    herald: &'e IncumbentReporter<'e>,
    space: &'e CutSpace<'e>,
}

impl ProgressObserver for ClimbReporter<'_> {
    fn improved(&self, climbed: &ClimbIncumbent) {
        let cost = self.space.price.shown(climbed.priced.cost);
        self.herald.improved(cost, || self.space.recoding(&climbed.cuts));
    }

    fn worked(&self, steps: u64) {
        self.herald.worked(steps);
    }
}
