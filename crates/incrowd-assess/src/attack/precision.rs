//! Guesses ranked by how sure an attacker is of them, and how many of the surest are right.
//!
//! An attacker need not guess about everybody. Whoever guesses only where they are sure may be right nearly always, while
//! the share of right guesses among all people stays low.

use serde::Serialize;

use super::interval::SuccessRate;

/// The shares of people about whom the surest guesses are made.
const SHARES: [f64; 3] = [0.01, 0.1, 1.0];

/// One guess.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RatedGuess {
    /// Whether it is right.
    pub(super) right: bool,
    /// The chance that the attacker gives it.
    pub(super) confidence: f64,
}

impl RatedGuess {
    /// Nobody is guessed.
    pub(super) const NONE: RatedGuess = RatedGuess { right: false, confidence: 0.0 };
}

/// How precise the surest guesses of an attack are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttackPrecision {
    /// The attack: linkability or inference.
    pub attack: String,
    /// The column that was guessed, for inference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// From few sure guesses to a guess about everybody.
    pub best: Vec<BestGuesses>,
}

/// The surest guesses, one for so many people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BestGuesses {
    /// The recall: about which share of the people a guess is made.
    pub recall: f64,
    /// How many of the guesses are right.
    #[serde(flatten)]
    pub precision: SuccessRate,
    /// The same about people who are not in the data.
    pub control: SuccessRate,
    /// The anonymity loss coefficient: what precision and recall together gain over the control.
    pub anonymity_loss: f64,
}

impl AttackPrecision {
    pub(super) fn new(
        (attack, column): (&str, Option<&str>),
        found: impl Iterator<Item = RatedGuess>,
        base: impl Iterator<Item = RatedGuess>,
        deviations: f64,
    ) -> Self {
        let (found, base) = (surest_first(found), surest_first(base));
        let best = SHARES.map(|share| {
            let precision = best_share(&found, share, deviations);
            let control = best_share(&base, share, deviations);
            let recall = precision.tries as f64 / found.len().max(1) as f64;
            let other = control.tries as f64 / base.len().max(1) as f64;
            let loss = anonymity_loss((precision.share, recall), (control.share, other));
            BestGuesses { recall, precision, control, anonymity_loss: loss }
        });
        AttackPrecision {
            attack: attack.to_owned(),
            column: column.map(str::to_owned),
            best: best.into(),
        }
    }

    /// The attack with its column.
    pub fn name(&self) -> String {
        match &self.column {
            None => self.attack.clone(),
            Some(column) => format!("{} of {column}", self.attack),
        }
    }
}

/// Guesses of which nobody is surer come in the order of the people, which is one of chance.
fn surest_first(guesses: impl Iterator<Item = RatedGuess>) -> Vec<RatedGuess> {
    let mut guesses: Vec<RatedGuess> = guesses.collect();
    guesses.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    guesses
}

fn best_share(guesses: &[RatedGuess], share: f64, deviations: f64) -> SuccessRate {
    let tries = ((guesses.len() as f64 * share).ceil() as usize).min(guesses.len());
    let right = guesses[..tries].iter().filter(|guess| guess.right).count();
    SuccessRate::new(right as u64, tries as u64, deviations)
}

/// The anonymity loss coefficient of two precisions with their recalls: 0 where the attack is no better than the control,
/// 1 where everything is lost, negative where it is worse.
///
/// # Reference
/// P. Francis and D. Wagner, *Towards more accurate and useful data anonymity vulnerability measures*, arXiv 2403.06595;
/// with the parameters of their package `anonymity_loss_coefficient`.
pub fn anonymity_loss(attack: (f64, f64), control: (f64, f64)) -> f64 {
    // A precision of 1 leaves no room above it, which must not divide by nothing.
    let coefficient = |(precision, recall)| precision_recall(precision, recall).min(0.999_999_99);
    let (attack, control) = (coefficient(attack), coefficient(control));
    (attack - control) / (1.0 - control)
}

/// The precision, less what few guesses count for less.
fn precision_recall(precision: f64, recall: f64) -> f64 {
    const LEAST_RECALL: f64 = 1e-4;
    if recall <= LEAST_RECALL {
        return recall;
    }
    (1.0 - (recall.log10() / LEAST_RECALL.log10()).powi(3)) * precision
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_as_the_package_prints_them() {
        // AnonymityLossCoefficient().alc(p_base, r_base, p_attack, r_attack) of version 1.0.32.
        for (attack, control, loss) in VECTORS {
            let found = anonymity_loss(attack, control);
            assert!((found - loss).abs() < 2e-4, "{attack:?} {control:?}: {found}, {loss}");
        }
    }

    #[test]
    fn the_surest_come_first() {
        let guesses = |right: usize| {
            (0..200).map(move |at| RatedGuess {
                right: at % 100 < right,
                confidence: 1.0 - (at % 100) as f64 / 100.0,
            })
        };
        let found =
            AttackPrecision::new(("inference", Some("income")), guesses(10), guesses(0), 2.0);
        let counts: Vec<_> =
            found.best.iter().map(|it| (it.precision.hits, it.precision.tries)).collect();
        assert_eq!(counts, [(2, 2), (20, 20), (20, 200)]);
        assert_eq!(found.best[0].recall, 0.01);
        assert!(found.best[0].anonymity_loss < found.best[1].anonymity_loss);
        assert_eq!(found.name(), "inference of income");
    }

    /// Precision and recall of an attack, those of its control, and the loss.
    type LossVector = ((f64, f64), (f64, f64), f64);

    const VECTORS: [LossVector; 7] = [
        ((1.0, 1.0), (0.5, 1.0), 1.0),
        ((1.0, 0.01), (0.5, 0.01), 0.7778),
        ((0.9, 0.1), (0.3, 0.1), 0.8381),
        ((0.2, 1.0), (0.4, 1.0), -0.3333),
        ((1.0, 1.0), (1.0, 1.0), 0.0),
        ((0.7, 5e-05), (0.2, 0.5), -0.2497),
        ((0.62, 0.033), (0.41, 0.1), 0.31),
    ];
}
