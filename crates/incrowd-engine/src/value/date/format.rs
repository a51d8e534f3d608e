//! How dates are written: forms in letters such as `d/m/y`, and reading a field under a form.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::calendar::{YEARS, days_of, month_length};
use super::moment::{DAY, HOUR, MINUTE, Moment, SECOND};
use crate::kit::{Error, Result};

/// Two digits of a year below this mean 20.., others 19.., as spreadsheets have it: `29` is 2029, `30` is 1930.
pub const YEAR_PIVOT: i64 = 30;

/// No place on earth is further from UTC, in minutes.
const MOST_OFFSET: i64 = 14 * 60;

/// The months in English; three letters are enough.
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

/// What stands in a date, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FormatPiece {
    Year,
    Month,
    /// The month's English name, in full or three letters.
    Name,
    Day,
    Literal(char),
}

/// A form in which dates are written: `y-m-d`, `d/m/y`, `m/d/y`, `d.m.y h:m:s`, `d-mon-y`, `mon d, y`, `ymd`, or
/// `h:m:s` for times of day alone.
///
/// Day, month and hour may have one digit or two, years four or, behind the others, two ([`YEAR_PIVOT`] says which
/// century). A time
/// may stand behind every day, with a `T` or a blank between, whether or not the form tells of it: `10:11`,
/// `10:11:12.5`, `10:11 PM`, with a zone (`Z`, `+02:00`) or without.
///
/// ```
/// use incrowd_engine::value::DateFormat;
/// let form: DateFormat = "dd/mm/yyyy".parse()?;
/// assert_eq!(form.to_string(), "d/m/y");
/// assert!(form.read("3/4/2018").is_some());
/// assert!(form.read("4/13/2018").is_none());
/// # Ok::<(), incrowd_engine::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct DateFormat {
    /// Empty for times of day.
    day: Vec<FormatPiece>,
    /// Whether times stand behind the days.
    time: bool,
}

/// What a field says under a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParsedDate {
    /// The moment by the clock and calendar at the place of writing.
    pub local: Moment,
    /// The zone in minutes east of UTC, where one is written.
    pub offset: Option<i64>,
    /// Whether a time of day is written.
    pub time: bool,
    /// Whether the year has two digits.
    pub short_year: bool,
}

impl DateFormat {
    /// The forms that are tried where nobody says which it is, in the order of their rank.
    pub(crate) fn usual() -> Vec<DateFormat> {
        [
            "y-m-d", "y/m/d", "y.m.d", "d/m/y", "m/d/y", "d-m-y", "m-d-y", "d.m.y", "m.d.y",
            "d-mon-y", "d mon y", "d. mon y", "d/mon/y", "mon d, y", "mon d y", "mon-d-y",
            "y-mon-d", "dmony", "h:m:s",
        ]
        .iter()
        .filter_map(|form| form.parse().ok())
        .collect()
    }

    /// The form in which releases write days.
    pub fn iso() -> DateFormat {
        use FormatPiece::{Day, Literal, Month, Year};
        DateFormat { day: vec![Year, Literal('-'), Month, Literal('-'), Day], time: false }
    }

    /// The form in which releases write times of day.
    pub(super) fn clock() -> DateFormat {
        DateFormat { day: Vec::new(), time: true }
    }

    /// The same form, with times behind the days or without.
    pub(super) fn with_time(self, time: bool) -> Self {
        DateFormat { time: time || self.is_clock(), ..self }
    }

    /// Whether these are times of day without a day.
    pub fn is_clock(&self) -> bool {
        self.day.is_empty()
    }

    /// Whether two forms write days alike, be it with times behind them or without.
    pub fn same_days(&self, other: &DateFormat) -> bool {
        self.day == other.day
    }

    /// Whether the form has dots between numbers, which is hardly ever the month first.
    pub(super) fn is_unusual(&self) -> bool {
        matches!(self.day[..], [FormatPiece::Month, FormatPiece::Literal('.'), ..])
    }

