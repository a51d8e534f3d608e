//! Which methods are tried for a problem, in which order, and how hard.
//!
//! Everything here depends on the problem alone, never on the machine: numbers of steps fall as tables grow, so that
//! the work grows no faster than the rows.

use super::release_kind::{ReleaseKind, SearchEffort};
use super::settings::AutoMethod;
use crate::cost::Metric;
use crate::method::{
    Anneal, BestLocal, CellSuppression, Climb, Cluster, ClusterDirection, Datafly, Lattice, Method,
    Mondrian, Optimal, RecodeAndBlank, SplitCriterion,
};
use crate::problem::Problem;
use crate::value::Attribute;

/// Lattices with more nodes are not searched for the best one, unless effort is no matter.
const MOST_NODES: f64 = 1e7;

/// A method to try.
#[derive(Debug, Clone, Copy)]
pub(super) struct MethodCandidate {
    pub(super) method: Method,
    /// What speaks for it, behind its name.
    pub(super) why: &'static str,
    /// How long it takes beside the others.
    pub(super) share: f64,
    /// What of the question or of the search is special.
    pub(super) task: CandidateTask,
}

/// What a candidate is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CandidateTask {
    /// To search as it does.
    Search,
    /// The same, where no row may be suppressed.
    KeepAll,
    /// To improve what others found, with so many looks at a cell.
    Improve(u64),
}

/// The methods to try, in order.
pub(super) struct MethodPlan {
    pub(super) candidates: Vec<MethodCandidate>,
}

impl MethodPlan {
    pub(super) fn new(auto: AutoMethod, problem: &Problem) -> Self {
        let mut plan = MethodPlan { candidates: Vec::new() };
        match auto.kind {
            ReleaseKind::Local => plan.local(auto.effort, problem),
            ReleaseKind::Global => plan.global(auto.effort, problem),
            ReleaseKind::Levels => plan.levels(auto.effort, problem),
            ReleaseKind::Cells => plan.cells(auto.effort, problem),
            ReleaseKind::Mixed => plan.mixed(auto.effort, problem),
        }
        plan
    }

    fn add(&mut self, share: f64, method: impl Into<Method>, why: &'static str) {
        self.add_task(share, method, why, CandidateTask::Search);
    }

    fn add_task(
        &mut self,
        share: f64,
        method: impl Into<Method>,
        why: &'static str,
        task: CandidateTask,
    ) {
        self.candidates.push(MethodCandidate { method: method.into(), why, share, task });
    }

    fn local(&mut self, effort: SearchEffort, problem: &Problem) {
        // The fastest first: there is something to release soon, and nothing worse will be released.
        self.add(1.0, Mondrian::default(), "is fast and holds any number of rows");
        if problem.metric == Metric::Cm && problem.class.is_some() {
            let purity = Mondrian::default().cut(SplitCriterion::Purity);
            self.add(2.0, purity, "keeps the classes of the class column apart");
        }
        if problem.rows > u64::from(u32::MAX) {
            return;
        }
        if effort == SearchEffort::Thorough {
            let penalty = Mondrian::default().cut(SplitCriterion::Penalty);
            self.add(2.0, penalty, "cuts where the least penalty is left");
            if problem.rows <= 100_000 {
                let down = Cluster::default().direction(ClusterDirection::Down);
                self.add(20.0, down, "makes small classes");
            }
        }
        let steps = local_steps(effort, problem);
        self.add(
            5.0 + steps as f64 / 10.0,
            BestLocal::default().steps(steps),
            "puts like rows together and loses least",
        );
    }

