//! From a context to a solution: search, proof, and what is known of the cost.

use super::balance::BlankBalance;
use super::context::{BlankingContext, RowGrouping};
use super::patterns::SuppressionPatterns;
use super::proof::prove;
use super::search::{BlankingBudget, BlankingSearch};
use crate::kit::{Error, Result, words};
use crate::problem::Problem;
use crate::search::{Control, Event, Solution, StopReason};

/// Refuses a table that is too wide for a mask of its columns.
pub(crate) fn check_width(method: &str, problem: &Problem) -> Result<()> {
    if problem.attributes.len() <= 64 {
        return Ok(());
    }
    Err(Error::new(format!("{method} takes at most 64 quasi-identifiers"))
        .help("name fewer of them, or choose best-local"))
}

/// How much work a solution is worth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlankingPlan {
    pub(crate) budget: BlankingBudget,
    /// The most nodes of a proof.
    pub(crate) nodes: u64,
}

/// Groups and what is known of them.
pub(crate) struct BlankingResult {
    pub(crate) grouping: RowGrouping,
    /// What the blanks cost, by weight.
    pub(crate) cost: f64,
    /// No grouping costs less.
    pub(crate) bound: Option<f64>,
    /// Whether nothing better exists.
    pub(crate) proven: bool,
    pub(crate) nodes: u64,
    pub(crate) stopped: Option<StopReason>,
}

/// The best groups that a search and, for a small table, a proof find; from groups already known, or from
/// none.
pub(crate) fn improve(
    ground: &BlankingContext<'_>,
    patterns: &SuppressionPatterns,
    plan: &BlankingPlan,
    start: Option<&RowGrouping>,
    control: &Control,
) -> BlankingResult {
    let bound = patterns.bound(ground);
    if let Some((bound, unit)) = bound.zip(ground.unit) {
        control.tell(Event::Bound(bound * unit));
    }
    let (mut grouping, _, search) =
        BlankingSearch::new(ground, patterns, plan.budget, control, start).run();
    let (mut nodes, mut stopped) = (search.moves, search.stopped);
    let mut proven = false;
    if stopped.is_none()
        && let Some(proof) = prove(ground, &grouping, plan.budget.balance, plan.nodes, control)
    {
        grouping = proof.grouping;
        nodes += proof.nodes;
        proven = proof.proven;
        stopped = proof.stopped;
    }
    ground.mend(&mut grouping);
    let cost = ground.cost(&grouping);
    let meets = bound.is_some_and(|bound| cost <= bound + 1e-9 * (1.0 + cost));
    let even = || {
        let least = BlankBalance::least(&ground.weights, ground.problem.rows, cost);
        BlankBalance::of(ground, &grouping) <= least
    };
    proven |= meets && (!plan.budget.balance || even());
    let bound = if proven { Some(cost) } else { bound };
    BlankingResult { grouping, cost, bound, proven, nodes, stopped }
}

/// Why there is no solution, if there is none whatever the groups: a solution that says so, or one that
/// suppresses all rows where that is allowed.
pub(crate) fn hopeless(ground: &BlankingContext<'_>) -> Option<Solution> {
    let problem = ground.problem;
    let complaint = problem.privacy.complaint(&problem.whole())?;
    if ground.limit as u64 == problem.rows {
        let all = RowGrouping { groups: Vec::new(), out: (0..ground.len() as u32).collect() };
        return Some(Solution::feasible(ground.recoding(&all), 1));
    }
    let why = format!("even the whole table as one class fails {complaint}");
    Some(Solution::infeasible(why, 1))
}

/// The solution that groups are, for a method of this name.
pub(crate) fn solution(
    method: &str,
    ground: &BlankingContext<'_>,
    found: &BlankingResult,
) -> Solution {
    let solution = Solution::feasible(ground.recoding(&found.grouping), found.nodes);
    // What is proven of blanks is proven of a metric that charges for nothing else.
    let bound = found.bound.zip(ground.unit).map(|(bound, unit)| bound * unit);
    let mut solution = if found.proven && bound.is_some() {
        solution.proven()
    } else {
        solution.with_bound(bound).stopped_by(found.stopped)
    };
    if ground.unit.is_none() {
        let proven = if found.proven { ", which are proven fewest" } else { "" };
        solution.notes.push(format!(
            "{method} minimizes blanked cells{proven}; {} counts other losses, too",
            ground.problem.metric.name()
        ));
    }
    if !ground.problem.privacy.is_by_size() {
        solution.notes.push(format!(
            "{method} searches for k alone and then joins classes that fail {}",
            words::list(&models(ground))
        ));
    }
    solution
}

fn models(ground: &BlankingContext<'_>) -> Vec<&'static str> {
    let mut names: Vec<&str> = ground
        .problem
        .privacy
        .requirements
        .iter()
        .map(|requirement| requirement.model.name())
        .collect();
    names.dedup();
    names
}
