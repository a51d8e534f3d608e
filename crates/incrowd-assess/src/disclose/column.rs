//! A column as rules look at it.

use std::collections::HashMap;

use incrowd_engine::table::Column;
use incrowd_engine::value::{
    DetectedDates, DetectedNumbers, Moment, Scale, detect, detect_dates, is_missing, read_dates,
};

/// The code of a record without a value.
pub(super) const NONE: u32 = u32::MAX;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Some rows of a column.
#[derive(Debug)]
pub(super) struct SampledColumn {
    /// The value of each row, as a code.
    pub(super) codes: Vec<u32>,
    /// How many different values there are.
    pub(super) distinct: usize,
    /// The number that each row holds, where all values are numbers; for dates the days since 1970.
    pub(super) numbers: Option<Vec<f64>>,
    /// Year, month and day of each value, where all are dates.
    days: Option<Vec<(i64, i64, i64)>>,
    /// The values, by their codes.
    values: Vec<String>,
}

/// Something that is known of each record.
#[derive(Debug)]
pub(super) struct Predictor {
    pub(super) codes: Vec<u32>,
}

impl Predictor {
    /// Several columns at once.
    pub(super) fn joint(columns: &[&Vec<u32>]) -> Self {
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        let rows = columns.first().map_or(0, |column| column.len());
        let codes = (0..rows).map(|row| {
            let key: Vec<u32> = columns.iter().map(|column| column[row]).collect();
            if key.contains(&NONE) {
                return NONE;
            }
            let next = known.len() as u32;
            *known.entry(key).or_insert(next)
        });
        Predictor { codes: codes.collect() }
    }

    /// The same where having no value counts as a value.
    pub(super) fn with_missing(&self) -> Self {
        let next =
            self.codes.iter().filter(|&&code| code != NONE).max().map_or(0, |&most| most + 1);
        Predictor { codes: self.codes.iter().map(|&code| code.min(next)).collect() }
    }
}

impl SampledColumn {
    /// Which records have a value at all.
    pub(super) fn presence(&self) -> Self {
        SampledColumn {
            codes: self.codes.iter().map(|&code| u32::from(code == NONE)).collect(),
            distinct: 2,
            numbers: None,
            days: None,
            values: Vec::new(),
        }
    }

    /// These rows of a column.
    pub(super) fn new(column: &Column, rows: &[usize], missing: &[String]) -> Self {
        let mut codes = Vec::with_capacity(rows.len());
        let mut known = vec![None; column.dictionary.len()];
        let mut values: Vec<String> = Vec::new();
        for &row in rows {
            let code = column.codes[row] as usize;
            let code = *known[code].get_or_insert_with(|| {
                let value = column.dictionary.value(code as u32).trim();
                if is_missing(value, missing) {
                    return NONE;
                }
                values.push(value.to_owned());
                values.len() as u32 - 1
            });
            codes.push(code);
        }
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        let moments = moments(&texts);
        let days: Option<Vec<(i64, i64, i64)>> =
            moments.as_ref().map(|all| all.iter().map(|moment| moment.day()).collect());
        let numbers = match &moments {
            Some(moments) => Some(moments.iter().map(|&moment| days_since(moment)).collect()),
            None => numbers(&texts),
        };
        let of_rows = |numbers: Vec<f64>| {
            codes
                .iter()
                .map(|&code| numbers.get(code as usize).copied().unwrap_or(f64::NAN))
                .collect()
        };
        SampledColumn { numbers: numbers.map(of_rows), distinct: values.len(), codes, days, values }
    }

    /// The first records as numbers, if they are numbers.
    pub(super) fn few(&self, records: usize) -> Option<Self> {
        let head = |numbers: &Vec<f64>| numbers.iter().take(records).copied().collect();
        Some(SampledColumn {
            codes: self.codes.iter().take(records).copied().collect(),
            distinct: self.distinct,
            numbers: Some(head(self.numbers.as_ref()?)),
            days: self.days.clone(),
            values: Vec::new(),
        })
    }

    /// In how many records both columns have a value, and in how many of them the value of the other one stands at the
    /// beginning of this one, as that of an area stands in a ZIP code. A single letter says little.
    pub(super) fn beginnings(&self, other: &SampledColumn) -> (usize, usize) {
        let both = self.codes.iter().zip(&other.codes);
        let both = both.filter(|(one, two)| **one != NONE && **two != NONE);
        both.fold((0, 0), |(covered, right), (&one, &two)| {
            let (whole, part) = (self.values.get(one as usize), other.values.get(two as usize));
            let begins = whole.zip(part).is_some_and(|(whole, part)| {
                part.len() >= 2 && part.len() < whole.len() && whole.starts_with(part.as_str())
            });
            (covered + 1, right + usize::from(begins))
        })
    }

