//! What may be told wherever a release may be seen.
//!
//! Reports and forms that are shared are made of a [`ShareableSummary`] and of the question, and of nothing else.
//!
//! **Guarantee.** It is made of released rows, of the question, and of counts that are 0 or at least k. If people who are
//! suppressed had other values, or columns that are left out held something else, and the release were the same, this would
//! be the same. The exceptions are declared: whether the release is optimal, and how much could be saved in whole percent
//! ([`Optimality`]).

use std::fmt;

use incrowd_assess::expose::{Exposure, UnchangedColumn};
use incrowd_engine::release::{ReleasePreview, ReleasedMeasures, UnrelatedSets};
use incrowd_engine::words::{count, thousands};
use incrowd_engine::{Outcome, Problem, Recoding, Release};
use incrowd_verify::Verdict;

use crate::plan::ranges::{RangeEnds, ends_of};
use crate::plan::warning::Warning;

/// How many there are, as far as it may be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SafeCount {
    /// None, or at least as many as hide each other.
    Exactly(u64),
    /// Some, but fewer than this.
    FewerThan(u64),
    /// Some; how many people they are is not known.
    Some,
}

impl SafeCount {
    /// A number of people or of their rows, told if it is 0 or at least `least`.
    pub fn new(number: u64, least: u64) -> Self {
        match (1..least).contains(&number) {
            true => SafeCount::FewerThan(least),
            false => SafeCount::Exactly(number),
        }
    }

    /// A number of rows of which one person may have several: they are told if there are none.
    pub fn of_several_rows(number: u64) -> Self {
        if number == 0 { SafeCount::Exactly(0) } else { SafeCount::Some }
    }
}

impl fmt::Display for SafeCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            SafeCount::Exactly(0) => f.write_str("none"),
            SafeCount::Exactly(number) => f.write_str(&count(number, "row", "rows")),
            SafeCount::FewerThan(least) => write!(f, "fewer than {} rows", thousands(least)),
            SafeCount::Some => f.write_str("some rows; how many people they are of is not told"),
        }
    }
}

/// What is proven of better releases: the one thing that depends on suppressed rows and is told nevertheless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Optimality {
    /// Whether no release of its kind costs less.
    pub optimal: bool,
    /// The share of the cost that could be saved at most, in percent, rounded up.
    pub gap_percent: Option<u64>,
}

impl Optimality {
    /// What an outcome proves of a release of this cost.
    pub(crate) fn of(outcome: &Outcome, gap: Option<f64>) -> Self {
        let optimal = outcome.is_optimal();
        let percent = |gap: f64| (100.0 * gap - 1e-9).ceil().max(0.0) as u64;
        Optimality { optimal, gap_percent: gap.filter(|_| !optimal).map(percent) }
    }
}

/// What may be told of a release wherever it may be seen.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ShareableSummary {
    /// Rows released, blank ones included.
    pub rows: u64,
    /// Classes of rows that look alike.
    pub classes: u64,
    /// How many rows the smallest class has, or how many people where those are protected.
    pub smallest: Option<u64>,
    /// Rows of them that are blank throughout, where that is known.
    pub blank: u64,
    /// Rows suppressed that are not in the release.
    pub suppressed: SafeCount,
    /// The verdict, with figures of the release alone.
    pub verdict: Option<Verdict>,
    /// What is proven of better releases, where a search knows.
    pub optimality: Option<Optimality>,
    /// What the released rows lose.
    pub measures: Option<ReleasedMeasures>,
    /// The release beside what its rows were.
    pub picture: Option<ReleasePreview>,
    /// Columns released in sets of values that nothing relates to each other.
    pub sets: Vec<UnrelatedSets>,
    /// How the ranges of numbers end, for each column that shows any.
    pub ranges: Vec<RangeEnds>,
    /// Columns that are released as they are, and how many released rows they single out.
    pub unchanged: Vec<UnchangedColumn>,
    /// All of them together, if there are several.
    pub unchanged_together: Option<UnchangedColumn>,
    /// What the question gives to think about.
    pub warnings: Vec<Warning>,
    least: u64,
    by_unit: bool,
}

