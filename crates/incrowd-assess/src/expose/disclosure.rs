//! Whether a column that is released as it is tells what a release hides.
//!
//! Who reads a release sees of a person a group of values, say the ages 30 to 39, and beside it a value that was not
//! touched, say the year of birth. What the year says about the age is known from the other people: which ages go
//! with it. A row's age is *told* if only one age of its group goes with the year; if there are two, it is told by
//! half, and so on. Rows are not used to tell of themselves, since a number that nobody else has tells nothing.
//! From the share of values that are told, the share is taken away that the same column tells after it has been
//! permuted, or that the groups tell by themselves: a column that has nothing to do with ages tells none.
//!
//! A value that is usual in the group stays a candidate unless the column makes it [`RARER`] times as rare. Otherwise a
//! majority would do: where 10 % of all people and 4 % of those with high incomes are Black, an income tells nobody's race.

use rand::RngExt;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::thresholds::{CANDIDATE, RARER};

/// A quasi-identifier of some rows: what it was, and what the release shows of it.
pub(super) struct HiddenAttribute<'a> {
    /// The original value of each row, as a code.
    pub(super) original: &'a [u32],
    /// The group that the row is released with.
    pub(super) group: &'a [u32],
    /// The lowest and the highest code of each group.
    pub(super) spans: &'a [(u32, u32)],
    /// Whether a group has a code within its span.
    pub(super) contains: &'a (dyn Fn(u32, u32) -> bool + Sync),
}

/// What is told lies so many standard deviations above what permuted columns tell.
const SPREADS: f64 = 4.0;

/// Evidence in permuted columns: so many are tried, more of small tables, where chance plays tricks.
fn permutations(rows: usize) -> usize {
    (200_000 / rows.max(1)).clamp(5, 200)
}

/// The share of rows whose original value a column tells beyond what it would tell by chance; 0 if it is less than `least`.
pub(super) fn told(column: &[u32], hidden: &HiddenAttribute<'_>, seed: u64, least: f64) -> f64 {
    if column.is_empty() {
        return 0.0;
    }
    // A column of one value: what the groups tell by themselves.
    let constant = vec![0; column.len()];
    let base = ContingencyTable::new(&constant, hidden.original);
    let alone = score(&constant, hidden, &base);
    let found = score(column, hidden, &base);
    if found - alone < least {
        return 0.0;
    }
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut permuted = column.to_vec();
    let (mut sum, mut squares) = (0.0, 0.0);
    let times = permutations(column.len());
    for _ in 0..times {
        for at in (1..permuted.len()).rev() {
            permuted.swap(at, random.random_range(0..=at));
        }
        let chance = score(&permuted, hidden, &base);
        // What chance tells as well is not told.
        if chance >= found {
            return 0.0;
        }
        sum += chance;
        squares += chance * chance;
    }
    let mean = sum / times as f64;
    let spread = (squares / times as f64 - mean * mean).max(0.0).sqrt();
    // Many columns are looked at, in many runs: one in some hundred is the best of its permutations by chance.
    if found < mean + SPREADS * spread {
        return 0.0;
    }
    (found - alone.max(mean)).max(0.0)
}

