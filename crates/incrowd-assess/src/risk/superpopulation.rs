//! How the classes of a table grow to those of the population it is a sample of.

use serde::Serialize;

use super::ClassSizes;
use super::ewens::Ewens;
use super::pitman::Pitman;
use super::sums::series;

/// The model by which the classes of a sample are taken to go on in the population.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuperpopulationModel {
    /// Pitman's sampling formula.
    Pitman,
    /// Ewens' model: Pitman's with α of 0, taken where classes are more even than his formula allows.
    Ewens,
    /// Every row is unique, so that no model can be fitted: everybody is taken to be unique everywhere.
    AllUnique,
}

/// A model fitted to the classes of a table.
///
/// With n rows and N people a class of f rows has f and as many more people as a negative binomial distribution of
/// shape f - α and chance p = (n + θ) / (N + θ) says. Where rows have weights, N / n is the mean weight of the
/// class's own rows, so that a class whose rows stand for many people grows more than one whose rows stand for few.
/// With α and θ of 0 that is Benedetti and Franconi's individual risk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FittedSuperpopulation {
    pub(super) model: SuperpopulationModel,
    pub(super) alpha: f64,
    /// Infinite where all rows are unique.
    theta: f64,
    rows: f64,
}

impl FittedSuperpopulation {
    pub(super) fn fit(sizes: &ClassSizes) -> Self {
        let rows = sizes.rows() as f64;
        if sizes.unique() == sizes.rows() {
            let (model, theta) = (SuperpopulationModel::AllUnique, f64::INFINITY);
            return FittedSuperpopulation { model, alpha: 0.0, theta, rows };
        }
        if let Some(Pitman { theta, alpha }) = Pitman::fit(sizes).filter(Pitman::is_valid) {
            return FittedSuperpopulation {
                model: SuperpopulationModel::Pitman,
                alpha,
                theta,
                rows,
            };
        }
        // One class only: it is all that there is.
        let theta = Ewens::fit(sizes).map_or(0.0, |fitted| fitted.theta);
        FittedSuperpopulation { model: SuperpopulationModel::Ewens, alpha: 0.0, theta, rows }
    }

    /// The chance of the distribution where a row stands for so many people.
    pub(super) fn chance(&self, weight: f64) -> f64 {
        match self.theta.is_finite() {
            true => (self.rows + self.theta) / (self.rows * weight + self.theta),
            false => 1.0,
        }
    }

    /// The chance that the row of a class of one is alone in the population, too.
    pub(super) fn alone(&self, weight: f64) -> f64 {
        self.chance(weight).powf(1.0 - self.alpha)
    }

    /// The expected 1/F of a class of so many rows, each of which stands for so many people.
    pub(super) fn inverse(&self, size: u64, weight: f64) -> f64 {
        InverseMoments::new(self.alpha, self.chance(weight)).of(size)
    }

    /// The expected 1/F for each size, which must ascend.
    pub(super) fn inverses(&self, sizes: &ClassSizes, weight: f64) -> Vec<f64> {
        let mut inverses = InverseMoments::new(self.alpha, self.chance(weight));
        sizes.iter().map(|group| inverses.of(group.0)).collect()
    }
}

/// The expected 1/F for sizes that ascend. With p the chance and q = 1 - p it is p I(f), I(f) the integral of
/// v^(f-1) (p + q v)^(-1-α) from 0 to 1.
struct InverseMoments {
    alpha: f64,
    p: f64,
    /// The size that has been reached, and its integral.
    at: u64,
    integral: f64,
}

impl InverseMoments {
    fn new(alpha: f64, p: f64) -> Self {
        let (q, log) = (1.0 - p, -p.ln());
        let integral = if alpha == 0.0 { log / q } else { (alpha * log).exp_m1() / (alpha * q) };
        InverseMoments { alpha, p, at: 1, integral }
    }

    fn of(&mut self, size: u64) -> f64 {
        let (alpha, p, q) = (self.alpha, self.p, 1.0 - self.p);
        let size = size.max(1);
        // Far out the sum has few terms, and the way there is long.
        let risk = if p >= 0.5 || size > 100_000 {
            // The sum of q^j (1+α)(2+α)...(j+α) (f-1)! / (f+j)!; quick where q is not close to 1 or f is large.
            let ratio = |j: f64| q * (1.0 + alpha + j) / (size as f64 + j + 1.0);
            p * series(1.0 / size as f64, ratio)
        } else {
            // q (f - α) I(f+1) + p f I(f) = 1, which loses nothing going up while p < q.
            while self.at < size {
                let f = self.at as f64;
                self.integral = (1.0 - p * f * self.integral) / (q * (f - alpha));
                self.at += 1;
            }
            p * self.integral
        };
        risk.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_expected_inverse_is_the_mean_of_the_distribution() {
        for alpha in [0.0, 0.4, 0.9] {
            for p in [0.001, 0.1, 0.49, 0.5, 0.7, 0.99] {
                let mut inverses = InverseMoments::new(alpha, p);
                for size in [1, 2, 3, 8, 20] {
                    let (found, slow) = (inverses.of(size), expected(size, alpha, p));
                    assert!((found - slow).abs() <= 1e-9 * slow, "{size}, {alpha}, {p}: {found}");
                }
            }
        }
    }

    /// With θ and α of 0: Benedetti and Franconi's formulas for classes of one and two, by hand.
    #[test]
    fn without_a_model_it_is_the_individual_risk() {
        let growth = FittedSuperpopulation {
            model: SuperpopulationModel::Ewens,
            alpha: 0.0,
            theta: 0.0,
            rows: 50.0,
        };
        let odds = 0.1 / 0.9;
        let log = 10f64.ln();
        assert!((growth.inverse(1, 10.0) - odds * log).abs() < 1e-12);
        assert!((growth.inverse(2, 10.0) - (odds - odds * odds * log)).abs() < 1e-12);
    }

    #[test]
    fn nothing_grows_where_rows_stand_for_themselves() {
        for sizes in [vec![1, 4, 4, 9], vec![1; 30], vec![7]] {
            let sizes = ClassSizes::of(sizes);
            let growth = FittedSuperpopulation::fit(&sizes);
            for (size, _) in sizes.iter() {
                assert!(
                    (growth.inverse(size, 1.0) * size as f64 - 1.0).abs() < 1e-12,
                    "{growth:?}"
                );
            }
        }
    }
}
