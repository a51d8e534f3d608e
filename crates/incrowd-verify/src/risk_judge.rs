//! The requirements on risks, judged from the classes and, where there is one, a population.

use crate::collected::Collected;
use crate::known::known;
use crate::risks::{RiskRequirement, RiskVerdict, Risks};
use crate::truth::fit;
use crate::verdict::{Violation, ViolationKind};

/// What a release reaches, and what it does not meet. `people` are those of each class.
pub(crate) fn judge(collected: &Collected, people: &[u64]) -> (Vec<RiskVerdict>, Vec<Violation>) {
    let risks = &collected.requirements.risks;
    let mut verdicts = of_whole(risks, people);
    let mut violations = Vec::new();
    if let Some((k, columns)) = risks.known {
        let (least, violation) = known(collected, k, columns);
        let what = format!("the fewest rows for {columns} known columns");
        let least = least.map(|least| least as f64);
        let reached = RiskRequirement::KnownColumns;
        verdicts.push(RiskVerdict::at_least(reached, &what, k as f64, least));
        violations.extend(violation);
    }
    verdicts.extend(of_population(collected));
    let whole = |verdict: &RiskVerdict| Violation {
        kind: ViolationKind::Risk,
        message: verdict.text.clone(),
        column: None,
        classes: people.len() as u64,
        rows: collected.rows.total(),
        examples: Vec::new(),
    };
    let unmet = verdicts.iter().filter(|verdict| !verdict.holds);
    // Of known columns there are examples.
    let unmet = unmet.filter(|it| it.requirement != RiskRequirement::KnownColumns);
    violations.extend(unmet.map(whole));
    (verdicts, violations)
}

/// The average risk and the share at risk.
fn of_whole(risks: &Risks, people: &[u64]) -> Vec<RiskVerdict> {
    let all: u64 = people.iter().sum();
    let of_all = |part: u64| (all > 0).then(|| part as f64 / all as f64);
    let average = risks.average.map(|most| {
        let reached = of_all(people.len() as u64);
        RiskVerdict::at_most(RiskRequirement::AverageRisk, "average risk", most, reached)
    });
    let at_risk = risks.at_risk.map(|(share, threshold)| {
        let is_at_risk = |&&people: &&u64| 1.0 / people as f64 > threshold + 1e-9;
        let reached = of_all(people.iter().filter(is_at_risk).sum());
        let what = format!("share at a risk above {threshold}");
        RiskVerdict::at_most(RiskRequirement::AtRisk, &what, share, reached)
    });
    average.into_iter().chain(at_risk).collect()
}

fn of_population(collected: &Collected) -> Vec<RiskVerdict> {
    let Some(population) = &collected.requirements.risks.population else { return Vec::new() };
    let fit = fit(collected, population);
    let has_rows = !fit.people.is_empty();
    let mut verdicts = Vec::new();
    if population.least > 0 {
        let fewest = fit.people.iter().min().map(|&people| people as f64);
        let what = "k-map: the fewest people of the population who fit a class";
        let least = population.least as f64;
        verdicts.push(RiskVerdict::at_least(RiskRequirement::KMap, what, least, fewest));
    }
    if let Some((least, most)) = population.presence {
        let reached = |of: f64| has_rows.then_some(of);
        let what = "delta-presence: the least probability of a person to be in the release";
        let lowest = RiskRequirement::LeastPresence;
        verdicts.push(RiskVerdict::at_least(lowest, what, least, reached(fit.presence.0)));
        let what = "delta-presence: the highest probability of a person to be in the release";
        let highest = RiskRequirement::MostPresence;
        verdicts.push(RiskVerdict::at_most(highest, what, most, reached(fit.presence.1)));
        // A class that nobody fits says that somebody is in the release whom the population lacks.
    }
    if let Some(most) = population.unique {
        let alone = fit.people.iter().zip(collected.classes.counts());
        let alone: u64 = alone.filter(|(people, _)| **people <= 1).map(|(_, &rows)| rows).sum();
        let rows = collected.rows.total();
        let reached = (rows > 0).then(|| alone as f64 / rows as f64);
        let what = "share of rows that one person of the population fits";
        verdicts.push(RiskVerdict::at_most(RiskRequirement::PopulationUnique, what, most, reached));
    }
    verdicts
}
