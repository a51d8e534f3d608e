//! The slide negative binomial estimate of population uniques.

use super::ClassSizes;
use super::sums::root;

/// A slide negative binomial distribution of the sizes of the population's classes.
///
/// # What it does
/// The population is taken to have K classes whose sizes less one are negative binomial with parameters α and
/// β, and each of their members to be drawn with the sampling fraction f. K is Shlosser's estimate as Haas
/// and Stokes modified it. With q = (1 - f) (1 - β) the numbers of classes seen once and twice are then
///
///   c1 = K f (β / (1 - q))^α (1 + α q / (1 - q)),
///   c2 = K f² / 2 (1 - β) α β^α (1 - q)^(-α - 2) (2 - (1 - α) q).
///
/// For each β their ratio gives α by a quadratic equation, and β is where the first holds: one bisection
/// instead of an iteration in two variables. The population has K β^α uniques.
///
/// # Guarantee
/// `None` if no β satisfies both equations, or if no class is of two.
///
/// # Reference
/// G. Chen, S. Keller-McNulty, *Estimation of identification disclosure risk in microdata*, Journal of Official
/// Statistics 14(1), 1998; P. J. Haas, L. Stokes, *Estimating the number of classes in a finite population*,
/// Journal of the American Statistical Association 93(444), 1998.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SlideNegativeBinomial {
    /// How many classes the population has.
    pub(super) classes: f64,
    pub(super) alpha: f64,
    pub(super) beta: f64,
}

/// The odds of β are tried from e^-40 to e^40, in steps of e^(1/4).
const TRIES: i32 = 160;

impl SlideNegativeBinomial {
    pub(super) fn fit(sizes: &ClassSizes, fraction: f64) -> Option<Self> {
        let (once, twice) = (sizes.unique() as f64, sizes.of_size(2) as f64);
        if once == 0.0 || twice == 0.0 || fraction >= 1.0 {
            return None;
        }
        let seen = SampleFrequencies {
            once,
            twice,
            fraction,
            classes: population_classes(sizes, fraction)?,
        };
        let odds = |at: i32| f64::from(at) / 4.0;
        let mut crossed = (-TRIES..TRIES).filter(|&at| {
            let (here, next) = (seen.excess(odds(at)), seen.excess(odds(at + 1)));
            here.is_finite() && next.is_finite() && (here < 0.0) != (next < 0.0)
        });
        let at = crossed.next()?;
        let odds = root(odds(at), odds(at + 1), |odds| seen.excess(odds));
        Some(SlideNegativeBinomial {
            classes: seen.classes,
            alpha: seen.alpha(odds),
            beta: share(odds),
        })
    }

    /// How many uniques a population of that size has, all of it at most.
    pub(super) fn uniques(&self, population: f64) -> f64 {
        (self.classes * (self.alpha * self.beta.ln()).exp()).min(population)
    }
}

/// A share by the logarithm of its odds; that of the opposite odds is the rest, to all its digits.
fn share(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// How many classes the population has, by Shlosser's estimate as modified by Haas and Stokes.
fn population_classes(sizes: &ClassSizes, fraction: f64) -> Option<f64> {
    let (f, square) = (fraction, fraction * fraction);
    let (mut once, mut more, mut missed, mut single) = (0.0, 0.0, 0.0, 0.0);
    for (size, classes) in sizes.iter() {
        let (size, classes) = (size as f64, classes as f64);
        once += classes * size * square * (1.0 - square).powf(size - 1.0);
        more += classes * ((1.0 - square).powf(size) - (1.0 - f).powf(size));
        missed += classes * (1.0 - f).powf(size);
        single += classes * size * f * (1.0 - f).powf(size - 1.0);
    }
    let classes =
        sizes.classes() as f64 + sizes.unique() as f64 * (once / more) * (missed / single).powi(2);
    classes.is_finite().then_some(classes)
}

/// What the equations must reach.
struct SampleFrequencies {
    once: f64,
    twice: f64,
    fraction: f64,
    classes: f64,
}

impl SampleFrequencies {
    /// α so that classes seen twice and once are in their ratio.
    fn alpha(&self, odds: f64) -> f64 {
        let rest = share(-odds);
        let q = (1.0 - self.fraction) * rest;
        let ratio = 2.0 * self.twice / self.once * (1.0 - q) / (self.fraction * rest);
        // q α² + b α = c; the form of the root in which nothing cancels.
        let (b, c) = (2.0 - q - ratio * q, ratio * (1.0 - q));
        let under = (b * b + 4.0 * q * c).sqrt();
        if b >= 0.0 { 2.0 * c / (b + under) } else { (under - b) / (2.0 * q) }
    }

    /// How many times too many classes are seen once, less one, by the odds of β.
    fn excess(&self, odds: f64) -> f64 {
        let (beta, rest) = (share(odds), share(-odds));
        let q = (1.0 - self.fraction) * rest;
        let alpha = self.alpha(odds);
        let log = alpha * -(self.fraction * rest / beta).ln_1p();
        self.classes * self.fraction * log.exp() * (1.0 + alpha * q / (1.0 - q)) / self.once - 1.0
    }
}
