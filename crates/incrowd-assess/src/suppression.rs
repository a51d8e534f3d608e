//! Whom suppression hits: values that disappear with the suppressed rows, and groups that lose far more than
//! their share.
//!
//! A release in which 97% of the rows are kept may have lost everybody who died. [`ColumnLoss::judge`] looks at
//! the counts of a column's values, and says so in words, for whoever has the table.

use incrowd_engine::words::{count, thousands};
use serde::Serialize;

use crate::risk::ln_gamma;

/// When suppression is told loudly.
pub mod limits {
    /// A value that fewer rows have is not shown where values of people are not.
    pub const SHOWN: u64 = 5;
    /// A column of at most so many values is one of categories: each of them that disappears is told, however rare
    /// it was. In others it must be clear that it is no chance.
    pub const CATEGORIES: usize = incrowd_engine::release::CATEGORIES;
    /// A group is hit far above its share if at least so many times the share of all rows are suppressed,
    pub const TIMES: f64 = 3.0;
    /// of at least so many rows,
    pub const ROWS: u64 = 10;
    /// and if the chance that rows suppressed at random hit so many of them is below this, over all values of the
    /// column (by the hypergeometric distribution).
    pub const CHANCE: f64 = 1e-4;
    /// Values of a column that are named at most.
    pub const NAMED: usize = 3;
    /// Values of a column that are released unchanged and counted at most; one with more is a name or a measurement.
    pub const COUNTED: usize = 10_000;
}

/// A value and how many of its rows are suppressed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ValueLoss {
    /// The value; empty where there is none.
    pub value: String,
    /// Rows of the table that have it.
    pub rows: u64,
    /// Those of them that are suppressed.
    pub suppressed: u64,
}

/// What suppression takes from a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnLoss {
    /// The column.
    pub column: String,
    /// Values that disappear altogether, those of most rows first.
    pub removed: Vec<ValueLoss>,
    /// Values that are hit far above their share, those of most suppressed rows first.
    pub uneven: Vec<ValueLoss>,
    /// The share of all rows that is suppressed.
    pub overall: f64,
}

impl ColumnLoss {
    /// Looks at the values of a column, each with its rows and those of them that are suppressed; nothing if there is
    /// nothing to tell.
    pub fn judge<V: Into<String>>(
        column: &str,
        values: impl IntoIterator<Item = (V, u64, u64)>,
    ) -> Option<Self> {
        let values: Vec<(V, u64, u64)> =
            values.into_iter().filter(|(_, rows, _)| *rows > 0).collect();
        let distinct = values.len();
        let rows: u64 = values.iter().map(|value| value.1).sum();
        let gone: u64 = values.iter().map(|value| value.2).sum();
        // Where everything is gone or nothing is, no value is hit more than another.
        if gone == 0 || gone >= rows {
            return None;
        }
        let overall = gone as f64 / rows as f64;
        let mut found = ColumnLoss {
            column: column.to_owned(),
            removed: Vec::new(),
            uneven: Vec::new(),
            overall,
        };
        for (value, of, lost) in values {
            let removed = lost == of;
            let share = lost as f64 / of as f64;
            let hit = of >= limits::ROWS && share >= limits::TIMES * overall;
            let told = removed && distinct <= limits::CATEGORIES;
            if !removed && !hit || lost == 0 {
                continue;
            }
            // Of many values some are hit by chance.
            let clear = || tail(rows, gone, of, lost) * (distinct as f64) < limits::CHANCE;
            if !told && !clear() {
                continue;
            }
            let value = ValueLoss { value: value.into(), rows: of, suppressed: lost };
            if removed { found.removed.push(value) } else { found.uneven.push(value) }
        }
        found.removed.sort_by(|a, b| b.rows.cmp(&a.rows).then(a.value.cmp(&b.value)));
        found.uneven.sort_by(|a, b| b.suppressed.cmp(&a.suppressed).then(a.value.cmp(&b.value)));
        (!found.removed.is_empty() || !found.uneven.is_empty()).then_some(found)
    }

