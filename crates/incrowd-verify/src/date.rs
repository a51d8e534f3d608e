//! Dates and times as they stand in an original and in a release.
//!
//! Written from the description of the labels, with a calendar of its own.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Nanoseconds since the first day of the year 1, by calendar and clock.
pub(crate) type CalendarInstant = i128;

pub(crate) const SECOND: i128 = 1_000_000_000;
pub(crate) const MINUTE: i128 = SECOND * 60;
pub(crate) const HOUR: i128 = MINUTE * 60;
pub(crate) const DAY: i128 = HOUR * 24;

/// How the dates of an original column are written: `d/m/y`, `m/d/y`, `y-m-d`, `d-mon-y` (month names), `ymd` (no marks),
/// `h:m:s` (times of day). A time may stand behind every date.
///
/// Years have four digits or, where they come last, two: `00` to `29` mean 2000 to 2029, others 1930 to 1999.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateForm {
    text: String,
    /// The parts in order, each with the marks that must stand before it.
    parts: Vec<(String, DatePart)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DatePart {
    Year,
    Month,
    MonthName,
    Day,
}

/// What a field tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp {
    pub(crate) local: CalendarInstant,
    /// Minutes east of UTC.
    pub(crate) zone: Option<i64>,
}

impl DateForm {
    /// The form with this name; none if it is not one.
    pub fn new(text: &str) -> Option<Self> {
        let days = match text.find('h') {
            Some(at) => text[..at].trim_end(),
            None => text,
        };
        let mut parts = Vec::new();
        let mut marks = String::new();
        let mut rest = days;
        while let Some(c) = rest.chars().next() {
            let (part, length) = match c {
                'y' => (Some(DatePart::Year), 1),
                'd' => (Some(DatePart::Day), 1),
                'm' if rest.starts_with("mon") => (Some(DatePart::MonthName), 3),
                'm' => (Some(DatePart::Month), 1),
                ' ' | '-' | '/' | '.' | ',' => (None, 1),
                _ => return None,
            };
            match part {
                Some(part) => parts.push((std::mem::take(&mut marks), part)),
                None => marks.push(c),
            }
            rest = &rest[length..];
        }
        let has =
            |wanted: &[DatePart]| parts.iter().filter(|(_, part)| wanted.contains(part)).count();
        let complete = parts.len() == 3
            && has(&[DatePart::Year]) == 1
            && has(&[DatePart::Month, DatePart::MonthName]) == 1
            && has(&[DatePart::Day]) == 1;
        let clock = parts.is_empty() && text.contains('h');
        (marks.is_empty() && (complete || clock)).then(|| DateForm { text: text.to_owned(), parts })
    }

    /// Whether these are times of day.
    pub(crate) fn is_clock(&self) -> bool {
        self.parts.is_empty()
    }

    /// What a field says that is written in this form.
    pub(crate) fn read(&self, field: &str) -> Option<Timestamp> {
        let field = field.trim();
        if self.is_clock() {
            let (time, zone) = clock(field, false)?;
            return zone.is_none().then_some(Timestamp { local: time, zone });
        }
        let packed =
            self.parts.iter().all(|(marks, part)| marks.is_empty() && *part != DatePart::MonthName);
        let (mut year, mut month, mut day) = (0, 0, 0);
        let mut rest = field;
        for (place, (marks, part)) in self.parts.iter().enumerate() {
            for mark in marks.chars() {
                rest = rest.strip_prefix(mark)?;
                if mark == ' ' {
                    rest = rest.trim_start_matches(' ');
                }
            }
            if *part == DatePart::MonthName {
                let letters = leading(rest, |b| b.is_ascii_alphabetic());
                month = month_named(letters)?;
                rest = &rest[letters.len()..];
                if letters.len() < MONTHS[month as usize - 1].len() {
                    rest = rest.strip_prefix('.').unwrap_or(rest);
                }
                continue;
            }
            let mut digits = leading(rest, |b| b.is_ascii_digit());
            if packed {
                digits = digits.get(..if *part == DatePart::Year { 4 } else { 2 })?;
            }
            rest = &rest[digits.len()..];
            let value = number(digits)?;
            match part {
                DatePart::Year => {
                    year = match digits.len() {
                        4 => value,
                        2 if place > 0 && value < 30 => value + 2000,
                        2 if place > 0 => value + 1900,
                        _ => return None,
                    }
                }
                _ if digits.len() > 2 => return None,
                DatePart::Day => day = value,
                _ => month = value,
            }
        }
        let date = date(year, month, day)?;
        if rest.is_empty() {
            return Some(Timestamp { local: date, zone: None });
        }
        let named = self.parts.iter().any(|(_, part)| *part == DatePart::MonthName);
        let time = match rest.as_bytes().first()? {
            b'T' | b't' => &rest[1..],
            b':' if named => &rest[1..],
            b' ' => rest.trim_start_matches(' '),
            _ => return None,
        };
        let (time, zone) = clock(time, packed)?;
        Some(Timestamp { local: date + time, zone })
    }
}

