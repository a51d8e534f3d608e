//! What a release as a whole must satisfy: its average risk, the share of people at risk, and how many are estimated to be
//! unique in the population.
//!
//! These are no checks on one class. Two facts make them usable all the same:
//!
//! - **by size**: each is met once every released class holds enough people ([`ReleaseRiskLimits::enough`]), so a larger k always
//!   meets it, at a price;
//! - **smallest first**: leaving the classes below some size out raises the average size of the others and lowers the
//!   share at risk. So every set of classes has a *least size*: the least number of people from which on its classes
//!   can be released together ([`ReleaseRiskLimits::least`]). Every metric charges a suppressed row at least what it
//!   charges a released one, so releasing from the least size on costs least, and no release of these classes that
//!   suppresses by size costs less.

use serde::{Deserialize, Serialize};

use super::SLACK;
use crate::kit::{Error, Result};

/// What a release as a whole must satisfy. The risk of a person is 1 divided by how many people the class holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ReleaseRiskLimits {
    /// The most that the average risk may be: that of the released people, each at the highest of their records.
    pub average: Option<f64>,
    /// The share of people who may be at more than some risk.
    pub at_risk: Option<AtRiskLimit>,
    /// The share of people who may be unique in a population that is not known.
    #[serde(default)]
    pub unique: Option<UniquenessLimit>,
}

/// The share of people who may be at more than some risk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AtRiskLimit {
    /// The most that their share of the released people may be.
    pub share: f64,
    /// Whoever's risk is above this is at risk.
    pub threshold: f64,
}

/// The share of people who may be unique in a population of which only a share is known: estimated from how many are alone
/// and how many are two in the table.
///
/// Of `one` people alone and `two` pairs in a sample of the share f, somebody who is alone matches one person of the
/// population by chance with a probability of about `one f / (one f + 2 two (1 - f))`: the same table with one row taken out
/// and put back with probability f shows so many right and wrong matches (C. J. Skinner and M. J. Elliot, *A measure of
/// disclosure risk for microdata*, Journal of the Royal Statistical Society B 64, 2002). That is the mean of 1 / people over
/// those who are alone, so never less than the share of them that is unique in the population. It needs no model of the
/// population, which a fitted formula (Pitman's, say) does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UniquenessLimit {
    /// The most that their share of the released people may be.
    pub share: f64,
    /// The share of the population that is in the table.
    pub fraction: f64,
}

impl UniquenessLimit {
    /// How many of the people who were counted are unique in the population, at most by estimate.
    pub fn estimate(&self, crowd: &RiskTally) -> f64 {
        let right = crowd.alone as f64 * self.fraction;
        let wrong = 2.0 * crowd.pairs as f64 * (1.0 - self.fraction);
        match crowd.alone {
            0 => 0.0,
            alone => alone as f64 * right / (right + wrong),
        }
    }
}

impl AtRiskLimit {
    /// Whether the people of a class of so many are at risk.
    pub fn concerns(&self, people: u64) -> bool {
        (people as f64) * self.threshold < 1.0 - SLACK
    }
}

impl ReleaseRiskLimits {
    /// Whether nothing is asked for.
    pub fn is_nothing(&self) -> bool {
        self.average.is_none() && self.at_risk.is_none() && self.unique.is_none()
    }

    /// How many people in every class are enough to meet it.
    pub fn enough(&self) -> u64 {
        let of = |risk: f64| (1.0 / risk - SLACK).ceil().max(1.0) as u64;
        let average = self.average.map_or(1, of);
        let at_risk = self.at_risk.map_or(1, |at_risk| of(at_risk.threshold));
        // Who is not alone in the table is not alone in the population.
        average.max(at_risk).max(self.unique.map_or(1, |_| 2))
    }

