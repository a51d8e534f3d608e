//! The figures of a run behind its answer: bounds, metrics, classes, the choice of the method, times.

use incrowd_assess::bias::ColumnBias;
use incrowd_assess::risk::{AttackerRisk, JournalistRisk};
use incrowd_engine::release::{BlankCounts, LossMeasures, NodeLabelLoss};
use incrowd_engine::search::{CoverFacts, LatticeFacts, RankedNode};
use incrowd_engine::words::{count, thousands};

use crate::report::run_report::{RunReport, cost_text};
use crate::report::statement::{Statement, Tone};
use crate::report::text::{finished_text, names_text, sets_text, unchanged_text};

/// All that is told of a run beyond its answer.
pub(crate) fn details(report: &RunReport) -> Vec<Statement> {
    let mut facts = DetailList::default();
    let Some(metrics) = &report.metrics else {
        if let Some(bound) = report.bound {
            facts.add("bound", format!("{} {}", report.metric, cost_text(bound)));
        }
        facts.lines("note", report.notes.clone());
        return facts.0;
    };
    facts.add("outcome", report.in_words.clone());
    facts.lines("proven", report.proven.clone());
    let kind = report.recoding_kind.unwrap_or("no");
    facts.add("method", format!("{}, {kind} recoding", report.method));
    facts.lines("chosen", report.auto.as_ref().map(|chosen| chosen.why.clone()));
    facts.add(
        "table",
        format!(
            "{}, {}",
            count(report.rows, "row", "rows"),
            count(report.cells as u64, "profile", "profiles")
        ),
    );
    facts.add(
        "release",
        format!(
            "{} in {}; {} suppressed",
            count(report.released, "row", "rows"),
            count(report.classes as u64, "class", "classes"),
            thousands(report.suppressed)
        ),
    );
    facts.lines("smallest", smallest(report));
    if let Some(risk) = report.verdict.as_ref().and_then(|verdict| verdict.risk.as_ref()) {
        facts.add(
            "risk",
            format!(
                "at most {:.1} %, {:.1} % on average, by {}",
                100.0 * risk.highest,
                100.0 * risk.average,
                names_text(&report.quasi)
            ),
        );
    }
    facts.lines("cost", report.cost.map(|cost| format!("{} {}", report.metric, cost_text(cost))));
    facts.lines("sets", report.unrelated_sets.iter().map(sets_text));
    facts.add("metrics", metrics_text(metrics));
    let refinement = report.verdict.as_ref().and_then(|verdict| verdict.refinement.as_ref());
    let told = refinement.map(|labels| labels.all.to_string());
    facts
        .lines("labels", told.into_iter().chain(report.node_labels.as_ref().map(node_labels_text)));
    facts.lines("recoding", report.recoding.clone());
    facts.lines("bias", report.bias.iter().filter_map(bias_text));
    facts.lines("blanks", report.blanks.iter().flat_map(|blanks| spread(blanks, report.rows)));
    facts.lines("cover", report.cover.as_ref().map(ratios));
    facts.lines("lattice", report.lattice.iter().flat_map(lattice));
    facts.lines("journalist", report.journalist.iter().flat_map(journalist_text));
    facts.lines("treated", finished_text(report));
    facts.lines("unchanged", unchanged_text(report));
    facts.lines("note", report.notes.clone());
    facts.add("time", format!("{:.2} s, {:.2} s of CPU", report.wall_seconds, report.cpu_seconds));
    facts.0
}

#[derive(Default)]
struct DetailList(Vec<Statement>);

impl DetailList {
    fn add(&mut self, name: &str, text: impl Into<String>) {
        self.0.push(Statement::new(name, Tone::Neutral, text));
    }

    /// Lines under one name, if there are any.
    fn lines(&mut self, name: &str, lines: impl IntoIterator<Item = String>) {
        let lines: Vec<String> = lines.into_iter().collect();
        if !lines.is_empty() {
            self.add(name, lines.join("\n"));
        }
    }
}

fn smallest(report: &RunReport) -> Option<String> {
    let of = if report.wildcards { "crowd" } else { "class" };
    let size = match report.unit.as_str() {
        "row" => count(report.achieved_k?, "row", "rows"),
        unit => format!("{} of `{unit}`", count(report.achieved_k?, "value", "values")),
    };
    Some(format!("{of} of {size}, at least {} required", thousands(report.k)))
}

