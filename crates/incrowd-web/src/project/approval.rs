//! What must be done before a release is written, and who has done it.

use incrowd_engine::value::civil_of;
use serde::{Deserialize, Serialize};

/// What nobody but people can know of a release.
const USUAL: [&str; 5] = [
    "every column that others may know is a quasi-identifier",
    "columns that are released as they are name nobody",
    "the chosen k and models suit those who get the release",
    "rows that are left out do not take a whole group of people with them",
    "earlier releases of the same people have been considered",
];

/// What is to be done for every release of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalRules {
    pub(crate) items: Vec<ApprovalItem>,
    /// Whether nothing is written before a reviewer has approved it.
    pub(crate) needs_approval: bool,
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalItem {
    pub(crate) text: String,
    /// Whether nothing is written before it is done.
    pub(crate) required: bool,
}

/// What was said of one release.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ReleaseApproval {
    pub(crate) ticks: Vec<ApprovalTick>,
    pub(crate) comments: Vec<ReviewComment>,
    pub(crate) decision: Option<ReviewDecision>,
}

/// A line of the list that was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalTick {
    pub(crate) text: String,
    pub(crate) by: String,
    /// The day, as 2026-11-19.
    pub(crate) date: String,
}

/// What somebody has remarked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewComment {
    pub(crate) by: String,
    pub(crate) date: String,
    pub(crate) text: String,
}

/// What the reviewer decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewDecision {
    pub(crate) approved: bool,
    pub(crate) by: String,
    pub(crate) date: String,
}

impl Default for ApprovalRules {
    fn default() -> Self {
        let item = |text: &str| ApprovalItem { text: text.to_owned(), required: false };
        ApprovalRules { items: USUAL.map(item).to_vec(), needs_approval: false }
    }
}

impl ReleaseApproval {
    fn tick_of(&self, text: &str) -> Option<&ApprovalTick> {
        self.ticks.iter().find(|tick| tick.text == text)
    }

    /// What is not done yet of what must be.
    pub(crate) fn waits_for(&self, rules: &ApprovalRules) -> Vec<String> {
        let open = rules.items.iter().filter(|it| it.required && self.tick_of(&it.text).is_none());
        let mut open: Vec<String> = open.map(|item| item.text.clone()).collect();
        if rules.needs_approval && !self.decision.as_ref().is_some_and(|it| it.approved) {
            open.push("the approval of a reviewer".to_owned());
        }
        open
    }

    /// What stands in the report, a sentence each.
    pub(crate) fn confirmed(&self, rules: &ApprovalRules) -> Vec<String> {
        let said = |text: &str, by: &str, date: &str| match by {
            "" => format!("{text} ({date})"),
            by => format!("{text} ({by}, {date})"),
        };
        let ticks = rules.items.iter().filter_map(|item| self.tick_of(&item.text));
        let ticks = ticks.map(|tick| said(&tick.text, &tick.by, &tick.date));
        let approved = self.decision.iter().filter(|decision| decision.approved);
        ticks.chain(approved.map(|it| said("the release was approved", &it.by, &it.date))).collect()
    }
}

/// The present day in UTC, as 2026-11-19.
pub(crate) fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    let (year, month, day) = civil_of(days as i64);
    format!("{year:04}-{month:02}-{day:02}")
}
