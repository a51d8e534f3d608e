//! Approval of a release: a list that binds, comments, and a reviewer.

use std::sync::Arc;

use incrowd_run::{Error, Result};
use serde::{Deserialize, Serialize};

use super::{NoFields, done};
use crate::project::{
    ApprovalItem, ApprovalRules, ApprovalTick, Project, ProjectRelease, ReleaseApproval,
    ReviewComment, ReviewDecision, today,
};
use crate::session::{Session, SessionState};

/// What must be done before the present release is written, and what was said of it.
#[derive(Serialize)]
pub(super) struct ApprovalSummary {
    rules: ApprovalRules,
    /// Of the present release; none without one.
    said: Option<ReleaseApproval>,
    /// What it still waits for.
    waits_for: Vec<String>,
}

impl ApprovalSummary {
    pub(super) fn of(project: &Project, state: &SessionState) -> Self {
        let said = present(project, state).map(|release| release.approval.clone());
        ApprovalSummary {
            rules: project.rules.clone(),
            waits_for: said.iter().flat_map(|it| it.waits_for(&project.rules)).collect(),
            said,
        }
    }
}

/// The release that is shown, as the project has it.
fn present<'a>(project: &'a Project, state: &SessionState) -> Option<&'a ProjectRelease> {
    let found = state.shown()?;
    project.releases.iter().find(|release| release.is(found))
}

/// What the present release waits for, and what its report says was confirmed.
pub(super) fn standing(session: &Session) -> (Vec<String>, Vec<String>) {
    let state = session.state();
    let Some(project) = &state.project else { return Default::default() };
    let rules = &project.rules;
    let nothing = ReleaseApproval::default();
    let said = present(project, &state).map_or(&nothing, |release| &release.approval);
    (said.waits_for(rules), said.confirmed(rules))
}

#[derive(Deserialize)]
pub(super) struct RulesRequest {
    items: Vec<RuleItem>,
    needs_approval: bool,
}

/// A line of the list.
#[derive(Deserialize)]
struct RuleItem {
    text: String,
    required: bool,
}

/// A list has so many lines at most, ...
const MOST_ITEMS: usize = 50;

/// ... and a text so many characters.
const LONGEST: usize = 2_000;

fn short(text: &str) -> String {
    text.trim().chars().take(LONGEST).collect()
}

/// Says what is to be done for every release of the project.
pub(super) fn rules(session: &Arc<Session>, asked: RulesRequest) -> Result<NoFields> {
    let mut items: Vec<ApprovalItem> = Vec::new();
    for RuleItem { text, required } in asked.items {
        let text = short(&text);
        if text.is_empty() {
            return Err(Error::new("a line of the list is empty").help("type what is to be done"));
        }
        if !items.iter().any(|item| item.text == text) {
            items.push(ApprovalItem { text, required });
        }
    }
    if items.len() > MOST_ITEMS {
        return Err(Error::new(format!("the list has more than {MOST_ITEMS} lines"))
            .help("take some of them together"));
    }
    session.change(|state| {
        let project = state.project.as_mut().ok_or_else(nothing)?;
        project.rules = ApprovalRules { items, needs_approval: asked.needs_approval };
        Ok::<_, Error>(())
    })?;
    done()
}

fn nothing() -> Error {
    Error::new("there is no release yet").help("search for one first")
}

fn change(session: &Session, change: impl FnOnce(&mut ReleaseApproval)) -> Result<NoFields> {
    session.change(|state| {
        let found = state.shown().cloned().ok_or_else(nothing)?;
        let mut releases = state.project.iter_mut().flat_map(|project| &mut project.releases);
        let release = releases.find(|release| release.is(&found)).ok_or_else(nothing)?;
        change(&mut release.approval);
        Ok::<_, Error>(())
    })?;
    done()
}

#[derive(Deserialize)]
pub(super) struct TickRequest {
    text: String,
    done: bool,
    #[serde(default)]
    by: String,
}

/// Says that a line of the list is done for the present release, or is not.
pub(super) fn tick(session: &Arc<Session>, asked: TickRequest) -> Result<NoFields> {
    let known = session
        .state()
        .project
        .as_ref()
        .is_some_and(|project| project.rules.items.iter().any(|item| item.text == asked.text));
    if !known {
        return Err(Error::new("the list has no such line").help("reload the page"));
    }
    change(session, |approval| {
        approval.ticks.retain(|tick| tick.text != asked.text);
        if asked.done {
            let (by, date) = (short(&asked.by), today());
            approval.ticks.push(ApprovalTick { text: asked.text, by, date });
        }
    })
}

/// What a reviewer says.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ReviewKind {
    Comment,
    Approve,
    Refuse,
}

#[derive(Deserialize)]
pub(super) struct ReviewRequest {
    kind: ReviewKind,
    by: String,
    #[serde(default)]
    text: String,
}

/// A comment, or what the reviewer decides.
pub(super) fn review(session: &Arc<Session>, asked: ReviewRequest) -> Result<NoFields> {
    let (by, text, date) = (short(&asked.by), short(&asked.text), today());
    if by.is_empty() {
        return Err(Error::new("nobody is named").help("type who says this"));
    }
    if asked.kind == ReviewKind::Comment && text.is_empty() {
        return Err(Error::new("the comment is empty").help("type what is to be remarked"));
    }
    change(session, |approval| {
        if !text.is_empty() {
            approval.comments.push(ReviewComment { by: by.clone(), date: date.clone(), text });
        }
        if asked.kind != ReviewKind::Comment {
            let approved = asked.kind == ReviewKind::Approve;
            approval.decision = Some(ReviewDecision { approved, by, date });
        }
    })
}
