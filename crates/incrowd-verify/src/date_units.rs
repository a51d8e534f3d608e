//! What is made of dates: ages, and the units of time that they lie in.

use crate::date::{CalendarInstant, DAY, DateColumn, DateForm, HOUR, MINUTE, SECOND, start_of};

impl DateForm {
    /// Year, month, day and the moment of a field, by the clock of a zone.
    fn civil(&self, field: &str, zone: Option<i64>) -> Option<(i64, i64, i64, CalendarInstant)> {
        let at = DateColumn { form: self, zone }.instant(field)?;
        let mut year = i64::try_from(at.div_euclid(DAY * 366)).ok()? + 1;
        while start_of(year + 1, 1) <= at {
            year += 1;
        }
        let month = (1..=12).rev().find(|&month| start_of(year, month) <= at)?;
        let day = i64::try_from((at - start_of(year, month)).div_euclid(DAY)).ok()? + 1;
        Some((year, month, day, at))
    }

    /// The completed years from a birth date to a day.
    pub(crate) fn age(&self, field: &str, zone: Option<i64>, day: &str) -> Option<String> {
        let (year, month, of_month, _) = self.civil(field, zone)?;
        let iso = DateForm::new("y-m-d")?;
        let (on_year, on_month, on_day, _) = iso.civil(day, None)?;
        let had_birthday = on_month > month || (on_month == month && on_day >= of_month);
        Some((on_year - year - i64::from(!had_birthday)).to_string())
    }

    /// What the unit is called that a date lies in.
    pub(crate) fn unit_of(&self, field: &str, zone: Option<i64>, unit: &str) -> Option<String> {
        let (year, month, day, at) = self.civil(field, zone)?;
        let time = at.rem_euclid(DAY);
        let (hour, minute, second) = (time / HOUR, time / MINUTE % 60, time / SECOND % 60);
        let date = match self.is_clock() {
            true => String::new(),
            false => format!("{year:04}-{month:02}-{day:02}T"),
        };
        Some(match unit {
            "second" => format!("{date}{hour:02}:{minute:02}:{second:02}"),
            "minute" => format!("{date}{hour:02}:{minute:02}"),
            "hour" => format!("{date}{hour:02}h"),
            "day" => format!("{year:04}-{month:02}-{day:02}"),
            "week" => {
                // The week belongs to the year in which its Thursday lies.
                let thursday = at.div_euclid(7 * DAY) * 7 * DAY + 3 * DAY;
                let of_year = if thursday < start_of(year, 1) {
                    year - 1
                } else if thursday >= start_of(year + 1, 1) {
                    year + 1
                } else {
                    year
                };
                let week = (thursday - start_of(of_year, 1)).div_euclid(7 * DAY) + 1;
                format!("{of_year:04}-W{week:02}")
            }
            "month" => format!("{year:04}-{month:02}"),
            "quarter" => format!("{year:04}-Q{}", (month + 2) / 3),
            "year" => format!("{year:04}"),
            "decade" => format!("{:04}s", year / 10 * 10),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn dates_become_ages_and_units() {
        let form = DateForm::new("d/m/y h:m:s").unwrap();
        let age = |field: &str, day: &str| form.age(field, None, day).unwrap();
        assert_eq!(age("31/12/1990", "2026-01-01"), "35");
        assert_eq!(age("29/2/2024", "2026-02-28"), "1");
        assert_eq!(age("29/2/2024", "2026-03-01"), "2");
        for (unit, label) in [
            ("second", "2018-04-03T10:11:12"),
            ("minute", "2018-04-03T10:11"),
            ("hour", "2018-04-03T10h"),
            ("day", "2018-04-03"),
            ("week", "2018-W14"),
            ("month", "2018-04"),
            ("quarter", "2018-Q2"),
            ("year", "2018"),
            ("decade", "2010s"),
        ] {
            let told = form.unit_of("3/4/2018 10:11:12", None, unit).unwrap();
            assert_eq!(told, label);
            let dates = DateColumn { form: &form, zone: None };
            let (from, to) = dates.span(label).unwrap();
            assert!((from..to).contains(&dates.instant("3/4/2018 10:11:12").unwrap()), "{unit}");
        }
        assert_eq!(form.unit_of("3/1/2021", None, "week").unwrap(), "2020-W53");
        assert_eq!(form.unit_of("31/12/2018", None, "week").unwrap(), "2019-W01");
        let clock = DateForm::new("h:m:s").unwrap();
        assert_eq!(clock.unit_of("1:02 PM", None, "hour").unwrap(), "13h");
    }
}