fn metrics_text(metrics: &LossMeasures) -> String {
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
    others.join(", ")
}

/// What is lost by one node for each class and by sets of nodes, and which of them is released.
fn node_labels_text(loss: &NodeLabelLoss) -> String {
    let released = match (loss.with_sets, loss.columns.len()) {
        (0, _) => "nodes",
        (some, all) if some == all => "sets of nodes",
        _ => "nodes in some columns, sets of nodes in others",
    };
    let NodeLabelLoss { as_node, as_nodes, .. } = loss;
    format!(
        "{released}; the same classes lose {as_node:.4} as nodes, {as_nodes:.4} as sets of nodes"
    )
}

/// Categories of a column that are told with their shares.
const CATEGORIES_TOLD: usize = 3;

/// How suppression moves the shares of a column, if by anything that is told.
pub fn bias_text(column: &ColumnBias) -> Option<String> {
    let each: Vec<String> = column
        .told()
        .take(CATEGORIES_TOLD)
        .map(|it| {
            let deviations = it.standardized.unwrap_or(0.0);
            format!(
                "{} {:.1} % to {:.1} % ({deviations:+.3} sd)",
                column.named(it),
                100.0 * it.before,
                100.0 * it.after
            )
        })
        .collect();
    if each.is_empty() {
        return None;
    }
    let all = format!("dissimilarity {:.4}", column.dissimilarity);
    Some(format!("{}; {all}", each.join(", ")))
}

/// What somebody who has the population can hope for, in lines.
fn journalist_text(risk: &JournalistRisk) -> Vec<String> {
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
    let mut lines = vec![format!(
        "risk by all {} people of the population: {} before; after: {after}",
        thousands(risk.people),
        hopes(&risk.before)
    )];
    if risk.unknown > 0 {
        lines.push(format!(
            "{} of them have values that the table lacks and fit blanks only: the true risk is rather lower",
            thousands(risk.unknown)
        ));
    }
    if risk.lacking > 0 {
        lines.push(format!(
            "{} of the table match nobody there: is it the whole population?",
            count(risk.lacking, "row", "rows")
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
    let by_number: Vec<String> = by_number
        .map(|(number, &blank)| format!("{number} in {}", count(blank, "row", "rows")))
        .collect();
    let distances = blanks.columns.iter().zip(&blanks.distances);
    let distances: Vec<String> =
        distances.map(|((name, _), apart)| format!("{name} {:.1} %", 100.0 * apart)).collect();
    vec![
        format!("{} of {} cells ({share:.2} %)", thousands(blanks.cells), thousands(all)),
        format!("by column: {}; spread {}", columns.join(", "), thousands(blanks.spread)),
        format!("by row: {}", by_number.join(", ")),
        format!("values left beside the table's, distance: {}", distances.join(", ")),
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

/// The best nodes and the frontier of a full-domain search, in lines.
fn lattice(facts: &LatticeFacts) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: {} checked, {} pruned",
        count(facts.nodes, "node", "nodes"),
        thousands(facts.checked),
        thousands(facts.pruned)
    )];
    let row = |node: &RankedNode| {
        let levels: Vec<String> = node.levels.iter().map(u32::to_string).collect();
        vec![
            levels.join(" "),
            cost_text(node.cost),
            thousands(node.suppressed),
            thousands(node.classes),
        ]
    };
    // A table of one row would be the release itself.
    if facts.top.len() > 1 {
        let header = ["levels", "cost", "suppressed", "classes"];
        lines.extend(aligned(&header, facts.top.iter().take(SHOWN).map(row)));
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
        lines.extend(aligned(&header, rows));
    }
    lines
}

/// Rows under a header, in columns of one width each.
fn aligned(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let mut all: Vec<Vec<String>> = vec![header.iter().map(|it| (*it).to_owned()).collect()];
    all.extend(rows);
    let width = |at: usize| all.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let fields = row.iter().zip(&widths).map(|(field, &width)| format!("{field:<width$}"));
        fields.collect::<Vec<String>>().join("  ").trim_end().to_owned()
    };
    all.iter().map(line).collect()
}