    fn global(&mut self, effort: SearchEffort, problem: &Problem) {
        let cells = problem.cells.len().max(1) as u64;
        let climb = Climb::default().steps(climb_steps(effort, cells));
        self.add(1.0, climb, "finds good intervals fast");
        if problem.suppresses_what_may_pass() {
            let why = "finds good intervals fast where every row is kept";
            self.add_task(1.0, climb, why, CandidateTask::KeepAll);
        }
        let has_sets = has_sets(problem);
        // A search over cut sets needs a sum over rows.
        let needs_other = !problem.metric.is_a_sum();
        // Any groups pay off after many steps only, and a step looks at the cells of a value.
        if needs_other || effort == SearchEffort::Thorough && has_sets {
            let steps = match effort {
                SearchEffort::Thorough => (4_000_000_000 / cells).clamp(20_000, 1_000_000),
                _ => (400_000_000 / cells).clamp(2_000, 200_000),
            };
            let why = "puts any values together, not only neighbours";
            self.add(1.0, Anneal::default().steps(steps), why);
        }
        // Requirements that several k only come near are searched for themselves.
        let asks_more = problem.privacy.goes_beyond_classes() || problem.suppresses_what_may_pass();
        if asks_more && !needs_other {
            let looks = match effort {
                SearchEffort::Quick => 2_000_000,
                SearchEffort::Normal => 10_000_000,
                SearchEffort::Thorough => 400_000_000,
            };
            let why = "searches all intervals under the requirements themselves";
            self.add_task(1.0, Optimal::default(), why, CandidateTask::Improve(looks));
        }
    }

    fn levels(&mut self, effort: SearchEffort, problem: &Problem) {
        let nodes = problem.attributes.iter().map(|attribute| f64::from(attribute.levels()) + 1.0);
        if effort != SearchEffort::Thorough && nodes.product::<f64>() > MOST_NODES {
            self.add(1.0, Datafly::default(), "is fast where there are very many levels");
            return;
        }
        self.add(1.0, Lattice::default(), "finds the best levels and proves it");
    }

    fn cells(&mut self, effort: SearchEffort, problem: &Problem) {
        let cells = CellSuppression::default().steps(blanking_steps(effort, problem));
        self.add(1.0, cells, "blanks as few cells as it can");
    }

    fn mixed(&mut self, effort: SearchEffort, problem: &Problem) {
        let cells = problem.cells.len().max(1) as u64;
        // A step looks at the cells once, and again at those that need blanks.
        let steps = match effort {
            SearchEffort::Quick => (20_000_000 / cells).clamp(200, 2_000),
            SearchEffort::Normal => (80_000_000 / cells).clamp(400, 10_000),
            SearchEffort::Thorough => (800_000_000 / cells).clamp(4_000, 100_000),
        };
        let method = RecodeAndBlank::default()
            .steps(steps)
            .climb(climb_steps(effort, cells))
            .blanking(blanking_steps(effort, problem));
        self.add(1.0, method, "recodes columns and blanks what is still rare");
    }
}

/// How many steps climb makes; a step is a pass over the cells.
fn climb_steps(effort: SearchEffort, cells: u64) -> u64 {
    match effort {
        SearchEffort::Quick => (10_000_000 / cells).clamp(100, 1_000),
        SearchEffort::Normal => (60_000_000 / cells).clamp(300, 3_000),
        SearchEffort::Thorough => (600_000_000 / cells).clamp(3_000, 30_000),
    }
}

/// How many moves a search for blanks makes for each row that needs some; a round goes over all rows.
fn blanking_steps(effort: SearchEffort, problem: &Problem) -> u64 {
    let rows = problem.rows.max(1);
    match effort {
        SearchEffort::Quick => (300_000 / rows).clamp(2, 10),
        SearchEffort::Normal => (1_600_000 / rows).clamp(5, 50),
        SearchEffort::Thorough => 1_000,
    }
}

/// Whether a global release may put values together that are no neighbours.
pub(super) fn has_sets(problem: &Problem) -> bool {
    let is_set = |it: &Attribute| it.hierarchy.is_none() && !it.domain.is_numeric();
    problem.attributes.iter().any(is_set)
}

/// How many looks best-local takes for each row.
fn local_steps(effort: SearchEffort, problem: &Problem) -> u64 {
    let rows = problem.rows.max(1);
    // A look goes over all columns: what eight take is the measure.
    let columns = problem.attributes.len().max(8) as u64;
    let (few, normal, many) = match effort {
        SearchEffort::Quick => (200, 100, 100),
        SearchEffort::Normal => (2_000, 1_000, 400),
        SearchEffort::Thorough => (20_000, 10_000, 2_000),
    };
    // Small tables get more, as it takes no time; beyond 100,000 rows each gets less, down to a constant.
    let work = normal * 100_000;
    let steps = (work / rows).clamp(many, normal);
    let steps = steps.max((few * 1_000 / rows).min(few));
    (steps * 8 / columns).max(1)
}