/// A form in a file is its name.
impl Serialize for DateForm {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for DateForm {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        DateForm::new(&text).ok_or_else(|| serde::de::Error::custom("no form of dates"))
    }
}

impl fmt::Display for DateForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn month_named(word: &str) -> Option<i64> {
    let word = word.to_ascii_lowercase();
    let found = MONTHS.iter().zip(1..).find(|(name, _)| {
        **name == word
            || (word.len() == 3 && name.starts_with(&word))
            || (word == "sept" && **name == "september")
    });
    found.map(|(_, month)| month)
}

/// The part of a text at its front whose bytes are of a kind, all of them ASCII.
fn leading(text: &str, kind: impl Fn(u8) -> bool) -> &str {
    let end = text.bytes().position(|b| !kind(b)).unwrap_or(text.len());
    &text[..end]
}

fn number(digits: &str) -> Option<i64> {
    let plain =
        !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

/// The start of a day, if there is one.
fn date(year: i64, month: i64, day: i64) -> Option<CalendarInstant> {
    let known = (1..=9999).contains(&year) && (1..=12).contains(&month);
    (known && day >= 1 && day <= length(year, month))
        .then(|| start_of(year, month) + i128::from(day - 1) * DAY)
}

fn leap(year: i64) -> bool {
    year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
}

fn length(year: i64, month: i64) -> i64 {
    const LENGTHS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let leap_day = i64::from(month == 2 && leap(year));
    usize::try_from(month - 1).ok().and_then(|at| LENGTHS.get(at)).map_or(0, |days| days + leap_day)
}

/// The start of a month; the year may also be 0 or 10000, at the ends of decades.
pub(crate) fn start_of(year: i64, month: i64) -> CalendarInstant {
    let before = year - 1;
    let leaps = before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400);
    let days = before * 365 + leaps + (1..month).map(|earlier| length(year, earlier)).sum::<i64>();
    i128::from(days) * DAY
}

/// A time of day, and its zone.
fn clock(text: &str, packed: bool) -> Option<(CalendarInstant, Option<i64>)> {
    let hours = leading(text, |b| b.is_ascii_digit());
    let mut rest = &text[hours.len()..];
    let (hour, minute, second);
    if let Some(behind) = rest.strip_prefix(':') {
        let minutes = leading(behind, |b| b.is_ascii_digit());
        rest = &behind[minutes.len()..];
        let seconds = match rest.strip_prefix(':') {
            Some(behind) => {
                let seconds = leading(behind, |b| b.is_ascii_digit());
                rest = &behind[seconds.len()..];
                Some(seconds)
            }
            None => None,
        };
        let two = |digits: &str| (digits.len() == 2).then(|| number(digits))?;
        hour = number(hours).filter(|_| hours.len() <= 2)?;
        minute = two(minutes)?;
        second = seconds.map_or(Some(None), |digits| two(digits).map(Some))?;
    } else {
        if !packed || !matches!(hours.len(), 4 | 6) {
            return None;
        }
        hour = number(&hours[..2])?;
        minute = number(&hours[2..4])?;
        second = if hours.len() == 6 { Some(number(&hours[4..])?) } else { None };
    }
    let mut fraction = 0;
    if let Some(behind) = rest.strip_prefix(['.', ',']).filter(|_| second.is_some()) {
        let digits = leading(behind, |b| b.is_ascii_digit());
        rest = &behind[digits.len()..];
        fraction = i128::from(number(digits)?) * 10_i128.pow(9 - digits.len() as u32);
    }
    rest = rest.trim_start_matches(' ');
    let mut hour = hour;
    let letters = leading(rest, |b| b.is_ascii_alphabetic());
    let half = letters.to_ascii_lowercase();
    if half == "am" || half == "pm" {
        if hour == 0 || hour > 12 {
            return None;
        }
        hour = if hour == 12 { 0 } else { hour } + if half == "pm" { 12 } else { 0 };
        rest = rest[letters.len()..].trim_start_matches(' ');
    }
    let second = second.unwrap_or(0);
    if hour >= 24 || minute >= 60 || second >= 60 {
        return None;
    }
    let zone = if rest.is_empty() { None } else { Some(zone(rest)?) };
    let whole = i128::from(hour) * HOUR + i128::from(minute) * MINUTE + i128::from(second) * SECOND;
    Some((whole + fraction, zone))
}

