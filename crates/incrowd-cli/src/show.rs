//! Results as text.

use std::path::Path;

use incrowd_assess::risk::{AttackerRisk, JournalistRisk};
use incrowd_engine::release::BlankCounts;
use incrowd_engine::search::{CoverFacts, LatticeFacts, RankedNode};
use incrowd_engine::words::thousands;
use incrowd_run::{
    Error, Result, RunReport,
    report::{cost_text, finished_text, names_text, sets_text, unchanged_text},
};
use incrowd_term::tell;

pub(crate) use incrowd_term::{CommandOutcome, json_answer, json_text, maybe, say, seconds, table};

/// Refuses to print a report between the bytes of something else.
pub(crate) fn one_on_stdout<'a>(
    json: bool,
    outputs: impl IntoIterator<Item = Option<&'a Path>>,
) -> Result<bool> {
    let taken = outputs.into_iter().flatten().any(|output| output == Path::new("-"));
    if taken && json {
        return Err(Error::new("--json and an output named `-` cannot share standard output")
            .help("write the output to a file, or leave out --json"));
    }
    Ok(taken)
}

/// Prints a run and says how it ended; `taken` says that standard output holds something else.
pub(crate) fn run(report: &RunReport, json: bool, taken: bool) -> CommandOutcome {
    if taken && report.metrics.is_some() {
        let verified = match &report.verdict {
            Some(verdict) if verdict.holds => "verified: ",
            Some(_) => "FAILS: ",
            None => "",
        };
        tell(&format!("{verified}{} rows in {} classes", report.released, report.classes));
    } else if taken {
        tell(&as_text(report));
    } else if json {
        say(&format!("{}\n", as_json(report)));
    } else {
        say(&as_text(report));
    }
    match report.metrics {
        _ if report.outcome.is_interrupted() => CommandOutcome::Interrupted,
        None => CommandOutcome::Unmet,
        // Written all the same, because the user asked to see it.
        _ if report.verdict.as_ref().is_some_and(|verdict| !verdict.holds) => CommandOutcome::Unmet,
        _ => CommandOutcome::Done,
    }
}

fn as_json(report: &RunReport) -> String {
    json_answer("report", report).unwrap_or_else(|e| format!("{{\"error\": \"{e}\"}}"))
}

fn as_text(report: &RunReport) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<14}{value}\n"));
    let Some(metrics) = &report.metrics else {
        let why = report.why.as_deref().unwrap_or("no reason is known");
        line("no release", format!("{why}; nothing was written"));
        if let Some(bound) = report.bound {
            line("bound", format!("{} {}", report.metric, cost_text(bound)));
        }
        return text;
    };
    line(
        "outcome",
        format!(
            "{} ({}, {} recoding)",
            report.in_words,
            report.method,
            report.recoding_kind.unwrap_or("no")
        ),
    );
    if let Some(proven) = &report.proven {
        line("proven", proven.clone());
    }
    if let Some(chosen) = &report.auto {
        line("chosen", chosen.why.clone());
    }
    line(
        "table",
        format!(
            "{}, {}",
            count(report.rows, "row"),
            count(report.cells as u64, "distinct combination")
        ),
    );
    line(
        "release",
        format!(
            "{} in {}; {} suppressed",
            count(report.released, "row"),
            count(report.classes as u64, "class"),
            thousands(report.suppressed)
        ),
    );
    if let Some(achieved) = report.achieved_k {
        line(
            "smallest",
            format!(
                "{} of {}, at least {} asked for",
                if report.wildcards { "crowd" } else { "class" },
                match report.unit.as_str() {
                    "row" => count(achieved, "row"),
                    unit => format!("{} different values of `{unit}`", thousands(achieved)),
                },
                thousands(report.k)
            ),
        );
    }
    for (at, reached) in report.requirements.iter().enumerate() {
        line(if at == 0 { "risk" } else { "" }, reached.text.clone());
    }
    if report.wildcards {
        line("reading", "a blank matches anything: weaker than k-anonymity".to_owned());
    }
    if let Some(cost) = report.cost {
        line("cost", format!("{} {}", report.metric, cost_text(cost)));
    }
    for sets in &report.unrelated_sets {
        line("", sets_text(sets));
    }
    let mut others = vec![
        format!("GCP {:.4}", metrics.gcp),
        format!("as printed {:.4}", metrics.released_gcp),
        format!("loss {:.4}", metrics.loss),
        format!("DM {}", thousands(metrics.dm)),
        format!(
            "average class {:.1} rows (C_avg {:.2})",
            metrics.average.rows, metrics.average.relative
        ),
    ];
    others.extend(metrics.cm.map(|cm| format!("CM {}", thousands(cm))));
    others.extend(metrics.precision.map(|precision| format!("precision {precision:.4}")));
    line("metrics", others.join(", "));
    for (at, words) in report.recoding.iter().enumerate() {
        line(if at == 0 { "recoding" } else { "" }, words.clone());
    }
    if let Some(blanks) = &report.blanks {
        for (at, words) in spread(blanks, report.rows).into_iter().enumerate() {
            line(if at == 0 { "blanks" } else { "" }, words);
        }
    }
    if let Some(cover) = &report.cover {
        line("cover", ratios(cover));
    }
    if let Some(facts) = &report.lattice {
        line(
            "lattice",
            format!(
                "{}: {} checked, {} pruned",
                count(facts.nodes, "node"),
                thousands(facts.checked),
                thousands(facts.pruned)
            ),
        );
        for row in ranked(facts).lines() {
            line("", row.to_owned());
        }
    }
    if let Some(risk) = &report.journalist {
        for (at, words) in journalist(risk).into_iter().enumerate() {
            line(if at == 0 { "journalist" } else { "" }, words);
        }
    }
    for (at, note) in report.notes.iter().enumerate() {
        line(if at == 0 { "note" } else { "" }, note.clone());
    }
    line("time", format!("{:.2} s, {:.2} s of CPU", report.wall_seconds, report.cpu_seconds));
    match (&report.output, &report.verdict) {
        (Some(output), Some(verdict)) => {
            let risk = verdict.risk.as_ref().map_or(String::new(), |risk| {
                format!(
                    "; re-identification risk at most {:.1} % by {}, {:.1} % on average",
                    100.0 * risk.highest,
                    names_text(&report.quasi),
                    100.0 * risk.average
                )
            });
            if verdict.holds {
                line("verified", format!("independently, from the written rows{risk}"));
            } else {
                let fails = verdict.violations.iter().map(|violation| violation.message.as_str());
                let fails: Vec<&str> = fails.collect();
                line("FAILS", format!("{}; for comparison only{risk}", fails.join("; ")));
            }
            unchanged(&mut line, report);
            line("written", output.display().to_string());
        }
        _ => {
            unchanged(&mut line, report);
            line(
                "dry run",
                "nothing was written; name a file with -o to write the release".to_owned(),
            );
        }
    }
    if let Some(page) = &report.report {
        line("report", page.display().to_string());
    }
    text
}