/// The share of rows whose original value is told by the column and the group; `base` has the values of all rows.
fn score(column: &[u32], hidden: &HiddenAttribute<'_>, base: &ContingencyTable) -> f64 {
    let HiddenAttribute { original, group, spans, contains } = *hidden;
    let relation = ContingencyTable::new(column, original);
    let mut rows: Vec<(u64, u32)> = (0..column.len())
        .map(|row| (u64::from(group[row]) << 32 | u64::from(column[row]), original[row]))
        .collect();
    rows.sort_unstable();
    let mut sum = 0.0;
    let mut candidates: Vec<(u32, u32)> = Vec::new();
    // The values of a group that are usual in it, with their shares; rows are sorted by groups.
    let mut usual: (Option<u32>, Vec<(u32, f64)>) = (None, Vec::new());
    for alike in rows.chunk_by(|one, other| one.0 == other.0) {
        let (group, value) = ((alike[0].0 >> 32) as u32, alike[0].0 as u32);
        let (first, last) = spans[group as usize];
        candidates.clear();
        let fits = relation.between(value, first, last).iter();
        candidates.extend(fits.filter(|&&(code, _)| contains(group, code)));
        let all: u64 = candidates.iter().map(|&(_, count)| u64::from(count)).sum();
        // A row does not tell of itself.
        let others = all.saturating_sub(1);
        if others == 0 {
            continue;
        }
        if usual.0 != Some(group) {
            let here =
                base.between(0, first, last).iter().filter(|&&(code, _)| contains(group, code));
            usual = (Some(group), usual_values(here.copied()));
        }
        let least = (CANDIDATE * others as f64).max(1.0);
        let counts = |code: u32, count: u32| {
            let at = usual.1.partition_point(|&(other, _)| other < code);
            let share = usual.1.get(at).filter(|it| it.0 == code).map_or(f64::INFINITY, |it| it.1);
            f64::from(count) >= least
                || f64::from(count) >= (share * others as f64 / RARER).max(1.0)
        };
        let likely = candidates.iter().filter(|&&(code, count)| counts(code, count)).count();
        for same in alike.chunk_by(|one, other| one.1 == other.1) {
            let at = candidates.partition_point(|&(code, _)| code < same[0].1);
            let Some(&(code, count)) = candidates.get(at) else { continue };
            if counts(code, count - 1) {
                sum += same.len() as f64 / likely as f64;
            }
        }
    }
    sum / column.len() as f64
}

/// The values that at least the share of a candidate has, by their codes, each with its share.
fn usual_values(values: impl Iterator<Item = (u32, u32)> + Clone) -> Vec<(u32, f64)> {
    let all: u64 = values.clone().map(|(_, count)| u64::from(count)).sum();
    let shares = values.map(|(code, count)| (code, f64::from(count) / all.max(1) as f64));
    shares.filter(|&(_, share)| share >= CANDIDATE).collect()
}

/// Which original values go with which values of a column, and how often.
struct ContingencyTable {
    starts: Vec<usize>,
    entries: Vec<(u32, u32)>,
}

impl ContingencyTable {
    fn new(column: &[u32], original: &[u32]) -> Self {
        let mut pairs: Vec<(u32, u32)> =
            column.iter().copied().zip(original.iter().copied()).collect();
        pairs.sort_unstable();
        let values = pairs.last().map_or(0, |&(value, _)| value as usize + 1);
        let mut starts = vec![0; values + 1];
        let mut entries = Vec::new();
        for same in pairs.chunk_by(|one, other| one == other) {
            entries.push((same[0].1, same.len() as u32));
            starts[same[0].0 as usize + 1] = entries.len();
        }
        for value in 0..values {
            starts[value + 1] = starts[value + 1].max(starts[value]);
        }
        ContingencyTable { starts, entries }
    }

