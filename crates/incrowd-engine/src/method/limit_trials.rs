//! Releases in which suppression moves the share of no category far.
//!
//! No method has the shares of categories in view. But no share moves by more than the share of suppressed rows
//! ([`share_shift`](crate::release::share_shift)), so a limit on suppressed rows of that share is sufficient, and a larger one
//! costs no more. So the method is run under several limits between the two, and the cheapest release is kept that meets
//! what is asked for. What is proven for the largest limit bounds all of them.

use crate::kit::{Result, words};
use crate::problem::{Limit, Problem};
use crate::release::{Release, ShareShift, SuppressionMode};
use crate::search::{Control, Event, Outcome, Solution};

/// So many limits are tried at most.
const MOST: usize = 6;

/// What a limit led to.
struct LimitTrial {
    limit: u64,
    suppressed: u64,
    cost: f64,
    /// The share that moves most, if it moves too far.
    beyond: Option<ShareShift>,
    solution: Solution,
}

/// The best release within the limit on bias, by a search that knows nothing of it.
pub(crate) fn solve(
    problem: &Problem,
    control: &Control,
    search: impl Fn(&Problem, &Control) -> Result<Solution>,
) -> Result<Solution> {
    let inner = problem.clone().without_bias_limit();
    let Some(most) = problem.max_bias else { return search(&inner, control) };
    let enough = Limit::Share(most).rows(problem.rows, problem.rows);
    if problem.limit.rows(problem.rows, problem.rows) <= enough {
        return search(&inner, control);
    }
    let mut trials =
        LimitTrials { most, nodes: 0, searches: 0, barren: 0, nothing: None, tried: Vec::new() };
    // The limit that is sufficient comes first: a release is there should the time be up.
    trials.add(&inner, Some(enough), control, &search)?;
    let mut bound = None;
    if control.stop().is_none() {
        bound = trials.add(&inner, None, control, &search)?;
        while let Some(limit) = trials.next(enough) {
            if control.stop().is_some() {
                break;
            }
            trials.add(&inner, Some(limit), control, &search)?;
        }
    }
    let solution = trials.best(bound)?;
    Ok(match control.stop() {
        None => solution,
        stopped => solution.stopped_by(stopped),
    })
}

struct LimitTrials {
    most: f64,
    nodes: u64,
    /// How often the method was run.
    searches: usize,
    /// The largest limit under which nothing was found.
    barren: u64,
    /// A search that found nothing.
    nothing: Option<Result<Solution>>,
    tried: Vec<LimitTrial>,
}

impl LimitTrials {
    /// Searches under a limit, or that of the question; returns what is proven of all releases.
    fn add(
        &mut self,
        problem: &Problem,
        limit: Option<u64>,
        control: &Control,
        search: &impl Fn(&Problem, &Control) -> Result<Solution>,
    ) -> Result<Option<f64>> {
        let limited = match limit {
            Some(limit) => problem.clone().with_limit(Limit::Rows(limit))?,
            None => problem.clone(),
        };
        let part = self.searches as f64 / MOST as f64;
        self.searches += 1;
        let limit = limit.unwrap_or(problem.rows);
        let quiet = control.heard_through(move |event| match event {
            Event::Bound(_) | Event::Improved { .. } => None,
            Event::Progress(done) => Some(Event::Progress(part + done / MOST as f64)),
            other => Some(other.clone()),
        });
        let solution = match search(&limited, &quiet) {
            Ok(solution) => solution,
            Err(error) => {
                self.barren = self.barren.max(limit);
                self.nothing = Some(Err(error));
                return Ok(None);
            }
        };
        self.nodes += solution.nodes;
        let Some(release) = Release::of_solution(&limited, &solution, SuppressionMode::Drop) else {
            self.barren = self.barren.max(limit);
            self.nothing = Some(Ok(solution));
            return Ok(None);
        };
        let cost = release.measures.cost(problem.metric);
        let bound = if solution.outcome.is_optimal() { cost } else { solution.outcome.bound() };
        let lost = release.lost(problem);
        let shift = lost.largest_shift(problem);
        let beyond = match lost.dropped < problem.rows {
            true => shift.filter(|shift| !shift.is_within(self.most)),
            // No share is left of no rows.
            false => Some(ShareShift { column: String::new(), size: 1.0 }),
        };
        let cost = cost.unwrap_or(f64::INFINITY);
        if beyond.is_none() {
            control.tell(Event::Improved { cost, incumbent: None });
        }
        self.tried.push(LimitTrial { limit, suppressed: lost.dropped, cost, beyond, solution });
        Ok(bound)
    }

    /// The limit to try next: in the middle between the largest that led to a release within the limit on bias, or to none,
    /// and the fewest rows that a release beyond it suppresses.
    fn next(&self, enough: u64) -> Option<u64> {
        let met = self.tried.iter().filter(|trial| trial.beyond.is_none()).map(|it| it.limit);
        let met = met.max().unwrap_or(0).max(enough).max(self.barren);
        let missed = self.tried.iter().filter(|trial| trial.beyond.is_some());
        let missed = missed.map(|trial| trial.suppressed.min(trial.limit)).min()?;
        (self.searches < MOST && missed > met + 1).then(|| met + (missed - met) / 2)
    }

    /// The cheapest release that meets what is asked for; of equals that which suppresses least.
    fn best(self, bound: Option<f64>) -> Result<Solution> {
        let LimitTrials { most, nodes, nothing, mut tried, .. } = self;
        let sizes: Vec<String> =
            tried.iter().map(|trial| words::thousands(trial.suppressed)).collect();
        let closest = tried.iter().filter_map(|trial| trial.beyond.clone());
        let closest = closest.min_by(|one, other| one.size.total_cmp(&other.size));
        tried.retain(|trial| trial.beyond.is_none());
        let best = tried.into_iter().min_by(|one, other| {
            one.cost.total_cmp(&other.cost).then(one.suppressed.cmp(&other.suppressed))
        });
        let Some(LimitTrial { cost, suppressed, mut solution, .. }) = best else {
            let Some(closest) = closest.filter(|it| !it.column.is_empty()) else {
                return nothing.unwrap_or_else(|| {
                    Ok(Solution::infeasible("no row is left within the limit on bias", nodes))
                });
            };
            return Ok(Solution::infeasible(
                format!(
                    "suppression moves the share of a category of `{}` by {:.2} points, and {:.2} are \
                     allowed; allow more bias, or choose a smaller k",
                    closest.column,
                    100.0 * closest.size,
                    100.0 * most
                ),
                nodes,
            ));
        };
        solution.nodes = nodes;
        let optimal = solution.outcome.is_optimal() && bound.is_some_and(|bound| cost <= bound);
        if !optimal {
            solution.outcome = match solution.outcome {
                Outcome::Optimal(recoding) | Outcome::Feasible { recoding, .. } => {
                    Outcome::Feasible { recoding, bound: None }
                }
                other => other,
            };
            // Rounding must not put a bound above what it bounds.
            solution = solution.with_bound(bound.map(|bound| bound.min(cost)));
        }
        if sizes.len() > 1 {
            solution.notes.push(format!(
                "made with {} suppressed, which costs least within the limit on bias among {}",
                words::count(suppressed, "row", "rows"),
                sizes.join(", ")
            ));
        }
        Ok(solution)
    }
}
