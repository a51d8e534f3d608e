//! Candidates tried one after the other, and the best of them.

use std::sync::{Arc, Mutex, PoisonError};

use super::plan::{self, CandidateTask, MethodCandidate, MethodPlan};
use super::release_kind::{ReleaseKind, SearchEffort};
use super::settings::AutoMethod;
use crate::cost::Metric;
use crate::kit::{Error, Result, words};
use crate::method::{Algorithm, Method, Settings};
use crate::privacy::KnownColumns;
use crate::problem::{Limit, Problem};
use crate::recoding::Recoding;
use crate::release::{Release, SuppressionMode};
use crate::search::{Control, Event, SelectedMethod, Solution, StopReason, TriedMethod};
use crate::space::crowd::own_boxes;
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
        let control = &overheard(control, &told, within, alone);
        let known = best.as_ref().and_then(|best| best.solution.recoding());
        let found = candidate.solve(problem, known, control);
        before += candidate.share;
        let mut cost = None;
        match found {
            Ok(solution) => {
                nodes += solution.nodes;
                stopped = stopped.or(solution.outcome.stop_reason());
                cost = judge(problem, &solution);
                // Of equals the one that proves how little there is to gain.
                let counts = |best: &CandidateSolution, cost: (f64, f64)| match cost == best.cost {
                    true => solution.outcome.is_optimal() && !best.solution.outcome.is_optimal(),
                    false => cost < best.cost,
                };
                match cost {
                    Some(cost) if best.as_ref().is_none_or(|best| counts(best, cost)) => {
                        best = Some(CandidateSolution { candidate: *candidate, cost, solution });
                    }
                    Some(_) => {}
                    None => nothing = nothing.filter(Result::is_ok).or(Some(Ok(solution))),
                }
            }
            // Another candidate may be able to do what this one cannot.
            Err(error) => nothing = nothing.or(Some(Err(error))),
        }
        tried.push(TriedMethod { method: candidate.text(), cost: cost.map(|cost| cost.0) });
    }
    let Some(CandidateSolution { candidate, solution, .. }) = best else {
        return nothing.unwrap_or_else(|| Err(Error::new("there is no method to try")));
    };
    // Where any values may be put together, intervals are not all there is.
    let is_proven = auto.kind != ReleaseKind::Global || !plan::has_sets(problem);
    let solution = if is_proven { solution } else { without_proof(solution) };
    let mut solution = solution.stopped_by(stopped);
    solution.nodes = nodes;
    solution.chosen = Some(SelectedMethod {
        method: candidate.text(),
        name: candidate.method.info().name.to_owned(),
        why: why(auto, problem, &candidate, &tried),
        effort: auto.effort.name().to_owned(),
        tried,
    });
    Ok(solution)
}

