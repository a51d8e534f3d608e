//! Global recoding, then cell suppression, under one objective.
//!
//! **What it does**: chooses one map for each column, and blanks single cells in what is still rare. Both
//! are chosen together: a cell pays for its group, a blank pays as much as a group of all values, and the sum is
//! minimized. Groups change by annealing, where every candidate is priced with the blanks that a greedy
//! assignment of its rows to patterns takes; the best recodings get the full search for blanks.
//! **Guarantee**: every class passes, and the limit is kept. Never dearer than the blanks that `cells` finds with
//! the same moves and no recoding, nor than the intervals that `climb` finds with the same steps and no blanks:
//! both are among the candidates. The same seed and steps give the same result on any number of threads.
//! **Cost**: a step counts the classes of all cells, and goes over those that are too small once for every mask of
//! blank columns until they are large enough; then as `cells`.
//! **Example**: ages 20, 21, 22, 23 with sex F, F, F, M and k = 2 become [20-21], [20-21], [22-23], [22-23],
//! the sex of the last two blank.
//! **Reference**: what statistical offices do in two steps, with mu-Argus (Hundepool and Willenborg) and sdcMicro
//! (Templ, Kowarik and Meindl, 2015); the joint search is this engine's own.

mod anneal;
mod blanked;
mod estimate;
mod shapes;

use rayon::prelude::*;

use self::anneal::{AnnealedRecoding, RecodingChain};
use self::blanked::{MixedRelease, RecodedTable};
use self::estimate::{BlankingEstimate, ColumnPrices, RecodingState};
use self::shapes::ValueShapes;
use super::algorithm::{Algorithm, MethodInfo};
use super::options::{OptionInfo, OptionValues};
use super::recoding_model::RecodingModel;
use super::settings::{BINS, CUTS, CutFreedom, NODES, seed, settings, steps};
use crate::kit::{Result, SearchRng, words};
use crate::problem::{Limit, Problem};
use crate::recoding::{GlobalRecoding, Recoding};
use crate::search::{Control, Event, IncumbentReporter, Outcome, Solution};
use crate::space::blanking::{
    BlankingBudget, BlankingContext, BlankingPlan, check_width, hopeless,
};
use crate::space::cuts::{
    ClimbBudget, ClimbIncumbent, CutRules, CutSpace, ProfileGrid, ProgressObserver, climb,
};
use crate::value::{Attribute, Group};

const STEPS: OptionInfo = steps(3_000);

const CLIMB: OptionInfo = OptionInfo {
    name: "climb",
    values: OptionValues::Number { default: 2_000, least: 1, most: 1_000_000_000, off: None },
    about: "how many steps climb makes for the intervals that the search starts from",
};

const BLANKING: OptionInfo = OptionInfo {
    name: "blanking",
    values: OptionValues::Number { default: 50, least: 0, most: 1_000_000, off: None },
    about: "how many moves to try for each row that needs blanks, in the best recodings",
};

const CHAINS: OptionInfo = OptionInfo {
    name: "chains",
    values: OptionValues::Number { default: 4, least: 1, most: 64, off: None },
    about: "how many annealing chains share the steps; half of them start without a recoding",
};

const SEED: OptionInfo = seed("recode-seed");

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "recode-and-blank",
    about: "the same groups in every row, and blanks where they lose less (global recoding, cell suppression)",
    family: RecodingModel::RecodingWithBlanks,
    recoding: "mixed",
    options: RecodeAndBlank::OPTIONS,
    heeds_levels: false,
    heeds_cuts: true,
    heeds_wildcards: true,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

settings! {
    /// Global recoding, then cell suppression, under one objective.
    pub struct RecodeAndBlank {
        /// Where attributes with a hierarchy may be cut.
        cuts: CutFreedom = CUTS,
        /// Attributes with more values are put into so many bins of equally many rows first; 0 for never.
        bins: usize = BINS,
        /// How many annealing chains share the steps.
        chains: u64 = CHAINS,
        /// How many recodings to look at; 0 to go on until the control says stop.
        steps: u64 = STEPS,
        /// How many steps climb makes for a start.
        climb: u64 = CLIMB,
        /// Moves for each row that needs blanks.
        blanking: u64 = BLANKING,
        /// The most nodes of a proof that no fewer blanks do without a recoding; 0 for none.
        nodes: u64 = NODES,
        /// What the random choices come from.
        seed: u64 = SEED,
    }
}

/// A search for blanks in a recoding that may turn out not to be the best gets so many times fewer moves.
const FIRST_LOOK: u64 = 5;

