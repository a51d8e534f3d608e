//! Minimal sample uniques: the combinations of columns that single people out.

use std::collections::BTreeMap;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use incrowd_engine::words::count;
use incrowd_engine::{Control, Error, Event, Result, StopReason};
use rayon::prelude::*;
use serde::Serialize;

use super::TableClasses;

/// The combinations of columns that single people out.
///
/// # What it does
/// A combination of columns singles a row out *minimally* if no other row has the same values there, and
/// leaving out any column ends that. Such a *minimal sample unique* is a way to recognize somebody with as
/// little knowledge as can be; the fewer columns, the worse. All of up to a number of columns are found, and
/// each row gets the SUDA score: every minimal unique of s among m columns adds (m - s) (m - s - 1) ... down to
/// (m - L), L the largest size looked at (at most m - 1).
///
/// # Guarantee
/// Exact, and the same for any number of threads. Names of columns and numbers of rows only: no value of
/// anybody. Stopped early, it knows what it has looked at and says what is missing.
///
/// # Cost
/// One grouping of the distinct rows for each combination. Combinations are looked at by ascending size, and
/// a row that a part of the columns singles out already is neither grouped nor looked at again: as in SUDA2, all
/// supersets of what is found are pruned, by one bit for each row and combination of the size before.
///
/// # Reference
/// M. J. Elliot, A. M. Manning, R. W. Ford, *A computational algorithm for handling the special uniques
/// problem*, Int. Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002; A. M. Manning,
/// D. J. Haglin, J. A. Keane, *A recursive search algorithm for statistical disclosure assessment*, Data Mining
/// and Knowledge Discovery 16(2), 2008.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UniqueCombinations {
    /// The most columns of a combination that was looked for.
    pub size: usize,
    /// Combinations of columns that were looked at.
    pub looked_at: u64,
    /// Combinations of columns that there are up to that size.
    pub all: u64,
    /// Why the search ended before it had looked at all of them.
    #[serde(skip)]
    pub stopped: Option<StopReason>,
    /// Rows of the table.
    pub rows: u64,
    /// Rows that all columns together single out.
    pub unique_rows: u64,
    /// Rows that a combination of at most `size` columns singles out.
    pub singled_out: u64,
    /// Minimal uniques by their number of columns.
    pub sizes: Vec<KeySize>,
    /// The combinations that single anybody out minimally, those of most rows first.
    pub combinations: Vec<MinimalCombination>,
    /// How much each column contributes, most first.
    pub columns: Vec<ColumnShare>,
    /// The highest score of a row.
    pub highest_score: f64,
    /// The mean score over all rows.
    pub mean_score: f64,
    /// Rows by their score; those that nothing singles out have 0 and are in none.
    pub scores: Vec<ScoreGroup>,
}

/// The minimal uniques of so many columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeySize {
    /// How many columns.
    pub columns: usize,
    /// How many minimal uniques, over all rows.
    pub minimal_uniques: u64,
    /// How many rows need so many columns and no fewer to be singled out.
    pub rows: u64,
}

/// A combination of columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MinimalCombination {
    /// The columns.
    pub columns: Vec<String>,
    /// Rows that it singles out and no part of it does.
    pub minimal: u64,
    /// Rows that it singles out.
    pub unique: u64,
}

/// What a column contributes to the scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnShare {
    /// The column.
    pub column: String,
    /// Minimal uniques that it is part of.
    pub minimal_uniques: u64,
    /// The share of the sum of all scores that these make up; shares of several columns overlap.
    pub share: f64,
}

/// Rows of about the same score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreGroup {
    /// Scores above this.
    pub above: f64,
    /// Scores up to this.
    pub to: f64,
    /// How many rows.
    pub rows: u64,
}

/// More combinations than this are not begun: their bits would not fit into memory.
const MOST: u64 = 200_000;
/// Groups of scores.
const GROUPS: usize = 10;