    /// The values that disappear, in a sentence without its end. Where values of people are not shown, those of few rows are
    /// neither named nor counted: a screen is looked at by more than one.
    pub fn removed_words(&self) -> Option<String> {
        let hidden = incrowd_engine::words::values_are_hidden();
        let (few, known): (Vec<&ValueLoss>, Vec<&ValueLoss>) =
            self.removed.iter().partition(|of| hidden && of.rows < limits::SHOWN);
        let all = |of: &&ValueLoss| match of.rows {
            1 => format!("the only row with {}", self.named(of)),
            rows => format!("all {} rows with {}", thousands(rows), self.named(of)),
        };
        let rare = (!few.is_empty())
            .then(|| format!("all rows with a value of {} that few rows have", self.column));
        Some(match (&known[..], rare) {
            ([], None) => return None,
            ([], Some(rare)) => format!("{rare} are suppressed (--show-values tells which)"),
            ([one], None) if one.rows == 1 => format!("{} is suppressed", all(one)),
            ([one], None) => format!("{} are suppressed", all(one)),
            (several, rare) => {
                let (named, rest) = several.split_at(several.len().min(limits::NAMED));
                let mut parts: Vec<String> = named.iter().map(all).collect();
                if !rest.is_empty() {
                    let rows: u64 = rest.iter().map(|of| of.rows).sum();
                    let values = count(rest.len() as u64, "more value", "more values");
                    parts.push(format!("{values} of {}", count(rows, "row", "rows")));
                }
                let values = match rare {
                    Some(_) => "values".to_owned(),
                    None => format!("{} values", thousands(several.len() as u64)),
                };
                parts.extend(rare);
                let (column, parts) = (&self.column, parts.join(", "));
                format!("{values} of {column} are suppressed altogether: {parts}")
            }
        })
    }

    /// The groups that lose far more than their share, in a sentence without its end.
    pub fn uneven_words(&self) -> Option<String> {
        if self.uneven.is_empty() {
            return None;
        }
        let (named, rest) = self.uneven.split_at(self.uneven.len().min(limits::NAMED));
        let mut parts: Vec<String> = named
            .iter()
            .map(|of| {
                let share = of.suppressed as f64 / of.rows.max(1) as f64;
                format!(
                    "{} of {} rows ({:.1}%) with {}",
                    thousands(of.suppressed),
                    thousands(of.rows),
                    100.0 * share,
                    self.named(of)
                )
            })
            .collect();
        if !rest.is_empty() {
            let values = count(rest.len() as u64, "more value", "more values");
            parts.push(format!("and as unevenly those of {values} of {}", self.column));
        }
        Some(format!(
            "{} are suppressed, beside {:.1}% of all rows",
            parts.join(", "),
            100.0 * self.overall
        ))
    }

    /// The same in words without any number of rows, sentences without their ends. Values of fewer than k rows are not named.
    /// It tells of suppressed people nevertheless, and is for the owner of the table.
    pub fn without_counts(&self, k: u64) -> Vec<String> {
        let known = |of: &&ValueLoss| of.rows >= k;
        let mut told = Vec::new();
        let named: Vec<&ValueLoss> = self.removed.iter().filter(known).collect();
        if !named.is_empty() {
            let values = self.alternatives(&named);
            told.push(format!("all rows with {values} are suppressed"));
        }
        if named.len() < self.removed.len() {
            told.push(format!(
                "values of {} that few rows have are suppressed altogether",
                self.column
            ));
        }
        let named: Vec<&ValueLoss> = self.uneven.iter().filter(known).collect();
        if !named.is_empty() {
            told.push(format!(
                "rows with {} are suppressed at least {} times as often as rows are on the whole",
                self.alternatives(&named),
                limits::TIMES
            ));
        }
        told
    }

    /// Some values, named as one of them.
    fn alternatives(&self, of: &[&ValueLoss]) -> String {
        let (named, rest) = of.split_at(of.len().min(limits::NAMED));
        let mut parts: Vec<String> = named.iter().map(|of| self.named(of)).collect();
        if !rest.is_empty() {
            parts.push(format!("other values of {}", self.column));
        }
        parts.join(" or ")
    }

    /// A value in words.
    fn named(&self, of: &ValueLoss) -> String {
        let (column, value) = (&self.column, &of.value);
        match value.trim().is_empty() {
            true => format!("no value of {column}"),
            false => format!("{column} = {value}"),
        }
    }
}

