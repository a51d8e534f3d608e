//! Sums and roots that the estimates share.

/// Adds terms until they no longer matter; `ratio(j)` leads from term j to the next, and stays below 1.
pub(super) fn series(first: f64, ratio: impl Fn(f64) -> f64) -> f64 {
    let (mut term, mut sum) = (first, 0.0);
    let mut at = 0.0;
    while term > 1e-17 * sum && at < 1e7 {
        sum += term;
        term *= ratio(at);
        at += 1.0;
    }
    sum
}

/// The terms that are added one by one before the rest is taken from an integral.
const SINGLE: u64 = 64;

/// 1/(c+1) + 1/(c+2) + ... + 1/(c+m), for c above -1.
pub(super) fn harmonic(c: f64, m: u64) -> f64 {
    let single = m.min(SINGLE);
    let sum: f64 = (1..=single).map(|i| 1.0 / (c + i as f64)).sum();
    if m == single {
        return sum;
    }
    // Euler and Maclaurin's formula from midpoint to midpoint.
    let (low, high) = (c + single as f64 + 0.5, c + m as f64 + 0.5);
    let (one, other) = (1.0 / (low * low), 1.0 / (high * high));
    let integral = ((m - single) as f64 / low).ln_1p();
    sum + integral + (other - one) / 24.0 - 7.0 / 960.0 * (other * other - one * one)
}

/// The logarithm of the gamma function, for x above 0.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    // Stirling's series, which needs a large argument: go up and come back by Γ(x + 1) = x Γ(x).
    let (mut x, mut shift) = (x, 0.0);
    while x < 12.0 {
        shift += x.ln();
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let tail = 1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + tail / x - shift
}

/// ln Γ(x + d) - ln Γ(x), without the loss of a difference of large figures; x + d must be above 0.
pub(super) fn ln_gamma_ratio(x: f64, d: f64) -> f64 {
    if x.min(x + d) < 1e4 {
        return ln_gamma(x + d) - ln_gamma(x);
    }
    // Stirling's series for both, with ln(x + d) = ln x + ln(1 + d / x).
    let tail = 1.0 / (12.0 * (x + d)) - 1.0 / (12.0 * x);
    d * x.ln() + (x + d - 0.5) * (d / x).ln_1p() - d + tail
}

/// Where a function changes its sign between `low` and `high`; it must not have the same sign at both.
pub(super) fn root(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    let rising = of(low) < 0.0;
    // A double has 53 bits; more halves than this change nothing.
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if (of(middle) < 0.0) == rising { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-12 * other.abs().max(1.0)
    }

    #[test]
    fn sums_are_those_of_their_terms() {
        for c in [-0.9, 0.0, 0.5, 300.0, 1e7] {
            for m in [0, 1, 64, 65, 1000, 100_000] {
                let slow: f64 = (1..=m).rev().map(|i| 1.0 / (c + i as f64)).sum();
                assert!(close(harmonic(c, m), slow), "{c} {m}: {} {slow}", harmonic(c, m));
            }
        }
        // The geometric series.
        assert!(close(series(1.0, |_| 0.5), 2.0));
    }

    #[test]
    fn gamma_is_the_factorial() {
        let mut factorial: f64 = 1.0;
        for n in 1..30 {
            assert!(close(ln_gamma(f64::from(n)), factorial.ln()), "{n}");
            factorial *= f64::from(n);
        }
        assert!(close(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln()));
    }

    #[test]
    fn a_root_is_found_from_either_side() {
        assert!(close(root(0.0, 2.0, |x| x * x - 2.0), 2f64.sqrt()));
        assert!(close(root(0.0, 2.0, |x| 2.0 - x * x), 2f64.sqrt()));
    }
}