/// What the columns give away that are released as they are.
fn unchanged(line: &mut impl FnMut(&str, String), report: &RunReport) {
    for (at, words) in finished_text(report).into_iter().enumerate() {
        line(if at == 0 { "treated" } else { "" }, words);
    }
    for (at, words) in unchanged_text(report).into_iter().enumerate() {
        line(if at == 0 { "unchanged" } else { "" }, words);
    }
}

/// What somebody who has the population can hope for, in lines.
pub(crate) fn journalist(risk: &JournalistRisk) -> Vec<String> {
    let hopes = |attack: &AttackerRisk| {
        format!(
            "{:.1} % at most, {:.1} % on average",
            100.0 * attack.highest,
            100.0 * attack.average
        )
    };
    let after = risk.after.as_ref().map_or_else(
        || "not counted, because there are too many classes and values".to_owned(),
        hopes,
    );
    let mut lines = vec![
        format!("who has all {} people of the population", thousands(risk.people)),
        format!("finds {} before; after: {after}", hopes(&risk.before)),
    ];
    if risk.unknown > 0 {
        lines.push(format!(
            "{} of them have values that the table lacks and fit blanks only: the risk is rather too high",
            thousands(risk.unknown)
        ));
    }
    if risk.lacking > 0 {
        lines.push(format!(
            "{} of the table lack a counterpart there: is it the whole population?",
            count(risk.lacking, "row")
        ));
    }
    lines
}

/// Where blanks are, in lines.
fn spread(blanks: &BlankCounts, rows: u64) -> Vec<String> {
    let all = rows * blanks.columns.len() as u64;
    let share = 100.0 * blanks.cells as f64 / all.max(1) as f64;
    let columns: Vec<String> = blanks
        .columns
        .iter()
        .map(|(name, blanks)| format!("{name} {}", thousands(*blanks)))
        .collect();
    let by_number = blanks.rows.iter().enumerate().filter(|(_, rows)| **rows > 0);
    let by_number: Vec<String> =
        by_number.map(|(number, &rows)| format!("{number} in {}", count(rows, "row"))).collect();
    vec![
        format!("{} of {} cells ({share:.2} %)", thousands(blanks.cells), thousands(all)),
        format!("by column: {}; spread {}", columns.join(", "), thousands(blanks.spread)),
        format!("by row: {}", by_number.join(", ")),
    ]
}

/// How good a cover is, in a line.
fn ratios(cover: &CoverFacts) -> String {
    let mut words = vec![format!(
        "cost {} before the improvement, {} after it",
        cost_text(cover.before_improvement),
        cost_text(cover.cost)
    )];
    words.extend(cover.guaranteed.map(|ratio| {
        format!("guaranteed at most {ratio:.2} times the fewest (4 (2k - 1) (k - 1) / k H(2k - 1))")
    }));
    words.extend(match (cover.against_optimum, cover.against_bound) {
        (Some(ratio), _) => Some(format!("{ratio:.3} times the optimum")),
        (None, Some(ratio)) => Some(format!("at most {ratio:.3} times by the bound")),
        (None, None) => None,
    });
    words.join("; ")
}

/// The most nodes that text shows; JSON has them all.
const SHOWN: usize = 50;

/// The best nodes and the frontier of a full-domain search as a table; empty if there is nothing but the
/// release itself.
fn ranked(facts: &LatticeFacts) -> String {
    let row = |node: &RankedNode| {
        let levels: Vec<String> = node.levels.iter().map(u32::to_string).collect();
        vec![
            levels.join(" "),
            cost_text(node.cost),
            thousands(node.suppressed),
            thousands(node.classes),
        ]
    };
    let mut text = String::new();
    if facts.top.len() > 1 {
        let header = ["levels", "cost", "suppressed", "classes"];
        text.push_str(&table(&header, facts.top.iter().take(SHOWN).map(row)));
        text.push('\n');
    }
    if !facts.frontier.is_empty() {
        let header = ["k", "levels", "cost", "suppressed", "classes"];
        let rows = facts.frontier.iter().take(SHOWN).map(|point| {
            let k = match point.k == point.to_k {
                true => point.k.to_string(),
                false => format!("{}-{}", point.k, point.to_k),
            };
            [vec![k], row(&point.best)].concat()
        });
        text.push_str(&table(&header, rows));
    }
    text
}

/// A number with its noun.
fn count(number: u64, noun: &str) -> String {
    let plural = match (number, noun) {
        (1, _) => "",
        (_, noun) if noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}", thousands(number))
}
