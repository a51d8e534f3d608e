//! What is made of dates: ages, and the units that they lie in.

use super::detect::DateColumn;
use super::format::DateFormat;
use super::moment::{DateUnit, Moment};
use crate::kit::{Error, Result, words};

/// Nobody has been older, in years.
const OLDEST: i64 = 130;

/// The day that a person writes as `2026-01-01`.
pub fn parse_day(text: &str) -> Result<Moment> {
    let read = DateFormat::iso().read(text).filter(|reading| !reading.time);
    read.map(|reading| reading.local).ok_or_else(|| {
        Error::new(format!("`{text}` is not a day"))
            .help("write year-month-day, such as 2026-01-01")
    })
}

/// A day as [`parse_day`] reads it.
pub fn show_day(day: Moment) -> String {
    DateUnit::Day.label(day, false)
}

/// The age in completed years on a day of somebody born at a moment; none if nobody can have it. Somebody born on 29
/// February is a year older from 1 March on where there is no such day.
pub(crate) fn age_at(born: Moment, day: Moment) -> Option<i64> {
    let ((year, month, of_month), on) = (born.day(), day.day());
    let age = on.0 - year - i64::from((on.1, on.2) < (month, of_month));
    (0..=OLDEST).contains(&age).then_some(age)
}

/// What is wrong with birth dates that give nobody's age.
pub(crate) fn no_age(column: &str, values: &[&str], day: Moment) -> Error {
    Error::new(format!(
        "in column {column:?} a birth date {} gives no age from 0 to {OLDEST} on {}",
        words::values(values),
        show_day(day)
    ))
    .help("correct the dates, add them to the missing tokens, or choose another day for age-at")
}

impl DateColumn {
    /// Ages in completed years on a day, of people born on these dates, which are written as `values`.
    pub fn ages_at(&self, column: &str, values: &[&str], day: Moment) -> Result<Vec<i64>> {
        if self.scale.format.is_clock() {
            return Err(Error::new(format!(
                "column {column:?} holds times of day, which give no age"
            ))
            .help("leave out age-at"));
        }
        let ages: Vec<Option<i64>> =
            self.moments.iter().map(|moment| age_at(*moment, day)).collect();
        let wrong: Vec<&str> = values
            .iter()
            .zip(&ages)
            .filter(|(_, age)| age.is_none())
            .map(|(value, _)| *value)
            .collect();
        match wrong.is_empty() {
            true => Ok(ages.into_iter().flatten().collect()),
            false => Err(no_age(column, &wrong, day)),
        }
    }

    /// Each date as the unit that it lies in: `2018-04`, `2018-Q2`, `2018`.
    pub fn units(&self, column: &str, unit: DateUnit) -> Result<Vec<String>> {
        self.check_unit(column, unit)?;
        let clock = self.scale.format.is_clock();
        Ok(self.moments.iter().map(|moment| unit.label(*moment, clock)).collect())
    }

    /// Refuses a unit that the dates do not have.
    pub(crate) fn check_unit(&self, column: &str, unit: DateUnit) -> Result<()> {
        let clock = self.scale.format.is_clock();
        if clock && !unit.is_of_clock() {
            return Err(Error::new(format!(
                "column {column:?} holds times of day, which have no {}",
                unit.name()
            ))
            .help("the units of times of day are second, minute and hour"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::super::detect::{DetectedDates, detect_dates};
    use super::*;

    fn dates(values: &[&str]) -> DateColumn {
        match detect_dates(values, None) {
            DetectedDates::Dates(dates) => dates,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn ages_are_completed_years() {
        let day = parse_day("2026-03-01").unwrap();
        for (birth, age) in [
            ("2026-03-01", 0),
            ("2025-03-01", 1),
            ("2025-03-02", 0),
            ("2024-02-29", 2),
            ("1996-12-31", 29),
            ("1896-03-01", 130),
        ] {
            assert_eq!(dates(&[birth]).ages_at("born", &[birth], day).unwrap(), [age], "{birth}");
        }
        let day = parse_day("2026-02-28").unwrap();
        assert_eq!(dates(&["2024-02-29"]).ages_at("born", &[""], day).unwrap(), [1]);
        for birth in ["2026-03-02", "1890-01-01"] {
            let error = dates(&[birth]).ages_at("born", &[birth], day).unwrap_err();
            assert!(error.message.contains(birth), "{error}");
        }
        assert!(parse_day("1.1.2026").is_err() && parse_day("2026-02-30").is_err());
    }

    #[test]
    fn dates_are_cut_to_units() {
        let found = dates(&["13/4/2018", "1/4/1999"]);
        assert_eq!(found.units("when", DateUnit::Quarter).unwrap(), ["2018-Q2", "1999-Q2"]);
        let found = dates(&["10:11"]);
        assert_eq!(found.units("when", DateUnit::Hour).unwrap(), ["10h"]);
        assert!(found.units("when", DateUnit::Day).is_err());
    }
}
