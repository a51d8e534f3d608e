//! Released rows as an attacker sees them: which values each may stand for, and how far a person is from it.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use super::{AttackTables, ReleasedLabel};

/// The distance of a value from a label that says nothing of it: distances are whole numbers, so that sums are exact
/// and equal distances are equal.
pub(super) const FAR: u32 = 1 << 16;
/// No look: the row is not there.
pub(super) const NONE: u32 = u32::MAX;
/// No index holds more pairs of values and labels.
const PAIRS: usize = 40_000_000;

/// Rows that look alike are one.
pub(super) struct RowPool<'a> {
    tables: &'a AttackTables,
    /// For each column the label of each look.
    pub(super) looks: Vec<Vec<u32>>,
    /// How many rows look so.
    pub(super) counts: Vec<u32>,
    /// The look of each row; [`NONE`] for rows of the original that are not in it.
    pub(super) look_of: Vec<u32>,
}

impl<'a> RowPool<'a> {
    /// Rows of labels, by column. A label beyond those of a column is one of its values, by itself.
    fn new(tables: &'a AttackTables, rows: &[Vec<u32>]) -> Self {
        let count = rows.first().map_or(0, Vec::len);
        let mut known: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        let mut looks: Vec<Vec<u32>> = vec![Vec::new(); rows.len()];
        let (mut counts, mut look_of) = (Vec::new(), Vec::with_capacity(count));
        for row in 0..count {
            let key: Vec<u32> = rows.iter().map(|column| column[row]).collect();
            let next = counts.len() as u32;
            let look = match known.get(&key) {
                Some(&look) => look,
                None => {
                    looks.iter_mut().zip(&key).for_each(|(column, &label)| column.push(label));
                    counts.push(0);
                    known.insert(key, next);
                    next
                }
            };
            counts[look as usize] += 1;
            look_of.push(look);
        }
        RowPool { tables, looks, counts, look_of }
    }

    /// The release.
    pub(super) fn of_release(tables: &'a AttackTables) -> Self {
        Self::new(tables, &tables.release)
    }

    /// How far a person's value is from every label of a column, single values after the labels.
    pub(super) fn distances(&self, column: usize, value: u32) -> Vec<u32> {
        let column = &self.tables.columns[column];
        let at = column.numbers[value as usize];
        let span = column.span();
        let labels = column.labels.iter().map(|label| label.distance(value, at, column, span));
        let values = column.numbers.iter().zip(0..).map(|(&number, other)| match other == value {
            true => 0,
            false => apart(at, number, number, span),
        });
        labels.chain(values).collect()
    }

    /// The labels of a column, or the value that stands for itself.
    pub(super) fn shown(&self, column: usize, look: usize) -> PoolCell<'a> {
        let labels = &self.tables.columns[column].labels;
        let label = self.looks[column][look] as usize;
        match labels.get(label) {
            Some(label) => PoolCell::Label(label),
            None => PoolCell::Value((label - labels.len()) as u32),
        }
    }
}

/// What is shown in a field.
pub(super) enum PoolCell<'a> {
    Label(&'a ReleasedLabel),
    Value(u32),
}

/// How far a number lies from the nearer of two ends.
fn apart(at: Option<f64>, low: Option<f64>, high: Option<f64>, span: f64) -> u32 {
    let Some(((at, low), high)) = at.zip(low).zip(high) else { return FAR };
    let gap = (low - at).max(at - high).max(0.0);
    if gap.is_finite() && span > 0.0 {
        // Near is not there: only what a label contains has no distance.
        ((gap / span * f64::from(FAR)) as u32).clamp(1, FAR)
    } else {
        FAR
    }
}

impl super::SharedColumn {
    /// From the least to the greatest number.
    fn span(&self) -> f64 {
        let numbers = || self.numbers.iter().flatten().copied();
        numbers().fold(f64::NEG_INFINITY, f64::max) - numbers().fold(f64::INFINITY, f64::min)
    }
}

