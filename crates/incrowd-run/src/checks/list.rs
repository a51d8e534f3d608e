//! The list of all checks.

use incrowd_verify::{Verdict, ViolationKind};
use serde::Serialize;

use super::bias;
use super::evidence::RunEvidence;
use super::finding::Finding;
use super::judges::{self, CheckScope};
use crate::Result;

/// A check of a release.
#[derive(Serialize)]
pub struct ReleaseCheck {
    /// The name that stays the same.
    pub id: &'static str,
    /// What it looks at.
    pub looks_at: &'static str,
    /// What it protects from.
    pub protects: &'static str,
    #[serde(skip)]
    pub(crate) judge: fn(&RunEvidence<'_>) -> Result<Option<Finding>>,
}

impl std::fmt::Debug for ReleaseCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What a verdict on a written release says of every check.
pub(crate) fn findings_of(verdict: &Verdict) -> Vec<Finding> {
    CHECKS.iter().map(|check| judges::of_verdict(check.id, verdict)).collect()
}

/// All checks, in the order in which they are told.
pub const CHECKS: [ReleaseCheck; 23] = [
    ReleaseCheck {
        id: "back-end",
        looks_at: "the question",
        protects: "Everything that is asked for can be done and checked where the rows are.",
        judge: judges::back_end,
    },
    ReleaseCheck {
        id: "unnamed-columns",
        looks_at: "the original rows",
        protects: "No column that nobody has named is released and singles people out.",
        judge: judges::unnamed_columns,
    },
    ReleaseCheck {
        id: "identifiers",
        looks_at: "the original rows",
        protects: "No column that is released names people or rows, unless somebody accepts it.",
        judge: judges::identifiers,
    },
    ReleaseCheck {
        id: "implied-columns",
        looks_at: "the original rows",
        protects: "Columns that follow from quasi-identifiers are found, and k is counted among those who share their values.",
        judge: judges::implied_columns,
    },
    ReleaseCheck {
        id: "columns-together",
        looks_at: "the original rows",
        protects: "No two columns that stay as they are tell together what the release hides of a third, or whose rows they are.",
        judge: judges::columns_together,
    },
    ReleaseCheck {
        id: "repeated-subjects",
        looks_at: "the original rows",
        protects: "Rows are people, or somebody has said whom to protect: k rows of one person are no crowd.",
        judge: judges::repeated_subjects,
    },
    ReleaseCheck {
        id: "subject-links",
        looks_at: "the original rows",
        protects: "No released column tells which rows belong together, unless linked rows are protected.",
        judge: judges::subject_links,
    },
    ReleaseCheck {
        id: "followers",
        looks_at: "the final rows",
        protects: "A column that follows another is determined by it, and lists values of at least k people.",
        judge: judges::followers,
    },
    ReleaseCheck {
        id: "rows-left",
        looks_at: "the final rows",
        protects: "Rows are left when all that would be laid bare is left out.",
        judge: judges::rows_left,
    },
    ReleaseCheck {
        id: "suppression-limit",
        looks_at: "the final rows",
        protects: "No more rows are suppressed than may be, blank and left-out rows counted.",
        judge: judges::suppression_limit,
    },
    ReleaseCheck {
        id: "bias",
        looks_at: "the final rows",
        protects: "Suppression moves the share of no category farther than it may.",
        judge: bias::bias,
    },
    ReleaseCheck {
        id: "truth",
        looks_at: "the final rows",
        protects: "Every released label contains the original value that it stands for.",
        judge: judges::truthful,
    },
    ReleaseCheck {
        id: "revealing-columns",
        looks_at: "the final rows",
        protects: "No column that stays as it is tells what the release hides of another.",
        judge: judges::revealing_columns,
    },
    ReleaseCheck {
        id: "earlier-releases",
        looks_at: "the final rows",
        protects: "Nobody is told apart by subtracting an earlier release.",
        judge: judges::earlier_releases,
    },
    ReleaseCheck {
        id: "read-back",
        looks_at: "what was read back",
        protects: "What was read back is what was written, to the last byte or row.",
        judge: judges::read_back,
    },
    ReleaseCheck {
        id: "k-anonymity",
        looks_at: "what was read back",
        protects: "Every released record has at least k people in its class, counted in what was written.",
        judge: |evidence| judges::verified(evidence, &[ViolationKind::SmallClass], |_| true),
    },
    ReleaseCheck {
        id: "models",
        looks_at: "what was read back",
        protects: "Every class satisfies the models that protect sensitive columns.",
        judge: |evidence| {
            judges::verified(evidence, &[ViolationKind::Model], |asked| {
                !asked.requirements.models.is_empty()
            })
        },
    },
    ReleaseCheck {
        id: "several-rows",
        looks_at: "what was read back",
        protects: "Models hold, too, for whoever knows all rows of a person: their classes have enough sensitive values in common.",
        judge: judges::several_rows,
    },
    ReleaseCheck {
        id: "risk-limits",
        looks_at: "what was read back",
        protects: "No risk beyond k is higher than it may be: average, share at risk, population, few known columns.",
        judge: judges::risk_limits,
    },
    ReleaseCheck {
        id: "identifying-columns",
        looks_at: "what was read back",
        protects: "No identifying column is in what was written.",
        judge: |evidence| {
            let asked = |asked: &CheckScope<'_>| !asked.requirements.identifying.is_empty();
            judges::verified(evidence, &[ViolationKind::IdentifyingColumn], asked)
        },
    },
    ReleaseCheck {
        id: "narrowed-classes",
        looks_at: "what was read back",
        protects: "k holds, too, for whoever knows the columns that narrow classes.",
        judge: |evidence| {
            let asked = |asked: &CheckScope<'_>| !asked.requirements.narrowing.is_empty();
            judges::verified(evidence, &[ViolationKind::NarrowedClass], asked)
        },
    },
    ReleaseCheck {
        id: "linked-collections",
        looks_at: "what was read back",
        protects: "Where rows stay linked, at least k people share the whole collection of their rows.",
        judge: |evidence| {
            let asked = |asked: &CheckScope<'_>| asked.job.finishing.linked.is_some();
            judges::verified(evidence, &[ViolationKind::LinkedRows], asked)
        },
    },
    ReleaseCheck {
        id: "pseudonyms",
        looks_at: "what was read back",
        protects: "No original value is left in a column of pseudonyms.",
        judge: |evidence| {
            let treated = |asked: &CheckScope<'_>| {
                asked.job.finishing.treated.iter().any(|(_, treat)| treat.is_pseudonym())
            };
            judges::verified(evidence, &[ViolationKind::OriginalValue], treated)
        },
    },
];