impl ShareableSummary {
    /// What a verdict lets be told: `least` people hide each other, and `by_unit` says whether one of them may have several
    /// rows.
    pub fn of_verdict(verdict: Verdict, least: u64, by_unit: bool) -> Self {
        let suppressed = verdict.original.as_ref().map_or(0, |original| original.suppressed);
        let mut told = Self::counted(verdict.rows, suppressed, least, by_unit);
        (told.classes, told.smallest) = (verdict.classes, verdict.k);
        told.verdict = Some(verdict.of_release_alone());
        told
    }

    /// What may be told of a release that was just made.
    pub(crate) fn of_release(
        problem: &Problem,
        release: &Release,
        verdict: Option<Verdict>,
        exposure: &Exposure,
    ) -> Self {
        // Those that stay and are blank are there for everybody to see.
        let suppressed = problem.rows - release.rows();
        let (least, by_unit) = (problem.privacy.asked(), problem.privacy.unit().is_some());
        ShareableSummary {
            classes: release.shown_sizes().len() as u64,
            blank: release.blank_rows(),
            smallest: match &verdict {
                Some(verdict) => verdict.k,
                // How large crowds are is for the verifier to say.
                None if problem.privacy.wildcards => None,
                None => release.smallest_crowd(problem),
            },
            verdict: verdict.map(Verdict::of_release_alone),
            sets: release.released_sets(problem),
            ranges: ends_of(problem, release),
            unchanged: exposure.unchanged.clone(),
            unchanged_together: exposure.together.clone(),
            ..Self::counted(release.rows(), suppressed, least, by_unit)
        }
    }

    /// Rows alone.
    fn counted(rows: u64, suppressed: u64, least: u64, by_unit: bool) -> Self {
        ShareableSummary {
            rows,
            classes: 0,
            blank: 0,
            smallest: None,
            suppressed: match by_unit {
                true => SafeCount::of_several_rows(suppressed),
                false => SafeCount::new(suppressed, least),
            },
            verdict: None,
            optimality: None,
            measures: None,
            picture: None,
            sets: Vec::new(),
            ranges: Vec::new(),
            unchanged: Vec::new(),
            unchanged_together: None,
            warnings: Vec::new(),
            least,
            by_unit,
        }
    }

    /// With the release drawn beside what its rows were, and measured.
    pub(crate) fn draw(&mut self, problem: &Problem, recoding: &Recoding, release: &Release) {
        let picture = ReleasePreview::new(problem, recoding, release);
        let kept: Vec<f64> = picture.attributes.iter().map(|attribute| attribute.kept).collect();
        self.measures = Some(ReleasedMeasures::of(problem, release, &kept));
        self.picture = Some(picture);
    }

    /// Where nothing is proven of the whole.
    pub fn without_proof(self) -> Self {
        ShareableSummary { optimality: None, ..self }
    }

    /// Where the release has other rows than those that were measured: what was measured is not told.
    pub fn recounted(self, rows: u64, suppressed: u64) -> Self {
        ShareableSummary {
            classes: self.verdict.as_ref().map_or(0, |verdict| verdict.classes),
            smallest: self.smallest,
            verdict: self.verdict,
            optimality: self.optimality,
            ranges: self.ranges,
            warnings: self.warnings,
            ..Self::counted(rows, suppressed, self.least, self.by_unit)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_not_counted() {
        let told = |number: u64| SafeCount::new(number, 5).to_string();
        assert_eq!(told(0), "none");
        assert_eq!(told(1), "fewer than 5 rows");
        assert_eq!(told(4), told(1));
        assert_eq!(told(5), "5 rows");
        // Five rows may be one person's.
        assert_eq!(SafeCount::of_several_rows(5), SafeCount::of_several_rows(50));
        assert_eq!(SafeCount::of_several_rows(0).to_string(), "none");
    }

    #[test]
    fn a_gap_is_told_in_whole_percent() {
        let found = Outcome::Infeasible { why: String::new() };
        let told = |gap: f64| Optimality::of(&found, Some(gap)).gap_percent;
        assert_eq!(
            [told(0.0), told(0.001), told(0.01), told(0.0101)],
            [Some(0), Some(1), Some(1), Some(2)]
        );
    }
}
