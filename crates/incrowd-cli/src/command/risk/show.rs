//! Risks as text.

use std::path::Path;

use incrowd_assess::risk::{
    AttackerRisk, Estimator, PopulationUniqueness, RiskReport, UniqueCombinations,
};
use incrowd_engine::words::{count, thousands};
use incrowd_report::{
    counted_words, estimated_words, journalist_words, labels_words, outside_words,
};

use crate::show::table;

/// The most combinations that text shows; JSON has them all.
const SHOWN: usize = 10;

/// A share as a percentage.
fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent > 0.0 && percent < 0.01 => "below 0.01 %".to_owned(),
        // A threshold or all of something has no digits to show.
        percent if percent.fract() == 0.0 => format!("{percent:.0} %"),
        percent => format!("{percent:.2} %"),
    }
}

/// About so many people.
fn people(number: f64) -> String {
    thousands(number.round() as u64)
}

/// Lines of a name and what it is.
#[derive(Default)]
struct LabeledLines(String);

impl LabeledLines {
    fn add(&mut self, name: &str, text: &str) {
        for (at, line) in text.lines().enumerate() {
            let name = if at == 0 { name } else { "" };
            self.0.push_str(format!("{name:<14}{line}").trim_end());
            self.0.push('\n');
        }
    }
}

pub(super) fn text(risk: &RiskReport, report: Option<&Path>) -> String {
    let mut lines = LabeledLines::default();
    let members = match &risk.subjects {
        Some(subjects) => format!("values of `{}`", subjects.column),
        None => "rows".to_owned(),
    };
    lines.add(
        "table",
        &format!(
            "{}: {}{} in {}, the smallest of {}\nby {}",
            risk.table,
            count(risk.rows, "row", "rows"),
            risk.subjects.as_ref().map_or_else(String::new, |it| {
                format!(" of {} values of `{}`", thousands(it.subjects), it.column)
            }),
            count(risk.classes, "class", "classes"),
            thousands(risk.smallest_class),
            risk.quasi.join(", ")
        ),
    );
    lines.add(
        "unique",
        &format!(
            "{} {members} ({}) {}",
            thousands(risk.unique_rows),
            percent(risk.unique_share),
            match risk.subjects {
                Some(_) => "have a combination that nobody else has",
                None => "share their combination with no other row",
            }
        ),
    );
    lines.add(
        "prosecutor",
        &format!("knows that a person is in the table; {}", hopes(&risk.prosecutor, &members)),
    );
    if let Some(journalist) = &risk.journalist {
        let how = match journalist_words(journalist) {
            words if words.is_empty() => words,
            words => format!(" ({words})"),
        };
        lines.add(
            "journalist",
            &format!(
                "knows that a person is in the population{how}; {}",
                hopes(&journalist.risk, &members)
            ),
        );
    }
    let beside = risk.marketer.in_population.map_or_else(String::new, |share| {
        format!(", of those in the population {}", percent(share))
    });
    lines.add(
        "marketer",
        &format!(
            "tries everybody; finds {} of those in the table{beside}",
            percent(risk.marketer.in_table)
        ),
    );
    if let Some(weights) = &risk.weights {
        lines.add("weights", &weights.words());
    }
    if let Some(population) = &risk.population {
        lines.add("population", &counted_words(population, percent));
    }
    if let Some(found) = &risk.population_uniqueness {
        lines.add(
            if risk.population.is_none() { "population" } else { "estimated" },
            &estimated(found),
        );
    }
    if let Some(unique) = &risk.unique_combinations {
        combinations(&mut lines, unique);
    }
    if let Some(labels) = risk.labels.filter(|labels| labels.sure_share > 0.0) {
        lines.add("labels", &labels_words(&labels, percent));
    }
    if let Some(outside) = &risk.outside {
        lines.add("outside", &outside_words(outside));
    }
    for (at, note) in risk.notes.iter().enumerate() {
        lines.add(if at == 0 { "note" } else { "" }, note);
    }
    if risk.journalist.is_none() {
        lines.add(
            "hint",
            "--sampling-fraction, --population-size, --weight-column or --population add \
             population uniques",
        );
    }
    if let Some(report) = report {
        lines.add("report", &report.display().to_string());
    }
    lines.0
}

fn hopes(attack: &AttackerRisk, members: &str) -> String {
    format!(
        "the chance to find the person is\n{} at most, {} on average, and above {} for {} {members} ({})",
        percent(attack.highest),
        percent(attack.average),
        percent(attack.threshold),
        thousands(attack.records_at_risk),
        percent(attack.share_at_risk)
    )
}

fn estimated(found: &PopulationUniqueness) -> String {
    let mut text = estimated_words(found, percent);
    if found.chosen == Estimator::Counted {
        return text;
    }
    for estimate in &found.estimates {
        let answer = match (estimate.uniques, estimate.share) {
            (Some(uniques), Some(share)) => {
                let error = estimate.standard_error.map_or_else(String::new, |error| {
                    format!(", standard error {}", people(error))
                });
                format!("{} ({}{error})", people(uniques), percent(share))
            }
            _ => "no answer".to_owned(),
        };
        text.push_str(&format!(
            "\n  {:<24}{answer}; {}",
            estimate.estimator.name(),
            estimate.about
        ));
    }
    text
}

fn combinations(lines: &mut LabeledLines, unique: &UniqueCombinations) {
    lines.add(
        "singled out",
        &format!(
            "{} rows, by at most {} of the columns",
            thousands(unique.singled_out),
            unique.size
        ),
    );
    for size in unique.sizes.iter().filter(|size| size.rows > 0) {
        let columns = if size.columns == 1 { "column" } else { "columns" };
        lines.add(
            "",
            &format!("{} need {} {columns} and no fewer", thousands(size.rows), size.columns),
        );
    }
    if unique.combinations.is_empty() {
        return;
    }
    let rows = unique.combinations.iter().take(SHOWN).map(|combination| {
        vec![
            combination.columns.join(", "),
            thousands(combination.minimal),
            thousands(combination.unique),
        ]
    });
    let shown = table(&["columns", "rows that need them all", "rows singled out"], rows);
    lines.add("by", &shown);
    if unique.combinations.len() > SHOWN {
        let rest = (unique.combinations.len() - SHOWN) as u64;
        lines.add("", &format!("and {} more combinations", thousands(rest)));
    }
    let shares = unique.columns.iter().filter(|column| column.share > 0.0);
    let shares: Vec<String> =
        shares.map(|column| format!("{} {:.0} %", column.column, 100.0 * column.share)).collect();
    lines.add("columns", &format!("part of what singles out: {}", shares.join(", ")));
}
