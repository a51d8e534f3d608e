//! What a run has to tell people, in the order in which they read it: the answer, the columns, the warnings, the details.
//!
//! The terminal, the report and the pages print a [`RunSummary`]; none of them has words of its own.

use std::path::Path;

use incrowd_assess::bias::bias_words;
use incrowd_engine::words::{count, thousands};
use incrowd_verify::Verdict;
use serde::Serialize;

use crate::plan::warning::Warning;
use crate::report::details::details;
use crate::report::run_report::{RunReport, cost_text};
use crate::report::shareable::{Optimality, ShareableSummary};
use crate::report::statement::{ColumnResult, Statement, Tone};
use crate::report::text::names_text;

/// A run for people who decide about its release.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunSummary {
    /// What was written, what nobody can find out, what was kept.
    pub answer: Vec<Statement>,
    /// What happened to every column.
    pub columns: Vec<ColumnResult>,
    /// What to think about.
    pub warnings: Vec<Warning>,
    /// All else: figures, bounds, the choice of the method, times.
    pub details: Vec<Statement>,
}

impl RunSummary {
    /// All of a run, for the owner of the table.
    pub fn new(report: &RunReport) -> Self {
        RunSummary {
            answer: answer(report),
            columns: report.columns.clone(),
            warnings: report.warnings.clone(),
            details: details(report),
        }
    }

    /// Warnings alone, of a run that has no report.
    pub fn of_warnings(warnings: &[Warning]) -> Self {
        let (answer, columns, details) = (Vec::new(), Vec::new(), Vec::new());
        RunSummary { answer, columns, warnings: warnings.to_vec(), details }
    }

    /// What may be told of a run wherever its release may be seen. It depends on nothing else.
    pub fn shareable(report: &RunReport) -> Self {
        let told = report.shareable.as_ref();
        let picture = told.and_then(|told| told.picture.as_ref());
        let generalized = picture.map_or(&[][..], |picture| &picture.attributes).iter().map(|it| {
            let (column, what) = (it.name.clone(), it.words.clone());
            ColumnResult { column, what, kept: Some(it.kept) }
        });
        let others = report.columns.iter().filter(|it| it.kept.is_none()).cloned();
        RunSummary {
            answer: told.map_or_else(
                || vec![no_release("the internal report says why")],
                |told| shareable_answer(report, told),
            ),
            columns: generalized.chain(others).collect(),
            warnings: told.map_or_else(Vec::new, |told| told.warnings.clone()),
            details: Vec::new(),
        }
    }
}

fn no_release(why: &str) -> Statement {
    Statement::new("No release", Tone::Bad, format!("{why}; nothing was written"))
}

fn answer(report: &RunReport) -> Vec<Statement> {
    if report.metrics.is_none() {
        let why = report.why.as_deref().unwrap_or("no reason is known");
        return vec![no_release(why)];
    }
    let suppressed = match report.suppressed {
        0 => String::new(),
        number => format!(" ({} suppressed)", thousands(number)),
    };
    let rows = format!(
        "{} of {}{suppressed} in {}",
        thousands(report.released),
        count(report.rows, "row", "rows"),
        count(report.classes as u64, "class", "classes")
    );
    let name = report.output.as_ref().map(|output| match output.as_os_str() == "-" {
        true => "standard output".to_owned(),
        false => shown_path(output),
    });
    let mut answer = vec![written(report, name, &rows)];
    let requirements = report.requirements.iter().map(|it| it.text.as_str()).collect();
    answer.extend(safe(report, report.achieved_k, report.verdict.as_ref(), requirements));
    answer.push(kept_statement(kept(report), "", &proof(report)));
    let bias = bias_words(&report.bias);
    answer.extend(bias.map(|words| Statement::new("Bias", Tone::Neutral, words)));
    if let Some(page) = &report.report {
        answer.push(Statement::new("Report", Tone::Neutral, shown_path(page)));
    }
    if let Some(why) = report.why.as_deref().filter(|_| report.outcome.stopped().is_some()) {
        let text = format!("{why}; this is the best release found until then");
        answer.push(Statement::new("Stopped", Tone::Neutral, text));
    }
    answer
}

/// The share of the detail that is kept, by the metric where it is such a share: then a bound of it can be compared.
fn kept(report: &RunReport) -> Option<f64> {
    let metrics = report.metrics.as_ref()?;
    match report.metric {
        "loss" => Some(1.0 - metrics.loss),
        "precision" => metrics.precision,
        // Labels may show less than the groups that were priced.
        _ => Some(1.0 - metrics.gcp.max(metrics.released_gcp)),
    }
}

fn shareable_answer(report: &RunReport, told: &ShareableSummary) -> Vec<Statement> {
    let rows = format!(
        "{} in {}",
        count(told.rows, "row", "rows"),
        count(told.classes, "class", "classes")
    );
    // The folder is the publisher's own business.
    let name = report.output.as_ref().and_then(|output| output.file_name());
    let name = name.map(|name| name.to_string_lossy().into_owned());
    let mut answer = vec![written(report, name, &rows)];
    let risks = told.verdict.iter().flat_map(|verdict| &verdict.risks);
    let requirements = risks.map(|risk| risk.text.as_str()).collect();
    answer.extend(safe(report, told.smallest, told.verdict.as_ref(), requirements));
    let proof = match told.optimality {
        Some(Optimality { optimal: true, .. }) => optimal(report),
        Some(Optimality { gap_percent: Some(gap), .. }) => {
            format!("; proven: no {} release avoids more than {gap} % of the loss", report.kind)
        }
        _ => String::new(),
    };
    let kept = told.measures.as_ref().map(|it| 1.0 - it.lost);
    answer.push(kept_statement(kept, " of the released rows", &proof));
    answer
}

