//! Hoshino's estimate of population uniques by Pitman's sampling formula.

use super::ClassSizes;
use super::sums::{harmonic, ln_gamma, ln_gamma_ratio, root};

/// Pitman's sampling formula fitted to a sample.
///
/// # What it does
/// The formula has two parameters: θ says how many classes there are, α how heavy the tail of small ones
/// is. Both are chosen by maximum likelihood: with u classes, s_j of them of size j, and n rows, the
/// logarithm of the likelihood is
///
///   Σ_{i<u} ln(θ + i α) - Σ_{i<n} ln(θ + i) + Σ_j s_j Σ_{i<j} ln(i - α).
///
/// For each α the best θ is where the derivative by θ changes its sign, and the best α is where the
/// derivative by α changes its sign along these: two nested bisections, which unlike Newton's iteration
/// cannot run away.
///
/// A row of a population of N is alone if none of the other N - 1 joins its class. So N people have
///
///   E(S1) = N Π_{0<i<N} (θ + α + i - 1) / (θ + i) = N Γ(θ + 1) Γ(θ + α + N - 1) / (Γ(θ + α) Γ(θ + N))
///
/// uniques. For large N this tends to N^α Γ(θ + 1) / Γ(θ + α), which other programs print.
///
/// # Guarantee
/// `None` if the likelihood has no maximum inside: a sample of uniques only, or of classes as even as if
/// all were equally likely.
///
/// # Reference
/// N. Hoshino, *Applying Pitman's sampling formula to microdata disclosure risk assessment*, Journal of
/// Official Statistics 17(4), 2001.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pitman {
    pub(super) theta: f64,
    pub(super) alpha: f64,
}

/// The least α that is tried: here classes are about as even as chance allows.
const EVEN: f64 = -256.0;

impl Pitman {
    pub(super) fn fit(sizes: &ClassSizes) -> Option<Self> {
        let (classes, rows) = (sizes.classes(), sizes.rows());
        if classes < 2 || classes == rows {
            return None;
        }
        let likelihood = PitmanLikelihood { sizes, classes, rows };
        let slope = |alpha: f64| likelihood.by_alpha(likelihood.theta(alpha), alpha);
        // Where α comes close to 1 the slope falls without end, because a class of two is then impossible.
        let high = 1.0 - 1e-12;
        let mut low = 0.0;
        while slope(low) < 0.0 {
            low = if low == 0.0 { -1.0 / 64.0 } else { 2.0 * low };
            if low < EVEN {
                return None;
            }
        }
        let alpha = root(low, high, slope);
        Some(Pitman { theta: likelihood.theta(alpha), alpha })
    }

    /// Whether the formula is one of a population without end: α below 0 is one of a fixed number of classes,
    /// which says nothing of how a population goes on.
    pub(super) fn is_valid(&self) -> bool {
        self.alpha >= 0.0
    }

    /// How many uniques a population of that size has, all of it at most.
    pub(super) fn uniques(&self, population: f64) -> f64 {
        let Pitman { theta, alpha } = *self;
        let start = ln_gamma(theta + 1.0) - ln_gamma(theta + alpha);
        let end = ln_gamma_ratio(theta + population, alpha - 1.0);
        (population.ln() + start + end).exp().min(population)
    }
}

/// The derivatives of the likelihood.
struct PitmanLikelihood<'a> {
    sizes: &'a ClassSizes,
    classes: u64,
    rows: u64,
}

impl PitmanLikelihood<'_> {
    /// θ must be above this.
    fn least_theta(&self, alpha: f64) -> f64 {
        if alpha >= 0.0 { -alpha } else { -alpha * (self.classes - 1) as f64 }
    }

    /// The likeliest θ for an α.
    fn theta(&self, alpha: f64) -> f64 {
        let least = self.least_theta(alpha);
        // Below, the first sum is without end; above, there are more rows than classes.
        let by_theta = |log: f64| {
            let theta = least + log.exp();
            self.class_sum(theta, alpha) - harmonic(theta, self.rows - 1)
        };
        least + root(-40.0, 80.0, by_theta).exp()
    }

    /// Σ 1 / (θ + i α) over i from 1 to u - 1.
    fn class_sum(&self, theta: f64, alpha: f64) -> f64 {
        let others = self.classes - 1;
        // Steps that are lost beside θ: all terms are equal.
        if alpha.abs() * (others as f64) < 1e-9 * theta {
            return others as f64 / theta;
        }
        match alpha > 0.0 {
            true => harmonic(theta / alpha, others) / alpha,
            // The same terms from the last one to the first; what is above the least θ counts.
            false => harmonic((theta + alpha * others as f64) / -alpha - 1.0, others) / -alpha,
        }
    }

    /// The derivative by α: Σ i / (θ + i α) - Σ_j s_j Σ_{i<j} 1 / (i - α).
    fn by_alpha(&self, theta: f64, alpha: f64) -> f64 {
        let others = (self.classes - 1) as f64;
        // i / (θ + i α) = (1 - θ / (θ + i α)) / α.
        let first = match alpha.abs() * others < 1e-6 * theta {
            true => {
                let (sum, squares) = (others * (others + 1.0) / 2.0, others.powi(3) / 3.0);
                sum / theta - alpha * squares / (theta * theta)
            }
            false => (others - theta * self.class_sum(theta, alpha)) / alpha,
        };
        let within = self.sizes.iter().filter(|group| group.0 > 1);
        first - within.map(|(size, many)| many as f64 * harmonic(-alpha, size - 1)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The closed form is the product of the chances that nobody joins a row.
    #[test]
    fn uniques_are_the_rows_that_nobody_joins() {
        for (theta, alpha) in [(0.5, 0.0), (30.0, 0.2), (-0.3, 0.6), (1e4, 0.9)] {
            for population in [1, 2, 17, 1_000, 200_000] {
                let alone: f64 = (1..population)
                    .map(|i| ((theta + alpha + f64::from(i) - 1.0) / (theta + f64::from(i))).ln())
                    .sum();
                let slow = f64::from(population) * alone.exp();
                let found = Pitman { theta, alpha }.uniques(f64::from(population));
                assert!((found / slow - 1.0).abs() < 1e-9, "{theta} {alpha} {population}: {found}");
            }
        }
    }

    /// Far out it is the limit that others use, and near it is not.
    #[test]
    fn a_large_population_comes_close_to_the_limit() {
        let (theta, alpha) = (5_000.0, 0.4);
        let ratio = |population: f64| {
            let limit = ln_gamma(theta + 1.0) - ln_gamma(theta + alpha) + alpha * population.ln();
            Pitman { theta, alpha }.uniques(population) / limit.exp()
        };
        assert!(ratio(2e4) < 0.9 && (ratio(1e12) - 1.0).abs() < 1e-6);
    }
}
