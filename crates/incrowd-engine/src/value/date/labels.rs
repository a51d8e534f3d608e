//! Reading the labels that groups of dates have.

use super::calendar::{YEARS, days_of, monday_of};
use super::format::DateFormat;
use super::moment::{DAY, DateUnit, HOUR, Moment};
use super::scale::DateScale;

impl DateScale {
    /// The moments that a label tells, from the first to before the second: a unit such as `2018-04`, or
    /// `[2018-04 to 2018-09]`. None if it is no label of dates.
    pub fn read_label(&self, label: &str) -> Option<(Moment, Moment)> {
        let label = label.trim();
        let (start, end) = match label.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) => {
                let (low, high) = inner.split_once(" to ")?;
                (self.read_unit(low)?.0, self.read_unit(high)?.1)
            }
            None => self.read_unit(label)?,
        };
        (start < end).then_some((start, end))
    }

    fn read_unit(&self, text: &str) -> Option<(Moment, Moment)> {
        let clock = self.format.is_clock();
        let units = DateUnit::ALL.into_iter().filter(|unit| !clock || unit.is_of_clock());
        // What reads as a unit is written as that unit is.
        let whole = |unit: DateUnit| {
            let start = moment_of(unit, text, clock)?;
            (unit.label(start, clock) == text).then(|| (unit.start(start), unit.end(start)))
        };
        // A fraction of a second, or a zone, stands at single values.
        units.rev().find_map(whole).or_else(|| self.read(text).map(|at| (at, Moment(at.0 + 1))))
    }
}

/// A moment in the unit that a text may be the label of.
fn moment_of(unit: DateUnit, text: &str, clock: bool) -> Option<Moment> {
    let number = |text: Option<&str>| -> Option<i64> {
        text.filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
    };
    let year = || number(text.get(..4)).filter(|year| YEARS.contains(year));
    match unit {
        DateUnit::Decade => number(text.get(..4)).map(|year| Moment::of_day(year, 1, 1)),
        DateUnit::Year => year().map(|year| Moment::of_day(year, 1, 1)),
        DateUnit::Quarter => {
            let quarter = number(text.get(6..7)).filter(|quarter| (1..=4).contains(quarter))?;
            Some(Moment::of_day(year()?, 3 * quarter - 2, 1))
        }
        DateUnit::Month => {
            let month = number(text.get(5..7)).filter(|month| (1..=12).contains(month))?;
            Some(Moment::of_day(year()?, month, 1))
        }
        DateUnit::Week => {
            let week = number(text.get(6..8)).filter(|week| (1..=53).contains(week))?;
            let first = monday_of(days_of(number(text.get(..4))?, 1, 4));
            Some(Moment(i128::from(first + 7 * (week - 1)) * DAY))
        }
        DateUnit::Hour => {
            let (date, hour) = match text.split_once('T') {
                Some((date, hour)) => (DateFormat::iso().read(date)?.local, hour),
                None if clock => (Moment(0), text),
                None => return None,
            };
            let hour = number(hour.strip_suffix('h')).filter(|hour| *hour < 24)?;
            Some(Moment(date.0 + i128::from(hour) * HOUR))
        }
        DateUnit::Day | DateUnit::Minute | DateUnit::Second => {
            let form = if clock { DateFormat::clock() } else { DateFormat::iso() };
            form.read(text).filter(|reading| reading.offset.is_none()).map(|reading| reading.local)
        }
    }
}