/// The page of the documentation before its table.
const PAGE_HEAD: &str = "\
# Checks

This page is made by `incrowd checks --markdown`.

Every release passes these checks before anybody sees it, whatever it is made of and by whichever
front end: files, frames in memory, PostgreSQL streamed or in place, Spark, a saved recoding. A
check that cannot be answered counts as failed, and nothing is released.

The JSON report of a run holds every check with what was counted and its status: `passed`, `failed`,
`waived`, `not-asked` or `not-run`. The error of a refusal names its check.

| check | looks at | what it makes sure of |
| --- | --- | --- |
";

/// The page behind its table.
const PAGE_TAIL: &str = "
A check runs as soon as what it looks at is there, so that a run ends before hours are spent.
`waived` is a check that somebody has overruled: a column released as `plain` on purpose, or failing
rows written to be compared. `not-run` is a check of written rows in a run that writes nothing.
";

/// The list of all checks as a page of the documentation.
pub fn checks_page() -> String {
    let mut page = String::from(PAGE_HEAD);
    for check in &CHECKS {
        page.push_str(&format!("| `{}` | {} | {} |\n", check.id, check.looks_at, check.protects));
    }
    page.push_str(PAGE_TAIL);
    page
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn the_page_of_checks_is_the_list() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/checks.md");
        let page = std::fs::read_to_string(path).unwrap();
        assert_eq!(page, checks_page(), "incrowd checks --markdown > docs/reference/checks.md");
        for (at, check) in CHECKS.iter().enumerate() {
            assert!(CHECKS[..at].iter().all(|other| other.id != check.id), "{}", check.id);
        }
    }
}
