//! How suppression moves the shares of categories.
//!
//! For a category v of a column, with n rows of the table's N, and d of them among the D that are suppressed:
//!
//! ```text
//! before        n / N
//! after         (n - d) / (N - D)
//! shift         after - before
//! standardized  shift / sqrt(before (1 - before))
//! ```
//!
//! A total that is counted in the released rows and grown by N / (N - D) is off by N times the shift. The standardized shift is
//! the difference in means of the category's indicator, in standard deviations of the table: it compares rare categories with
//! frequent ones.

use incrowd_engine::release::{CATEGORIES, share_shift};
use incrowd_engine::words::{count, values_are_hidden};
use serde::Serialize;

use crate::suppression::ColumnLoss;
use crate::suppression::limits::SHOWN;

/// A share that moves by so much is told, from 0 to 1.
pub const TOLD: f64 = 0.005;

/// What suppression does to a column.
#[derive(Debug, Clone, PartialEq)]
pub struct SuppressionEffect {
    /// The column.
    pub column: String,
    /// What it takes from it, if anything is to be told.
    pub loss: Option<ColumnLoss>,
    /// How it moves the shares of its categories, if it has any.
    pub bias: Option<ColumnBias>,
}

impl SuppressionEffect {
    /// Looks at the values of a column, each with its rows and those of them that are suppressed.
    pub fn of<V: Into<String>>(
        column: &str,
        values: impl IntoIterator<Item = (V, u64, u64)> + Clone,
    ) -> Self {
        let bias = ColumnBias::of(column, values.clone());
        SuppressionEffect {
            column: column.to_owned(),
            loss: ColumnLoss::judge(column, values),
            bias,
        }
    }
}

/// A category, and its share of the rows before suppression and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryShare {
    /// The category; empty where there is no value.
    pub value: String,
    /// Rows of the table that have it.
    pub rows: u64,
    /// Those of them that are suppressed.
    pub suppressed: u64,
    /// Its share of the table's rows.
    pub before: f64,
    /// Its share of the rows that are left.
    pub after: f64,
    /// How far its share has moved.
    pub shift: f64,
    /// The same in standard deviations; none where all rows have it.
    pub standardized: Option<f64>,
}

/// How suppression moves the shares of a column's categories.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnBias {
    /// The column.
    pub column: String,
    /// How far the share that moves most has moved, up or down.
    pub largest: f64,
    /// Half the sum of all shifts, up or down: the least share of the released rows that would have to have other values.
    pub dissimilarity: f64,
    /// The categories, those whose shares move most first.
    pub categories: Vec<CategoryShare>,
}

impl ColumnBias {
    /// From the rows of each value and those of them that are suppressed; none for columns of too many values for
    /// categories, or where no row is left.
    pub fn of<V: Into<String>>(
        column: &str,
        values: impl IntoIterator<Item = (V, u64, u64)>,
    ) -> Option<Self> {
        let held = values.into_iter().filter(|(_, rows, _)| *rows > 0);
        let held: Vec<(V, u64, u64)> = held.take(CATEGORIES + 1).collect();
        if held.is_empty() || held.len() > CATEGORIES {
            return None;
        }
        let total = held.iter().fold((0, 0), |sum, it| (sum.0 + it.1, sum.1 + it.2));
        let mut categories = Vec::with_capacity(held.len());
        for (value, rows, suppressed) in held {
            let shift = share_shift((rows, suppressed), total)?;
            let before = rows as f64 / total.0 as f64;
            let spread = (before * (1.0 - before)).sqrt();
            categories.push(CategoryShare {
                value: value.into(),
                rows,
                suppressed,
                before,
                after: before + shift,
                shift,
                standardized: (spread > 0.0).then(|| shift / spread),
            });
        }
        categories.sort_by(|one, other| {
            // Of two categories, each moves as far as the other: rounding must not decide.
            let size = |it: &CategoryShare| (it.shift.abs() * 1e12).round();
            let by_shift = size(other).total_cmp(&size(one));
            by_shift.then_with(|| one.value.cmp(&other.value))
        });
        let largest = categories.first().map_or(0.0, |it| it.shift.abs());
        let dissimilarity = categories.iter().map(|it| it.shift.abs()).sum::<f64>() / 2.0;
        Some(ColumnBias { column: column.to_owned(), largest, dissimilarity, categories })
    }

    /// The categories whose shares moved far enough to be told.
    pub fn told(&self) -> impl Iterator<Item = &CategoryShare> {
        self.categories.iter().filter(|it| it.shift.abs() >= TOLD)
    }