    /// The original values from `first` to `last` that go with a value.
    fn between(&self, value: u32, first: u32, last: u32) -> &[(u32, u32)] {
        let all = &self.entries[self.starts[value as usize]..self.starts[value as usize + 1]];
        let from = all.partition_point(|&(code, _)| code < first);
        let to = all.partition_point(|&(code, _)| code <= last);
        &all[from..to]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::thresholds::TOLD;

    /// Groups of ten neighbouring values.
    fn tens(original: &[u32]) -> (Vec<u32>, Vec<(u32, u32)>) {
        let spans = (0..10).map(|ten| (10 * ten, 10 * ten + 9)).collect();
        (original.iter().map(|value| value / 10).collect(), spans)
    }

    fn share(column: &[u32], original: &[u32]) -> f64 {
        let (group, spans) = tens(original);
        let hidden =
            HiddenAttribute { original, group: &group, spans: &spans, contains: &|_, _| true };
        told(column, &hidden, 1, TOLD)
    }

    /// Numbers that look random.
    fn random(rows: usize, below: u32, seed: u64) -> Vec<u32> {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        (0..rows).map(|_| random.random_range(0..below)).collect()
    }

    #[test]
    fn a_copy_tells_all_and_chance_nothing() {
        let ages = random(2_000, 100, 1);
        let years: Vec<u32> = ages.iter().map(|age| 2026 - age).collect();
        assert!(share(&years, &ages) > 0.85);
        for values in [2, 10, 100, 1_000] {
            let other = random(2_000, values, 2);
            assert!(share(&other, &ages) < 0.03, "{values}");
        }
        // A number of their own for everybody.
        let ids: Vec<u32> = (0..2_000).collect();
        assert_eq!(share(&ids, &ages), 0.0);
    }

    #[test]
    fn what_narrows_counts_in_part() {
        let ages = random(5_000, 100, 1);
        // Born in 1990 one is 35 or 36.
        let years: Vec<u32> =
            ages.iter().zip(random(5_000, 2, 3)).map(|(age, half)| 200 - age - half).collect();
        let narrowed = share(&years, &ages);
        assert!((0.35..0.6).contains(&narrowed), "{narrowed}");
        // The decade is what the release shows anyway.
        let decades: Vec<u32> = ages.iter().map(|age| age / 10).collect();
        assert!(share(&decades, &ages) < 0.01);
    }

    #[test]
    fn slips_do_not_hide_it() {
        let ages = random(5_000, 100, 1);
        let mut years: Vec<u32> = ages.iter().map(|age| 200 - age).collect();
        for at in (0..5_000).step_by(100) {
            years[at] = 150;
        }
        assert!(share(&years, &ages) > 0.8);
    }

    #[test]
    fn a_majority_is_not_told() {
        // 85 % of all are of one kind, 91 % of a quarter that a class column singles out; nothing is shown of it.
        let original: Vec<u32> = (0..20_000u32)
            .map(|row| match (row % 4, row / 4 % 1_000) {
                (0, 0..910) | (1.., 0..830) => 0,
                (0, 910..955) | (1.., 830..945) => 1,
                (_, at) => 2 + at % 3,
            })
            .collect();
        let quarter: Vec<u32> = (0..20_000).map(|row| u32::from(row % 4 == 0)).collect();
        let group = vec![0; original.len()];
        let whole = [(0, 9)];
        let hidden = HiddenAttribute {
            original: &original,
            group: &group,
            spans: &whole,
            contains: &|_, _| true,
        };
        assert_eq!(told(&quarter, &hidden, 1, TOLD), 0.0);
        // A copy of it, be it of other codes, is.
        let copy: Vec<u32> = original.iter().map(|code| 7 - code).collect();
        assert!(told(&copy, &hidden, 1, TOLD) > 0.45);
        // And so is a column that singles out the others and nobody else.
        let others: Vec<u32> = original.iter().map(|&code| u32::from(code > 0)).collect();
        assert!(told(&others, &hidden, 1, TOLD) > 0.3);
    }

    /// The same by its definition: every row by itself, every other row looked at.
    fn slow(column: &[u32], original: &[u32]) -> f64 {
        let mut sum = 0.0;
        for row in 0..column.len() {
            let in_group = original.iter().filter(|other| *other / 10 == original[row] / 10);
            let mut base: std::collections::BTreeMap<u32, f64> = Default::default();
            let size = in_group.clone().count() as f64;
            in_group.for_each(|&other| *base.entry(other).or_default() += 1.0 / size);
            let mut seen: std::collections::BTreeMap<u32, (u32, u32)> = Default::default();
            let mut others = 0;
            for other in 0..column.len() {
                if column[other] == column[row] && original[other] / 10 == original[row] / 10 {
                    let (with, without) = seen.entry(original[other]).or_default();
                    *with += 1;
                    if other != row {
                        *without += 1;
                        others += 1;
                    }
                }
            }
            let counts = |code: u32, count: u32| {
                let least = match base[&code] + 1e-12 >= CANDIDATE {
                    true => CANDIDATE.min(base[&code] / RARER),
                    false => CANDIDATE,
                };
                f64::from(count) >= (least * f64::from(others)).max(1.0)
            };
            let likely = seen.iter().filter(|(code, (with, _))| counts(**code, *with)).count();
            if others > 0 && counts(original[row], seen[&original[row]].1) {
                sum += 1.0 / likely as f64;
            }
        }
        sum / column.len() as f64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(200)))]

        #[test]
        fn the_score_is_its_definition(rows in prop::collection::vec((0u32..6, 0u32..30), 1..80)) {
            let (column, original): (Vec<u32>, Vec<u32>) = rows.into_iter().unzip();
            let (group, spans) = tens(&original);
            let hidden =
                HiddenAttribute { original: &original, group: &group, spans: &spans, contains: &|_, _| true };
            let base = ContingencyTable::new(&vec![0; column.len()], &original);
            let (fast, slow) = (score(&column, &hidden, &base), slow(&column, &original));
            prop_assert!((fast - slow).abs() < 1e-9, "{fast} {slow}");
        }
    }
}
