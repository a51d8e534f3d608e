//! How the dates of a column are read, grouped and shown.

use serde::{Deserialize, Serialize};

use super::calendar::YEARS;
use super::format::{DateFormat, ParsedDate};
use super::moment::{DAY, DateUnit, HOUR, MINUTE, Moment, SECOND};

/// How the dates of a column are read, grouped and shown.
///
/// Values with a zone are compared and grouped by the clock that they were written by if all of them have one
/// and the same zone, otherwise by that of UTC. Labels of groups tell no zone, those of single values do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DateScale {
    /// How the values are written.
    pub format: DateFormat,
    /// Where values have zones: the one that they are shown in, in minutes east of UTC.
    pub zone: Option<i64>,
    /// The unit that values are told in: day, minute or second, as they are all whole numbers of it, or the unit
    /// that they were cut to; none if there are fractions of seconds.
    pub resolution: Option<DateUnit>,
}

/// Groups up to so wide are told in a unit; wider ones in the next. Every width is at least twice the unit, so that
/// different groups of neighbouring values never get the same ends.
const WIDEST: [(DateUnit, i128); 5] = [
    (DateUnit::Second, 2 * MINUTE),
    (DateUnit::Minute, 2 * HOUR),
    (DateUnit::Hour, 2 * DAY),
    (DateUnit::Day, 62 * DAY),
    (DateUnit::Month, 6 * 366 * DAY),
];

/// A fraction of a second is told to the nanosecond up to this width.
const WIDEST_FRACTION: i128 = 2 * SECOND;

impl DateScale {
    /// The scale of values that were read, and the moments that they are. None if some have a zone and others
    /// do not: there is no order between these.
    pub(crate) fn of(format: &DateFormat, readings: &[ParsedDate]) -> Option<(Self, Vec<Moment>)> {
        let first = readings.first()?.offset;
        let zone = match first {
            _ if readings.iter().all(|reading| reading.offset == first) => first,
            Some(_) if readings.iter().all(|reading| reading.offset.is_some()) => Some(0),
            _ => return None,
        };
        let format = format.clone().with_time(readings.iter().any(|reading| reading.time));
        let mut scale = DateScale { format, zone, resolution: None };
        let moments: Vec<Moment> =
            readings.iter().map(|reading| scale.moment(reading)).collect::<Option<_>>()?;
        let whole = |unit: &DateUnit| moments.iter().all(|&moment| unit.start(moment) == moment);
        let units = [DateUnit::Day, DateUnit::Minute, DateUnit::Second];
        // Times of day have no days.
        let clock = scale.format.is_clock();
        let mut units = units.into_iter().filter(|unit| !clock || unit.is_of_clock());
        scale.resolution = units.find(whole);
        Some((scale, moments))
    }

    /// The scale of values that were cut to a unit of time.
    pub(crate) fn of_unit(unit: DateUnit, clock: bool) -> Self {
        let format = if clock { DateFormat::clock() } else { DateFormat::iso() };
        DateScale { format, zone: None, resolution: Some(unit) }
    }

    /// The moment that counts for a reading.
    fn moment(&self, reading: &ParsedDate) -> Option<Moment> {
        match (reading.offset, self.zone) {
            (None, None) => Some(reading.local),
            (Some(offset), Some(zone)) => {
                let moment = Moment(reading.local.0 + i128::from(zone - offset) * MINUTE);
                // A zone may carry the first and the last day out of the calendar.
                YEARS.contains(&moment.day().0).then_some(moment)
            }
            _ => None,
        }
    }

    /// The moment that a field tells, written like the column or as releases write it.
    pub fn read(&self, field: &str) -> Option<Moment> {
        let iso = || DateFormat::iso().read(field).filter(|_| !self.format.is_clock());
        let reading = self.format.read(field).or_else(iso)?;
        // Days are shown without their zone.
        if self.resolution == Some(DateUnit::Day) && !reading.time {
            return Some(reading.local);
        }
        self.moment(&reading)
    }

    /// A single value as a release shows it: in ISO form.
    pub fn show(&self, moment: Moment) -> String {
        let mut text = self.show_local(moment);
        if self.resolution == Some(DateUnit::Day) {
            return text;
        }
        match self.zone {
            None => {}
            Some(0) => text.push('Z'),
            Some(zone) => {
                let (sign, zone) = (if zone < 0 { '-' } else { '+' }, zone.abs());
                text.push_str(&format!("{sign}{:02}:{:02}", zone / 60, zone % 60));
            }
        }
        text
    }