    /// A category in words. Where values of people are not shown, one of few rows is not named.
    pub fn named(&self, category: &CategoryShare) -> String {
        let (column, value) = (&self.column, &category.value);
        match value.trim().is_empty() {
            _ if values_are_hidden() && category.rows < SHOWN => {
                format!("a value of {column} that few rows have")
            }
            true => format!("no value of {column}"),
            false => format!("{column} = {value}"),
        }
    }

    /// The share that moved most, in a sentence without its end.
    pub fn words(&self) -> Option<String> {
        let category = self.categories.first()?;
        Some(format!(
            "{} is {} of the release, {} of the table",
            self.named(category),
            percent(category.after),
            percent(category.before)
        ))
    }
}

/// The column with the share that moves most; of equals the first.
pub fn most_biased(columns: &[ColumnBias]) -> Option<&ColumnBias> {
    columns.iter().reduce(|one, other| if other.largest > one.largest { other } else { one })
}

/// What matters of it in a sentence without its end: the share that moved most, if it moved far enough to be told.
pub fn bias_words(columns: &[ColumnBias]) -> Option<String> {
    let most = most_biased(columns).filter(|it| it.largest >= TOLD)?;
    let others = columns.iter().flat_map(ColumnBias::told).count().saturating_sub(1);
    let others = match others {
        0 => String::new(),
        others => format!(
            "; {} by {} points or more",
            count(others as u64, "other share moves", "other shares move"),
            100.0 * TOLD
        ),
    };
    Some(format!("{}{others}", most.words()?))
}

/// A share in percent.
fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use incrowd_testing::{LinearRng, cases};

    use super::*;

    #[test]
    fn a_share_is_told_as_people_read_it() {
        let sex = ColumnBias::of("sex", [("F", 490, 28), ("M", 510, 12)]).unwrap();
        assert_eq!(sex.words().unwrap(), "sex = F is 48.1 % of the release, 49.0 % of the table");
        assert!(
            (sex.largest - 0.00875).abs() < 1e-12 && (sex.dissimilarity - 0.00875).abs() < 1e-12
        );
        let told = bias_words(std::slice::from_ref(&sex)).unwrap();
        assert!(told.ends_with("; 1 other share moves by 0.5 points or more"), "{told}");
        let even = ColumnBias::of("sex", [("F", 500, 20), ("M", 500, 20)]).unwrap();
        assert_eq!(even.largest, 0.0);
        assert_eq!(bias_words(&[even]), None);
    }

    #[test]
    fn columns_of_many_values_have_no_categories() {
        let many = |values: u64| (0..values).map(|at| (at.to_string(), 3, u64::from(at == 0)));
        assert!(ColumnBias::of("zip", many(51)).is_none());
        assert!(ColumnBias::of("zip", many(50)).is_some());
        assert!(ColumnBias::of("zip", [("a", 3, 3)]).is_none());
    }

    /// Row by row, as one would do by hand; and no share moves by more than that of the suppressed rows.
    #[test]
    fn shares_are_those_of_rows_counted_one_by_one() {
        let mut dice = LinearRng::new(11);
        for _ in 0..cases(400) {
            let rows: Vec<(u64, bool)> =
                (0..1 + dice.below(40)).map(|_| (dice.below(5), dice.below(3) == 0)).collect();
            let count = |value: u64, gone: &dyn Fn(bool) -> bool| {
                rows.iter().filter(|row| row.0 == value && gone(row.1)).count() as u64
            };
            let values =
                (0..5).map(|at| (at.to_string(), count(at, &|_| true), count(at, &|gone| gone)));
            let left: Vec<u64> = rows.iter().filter(|row| !row.1).map(|row| row.0).collect();
            let Some(found) = ColumnBias::of("q", values) else {
                assert!(left.is_empty());
                continue;
            };
            let suppressed = (rows.len() - left.len()) as f64 / rows.len() as f64;
            let mut slow = 0f64;
            for category in &found.categories {
                let value: u64 = category.value.parse().unwrap();
                let share = |part: usize, of: usize| part as f64 / of as f64;
                let before = share(rows.iter().filter(|row| row.0 == value).count(), rows.len());
                let after = share(left.iter().filter(|&&it| it == value).count(), left.len());
                assert!((category.before - before).abs() < 1e-12);
                assert!((category.after - after).abs() < 1e-12);
                slow = slow.max((after - before).abs());
            }
            assert!((found.largest - slow).abs() < 1e-12);
            assert!(found.largest <= suppressed + 1e-12, "{rows:?}");
            assert!(found.dissimilarity <= suppressed + 1e-12, "{rows:?}");
        }
    }
}