impl ReleasedLabel {
    /// Whether a value is one of those that the label contains.
    pub fn holds(&self, value: u32) -> bool {
        let after = self.ranges.partition_point(|&(low, _)| low <= value);
        after > 0 && value <= self.ranges[after - 1].1
    }

    /// How many values it contains.
    pub fn size(&self) -> u64 {
        self.ranges.iter().map(|&(low, high)| u64::from(high - low) + 1).sum()
    }

    fn distance(
        &self,
        value: u32,
        at: Option<f64>,
        column: &super::SharedColumn,
        span: f64,
    ) -> u32 {
        if self.holds(value) {
            return 0;
        }
        let number = |rank: u32| column.numbers[rank as usize];
        let ends = self.ranges.first().zip(self.ranges.last());
        match ends {
            Some((&(low, _), &(_, high))) => apart(at, number(low), number(high), span),
            None => apart(at, self.number, self.number, span),
        }
    }
}

/// The release made anew from the original: for each row of the original a released row that may be it, chosen by
/// chance among all that may; where none may be it, one that is made of labels that contain its values.
///
/// Whoever leaves a person's own row out of it has what a release would have told of the person without them.
pub(super) fn rebuilt<'a>(
    tables: &'a AttackTables,
    released: &RowPool<'a>,
    columns: &[usize],
    seed: u64,
) -> RowPool<'a> {
    let index = CandidateIndex::new(tables, released, columns);
    let all = tables.original.first().map_or(0, Vec::len);
    // As many rows as the release has: the more rows, the likelier one fits.
    let rows = super::draw(all, released.look_of.len() as u64, seed ^ ODD);
    let made: Vec<Vec<u32>> = rows
        .par_iter()
        .map(|&row| {
            let mut random = Pcg64Mcg::seed_from_u64(seed ^ (row as u64).wrapping_mul(ODD));
            index.made(row, &mut random)
        })
        .collect();
    let labels: Vec<Vec<u32>> =
        (0..tables.columns.len()).map(|at| made.iter().map(|row| row[at]).collect()).collect();
    let mut pool = RowPool::new(tables, &labels);
    let mut look_of = vec![NONE; all];
    for (&row, &look) in rows.iter().zip(&pool.look_of) {
        look_of[row] = look;
    }
    pool.look_of = look_of;
    pool
}

/// An odd number whose multiples look random.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Where the looks are that may be a person.
struct CandidateIndex<'a, 'p> {
    tables: &'a AttackTables,
    pool: &'p RowPool<'a>,
    /// The columns in which a row must be contained: those that are asked about.
    asked: Vec<usize>,
    /// For each column, unless it would be too large, the labels that contain each value and the looks of each label.
    columns: Vec<Option<PostingLists>>,
}

struct PostingLists {
    labels_of: Vec<Vec<u32>>,
    looks_of: Vec<Vec<u32>>,
    /// How many looks may have each value.
    weight: Vec<u64>,
}

impl<'a, 'p> CandidateIndex<'a, 'p> {
    fn new(tables: &'a AttackTables, pool: &'p RowPool<'a>, asked: &[usize]) -> Self {
        let asked = asked.to_vec();
        let columns = tables
            .columns
            .par_iter()
            .enumerate()
            .map(|(at, column)| {
                let pairs: u64 = column.labels.iter().map(ReleasedLabel::size).sum();
                if pairs > PAIRS as u64 || !asked.contains(&at) {
                    return None;
                }
                let mut looks_of = vec![Vec::new(); column.labels.len()];
                for (look, &label) in pool.looks[at].iter().enumerate() {
                    looks_of[label as usize].push(look as u32);
                }
                let mut labels_of = vec![Vec::new(); column.numbers.len()];
                let mut weight = vec![0; column.numbers.len()];
                for (label, held) in column.labels.iter().enumerate() {
                    for value in held.ranges.iter().flat_map(|&(low, high)| low..=high) {
                        labels_of[value as usize].push(label as u32);
                        weight[value as usize] += looks_of[label].len() as u64;
                    }
                }
                Some(PostingLists { labels_of, looks_of, weight })
            })
            .collect();
        CandidateIndex { tables, pool, asked, columns }
    }