impl UniqueCombinations {
    /// Searches for the minimal uniques of up to `size` columns.
    pub fn search(crowd: &TableClasses, size: usize, control: &Control) -> Result<Self> {
        let width = crowd.width();
        let size = size.min(width);
        if size == 0 {
            return Err(Error::new("a combination has at least one column"));
        }
        let all = (1..=size).fold(0u64, |sum, of| sum.saturating_add(choose(width, of)));
        if all > MOST {
            let fewer = "name fewer columns, or look for smaller combinations";
            return Err(Error::new(format!(
                "there are {} of up to {size} of {width} columns, which are too many to examine",
                count(all, "combination", "combinations")
            ))
            .help(fewer));
        }
        let mut search = SudaSearch::new(crowd, size);
        let stopped = search.run(all, control);
        Ok(search.finish(crowd, all, stopped))
    }
}

/// How many combinations of so many columns there are.
fn choose(width: usize, of: usize) -> u64 {
    (0..of as u64).fold(1u64, |product, at| product.saturating_mul(width as u64 - at) / (at + 1))
}

/// One bit for each row that all columns together single out.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RowBits(Vec<u64>);

impl RowBits {
    fn none(len: usize) -> Self {
        RowBits(vec![0; len.div_ceil(64)])
    }

    fn set(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    fn add(&mut self, other: &RowBits) {
        for (word, &more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    fn without(&self, other: &RowBits) -> RowBits {
        RowBits(self.0.iter().zip(&other.0).map(|(word, not)| word & !not).collect())
    }

    fn len(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    fn each(&self, mut visit: impl FnMut(usize)) {
        for (at, &word) in self.0.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                visit(64 * at + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

/// A search that goes on.
struct SudaSearch {
    size: usize,
    /// Codes by column, one for each distinct row; those that stand alone come first.
    codes: Vec<Vec<u32>>,
    domains: Vec<usize>,
    /// How many distinct rows stand alone.
    alone: usize,
    rows: u64,
    /// Combinations that have been looked at, with the rows that they single out, minimally and at all.
    found: Vec<(Vec<usize>, u64, u64)>,
    looked_at: u64,
    /// For each row that stands alone, how many minimal uniques of 1, 2, ... columns it has.
    keys: Vec<Vec<u32>>,
}

impl SudaSearch {
    fn new(crowd: &TableClasses, size: usize) -> Self {
        let counts = crowd.cells.counts();
        let (alone, crowded): (Vec<usize>, Vec<usize>) =
            (0..counts.len()).partition(|&cell| counts[cell] == 1);
        let order: Vec<usize> = alone.iter().chain(&crowded).copied().collect();
        let codes = (0..crowd.width())
            .map(|column| order.iter().map(|&cell| crowd.cells.code(column, cell)).collect());
        SudaSearch {
            size,
            codes: codes.collect(),
            domains: crowd.domains.clone(),
            alone: alone.len(),
            rows: counts.iter().sum(),
            found: Vec::new(),
            looked_at: 0,
            keys: vec![vec![0; alone.len()]; size],
        }
    }

    /// Looks at all combinations, small ones first, until it is done or told to stop.
    fn run(&mut self, all: u64, control: &Control) -> Option<StopReason> {
        if self.alone == 0 {
            self.looked_at = all;
            return None;
        }
        // What the combinations of one column less single out.
        let mut before: BTreeMap<Vec<usize>, RowBits> = BTreeMap::new();
        let some = 2 * rayon::current_num_threads();
        for size in 1..=self.size {
            let mut here = BTreeMap::new();
            for batch in combinations(self.domains.len(), size).chunks(some) {
                let looked: Vec<Result<(RowBits, RowBits), StopReason>> = batch
                    .par_iter()
                    .map(|columns| match control.stop() {
                        None => Ok(self.look(columns, &before)),
                        Some(reason) => Err(reason),
                    })
                    .collect();
                let mut stopped = None;
                for (columns, looked) in batch.iter().zip(looked) {
                    let (unique, minimal) = match looked {
                        Ok(looked) => looked,
                        Err(reason) => {
                            stopped = Some(reason);
                            continue;
                        }
                    };
                    let keys = &mut self.keys[size - 1];
                    minimal.each(|row| keys[row] += 1);
                    self.looked_at += 1;
                    if minimal.len() > 0 {
                        self.found.push((columns.clone(), minimal.len(), unique.len()));
                    }
                    if size < self.size {
                        here.insert(columns.clone(), unique);
                    }
                }
                control.tell(Event::Progress(self.looked_at as f64 / all as f64));
                if stopped.is_some() {
                    return stopped;
                }
            }
            before = here;
        }
        None
    }

    /// The rows that a combination singles out, at all and minimally.
    fn look(
        &self,
        columns: &[usize],
        before: &BTreeMap<Vec<usize>, RowBits>,
    ) -> (RowBits, RowBits) {
        let mut known = RowBits::none(self.alone);
        if columns.len() > 1 {
            for left_out in 0..columns.len() {
                let mut part = columns.to_vec();
                part.remove(left_out);
                known.add(&before[&part]);
            }
        }
        if known.len() == self.alone as u64 {
            return (known, RowBits::none(self.alone));
        }
        let mut unique = self.group(columns, &known);
        let minimal = unique.without(&known);
        unique.add(&known);
        (unique, minimal)
    }

    /// The rows that stand alone in some columns, but for those that are known to.
    fn group(&self, columns: &[usize], known: &RowBits) -> RowBits {
        let len = self.codes.first().map_or(0, Vec::len);
        // A row that a part of the columns singles out meets nobody.
        let rows: Vec<u32> = (0..len as u32)
            .filter(|&row| row as usize >= self.alone || !known.has(row as usize))
            .collect();
        let mut keys = vec![0u64; rows.len()];
        let mut span = 1u64;
        for &column in columns {
            let domain = self.domains[column] as u64;
            if span.checked_mul(domain).is_none() {
                span = renumber(&mut keys);
            }
            let codes = &self.codes[column];
            for (key, &row) in keys.iter_mut().zip(&rows) {
                *key = *key * domain + u64::from(codes[row as usize]);
            }
            span = span.saturating_mul(domain);
        }
        let mut unique = RowBits::none(self.alone);
        // A crowded row meets itself; whoever stands with it is met too.
        let many = |row: u32| row as usize >= self.alone;
        if span <= 4 * rows.len() as u64 + 1024 {
            let mut met = vec![0u8; span as usize];
            for (&key, &row) in keys.iter().zip(&rows) {
                let met = &mut met[key as usize];
                *met = met.saturating_add(if many(row) { 2 } else { 1 });
            }
            for (&key, &row) in keys.iter().zip(&rows) {
                if met[key as usize] == 1 {
                    unique.set(row as usize);
                }
            }
            return unique;
        }
        const SEVERAL: u32 = u32::MAX;
        let mut met: HashMap<u64, u32, FixedState> = HashMap::default();
        met.reserve(rows.len() / 2);
        for (&key, &row) in keys.iter().zip(&rows) {
            let first = if many(row) { SEVERAL } else { row };
            met.entry(key).and_modify(|met| *met = SEVERAL).or_insert(first);
        }
        for &row in met.values() {
            if row != SEVERAL {
                unique.set(row as usize);
            }
        }
        unique
    }

    fn finish(
        self,
        crowd: &TableClasses,
        all: u64,
        stopped: Option<StopReason>,
    ) -> UniqueCombinations {
        let names: Vec<&str> = crowd.columns().collect();
        let weights: Vec<f64> =
            (1..=self.size).map(|of| weight(names.len(), of, self.size)).collect();
        let total: f64 =
            self.found.iter().map(|found| found.1 as f64 * weights[found.0.len() - 1]).sum();
        let mut columns: Vec<ColumnShare> = (0..names.len())
            .map(|column| {
                let with = || self.found.iter().filter(|found| found.0.contains(&column));
                let part: f64 =
                    with().map(|found| found.1 as f64 * weights[found.0.len() - 1]).sum();
                ColumnShare {
                    column: names[column].to_owned(),
                    minimal_uniques: with().map(|found| found.1).sum(),
                    share: if total > 0.0 { part / total } else { 0.0 },
                }
            })
            .collect();
        columns.sort_by(|one, other| other.share.total_cmp(&one.share));
        let row_scores: Vec<f64> = (0..self.alone)
            .map(|row| {
                let keys = self.keys.iter().zip(&weights);
                keys.map(|(keys, weight)| f64::from(keys[row]) * weight).sum()
            })
            .collect();
        let sizes = self.key_sizes();
        let highest_score = row_scores.iter().copied().fold(0.0, f64::max);
        let mut found = self.found;
        found.sort_by(|one, other| {
            let order = other.1.cmp(&one.1);
            order.then(one.0.len().cmp(&other.0.len())).then(one.0.cmp(&other.0))
        });
        UniqueCombinations {
            size: self.size,
            looked_at: self.looked_at,
            all,
            stopped,
            rows: self.rows,
            unique_rows: self.alone as u64,
            singled_out: row_scores.iter().filter(|&&score| score > 0.0).count() as u64,
            sizes,
            combinations: found
                .into_iter()
                .map(|(columns, minimal, unique)| MinimalCombination {
                    columns: columns.into_iter().map(|at| names[at].to_owned()).collect(),
                    minimal,
                    unique,
                })
                .collect(),
            columns,
            highest_score,
            mean_score: if self.rows == 0 { 0.0 } else { total / self.rows as f64 },
            scores: grouped(&row_scores, highest_score),
        }
    }

    fn key_sizes(&self) -> Vec<KeySize> {
        let least = |row: usize| self.keys.iter().position(|keys| keys[row] > 0);
        let mut rows = vec![0; self.size];
        for size in (0..self.alone).filter_map(least) {
            rows[size] += 1;
        }
        let sizes = self.keys.iter().zip(rows).enumerate();
        sizes
            .map(|(at, (keys, rows))| KeySize {
                columns: at + 1,
                minimal_uniques: keys.iter().map(|&keys| u64::from(keys)).sum(),
                rows,
            })
            .collect()
    }
}

/// The combinations of so many of the columns, in the columns' order.
fn combinations(width: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let mut columns: Vec<usize> = (0..size).collect();
    loop {
        all.push(columns.clone());
        // The last column that can move on, moves on; those behind it follow.
        let Some(at) = (0..size).rev().find(|&at| columns[at] < width - size + at) else {
            return all;
        };
        columns[at] += 1;
        for behind in at + 1..size {
            columns[behind] = columns[behind - 1] + 1;
        }
    }
}

/// Gives keys the numbers 0, 1, 2, ... and says how many there are.
fn renumber(keys: &mut [u64]) -> u64 {
    let mut numbers: HashMap<u64, u64, FixedState> = HashMap::default();
    for key in keys {
        let next = numbers.len() as u64;
        *key = *numbers.entry(*key).or_insert(next);
    }
    numbers.len() as u64
}

/// What a minimal unique of `of` among `width` columns adds to a row's score.
fn weight(width: usize, of: usize, largest: usize) -> f64 {
    (of..=largest.min(width - 1)).map(|size| (width - size) as f64).product()
}

/// Rows by score, in groups of equal width.
fn grouped(scores: &[f64], highest: f64) -> Vec<ScoreGroup> {
    if highest <= 0.0 {
        return Vec::new();
    }
    let step = highest / GROUPS as f64;
    let mut groups: Vec<ScoreGroup> = (0..GROUPS)
        .map(|at| ScoreGroup { above: at as f64 * step, to: (at + 1) as f64 * step, rows: 0 })
        .collect();
    for &score in scores.iter().filter(|&&score| score > 0.0) {
        let at = ((score / step).ceil() as usize).clamp(1, GROUPS);
        groups[at - 1].rows += 1;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_complete() {
        assert_eq!(combinations(4, 2).len() as u64, choose(4, 2));
        assert_eq!(combinations(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(combinations(3, 3), [[0, 1, 2]]);
        assert_eq!((choose(30, 3), choose(9, 9), choose(64, 1)), (4060, 1, 64));
    }

    #[test]
    fn weights_are_factorials_where_all_sizes_are_looked_at() {
        let weights: Vec<f64> = (1..=4).map(|of| weight(5, of, 4)).collect();
        assert_eq!(weights, [24.0, 6.0, 2.0, 1.0]);
        assert_eq!(weight(5, 5, 5), 1.0);
        assert_eq!((weight(8, 1, 3), weight(8, 3, 3)), (7.0 * 6.0 * 5.0, 5.0));
    }
}
