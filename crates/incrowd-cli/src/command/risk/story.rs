//! Risks as a page.

use incrowd::thousands;
use incrowd_report::{RiskStory, percent};

use super::Risk;
use super::show::{counted, headline};
use crate::command::report::command;

pub(super) fn of(risk: &Risk) -> RiskStory {
    let prosecutor = risk.prosecutor;
    let at_risk = match prosecutor.records_at_risk {
        0 => format!(
            "Nobody who is known to be in the table can be found with a chance above {}.",
            percent(prosecutor.threshold)
        ),
        rows => format!(
            "{} of {} rows ({}) can be found with a chance above {} by somebody who knows that the person is in \
             the table.",
            thousands(rows),
            thousands(risk.rows),
            percent(prosecutor.share_at_risk),
            percent(prosecutor.threshold)
        ),
    };
    let alone = match risk.unique_rows {
        0 => "Nobody stands alone.".to_owned(),
        rows => format!("{} rows stand alone.", thousands(rows)),
    };
    let mut attackers = vec![(
        "prosecutor".to_owned(),
        "knows that a person is in the table, and takes one of the rows that look like the person"
            .to_owned(),
        prosecutor,
    )];
    if let Some(journalist) = &risk.journalist {
        let how = match journalist.by {
            "estimate" => {
                "; how many look alike in the population is estimated from the sampling fraction, by Pitman's \
                 sampling formula"
            }
            _ => "; how many look alike there was counted in the population",
        };
        let about = format!("knows that a person is in the population{how}");
        attackers.push(("journalist".to_owned(), about, journalist.risk));
    }
    let mut population: Vec<String> = Vec::new();
    population.extend(risk.population.as_ref().map(|facts| sentence(&counted(facts, percent))));
    population.extend(risk.population_uniqueness.as_ref().map(|found| {
        match risk.population.is_some() {
            true => {
                format!("From the table alone it would be estimated: {}.", headline(found, percent))
            }
            false => sentence(&headline(found, percent)),
        }
    }));
    RiskStory {
        question: vec![
            ("table".to_owned(), format!("{}: {} rows", risk.table, thousands(risk.rows))),
            ("quasi-identifiers".to_owned(), risk.quasi.join(", ")),
            (
                "classes".to_owned(),
                format!(
                    "{} groups of rows that look alike; the smallest has {}",
                    thousands(risk.classes),
                    thousands(risk.smallest_class)
                ),
            ),
            (
                "rows that stand alone".to_owned(),
                format!("{} ({})", thousands(risk.unique_rows), percent(risk.unique_share)),
            ),
            (
                "people found if everybody is tried".to_owned(),
                format!("{} (the marketer's risk)", percent(risk.marketer.in_table)),
            ),
        ],
        headline: format!("{at_risk} {alone}"),
        safe: prosecutor.records_at_risk == 0,
        warnings: risk.notes.iter().map(|note| sentence(note)).collect(),
        attackers,
        sizes: risk.class_sizes.clone(),
        population,
        estimates: risk.population_uniqueness.clone(),
        unique: risk.unique_combinations.clone(),
        command: command(std::env::args()),
        versions: vec![("incrowd".to_owned(), env!("CARGO_PKG_VERSION").to_owned())],
    }
}

/// Words as a sentence.
fn sentence(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", rest.as_str())
}
