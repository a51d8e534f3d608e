//! What attacks on a release came to, in words and as a page.

use incrowd_assess::attack::{AttackOutcome, AttackReport, Baseline, BestGuesses};
use incrowd_engine::words::thousands;

use crate::chart::{Bar, BarChart};
use crate::page::Page;
use crate::percent;
use crate::provenance::PageProvenance;

/// An attack by name, what it asks, and what came of it.
pub struct NamedAttack<'a> {
    /// The attack, with its column if it has one.
    pub name: String,
    /// What it asks.
    pub question: &'static str,
    /// What came of it.
    pub outcome: &'a AttackOutcome,
}

/// All attacks of a report, in their order.
pub fn attacks_of(report: &AttackReport) -> Vec<NamedAttack<'_>> {
    let one =
        |name: &str, question, outcome| NamedAttack { name: name.to_owned(), question, outcome };
    let mut attacks = vec![one(
        "singling out",
        "exactly one released row fits what is known of the person",
        &report.singling_out,
    )];
    attacks.extend(report.linkability.iter().map(|outcome| {
        one("linkability", "two sources that each know half of it find the same row", outcome)
    }));
    attacks.extend(report.inference.iter().map(|it| NamedAttack {
        name: format!("inference of {}", it.column),
        question: "the column is what most of the nearest rows have",
        outcome: &it.outcome,
    }));
    attacks
}

/// The answer in a sentence or two.
pub fn attack_headline(report: &AttackReport) -> String {
    let found: Vec<NamedAttack<'_>> =
        attacks_of(report).into_iter().filter(|attack| attack.outcome.is_found()).collect();
    let worst = found.iter().max_by(|a, b| a.outcome.risk.total_cmp(&b.outcome.risk));
    match worst {
        None => "No attack found more about people in the release than about others. That proves nothing: others may \
                 know more, or guess better."
            .to_owned(),
        Some(worst) => format!(
            "The release exposes people: {} {} beyond chance. The strongest is {}: {} (from {} to {}).",
            found.len(),
            if found.len() == 1 { "attack succeeds" } else { "attacks succeed" },
            worst.name,
            percent(worst.outcome.risk),
            percent(worst.outcome.low),
            percent(worst.outcome.high)
        ),
    }
}

/// The head of a table of the surest guesses.
pub const PRECISION_HEAD: [&str; 5] =
    ["attack", "best 1% right", "best 10% right", "all right", "anonymity loss"];

/// For each attack how many of the surest guesses are right, with those about the control group, and the largest anonymity
/// loss coefficient.
pub fn precision_rows(report: &AttackReport) -> Vec<Vec<String>> {
    let right = |best: &BestGuesses| {
        format!("{} ({})", percent(best.precision.share), percent(best.control.share))
    };
    let row = |attack: &incrowd_assess::attack::AttackPrecision| {
        let loss = attack.best.iter().map(|best| best.anonymity_loss);
        let loss = loss.fold(f64::NEG_INFINITY, f64::max);
        let cells = attack.best.iter().map(right).chain([format!("{loss:.2}")]);
        std::iter::once(attack.name()).chain(cells).collect()
    };
    report.precision.iter().map(row).collect()
}

/// What the attacks were compared with.
pub fn baseline_words(report: &AttackReport) -> String {
    match (report.baseline, report.control) {
        (Baseline::Control, Some(rows)) => format!(
            "a control group of {} people who are not in the data",
            thousands(rows)
        ),
        _ => "no control group was given: the same people, and the release rebuilt from the original without their own \
              rows"
            .to_owned(),
    }
}

/// The attacks on a release as an HTML page. It names columns and counts people, and shows no value of anybody.
pub fn attack_page(report: &AttackReport, made: &PageProvenance) -> String {
    let mut page = Page::new("Attacks on a release");
    let class = if report.found { "headline unmet" } else { "headline" };
    page.paragraph(class, &attack_headline(report));
    for note in &report.notes {
        page.paragraph("warning", &crate::risk::sentence(note));
    }
    page.heading("What was attacked");
    let outside =
        report.outside.as_ref().map(|it| ("crowd outside", crate::risk::outside_words(it)));
    let facts = [
        ("release", format!("{} rows", thousands(report.released))),
        ("original", format!("{} rows", thousands(report.original))),
        ("known to the attacker", report.known.join(", ")),
        ("wanted by the attacker", report.secret.join(", ")),
        ("compared with", baseline_words(report)),
    ];
    page.facts(&facts.into_iter().chain(outside).collect::<Vec<_>>());
    page.heading("What came of it");
    let attacks = attacks_of(report);
    let chart = BarChart {
        title: "Guesses that were right".to_owned(),
        series: vec!["about people in the data".to_owned(), "control".to_owned()],
        bars: attacks
            .iter()
            .map(|attack| Bar {
                label: attack.name.clone(),
                values: vec![
                    100.0 * attack.outcome.attack.share,
                    100.0 * attack.outcome.control.share,
                ],
            })
            .collect(),
        most: Some(100.0),
        unit: "%".to_owned(),
    };
    page.chart(&chart.to_svg());
    let rows: Vec<Vec<String>> = attacks
        .iter()
        .map(|attack| {
            let AttackOutcome { attack: hits, control, risk, low, high } = attack.outcome;
            vec![
                attack.name.clone(),
                format!("{} of {}", thousands(hits.hits), thousands(hits.tries)),
                format!("{} of {}", thousands(control.hits), thousands(control.tries)),
                percent(*risk),
                format!("{} to {}", percent(*low), percent(*high)),
            ]
        })
        .collect();
    page.table(&["attack", "right", "control", "risk", "interval"], &rows);
    page.paragraph(
        "soft",
        &format!(
            "The risk is the share of the people whom the control would miss and the release gives away. All intervals hold \
             together in {} of cases; one that begins at 0 may be chance.",
            percent(report.confidence)
        ),
    );
    if !report.precision.is_empty() {
        page.heading("The surest guesses");
        page.table(&PRECISION_HEAD, &precision_rows(report));
        page.paragraph(
            "soft",
            "An attacker may guess only where they are sure. Guesses are ranked by the chance that the attacker gives them; in \
             brackets the same about the control. The anonymity loss coefficient of Francis and Wagner weighs how many are \
             right and about how many people they are: 0 is no loss, 1 is all of it.",
        );
    }
    page.heading("What the attacks ask");
    let mut questions: Vec<(String, String)> = Vec::new();
    for attack in &attacks {
        let name = attack.name.split(" of ").next().unwrap_or_default().to_owned();
        if !questions.iter().any(|known| known.0 == name) {
            questions.push((name, attack.question.to_owned()));
        }
    }
    page.facts(&questions);
    made.write(&mut page);
    page.finish()
}
