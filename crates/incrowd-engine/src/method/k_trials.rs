//! Methods that look at classes of the table alone, where more is asked: a risk of the release as a whole, or people of a
//! population who fit each class.
//!
//! A larger k meets any risk of the whole release, and where the population holds the table, the k of a k-map. A smaller one
//! leaves classes that must be suppressed, and may cost less all the same. So the method is run for several k, each of its
//! releases is made as it will be published, with what fails suppressed, and the one that costs least is kept. Whatever
//! the method proves for one k says nothing of the others, but what it proves for the least k is a bound for all: every
//! release that is asked for has classes of that size, too.

use crate::kit::{Error, Result, words};
use crate::problem::Problem;
use crate::release::{Release, SuppressionMode};
use crate::search::{Control, Event, Outcome, Solution};

/// So many k are tried at most.
const MOST: usize = 6;

/// Whether several k must be tried for what is asked, by a method that has risks in view or not.
pub(crate) fn is_needed(problem: &Problem, proves_risks: bool) -> bool {
    // People with rows in several classes, or narrowed classes, no method has in view.
    let by_person = problem.privacy.shared_units || problem.targets.narrowing().next().is_some();
    let by_person = by_person && !problem.privacy.overall.is_nothing();
    problem.privacy.goes_beyond_classes() && (by_person || !proves_risks)
}

/// The best release for what is asked, by a search for k-anonymous ones.
pub(crate) fn solve(
    problem: &Problem,
    control: &Control,
    search: impl Fn(&Problem, &Control) -> Result<Solution>,
) -> Result<Solution> {
    let (least, most) = range(problem);
    let limit = problem.limit.rows(problem.rows, problem.rows);
    let mut tried: Vec<KTrial> = Vec::new();
    let mut bound = None;
    let mut nothing: Option<Result<Solution>> = None;
    let mut nodes = 0;
    for number in 0..MOST {
        let Some(k) = next(&tried, least, most) else { break };
        if number > 0 && control.stop().is_some() {
            break;
        }
        let part = number as f64 / MOST as f64;
        let quiet = control.heard_through(move |event| match event {
            Event::Bound(_) | Event::Improved { .. } => None,
            Event::Progress(done) => Some(Event::Progress(part + done / MOST as f64)),
            other => Some(other.clone()),
        });
        let solution =
            problem.about_classes(k).and_then(|inner| Ok((search(&inner, &quiet)?, inner)));
        let mut trial = KTrial { k, cost: f64::INFINITY, clean: false, solution: None };
        match solution {
            Err(error) => nothing = nothing.or(Some(Err(error))),
            Ok((solution, inner)) => {
                nodes += solution.nodes;
                if k == least {
                    bound = floor(&inner, &solution);
                }
                let suppressed = |problem: &Problem| {
                    let release = Release::of_solution(problem, &solution, SuppressionMode::Drop)?;
                    let suppressed = release.classes.suppressed_rows();
                    Some((release.measures.cost(problem.metric), suppressed))
                };
                match (suppressed(problem), suppressed(&inner)) {
                    (Some((cost, rows)), Some((_, by_itself))) => {
                        trial.clean = rows == by_itself;
                        if rows <= limit && rows < problem.rows {
                            trial.cost = cost.unwrap_or(f64::INFINITY);
                            control.tell(Event::Improved { cost: trial.cost, incumbent: None });
                        }
                        trial.solution = Some(solution);
                    }
                    _ => nothing = nothing.or(Some(Ok(solution))),
                }
            }
        }
        tried.push(trial);
    }
    // Of equals the smallest k.
    tried.sort_by_key(|trial| trial.k);
    let ks: Vec<String> = tried.iter().map(|trial| trial.k.to_string()).collect();
    let best = tried.into_iter().filter(|trial| trial.cost.is_finite());
    let best = best.min_by(|one, other| one.cost.total_cmp(&other.cost));
    let Some(KTrial { k, cost, solution: Some(mut solution), .. }) = best else {
        return nothing.unwrap_or_else(|| {
            let why = format!(
                "with classes of up to {} rows, more rows fail than the {} that may be suppressed",
                words::thousands(most),
                words::thousands(limit)
            );
            Ok(Solution::infeasible(why, nodes))
        });
    };
    solution.nodes = nodes;
    solution.outcome = match solution.outcome {
        Outcome::Optimal(recoding) | Outcome::Feasible { recoding, .. } => {
            Outcome::Feasible { recoding, bound: None }
        }
        other => other,
    };
    // Rounding must not put a bound above what it bounds.
    let solution = solution.with_bound(bound.map(|bound: f64| bound.min(cost)));
    let mut solution = match control.stop() {
        None => solution,
        stopped => solution.stopped_by(stopped),
    };
    solution.notes.push(format!(
        "made with classes of at least {}, which costs least among {}",
        words::count(k, "row", "rows"),
        ks.join(", ")
    ));
    Ok(solution)
}

