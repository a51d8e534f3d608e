//! What a release reaches of what was asked of its risks.

use incrowd_engine::privacy::{AtRiskLimit, UniquenessLimit};
use incrowd_engine::release::OutsideCrowd;
use incrowd_engine::words::thousands;
use incrowd_engine::{Problem, Release};
use serde::Serialize;

/// A requirement on risks, and what a release reaches of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RequirementResult {
    /// Its name: average-risk, at-risk, k-map, delta-presence, population-unique, known-columns, max-bias or min-outside.
    pub requirement: &'static str,
    /// What was asked for.
    pub required: f64,
    /// What the release reaches; none without rows, or where only the verifier can tell.
    pub achieved: Option<f64>,
    /// The same in words.
    pub text: String,
}

/// What a release reaches.
pub(crate) fn reached(problem: &Problem, release: &Release) -> Vec<RequirementResult> {
    let privacy = &problem.privacy;
    let mut all = Vec::new();
    let told = |achieved: Option<f64>| achieved.map_or("no rows".to_owned(), figure);
    let whole = release.overall(problem);
    if let Some(required) = privacy.overall.average {
        let achieved = whole.average();
        let text = format!("average risk {}, at most {required} asked for", told(achieved));
        all.push(RequirementResult { requirement: "average-risk", required, achieved, text });
    }
    if let Some(AtRiskLimit { share, threshold }) = privacy.overall.at_risk {
        let achieved = whole.share_at_risk();
        let text = format!(
            "share at a risk above {threshold}: {}, at most {share} asked for",
            told(achieved)
        );
        all.push(RequirementResult { requirement: "at-risk", required: share, achieved, text });
    }
    if let Some(unique @ UniquenessLimit { share, fraction }) = privacy.overall.unique {
        let achieved = (whole.people > 0).then(|| unique.estimate(&whole) / whole.people as f64);
        let text = format!(
            "share of rows estimated to be unique in a population of which {fraction} is in the table: {}, at most {share} \
             asked for",
            told(achieved)
        );
        all.push(RequirementResult {
            requirement: "population-unique",
            required: share,
            achieved,
            text,
        });
    }
    if let (Some(rule), Some(population)) = (privacy.population, &problem.population) {
        if rule.least > 0 {
            let fewest = release.least_fitting(problem);
            let text = format!(
                "k-map: {} of the population's {} people fit every class, at least {} asked for",
                fewest.map_or("no rows, so any number".to_owned(), |it| format!(
                    "at least {}",
                    thousands(it)
                )),
                thousands(population.people),
                thousands(rule.least)
            );
            let (required, achieved) = (rule.least as f64, fewest.map(|it| it as f64));
            all.push(RequirementResult { requirement: "k-map", required, achieved, text });
        }
        if let Some((least, most)) = rule.presence {
            let text = format!(
                "delta-presence: between {least} and {most} of those who fit a class are in the table"
            );
            all.push(RequirementResult {
                requirement: "delta-presence",
                required: most,
                achieved: None,
                text,
            });
        }
        if let Some(required) = population.max_unique {
            let text = format!("at most {required} of the rows fit only one of the population");
            let requirement = "population-unique";
            all.push(RequirementResult { requirement, required, achieved: None, text });
        }
        if population.unknown > 0
            && let Some(last) = all.last_mut()
        {
            last.text.push_str(&format!(
                "; {} people with values that the table lacks are not counted on",
                thousands(population.unknown)
            ));
        }
    }
    if let Some(known) = privacy.known {
        let reading = match privacy.wildcards {
            true => ", if a blank is taken to match anything",
            false => "",
        };
        let text = format!(
            "at least {} rows look alike to whoever knows {} of {} quasi-identifiers{reading}",
            known.k,
            known.columns.min(problem.attributes.len()),
            problem.attributes.len()
        );
        let required = known.k as f64;
        all.push(RequirementResult {
            requirement: "known-columns",
            required,
            achieved: None,
            text,
        });
    }
    all
}

/// What a release reaches of a limit on bias.
pub(crate) fn bias_reached(required: f64, achieved: f64) -> RequirementResult {
    let text = format!(
        "bias: suppression moves no share of a category by more than {:.2} points, at most {:.2} asked for",
        100.0 * achieved,
        100.0 * required
    );
    RequirementResult { requirement: "max-bias", required, achieved: Some(achieved), text }
}

/// How many people outside fit every box.
pub(crate) fn outside_reached(outside: OutsideCrowd) -> RequirementResult {
    let text = format!(
        "at least {} of the people in a fresh sample as large as the table fit every box, in 99 of 100 cases: each has a crowd \
         outside of at least {} rows",
        thousands(outside.people()),
        thousands(outside.least())
    );
    let required = outside.people() as f64;
    RequirementResult { requirement: "min-outside", required, achieved: None, text }
}

/// A risk with four digits.
fn figure(risk: f64) -> String {
    format!("{risk:.4}")
}
