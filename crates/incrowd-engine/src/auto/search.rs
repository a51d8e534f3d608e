//! Candidates tried one after the other, and the best of them.

use std::sync::{Arc, Mutex, PoisonError};

use super::plan::{MethodCandidate, MethodPlan};
use super::release_kind::ReleaseKind;
use super::settings::{AutoMethod, INFOS};
use crate::cost::Metric;
use crate::kit::{Error, Result, words};
use crate::method::{Algorithm, CutRules, Method, MethodInfo, Settings, k_trials};
use crate::privacy::KnownColumns;
use crate::problem::{Limit, Problem};
use crate::release::{Release, SuppressionMode};
use crate::search::{Control, Event, SelectedMethod, Solution, StopReason, TriedMethod};
use crate::space::known_columns;

/// What a candidate found: what it is judged by, and the solution.
struct CandidateSolution {
    candidate: MethodCandidate,
    /// The cost that decides, then the printed loss.
    cost: (f64, f64),
    solution: Solution,
}

/// Tries what the plan says, in its order, and keeps the best.
pub(super) fn search(auto: AutoMethod, problem: &Problem, control: &Control) -> Result<Solution> {
    let plan = MethodPlan::new(auto, problem);
    // Where a class that fails can have parts that pass, searches over cut sets must not suppress any.
    let unsuppressed = auto.kind == ReleaseKind::Global
        && problem.privacy.failing_class_may_have_passing_parts()
        && problem.limit.rows(problem.rows, problem.rows) > 0;
    let limited = match unsuppressed {
        true => Some(problem.clone().with_limit(Limit::Rows(0))?),
        false => None,
    };
    let problem = limited.as_ref().unwrap_or(problem);
    let all: f64 = plan.candidates.iter().map(|candidate| candidate.share).sum();
    let told = Arc::new(Mutex::new(f64::INFINITY));
    let (mut best, mut nothing): (Option<CandidateSolution>, Option<Result<Solution>>) =
        (None, None);
    let (mut tried, mut nodes, mut before) = (Vec::new(), 0, 0.0);
    let mut stopped: Option<StopReason> = None;
    for candidate in &plan.candidates {
        stopped = stopped.or_else(|| control.stop());
        if stopped.is_some() && (best.is_some() || nothing.is_some()) {
            break;
        }
        let within = (before / all, candidate.share / all);
        let alone = plan.candidates.len() == 1;
        let found = candidate.method.solve(problem, &overheard(control, &told, within, alone));
        before += candidate.share;
        let mut cost = None;
        match found {
            Ok(solution) => {
                nodes += solution.nodes;
                stopped = stopped.or(solution.outcome.stop_reason());
                cost = judge(problem, &solution);
                match cost {
                    Some(cost) if best.as_ref().is_none_or(|best| cost < best.cost) => {
                        best = Some(CandidateSolution { candidate: *candidate, cost, solution });
                    }
                    Some(_) => {}
                    None => nothing = nothing.filter(Result::is_ok).or(Some(Ok(solution))),
                }
            }
            // Another candidate may be able to do what this one cannot.
            Err(error) => nothing = nothing.or(Some(Err(error))),
        }
        tried.push(TriedMethod { method: text(&candidate.method), cost: cost.map(|cost| cost.0) });
    }
    let Some(CandidateSolution { candidate, solution, .. }) = best else {
        return nothing.unwrap_or_else(|| Err(Error::new("there is no method to try")));
    };
    let mut solution = solution.stopped_by(stopped);
    solution.nodes = nodes;
    solution.chosen = Some(SelectedMethod {
        method: text(&candidate.method),
        name: candidate.method.info().name.to_owned(),
        why: why(auto, problem, &candidate, &tried),
        effort: auto.effort.name().to_owned(),
        tried,
    });
    Ok(solution)
}

/// What a solution is judged by: the labels as they are printed, or the metric that the user named; then the other.
pub(super) fn judge(problem: &Problem, solution: &Solution) -> Option<(f64, f64)> {
    let release = Release::of_solution(problem, solution, SuppressionMode::Drop)?;
    let measures = &release.measures;
    match problem.metric {
        Metric::Ncp => Some((measures.released_gcp, measures.ncp)),
        metric => Some((measures.cost(metric).unwrap_or(f64::INFINITY), measures.released_gcp)),
    }
}