/// The chance that of `suppressed` among `rows`, chosen at random, at least `hit` are among `of` rows.
fn tail(rows: u64, suppressed: u64, of: u64, hit: u64) -> f64 {
    let choose = |n: f64, k: f64| ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
    let [n, s, m] = [rows, suppressed, of].map(|number| number as f64);
    let most = suppressed.min(of);
    let least = hit.max((suppressed + of).saturating_sub(rows));
    if least > most {
        return 0.0;
    }
    let at = least as f64;
    let mut term = (choose(m, at) + choose(n - m, s - at) - choose(n, s)).exp();
    let mut sum = 0.0;
    for hit in least..=most {
        sum += term;
        let x = hit as f64;
        term *= (m - x) * (s - x) / ((x + 1.0) * (n - m - s + x + 1.0));
        if term < 1e-18 * sum {
            break;
        }
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    /// By counting all ways to choose.
    #[test]
    fn the_tail_is_that_of_choosing_at_random() {
        let n = 12u32;
        for suppressed in 0..=n {
            for of in 0..=n {
                let mut hits = [0u64; 13];
                let mut all = 0u64;
                for chosen in (0..1u32 << n).filter(|chosen| chosen.count_ones() == suppressed) {
                    hits[(chosen & ((1u32 << of) - 1)).count_ones() as usize] += 1;
                    all += 1;
                }
                for hit in 0..=of.min(suppressed) {
                    let slow = hits[hit as usize..].iter().sum::<u64>() as f64 / all as f64;
                    let found = tail(n.into(), suppressed.into(), of.into(), hit.into());
                    assert!((found - slow).abs() < 1e-9, "{suppressed} {of} {hit}: {found} {slow}");
                }
            }
        }
    }

    #[test]
    fn everybody_who_died_is_told() {
        let loss = ColumnLoss::judge("death", [("no", 969, 0), ("yes", 31, 31)]).unwrap();
        assert_eq!(loss.removed_words().unwrap(), "all 31 rows with death = yes are suppressed");
        assert_eq!(loss.uneven_words(), None);
        assert_eq!(loss.without_counts(5), ["all rows with death = yes are suppressed"]);
        // Of fewer than k nobody learns that they were there.
        let few = ColumnLoss::judge("death", [("no", 969, 3), ("yes", 4, 4)]).unwrap();
        assert_eq!(few.removed_words().unwrap(), "all 4 rows with death = yes are suppressed");
        assert_eq!(
            few.without_counts(5),
            ["values of death that few rows have are suppressed altogether"]
        );
        let one = ColumnLoss::judge("death", [("no", 9, 0), ("", 1, 1)]).unwrap();
        assert_eq!(
            one.removed_words().unwrap(),
            "the only row with no value of death is suppressed"
        );
    }

    #[test]
    fn groups_far_above_their_share_are_told() {
        let loss = ColumnLoss::judge("race", [("A", 9_000, 100), ("B", 800, 10), ("C", 200, 60)]);
        let loss = loss.unwrap();
        assert_eq!(
            loss.uneven_words().unwrap(),
            "60 of 200 rows (30.0%) with race = C are suppressed, beside 1.7% of all rows"
        );
        let told = loss.without_counts(5).join("; ");
        assert!(
            told.contains("rows with race = C are suppressed at least 3 times as often"),
            "{told}"
        );
        assert!(!told.chars().any(|digit| "0126789".contains(digit)), "{told}");
        // Few rows, or little more than others, or all of them.
        for values in [
            [("A", 900, 30), ("B", 9, 4), ("C", 91, 3)],
            [("A", 900, 90), ("B", 50, 9), ("C", 50, 5)],
            [("A", 900, 900), ("B", 50, 50), ("C", 50, 50)],
            [("A", 900, 0), ("B", 50, 0), ("C", 50, 0)],
        ] {
            assert_eq!(ColumnLoss::judge("race", values), None);
        }
    }

    #[test]
    fn of_many_values_some_are_gone_by_chance() {
        let values = |gone: u64| {
            (0..400).map(move |at: u64| (format!("v{at}"), 2, if at < gone { 2 } else { 0 }))
        };
        assert_eq!(ColumnLoss::judge("note", values(4)), None);
        let many = values(4).chain([("all".to_owned(), 12, 12)]);
        let loss = ColumnLoss::judge("note", many).unwrap();
        assert_eq!(loss.removed.len(), 1);
        let few = (0..40).map(|at: u64| (format!("v{at}"), 2, if at < 6 { 2 } else { 0 }));
        let words = ColumnLoss::judge("kind", few).unwrap().removed_words().unwrap();
        assert_eq!(
            words,
            "6 values of kind are suppressed altogether: all 2 rows with kind = v0, all 2 rows with kind = v1, \
             all 2 rows with kind = v2, 3 more values of 6 rows"
        );
    }
}