/// The shares of the whole search that its parts take, for reports of progress: after climbing, after annealing.
const PARTS: (f64, f64) = (0.15, 0.7);

/// A recoding without a limit on steps is searched in rounds of so many.
const ROUND: u64 = 2_000;

impl RecodeAndBlank {
    /// What may be cut.
    fn rules(&self) -> CutRules {
        CutRules { along_tree: self.cuts == CutFreedom::Tree, most_values: self.bins }
    }

    fn plan(&self, blanking: u64, nodes: u64) -> BlankingPlan {
        let budget = BlankingBudget { steps: blanking, seed: self.seed, balance: false };
        BlankingPlan { budget, nodes }
    }

    /// The intervals that lose least without blanks; none if nothing keeps to the limit.
    fn climbed(&self, problem: &Problem, control: &Control) -> Result<Option<GlobalRecoding>> {
        // Where a class that fails can have parts that pass, searches over cut sets must not suppress any.
        let unsuppressed = problem.privacy.failing_class_may_have_passing_parts();
        let limited = match unsuppressed {
            true => Some(problem.clone().with_limit(Limit::Rows(0))?),
            false => None,
        };
        let space = CutSpace::new(limited.as_ref().unwrap_or(problem), self.rules())?;
        let effort = ClimbBudget { steps: Some(self.climb), seed: self.seed };
        let found = climb(&space, &[], effort, control, &SilentObserver);
        Ok(found.and_then(|(found, _)| match space.recoding(&found.cuts) {
            Recoding::Global(global) => Some(global),
            _ => None,
        }))
    }

    /// The best recodings of each chain, by an estimate of their blanks.
    fn annealed(
        &self,
        estimate: &BlankingEstimate<'_>,
        shapes: &ValueShapes,
        starts: &[RecodingState],
        control: &Control,
    ) -> (Vec<AnnealedRecoding>, u64) {
        let herald = IncumbentReporter::new(control);
        let (mut made, mut best): (u64, Vec<AnnealedRecoding>) = (0, Vec::new());
        for round in 0.. {
            let left = match self.steps {
                0 => ROUND * self.chains,
                steps => steps - made,
            };
            let chains = self.chains.min(left);
            let found: Vec<AnnealedRecoding> = (0..chains as usize)
                .into_par_iter()
                .with_max_len(1)
                .map(|at| {
                    let chain = at as u64;
                    let share = left / chains + u64::from(chain < left % chains);
                    let start = match best.get(at) {
                        Some(known) => known.state.clone(),
                        None => starts[at % starts.len()].clone(),
                    };
                    let chance = SearchRng::new(self.seed, round, chain);
                    RecodingChain::new(estimate, shapes, start, chance, &herald).run(share)
                })
                .collect();
            made += found.iter().map(|chain| chain.steps).sum::<u64>();
            best = found;
            if (self.steps > 0 && made >= self.steps) || control.stop().is_some() {
                break;
            }
            if best.iter().all(|chain| chain.steps == 0) {
                break;
            }
        }
        (best, made)
    }

    fn notes(problem: &Problem) -> Vec<String> {
        let mut notes = Vec::new();
        if !ColumnPrices::are_of(problem.metric) {
            notes.push(format!(
                "recode-and-blank minimizes what its labels leave open; {} counts other losses, too",
                problem.metric.name()
            ));
        }
        if !problem.privacy.is_by_size() {
            let mut models: Vec<&str> =
                problem.privacy.requirements.iter().map(|asked| asked.model.name()).collect();
            models.dedup();
            notes.push(format!(
                "recode-and-blank searches for k alone and then joins classes that fail {}",
                words::list(&models)
            ));
        }
        notes
    }
}

impl Algorithm for RecodeAndBlank {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn cut_rules(&self) -> Option<CutRules> {
        Some(self.rules())
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        check_width(INFO.name, problem)?;
        if let Some(solution) = whole_failing(problem) {
            return Ok(solution);
        }
        let prices = ColumnPrices::new(problem);
        // Every release that is better than all before is told once it is made: estimates are not releases.
        let told = IncumbentReporter::new(control);
        let quiet = control.silent();
        let mut best: Option<MixedRelease> = None;
        let mut keep = |found: Option<MixedRelease>| {
            let Some(found) = found else { return };
            if best.as_ref().is_none_or(|best| found.cost < best.cost) {
                told.improved(prices.told(found.cost), || Recoding::Mixed(found.boxes.clone()));
                best = Some(found);
            }
        };
        let climbed = self.climbed(problem, &quiet)?;
        if let Some(recoding) = &climbed {
            keep(RecodedTable::new(problem, &prices, recoding).unblanked());
        }
        control.tell(Event::Progress(PARTS.0));