/// A release for whoever knows a few columns: one of its own, or one in which all columns may be known, if that costs
/// less.
fn for_known(
    auto: AutoMethod,
    problem: &Problem,
    known: KnownColumns,
    control: &Control,
) -> Result<Solution> {
    let mut solution = known_columns::search(problem, known, control);
    let why = format!(
        "known-columns, which coarsens columns and then blanks rare values: k is required \
         for every {} of {} columns",
        known.columns,
        problem.attributes.len()
    );
    let name = "known-columns".to_owned();
    let cost = judge(problem, &solution);
    let tried = TriedMethod { method: name.clone(), cost: cost.map(|cost| cost.0) };
    if control.stop().is_none() && problem.rows <= MOST_FOR_BOTH {
        let strict = search(auto, &problem.about_classes(known.k)?, &control.silent())?;
        let strict = Solution { notes: Vec::new(), ..strict.with_bound(None) };
        match (judge(problem, &strict), cost) {
            (Some(other), Some(cost)) if other >= cost => {}
            (None, _) => {}
            _ => {
                let mut strict = strict;
                if let Some(chosen) = &mut strict.chosen {
                    chosen.tried.push(tried);
                }
                return Ok(strict);
            }
        }
    }
    solution.chosen = Some(SelectedMethod {
        method: name.clone(),
        name,
        why,
        effort: auto.effort.name().to_owned(),
        tried: vec![tried],
    });
    Ok(solution)
}

/// In larger tables all columns together are not worth trying.
const MOST_FOR_BOTH: u64 = 20_000;

/// The control of one candidate: its progress is a part of the whole, and only what is better than all before is told.
fn overheard(
    control: &Control,
    least: &Arc<Mutex<f64>>,
    (from, share): (f64, f64),
    alone: bool,
) -> Control {
    let least = least.clone();
    control.heard_through(move |event| match event {
        Event::Progress(done) => Some(Event::Progress(from + share * done)),
        // What no release of this method costs less than, another method's may.
        Event::Bound(_) if !alone => None,
        Event::Improved { cost, .. } => {
            let mut least = least.lock().unwrap_or_else(PoisonError::into_inner);
            let better = *cost < *least;
            if better {
                *least = *cost;
            }
            better.then(|| event.clone())
        }
        other => Some(other.clone()),
    })
}

/// A method with the options that are not its defaults.
fn text(method: &Method) -> String {
    let name = method.info().name;
    let default: Vec<(&str, String)> =
        Method::new(name, &[]).map(|method| method.options()).unwrap_or_default();
    let given = method.options().into_iter().filter(|option| !default.contains(option));
    given.fold(name.to_owned(), |text, (name, value)| format!("{text}:{name}={value}"))
}

/// Why a method was chosen, in a sentence.
fn why(
    auto: AutoMethod,
    problem: &Problem,
    chosen: &MethodCandidate,
    tried: &[TriedMethod],
) -> String {
    let (name, own) = (chosen.method.info().name, text(&chosen.method));
    let rows = words::count(problem.rows, "row", "rows");
    let by_labels = problem.metric == Metric::Ncp;
    let figure = |cost: Option<f64>| match cost {
        Some(cost) if by_labels => format!("{:.2}%", 100.0 * cost),
        Some(cost) => format!("{cost:.4}"),
        None => "nothing".to_owned(),
    };
    let mut sentence = format!(
        "{name}, which {}: the kind is {}, the effort {}, the table has {rows}",
        chosen.why, auto.kind, auto.effort
    );
    let own = own.as_str();
    let of = |own_one: bool| tried.iter().filter(move |tried| (tried.method == own) == own_one);
    let others: Vec<String> =
        of(false).map(|tried| format!("{} {}", tried.method, figure(tried.cost))).collect();
    if let Some(best) = of(true).next()
        && !others.is_empty()
    {
        let what = match by_labels {
            true => "its information loss is".to_owned(),
            false => format!("its {} is", problem.metric.name()),
        };
        sentence.push_str(&format!("; {what} {} ({})", figure(best.cost), others.join(", ")));
    }
    sentence
}

impl Algorithm for AutoMethod {
    fn info(&self) -> &'static MethodInfo {
        &INFOS[self.kind as usize]
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        search(*self, problem, control)
    }

    fn solve(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let attributes = || problem.attributes.iter();
        let cut = attributes().find(|it| !it.cuts.is_empty());
        self.check_cuts(cut.map(|it| it.name.as_str()))?;
        let limited = attributes().find(|it| it.limits.is_some());
        self.check_levels(limited.map(|it| it.name.as_str()))?;
        self.check_wildcards(problem.privacy.wildcards)?;
        k_trials::check(problem)?;
        if let Some(known) = problem.privacy.known
            && self.kind == ReleaseKind::Local
            && !problem.privacy.asks_for_more_than_known()
        {
            return for_known(*self, problem, known, control);
        }
        // The methods for levels search with all of it in view.
        if k_trials::is_needed(problem, self.kind == ReleaseKind::Levels) {
            return k_trials::solve(problem, control, |inner, control| {
                search(*self, inner, control)
            });
        }
        self.search(problem, control)
    }

    fn cut_rules(&self) -> Option<CutRules> {
        None
    }
}
