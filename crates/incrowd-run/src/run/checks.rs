//! The checks that a release must pass, in one list.
//!
//! A check judges evidence and decides alone; back ends and features only bring evidence. It runs as soon as its evidence is
//! there, so that a run ends before hours are spent. Whether a release may be shown is decided once, by
//! [`Judgement::permit`]: every check of the list has passed, was not asked for, or was waived by somebody who may.

use std::collections::BTreeMap;

use incrowd::{Control, Problem, Release};
use incrowd_verify::{Requirements, ViolationKind};
use serde::Serialize;
use serde_json::Value;

use super::backend::{FinalRows, ReadBack, TableCounts};
use super::planned::ReleasePlan;
use super::recode::LabelPairs;
use super::said::Said;
use super::subjects::{SubjectComparison, SubjectEvidence, Subjects};
use super::{Job, Warning, earlier, exposure, roles, truth};
use crate::{Error, ErrorKind, Result, Source};

/// A check of a release.
#[derive(Serialize)]
pub struct Check {
    /// The name that stays the same.
    pub id: &'static str,
    /// What it looks at.
    pub looks_at: &'static str,
    /// What it protects from.
    pub protects: &'static str,
    #[serde(skip)]
    judge: fn(&Evidence<'_>) -> Result<Option<Finding>>,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The list of all checks as a page of the documentation.
pub fn checks_page() -> String {
    let mut page = String::from(
        "# Checks\n\nThis page is made by `incrowd checks --markdown`.\n\nEvery release passes these checks before anybody \
         sees it, whatever it is made of and by whichever front end: files, frames in memory, PostgreSQL streamed or in \
         place, Spark, a saved recoding. A check that cannot be answered counts as failed, and nothing is released. The JSON \
         report of a run holds every check with its status (`passed`, `failed`, `waived`, `not-asked`, `not-run`) and what \
         was counted; the error of a refusal names its check.\n\n| check | looks at | what it makes sure of |\n| --- | \
         --- | --- |\n",
    );
    for check in &CHECKS {
        page.push_str(&format!("| `{}` | {} | {} |\n", check.id, check.looks_at, check.protects));
    }
    page.push_str(
        "\nA check runs as soon as what it looks at is there, so that a run ends before hours are spent. `waived` is a check \
         that somebody has overruled: a column released as `plain` on purpose, or failing rows written to be compared. \
         `not-run` is a check of written rows in a run that writes nothing.\n",
    );
    page
}

/// All checks, in the order in which they are told.
pub const CHECKS: [Check; 19] = [
    Check {
        id: "back-end",
        looks_at: "the question",
        protects: "Everything that is asked for can be done and checked where the rows are.",
        judge: back_end,
    },
    Check {
        id: "unnamed-columns",
        looks_at: "the original rows",
        protects: "No column that nobody has named is released and singles people out.",
        judge: unnamed_columns,
    },
    Check {
        id: "identifiers",
        looks_at: "the original rows",
        protects: "No sensitive or class column names people or rows.",
        judge: identifiers,
    },
    Check {
        id: "repeated-subjects",
        looks_at: "the original rows",
        protects: "Rows are people, or somebody has said whom to protect: k rows of one person are no crowd.",
        judge: repeated_subjects,
    },
    Check {
        id: "subject-links",
        looks_at: "the original rows",
        protects: "No released column tells which rows belong together, unless linked rows are protected.",
        judge: subject_links,
    },
    Check {
        id: "followers",
        looks_at: "the final rows",
        protects: "A column that follows another is determined by it, and lists values of at least k people.",
        judge: followers,
    },
    Check {
        id: "rows-left",
        looks_at: "the final rows",
        protects: "Rows are left when all that would be laid bare is left out.",
        judge: rows_left,
    },
    Check {
        id: "suppression-limit",
        looks_at: "the final rows",
        protects: "No more rows are suppressed than may be, blank and left-out rows counted.",
        judge: suppression_limit,
    },
    Check {
        id: "truth",
        looks_at: "the final rows",
        protects: "Every released label contains the original value that it stands for.",
        judge: truthful,
    },
    Check {
        id: "revealing-columns",
        looks_at: "the final rows",
        protects: "No column that stays as it is tells what the release hides of another.",
        judge: revealing_columns,
    },
    Check {
        id: "earlier-releases",
        looks_at: "the final rows",
        protects: "Nobody is told apart by subtracting an earlier release.",
        judge: earlier_releases,
    },
    Check {
        id: "read-back",
        looks_at: "what was read back",
        protects: "What was read back is what was written, to the last byte or row.",
        judge: read_back,
    },
    Check {
        id: "k-anonymity",
        looks_at: "what was read back",
        protects: "Every released record has at least k people in its class, counted in what was written.",
        judge: |evidence| verified(evidence, &[ViolationKind::SmallClass], |_| true),
    },
    Check {
        id: "models",
        looks_at: "what was read back",
        protects: "Every class satisfies the models that protect sensitive columns.",
        judge: |evidence| {
            verified(evidence, &[ViolationKind::Model], |asked| {
                !asked.requirements.models.is_empty()
            })
        },
    },
    Check {
        id: "risk-limits",
        looks_at: "what was read back",
        protects: "No risk beyond k is higher than it may be: average, share at risk, population, few known columns.",
        judge: risk_limits,
    },
    Check {
        id: "identifying-columns",
        looks_at: "what was read back",
        protects: "No identifying column is in what was written.",
        judge: |evidence| {
            let asked = |asked: &Asked<'_>| !asked.requirements.identifying.is_empty();
            verified(evidence, &[ViolationKind::IdentifyingColumn], asked)
        },
    },
    Check {
        id: "narrowed-classes",
        looks_at: "what was read back",
        protects: "k holds, too, for whoever knows the columns that narrow classes.",
        judge: |evidence| {
            let asked = |asked: &Asked<'_>| !asked.job.finishing.narrowing().is_empty();
            verified(evidence, &[ViolationKind::NarrowedClass], asked)
        },
    },
    Check {
        id: "linked-collections",
        looks_at: "what was read back",
        protects: "Where rows stay linked, at least k people share the whole collection of their rows.",
        judge: |evidence| {
            let asked = |asked: &Asked<'_>| asked.job.finishing.linked.is_some();
            verified(evidence, &[ViolationKind::LinkedRows], asked)
        },
    },
    Check {
        id: "pseudonyms",
        looks_at: "what was read back",
        protects: "No original value is left in a column of pseudonyms.",
        judge: |evidence| {
            let treated = |asked: &Asked<'_>| {
                asked.job.finishing.treated.iter().any(|(_, treat)| treat.is_pseudonym())
            };
            verified(evidence, &[ViolationKind::OriginalValue], treated)
        },
    },
];

/// What became of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckStatus {
    /// The release passes.
    Passed,
    /// It does not.
    Failed,
    /// It does not, and somebody has said that it is meant.
    Waived,
    /// Nothing of the kind is asked for.
    NotAsked,
    /// Nothing was written that could be looked at.
    NotRun,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The check.
    pub id: &'static str,
    /// What became of it.
    pub status: CheckStatus,
    /// What was counted.
    pub figures: BTreeMap<&'static str, Value>,
    /// Why it failed, and what to do.
    #[serde(skip)]
    error: Option<Box<Error>>,
    /// What to think about.
    #[serde(skip)]
    warnings: Vec<Warning>,
}

