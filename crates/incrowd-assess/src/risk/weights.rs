//! Rows that stand for people: survey weights.

use incrowd_engine::words::{count, thousands};
use incrowd_engine::{Error, FrequencyCounts, Result};
use serde::Serialize;

/// A column of survey weights: for how many people of the population each row stands.
#[derive(Debug, Clone)]
pub struct SurveyWeights {
    column: String,
    /// Rows counted by the quasi-identifiers and, last, by the weight.
    pub(super) counts: FrequencyCounts,
    /// The weight of each code of the last column.
    pub(super) values: Vec<f64>,
}

/// What a column of weights says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeightFacts {
    /// The column.
    pub column: String,
    /// The sum of all weights: how many people the population has.
    pub people: f64,
}

impl SurveyWeights {
    /// Reads the last column of counted rows as weights; `missing` are the texts that mean "missing".
    pub(super) fn read(counts: FrequencyCounts, missing: &[String]) -> Result<Self> {
        let Some((column, texts)) = counts.columns.last().cloned() else {
            return Err(Error::new("no column of weights was counted"));
        };
        let mut rows = vec![0u64; texts.len()];
        counts.cells.for_each(|codes, count| {
            if let Some(&code) = codes.last() {
                rows[code as usize] += count;
            }
        });
        let read = |text: &str| -> Result<f64, &'static str> {
            if text.trim().is_empty() || missing.iter().any(|token| token == text) {
                return Err("no weight");
            }
            match text.trim().parse::<f64>() {
                Ok(weight) if weight.is_finite() && weight >= 1.0 => Ok(weight),
                Ok(weight) if weight.is_finite() => Err("which is below 1"),
                _ => Err("which is not a number"),
            }
        };
        let mut values = Vec::with_capacity(texts.len());
        let mut wrong: Option<(&str, u64, &str)> = None;
        for (text, &rows) in texts.iter().zip(&rows) {
            match read(text) {
                Ok(weight) => values.push(weight),
                // The same one is told, whoever counted first.
                Err(why) if wrong.is_none_or(|known| text < known.0) => {
                    wrong = Some((text, rows, why));
                }
                Err(_) => {}
            }
        }
        if let Some((text, rows, why)) = wrong {
            let verb = if rows == 1 { "has" } else { "have" };
            let what = match why {
                "no weight" => why.to_owned(),
                why => format!("{}, {why}", incrowd_engine::words::value(text)),
            };
            return Err(Error::new(format!(
                "in the column of weights {column:?} {} {verb} {what}",
                count(rows, "row", "rows")
            ))
            .help(
                "a weight is the number of people a row stands for: a number of at least 1 in every row, such as \
                 12.5",
            ));
        }
        Ok(SurveyWeights { column, counts, values })
    }

    /// The rows counted by the quasi-identifiers alone.
    pub(super) fn without(&self) -> FrequencyCounts {
        let quasi = self.counts.columns.len().saturating_sub(1);
        let columns = self.counts.columns[..quasi].to_vec();
        let mut cells = FrequencyCounts::new(columns.iter().map(|(name, _)| name.as_str())).cells;
        self.counts.cells.for_each(|codes, count| cells.add(&codes[..quasi], count));
        FrequencyCounts { columns, cells }
    }

    pub(super) fn facts(&self, people: f64) -> WeightFacts {
        WeightFacts { column: self.column.clone(), people }
    }
}

impl WeightFacts {
    /// The facts in words.
    pub fn words(&self) -> String {
        format!(
            "the weights in {} sum to {} people",
            self.column,
            thousands(self.people.round() as u64)
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn weights_are_numbers_of_people() {
        let read = |weights: [&str; 2]| {
            let groups = weights.map(|weight| (["25", weight], 3));
            let counts = FrequencyCounts::from_groups(["age", "w"], groups).unwrap();
            SurveyWeights::read(counts, &["?".to_owned()])
        };
        let good = read(["1", " 2.75"]).unwrap();
        assert_eq!(good.values, [1.0, 2.75]);
        assert_eq!((good.without().combinations(), good.without().rows()), (1, 6));
        for (bad, why) in [
            (["1", "0.5"], "in the column of weights \"w\" 3 rows have \"0.5\", which is below 1"),
            (["1", "-3"], "have \"-3\", which is below 1"),
            (["1", "?"], "have no weight"),
            (["", "1"], "have no weight"),
            (["1", "NaN"], "have \"NaN\", which is not a number"),
            (["1", "inf"], "not a number"),
            (["1", "many"], "have \"many\", which is not a number"),
        ] {
            let error = read(bad).unwrap_err();
            assert!(error.message.contains(why), "{error}");
            assert!(error.help.is_some());
        }
    }
}