        let grid = ProfileGrid::new(problem, self.rules())?;
        let estimate = BlankingEstimate::new(&grid, &prices);
        let mut starts: Vec<RecodingState> = Vec::new();
        starts.extend(climbed.as_ref().map(|recoding| RecodingState::of(&estimate, recoding)));
        let shapes = ValueShapes::new(&grid);
        starts.push(RecodingState::separate(&estimate, &shapes));
        let annealing = control.heard_through(|event| match event {
            Event::Nodes(_) => Some(event.clone()),
            _ => None,
        });
        let (chains, steps) = self.annealed(&estimate, &shapes, &starts, &annealing);
        control.tell(Event::Progress(PARTS.1));

        // What was not recoded gets all the moves at once: it must not be worse than cells.
        let as_it_is = GlobalRecoding::new(&problem.attributes, |at, code| {
            alone(&problem.attributes[at], code)
        });
        let mut recodings: Vec<GlobalRecoding> =
            chains.iter().map(|chain| chain.state.recoding(&estimate)).collect();
        recodings.extend(climbed);
        let look = self.plan(self.blanking.div_ceil(FIRST_LOOK), 0);
        let mut looks: Vec<(f64, usize)> = Vec::new();
        let mut nodes = steps;
        let looked: Vec<Option<MixedRelease>> = (0..recodings.len() + 1)
            .into_par_iter()
            .with_max_len(1)
            .map(|at| match recodings.get(at) {
                Some(recoding) => {
                    RecodedTable::new(problem, &prices, recoding).blanked(&look, &quiet)
                }
                None => {
                    let table = RecodedTable::new(problem, &prices, &as_it_is);
                    table.blanked(&self.plan(self.blanking, self.nodes), &quiet)
                }
            })
            .collect();
        for (at, found) in looked.into_iter().enumerate() {
            if let Some(found) = &found {
                nodes += found.nodes;
                looks.push((found.cost, at));
            }
            keep(found);
        }
        looks.retain(|&(_, at)| at < recodings.len());
        looks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if let Some(&(_, at)) = looks.first()
            && control.stop().is_none()
        {
            let table = RecodedTable::new(problem, &prices, &recodings[at]);
            let found = table.blanked(&self.plan(self.blanking, 0), &quiet);
            nodes += found.as_ref().map_or(0, |found| found.nodes);
            keep(found);
        }
        control.tell(Event::Progress(1.0));
        let Some(best) = best else {
            let limit = problem.limit.rows(problem.rows, problem.rows);
            let limit = words::thousands(limit);
            let why = format!("every recoding leaves more rows than the {limit} of the limit");
            return Ok(Solution::infeasible(why, nodes));
        };
        let mut solution = Solution::feasible(Recoding::Mixed(best.boxes), nodes);
        solution = solution.stopped_by(control.stop());
        solution.notes.extend(Self::notes(problem));
        Ok(solution)
    }
}

/// The answer where even all rows together fail: no release, or one without rows.
fn whole_failing(problem: &Problem) -> Option<Solution> {
    let mut context = BlankingContext::new(problem);
    context.limit = problem.limit.rows(problem.rows, problem.rows) as usize;
    let solution = hopeless(&context)?;
    Some(match solution.outcome {
        Outcome::Feasible { recoding: Recoding::Cellwise(none), .. } => {
            Solution::feasible(Recoding::Mixed(none), 1)
        }
        _ => solution,
    })
}

/// The group of a value that is put together with no other, unless it must not be cut from its neighbours.
fn alone(attribute: &Attribute, code: u32) -> Group {
    let joined = |code: u32| attribute.cuts.contains(&(code, false));
    let first = (0..=code).rev().find(|&code| !joined(code)).unwrap_or(0);
    let next = (code + 1..attribute.domain.len() as u32).find(|&code| !joined(code));
    let end = next.unwrap_or(attribute.domain.len() as u32);
    attribute.group(&(first..end).collect::<Vec<u32>>())
}

/// Nobody is told of the climb: what it finds is told when it is made a release.
struct SilentObserver;

impl ProgressObserver for SilentObserver {
    fn improved(&self, _: &ClimbIncumbent) {}
    fn worked(&self, _: u64) {}
}
