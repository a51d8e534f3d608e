//! How many multisets of values a class can have, as logarithms to base 2.
//!
//! A class has s rows and a label with m values. Rows are not told apart, so what is hidden is a multiset: how many rows have
//! each value.

/// Sums of at most so many terms are added one by one.
const TERMS: f64 = 512.0;
/// The sum for boundaries has 2k terms, and is left out for a larger k.
const MOST_K: u64 = 10_000;

/// What is known of the values of a label beyond that they are its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SureValues {
    /// Nothing.
    None,
    /// The first and the last occur.
    Ends,
    /// All of them occur.
    All,
    /// So many of them occur.
    Some(u64),
}

impl SureValues {
    /// How many values of a label with so many surely occur.
    pub(super) fn count(self, values: f64) -> f64 {
        match self {
            SureValues::None => 0.0,
            SureValues::Ends => values.min(2.0),
            SureValues::All => values,
            SureValues::Some(count) => count as f64,
        }
    }
}

/// How many multisets there are of that many values for that many rows.
type MultisetCount = fn(f64, f64) -> f64;

/// All multisets of so many rows: C(m + s - 1, s).
pub(super) fn contained(values: f64, rows: u64) -> f64 {
    log2_choose(values + rows as f64 - 1.0, rows as f64)
}

/// Those in which some values occur: C(m + s - c - 1, s - c) for c of them. None where they are more than the rows.
pub(super) fn fitted(values: f64, sure: SureValues, rows: u64) -> Option<f64> {
    let free = rows as f64 - sure.count(values);
    (free >= 0.0).then(|| log2_choose(values + free - 1.0, free))
}

/// Those of [`fitted`] in which no boundary between neighbouring values has k rows on each side. None where that is not
/// known to say anything, or where no such multiset exists.
///
/// One value then holds all rows but i below it and j above it, with i and j below k. What is summed is how many ways there
/// are to put i rows below and j above, over all such values:
/// with both ends C(m + i + j - 4, i + j - 1) for i and j above 0, and C(m + j - 3, m - 2) for either of them 0;
/// with all values C(i + j - 2, m - 3) and C(j - 1, m - 2).
pub(super) fn unsplittable(values: f64, sure: SureValues, rows: u64, k: u64) -> Option<f64> {
    if k > MOST_K || rows < 2 * k || values < 2.0 || k < 2 {
        return None;
    }
    let (one_side, both_sides): (MultisetCount, MultisetCount) = match sure {
        SureValues::Ends => {
            (|m, j| log2_choose(m + j - 3.0, m - 2.0), |m, t| log2_choose(m + t - 4.0, t - 1.0))
        }
        SureValues::All => {
            (|m, j| log2_choose(j - 1.0, m - 2.0), |m, t| log2_choose(t - 2.0, m - 3.0))
        }
        SureValues::None | SureValues::Some(_) => return None,
    };
    let mut ways = Vec::new();
    for outside in 1..k {
        ways.push(1.0 + one_side(values, outside as f64));
    }
    if values > 2.0 {
        for outside in 2..=2 * (k - 1) {
            // So many pairs of i and j from 1 to k - 1 have this sum.
            let pairs = (outside - 1).min(2 * k - 1 - outside) as f64;
            ways.push(pairs.log2() + both_sides(values, outside as f64));
        }
    }
    let most = ways.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most.is_finite().then(|| most + ways.iter().map(|way| (way - most).exp2()).sum::<f64>().log2())
}

/// The logarithm of C(n, r) for whole n and r; minus infinity where there is no way.
fn log2_choose(n: f64, r: f64) -> f64 {
    let r = r.min(n - r);
    if r < 0.0 {
        return f64::NEG_INFINITY;
    }
    if r <= TERMS {
        return (0..r as u64).map(|at| ((n - at as f64) / (r - at as f64)).log2()).sum();
    }
    (ln_factorial(n) - ln_factorial(r) - ln_factorial(n - r)) / std::f64::consts::LN_2
}

/// Stirling's series, which is exact to a double's digits for numbers above some hundred.
fn ln_factorial(n: f64) -> f64 {
    let series = 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3));
    n * n.ln() - n + 0.5 * (2.0 * std::f64::consts::PI * n).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every multiset of so many rows, as how many have each value.
    fn all(values: usize, rows: u64) -> Vec<Vec<u64>> {
        if values == 1 {
            return vec![vec![rows]];
        }
        let mut found = Vec::new();
        for first in 0..=rows {
            for mut rest in all(values - 1, rows - first) {
                rest.insert(0, first);
                found.push(rest);
            }
        }
        found
    }

    fn occur(counts: &[u64], sure: SureValues) -> bool {
        match sure {
            SureValues::None => true,
            SureValues::Ends => counts[0] > 0 && counts[counts.len() - 1] > 0,
            SureValues::All => counts.iter().all(|count| *count > 0),
            SureValues::Some(of) => counts[..of as usize].iter().all(|count| *count > 0),
        }
    }

    fn cannot_be_split(counts: &[u64], k: u64) -> bool {
        let rows: u64 = counts.iter().sum();
        let mut below = 0;
        counts.iter().all(|count| {
            below += count;
            below < k || rows - below < k
        })
    }

    #[test]
    fn counts_are_those_of_a_list_of_all_multisets() {
        let same = |log: f64, count: usize| (log - (count as f64).log2()).abs() < 1e-9;
        for values in 2..=5 {
            for rows in 2..=11 {
                let listed = all(values, rows);
                let m = values as f64;
                assert!(same(contained(m, rows), listed.len()));
                for sure in [SureValues::Ends, SureValues::All, SureValues::Some(1)] {
                    let fit: Vec<_> = listed.iter().filter(|it| occur(it, sure)).collect();
                    match fitted(m, sure, rows) {
                        Some(log) => assert!(same(log, fit.len()), "{values} {rows} {sure:?}"),
                        None => assert!(fit.is_empty()),
                    }
                    for k in 2..=5 {
                        let left = fit.iter().filter(|it| cannot_be_split(it, k)).count();
                        match unsplittable(m, sure, rows, k) {
                            Some(log) => assert!(same(log, left), "{m} {rows} {k} {sure:?} {log}"),
                            None => assert!(
                                left == fit.len() || left == 0 || sure == SureValues::Some(1),
                                "{m} {rows} {k} {sure:?} {left}"
                            ),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_large_k_costs_no_memory() {
        assert!(unsplittable(10.0, SureValues::Ends, 100_000, MOST_K).is_some());
        assert_eq!(unsplittable(10.0, SureValues::Ends, 1 << 40, 1 << 33), None);
    }

    #[test]
    fn large_numbers_are_close() {
        // The logarithm of C(3000, 1000), reckoned with all its digits.
        let exact = 2_748.871_202_944_748_3;
        assert!((log2_choose(3_000.0, 1_000.0) - exact).abs() < 1e-6);
        assert!((log2_choose(3_000.0, 2_000.0) - exact).abs() < 1e-6);
    }
}