    /// The least number of people from which on classes of these can be released together.
    pub fn least(&self, people: &mut [u64]) -> u64 {
        if self.is_nothing() {
            return 0;
        }
        people.sort_unstable();
        let mut crowd = RiskTally::default();
        people.iter().for_each(|&people| crowd.add(self, people));
        let mut least = 0;
        for &smallest in people.iter() {
            if smallest >= least {
                if self.holds(&crowd) {
                    return least;
                }
                least = smallest + 1;
            }
            crowd.remove(self, smallest);
        }
        least
    }

    /// Whether it holds for classes that were counted together.
    pub fn holds(&self, crowd: &RiskTally) -> bool {
        let people = crowd.people as f64;
        let average = self.average.is_none_or(|most| crowd.risk <= most * people + SLACK);
        average
            && self.at_risk.is_none_or(|it| crowd.at_risk as f64 <= it.share * people + SLACK)
            && self.unique.is_none_or(|it| it.estimate(crowd) <= it.share * people + SLACK)
    }

    /// Whether joining classes keeps it once it holds. It does for risks, which only fall; that fewer are in pairs makes
    /// whoever is alone rarer.
    pub fn survives_unions(&self) -> bool {
        self.unique.is_none()
    }

    /// Refuses numbers that make no sense.
    pub fn validate(&self) -> Result<()> {
        let is_risk = |risk: f64| risk > 0.0 && risk <= 1.0;
        if self.average.is_some_and(|average| !is_risk(average)) {
            return Err(Error::new("the average risk must lie above 0 and be at most 1")
                .help("for example 0.05"));
        }
        if let Some(AtRiskLimit { share, threshold }) = self.at_risk {
            if !(0.0..=1.0).contains(&share) {
                return Err(Error::new("the share at risk must lie between 0% and 100%"));
            }
            if !is_risk(threshold) {
                return Err(Error::new("the risk threshold must lie above 0 and be at most 1")
                    .help("for example 5%@0.2: at most 5% of the rows have a risk above 0.2"));
            }
        }
        if let Some(UniquenessLimit { share, fraction }) = self.unique {
            if !(0.0..=1.0).contains(&share) {
                return Err(Error::new("the share of uniques must lie between 0% and 100%"));
            }
            if !is_risk(fraction) {
                return Err(Error::new("the sampling fraction must lie above 0 and be at most 1")
                    .help("for example 0.1: a tenth of the population is in the table"));
            }
        }
        Ok(())
    }
}

/// Classes counted together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RiskTally {
    /// The sum of everybody's risk: the number of classes, where everybody is in one.
    pub risk: f64,
    /// How many people they hold.
    pub people: u64,
    /// How many of those are at risk.
    pub at_risk: u64,
    /// How many classes hold one person.
    pub alone: u64,
    /// How many classes hold two people.
    pub pairs: u64,
}

impl RiskTally {
    /// Adds a class of so many people.
    pub fn add(&mut self, overall: &ReleaseRiskLimits, people: u64) {
        self.risk += 1.0;
        self.people += people;
        if overall.at_risk.is_some_and(|at_risk| at_risk.concerns(people)) {
            self.at_risk += people;
        }
        self.count_small(people);
    }

    /// Adds people who may have records in several classes, by the smallest of those of each: so many people, among so many.
    pub fn add_people(&mut self, overall: &ReleaseRiskLimits, least: u64, people: u64) {
        self.risk += people as f64 / least as f64;
        self.people += people;
        if overall.at_risk.is_some_and(|at_risk| at_risk.concerns(least)) {
            self.at_risk += people;
        }
    }

    /// Counts a class of so many people if it holds one or two.
    pub fn count_small(&mut self, people: u64) {
        self.alone += u64::from(people == 1);
        self.pairs += u64::from(people == 2);
    }

    /// Takes a class out that was added before.
    pub fn remove(&mut self, overall: &ReleaseRiskLimits, people: u64) {
        self.risk -= 1.0;
        self.people -= people;
        if overall.at_risk.is_some_and(|at_risk| at_risk.concerns(people)) {
            self.at_risk -= people;
        }
        self.alone -= u64::from(people == 1);
        self.pairs -= u64::from(people == 2);
    }