/// The same solution without what is proven of it.
fn without_proof(solution: Solution) -> Solution {
    let outcome = solution.outcome.as_bound(None);
    Solution { outcome, ..solution }.with_bound(None)
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
pub(super) fn for_known(
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

/// A local release, or a global one, which is local too, if that costs less: methods for local releases look at classes by
/// themselves, and meet what else is asked by larger ones.
pub(super) fn with_global(
    auto: AutoMethod,
    problem: &Problem,
    local: Solution,
    control: &Control,
) -> Result<Solution> {
    if control.stop().is_some() {
        return Ok(local);
    }
    // It must not take longer than the search for a local one.
    let effort = match (auto.effort, problem.rows > MOST_FOR_BOTH) {
        (SearchEffort::Thorough, false) => SearchEffort::Thorough,
        _ => SearchEffort::Quick,
    };
    let other = AutoMethod { kind: ReleaseKind::Global, effort };
    let Ok(global) = search(other, problem, &control.silent()) else { return Ok(local) };
    let mut local = local;
    let (mine, other) = (judge(problem, &local), judge(problem, &global));
    let tried = |solution: &Solution, cost: Option<(f64, f64)>| {
        let chosen = solution.chosen.as_ref();
        chosen.map(|it| TriedMethod { method: it.method.clone(), cost: cost.map(|cost| cost.0) })
    };
    let is_better = other.is_some_and(|other| mine.is_none_or(|mine| other < mine));
    if !is_better {
        let global = tried(&global, other);
        if let Some(chosen) = &mut local.chosen {
            chosen.tried.extend(global);
        }
        return Ok(local);
    }
    let nodes = local.nodes + global.nodes;
    let mut global = Solution { nodes, ..without_proof(global) };
    if let Some(chosen) = &mut global.chosen {
        chosen.tried.extend(tried(&local, mine));
        chosen.effort = auto.effort.name().to_owned();
        chosen.why = format!(
            "{}: the same groups in every row lose less here than groups of each class's own",
            chosen.name
        );
    }
    Ok(global)
}

/// A release for whoever knows people of a population: every combination in the cheapest box that enough of them fit, or
/// classes of rows, if these cost less.
pub(super) fn for_people(
    auto: AutoMethod,
    problem: &Problem,
    control: &Control,
    by_rows: impl Fn() -> Result<Solution>,
) -> Result<Solution> {
    let looks = match auto.effort {
        SearchEffort::Quick => 5_000_000,
        SearchEffort::Normal => 40_000_000,
        SearchEffort::Thorough => 400_000_000,
    };
    let Some(recoding) = own_boxes(problem, looks, control) else { return by_rows() };
    let mut own = Solution::feasible(recoding, problem.cells.len() as u64);
    let cost = judge(problem, &own);
    let limit = problem.limit.rows(problem.rows, problem.rows);
    let fits = Release::of_solution(problem, &own, SuppressionMode::Drop)
        .is_some_and(|release| release.classes.suppressed_rows() <= limit);
    let rows = by_rows();
    let of_rows = rows.as_ref().ok().and_then(|solution| judge(problem, solution));
    let Some(cost) = cost.filter(|cost| fits && of_rows.is_none_or(|other| *cost < other)) else {
        return rows;
    };
    let name = "own-boxes".to_owned();
    let mut tried: Vec<TriedMethod> =
        rows.ok().and_then(|rows| rows.chosen).map_or_else(Vec::new, |chosen| chosen.tried);
    tried.push(TriedMethod { method: name.clone(), cost: Some(cost.0) });
    own.chosen = Some(SelectedMethod {
        method: name.clone(),
        name,
        why: "own-boxes, which gives every combination the cheapest box that enough people of the \
              population fit: nothing else is required, so rows need no company of other rows"
            .to_owned(),
        effort: auto.effort.name().to_owned(),
        tried,
    });
    Ok(own.stopped_by(control.stop()))
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

impl MethodCandidate {
    /// Does what it is to do; `known` is the best so far.
    fn solve(
        &self,
        problem: &Problem,
        known: Option<&Recoding>,
        control: &Control,
    ) -> Result<Solution> {
        match (self.task, self.method) {
            (CandidateTask::Improve(looks), Method::Optimal(optimal)) => {
                let known: Vec<&Recoding> = known.into_iter().collect();
                let mut solution = optimal.solve_within(problem, &known, Some(looks), control)?;
                if let Some(rules) = optimal.cut_rules() {
                    solution.notes.extend(rules.notes(problem)?);
                }
                Ok(solution)
            }
            (CandidateTask::KeepAll, method) => {
                method.solve(&problem.clone().with_limit(Limit::Rows(0))?, control)
            }
            (_, method) => method.solve(problem, control),
        }
    }

    /// The method with the options that are not its defaults.
    fn text(&self) -> String {
        let name = self.method.info().name;
        let default: Vec<(&str, String)> =
            Method::new(name, &[]).map(|method| method.options()).unwrap_or_default();
        let given = self.method.options().into_iter().filter(|option| !default.contains(option));
        let text =
            given.fold(name.to_owned(), |text, (name, value)| format!("{text}:{name}={value}"));
        match self.task {
            CandidateTask::KeepAll => format!("{text}, all rows kept"),
            _ => text,
        }
    }
}

/// Why a method was chosen, in a sentence.
fn why(
    auto: AutoMethod,
    problem: &Problem,
    chosen: &MethodCandidate,
    tried: &[TriedMethod],
) -> String {
    let (name, own) = (chosen.method.info().name, chosen.text());
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
