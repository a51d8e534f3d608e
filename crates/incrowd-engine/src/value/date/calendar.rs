//! The civil calendar: days since 1970-01-01, proleptic Gregorian, the years 1 to 9999.

/// The years that can be written in four digits; there is no year 0.
pub(crate) const YEARS: std::ops::RangeInclusive<i64> = 1..=9999;

/// Whether a year has a 29 February.
pub(crate) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// How many days a month has; none if there is no such month.
pub(crate) fn month_length(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// The days from 1970-01-01 to a day. The month may be any number: 13 is the next year's January.
pub(crate) fn days_of(year: i64, month: i64, day: i64) -> i64 {
    // Years count from March, so that the leap day is the last one, in eras of 400 years.
    let months = year * 12 + (month - 1);
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of the month, so many days after 1970-01-01.
pub fn civil_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    (400 * era + year_of_era + i64::from(month <= 2), month, day)
}

/// The Monday of a day's week.
pub(crate) fn monday_of(days: i64) -> i64 {
    // 1970-01-01 was a Thursday.
    days - (days + 3).rem_euclid(7)
}

/// The year and the number of the week that begins on a Monday, as ISO 8601 counts: a week belongs to the
/// year of its Thursday.
pub(crate) fn week_of(monday: i64) -> (i64, i64) {
    let thursday = monday + 3;
    let (year, ..) = civil_of(thursday);
    (year, (thursday - days_of(year, 1, 1)) / 7 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every day of ten thousand years, walked one by one.
    #[test]
    fn days_and_dates_agree_on_every_day() {
        let (mut year, mut month, mut day) = (0, 1, 1);
        let start = days_of(0, 1, 1);
        for days in start.. {
            assert_eq!(civil_of(days), (year, month, day));
            assert_eq!(days_of(year, month, day), days);
            day += 1;
            if day > month_length(year, month) {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
            if year > 10_000 {
                break;
            }
        }
        assert_eq!(days_of(1970, 1, 1), 0);
        assert_eq!(days_of(2000, 3, 1), 11_017);
        assert_eq!(days_of(2018, 13, 1), days_of(2019, 1, 1));
        assert_eq!(days_of(2018, -2, 1), days_of(2017, 10, 1));
    }

    #[test]
    fn weeks_begin_on_mondays_and_belong_to_their_thursday() {
        // 1970-01-05 was a Monday; weeks are counted on from there.
        for week in -100_000..100_000 {
            let monday = 4 + 7 * week;
            for day in 0..7 {
                assert_eq!(monday_of(monday + day), monday);
            }
            let (year, number) = week_of(monday);
            let first = week_of(monday_of(days_of(year, 1, 4)));
            assert_eq!(first, (year, 1), "the week of 4 January is the first");
            assert_eq!((monday - monday_of(days_of(year, 1, 4))) / 7 + 1, number);
            assert!((1..=53).contains(&number));
        }
        assert_eq!(week_of(monday_of(days_of(2018, 4, 3))), (2018, 14));
        assert_eq!(week_of(monday_of(days_of(2021, 1, 3))), (2020, 53));
        assert_eq!(week_of(monday_of(days_of(2018, 12, 31))), (2019, 1));
    }
}
