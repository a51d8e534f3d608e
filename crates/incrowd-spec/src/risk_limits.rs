//! What a spec asks of the risks of a release: of the release as a whole, of few known columns, and in the population.

use super::codecs::{
    AtRisk, Count, DefaultField, Flag, OptionalField, Presence, Risk, Share, Text,
};
use super::option_table::{RISKS, section};
use super::risk_notation::{DeltaPresence, MaxAtRisk};
use crate::{Error, Result};
use incrowd_engine::privacy::{AtRiskLimit, ReleaseRiskLimits, UniquenessLimit};

section! {
    /// What is asked of risks beyond k. Each is a key of `[privacy]`.
    #[derive(Default)]
    pub struct RiskLimits in "privacy" {
        /// The highest risk of anybody: 0.2 is k = 5.
        ///
        /// 1 divided by the size of the class.
        "max-risk" max_risk: Option<f64> = OptionalField<Risk>, RISKS.value("RISK").example("0.2");
        /// The highest average risk: classes divided by rows.
        ///
        /// By units where one is named. With k it is what is called strict average risk.
        "max-average-risk" max_average_risk: Option<f64> = OptionalField<Risk>,
            RISKS.value("RISK").example("0.05");
        /// The most rows above a risk: 5%@0.2.
        "max-at-risk" max_at_risk: Option<MaxAtRisk> = OptionalField<AtRisk>,
            RISKS.value("SHARE@RISK").example("\"5%@0.2\"");
        /// Let k count people of this population (--population-weight).
        ///
        /// k counts people of the population (`population` of the data) who fit a class, instead of rows of the table.
        /// Default: false.
        "k-map" k_map: bool = DefaultField<Flag>,
            RISKS.value("POPULATION").example("true");
        /// The population's column that says how many people a row is.
        ///
        /// Counts of a census, or the weights of a survey, which may be the table itself.
        "population-weight" population_weight: Option<String> = OptionalField<Text>,
            RISKS.value("COLUMN").example("\"people\"");
        /// The same, estimated: the population's share in the table.
        ///
        /// k counts people of the population, estimated, instead of rows of the table.
        "sampling-fraction" sampling_fraction: Option<f64> = OptionalField<Risk>,
            RISKS.value("SHARE").conflicts(&["k-map"]).example("0.1");
        /// Which share of those who fit a class may be in the table: 0,0.5.
        ///
        /// The least and the most; needs a population.
        "delta-presence" delta_presence: Option<DeltaPresence> = OptionalField<Presence>,
            RISKS.value("LEAST,MOST").example("\"0,0.5\"");
        /// The most rows that only one of the population fits.
        ///
        /// Needs a population, or the sampling fraction by which it is estimated.
        "max-population-unique" max_population_unique: Option<f64> = OptionalField<Share>,
            RISKS.value("SHARE").example("0.01");
        /// k for every so many columns, not for all together.
        ///
        /// For whoever knows no more of anybody.
        "known-columns" known_columns: Option<u32> = OptionalField<Count>,
            RISKS.value("COLUMNS").example("3");
        /// How many people outside must fit each box, with 99% confidence.
        ///
        /// So many people of a fresh sample as large as the table fit, so that no box was made for the people in it alone. Local
        /// methods merge boxes; for other kinds of release it is a larger k.
        "min-outside" min_outside: Option<u32> = OptionalField<Count>,
            RISKS.value("PEOPLE").example("1");
        /// How far suppression may move the share of a category: 2%.
        ///
        /// In percentage points, for every category of the released columns with at most 50 values: its share of the released
        /// rows and its share of the table's differ by no more. It is no risk, but what suppression makes of the table.
        "max-bias" max_bias: Option<f64> = OptionalField<Share>,
            RISKS.value("SHARE").example("0.02");
    }
}

/// How sure an estimated k-map is: what a class of fewer people of the population would show this rarely.
pub(super) const SURE: f64 = 0.05;

impl RiskLimits {
    /// What the release as a whole must satisfy.
    pub fn overall(&self) -> ReleaseRiskLimits {
        let at_risk =
            self.max_at_risk.map(|MaxAtRisk { share, threshold }| AtRiskLimit { share, threshold });
        let unique = self.max_population_unique.zip(self.sampling_fraction);
        ReleaseRiskLimits {
            average: self.max_average_risk,
            at_risk,
            unique: unique.map(|(share, fraction)| UniquenessLimit { share, fraction }),
        }
    }

    /// Refuses numbers that are no risks and no shares; in a spec they are refused where they stand.
    pub fn check(&self) -> Result<()> {
        let of_a_whole = [
            ("the highest risk", self.max_risk),
            ("the highest average risk", self.max_average_risk),
            ("the sampling fraction", self.sampling_fraction),
        ];
        match of_a_whole.into_iter().find(|(_, it)| it.is_some_and(|it| !(it > 0.0 && it <= 1.0))) {
            Some((what, Some(number))) => Err(Error::new(format!("{what} cannot be {number}"))
                .help("it is above 0 and at most 1")),
            _ => Ok(()),
        }
    }

    /// The largest share of rows that only one person of the population fits, where it is counted there.
    pub fn counted_unique(&self) -> Option<f64> {
        self.max_population_unique.filter(|_| self.sampling_fraction.is_none())
    }

    /// Whether a population is needed.
    pub fn needs_population(&self) -> bool {
        self.k_map && self.sampling_fraction.is_none()
            || self.delta_presence.is_some()
            || self.counted_unique().is_some()
    }
}

/// How many rows a class of the table must have for somebody to be sure that the population has k people like them.
///
/// Of a class of `people`, a sample of that share holds a number of rows that is nearly Poisson distributed with mean
/// `people * fraction`; classes without a row are not seen, so it is truncated at zero. The result is the least
/// number of rows that a class of k - 1 people shows with probability `sure` at most: whoever sees as many rules out that
/// the class has fewer than k people. It is never more than k, of whom all may be in the table.
pub fn rows_for_people(k: u64, fraction: f64, sure: f64) -> u64 {
    if k <= 1 || fraction >= 1.0 {
        return k.max(1);
    }
    let mean = (k - 1) as f64 * fraction;
    // The probability of a row at all, and that of so many rows and no more.
    let seen = -(-mean).exp_m1();
    let mut exactly = (-mean).exp();
    let mut more = 1.0;
    for rows in 1..=k {
        // What is left is the probability of at least so many rows.
        if more <= sure {
            return rows;
        }
        exactly *= mean / rows as f64;
        more -= exactly / seen;
    }
    k
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn estimated_rows_grow_with_the_fraction_and_never_exceed_k() {
        for k in 1..40 {
            let mut before = 1;
            for percent in 1..=100 {
                let rows = rows_for_people(k, f64::from(percent) / 100.0, 0.05);
                assert!((before..=k.max(1)).contains(&rows), "{k} {percent}: {rows}");
                before = rows;
            }
        }
        // Four people at a tenth: P(2 or more | 1 or more) is 0.187, P(3 or more) 0.024.
        assert_eq!(rows_for_people(5, 0.1, 0.05), 3);
    }
}
