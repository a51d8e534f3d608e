//! Attackers: how likely somebody finds a person.

use serde::Serialize;

use super::ClassSizes;
use super::pitman::Pitman;
use super::sums::series;

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
pub struct Attack {
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

impl Attack {
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
    /// people as a negative binomial distribution of shape f - α and chance (n + θ) / (N + θ) says. With α and θ
    /// of 0, which is taken where classes are more even than the formula with α of 0 says, it is the individual
    /// risk of Benedetti and Franconi (1998). A table of uniques only is taken to be of people who are unique everywhere.
    pub fn journalist_estimated(sizes: &ClassSizes, fraction: f64, threshold: f64) -> Self {
        let growth = Growth::new(sizes, fraction);
        let risks = sizes.iter().zip(growth.inverses(sizes));
        Self::over(risks.map(|((size, classes), risk)| (size * classes, risk)), threshold)
    }

    /// Sums up how many rows have which risk.
    fn over(risks: impl Iterator<Item = (u64, f64)>, threshold: f64) -> Self {
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
        Attack {
            highest,
            average: share(sum),
            threshold,
            records_at_risk: at_risk,
            share_at_risk: share(at_risk as f64),
        }
    }
}

/// How classes of the table grow to those of the population.
struct Growth {
    alpha: f64,
    chance: f64,
}

impl Growth {
    fn new(sizes: &ClassSizes, fraction: f64) -> Self {
        let rows = sizes.rows() as f64;
        if sizes.unique() == sizes.rows() {
            return Growth { alpha: 1.0, chance: fraction };
        }
        let fitted = Pitman::fit(sizes).filter(|fitted| fitted.alpha >= 0.0);
        let Pitman { theta, alpha } = fitted.unwrap_or(Pitman { theta: 0.0, alpha: 0.0 });
        Growth { alpha, chance: (rows + theta) / (rows / fraction + theta) }
    }

    /// The expected 1/F for each size of a class. With p the chance and q = 1 - p it is p I(f), I(f) the
    /// integral of v^(f-1) (p + q v)^(-1-α) from 0 to 1.
    fn inverses(&self, sizes: &ClassSizes) -> Vec<f64> {
        let (alpha, p, q) = (self.alpha, self.chance, 1.0 - self.chance);
        // The sum of q^j (1+α)(2+α)...(j+α) (f-1)! / (f+j)!; quick where q is not close to 1 or f is large.
        let summed = |size: u64| {
            series(1.0 / size as f64, |j| q * (1.0 + alpha + j) / (size as f64 + j + 1.0))
        };
        // q (f - α) I(f+1) + p f I(f) = 1, which loses nothing going up while p < q.
        let log = -p.ln();
        let mut integral =
            if alpha == 0.0 { log / q } else { (alpha * log).exp_m1() / (alpha * q) };
        let mut at = 1;
        let inverse = |size: u64| {
            // Far out the sum has few terms, and the way there is long.
            if p >= 0.5 || size > 100_000 {
                return p * summed(size);
            }
            while at < size {
                let f = at as f64;
                integral = (1.0 - p * f * integral) / (q * (f - alpha));
                at += 1;
            }
            p * integral
        };
        sizes.iter().map(|group| group.0).map(inverse).map(|risk| risk.clamp(0.0, 1.0)).collect()
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
        let risk = Attack::prosecutor(&ClassSizes::of([1, 1, 3, 5]), 0.2);
        assert_eq!((risk.highest, risk.average), (1.0, 0.4));
        // A class of five is exactly at the threshold, not above it.
        assert_eq!((risk.records_at_risk, risk.share_at_risk), (5, 0.5));
        let nobody = Attack::prosecutor(&ClassSizes::of([]), 0.2);
        assert_eq!((nobody.highest, nobody.average, nobody.share_at_risk), (0.0, 0.0, 0.0));
    }

    #[test]
    fn a_journalist_meets_the_population() {
        // Two rows, of which the population has 10; one that it lacks.
        let risk = Attack::journalist([(2, 10), (1, 0)], 0.2);
        assert_eq!(risk.highest, 1.0);
        assert!(close(risk.average, (2.0 * 0.1 + 1.0) / 3.0));
        assert_eq!(risk.records_at_risk, 1);
    }

    /// The mean of 1/F over the distribution itself, term by term.
    fn expected(size: u64, alpha: f64, p: f64) -> f64 {
        let (f, mut sum) = (size as f64, 0.0);
        let mut chance = p.powf(f - alpha);
        for more in 0..200_000 {
            let more = f64::from(more);
            sum += chance / (f + more);
            chance *= (f - alpha + more) / (more + 1.0) * (1.0 - p);
        }
        sum
    }

    #[test]
    fn the_estimated_inverse_is_the_mean_of_the_distribution() {
        let sizes = ClassSizes::of([1, 2, 3, 8, 20]);
        for alpha in [0.0, 0.4, 0.9] {
            for p in [0.001, 0.1, 0.49, 0.5, 0.7, 0.99] {
                let found = Growth { alpha, chance: p }.inverses(&sizes);
                for ((size, _), found) in sizes.iter().zip(found) {
                    assert!(
                        close(found, expected(size, alpha, p)),
                        "{size}, {alpha}, {p}: {found}"
                    );
                }
            }
        }
    }

    #[test]
    fn estimates_at_the_ends() {
        // Nobody else is there: a journalist is a prosecutor.
        let all = Attack::journalist_estimated(&ClassSizes::of([1, 4]), 1.0, 0.2);
        assert!(close(all.average, 0.4));
        let large = Attack::journalist_estimated(&ClassSizes::of([1_000_000]), 0.01, 0.2);
        assert!((large.highest * 1e8 - 1.0).abs() < 1e-3, "{}", large.highest);
        // Nothing speaks against everybody being unique everywhere.
        let unique = Attack::journalist_estimated(&ClassSizes::of([1; 30]), 0.01, 0.2);
        assert!(close(unique.average, 1.0), "{}", unique.average);
        let tiny = Attack::journalist_estimated(&ClassSizes::of([1, 2, 40]), 1e-9, 0.2);
        assert!(tiny.highest >= 0.0 && tiny.highest <= 1.0);
    }
}