    /// The average risk; none without people.
    pub fn average(&self) -> Option<f64> {
        (self.people > 0).then(|| self.risk / self.people as f64)
    }

    /// The share of people at risk; none without people.
    pub fn share_at_risk(&self) -> Option<f64> {
        (self.people > 0).then(|| self.at_risk as f64 / self.people as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_classes_go_first() {
        let average = ReleaseRiskLimits { average: Some(0.25), ..ReleaseRiskLimits::default() };
        assert_eq!(average.enough(), 4);
        // 3 classes of 9 people: too many. Without the smallest 2 of 8: a quarter.
        assert_eq!(average.least(&mut [1, 5, 3]), 2);
        assert_eq!(average.least(&mut [4, 4]), 0);
        assert_eq!(average.least(&mut [3, 3]), 4);
        assert_eq!(average.least(&mut []), 0);
        let at_risk = Some(AtRiskLimit { share: 0.2, threshold: 0.2 });
        let share = ReleaseRiskLimits { at_risk, ..ReleaseRiskLimits::default() };
        assert_eq!(share.enough(), 5);
        assert_eq!(share.least(&mut [2, 8]), 0);
        assert_eq!(share.least(&mut [2, 2, 8]), 3);
        assert_eq!(share.least(&mut [5, 5]), 0);
    }

    #[test]
    fn uniques_are_estimated_by_those_alone_and_in_pairs() {
        let unique = UniquenessLimit { share: 0.1, fraction: 0.1 };
        let asked = ReleaseRiskLimits { unique: Some(unique), ..ReleaseRiskLimits::default() };
        let mut crowd = RiskTally::default();
        [1, 1, 2, 2, 2, 9].iter().for_each(|&people| crowd.add(&asked, people));
        // Of 0.2 right and 5.4 wrong matches one in 28 is right, for each of the two.
        assert!((unique.estimate(&crowd) - 2.0 / 28.0).abs() < 1e-12);
        assert!(asked.holds(&crowd));
        // Without pairs nothing speaks against it.
        assert_eq!(asked.least(&mut [1, 1, 9]), 2);
        assert_eq!(asked.least(&mut [1, 1, 2, 2, 2, 9]), 0);
        assert_eq!(asked.enough(), 2);
    }

    /// The least size is the least: what brute force finds.
    #[test]
    fn the_least_size_is_the_least() {
        let mut chance = crate::kit::SearchRng::of_seed(5);
        for _ in 0..500 {
            let mut people: Vec<u64> =
                (0..chance.below(9)).map(|_| 1 + chance.below(9) as u64).collect();
            let average = (chance.below(2) == 0).then(|| 1.0 / (1 + chance.below(8)) as f64);
            let at_risk = (chance.below(2) == 0).then(|| AtRiskLimit {
                share: chance.below(5) as f64 / 8.0,
                threshold: 1.0 / (1 + chance.below(8)) as f64,
            });
            let unique = (chance.below(3) == 0).then(|| UniquenessLimit {
                share: chance.below(5) as f64 / 16.0,
                fraction: 1.0 / (1 + chance.below(8)) as f64,
            });
            let overall = ReleaseRiskLimits { average, at_risk, unique };
            let holds = |least: u64| {
                let mut crowd = RiskTally::default();
                let kept = people.iter().filter(|&&people| people >= least);
                kept.for_each(|&people| crowd.add(&overall, people));
                overall.holds(&crowd)
            };
            let least = (0..=10).find(|&least| holds(least));
            let found = overall.least(&mut people.clone());
            assert!(holds(found), "{overall:?} {people:?}");
            // Several numbers may mean the same classes.
            let kept = |least: u64| people.iter().filter(|&&it| it >= least).count();
            assert_eq!(least.map(kept), Some(kept(found)), "{overall:?} {people:?}");
            people.clear();
        }
    }
}
