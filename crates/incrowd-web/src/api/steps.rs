//! Where each step stands, from the table to the release.

use std::sync::Arc;

use incrowd_engine::words::thousands;
use incrowd_run::Result;
use incrowd_run::spec::Role;
use serde::{Deserialize, Serialize};

use super::{NoFields, done};
use crate::session::{SearchSpec, Session, SessionState};

/// Where a step stands, and why.
#[derive(Clone, Serialize)]
pub(super) struct StepState {
    state: StepStatus,
    note: String,
}

/// Where a step stands.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StepStatus {
    Done,
    /// It can be taken.
    Open,
    /// It needs a decision.
    Todo,
    /// It is of a question before.
    Stale,
    /// Something else comes first.
    Closed,
}

/// The steps by their names.
#[derive(Serialize)]
pub(super) struct StepStates {
    open: StepState,
    columns: StepState,
    goals: StepState,
    search: StepState,
    alternatives: StepState,
    release: StepState,
    risk: StepState,
    r#use: StepState,
    finish: StepState,
    again: StepState,
}

impl StepStates {
    /// Without a table.
    fn without_table() -> Self {
        let of = |state, note: &str| StepState { state, note: note.to_owned() };
        let closed = of(StepStatus::Closed, "open a table first");
        StepStates {
            open: of(StepStatus::Todo, "choose a table"),
            columns: closed.clone(),
            goals: closed.clone(),
            search: closed.clone(),
            alternatives: closed.clone(),
            release: closed.clone(),
            risk: closed.clone(),
            r#use: closed.clone(),
            finish: closed,
            again: of(StepStatus::Open, ""),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct LookedAtRequest {
    step: LookedAtStep,
}

/// A step whose answers are guessed until somebody has looked at them.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum LookedAtStep {
    Columns,
    Goals,
}

/// Somebody looks at a step.
pub(super) fn looked_at(session: &Arc<Session>, asked: LookedAtRequest) -> Result<NoFields> {
    let mut looked_at = session.state().looked_at;
    let place = match asked.step {
        LookedAtStep::Columns => &mut looked_at.columns,
        LookedAtStep::Goals => &mut looked_at.goals,
    };
    if !std::mem::replace(place, true) {
        session.change(|state| {
            if state.opened.is_some() {
                state.looked_at = looked_at;
            }
        });
    }
    done()
}

/// Where each step stands.
pub(super) fn steps(state: &SessionState) -> StepStates {
    let Some(history) = &state.history else { return StepStates::without_table() };
    let spec = history.spec();
    let undecided = spec.columns_with(Role::Undecided).count();
    let quasi = spec.columns_with(Role::Quasi).count();
    let told = state.look.told.as_ref();
    let refused = told.and_then(|told| told.refused.as_ref());
    let infeasible = told.and_then(|told| told.infeasible.as_ref());
    let step = |state: StepStatus, note: String| StepState { state, note };
    let columns = match (undecided, quasi) {
        (0, 0) => step(StepStatus::Todo, "no column is a quasi-identifier".to_owned()),
        (0, _) if !state.looked_at.columns => {
            step(StepStatus::Open, "guessed: have a look".to_owned())
        }
        (0, _) => step(StepStatus::Done, format!("{quasi} that others may know")),
        (1, _) => step(StepStatus::Todo, "1 column is undecided".to_owned()),
        _ => step(StepStatus::Todo, format!("{undecided} columns are undecided")),
    };
    let ready = undecided == 0 && quasi > 0;
    let goals = match (infeasible, refused.filter(|_| ready)) {
        (Some(_), _) => step(StepStatus::Todo, "cannot be met".to_owned()),
        (_, Some(_)) => step(StepStatus::Todo, "needs a look".to_owned()),
        _ if !ready => step(StepStatus::Open, String::new()),
        _ if !state.looked_at.goals => {
            step(StepStatus::Open, format!("k = {} unless you say", spec.privacy.k))
        }
        _ => step(StepStatus::Done, format!("k = {}", spec.privacy.k)),
    };
    let question = state.question();
    let fresh = |of: Option<&SearchSpec>| of.is_some() && of == question.as_ref();
    let found = state.shown();
    let made = found.is_some_and(|kept| kept.report.metrics.is_some());
    let current = fresh(found.map(|kept| &kept.question));
    let search = match (found, current) {
        (Some(_), true) if made => step(StepStatus::Done, "found".to_owned()),
        (Some(_), true) => step(StepStatus::Todo, "there is no release".to_owned()),
        (Some(_), false) => step(StepStatus::Stale, "the question has changed".to_owned()),
        (None, _) if ready => step(StepStatus::Open, String::new()),
        (None, _) => step(StepStatus::Closed, "columns first".to_owned()),
    };
    let after = |done: bool| match (made, current) {
        (false, _) => step(StepStatus::Closed, "search first".to_owned()),
        (true, false) => step(StepStatus::Stale, "of the question before".to_owned()),
        (true, true) if done => step(StepStatus::Done, String::new()),
        (true, true) => step(StepStatus::Open, String::new()),
    };
    let any = state.history.as_ref().map(|history| SearchSpec::of_any(history.spec()));
    let alternatives = match &state.alternatives {
        Some(known) if Some(&known.question) == any.as_ref() => {
            let found: usize = known.comparisons.iter().map(|it| it.known().0).sum();
            step(StepStatus::Done, format!("{} releases", thousands(found as u64)))
        }
        Some(_) => step(StepStatus::Stale, "of the question before".to_owned()),
        None if ready => step(StepStatus::Open, String::new()),
        None => step(StepStatus::Closed, "columns first".to_owned()),
    };
    let written = fresh(state.written.as_ref().map(|written| &written.question));
    StepStates {
        open: step(
            StepStatus::Done,
            state.opened.as_ref().map_or_else(String::new, |opened| {
                format!("{} rows", thousands(opened.found.rows))
            }),
        ),
        columns,
        goals,
        search,
        alternatives,
        release: after(false),
        risk: after(fresh(state.risk.as_ref().map(|(question, _)| question))),
        r#use: after(fresh(state.usefulness.as_ref().map(|known| &known.question))),
        finish: match written {
            true => step(StepStatus::Done, "written and verified".to_owned()),
            false => after(false),
        },
        again: step(StepStatus::Open, String::new()),
    }
}