    fn show_local(&self, moment: Moment) -> String {
        let clock = self.format.is_clock();
        if let Some(unit) = self.resolution {
            return unit.label(moment, clock);
        }
        let mut text = DateUnit::Second.label(moment, clock);
        let fraction = moment.0.rem_euclid(SECOND);
        if fraction != 0 {
            text.push_str(format!(".{fraction:09}").trim_end_matches('0'));
        }
        text
    }

    /// Whether the scale is one, as it must be when read from a file.
    pub(crate) fn is_sound(&self) -> bool {
        self.zone.is_none_or(|zone| zone.abs() <= 14 * 60)
    }

    /// The whole units around the moments from `low` to `high`, from the first moment inside to the first one
    /// behind them. The wider the range, the longer the units.
    pub(crate) fn hull(&self, low: Moment, high: Moment) -> (Moment, Moment) {
        let width = high.0 - low.0;
        if self.resolution.is_none() && width <= WIDEST_FRACTION {
            return (low, Moment(high.0 + 1));
        }
        let longest = if self.format.is_clock() { DateUnit::Hour } else { DateUnit::Year };
        let fits = WIDEST.iter().find(|(_, widest)| width <= *widest).map(|(unit, _)| *unit);
        let unit = fits.unwrap_or(DateUnit::Year);
        let unit = unit.min(longest).max(self.resolution.unwrap_or(DateUnit::Second));
        (unit.start(low), unit.end(high))
    }

    /// The shortest unit of which at most so many reach from one moment to another.
    pub(crate) fn unit_for(&self, low: Moment, high: Moment, most: i128) -> DateUnit {
        let clock = self.format.is_clock();
        let finest = self.resolution.unwrap_or(DateUnit::Second);
        let longest = if clock { DateUnit::Hour } else { DateUnit::Decade };
        let fits = |unit: &DateUnit| {
            let length = unit.end(low).0 - unit.start(low).0;
            *unit >= finest && (high.0 - low.0) / length < most
        };
        let mut units = DateUnit::ALL.into_iter().filter(|unit| *unit != DateUnit::Week);
        units.find(fits).unwrap_or(longest).min(longest)
    }