/// Minutes east of UTC, at most 14 hours either way.
fn zone(text: &str) -> Option<i64> {
    if ["z", "utc", "gmt"].contains(&text.to_ascii_lowercase().as_str()) {
        return Some(0);
    }
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits.len() {
        2 => (digits, "00"),
        4 => digits.split_at_checked(2)?,
        5 => digits.split_once(':').filter(|(hours, _)| hours.len() == 2)?,
        _ => return None,
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let all = hours * 60 + minutes;
    (minutes < 60 && all <= 840).then_some(sign * all)
}

/// The dates of an original column: how they are written, and the zone whose clock counts.
#[derive(Debug, Clone)]
pub(crate) struct DateColumn<'a> {
    pub(crate) form: &'a DateForm,
    pub(crate) zone: Option<i64>,
}

impl<'a> DateColumn<'a> {
    /// If all values of the original that have a zone have the same, its clock counts, otherwise that of UTC.
    pub(crate) fn new<'v>(form: &'a DateForm, values: impl Iterator<Item = &'v str>) -> Self {
        let mut zones: Vec<i64> =
            values.filter_map(|value| form.read(value)).filter_map(|stamp| stamp.zone).collect();
        zones.sort_unstable();
        zones.dedup();
        let zone = match zones[..] {
            [] => None,
            [only] => Some(only),
            _ => Some(0),
        };
        DateColumn { form, zone }
    }

    /// The moment that counts for an original value.
    pub(crate) fn instant(&self, value: &str) -> Option<CalendarInstant> {
        Some(self.counted(self.form.read(value)?))
    }

    fn counted(&self, stamp: Timestamp) -> CalendarInstant {
        match (stamp.zone, self.zone) {
            (Some(own), Some(zone)) => stamp.local + i128::from(zone - own) * MINUTE,
            _ => stamp.local,
        }
    }

    /// The moments that a label contains, from the first to before the second; none if it is no label of dates:
    /// a unit of time, or `[A to B]` from the begin of one to the end of another.
    pub(crate) fn span(&self, label: &str) -> Option<(CalendarInstant, CalendarInstant)> {
        let label = label.trim();
        let inner = label.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let (from, to) = match inner {
            Some(inner) => {
                let (low, high) = inner.split_once(" to ")?;
                (self.unit(low.trim())?.0, self.unit(high.trim())?.1)
            }
            None => self.unit(label)?,
        };
        (from < to).then_some((from, to))
    }

    /// The moments of `2018`, `2010s`, `2018-Q2`, `2018-W14`, `2018-04`, `2018-04-03`, `2018-04-03T10h`, `2018-04-03T10:11`,
    /// `2018-04-03T10:11:12` and finer; of times of day what stands behind the `T`.
    fn unit(&self, text: &str) -> Option<(CalendarInstant, CalendarInstant)> {
        if self.form.is_clock() {
            let (from, to, zone) = time_unit(text)?;
            return zone.is_none().then_some((from, to));
        }
        if let Some((day, time)) = text.split_once('T') {
            let start = iso_day(day)?;
            let (from, to, zone) = time_unit(time)?;
            let local = self.counted(Timestamp { local: start, zone });
            return Some((local + from, local + to));
        }
        let years = leading(text, |b| b.is_ascii_digit());
        let year = number(years).filter(|_| years.len() == 4)?;
        let real = |year: i64| (1..=9999).contains(&year);
        let rest = &text[4..];
        if rest == "s" && year % 10 == 0 {
            return Some((start_of(year, 1), start_of(year + 10, 1)));
        }
        if rest.is_empty() && real(year) {
            return Some((start_of(year, 1), start_of(year + 1, 1)));
        }
        let rest = rest.strip_prefix('-')?;
        if let Some(quarter) = rest.strip_prefix('Q') {
            let quarter = number(quarter)
                .filter(|q| quarter.len() == 1 && (1..=4).contains(q) && real(year))?;
            let next =
                if quarter == 4 { start_of(year + 1, 1) } else { start_of(year, 3 * quarter + 1) };
            return Some((start_of(year, 3 * quarter - 2), next));
        }
        if let Some(week) = rest.strip_prefix('W') {
            let week = number(week).filter(|w| week.len() == 2 && (1..=53).contains(w))?;
            // The first week of a year is the one with 4 January in it; the year 1 began on a Monday.
            let fourth = start_of(year, 1) + 3 * DAY;
            let first = fourth.div_euclid(7 * DAY) * 7 * DAY;
            let start = first + i128::from(week - 1) * 7 * DAY;
            // There is a week 53 only where its Thursday still lies in the year.
            return (start + 3 * DAY < start_of(year + 1, 1)).then_some((start, start + 7 * DAY));
        }
        if rest.len() == 2 {
            let month = number(rest).filter(|month| (1..=12).contains(month) && real(year))?;
            let start = start_of(year, month);
            return Some((start, start + i128::from(length(year, month)) * DAY));
        }
        iso_day(text).map(|start| (start, start + DAY))
    }
}