impl Finding {
    fn new(status: CheckStatus) -> Self {
        let (figures, warnings) = (BTreeMap::new(), Vec::new());
        Finding { id: "", status, figures, error: None, warnings }
    }

    /// The outcome of something that refuses by an error.
    fn of(outcome: Result<Vec<Warning>>) -> Result<Self> {
        match outcome {
            Ok(warnings) => Ok(Finding { warnings, ..Finding::new(CheckStatus::Passed) }),
            Err(error) if is_refusal(&error) => Ok(Finding::failed(error)),
            Err(error) => Err(error),
        }
    }

    fn failed(error: Error) -> Self {
        Finding { error: Some(Box::new(error)), ..Finding::new(CheckStatus::Failed) }
    }

    fn with(mut self, name: &'static str, figure: impl Into<Value>) -> Self {
        self.figures.insert(name, figure.into());
        self
    }
}

/// Whether an error is a judgement of the release rather than a fault on the way.
fn is_refusal(error: &Error) -> bool {
    !matches!(error.kind, ErrorKind::Interrupted | ErrorKind::File | ErrorKind::Database)
}

/// All that is known of a run at some stage.
pub(crate) struct Evidence<'a> {
    pub(crate) job: &'a Job,
    /// The table's columns.
    pub(crate) source: &'a Source,
    /// What the back end cannot do.
    pub(crate) lacks: Option<&'a Error>,
    pub(crate) counted: Option<Counted<'a>>,
    pub(crate) release: Option<Finished<'a>>,
    /// What was read back; none as long as nothing was.
    pub(crate) read_back: Option<&'a ReadBack>,
    /// Whether nothing is written.
    pub(crate) dry: bool,
    pub(crate) control: Control,
}

