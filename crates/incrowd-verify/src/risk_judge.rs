//! The requirements on risks, judged from the classes and, where there is one, a population.

use crate::collected_tables::CollectedTables;
use crate::known_columns::known;
use crate::risks::{RiskBounds, RiskRequirement, RiskVerdict};
use crate::subject_risks::SubjectRisks;
use crate::truth::fit;
use crate::verdict::{Violation, ViolationKind};

/// What a release reaches, and what it does not meet. `people` are those of each class.
pub(crate) fn judge(
    collected: &CollectedTables,
    people: &[u64],
    subjects: &SubjectRisks,
) -> (Vec<RiskVerdict>, Vec<Violation>) {
    let risks = &collected.requirements.risks;
    let mut verdicts = of_whole(risks, people, subjects);
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

/// The average risk, the share at risk, and the estimated share of people who are unique in the population.
fn of_whole(risks: &RiskBounds, people: &[u64], subjects: &SubjectRisks) -> Vec<RiskVerdict> {
    let all = subjects.all();
    let average = risks.average.map(|most| {
        let reached = subjects.average();
        RiskVerdict::at_most(RiskRequirement::AverageRisk, "average risk", most, reached)
    });
    let at_risk = risks.at_risk.map(|(share, threshold)| {
        let reached = subjects.share_above(threshold);
        let what = format!("share at a risk above {threshold}");
        RiskVerdict::at_most(RiskRequirement::AtRisk, &what, share, reached)
    });
    let unique = risks.unique.map(|(share, fraction)| {
        let what = "share of rows estimated to be unique in the population";
        let reached = (all > 0).then(|| estimated_uniques(people, fraction) / all as f64);
        RiskVerdict::at_most(RiskRequirement::PopulationUnique, what, share, reached)
    });
    average.into_iter().chain(at_risk).chain(unique).collect()
}

/// How many people are unique in the population, at most by estimate, if a share of it was drawn at random.
///
/// Take a person out of the table and draw them again with that share as chance. Who is alone is then found with that
/// chance, rightly; who was one of a pair leaves a wrong match behind with the chance of not being drawn. Right matches
/// among all are the chance of somebody alone to be the one person of the population.
fn estimated_uniques(people: &[u64], fraction: f64) -> f64 {
    let classes_of = |size: u64| people.iter().filter(|&&people| people == size).count() as f64;
    let alone = classes_of(1);
    if alone == 0.0 {
        return 0.0;
    }
    let people_in_pairs = 2.0 * classes_of(2);
    let wrong_per_right = (people_in_pairs * (1.0 - fraction)) / (alone * fraction);
    alone / (1.0 + wrong_per_right)
}

fn of_population(collected: &CollectedTables) -> Vec<RiskVerdict> {
    let Some(population) = &collected.requirements.risks.population else { return Vec::new() };
    let fit = fit(collected, population);
    let has_rows = !fit.people.is_empty();
    let mut verdicts = Vec::new();
    if population.least > 0 {
        let fewest = fit.people.iter().min().map(|&people| people as f64);
        let mut what = "k-map: the fewest people of the population who fit a class".to_owned();
        let requirements = &collected.requirements;
        let of_quasi = requirements.unchecked.iter().filter(|it| requirements.quasi.contains(it));
        let unchecked: Vec<&str> = of_quasi.map(String::as_str).collect();
        if !unchecked.is_empty() {
            what.push_str(&format!(" ({} not compared)", unchecked.join(", ")));
        }
        let least = population.least as f64;
        verdicts.push(RiskVerdict::at_least(RiskRequirement::KMap, &what, least, fewest));
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