    /// What a row of the original looks like in a release such as this one: like a released row that may be it, or, where
    /// none may, column by column like a label that contains its value, and as it is where none does.
    fn made(&self, row: usize, random: &mut Pcg64Mcg) -> Vec<u32> {
        let look = self.choose(row, random);
        let columns = self.tables.columns.iter().enumerate();
        let label = |(at, column): (usize, &super::SharedColumn)| {
            if let Some(look) = look {
                return self.pool.looks[at][look as usize];
            }
            let value = self.tables.original[at][row];
            let itself = column.labels.len() as u32 + value;
            let Some(postings) = &self.columns[at] else { return itself };
            let labels = &postings.labels_of[value as usize];
            let rows = postings.weight[value as usize];
            if rows == 0 {
                return itself;
            }
            let mut rest = random.random_range(0..rows);
            let found = labels.iter().find(|&&label| {
                let here = postings.looks_of[label as usize].len() as u64;
                let found = rest < here;
                rest = rest.saturating_sub(here);
                found
            });
            found.copied().unwrap_or(itself)
        };
        columns.map(label).collect()
    }

    /// One of the released rows that may be a row of the original, each as likely.
    fn choose(&self, row: usize, random: &mut Pcg64Mcg) -> Option<u32> {
        let (mut chosen, mut rows) = (None, 0u64);
        self.each_candidate(row, |look| {
            let count = u64::from(self.pool.counts[look]);
            rows += count;
            if random.random_range(0..rows) < count {
                chosen = Some(look as u32);
            }
            true
        });
        chosen
    }

    /// Tells the looks that may be a row of the original, as long as more are wanted.
    fn each_candidate(&self, row: usize, mut wants_more: impl FnMut(usize) -> bool) {
        let value = |column: usize| self.tables.original[column][row];
        let fits = |look: usize| {
            self.asked.iter().all(|&at| {
                let label = self.pool.looks[at][look] as usize;
                self.tables.columns[at].labels[label].holds(value(at))
            })
        };
        let best = self
            .columns
            .iter()
            .enumerate()
            .filter_map(|(at, postings)| Some((at, postings.as_ref()?)))
            .min_by_key(|(at, postings)| postings.weight[value(*at) as usize]);
        let mut goes_on = |look: usize| !fits(look) || wants_more(look);
        match best {
            None => {
                let _ = (0..self.pool.counts.len()).all(&mut goes_on);
            }
            Some((at, postings)) => {
                let labels = postings.labels_of[value(at) as usize].iter();
                let looks = labels.flat_map(|&label| &postings.looks_of[label as usize]);
                let _ = looks.into_iter().all(|&look| goes_on(look as usize));
            }
        }
    }
}

/// For each row of the original, whether one of these released rows may be it.
pub(super) fn with_candidates(
    tables: &AttackTables,
    released: &[bool],
    columns: &[usize],
) -> Vec<bool> {
    let some = |column: &Vec<u32>| {
        let labels = column.iter().zip(released).filter(|(_, is)| **is);
        labels.map(|(label, _)| *label).collect()
    };
    let rows: Vec<Vec<u32>> = tables.release.iter().map(some).collect();
    let pool = RowPool::new(tables, &rows);
    let index = CandidateIndex::new(tables, &pool, columns);
    let all = tables.original.first().map_or(0, Vec::len);
    let has_one = |row: usize| {
        let mut found = false;
        index.each_candidate(row, |_| {
            found = true;
            false
        });
        found
    };
    (0..all).into_par_iter().map(has_one).collect()
}
