//! Points in time, and the units that they lie in.

use serde::{Deserialize, Serialize};

use super::super::decimal::Decimal;
use super::calendar::{civil_of, days_of, monday_of, week_of};

/// Nanoseconds in a second.
pub(crate) const SECOND: i128 = 1_000_000_000;
/// Nanoseconds in a minute.
pub(crate) const MINUTE: i128 = 60 * SECOND;
/// Nanoseconds in an hour.
pub(crate) const HOUR: i128 = 60 * MINUTE;
/// Nanoseconds in a day.
pub(crate) const DAY: i128 = 24 * HOUR;

/// Beyond any year of four digits.
const FARTHEST: i128 = 4 * 366 * 3_000 * DAY;

/// Digits of the fraction of a second.
const DIGITS: i32 = 9;

/// A point in time: nanoseconds since 1970-01-01 00:00:00, by calendar and clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "(i64, u32)", from = "(i64, u32)")]
pub struct Moment(pub(crate) i128);

impl From<Moment> for (i64, u32) {
    fn from(moment: Moment) -> Self {
        (moment.0.div_euclid(SECOND) as i64, moment.0.rem_euclid(SECOND) as u32)
    }
}

impl From<(i64, u32)> for Moment {
    fn from((seconds, nanoseconds): (i64, u32)) -> Self {
        Moment(i128::from(seconds) * SECOND + i128::from(nanoseconds))
    }
}

impl Moment {
    /// The first moment of a day of the calendar.
    pub fn of_day(year: i64, month: i64, day: i64) -> Self {
        Moment(i128::from(days_of(year, month, day)) * DAY)
    }

    /// Seconds since 1970.
    pub(crate) fn decimal(self) -> Option<Decimal> {
        Decimal::new(self.0, -DIGITS)
    }

    /// The moment so many seconds after 1970; none if it is not a whole number of nanoseconds.
    pub(crate) fn of_decimal(seconds: Decimal) -> Option<Self> {
        seconds.whole_at(DIGITS).map(Moment).filter(|at| at.0.abs() < FARTHEST)
    }

    /// The next moment.
    pub(crate) fn after(self) -> Self {
        Moment(self.0 + 1)
    }

    /// The moment before.
    pub(crate) fn before(self) -> Self {
        Moment(self.0 - 1)
    }

    /// Year, month and day of the month.
    pub fn day(self) -> (i64, i64, i64) {
        civil_of(self.days())
    }

    fn days(self) -> i64 {
        self.0.div_euclid(DAY) as i64
    }
}

/// A unit of time that dates generalize to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateUnit {
    /// `1965-09-20T10:11:12`
    Second,
    /// `1965-09-20T10:11`
    Minute,
    /// `1965-09-20T10h`
    Hour,
    /// `1965-09-20`
    Day,
    /// `1965-W38`, Monday to Sunday
    Week,
    /// `1965-09`
    Month,
    /// `1965-Q3`
    Quarter,
    /// `1965`
    Year,
    /// `1960s`
    Decade,
}

impl DateUnit {
    /// All units, short ones first.
    pub const ALL: [DateUnit; 9] = [
        DateUnit::Second,
        DateUnit::Minute,
        DateUnit::Hour,
        DateUnit::Day,
        DateUnit::Week,
        DateUnit::Month,
        DateUnit::Quarter,
        DateUnit::Year,
        DateUnit::Decade,
    ];

    /// The unit in a word.
    pub fn name(self) -> &'static str {
        match self {
            DateUnit::Second => "second",
            DateUnit::Minute => "minute",
            DateUnit::Hour => "hour",
            DateUnit::Day => "day",
            DateUnit::Week => "week",
            DateUnit::Month => "month",
            DateUnit::Quarter => "quarter",
            DateUnit::Year => "year",
            DateUnit::Decade => "decade",
        }
    }

    /// Whether every unit of this kind lies inside one of the other, longer kind. Weeks lie in nothing longer:
    /// they reach over the ends of months and years.
    pub fn nests_in(self, longer: DateUnit) -> bool {
        self < longer && self != DateUnit::Week
    }

    /// Whether a time of day without a day has such units.
    pub fn is_of_clock(self) -> bool {
        self <= DateUnit::Hour
    }

    /// The first moment of the unit that a moment lies in.
    pub(crate) fn start(self, moment: Moment) -> Moment {
        let step = |length: i128| Moment(moment.0.div_euclid(length) * length);
        let (year, month, _) = moment.day();
        match self {
            DateUnit::Second => step(SECOND),
            DateUnit::Minute => step(MINUTE),
            DateUnit::Hour => step(HOUR),
            DateUnit::Day => step(DAY),
            DateUnit::Week => Moment(i128::from(monday_of(moment.days())) * DAY),
            DateUnit::Month => Moment::of_day(year, month, 1),
            DateUnit::Quarter => Moment::of_day(year, (month - 1) / 3 * 3 + 1, 1),
            DateUnit::Year => Moment::of_day(year, 1, 1),
            DateUnit::Decade => Moment::of_day(year.div_euclid(10) * 10, 1, 1),
        }
    }

    /// The first moment behind the unit that a moment lies in.
    pub(crate) fn end(self, moment: Moment) -> Moment {
        let start = self.start(moment);
        let (year, month, _) = start.day();
        match self {
            DateUnit::Second => Moment(start.0 + SECOND),
            DateUnit::Minute => Moment(start.0 + MINUTE),
            DateUnit::Hour => Moment(start.0 + HOUR),
            DateUnit::Day => Moment(start.0 + DAY),
            DateUnit::Week => Moment(start.0 + 7 * DAY),
            DateUnit::Month => Moment::of_day(year, month + 1, 1),
            DateUnit::Quarter => Moment::of_day(year, month + 3, 1),
            DateUnit::Year => Moment::of_day(year + 1, 1, 1),
            DateUnit::Decade => Moment::of_day(year + 10, 1, 1),
        }
    }

    /// What the unit that a moment lies in is called; of times of day the day is left out.
    pub(crate) fn label(self, moment: Moment, clock: bool) -> String {
        let (year, month, day) = moment.day();
        let time = moment.0.rem_euclid(DAY);
        let (hour, minute, second) = (time / HOUR, time % HOUR / MINUTE, time % MINUTE / SECOND);
        let date = if clock { String::new() } else { format!("{year:04}-{month:02}-{day:02}T") };
        match self {
            DateUnit::Second => format!("{date}{hour:02}:{minute:02}:{second:02}"),
            DateUnit::Minute => format!("{date}{hour:02}:{minute:02}"),
            DateUnit::Hour => format!("{date}{hour:02}h"),
            DateUnit::Day => format!("{year:04}-{month:02}-{day:02}"),
            DateUnit::Week => {
                let (year, week) = week_of(monday_of(moment.days()));
                format!("{year:04}-W{week:02}")
            }
            DateUnit::Month => format!("{year:04}-{month:02}"),
            DateUnit::Quarter => format!("{year:04}-Q{}", (month + 2) / 3),
            DateUnit::Year => format!("{year:04}"),
            DateUnit::Decade => format!("{:04}s", year.div_euclid(10) * 10),
        }
    }
}
