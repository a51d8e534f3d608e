//! How well people hide: rows by the size of the class that they stand in.

use serde::{Deserialize, Serialize};

/// Rows that stand in classes of such a size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeBar {
    /// The smallest size.
    pub from: u64,
    /// The largest size.
    pub to: u64,
    /// Rows of the table.
    pub before: u64,
    /// Rows of the release.
    pub after: u64,
}

/// How well people hide in a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReidentificationRisk {
    /// Rows; before, those that are suppressed or blank throughout are left out.
    pub rows: u64,
    /// Classes of rows that look alike.
    pub classes: u64,
    /// The chance to find a person who is known to be there and stands in the smallest class (the
    /// *prosecutor's* highest risk).
    pub highest: f64,
    /// The share of all people that would be found if somebody tried all of them (the *marketer's* risk).
    pub average: f64,
    /// The share of rows that stand alone.
    pub unique: f64,
}

impl ReidentificationRisk {
    pub(super) fn of(sizes: &[u64]) -> Self {
        let rows: u64 = sizes.iter().sum();
        let share = |part: u64| if rows == 0 { 0.0 } else { part as f64 / rows as f64 };
        ReidentificationRisk {
            rows,
            classes: sizes.len() as u64,
            highest: sizes.iter().min().map_or(0.0, |&least| 1.0 / least as f64),
            average: share(sizes.len() as u64),
            unique: share(sizes.iter().filter(|&&size| size == 1).count() as u64),
        }
    }
}

/// Groups of sizes 1, 2, 3-4, 5-9, 10-19, 20-49 and so on, the last of which ends with `most`.
pub fn size_buckets(most: u64) -> Vec<(u64, u64)> {
    let starts: Vec<u64> = [1, 2, 3]
        .into_iter()
        .chain((0..18).flat_map(|ten| [5, 10, 20].map(|start: u64| start * 10u64.pow(ten))))
        .take_while(|&from| from <= most)
        .collect();
    let ends = starts.iter().skip(1).map(|&next| next - 1).chain([most]);
    starts.iter().copied().zip(ends).collect()
}

/// Rows by class size.
pub(super) fn size_bars(before: &[u64], after: &[u64]) -> Vec<SizeBar> {
    let most = before.iter().chain(after).copied().max().unwrap_or(0);
    let bars = size_buckets(most).into_iter();
    let mut bars: Vec<SizeBar> =
        bars.map(|(from, to)| SizeBar { from, to, before: 0, after: 0 }).collect();
    let place = |size: u64, bars: &[SizeBar]| bars.partition_point(|bar| bar.to < size);
    for &size in before {
        let at = place(size, &bars);
        bars[at].before += size;
    }
    for &size in after {
        let at = place(size, &bars);
        bars[at].after += size;
    }
    bars
}
