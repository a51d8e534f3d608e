//! Loss, with the geometric mean over attributes.
//!
//! **What it does**: per attribute the mean over rows of [Iyengar's loss](super::loss), a suppressed row
//! counting 1; together the product of (1 + loss) to the power weight / sum of weights, less 1. So one
//! attribute that is lost altogether weighs more than the same loss spread over several.
//! **Example**: losses 0 and 1 of two attributes give 2^(1/2) - 1 = 0.4142, where their mean is 0.5.
//! **Reference**: the default of Prasser, Kohlmayer et al., *ARX* (2014).

/// The geometric mean of attributes' mean losses, with their weights.
pub(crate) fn of(losses: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut logs, mut weights) = (0.0, 0.0);
    for (loss, weight) in losses {
        logs += weight * (1.0 + loss).ln();
        weights += weight;
    }
    (logs / weights).exp_m1()
}