    /// How many records have the most frequent value.
    pub(super) fn most_frequent(&self) -> usize {
        let mut counts = vec![0_usize; self.distinct];
        let codes = self.codes.iter().filter(|&&code| code != NONE);
        codes.for_each(|&code| counts[code as usize] += 1);
        counts.into_iter().max().unwrap_or(0)
    }

    /// Records that have a value.
    pub(super) fn present(&self) -> usize {
        self.codes.iter().filter(|&&code| code != NONE).count()
    }

    /// Whether the values are dates.
    pub(super) fn is_date(&self) -> bool {
        self.days.is_some()
    }

    /// The year of each record, where values are dates.
    pub(super) fn years(&self) -> Option<Vec<f64>> {
        let days = self.days.as_ref()?;
        let year = |&code: &u32| days.get(code as usize).map_or(f64::NAN, |day| day.0 as f64);
        Some(self.codes.iter().map(year).collect())
    }

    /// The ways to look at the column: its values, and what can be read off them that repeats more often.
    pub(super) fn readings(&self) -> Vec<Predictor> {
        let mut readings = vec![Predictor { codes: self.codes.clone() }];
        // Where values repeat, whatever is read off them is a function of them.
        if 4 * self.distinct < self.present() {
            return readings;
        }
        if let Some(days) = &self.days {
            let weekday = |day: (i64, i64, i64)| {
                days_since(Moment::of_day(day.0, day.1, day.2)).rem_euclid(7.0) as i64
            };
            type Part = fn((i64, i64, i64)) -> i64;
            let parts: [Part; 5] = [
                |day| day.0,
                |day| day.0 * 12 + day.1,
                |day| day.1,
                |day| day.2,
                |day| day.1 * 31 + day.2,
            ];
            readings.extend(parts.iter().map(|part| self.read(|at| part(days[at]))));
            readings.push(self.read(|at| weekday(days[at])));
        } else if self.numbers.is_none() || self.values.iter().any(|it| it.starts_with('0')) {
            let begins = |length: usize| {
                self.read(|at| self.values[at].chars().take(length).collect::<String>())
            };
            readings.extend((1..=6).map(begins));
            let ends = |length: usize| {
                self.read(|at| self.values[at].chars().rev().take(length).collect::<String>())
            };
            readings.extend((1..=2).map(ends));
        } else if self.numbers.is_some() {
            let ends = |length: usize| {
                self.read(|at| self.values[at].chars().rev().take(length).collect::<String>())
            };
            readings.extend((1..=2).map(ends));
        }
        readings
    }

    /// What a function makes of each value.
    fn read<T: std::hash::Hash + Eq>(&self, part: impl Fn(usize) -> T) -> Predictor {
        let mut known: HashMap<T, u32> = HashMap::new();
        let parts: Vec<u32> = (0..self.values.len())
            .map(|at| {
                let next = known.len() as u32;
                *known.entry(part(at)).or_insert(next)
            })
            .collect();
        let code = |&code: &u32| parts.get(code as usize).copied().unwrap_or(NONE);
        Predictor { codes: self.codes.iter().map(code).collect() }
    }
}

/// Days since 1970, and the part of one.
fn days_since(moment: Moment) -> f64 {
    let (seconds, _): (i64, u32) = moment.into();
    seconds as f64 / DAY as f64
}

/// The values as moments, if all are dates in one form. Where day and month cannot be told apart, one reading serves as well
/// as the other.
fn moments(texts: &[&str]) -> Option<Vec<Moment>> {
    match detect_dates(texts, None) {
        DetectedDates::Nothing => None,
        DetectedDates::Dates(found) => Some(found.moments),
        DetectedDates::Ambiguous(found) => {
            read_dates("", texts, &found.readings[0].0).ok().map(|found| found.moments)
        }
    }
}

/// The values as numbers, if all are.
fn numbers(texts: &[&str]) -> Option<Vec<f64>> {
    let DetectedNumbers::Numbers(format) = detect(texts.iter().copied(), None) else { return None };
    let scale = Scale::Numbers(format);
    let number = |text: &&str| Some(scale.read(text)?.low?.to_f64());
    texts.iter().map(number).collect()
}
