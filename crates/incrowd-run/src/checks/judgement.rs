//! The checks that a release must pass, in one list.
//!
//! A check judges evidence and decides alone; back ends and features only bring evidence. It runs as soon as its evidence is
//! there, so that a run ends before hours are spent. Whether a release may be shown is decided once, by
//! [`Judgement::permit`]: every check of the list has passed, was not asked for, or was waived by somebody who may.

use std::collections::BTreeMap;

use super::evidence::{ReadBack, RunEvidence};
use super::finding::{CheckStatus, Finding};
use super::judges::{cannot_tell, not_verified, same_as_written};
use super::list::CHECKS;
use super::subjects::SubjectLinkage;
use crate::plan::warning::Warning;
use crate::{Error, Result};

/// The findings of a run.
#[derive(Debug, Clone, Default)]
pub struct Judgement {
    findings: BTreeMap<&'static str, Finding>,
    /// Whom rows are of.
    pub(crate) subjects: SubjectLinkage,
}

/// Says that every check has passed: only a [`Judgement`] can make one.
#[derive(Debug)]
pub struct ReleasePermit(());

impl Judgement {
    /// Runs every check that has not run yet and whose evidence is there. The first that fails is the error. Where roles of
    /// columns fix it, those that fail for other columns are reported with it: one line to paste fixes them all.
    pub(crate) fn look(&mut self, evidence: &RunEvidence<'_>) -> Result<()> {
        let mut evidence = evidence.clone();
        let mut refusal: Option<Error> = None;
        for check in &CHECKS {
            if self.findings.contains_key(check.id) || skipped(check.id) {
                continue;
            }
            let Some(found) = (check.judge)(&evidence)? else { continue };
            let mut found = Finding { id: check.id, ..found };
            if found.status == CheckStatus::Failed
                && evidence.job.write_failing
                && waivable(check.id)
            {
                found.status = CheckStatus::Waived;
            }
            let refused = found.error.take().filter(|_| found.status == CheckStatus::Failed);
            self.findings.insert(check.id, found);
            let Some(error) = refused else { continue };
            let error = match refusal.take() {
                None => error.of_check(check.id),
                Some(first) => first.with_further(*error),
            };
            // What was guessed is left out refusal by refusal; what no role fixes is reported alone.
            if error.mends.is_empty() || !evidence.job.guesses.is_empty() {
                return Err(error);
            }
            evidence.to_leave_out = error.mends.iter().map(|mend| mend.column.clone()).collect();
            refusal = Some(error);
        }
        refusal.map_or(Ok(()), Err)
    }

    /// Decides whether a release may be shown: every check of the list has run and none has failed.
    pub(crate) fn permit(&self) -> Result<ReleasePermit> {
        for check in CHECKS.iter().filter(|check| !skipped(check.id)) {
            let status = self.findings.get(check.id).map(|found| found.status);
            if !matches!(
                status,
                Some(CheckStatus::Passed | CheckStatus::Waived | CheckStatus::NotAsked)
            ) {
                return Err(cannot_tell(check.id).of_check(check.id));
            }
        }
        Ok(ReleasePermit(()))
    }

    /// What every check found, in the order of the list.
    pub fn findings(&self) -> Vec<Finding> {
        CHECKS.iter().filter_map(|check| self.findings.get(check.id).cloned()).collect()
    }

    /// What the checks have to say that is no refusal.
    pub(crate) fn warnings(&self, ids: &[&str]) -> Vec<Warning> {
        let found = ids.iter().filter_map(|id| self.findings.get(id));
        found.flat_map(|found| found.warnings.iter().cloned()).collect()
    }

    /// The judgement of a copy of the release, from what was read back of it.
    pub(crate) fn of_copy(&self, read_back: &ReadBack) -> Result<Self> {
        if !read_back.verdict.holds {
            return Err(not_verified(&read_back.verdict).of_check("k-anonymity"));
        }
        let mut judgement = self.clone();
        let found = same_as_written(read_back);
        if let Some(error) = &found.error {
            return Err(error.as_ref().clone().of_check("read-back"));
        }
        judgement.findings.insert("read-back", Finding { id: "read-back", ..found });
        Ok(judgement)
    }
}

/// Whether a check is about what was read back: a release that fails it can be written on purpose, to be compared.
fn waivable(id: &str) -> bool {
    CHECKS.iter().skip_while(|check| check.id != "k-anonymity").any(|check| check.id == id)
}

#[cfg(debug_assertions)]
thread_local! {
    /// The check that the list lacks, for tests that want to see its absence noticed.
    static SKIPPED: std::cell::Cell<Option<&'static str>> = const { std::cell::Cell::new(None) };
}

/// Runs something as if the list had no such check. Only in programs that are built for tests.
#[doc(hidden)]
#[cfg(debug_assertions)]
pub fn skipping_check<T>(id: &'static str, work: impl FnOnce() -> T) -> T {
    SKIPPED.set(Some(id));
    let done = work();
    SKIPPED.set(None);
    done
}

#[cfg(debug_assertions)]
fn skipped(id: &str) -> bool {
    SKIPPED.get() == Some(id)
}

#[cfg(not(debug_assertions))]
fn skipped(_: &str) -> bool {
    false
}
