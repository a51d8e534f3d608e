//! Ewens' model of how many classes there are.

use super::ClassSizes;
use super::sums::{harmonic, root};

/// Ewens' sampling formula fitted to a sample: Pitman's with α of 0.
///
/// # What it does
/// Its one parameter θ is the likeliest where the expected number of classes of the n rows is the number that was
/// counted: Σ_{i<n} θ / (θ + i) = u. The sum grows with θ, so one bisection finds it.
///
/// # Guarantee
/// `None` if there is no such θ: a sample of uniques only, or of one class.
///
/// # Reference
/// W. J. Ewens, *The sampling theory of selectively neutral alleles*, Theoretical Population Biology 3(1), 1972;
/// N. Hoshino, A. Takemura, *Relationship between logarithmic series model and other superpopulation models useful
/// for microdata disclosure risk assessment*, Journal of the Japan Statistical Society 28(2), 1998.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ewens {
    pub(super) theta: f64,
}

impl Ewens {
    pub(super) fn fit(sizes: &ClassSizes) -> Option<Self> {
        let (classes, rows) = (sizes.classes(), sizes.rows());
        if classes < 2 || classes == rows {
            return None;
        }
        let excess = |log: f64| expected_classes(log.exp(), rows) - classes as f64;
        Some(Ewens { theta: root(-40.0, 80.0, excess).exp() })
    }
}

/// How many classes so many rows are expected to have.
fn expected_classes(theta: f64, rows: u64) -> f64 {
    1.0 + theta * harmonic(theta, rows.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn the_expected_number_of_classes_is_the_counted_one() {
        for sizes in [vec![1, 1, 2], vec![5; 40], vec![1, 1, 1, 1, 1, 1, 1, 2], vec![900, 1]] {
            let sizes = ClassSizes::of(sizes);
            let Ewens { theta } = Ewens::fit(&sizes).unwrap();
            let slow: f64 = (0..sizes.rows()).map(|i| theta / (theta + i as f64)).sum();
            assert!((slow - sizes.classes() as f64).abs() < 1e-9, "{theta}: {slow}");
        }
        assert_eq!(Ewens::fit(&ClassSizes::of([1; 9])), None);
        assert_eq!(Ewens::fit(&ClassSizes::of([9])), None);
    }
}