    /// The label of the moments from `start` to before `end`: a whole unit's own name (`2018-04`, `2018-Q2`, `2018`,
    /// `2010s`), otherwise the first and the last unit in it (`[2018-04 to 2018-09]`).
    pub(crate) fn label(&self, (start, end): (Moment, Moment)) -> String {
        let clock = self.format.is_clock();
        let last = Moment(end.0 - 1);
        let known = |unit: &DateUnit| !clock || unit.is_of_clock();
        let whole = |unit: &DateUnit| unit.start(start) == start && unit.end(start) == end;
        let mut units = DateUnit::ALL.into_iter().filter(known);
        // Weeks are told where a column has weeks.
        let usual = |unit: &DateUnit| *unit != DateUnit::Week || self.resolution == Some(*unit);
        if let Some(unit) = units.find(|unit| usual(unit) && whole(unit)) {
            return unit.label(start, clock);
        }
        // The last hour of a range could be mistaken for its end, the last minute hardly.
        let ends =
            [DateUnit::Year, DateUnit::Month, DateUnit::Day, DateUnit::Minute, DateUnit::Second];
        let fits = |unit: &DateUnit| unit.start(start) == start && unit.start(end) == end;
        match ends.into_iter().filter(known).find(fits) {
            Some(unit) => format!("[{} to {}]", unit.label(start, clock), unit.label(last, clock)),
            None => format!("[{} to {}]", self.show_local(start), self.show_local(last)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn scale(format: &str, values: &[&str]) -> (DateScale, Vec<Moment>) {
        let format: DateFormat = format.parse().unwrap();
        let readings: Vec<ParsedDate> =
            values.iter().map(|value| format.read(value).unwrap()).collect();
        DateScale::of(&format, &readings).unwrap()
    }

    fn label(format: &str, low: &str, high: &str) -> String {
        let (scale, moments) = scale(format, &[low, high]);
        scale.label(scale.hull(moments[0], moments[1]))
    }

    #[test]
    fn groups_are_told_in_units_that_suit_their_width() {
        for (low, high, expected) in [
            ("2018-04-03", "2018-04-09", "[2018-04-03 to 2018-04-09]"),
            ("2018-04-01", "2018-04-30", "2018-04"),
            ("2018-04-03", "2018-06-10", "2018-Q2"),
            ("2018-04-03", "2018-09-10", "[2018-04 to 2018-09]"),
            ("2018-01-31", "2018-12-01", "2018"),
            ("2017-12-31", "2018-12-01", "[2017-12 to 2018-12]"),
            ("2017-01-31", "2018-12-01", "[2017 to 2018]"),
            ("2010-01-31", "2019-01-01", "2010s"),
            ("2014-12-31", "2021-02-01", "[2014 to 2021]"),
            ("0001-01-01", "9999-12-31", "[0001 to 9999]"),
        ] {
            assert_eq!(label("y-m-d", low, high), expected, "{low} to {high}");
        }
        let day = |low: &str, high: &str| {
            label("y-m-d", &format!("2018-04-03T{low}"), &format!("2018-04-03T{high}"))
        };
        assert_eq!(day("10:11", "10:40"), "[2018-04-03T10:11 to 2018-04-03T10:40]");
        assert_eq!(day("10:11:12", "10:12:02"), "[2018-04-03T10:11:12 to 2018-04-03T10:12:02]");
        assert_eq!(day("10:11:12", "10:40:02"), "[2018-04-03T10:11 to 2018-04-03T10:40]");
        assert_eq!(day("10:00:59", "10:59:01"), "2018-04-03T10h");
        assert_eq!(day("10:11", "14:40"), "[2018-04-03T10:00 to 2018-04-03T14:59]");
        assert_eq!(day("00:11", "23:40"), "2018-04-03");
        assert_eq!(
            day("10:11:12.25", "10:11:13"),
            "[2018-04-03T10:11:12.25 to 2018-04-03T10:11:13]"
        );
        assert_eq!(label("h:m", "10:11", "10:40"), "[10:11 to 10:40]");
        assert_eq!(label("h:m", "10:01", "10:59"), "[10:01 to 10:59]");
        assert_eq!(label("h:m", "08:01", "12:59"), "[08:00 to 12:59]");
        assert_eq!(label("h:m", "00:00", "23:59"), "[00:00 to 23:59]");
    }

    #[test]
    fn single_values_are_shown_as_finely_as_the_column() {
        let shown = |format: &str, values: &[&str]| {
            let (scale, moments) = scale(format, values);
            scale.show(moments[0])
        };
        assert_eq!(shown("d/m/y", &["3/4/18"]), "2018-04-03");
        assert_eq!(shown("y-m-d", &["2018-04-03 00:00:00", "2018-04-04"]), "2018-04-03");
        assert_eq!(shown("y-m-d", &["2018-04-03", "2018-04-04 10:00"]), "2018-04-03T00:00");
        assert_eq!(shown("y-m-d", &["2018-04-03T1:02:03"]), "2018-04-03T01:02:03");
        assert_eq!(shown("y-m-d", &["2018-04-03 1:02:03.50"]), "2018-04-03T01:02:03.5");
        assert_eq!(shown("y-m-d", &["2018-04-03T10:11Z"]), "2018-04-03T10:11Z");
        assert_eq!(shown("y-m-d", &["2018-04-03T10:11+02:00"]), "2018-04-03T10:11+02:00");
        assert_eq!(
            shown("y-m-d", &["2018-04-03T00:11+02:00", "2018-04-03T10:11-0330"]),
            "2018-04-02T22:11Z"
        );
        assert_eq!(shown("h:m:s", &["1:02 PM"]), "13:02");
    }

    /// Shown values and whole units read back as what they are.
    #[test]
    fn what_is_shown_reads_back() {
        for (format, values) in [
            ("d/m/y", &["3/4/2018", "31/12/1999"][..]),
            ("m/d/y", &["3/4/2018 10:11:12", "12/31/1999 00:00:01"]),
            ("y-m-d", &["2018-04-03T10:11:12.000000001+05:30", "1999-01-01T00:00:00Z"]),
            ("h:m:s", &["10:11", "23:59:59.5"]),
            ("mon d, y", &["Apr 3, 2018", "December 31, 1999"]),
        ] {
            let (scale, moments) = scale(format, values);
            for moment in moments {
                assert_eq!(scale.read(&scale.show(moment)), Some(moment), "{format}");
            }
        }
    }
}
