//! The judgement of each check.

use std::collections::BTreeMap;

use incrowd_assess::disclose::{ImpliedColumn, JointDisclosure};
use incrowd_engine::{Problem, Release};
use incrowd_verify::{Requirements, RiskRequirement, RiskVerdict, Verdict, ViolationKind};

use super::evidence::{CountedEvidence, FinishedEvidence, ImpliedEvidence, ReadBack, RunEvidence};
use super::finding::{CheckStatus, Finding};
use super::subject_refusals::spelled_units;
use super::{earlier_releases, exposure, implied, roles, truth};
use crate::plan::declaration::Declaration;
use crate::plan::from_spec::may_share_boxes;
use crate::plan::interface::{ColumnRefusal, refusal};
use crate::plan::job::Job;
use crate::verify::violation_text::told;
use crate::{ColumnFix, Error, ErrorKind, Result};

/// What is asked of a release that can be read back.
pub(crate) struct CheckScope<'a> {
    pub(crate) job: &'a Job,
    pub(crate) requirements: &'a Requirements,
}

pub(crate) fn cannot_tell(id: &str) -> Error {
    Error::new(format!("the check `{id}` could not be decided"))
        .help("nothing was written; please report this as a fault of incrowd")
        .of_kind(ErrorKind::Refused)
}

pub(crate) fn back_end(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    Ok(Some(match evidence.lacks {
        Some(error) => Finding::failed(error.clone()),
        None => Finding::new(CheckStatus::Passed),
    }))
}

pub(crate) fn unnamed_columns(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(counted) = evidence.counted else { return Ok(None) };
    let RunEvidence { job, source, .. } = *evidence;
    if job.unnamed.is_empty() {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    let (watched, rows) = (&counted.table.watched, counted.table.rows);
    if watched.len() != job.watched(source).len() {
        return Ok(Some(Finding::failed(cannot_tell("unnamed-columns"))));
    }
    let found =
        roles::refuse_exposed(job, source, watched, rows, counted.sample, &evidence.control);
    let found = Finding::of(found)?;
    Ok(Some(found.with("columns", job.unnamed.len())))
}

pub(crate) fn identifiers(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(counted) = evidence.counted else { return Ok(None) };
    let RunEvidence { job, source, .. } = *evidence;
    let watched = job.watched(source).len();
    let columns = job.problem.targets.len() + watched - job.unnamed.len().min(watched);
    if columns == 0 {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    if watched != counted.table.watched.len() {
        return Ok(Some(Finding::failed(cannot_tell("identifiers"))));
    }
    let (found, accepted) = roles::refuse_identifiers(job, source, counted.table);
    let mut found = Finding::of(found.map(|()| Vec::new()))?.with("columns", columns);
    if !accepted.is_empty() {
        if found.status == CheckStatus::Passed {
            found.status = CheckStatus::Waived;
        }
        found = found.with("accepted", accepted);
    }
    Ok(Some(found))
}

/// Columns that follow from others, and those that tell something together.
type ColumnDisclosures<'a> = (&'a [ImpliedColumn], &'a [JointDisclosure]);

/// What was found of columns that follow from others or tell something together; a finding if there is nothing to judge.
fn told_columns<'a>(
    evidence: &RunEvidence<'a>,
    id: &str,
) -> Option<std::result::Result<ColumnDisclosures<'a>, Finding>> {
    Some(match evidence.counted?.implied {
        ImpliedEvidence::NotAsked => Err(Finding::new(CheckStatus::NotAsked)),
        ImpliedEvidence::Unknown => Err(Finding::failed(cannot_tell(id))),
        ImpliedEvidence::Found(found) => Ok((&found.columns, &found.together)),
    })
}

pub(crate) fn implied_columns(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(counted) = evidence.counted else { return Ok(None) };
    let found = match told_columns(evidence, "implied-columns") {
        Some(Ok((found, _))) => found,
        other => return Ok(other.and_then(std::result::Result::err)),
    };
    let stays = |it: &&ImpliedColumn| !evidence.to_leave_out.contains(&it.column);
    let staying: Vec<&ImpliedColumn> = found.iter().filter(stays).collect();
    let judged = Finding::of(implied::judge(evidence.job, &counted.table.counts, &staying))?;
    let columns: Vec<&str> = found.iter().map(|it| it.column.as_str()).collect();
    Ok(Some(judged.with("columns", columns)))
}