/// `2018-04-03`
fn iso_day(text: &str) -> Option<CalendarInstant> {
    let mut parts = text.split('-');
    let mut part = |digits: usize| number(parts.next().filter(|part| part.len() == digits)?);
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    parts.next().is_none().then(|| date(year, month, day))?
}

/// `10h`, `10:11`, `10:11:12`, `10:11:12.5`, with a zone or without: from when to when.
fn time_unit(text: &str) -> Option<(CalendarInstant, CalendarInstant, Option<i64>)> {
    if let Some(hour) = text.strip_suffix('h') {
        let hour = i128::from(number(hour).filter(|number| hour.len() == 2 && *number < 24)?);
        return Some((hour * HOUR, (hour + 1) * HOUR, None));
    }
    if leading(text, |b| b.is_ascii_digit()).len() != 2 {
        return None;
    }
    let (from, zone) = clock(text, false)?;
    // How fine it is: by what is written behind the minutes.
    let behind = text.get(5..).unwrap_or_default();
    let digits = behind
        .strip_prefix(':')
        .map(|seconds| leading(&seconds[2..], |b| b.is_ascii_digit() || b == b'.'));
    let length = match digits {
        None => MINUTE,
        Some("") => SECOND,
        Some(_) => 1,
    };
    Some((from, from + length, zone))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    fn dates<'a>(form: &'a DateForm, values: &[&str]) -> DateColumn<'a> {
        DateColumn::new(form, values.iter().copied())
    }

    /// The calendar against a walk over all days.
    #[test]
    fn every_day_follows_the_one_before() {
        let mut before = -DAY;
        for year in 1..=9999 {
            for month in 1..=12 {
                for day in 1..=31 {
                    let Some(here) = date(year, month, day) else {
                        assert!(day > 28);
                        continue;
                    };
                    assert_eq!(here, before + DAY, "{year}-{month}-{day}");
                    before = here;
                }
            }
        }
        assert_eq!(before, i128::from(3_652_059 - 1) * DAY);
    }

    #[test]
    fn labels_contain_what_they_say() {
        let iso = DateForm::new("y-m-d").unwrap();
        let dates = dates(&iso, &["2018-04-03"]);
        let inside = |label: &str, value: &str| {
            let (from, to) = dates.span(label).unwrap_or_else(|| panic!("{label}"));
            let at = dates.instant(value).unwrap();
            from <= at && at < to
        };
        for (label, first, last) in [
            ("2018", "2018-01-01", "2018-12-31T23:59:59.999999999"),
            ("2010s", "2010-01-01", "2019-12-31"),
            ("2018-Q2", "2018-04-01", "2018-06-30"),
            ("2018-Q4", "2018-10-01", "2018-12-31"),
            ("2018-W14", "2018-04-02", "2018-04-08"),
            ("2020-W53", "2020-12-28", "2021-01-03"),
            ("2018-02", "2018-02-01", "2018-02-28"),
            ("2018-04-03", "2018-04-03", "2018-04-03 23:59"),
            ("2018-04-03T10h", "2018-04-03 10:00", "2018-04-03 10:59:59"),
            ("2018-04-03T10:11", "2018-04-03 10:11", "2018-04-03 10:11:59"),
            ("2018-04-03T10:11:12", "2018-04-03 10:11:12", "2018-04-03 10:11:12.5"),
            ("[2018-04 to 2018-09]", "2018-04-01", "2018-09-30"),
            ("[2014 to 2019]", "2014-01-01", "2019-12-31"),
            ("[2018-04-03T10:00 to 2018-04-03T14:59]", "2018-04-03 10:00", "2018-04-03 14:59:59"),
            ("[0001 to 9999]", "0001-01-01", "9999-12-31T23:59:59"),
        ] {
            assert!(inside(label, first) && inside(label, last), "{label}");
            let (from, to) = dates.span(label).unwrap();
            assert!(dates.instant(first).unwrap() == from, "{label}");
            assert!(to - dates.instant(last).unwrap() <= DAY, "{label}");
        }
        assert!(!inside("2018-Q2", "2018-07-01"));
        for text in [
            "",
            "soon",
            "[]",
            "[2018]",
            "[2018 to ]",
            "[2019 to 2018]",
            "2018-13",
            "2018-Q5",
            "2018-W54",
            "2018-W53",
            "2015s",
            "0000",
            "2018-02-30",
            "2018-04-03T",
            "2018-04-03T24h",
            "2018-04-03T1h",
            "2018-04-03Té",
            "é",
            "2018é",
            "2018-04-03T10:11:é",
            "2018-04-03T10:1é",
            "12018",
        ] {
            assert_eq!(dates.span(text), None, "{text}");
        }
    }

    #[test]
    fn zones_count_by_the_common_one() {
        let iso = DateForm::new("y-m-d h:m:s").unwrap();
        let one = dates(&iso, &["2018-04-03T23:30+02:00"]);
        let day = |dates: &DateColumn<'_>, label: &str| {
            let (from, to) = dates.span(label).unwrap();
            (from..to).contains(&dates.instant("2018-04-03T23:30+02:00").unwrap())
        };
        assert!(day(&one, "2018-04-03") && !day(&one, "2018-04-04"));
        assert!(day(&one, "2018-04-03T23:30+02:00") && day(&one, "2018-04-03T21:30Z"));
        let two = dates(&iso, &["2018-04-03T23:30+02:00", "2018-04-03T23:30-03:30"]);
        assert!(day(&two, "2018-04-03T21h"));
        assert!(two.instant("2018-04-03T23:30-03:30") == two.instant("2018-04-04T03:00Z"));
    }

    #[test]
    fn times_of_day_have_no_day() {
        let form = DateForm::new("h:m:s").unwrap();
        let times = dates(&form, &["10:11"]);
        assert_eq!(times.span("10h"), Some((10 * HOUR, 11 * HOUR)));
        assert_eq!(times.span("[00:00 to 23:59]"), Some((0, DAY)));
        assert_eq!(times.span("2018"), None);
        assert_eq!(times.instant("1:02 PM"), Some(13 * HOUR + 2 * MINUTE));
    }
}
