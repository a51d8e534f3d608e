//! The guesses: one person, one pool of rows, three questions.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::AttackTables;
use super::precision::RatedGuess;
use super::rows::{FAR, PoolCell, RowPool};

/// A number that is guessed may be off by this share of the true one.
const NEAR: f64 = 0.05;

/// A person of whom something is known.
pub(super) struct AttackTarget {
    /// The values, by column.
    pub(super) values: Vec<u32>,
    /// The look of the person's own row in the pool, which is left out.
    pub(super) own: Option<u32>,
    /// What the guesses about this person come from.
    pub(super) seed: u64,
}

/// Which guesses were right.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GuessHits {
    pub(super) singled_out: bool,
    /// Whether any row fits what is known, and whether any fits in all columns that are asked about.
    pub(super) fits: [bool; 2],
    pub(super) linked: RatedGuess,
    /// For each secret column.
    pub(super) inferred: Vec<RatedGuess>,
}

/// What is asked of every person.
pub(super) struct AttackQuestions<'a> {
    pub(super) tables: &'a AttackTables,
    /// The columns that the attacker knows.
    pub(super) known: &'a [usize],
    /// The columns that the attacker wants to know.
    pub(super) secret: &'a [usize],
    /// All of them whose labels contain anything.
    pub(super) asked: &'a [usize],
}

impl AttackQuestions<'_> {
    /// Tries all guesses about a person.
    pub(super) fn ask(&self, pool: &RowPool<'_>, person: &AttackTarget) -> GuessHits {
        let mut random = Pcg64Mcg::seed_from_u64(person.seed);
        let distances: Vec<Vec<u32>> =
            (0..self.tables.columns.len()).map(|c| pool.distances(c, person.values[c])).collect();
        let looks = pool.counts.len();
        let counts = |look: usize| {
            let own = person.own == Some(look as u32);
            u64::from(pool.counts[look]) - u64::from(own)
        };
        // The distance of a look, over the columns that are known.
        let all: Vec<u32> = sums(pool, &distances, self.known, looks);
        let fitting: u64 = (0..looks).filter(|&look| all[look] == 0).map(counts).sum();
        let whole = sums(pool, &distances, self.asked, looks);
        let fits =
            [&all, &whole].map(|sums| (0..looks).any(|look| sums[look] == 0 && counts(look) > 0));
        let linked = self.link(pool, &distances, &counts, &mut random);
        let inferred = self
            .secret
            .iter()
            .map(|&secret| {
                let without = self.known.contains(&secret).then_some(secret);
                self.infer(pool, person, &all, &distances, without, secret, &counts, &mut random)
            })
            .collect();
        GuessHits { singled_out: fitting == 1, fits, linked, inferred }
    }

    /// Two people who each know half of the columns look for the person, and compare what they found: is it the same
    /// row? Each takes any of the rows that are nearest.
    fn link(
        &self,
        pool: &RowPool<'_>,
        distances: &[Vec<u32>],
        counts: &impl Fn(usize) -> u64,
        random: &mut Pcg64Mcg,
    ) -> RatedGuess {
        let mut columns = self.known.to_vec();
        if columns.len() < 2 {
            return RatedGuess::NONE;
        }
        for at in (1..columns.len()).rev() {
            columns.swap(at, random.random_range(0..=at));
        }
        let (one, other) = columns.split_at(columns.len() / 2);
        let looks = pool.counts.len();
        // The row, and how sure each is of it.
        let mut take = |columns: &[usize]| {
            let sums = sums(pool, distances, columns, looks);
            let there = |&look: &usize| counts(look) > 0;
            let nearest = (0..looks).filter(there).map(|look| sums[look]).min()?;
            let near: u64 = (0..looks).filter(|&look| sums[look] == nearest).map(counts).sum();
            let mut rest = random.random_range(0..near);
            let confidence = 1.0 / near as f64 / (1.0 + f64::from(nearest) / f64::from(FAR));
            (0..looks).filter(|&look| sums[look] == nearest).find_map(|look| {
                let here = counts(look);
                if rest < here {
                    return Some(((look, rest), confidence));
                }
                rest -= here;
                None
            })
        };
        match take(one).zip(take(other)) {
            None => RatedGuess::NONE,
            Some(((one, sure), (other, as_sure))) => {
                RatedGuess { right: one == other, confidence: sure.min(as_sure) }
            }
        }
    }

    /// Guesses a value of the person: what most of the nearest rows have, and one of the values that it stands for.
    #[allow(clippy::too_many_arguments, reason = "they are what is known of one person")]
    fn infer(
        &self,
        pool: &RowPool<'_>,
        person: &AttackTarget,
        all: &[u32],
        distances: &[Vec<u32>],
        without: Option<usize>,
        secret: usize,
        counts: &impl Fn(usize) -> u64,
        random: &mut Pcg64Mcg,
    ) -> RatedGuess {
        let looks = pool.counts.len();
        let distance = |look: usize| match without {
            None => all[look],
            Some(column) => all[look] - distances[column][pool.looks[column][look] as usize],
        };
        let there = |&look: &usize| counts(look) > 0;
        let Some(nearest) = (0..looks).filter(there).map(distance).min() else {
            return RatedGuess::NONE;
        };
        let mut votes: BTreeMap<u32, u64> = BTreeMap::new();
        let mut first: BTreeMap<u32, usize> = BTreeMap::new();
        for look in (0..looks).filter(there).filter(|&look| distance(look) == nearest) {
            let label = pool.looks[secret][look];
            *votes.entry(label).or_default() += counts(look);
            first.entry(label).or_insert(look);
        }
        let most = votes.values().copied().max().unwrap_or_default();
        let voters: u64 = votes.values().sum();
        let best: Vec<u32> =
            votes.iter().filter(|vote| *vote.1 == most).map(|vote| *vote.0).collect();
        let label = best[random.random_range(0..best.len())];
        let column = &self.tables.columns[secret];
        let truth = person.values[secret];
        let is_near = |guess: Option<f64>| {
            let close = |(guess, truth): (f64, f64)| (guess - truth).abs() <= NEAR * truth.abs();
            guess.zip(column.numbers[truth as usize]).is_some_and(close)
        };
        let is_right = |guess: u32| guess == truth || is_near(column.numbers[guess as usize]);
        let shown = pool.shown(secret, first[&label]);
        let values = match &shown {
            PoolCell::Value(_) => 1,
            PoolCell::Label(label) => label.size().max(1),
        };
        let distance = 1.0 + f64::from(nearest) / f64::from(FAR);
        let confidence = most as f64 / voters as f64 / values as f64 / distance;
        let right = match shown {
            PoolCell::Value(value) => is_right(value),
            PoolCell::Label(label) => match label.size() {
                0 => is_near(label.number),
                size => {
                    let mut at = random.random_range(0..size);
                    label.ranges.iter().any(|&(low, high)| {
                        let here = u64::from(high - low) + 1;
                        let found = at < here && is_right(low + at as u32);
                        // Beyond every range once it has been found.
                        at = if at < here { u64::MAX } else { at - here };
                        found
                    })
                }
            },
        };
        RatedGuess { right, confidence }
    }
}

/// The distance of every look, over some columns.
fn sums(pool: &RowPool<'_>, distances: &[Vec<u32>], columns: &[usize], looks: usize) -> Vec<u32> {
    let mut sums = vec![0; looks];
    for &column in columns {
        let (labels, distances) = (&pool.looks[column], &distances[column]);
        for (sum, &label) in sums.iter_mut().zip(labels) {
            *sum += distances[label as usize];
        }
    }
    sums
}
