//! Attackers: how likely somebody finds a person.

use serde::Serialize;

use super::ClassSizes;
use super::superpopulation::FittedSuperpopulation;

/// What an attacker can hope for, over all rows of a table.
///
/// - The **prosecutor** knows that a person is in the table: a row in a class of f rows is found with chance
///   1/f.
/// - The **journalist** wants to show that somebody can be found, and knows only that the person is in the
///   population: a row whose combination F people of the population have is found with chance 1/F.
/// - The **marketer** tries everybody and counts hits: its risk is the `average`.
///
/// # Reference
/// K. El Emam, *Guide to the De-Identification of Personal Health Information*, CRC Press 2013.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AttackerRisk {
    /// The chance to find the person who hides worst.
    pub highest: f64,
    /// The chance to find a person, averaged over all rows: the share found when all are tried.
    pub average: f64,
    /// A row is *at risk* if the chance to find it is above this.
    pub threshold: f64,
    /// Rows at risk.
    pub records_at_risk: u64,
    /// The share of rows at risk.
    pub share_at_risk: f64,
}

impl AttackerRisk {
    /// The risk of a prosecutor.
    pub fn prosecutor(sizes: &ClassSizes, threshold: f64) -> Self {
        let risks = sizes.iter().map(|(size, classes)| (size * classes, 1.0 / size as f64));
        Self::over(risks, threshold)
    }

    /// The risk of a journalist; `classes` are the rows of a class in the table and in the population.
    /// Whoever is in the table is in the population, whatever that says.
    pub fn journalist(classes: impl IntoIterator<Item = (u64, u64)>, threshold: f64) -> Self {
        let classes = classes.into_iter().filter(|class| class.0 > 0);
        let risks = classes.map(|(here, there)| (here, 1.0 / there.max(here) as f64));
        Self::over(risks, threshold)
    }

    /// The risk of a journalist when only the share of the population that is in the table is known: the
    /// expected 1/F of a class of f rows, under Pitman's sampling formula as fitted to the classes.
    ///
    /// With n rows, N people and the formula's parameters α and θ, a class of f rows has f and as many more
    /// people as a negative binomial distribution of shape f - α and chance (n + θ) / (N + θ) says. Where classes
    /// are more even than the formula allows (α below 0, or no maximum), it is Ewens' model: α of 0, and θ the
    /// likeliest. A table of uniques only is taken to be of people who are unique everywhere.
    pub fn journalist_estimated(sizes: &ClassSizes, fraction: f64, threshold: f64) -> Self {
        Self::grown(&FittedSuperpopulation::fit(sizes), sizes, fraction, threshold)
    }

    /// The same by a model that has been fitted.
    pub(super) fn grown(
        growth: &FittedSuperpopulation,
        sizes: &ClassSizes,
        fraction: f64,
        threshold: f64,
    ) -> Self {
        let risks = sizes.iter().zip(growth.inverses(sizes, 1.0 / fraction));
        Self::over(risks.map(|((size, classes), risk)| (size * classes, risk)), threshold)
    }

    /// The risk of a journalist from a sample whose rows have weights; `classes` are the rows of a class and the
    /// sum of their weights, the people whom they stand for.
    ///
    /// It is [`journalist_estimated`](Self::journalist_estimated) with a sampling fraction of its own for each
    /// class: the rows by the sum of their weights. Equal weights give the same as the fraction does.
    pub fn journalist_weighted(classes: &[(u64, f64)], threshold: f64) -> Self {
        let sizes = ClassSizes::of(classes.iter().map(|class| class.0));
        let growth = FittedSuperpopulation::fit(&sizes);
        let classes = classes.iter().filter(|class| class.0 > 0);
        let risks = classes
            .map(|&(rows, people)| (rows, growth.inverse(rows, (people / rows as f64).max(1.0))));
        Self::over(risks, threshold)
    }

    /// Sums up how many rows have which risk.
    pub(super) fn over(risks: impl Iterator<Item = (u64, f64)>, threshold: f64) -> Self {
        let (mut rows, mut sum, mut at_risk, mut highest) = (0, 0.0, 0, 0.0f64);
        for (with, risk) in risks {
            rows += with;
            sum += with as f64 * risk;
            highest = highest.max(risk);
            // A class of exactly 1/threshold rows is large enough, whatever the last bit says.
            if risk > threshold * (1.0 + 1e-12) {
                at_risk += with;
            }
        }
        let share = |part: f64| if rows == 0 { 0.0 } else { part / rows as f64 };
        AttackerRisk {
            highest,
            average: share(sum),
            threshold,
            records_at_risk: at_risk,
            share_at_risk: share(at_risk as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-9 * other.abs()
    }

    #[test]
    fn a_prosecutor_meets_small_classes() {
        let risk = AttackerRisk::prosecutor(&ClassSizes::of([1, 1, 3, 5]), 0.2);
        assert_eq!((risk.highest, risk.average), (1.0, 0.4));
        // A class of five is exactly at the threshold, not above it.
        assert_eq!((risk.records_at_risk, risk.share_at_risk), (5, 0.5));
        let nobody = AttackerRisk::prosecutor(&ClassSizes::of([]), 0.2);
        assert_eq!((nobody.highest, nobody.average, nobody.share_at_risk), (0.0, 0.0, 0.0));
    }

    #[test]
    fn a_journalist_meets_the_population() {
        // Two rows, of which the population has 10; one that it lacks.
        let risk = AttackerRisk::journalist([(2, 10), (1, 0)], 0.2);
        assert_eq!(risk.highest, 1.0);
        assert!(close(risk.average, (2.0 * 0.1 + 1.0) / 3.0));
        assert_eq!(risk.records_at_risk, 1);
    }

    #[test]
    fn estimates_at_the_ends() {
        // Nobody else is there: a journalist is a prosecutor.
        let all = AttackerRisk::journalist_estimated(&ClassSizes::of([1, 4]), 1.0, 0.2);
        assert!(close(all.average, 0.4));
        let large = AttackerRisk::journalist_estimated(&ClassSizes::of([1_000_000]), 0.01, 0.2);
        assert!((large.highest * 1e8 - 1.0).abs() < 1e-3, "{}", large.highest);
        // Nothing speaks against everybody being unique everywhere.
        let unique = AttackerRisk::journalist_estimated(&ClassSizes::of([1; 30]), 0.01, 0.2);
        assert!(close(unique.average, 1.0), "{}", unique.average);
        let tiny = AttackerRisk::journalist_estimated(&ClassSizes::of([1, 2, 40]), 1e-9, 0.2);
        assert!(tiny.highest >= 0.0 && tiny.highest <= 1.0);
    }

    /// Equal weights are a sampling fraction; unequal ones move the risk to the rows that stand for few.
    #[test]
    fn weights_are_fractions_of_classes() {
        let sizes: Vec<u64> = (1..60u64).map(|at| 1 + 40 / at).collect();
        let equal: Vec<(u64, f64)> = sizes.iter().map(|&size| (size, 8.0 * size as f64)).collect();
        let by_weight = AttackerRisk::journalist_weighted(&equal, 0.2);
        let by_share = AttackerRisk::journalist_estimated(&ClassSizes::of(sizes), 0.125, 0.2);
        assert!(close(by_weight.average, by_share.average), "{by_weight:?} {by_share:?}");
        assert_eq!(by_weight.records_at_risk, by_share.records_at_risk);
        let few = AttackerRisk::journalist_weighted(&[(1, 1.0), (3, 600.0), (3, 600.0)], 0.2);
        assert_eq!((few.highest, few.records_at_risk), (1.0, 1));
    }
}
