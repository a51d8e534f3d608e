//! How far estimates would scatter if the sample had been drawn again.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::ClassSizes;

/// Samples that are drawn again.
const SAMPLES: usize = 40;
/// Fewer samples with an answer tell nothing of its scatter.
const LEAST_ANSWERS: usize = SAMPLES / 2;

/// The standard errors of estimates, by the bootstrap of classes.
///
/// # What it does
/// The number of classes of each size is drawn anew from the Poisson distribution whose mean is the number that was
/// counted, and the estimates are made anew. The standard error is the standard deviation of the answers. Draws are
/// seeded: equal tables have equal errors.
///
/// # Guarantee
/// None where an estimate has no answer for half of the samples.
///
/// # Reference
/// B. Efron, R. J. Tibshirani, *An Introduction to the Bootstrap*, Chapman & Hall 1993.
pub(super) fn standard_errors<const N: usize>(
    sizes: &ClassSizes,
    estimates: impl Fn(&ClassSizes) -> [Option<f64>; N],
) -> [Option<f64>; N] {
    let mut random = Pcg64Mcg::seed_from_u64(sizes.rows());
    let mut answers: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(SAMPLES));
    for _ in 0..SAMPLES {
        let drawn =
            sizes.iter().map(|(size, classes)| (size, poisson(classes as f64, &mut random)));
        let drawn = ClassSizes::of_groups(drawn);
        if drawn.rows() == 0 {
            continue;
        }
        for (answers, answer) in answers.iter_mut().zip(estimates(&drawn)) {
            answers.extend(answer);
        }
    }
    answers.map(|answers| (answers.len() >= LEAST_ANSWERS).then(|| deviation(&answers)))
}

fn deviation(answers: &[f64]) -> f64 {
    let many = answers.len() as f64;
    let mean = answers.iter().sum::<f64>() / many;
    let squares: f64 = answers.iter().map(|answer| (answer - mean).powi(2)).sum();
    (squares / (many - 1.0)).sqrt()
}

/// A number from the Poisson distribution.
fn poisson(mean: f64, random: &mut Pcg64Mcg) -> u64 {
    // Beyond this the normal distribution is as good.
    const LARGE: f64 = 64.0;
    if mean > LARGE {
        let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * random.random::<f64>()).cos();
        return (mean + mean.sqrt() * normal).round().max(0.0) as u64;
    }
    let (limit, mut product, mut number) = ((-mean).exp(), random.random::<f64>(), 0);
    while product > limit {
        product *= random.random::<f64>();
        number += 1;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_mean_and_the_variance_of_the_distribution() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for mean in [0.5, 7.0, 50.0, 900.0] {
            let drawn: Vec<f64> = (0..20_000).map(|_| poisson(mean, &mut random) as f64).collect();
            let average = drawn.iter().sum::<f64>() / drawn.len() as f64;
            assert!((average / mean - 1.0).abs() < 0.02, "{mean}: {average}");
            assert!((deviation(&drawn) / mean.sqrt() - 1.0).abs() < 0.03, "{mean}");
        }
    }

    /// The number of classes is a sum of Poisson numbers: its deviation is the root of its mean.
    #[test]
    fn errors_are_those_of_known_sums() {
        let sizes = ClassSizes::of((0..900u64).map(|at| 1 + at % 3));
        let [classes, never] =
            standard_errors(&sizes, |drawn| [Some(drawn.classes() as f64), None]);
        let classes = classes.unwrap_or_default();
        assert!((classes / 30.0 - 1.0).abs() < 0.35, "{classes}");
        assert_eq!(never, None);
    }
}
