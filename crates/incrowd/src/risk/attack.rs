//! Attackers: how likely somebody finds a person.

use serde::Serialize;

use super::ClassSizes;
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

    /// The risk of a journalist when only the share of the population that is in the table is known:
    /// the expected 1/F of a class of f rows, for F as in a negative binomial distribution with f
    /// successes (Benedetti and Franconi 1998; the individual risk of mu-Argus).
    pub fn journalist_estimated(sizes: &ClassSizes, fraction: f64, threshold: f64) -> Self {
        let inverses = Inverses::new(fraction, sizes);
        let risks = sizes.iter().zip(inverses.0).map(|((size, classes), risk)| (size * classes, risk));
        Self::over(risks, threshold)
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

/// The expected 1/F for each size of a class.
struct Inverses(Vec<f64>);

impl Inverses {
    /// With p the fraction and q = 1 - p it is p I(f), I(f) the integral of v^(f-1) / (p + q v) from 0 to 1.
    fn new(fraction: f64, sizes: &ClassSizes) -> Self {
        let (p, q) = (fraction, 1.0 - fraction);
        let of_series = |size: u64| {
            // The sum of q^j (f-1)! j! / (f+j)!; quick where q is not close to 1 or f is large.
            series(1.0 / size as f64, |j| q * (j + 1.0) / (size as f64 + j + 1.0))
        };
        if p >= 0.5 {
            return Inverses(sizes.iter().map(|(size, _)| p * of_series(size)).collect());
        }
        // q I(f+1) + p I(f) = 1/f, which loses nothing going up while p < q.
        let mut integral = -p.ln() / q;
        let mut at = 1;
        let inverses = sizes.iter().map(|(size, _)| {
            // Far out the series needs few terms, and the way there is long.
            if size > 100_000 {
                return p * of_series(size);
            }
            while at < size {
                integral = (1.0 / at as f64 - p * integral) / q;
                at += 1;
            }
            p * integral
        });
        Inverses(inverses.collect())
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
    fn expected(size: u64, p: f64) -> f64 {
        let (f, mut chance, mut sum) = (size as f64, p.powf(size as f64), 0.0);
        for more in 0..200_000 {
            let more = f64::from(more);
            sum += chance / (f + more);
            chance *= (f + more) / (more + 1.0) * (1.0 - p);
        }
        sum
    }

    #[test]
    fn the_estimated_inverse_is_the_mean_of_the_distribution() {
        for p in [0.001, 0.1, 0.49, 0.5, 0.7, 0.99] {
            for size in [1, 2, 3, 8, 20] {
                let one = Attack::journalist_estimated(&ClassSizes::of([size]), p, 0.2);
                assert!(close(one.highest, expected(size, p)), "size {size}, fraction {p}");
            }
        }
        // Nobody else is there: a journalist is a prosecutor.
        let all = Attack::journalist_estimated(&ClassSizes::of([1, 4]), 1.0, 0.2);
        assert!(close(all.average, 0.4));
        let large = Attack::journalist_estimated(&ClassSizes::of([1_000_000]), 0.01, 0.2);
        assert!((large.highest * 1e8 - 1.0).abs() < 1e-3, "{}", large.highest);
    }
}
