//! Which methods are tried for a problem, in which order, and how hard.
//!
//! Everything here depends on the problem alone, never on the machine: numbers of steps fall as tables grow, so that
//! the work grows no faster than the rows.

use super::release_kind::{ReleaseKind, SearchEffort};
use super::settings::AutoMethod;
use crate::cost::Metric;
use crate::method::{
    Anneal, BestLocal, CellSuppression, Climb, Cluster, ClusterDirection, Datafly, LabelPricing,
    Lattice, Method, Mondrian, SplitCriterion,
};
use crate::problem::Problem;

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
        }
        plan
    }

    fn add(&mut self, share: f64, method: impl Into<Method>, why: &'static str) {
        self.candidates.push(MethodCandidate { method: method.into(), why, share });
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
        let labels = match problem.metric {
            Metric::Ncp => LabelPricing::Printed,
            _ => LabelPricing::Meant,
        };
        self.add(
            5.0 + steps as f64 / 10.0,
            BestLocal::default().steps(steps).labels(labels),
            "puts like rows together and loses least",
        );
    }

    fn global(&mut self, effort: SearchEffort, problem: &Problem) {
        let cells = problem.cells.len().max(1) as u64;
        // A step of climb is a pass over the cells.
        let steps = match effort {
            SearchEffort::Quick => (10_000_000 / cells).clamp(100, 1_000),
            SearchEffort::Normal => (60_000_000 / cells).clamp(300, 3_000),
            SearchEffort::Thorough => (600_000_000 / cells).clamp(3_000, 30_000),
        };
        self.add(1.0, Climb::default().steps(steps), "finds good intervals fast");
        let has_sets = problem
            .attributes
            .iter()
            .any(|attribute| attribute.hierarchy.is_none() && !attribute.domain.is_numeric());
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
        // A step goes over all rows.
        let rows = problem.rows.max(1);
        let steps = match effort {
            SearchEffort::Quick => (300_000 / rows).clamp(2, 10),
            SearchEffort::Normal => (1_600_000 / rows).clamp(5, 50),
            SearchEffort::Thorough => 1_000,
        };
        let cells = CellSuppression::default().steps(steps);
        self.add(1.0, cells, "blanks as few cells as it can");
    }
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