/// A k that was tried.
struct KTrial {
    k: u64,
    cost: f64,
    /// Whether nothing more had to be suppressed than k asks for.
    clean: bool,
    solution: Option<Solution>,
}

/// The least k that makes sense and the one that is enough.
fn range(problem: &Problem) -> (u64, u64) {
    let privacy = &problem.privacy;
    let enough = privacy.overall.enough();
    let matched = privacy.population.map_or(1, |rule| rule.least);
    // A presence is a share, whatever k is: classes that are large enough have that of the whole table.
    let present = match privacy.population.and_then(|rule| rule.presence) {
        Some(_) => problem.rows,
        None => 1,
    };
    let known = privacy.known.map_or(1, |known| known.k);
    let company = problem.enough_for_company();
    let most = [enough, matched, known, present, company].into_iter().fold(privacy.k, u64::max);
    let most = most.min(problem.rows.max(1));
    (privacy.k.min(most), most)
}

/// The k to try next: the least, then halves of the part in which the best must lie, if costs rise and fall once.
fn next(tried: &[KTrial], least: u64, most: u64) -> Option<u64> {
    let Some(first) = tried.first() else { return Some(least) };
    if first.k == least && first.clean {
        return None;
    }
    if tried.len() == 1 {
        return (most > least).then_some(most);
    }
    let mut ks: Vec<&KTrial> = tried.iter().collect();
    ks.sort_by_key(|trial| trial.k);
    let best = (0..ks.len()).min_by(|&one, &other| ks[one].cost.total_cmp(&ks[other].cost))?;
    // Beyond a k that needs nothing suppressed there is nothing to gain.
    let right = ks.get(best + 1).filter(|_| !ks[best].clean).map(|next| (ks[best].k, next.k));
    let left = best.checked_sub(1).map(|before| (ks[before].k, ks[best].k));
    let gap = |range: &(u64, u64)| range.1 - range.0;
    let wider = left.into_iter().chain(right).filter(|range| gap(range) > 1).max_by_key(gap)?;
    // In the middle by ratio: small k differ more.
    let middle = ((wider.0 as f64) * (wider.1 as f64)).sqrt().round() as u64;
    Some(middle.clamp(wider.0 + 1, wider.1 - 1))
}

/// What is proven of a solution: no release of this k costs less.
fn floor(problem: &Problem, solution: &Solution) -> Option<f64> {
    match &solution.outcome {
        Outcome::Optimal(_) => Release::of_solution(problem, solution, SuppressionMode::Drop)?
            .measures
            .cost(problem.metric),
        outcome => outcome.bound(),
    }
}

/// Refuses what no release of the table can satisfy.
pub(crate) fn check(problem: &Problem) -> Result<()> {
    let enough = problem.privacy.overall.average.map_or(1.0, |average| 1.0 / average);
    if enough > problem.rows as f64 + 1e-6 {
        return Err(Error::new(format!(
            "an average risk of at most {} needs more than the {} of the table",
            problem.privacy.overall.average.unwrap_or(1.0),
            words::count(problem.rows, "row", "rows")
        ))
        .help(format!("choose a risk of at least {}", 1.0 / problem.rows as f64)));
    }
    Ok(())
}