/// What was written, if anything.
fn written(report: &RunReport, name: Option<String>, rows: &str) -> Statement {
    match (name, &report.verdict) {
        (Some(_), Some(verdict)) if !verdict.holds => Statement::new(
            "FAILS",
            Tone::Bad,
            format!(
                "{}; written for comparison only, do not publish it",
                violations(verdict).join("; ")
            ),
        ),
        (Some(name), Some(_)) => Statement::new(
            "Written",
            Tone::Good,
            format!("{name}: {rows}, verified from the written file"),
        ),
        (None, Some(_)) => {
            Statement::new("Made", Tone::Good, format!("{rows}, verified from the released rows"))
        }
        _ => Statement::new(
            "Dry run",
            Tone::Neutral,
            format!("{rows}; nothing was written: name a file with -o"),
        ),
    }
}

/// A path as one would type it here.
fn shown_path(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok());
    below.unwrap_or(path).display().to_string()
}

fn violations(verdict: &Verdict) -> Vec<&str> {
    verdict.violations.iter().map(|violation| violation.message.as_str()).collect()
}

/// What nobody can find out, and what was asked for beyond k.
fn safe(
    report: &RunReport,
    smallest: Option<u64>,
    verdict: Option<&Verdict>,
    requirements: Vec<&str>,
) -> Vec<Statement> {
    let holds = verdict.is_none_or(|verdict| verdict.holds);
    let (name, tone) = if holds { ("Safe", Tone::Good) } else { ("Unsafe", Tone::Bad) };
    let mut statements = Vec::new();
    let says_k = report.k > 1 || requirements.is_empty();
    if report.wildcards && says_k {
        let others = report.k.saturating_sub(1);
        statements.push(format!(
            "every row fits at least {} if a blank is taken to match anything, which is weaker than k-anonymity",
            count(others, "other row", "other rows")
        ));
    } else if let Some(smallest) = smallest.filter(|_| says_k && !report.wildcards) {
        let people = match report.unit.as_str() {
            "row" => count(smallest, "row", "rows"),
            unit => format!("{} of `{unit}`", count(smallest, "value", "values")),
        };
        let risk = match verdict.and_then(|verdict| verdict.risk.as_ref()) {
            Some(risk) => format!(" (risk at most {:.1} %)", 100.0 * risk.highest),
            None => String::new(),
        };
        let names = few_names(&report.quasi);
        statements.push(match holds {
            true => format!("nobody can be narrowed down to fewer than {people} by {names}{risk}"),
            false => format!("people can be narrowed down to {people} by {names}{risk}"),
        });
    }
    statements.extend(requirements.into_iter().map(str::to_owned));
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names.zip(statements).map(|(name, text)| Statement::new(name, tone, text)).collect()
}

/// Names in a sentence, as far as they fit into it.
fn few_names(names: &[String]) -> String {
    const FIT: usize = 48;
    let all = names_text(names);
    if all.chars().count() <= FIT || names.len() < 4 {
        return all;
    }
    format!("{} and {} more", names[..2].join(", "), names.len() - 2)
}

fn kept_statement(kept: Option<f64>, of: &str, proof: &str) -> Statement {
    let text = match kept {
        Some(kept) => format!("{} of the detail{of}{proof}", at_most(kept)),
        None => format!("how much of the detail is not measured here{proof}"),
    };
    Statement::new("Kept", Tone::Neutral, text)
}

/// What is proven of better releases, to follow the share that is kept.
fn proof(report: &RunReport) -> String {
    let kind = report.kind;
    if report.outcome.is_proven() {
        return optimal(report);
    }
    if let Some(most) = report.most_kept {
        let (most, checked) = (at_least(most), checked(report));
        return format!("; proven: no {kind} release can keep more than {most}{checked}");
    }
    match report.bound {
        Some(bound) => {
            let metric = report.metric;
            format!("; proven: no {kind} release has a {metric} below {}", cost_text(bound))
        }
        None => String::new(),
    }
}

/// What is said behind a proof that another program has checked.
fn checked(report: &RunReport) -> &'static str {
    match &report.certificate {
        Some(checked) if checked.holds => " (certificate checked)",
        _ => "",
    }
}

fn optimal(report: &RunReport) -> String {
    let checked = checked(report);
    match report.metric {
        "ncp" | "loss" | "precision" => {
            format!("; proven: no {} release can keep more{checked}", report.kind)
        }
        metric => format!("; proven: no {} release has a smaller {metric}{checked}", report.kind),
    }
}

/// A share in percent, rounded down so that it stays true.
pub(crate) fn at_most(share: f64) -> String {
    format!("{:.1} %", (share * 1e3 + 1e-9).floor() / 10.0)
}

/// A share in percent, rounded up so that it stays true.
pub(crate) fn at_least(share: f64) -> String {
    format!("{:.1} %", (share * 1e3 - 1e-9).ceil() / 10.0)
}