pub(crate) fn columns_together(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let found = match told_columns(evidence, "columns-together") {
        Some(Ok((_, found))) => found,
        other => return Ok(other.and_then(std::result::Result::err)),
    };
    let judged = implied::refuse_together(evidence.job, found, &evidence.to_leave_out);
    let mut judged = Finding::of(judged.map(|()| Vec::new()))?;
    if judged.status == CheckStatus::Passed && !found.is_empty() {
        judged.status = CheckStatus::Waived;
    }
    Ok(Some(judged.with("pairs", found.len())))
}

pub(crate) fn repeated_subjects(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(CountedEvidence { comparison, subjects, .. }) = evidence.counted else {
        return Ok(None);
    };
    let RunEvidence { job, source, .. } = *evidence;
    if job.problem.unit.is_some() || job.unit_is_said {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    if !comparison.is_answered_by(subjects) {
        return Ok(Some(Finding::failed(cannot_tell("repeated-subjects"))));
    }
    let found = Finding::of(comparison.refuse_repeated_subjects(job, source, subjects))?;
    Ok(Some(found.with("columns", subjects.len())))
}

pub(crate) fn subject_links(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(CountedEvidence { table, comparison, subjects, .. }) = evidence.counted else {
        return Ok(None);
    };
    let RunEvidence { job, source, .. } = *evidence;
    if job.problem.unit.is_none() && !job.unit_is_said {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    if !comparison.is_answered_by(subjects) {
        return Ok(Some(Finding::failed(cannot_tell("subject-links"))));
    }
    let found = match &job.problem.unit {
        Some(unit) => {
            let counted = table.counts.columns.iter().find(|(name, _)| *name == unit.name);
            let counted =
                || counted.map_or_else(Vec::new, |it| it.1.iter().map(str::to_owned).collect());
            // A pseudonym hides how a number is written, and not that it is written in two ways.
            let values: Vec<String> = match job.finishing.treatment(&unit.name) {
                Some(_) => {
                    let at = source.place_of(&unit.name)?;
                    match source.undisguised_values(at, &evidence.control) {
                        Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
                        // Where a back end holds the rows, they are not read here.
                        found => found.unwrap_or_else(|_| counted()),
                    }
                }
                None => counted(),
            };
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            spelled_units(job, &values)
                .and_then(|()| comparison.refuse_links(job, source, subjects))
        }
        None => comparison.refuse_groups(job, source, subjects),
    };
    let found = Finding::of(found.map(|()| Vec::new()))?;
    Ok(Some(found.with("columns", subjects.len().saturating_sub(1))))
}

/// Whether finishing stopped for the reason that a check names.
pub(crate) fn stopped(evidence: &RunEvidence<'_>, id: &str) -> Option<Finding> {
    let obstacle = evidence.release?.rows.obstacle.as_ref()?;
    (obstacle.check == Some(id)).then(|| Finding::failed(obstacle.clone()))
}

pub(crate) fn followers(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(_) = evidence.release else { return Ok(None) };
    let follows = evidence.job.finishing.follows.len();
    let status = if follows == 0 { CheckStatus::NotAsked } else { CheckStatus::Passed };
    let found = stopped(evidence, "followers").unwrap_or_else(|| Finding::new(status));
    Ok(Some(found.with("columns", follows)))
}

pub(crate) fn rows_left(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(release) = evidence.release else { return Ok(None) };
    let found = stopped(evidence, "rows-left");
    let found = found.unwrap_or_else(|| Finding::new(CheckStatus::Passed));
    Ok(Some(found.with("rows", release.rows.release(release.plan.release).rows())))
}

pub(crate) fn suppression_limit(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(FinishedEvidence { plan, rows, .. }) = evidence.release else { return Ok(None) };
    let release = rows.release(plan.release);
    let (suppressed, limit) = suppressed(plan.problem, release);
    let found = match suppressed > limit {
        false => Finding::new(CheckStatus::Passed),
        true => Finding::failed(
            Error::new(format!(
                "{suppressed} rows would have to be suppressed, but the limit is {limit}"
            ))
            .help("raise the suppression limit, or ask for less protection"),
        ),
    };
    Ok(Some(found.with("suppressed", suppressed).with("limit", limit)))
}

/// How many rows a release suppresses, and how many it may.
pub(crate) fn suppressed(problem: &Problem, release: &Release) -> (u64, u64) {
    let suppressed = problem.rows - release.classes.released_rows();
    (suppressed, problem.limit.rows(problem.rows, problem.rows))
}

pub(crate) fn truthful(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(FinishedEvidence { plan, pairs, requirements, .. }) = evidence.release else {
        return Ok(None);
    };
    let found = truth::check_truth(plan, pairs, requirements, &evidence.control);
    let found = Finding::of(found.map(|()| Vec::new()))?;
    Ok(Some(found.with("pairs", pairs.len())))
}

pub(crate) fn revealing_columns(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(FinishedEvidence { plan, rows, subjects, .. }) = evidence.release else {
        return Ok(None);
    };
    let job = evidence.job;
    let said = job.sayings(evidence.source);
    let said = |column: &str| match subjects.linking.iter().any(|name| name == column) {
        true => Declaration::Judged,
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

pub(crate) fn earlier_releases(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let Some(FinishedEvidence { plan, rows, .. }) = evidence.release else { return Ok(None) };
    let earlier = &evidence.job.earlier;
    if earlier.is_empty() {
        return Ok(Some(Finding::new(CheckStatus::NotAsked)));
    }
    let release = rows.release(plan.release);
    let found =
        earlier_releases::refuse_differences(earlier, plan.problem, release, &evidence.control);
    let found = Finding::of(found.map(|()| Vec::new()))?;
    Ok(Some(found.with("releases", earlier.len())))
}

/// A check of what was read back: none of these violations may be among those that the verifier has found.
pub(crate) fn verified(
    evidence: &RunEvidence<'_>,
    kinds: &[ViolationKind],
    is_asked: impl Fn(&CheckScope<'_>) -> bool,
) -> Result<Option<Finding>> {
    let Some(FinishedEvidence { requirements, .. }) = evidence.release else { return Ok(None) };
    if !is_asked(&CheckScope { job: evidence.job, requirements }) {
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

/// Whoever knows all rows of somebody intersects their classes. No search looks for that, so a failure is no fault.
pub(crate) fn several_rows(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    let kinds = [ViolationKind::SeveralRows];
    let found = verified(evidence, &kinds, |CheckScope { requirements, .. }| {
        requirements.unit.is_some() && !requirements.models.is_empty()
    })?;
    let (Some(finding), Some(read_back)) = (&found, evidence.read_back) else { return Ok(found) };
    if finding.status != CheckStatus::Failed {
        return Ok(found);
    }
    let broken = read_back.verdict.violations.iter().filter(|it| kinds.contains(&it.kind));
    let broken = broken.filter_map(|it| Some((it.column.as_ref()?, it.message.clone())));
    let broken: BTreeMap<&String, String> = broken.collect();
    let voice = evidence.job.voice;
    let job = evidence.job;
    let unit = job.problem.unit.as_ref().map(|unit| unit.name.as_str());
    let headline = "the rows of one unit, taken together, reveal sensitive values";
    let error = match unit.filter(|_| may_share_boxes(&job.method)) {
        Some(unit) => {
            let why: Vec<String> = broken.values().map(|why| format!("\n  {why}")).collect();
            let way =
                format!("\n      {}  puts all rows of a person into one class", voice.same_box());
            let why_mended = "the rows of one person are in several classes".to_owned();
            let mend = ColumnFix { column: unit.to_owned(), role: "same-box", why: why_mended };
            let help = "nothing was written; put the rows of a unit into one class, or lower \
                        what the models ask for";
            let error = Error::new(format!("{headline}{}{way}", why.concat())).help(help);
            Error { mends: vec![mend], ..error.of_kind(ErrorKind::Undoes) }
        }
        None => {
            let refused = broken.into_iter();
            let refused =
                refused.map(|(column, why)| ColumnRefusal::to_leave_out(column, why, voice));
            let help = "nothing was written; use the kind local with same-box, or lower what \
                        the models ask for";
            refusal(ErrorKind::Undoes, headline, &refused.collect::<Vec<_>>(), help)
        }
    };
    Ok(Some(Finding { figures: finding.figures.clone(), ..Finding::failed(error) }))
}

pub(crate) fn risk_limits(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    if let Some(found) = stopped(evidence, "risk-limits") {
        return Ok(Some(found));
    }
    let kinds = [ViolationKind::Risk, ViolationKind::KnownColumns];
    verified(evidence, &kinds, |asked| asked.requirements.risks != Default::default())
}

pub(crate) fn read_back(evidence: &RunEvidence<'_>) -> Result<Option<Finding>> {
    if evidence.release.is_none() {
        return Ok(None);
    }
    Ok(match evidence.read_back {
        Some(read_back) => Some(same_as_written(read_back)),
        None => evidence.dry.then(|| Finding::new(CheckStatus::NotRun)),
    })
}

pub(crate) fn same_as_written(ReadBack { verdict, same, .. }: &ReadBack) -> Finding {
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
        Some(false) => {
            let changed = "rows were lost, changed or added while it was written";
            let what = [changed.to_owned()].into_iter();
            let what: Vec<String> = what.chain(verdict.violations.iter().map(told)).collect();
            let error = format!("the release failed verification: {}", what.join("; "));
            let help = "nothing was released; try again, and check whether another program \
                        writes to the same place";
            Finding::failed(Error::new(error).help(help).of_kind(ErrorKind::Refused))
        }
        None => Finding::failed(cannot_tell("read-back")),
    };
    found.with("rows", verdict.rows)
}

/// The error for a release that the verifier refuses.
pub(crate) fn not_verified(verdict: &Verdict) -> Error {
    let what: Vec<String> = verdict.violations.iter().map(told).collect();
    Error::new(format!("the release failed verification: {}", what.join("; ")))
        .help("nothing was written; please report this as a fault of incrowd")
        .of_kind(ErrorKind::Refused)
}

/// What a verdict on a written release says of a check, for whoever has the release and not the run; the other checks are not run.
pub(crate) fn of_verdict(id: &'static str, verdict: &Verdict) -> Finding {
    use ViolationKind as Kind;
    let is_bias = |risk: &RiskVerdict| risk.requirement == RiskRequirement::Bias;
    let (asked, kinds): (bool, &[Kind]) = match id {
        "k-anonymity" => (true, &[Kind::SmallClass]),
        "models" => (!verdict.models.is_empty(), &[Kind::Model]),
        "several-rows" => {
            (verdict.unit.is_some() && !verdict.models.is_empty(), &[Kind::SeveralRows])
        }
        "risk-limits" => {
            (verdict.risks.iter().any(|it| !is_bias(it)), &[Kind::Risk, Kind::KnownColumns])
        }
        "bias" if verdict.original.is_some() => (verdict.risks.iter().any(is_bias), &[Kind::Bias]),
        "identifying-columns" => (true, &[Kind::IdentifyingColumn]),
        "truth" if verdict.original.is_some() => {
            (true, &[Kind::UntruthfulValue, Kind::UnknownLabel, Kind::InventedRow])
        }
        "narrowed-classes"
            if verdict.violations.iter().any(|it| it.kind == Kind::NarrowedClass) =>
        {
            (true, &[Kind::NarrowedClass])
        }
        "linked-collections" if verdict.violations.iter().any(|it| it.kind == Kind::LinkedRows) => {
            (true, &[Kind::LinkedRows])
        }
        _ => return Finding { id, ..Finding::new(CheckStatus::NotRun) },
    };
    let broken = verdict.violations.iter().any(|it| kinds.contains(&it.kind));
    let status = match (asked, broken) {
        (_, true) => CheckStatus::Failed,
        (true, false) => CheckStatus::Passed,
        (false, false) => CheckStatus::NotAsked,
    };
    let found = Finding { id, ..Finding::new(status) };
    match (id, verdict.k) {
        ("k-anonymity", Some(k)) => found.with("k", k).with("required", verdict.required_k),
        _ => found,
    }
}
