//! What attacks on a release give, as far as it may be told where the release is seen.
//!
//! **What it does.** The release is attacked with its original ([`attack_release`]): singling out, linkability, inference.
//!
//! **Guarantee.** Only people are attacked whom a released row may be, so that whoever is suppressed because no row
//! contains them has no part in it. Who is suppressed though some row contains them has: shares are therefore told in
//! whole percent, intervals rounded to their outside, and the number of people who were tried only as a bound.

use incrowd_assess::attack::{AttackOutcome, Baseline};
use incrowd_engine::Control;
use incrowd_engine::words::thousands;

use crate::assess::{AttackSettings, attack_release};
use crate::spec::SpecFile;
use crate::{Result, Source};

/// An attack, in whole percent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CriterionFigures {
    /// What was tried.
    pub(super) name: String,
    /// The share of people whom the release gives away beyond chance.
    gain: u64,
    /// The ends of its interval.
    interval: [u64; 2],
    /// The share of guesses that were right, and of those of the comparison.
    right: [u64; 2],
    /// Whether people are found beyond what chance explains.
    pub(super) is_found: bool,
}

impl CriterionFigures {
    fn of(name: String, outcome: &AttackOutcome) -> Self {
        let percent = |share: f64| (100.0 * share).round().max(0.0) as u64;
        CriterionFigures {
            name,
            gain: percent(outcome.risk),
            interval: [
                (100.0 * outcome.low + 1e-9).floor().max(0.0) as u64,
                (100.0 * outcome.high - 1e-9).ceil().clamp(0.0, 100.0) as u64,
            ],
            right: [percent(outcome.attack.share), percent(outcome.control.share)],
            is_found: outcome.is_found(),
        }
    }

    /// The figures in a sentence.
    pub(super) fn sentence(&self) -> String {
        let [low, high] = self.interval;
        let [right, chance] = self.right;
        format!(
            "{}: gain {} % (interval {low} to {high} %); {right} % of the guesses were right, {chance} % in the \
             comparison; {}",
            self.name,
            self.gain,
            match self.is_found {
                true => "people are FOUND beyond chance",
                false => "nobody is found beyond chance",
            }
        )
    }
}

/// All attacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AttackFigures {
    /// Singling out, linkability, and inference of each secret column.
    pub(super) criteria: Vec<CriterionFigures>,
    /// The columns that the attacker knows.
    pub(super) known: Vec<String>,
    /// How many people were tried at most.
    attempts: u64,
    /// In which share of cases all intervals hold together, in percent.
    confidence: u64,
    /// What chance comes from.
    seed: u64,
    baseline: Baseline,
}

impl AttackFigures {
    /// Attacks a release by what its spec says of its columns; nothing where that cannot be done.
    pub(super) fn gather(
        file: &SpecFile,
        release: &Source,
        original: &Source,
        control: &Control,
    ) -> Result<Option<Self>> {
        let settings = AttackSettings::of_spec(file, release).with_released_only();
        let report = match attack_release(release, original, None, &settings, control) {
            Ok(report) => report,
            Err(error) if control.is_cancelled() => return Err(error),
            // Nobody is left to attack, or no column is: the form says that it is to be filled in.
            Err(_) => return Ok(None),
        };
        let of =
            |name: &str, outcome: &AttackOutcome| CriterionFigures::of(name.to_owned(), outcome);
        let mut criteria = vec![of("singling out", &report.singling_out)];
        criteria.extend(report.linkability.iter().map(|outcome| of("linkability", outcome)));
        criteria.extend(
            report
                .inference
                .iter()
                .map(|column| of(&format!("inference of `{}`", column.column), &column.outcome)),
        );
        Ok(Some(AttackFigures {
            criteria,
            known: report.known,
            attempts: settings.options.attempts,
            confidence: (100.0 * report.confidence).round() as u64,
            seed: report.seed,
            baseline: report.baseline,
        }))
    }

    /// What was tried, in sentences.
    pub(super) fn method(&self) -> String {
        format!(
            "attacked were up to {} rows of the original, drawn by chance (seed {}) among those that a released row \
             may stand for; known to the attacker: {}; compared with {}; all intervals hold together in {} % of cases; \
             figures in whole percent",
            thousands(self.attempts),
            self.seed,
            self.known.join(", "),
            match self.baseline {
                Baseline::Control => "people who are not in the data",
                Baseline::LeftOut => "the same guesses without the person's own row",
            },
            self.confidence
        )
    }

    /// Whether anybody is found beyond chance.
    pub(super) fn is_found(&self) -> bool {
        self.criteria.iter().any(|criterion| criterion.is_found)
    }
}
