//! How sure a share is that was counted.

use serde::Serialize;

/// A share of tries, with the interval that it lies in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SuccessRate {
    /// How many tries there were.
    pub tries: u64,
    /// How many of them were right.
    pub hits: u64,
    /// The share that was right; 0 without tries.
    pub share: f64,
    /// The low end of its interval, by Wilson's score.
    pub low: f64,
    /// The high end of its interval.
    pub high: f64,
}

impl SuccessRate {
    /// The share of hits with its interval at `z` standard deviations.
    ///
    /// # Reference
    /// E. B. Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22, 1927.
    pub fn new(hits: u64, tries: u64, z: f64) -> Self {
        if tries == 0 {
            return SuccessRate { tries, hits, share: 0.0, low: 0.0, high: 1.0 };
        }
        let (n, share) = (tries as f64, hits as f64 / tries as f64);
        let (square, spread) = (z * z / n, share * (1.0 - share) / n);
        let middle = (share + square / 2.0) / (1.0 + square);
        let half = z * (spread + square / (4.0 * n)).sqrt() / (1.0 + square);
        // At the ends the interval begins or ends exactly there, whatever the last bit says.
        let low = if hits == 0 { 0.0 } else { (middle - half).clamp(0.0, share) };
        let high = if hits == tries { 1.0 } else { (middle + half).clamp(share, 1.0) };
        SuccessRate { tries, hits, share, low, high }
    }
}

/// What an attack gains over the same guesses about people who are not in the data.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AttackOutcome {
    /// Guesses about people who are in the data.
    pub attack: SuccessRate,
    /// The same guesses about people who are not.
    pub control: SuccessRate,
    /// The gain: of the people whom the control would miss, the share that the release gives away.
    pub risk: f64,
    /// The low end of its interval; above 0, the release gives people away.
    pub low: f64,
    /// The high end of its interval.
    pub high: f64,
}

impl AttackOutcome {
    /// The gain `(a - c) / (1 - c)`, with the interval of the difference of two shares that rests on the intervals of
    /// both. Less than nothing is nothing.
    ///
    /// # Reference
    /// R. G. Newcombe, *Interval estimation for the difference between independent proportions*, Statistics in
    /// Medicine 17, 1998 (method 10); M. Giomi, F. Boenisch, C. Wehmeyer and B. Tasnádi, *A unified framework for
    /// quantifying privacy risk in synthetic data*, PoPETs 2023 (the gain).
    pub fn new(attack: SuccessRate, control: SuccessRate) -> Self {
        let room = 1.0 - control.share;
        let gain = attack.share - control.share;
        let below =
            ((attack.share - attack.low).powi(2) + (control.high - control.share).powi(2)).sqrt();
        let above =
            ((attack.high - attack.share).powi(2) + (control.share - control.low).powi(2)).sqrt();
        let share = |gain: f64| if room > 0.0 { (gain / room).clamp(0.0, 1.0) } else { 0.0 };
        AttackOutcome {
            attack,
            control,
            risk: share(gain),
            low: share(gain - below),
            high: share(gain + above),
        }
    }

    /// What is gained by claiming a person wherever exactly one row fits.
    ///
    /// Whoever is in the release is that row; such a claim is right unless the own row is not there. So chance is not how
    /// often exactly one row fits others, but that times how often the own row is missing. How often it is there is what
    /// `present` says, the gain of "some row fits" over others: with q of the own rows there, exactly one row fits with
    /// q P(no other) + (1 - q) P(one other), of which the second part is chance.
    pub(super) fn of_claims(
        attack: SuccessRate,
        others: SuccessRate,
        present: &AttackOutcome,
    ) -> Self {
        let control = SuccessRate {
            tries: others.tries,
            hits: ((1.0 - present.risk) * others.hits as f64).round() as u64,
            share: (1.0 - present.risk) * others.share,
            low: (1.0 - present.high) * others.low,
            high: (1.0 - present.low) * others.high,
        };
        AttackOutcome::new(attack, control)
    }

    /// Whether the release gives people away, beyond what chance explains.
    pub fn is_found(&self) -> bool {
        self.low > 0.0
    }
}

/// How many standard deviations to each side hold this share of all cases.
///
/// # Reference
/// P. J. Acklam, *An algorithm for computing the inverse normal cumulative distribution function*, 2003; its error is
/// below 1.2e-9.
pub(super) fn deviations(confidence: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969683028665376e1,
        2.209460984245205e2,
        -2.759285104469687e2,
        1.38357751867269e2,
        -3.066479806614716e1,
        2.506628277459239,
    ];
    const B: [f64; 5] = [
        -5.447609879822406e1,
        1.615858368580409e2,
        -1.556989798598866e2,
        6.680131188771972e1,
        -1.328068155288572e1,
    ];
    const C: [f64; 6] = [
        -7.784894002430293e-3,
        -3.223964580411365e-1,
        -2.400758277161838,
        -2.549732539343734,
        4.374664141464968,
        2.938163982698783,
    ];
    const D: [f64; 4] =
        [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416];
    let sum = |list: &[f64], at: f64| list.iter().fold(0.0, |sum, term| sum * at + term);
    let tail = ((1.0 - confidence) / 2.0).clamp(1e-300, 0.5);
    if tail < 0.02425 {
        let q = (-2.0 * tail.ln()).sqrt();
        return -sum(&C, q) / (sum(&D, q) * q + 1.0);
    }
    let q = 0.5 - tail;
    let r = q * q;
    sum(&A, r) * q / (sum(&B, r) * r + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles() {
        for (confidence, z) in [(0.95, 1.959963985), (0.99, 2.575829304), (0.5, 0.674489750)] {
            assert!((deviations(confidence) - z).abs() < 1e-8, "{confidence}");
        }
        assert!(deviations(1.0 - 0.05 / 40.0) > 3.0);
    }

    #[test]
    fn wilsons_intervals_as_printed() {
        // Newcombe 1998, table II: 81 of 263, 0 of 20.
        let rate = SuccessRate::new(81, 263, 1.959963985);
        assert!((rate.low - 0.2553).abs() < 5e-5 && (rate.high - 0.3662).abs() < 5e-5, "{rate:?}");
        let none = SuccessRate::new(0, 20, 1.959963985);
        assert!(none.low == 0.0 && (none.high - 0.1611).abs() < 5e-5, "{none:?}");
        assert_eq!(SuccessRate::new(20, 20, 2.0).high, 1.0);
    }

    #[test]
    fn the_gain_is_over_the_control() {
        let rate = |hits| SuccessRate::new(hits, 100, 1.96);
        let found = AttackOutcome::new(rate(60), rate(20));
        assert!((found.risk - 0.5).abs() < 1e-12 && found.is_found());
        // Newcombe 1998, table II, case (a): 56/70 and 48/80 differ by 0.0524 to 0.3339.
        let found = AttackOutcome::new(
            SuccessRate::new(56, 70, 1.959963985),
            SuccessRate::new(48, 80, 1.959963985),
        );
        assert!((found.low * 0.4 - 0.0524).abs() < 5e-5, "{found:?}");
        assert!((found.high * 0.4 - 0.3339).abs() < 5e-5, "{found:?}");
        let equal = AttackOutcome::new(rate(20), rate(20));
        assert!(equal.low == 0.0 && equal.high > 0.0 && !equal.is_found());
        let worse = AttackOutcome::new(rate(5), rate(100));
        assert_eq!((worse.risk, worse.low, worse.high), (0.0, 0.0, 0.0));
    }
}