impl<'a> Evidence<'a> {
    /// What is known before anything is counted.
    pub(crate) fn of_back_end(job: &'a Job, source: &'a Source, lacks: Option<&'a Error>) -> Self {
        Evidence {
            job,
            source,
            lacks,
            counted: None,
            release: None,
            read_back: None,
            dry: false,
            control: Control::new(),
        }
    }
}

/// What was counted.
#[derive(Clone, Copy)]
pub(crate) struct Counted<'a> {
    pub(crate) table: &'a TableCounts,
    /// Rows to look at closely, if they can be had.
    pub(crate) sample: Option<&'a Source>,
    pub(crate) comparison: &'a SubjectComparison,
    pub(crate) subjects: &'a [(usize, SubjectEvidence)],
}

/// A release that is finished.
#[derive(Clone, Copy)]
pub(crate) struct Finished<'a> {
    /// The release as it was planned.
    pub(crate) plan: &'a ReleasePlan<'a>,
    pub(crate) pairs: &'a LabelPairs,
    pub(crate) rows: &'a FinalRows,
    pub(crate) requirements: &'a Requirements,
    pub(crate) subjects: &'a Subjects,
}

/// What is asked of a release that can be read back.
struct Asked<'a> {
    job: &'a Job,
    requirements: &'a Requirements,
}

/// The findings of a run.
#[derive(Debug, Clone, Default)]
pub struct Judgement {
    findings: BTreeMap<&'static str, Finding>,
    /// Whom rows are of.
    pub(crate) subjects: Subjects,
}

/// Says that every check has passed: only a [`Judgement`] can make one.
#[derive(Debug)]
pub struct Permit(());

impl Judgement {
    /// Runs every check that has not run yet and whose evidence is there. The first that fails is the error.
    pub(crate) fn look(&mut self, evidence: &Evidence<'_>) -> Result<()> {
        for check in &CHECKS {
            if self.findings.contains_key(check.id) || skipped(check.id) {
                continue;
            }
            let Some(found) = (check.judge)(evidence)? else { continue };
            let mut found = Finding { id: check.id, ..found };
            if found.status == CheckStatus::Failed
                && evidence.job.write_failing
                && waivable(check.id)
            {
                found.status = CheckStatus::Waived;
            }
            let refused = found.error.take().filter(|_| found.status == CheckStatus::Failed);
            self.findings.insert(check.id, found);
            if let Some(error) = refused {
                return Err(error.of_check(check.id));
            }
        }
        Ok(())
    }