    /// What a field says under this form; nothing if it is written in another, or if there is no such day.
    pub fn read(&self, field: &str) -> Option<ParsedDate> {
        let mut rest = RemainingText(field.trim());
        if self.is_clock() {
            let (time, offset) = rest.time(false)?;
            let local = Moment(time);
            return (rest.0.is_empty() && offset.is_none()).then_some(ParsedDate {
                local,
                offset,
                time: true,
                short_year: false,
            });
        }
        let packed = !self
            .day
            .iter()
            .any(|piece| matches!(piece, FormatPiece::Literal(_) | FormatPiece::Name));
        let (mut year, mut month, mut day) = (0, 0, 0);
        let mut short_year = false;
        for piece in &self.day {
            match piece {
                FormatPiece::Literal(' ') => rest.blanks()?,
                FormatPiece::Literal(c) => rest.0 = rest.0.strip_prefix(*c)?,
                FormatPiece::Name => month = rest.month()?,
                FormatPiece::Month if packed => month = rest.digits(2, 2)?.0,
                FormatPiece::Day if packed => day = rest.digits(2, 2)?.0,
                FormatPiece::Month => month = rest.digits(1, 2)?.0,
                FormatPiece::Day => day = rest.digits(1, 2)?.0,
                FormatPiece::Year => {
                    // A number that comes first is a year only if it looks like one.
                    let least = if packed || self.day[0] == FormatPiece::Year { 4 } else { 2 };
                    let (number, digits) = rest.digits(least, 4)?;
                    (year, short_year) = match digits {
                        4 => (number, false),
                        2 if number < YEAR_PIVOT => (2000 + number, true),
                        2 => (1900 + number, true),
                        _ => return None,
                    };
                }
            }
        }
        if !YEARS.contains(&year) || !(1..=month_length(year, month)).contains(&day) {
            return None;
        }
        let start = i128::from(days_of(year, month, day)) * DAY;
        if rest.0.is_empty() {
            return Some(ParsedDate {
                local: Moment(start),
                offset: None,
                time: false,
                short_year,
            });
        }
        // `03APR2018:10:11:12` is how SAS writes it.
        let glued = self.day.contains(&FormatPiece::Name) && rest.0.starts_with(':');
        rest.0 =
            match rest.0.strip_prefix(['T', 't']).or(rest.0.strip_prefix(':').filter(|_| glued)) {
                Some(behind) => behind,
                None => {
                    rest.blanks()?;
                    rest.0
                }
            };
        let (time, offset) = rest.time(packed)?;
        let local = Moment(start + time);
        rest.0.is_empty().then_some(ParsedDate { local, offset, time: true, short_year })
    }
}

/// What is left of a field.
struct RemainingText<'a>(&'a str);

impl<'a> RemainingText<'a> {
    /// A number of at least and at most so many digits, and how many it has.
    fn digits(&mut self, least: usize, most: usize) -> Option<(i64, usize)> {
        let digits = self.0.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        if digits < least {
            return None;
        }
        Some((number.parse().ok()?, digits))
    }

    fn blanks(&mut self) -> Option<()> {
        let rest = self.0.trim_start_matches(' ');
        let some = rest.len() < self.0.len();
        self.0 = rest;
        some.then_some(())
    }

    fn word(&self) -> &'a str {
        let letters = self.0.bytes().take_while(u8::is_ascii_alphabetic).count();
        &self.0[..letters]
    }

    /// A month's name, perhaps shortened with a dot.
    fn month(&mut self) -> Option<i64> {
        let word = self.word();
        self.0 = &self.0[word.len()..];
        let word = word.to_ascii_lowercase();
        let at = MONTHS.iter().position(|name| {
            word == *name || word == name[..3] || (word == "sept" && *name == "september")
        })?;
        if word.len() < MONTHS[at].len() {
            self.0 = self.0.strip_prefix('.').unwrap_or(self.0);
        }
        Some(at as i64 + 1)
    }

    /// A time of day in nanoseconds and its zone in minutes. Without colons only where days have no marks either.
    fn time(&mut self, packed: bool) -> Option<(i128, Option<i64>)> {
        let colons = self.0.bytes().take(3).any(|b| b == b':');
        let (mut hour, minute, mut second) = if colons {
            let hour = self.digits(1, 2)?.0;
            self.0 = self.0.strip_prefix(':')?;
            (hour, self.digits(2, 2)?.0, 0)
        } else {
            let hour = self.digits(2, 2).filter(|_| packed)?.0;
            (hour, self.digits(2, 2)?.0, 0)
        };
        let mut fraction = 0;
        let has_seconds = match self.0.strip_prefix(':').filter(|_| colons) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => !colons && self.0.starts_with(|c: char| c.is_ascii_digit()),
        };
        if has_seconds {
            second = self.digits(2, 2)?.0;
            if let Some(rest) = self.0.strip_prefix(['.', ',']) {
                self.0 = rest;
                // More than nine digits are finer than a nanosecond; the tenth is left over and refused.
                let (number, digits) = self.digits(1, 9)?;
                fraction = i128::from(number) * 10i128.pow(9 - digits as u32);
            }
        }
        let half = self.0.trim_start_matches(' ');
        let (word, behind) = half.split_at_checked(2).unwrap_or((half, ""));
        if word.eq_ignore_ascii_case("am") || word.eq_ignore_ascii_case("pm") {
            if !(1..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + if word.eq_ignore_ascii_case("pm") { 12 } else { 0 };
            self.0 = behind;
        }
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let offset = if self.0.is_empty() { None } else { Some(self.zone()?) };
        let whole =
            i128::from(hour) * HOUR + i128::from(minute) * MINUTE + i128::from(second) * SECOND;
        Some((whole + fraction, offset))
    }

    /// `Z`, `UTC`, `+02:00`, `+0200` or `+02`, in minutes.
    fn zone(&mut self) -> Option<i64> {
        self.0 = self.0.trim_start_matches(' ');
        let word = self.word();
        if ["z", "utc", "gmt"].iter().any(|name| word.eq_ignore_ascii_case(name)) {
            self.0 = &self.0[word.len()..];
            return Some(0);
        }
        let sign = match self.0.as_bytes().first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.0 = &self.0[1..];
        let hours = self.digits(2, 2)?.0;
        self.0 = self.0.strip_prefix(':').unwrap_or(self.0);
        let minutes = if self.0.is_empty() { 0 } else { self.digits(2, 2)?.0 };
        let all = hours * 60 + minutes;
        (minutes < 60 && all <= MOST_OFFSET).then_some(sign * all)
    }
}

