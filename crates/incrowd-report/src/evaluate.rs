//! The page about a release that was read beside its original.

use incrowd_engine::words::thousands;
use incrowd_run::assess::{ClassSizeFacts, Evaluation};
use incrowd_run::report::{bias_text, cost_text};

use crate::chart::{Bar, BarChart};
use crate::page::Page;
use crate::provenance::PageProvenance;
use crate::run::{distributions, kept, risk};
use crate::usefulness::{usefulness_lines, usefulness_section};

/// Names and what they are.
type EvaluationFacts = Vec<(&'static str, String)>;

/// The evaluation of a release as an HTML page.
pub fn evaluation_page(found: &Evaluation, made: &PageProvenance) -> String {
    let mut page = Page::new("Evaluation of a release");
    page.paragraph(
        "headline",
        &format!(
            "Each of the {} released rows looks like at least {} others by its quasi-identifiers.",
            thousands(found.released),
            thousands(found.class_sizes.smallest.saturating_sub(1))
        ),
    );
    page.heading("What was compared");
    let quasi: Vec<&str> = found.columns.iter().map(|column| column.name.as_str()).collect();
    page.facts(&[
        ("release", found.release_file.clone()),
        ("original", found.original_file.clone()),
        ("quasi-identifiers", quasi.join(", ")),
        ("rows", rows(found)),
        ("classes", sizes(found)),
    ]);
    page.heading("Metrics");
    page.facts(&metrics(found));
    for untold in &found.refused {
        page.paragraph("soft", &untold.to_string());
    }
    risk(&mut page, &found.picture, None);
    kept(&mut page, &found.picture, &[]);
    distributions(&mut page, &found.picture);
    let asked = asked(found);
    if !asked.is_empty() {
        page.heading("Counts taken from the release");
        page.facts(&asked);
    }
    if let Some(PredictionFacts { facts, errors }) = predicted(found) {
        page.heading("Predictions from the release");
        let bar = |(name, percent): &(&str, f64)| Bar {
            label: (*name).to_owned(),
            values: vec![*percent],
        };
        let chart = BarChart {
            title: "Wrong predictions".to_owned(),
            series: vec!["wrong".to_owned()],
            bars: errors.iter().map(bar).collect(),
            most: None,
            unit: "%".to_owned(),
        };
        page.chart(&chart.to_svg());
        page.facts(&facts);
    }
    if let Some(found) = &found.statistics {
        usefulness_section(&mut page, found);
    }
    made.write(&mut page);
    page.finish()
}

/// What analysts find, for a terminal, below how many rows there are.
pub fn statistics_lines(found: &Evaluation) -> Vec<(String, String)> {
    let lines = [("release".to_owned(), rows(found)), ("classes".to_owned(), sizes(found))];
    let told = found.statistics.iter().flat_map(usefulness_lines);
    lines.into_iter().chain(told).collect()
}

/// The evaluation of a release for a terminal: lines of a name, which may be empty, and what it is.
pub fn evaluation_lines(found: &Evaluation) -> Vec<(String, String)> {
    let mut lines: EvaluationFacts = vec![("release", rows(found)), ("classes", sizes(found))];
    lines.extend(metrics(found));
    for (at, column) in found.columns.iter().enumerate() {
        let name = if at == 0 { "kept" } else { "" };
        let kept = column
            .kept
            .map_or_else(|| "   ?  ".to_owned(), |kept| format!("{:5.1} %", 100.0 * kept));
        lines.push((name, format!("{kept} of {}: {}", column.name, column.recoding)));
    }
    let bias = found.bias.iter().filter_map(bias_text).enumerate();
    lines.extend(bias.map(|(at, text)| (if at == 0 { "bias" } else { "" }, text)));
    lines.extend(asked(found));
    lines.extend(predicted(found).unwrap_or_default().facts);
    let named = |(name, text): (&'static str, String)| (name.to_owned(), text);
    let mut lines: Vec<(String, String)> = lines.into_iter().map(named).collect();
    lines.extend(found.statistics.iter().flat_map(usefulness_lines));
    for (at, untold) in found.refused.iter().enumerate() {
        let name = if at == 0 { "not told" } else { "" };
        lines.push((name.to_owned(), untold.to_string()));
    }
    lines
}

/// The metrics with their names, those that can be told.
fn metrics(found: &Evaluation) -> EvaluationFacts {
    let told = &found.metrics;
    let with_cm = told.cm.zip(told.cm_share).map(|(rows, share)| {
        format!("{} ({:.2} % of the rows)", cost_text(rows as f64), 100.0 * share)
    });
    let average = format!(
        "{:.2} rows; divided by k = {}: C_avg {:.4}",
        told.average_class_size, found.k, told.c_avg
    );
    let penalty =
        told.ncp.zip(told.gcp).map(|(ncp, gcp)| format!("{}; GCP {gcp:.6}", cost_text(ncp)));
    let loss = told
        .loss
        .zip(told.geometric_loss)
        .map(|(loss, geometric)| format!("{loss:.6}; geometric mean {geometric:.6}"));
    let all = [
        ("dm", Some(cost_text(told.dm as f64))),
        ("cm", with_cm),
        ("average class", Some(average)),
        ("ncp", penalty),
        ("loss", loss),
        ("precision", told.precision.map(|precision| format!("{precision:.6}"))),
        ("entropy", told.entropy.map(|bits| format!("{} bits", cost_text(bits)))),
        ("blanks", told.blanks.map(|cells| format!("{} cells", cost_text(cells)))),
    ];
    all.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
}

fn sizes(found: &Evaluation) -> String {
    let ClassSizeFacts { smallest, median, mean, largest, .. } = &found.class_sizes;
    format!(
        "{} of {} to {} rows (median {median}, mean {mean:.1})",
        thousands(found.classes),
        thousands(*smallest),
        thousands(*largest)
    )
}

fn rows(found: &Evaluation) -> String {
    format!(
        "{} of {} rows; {} suppressed",
        thousands(found.released),
        thousands(found.rows),
        thousands(found.suppressed)
    )
}

fn asked(found: &Evaluation) -> EvaluationFacts {
    let Some(queries) = &found.queries else { return Vec::new() };
    let (workload, errors) = (&queries.workload, &queries.errors);
    vec![
        (
            "questions",
            format!(
                "{} about {} of the quasi-identifiers (seed {})",
                thousands(errors.queries.into()),
                workload.dimensions,
                workload.seed
            ),
        ),
        (
            "error",
            format!("median {:.2} %, mean {:.2} %", 100.0 * errors.median, 100.0 * errors.mean),
        ),
    ]
}

/// How well a column is predicted from a release.
#[derive(Default)]
struct PredictionFacts {
    /// How it was measured, and what came out.
    facts: EvaluationFacts,
    /// Errors in percent, by what they are of.
    errors: Vec<(&'static str, f64)>,
}

fn predicted(found: &Evaluation) -> Option<PredictionFacts> {
    let trees = found.classification.as_ref()?;
    let percent = |share: f64| 100.0 * share;
    let mut errors = vec![("release", percent(trees.release.error))];
    if let Some(original) = &trees.original {
        errors.insert(0, ("original", percent(original.error)));
        errors.push(("baseline", percent(original.baseline)));
    }
    let mut facts = vec![(
        "predicted",
        format!("by decision trees ({} folds, seed {})", trees.settings.folds, trees.settings.seed),
    )];
    for &(name, error) in &errors {
        let how = if name == "baseline" { ", always the most frequent class" } else { "" };
        facts.push((name, format!("wrong for {error:.2} %{how}")));
    }
    if let Some(whole) = trees.with_suppressed.filter(|whole| whole.suppressed > 0) {
        let text = format!(
            "wrong for {:.2} %, if the {} rows that the release lacks are taken as its most frequent class",
            percent(whole.error),
            thousands(whole.suppressed)
        );
        facts.push(("all rows", text));
    }
    Some(PredictionFacts { facts, errors })
}
