//! Checks as files for pipelines: what `verify`, `risk`, `attack` and `evaluate` found, as test cases and as SARIF.

use std::path::{Path, PathBuf};

use incrowd_report::{GateCheck, GateReport};
use incrowd_run::Verdict;
use incrowd_run::assess::{Violation, ViolationKind};
use incrowd_run::spec::parsing::parse_share;
use incrowd_run::{
    Error, Result,
    data::{OutputFile, refuse_overwrite},
};

use crate::CommandOutcome;
use crate::args::GateArgs;

/// The files that were asked for, open before anything is looked at: what cannot be written is told at once.
pub(crate) struct GateFiles {
    junit: Option<OutputFile>,
    sarif: Option<OutputFile>,
}

impl GateFiles {
    /// Opens them; they replace nothing that is read.
    pub(crate) fn create(args: &GateArgs, read: &[(&str, &Path)]) -> Result<Self> {
        let open = |what: &str, path: &Option<PathBuf>| match path {
            None => Ok(None),
            Some(path) => {
                refuse_overwrite(what, path, read)?;
                OutputFile::create(path).map(Some)
            }
        };
        if let (Some(junit), Some(sarif)) = (&args.junit, &args.sarif) {
            refuse_overwrite("the SARIF file", sarif, &[("the JUnit file", junit)])?;
        }
        Ok(GateFiles {
            junit: open("the JUnit file", &args.junit)?,
            sarif: open("the SARIF file", &args.sarif)?,
        })
    }

    /// Writes them, and tells how the command ends.
    pub(crate) fn write(self, report: &GateReport) -> Result<CommandOutcome> {
        if let Some(file) = self.junit {
            file.fill(report.junit())?;
        }
        if let Some(file) = self.sarif {
            file.fill(report.sarif())?;
        }
        Ok(if report.holds() { CommandOutcome::Done } else { CommandOutcome::Unmet })
    }
}

/// What a verifier checked.
pub(crate) fn checks_of(verdict: &Verdict) -> Vec<GateCheck> {
    let broken = |kind: ViolationKind, column: Option<&str>| {
        let mut all = verdict.violations.iter();
        all.find(|it| it.kind == kind && (column.is_none() || it.column.as_deref() == column))
    };
    let check = |rule: &str, name: String, broken: Option<&Violation>, holds: bool| {
        let why = broken.map(|it| it.message.clone());
        let failure = why.or_else(|| (!holds).then(|| format!("not met: {name}")));
        GateCheck { row: broken.and_then(first_row), ..GateCheck::new(rule, name, failure) }
    };
    let whom = if verdict.unit.is_some() { "people" } else { "rows" };
    let small = broken(ViolationKind::SmallClass, None);
    let name = format!("every class has at least {} {whom}", verdict.required_k);
    let mut checks = vec![check("k-anonymity", name, small, true)];
    for model in &verdict.models {
        let broken = broken(ViolationKind::Model, Some(&model.column)).filter(|_| !model.holds);
        let name = format!("{}: {}", model.column, model.model);
        checks.push(check("privacy-model", name, broken, model.holds));
    }
    for risk in &verdict.risks {
        checks.push(check("risk", risk.text.clone(), None, risk.holds));
    }
    if verdict.original.is_some() {
        let is_true = |it: &&Violation| {
            matches!(it.kind, ViolationKind::UntruthfulValue | ViolationKind::InventedRow)
        };
        let broken = verdict.violations.iter().find(is_true);
        let name = "every row tells the truth about a row of the original".to_owned();
        checks.push(check("original", name, broken, true));
    }
    let told = [
        ViolationKind::SmallClass,
        ViolationKind::Model,
        ViolationKind::Risk,
        ViolationKind::KnownColumns,
        ViolationKind::Bias,
        ViolationKind::UntruthfulValue,
        ViolationKind::InventedRow,
    ];
    let others = verdict.violations.iter().filter(|it| !told.contains(&it.kind));
    checks
        .extend(others.map(|it| check(rule_of(it.kind), rule_of(it.kind).into(), Some(it), false)));
    // A requirement that none of these checks stands for must not get lost.
    if !verdict.holds && checks.iter().all(|check| check.failure.is_none()) {
        let all = verdict.violations.iter();
        checks.extend(all.map(|it| check("requirement", "a requirement".into(), Some(it), false)));
    }
    checks
}

fn rule_of(kind: ViolationKind) -> &'static str {
    match kind {
        ViolationKind::IdentifyingColumn => "identifying-column",
        ViolationKind::UnknownColumn => "unknown-column",
        ViolationKind::UnknownLabel => "unknown-label",
        ViolationKind::LinkedRows => "linked-rows",
        ViolationKind::NarrowedClass => "narrowed-class",
        ViolationKind::SeveralRows => "several-rows",
        ViolationKind::OriginalValue => "original-value",
        ViolationKind::NotOnRecord => "not-on-record",
        _ => "requirement",
    }
}

fn first_row(violation: &Violation) -> Option<u64> {
    violation.examples.iter().find_map(|example| example.rows.first().copied())
}

/// A limit that a figure must keep.
pub(crate) fn limit(option: &str, text: &str) -> Result<f64> {
    parse_share(text).map_err(|_| {
        Error::new(format!("the limit `{text}` of {option} is not a share"))
            .help(format!("write a share above 0 and at most 1, such as {option} 0.05 or 5%"))
    })
}