    /// Decides whether a release may be shown: every check of the list has run and none has failed.
    pub(crate) fn permit(&self) -> Result<Permit> {
        for check in CHECKS.iter().filter(|check| !skipped(check.id)) {
            let status = self.findings.get(check.id).map(|found| found.status);
            if !matches!(
                status,
                Some(CheckStatus::Passed | CheckStatus::Waived | CheckStatus::NotAsked)
            ) {
                return Err(cannot_tell(check.id).of_check(check.id));
            }
        }
        Ok(Permit(()))
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

#[cfg(test)]
thread_local! {
    /// The check that the list lacks, for tests that want to see its absence noticed.
    static SKIPPED: std::cell::Cell<Option<&'static str>> = const { std::cell::Cell::new(None) };
}

#[cfg(test)]
pub(crate) fn skipping<T>(id: &'static str, work: impl FnOnce() -> T) -> T {
    SKIPPED.set(Some(id));
    let done = work();
    SKIPPED.set(None);
    done
}

#[cfg(test)]
fn skipped(id: &str) -> bool {
    SKIPPED.get() == Some(id)
}

#[cfg(not(test))]
fn skipped(_: &str) -> bool {
    false
}

fn cannot_tell(id: &str) -> Error {
    Error::new(format!("nobody can tell whether the release passes the check `{id}`"))
        .help("nothing was written; please report this as a fault of incrowd")
        .of_kind(ErrorKind::Refused)
}

fn back_end(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    Ok(Some(match evidence.lacks {
        Some(error) => Finding::failed(error.clone()),
        None => Finding::new(CheckStatus::Passed),
    }))
}

fn unnamed_columns(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    let Some(counted) = evidence.counted else { return Ok(None) };
    let Evidence { job, source, .. } = *evidence;
    if job.unnamed.is_empty() {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    let (watched, rows) = (&counted.table.watched, counted.table.rows);
    if watched.len() != job.unnamed.len() {
        return Ok(Some(Finding::failed(cannot_tell("unnamed-columns"))));
    }
    let found =
        roles::refuse_exposed(job, source, watched, rows, counted.sample, &evidence.control);
    let found = Finding::of(found.map(|()| Vec::new()))?;
    Ok(Some(found.with("columns", job.unnamed.len())))
}

fn identifiers(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    let Some(counted) = evidence.counted else { return Ok(None) };
    if evidence.job.problem.targets.is_empty() {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    let found = roles::refuse_identifiers(evidence.job, &counted.table.counts);
    let found = Finding::of(found.map(|()| Vec::new()))?;
    Ok(Some(found.with("columns", evidence.job.problem.targets.len())))
}

fn repeated_subjects(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    let Some(Counted { comparison, subjects, .. }) = evidence.counted else { return Ok(None) };
    let Evidence { job, source, .. } = *evidence;
    if job.problem.unit.is_some() || job.unit_is_said {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    let found = Finding::of(comparison.refuse_repeated_subjects(job, source, subjects))?;
    Ok(Some(found.with("columns", subjects.len())))
}

fn subject_links(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    let Some(Counted { comparison, subjects, .. }) = evidence.counted else { return Ok(None) };
    let Evidence { job, source, .. } = *evidence;
    if job.problem.unit.is_none() {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    let found = comparison.refuse_links(job, source, subjects);
    let found = Finding::of(found.map(|()| Vec::new()))?;
    Ok(Some(found.with("columns", subjects.len().saturating_sub(1))))
}

/// Whether finishing stopped for the reason that a check names.
fn stopped(evidence: &Evidence<'_>, id: &str) -> Option<Finding> {
    let obstacle = evidence.release?.rows.obstacle.as_ref()?;
    (obstacle.check == Some(id)).then(|| Finding::failed(obstacle.clone()))
}

fn followers(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    let Some(_) = evidence.release else { return Ok(None) };
    let follows = evidence.job.finishing.follows.len();
    let status = if follows == 0 { CheckStatus::NotAsked } else { CheckStatus::Passed };
    let found = stopped(evidence, "followers").unwrap_or_else(|| Finding::new(status));
    Ok(Some(found.with("columns", follows)))
}

fn rows_left(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    let Some(release) = evidence.release else { return Ok(None) };
    let found = stopped(evidence, "rows-left");
    let found = found.unwrap_or_else(|| Finding::new(CheckStatus::Passed));
    Ok(Some(found.with("rows", release.rows.release(release.plan.release).rows())))
}

fn suppression_limit(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    let Some(Finished { plan, rows, .. }) = evidence.release else { return Ok(None) };
    let release = rows.release(plan.release);
    let (suppressed, limit) = suppressed(plan.problem, release);
    let found = match suppressed > limit {
        false => Finding::new(CheckStatus::Passed),
        true => Finding::failed(
            Error::new(format!(
                "{suppressed} rows would have to be suppressed, but at most {limit} may be"
            ))
            .help("allow more suppressed rows, or ask for less"),
        ),
    };
    Ok(Some(found.with("suppressed", suppressed).with("limit", limit)))
}

/// How many rows a release suppresses, and how many it may.
pub(crate) fn suppressed(problem: &Problem, release: &Release) -> (u64, u64) {
    let suppressed = problem.rows - release.classes.released_rows();
    (suppressed, problem.limit.rows(problem.rows, problem.rows))
}

fn truthful(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    let Some(Finished { plan, pairs, requirements, .. }) = evidence.release else {
        return Ok(None);
    };
    let found = truth::check_truth(plan, pairs, requirements, &evidence.control);
    let found = Finding::of(found.map(|()| Vec::new()))?;
    Ok(Some(found.with("pairs", pairs.len())))
}

fn revealing_columns(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    let Some(Finished { plan, rows, subjects, .. }) = evidence.release else { return Ok(None) };
    let job = evidence.job;
    let said = job.sayings(evidence.source);
    let said = |column: &str| match subjects.linking.iter().any(|name| name == column) {
        true => Said::Linking,
        false => said(column),
    };
    let exposure = &rows.exposure;
    if exposure.unchanged.is_empty() {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    let released = rows.release(plan.release).rows();
    let mut found = Finding::of(exposure::judge(exposure, released, said, job.voice))?;
    let most = exposure.tells.iter().map(|told| told.share).fold(0.0, f64::max);
    if found.status == CheckStatus::Passed && exposure::is_waived(exposure, said) {
        found.status = CheckStatus::Waived;
    }
    Ok(Some(found.with("columns", exposure.unchanged.len()).with("most", most)))
}

fn earlier_releases(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    let Some(Finished { plan, rows, .. }) = evidence.release else { return Ok(None) };
    let earlier = &evidence.job.earlier;
    if earlier.is_empty() {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    let release = rows.release(plan.release);
    let found = earlier::refuse_differences(earlier, plan.problem, release, &evidence.control);
    let found = Finding::of(found.map(|()| Vec::new()))?;
    Ok(Some(found.with("releases", earlier.len())))
}

/// A check of what was read back: none of these violations may be among those that the verifier has found.
fn verified(
    evidence: &Evidence<'_>,
    kinds: &[ViolationKind],
    is_asked: impl Fn(&Asked<'_>) -> bool,
) -> Result<Option<Finding>> {
    let Some(Finished { requirements, .. }) = evidence.release else { return Ok(None) };
    if !is_asked(&Asked { job: evidence.job, requirements }) {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    let Some(ReadBack { verdict, .. }) = evidence.read_back else {
        return Ok(evidence.dry.then(|| Finding::new(CheckStatus::NotRun)));
    };
    let broken = verdict.violations.iter().filter(|it| kinds.contains(&it.kind)).count();
    let found = match broken {
        0 => Finding::new(CheckStatus::Passed),
        _ => Finding::failed(not_verified(verdict)),
    };
    let k = verdict.k.filter(|_| kinds.contains(&ViolationKind::SmallClass));
    let found = found.with("violations", broken);
    Ok(Some(match k {
        Some(k) => found.with("k", k).with("required", requirements.k),
        None => found,
    }))
}

fn risk_limits(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    if let Some(found) = stopped(evidence, "risk-limits") {
        return Ok(Some(found));
    }
    let kinds = [ViolationKind::Risk, ViolationKind::KnownColumns];
    verified(evidence, &kinds, |asked| asked.requirements.risks != Default::default())
}

fn read_back(evidence: &Evidence<'_>) -> Result<Option<Finding>> {
    if evidence.release.is_none() {
        return Ok(None);
    }
    Ok(match evidence.read_back {
        Some(read_back) => Some(same_as_written(read_back)),
        None => evidence.dry.then(|| Finding::new(CheckStatus::NotRun)),
    })
}

fn same_as_written(ReadBack { verdict, same, .. }: &ReadBack) -> Finding {
    use ViolationKind as Kind;
    let others = [
        Kind::UnknownColumn,
        Kind::UnknownLabel,
        Kind::UntruthfulValue,
        Kind::InventedRow,
        Kind::NotOnRecord,
    ];
    let found = match same {
        Some(true) if verdict.violations.iter().any(|it| others.contains(&it.kind)) => {
            Finding::failed(not_verified(verdict))
        }
        Some(true) => Finding::new(CheckStatus::Passed),
        Some(false) => Finding::failed(
            Error::new(
                "the written release is not what was written: rows were lost, changed or added",
            )
            .help("nothing was released; try again, and look at who else writes there")
            .of_kind(ErrorKind::Refused),
        ),
        None => Finding::failed(cannot_tell("read-back")),
    };
    found.with("rows", verdict.rows)
}

/// The error for a release that the verifier refuses.
fn not_verified(verdict: &incrowd_verify::Verdict) -> Error {
    let what: Vec<String> = verdict.violations.iter().map(super::told).collect();
    Error::new(format!("the release failed verification: {}", what.join("; ")))
        .help("nothing was written; please report this as a fault of incrowd")
        .of_kind(ErrorKind::Refused)
}