impl fmt::Display for DateFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for piece in &self.day {
            match piece {
                FormatPiece::Year => text.push('y'),
                FormatPiece::Month => text.push('m'),
                FormatPiece::Name => text.push_str("mon"),
                FormatPiece::Day => text.push('d'),
                FormatPiece::Literal(c) => text.push(*c),
            }
        }
        if self.time {
            text.push_str(if self.is_clock() { "h:m:s" } else { " h:m:s" });
        }
        f.pad(&text)
    }
}

impl From<DateFormat> for String {
    fn from(format: DateFormat) -> Self {
        format.to_string()
    }
}

impl TryFrom<String> for DateFormat {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl FromStr for DateFormat {
    type Err = Error;

    /// Reads a form. Letters may be repeated and marked as other tools have them: `dd/mm/yyyy`, `%d/%m/%Y`.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = |what: &str| {
            Err(Error::new(format!("`{text}` is not a form of dates: {what}")).help(
                "write y, m and d as in the data: d/m/y, m/d/y, y-m-d, d.m.y h:m:s, d-mon-y \
                 (3-Apr-2018), mon d, y,\nymd; h:m:s for times of day",
            ))
        };
        let lower: String =
            text.trim().to_ascii_lowercase().chars().filter(|&c| c != '%').collect();
        // What stands from the hour on is the time, in which m means minutes.
        let (days, time) = match lower.find('h') {
            Some(at) => (lower[..at].trim_end_matches(['t', ' ']), Some(&lower[at..])),
            None => (lower.as_str(), None),
        };
        if time
            .is_some_and(|time| time.contains(|c| !"hmsfzap:. ".contains(c)) || !time.contains('m'))
        {
            return wrong("the time must be h:m or h:m:s");
        }
        let mut day = Vec::new();
        let mut rest = days;
        while let Some(c) = rest.chars().next() {
            let run = rest.len() - rest.trim_start_matches(c).len();
            let mut used = run;
            day.push(match c {
                'y' => FormatPiece::Year,
                'd' => FormatPiece::Day,
                'b' => FormatPiece::Name,
                'm' if rest.starts_with("month") => {
                    used = "month".len();
                    FormatPiece::Name
                }
                'm' if rest.starts_with("mon") => {
                    used = "mon".len();
                    FormatPiece::Name
                }
                'm' if run > 2 => FormatPiece::Name,
                'm' => FormatPiece::Month,
                '-' | '/' | '.' | ',' | ' ' => {
                    used = 1;
                    FormatPiece::Literal(c)
                }
                _ => return wrong("it may hold y, m, mon, d, h, s and the marks between them"),
            });
            rest = &rest[used..];
        }
        if day.is_empty() {
            return match time {
                Some(_) => Ok(DateFormat { day, time: true }),
                None => wrong("it is empty"),
            };
        }
        let count =
            |wanted: &[FormatPiece]| day.iter().filter(|piece| wanted.contains(piece)).count();
        let once = count(&[FormatPiece::Year]) == 1
            && count(&[FormatPiece::Month, FormatPiece::Name]) == 1
            && count(&[FormatPiece::Day]) == 1;
        if !once {
            return wrong("it must name the year, the month and the day once each");
        }
        let marks = day.iter().any(|piece| matches!(piece, FormatPiece::Literal(_)));
        let number = |piece: &FormatPiece| {
            matches!(piece, FormatPiece::Year | FormatPiece::Month | FormatPiece::Day)
        };
        if marks && day.windows(2).any(|pair| pair.iter().all(number)) {
            return wrong("numbers need a mark between them, or no marks at all");
        }
        if matches!(day.first(), Some(FormatPiece::Literal(_)))
            || matches!(day.last(), Some(FormatPiece::Literal(_)))
        {
            return wrong("marks stand between numbers");
        }
        Ok(DateFormat { day, time: time.is_some() })
    }
}
