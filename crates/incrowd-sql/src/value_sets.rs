//! How values of a column are recognized in SQL: the texts, numbers and ranges that each code of a domain stands for.

use std::collections::BTreeSet;

use incrowd_engine::table::Dictionary;
use incrowd_engine::value::{Attribute, Decimal, NumberFormat, Scale, civil_of, spelling};

use crate::Dialect;

/// Values of one column: what a row must hold to be one of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ValueSet {
    /// No value is one of them.
    pub(crate) missing: bool,
    /// These texts are.
    pub(crate) texts: BTreeSet<String>,
    /// These numbers are.
    pub(crate) points: Vec<Decimal>,
    /// The numbers in these ranges are.
    pub(crate) spans: Vec<ValueRange<Decimal>>,
    /// The dates in these ranges are, as ISO texts, whose order is that of time.
    pub(crate) dates: Vec<ValueRange<String>>,
}

/// From one end to another; an end that is not there is open.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValueRange<T> {
    pub(crate) low: Option<T>,
    pub(crate) high: Option<T>,
    /// Whether the high end is not inside.
    pub(crate) before: bool,
}

impl ValueSet {
    /// How many literals it takes to tell them.
    pub(crate) fn len(&self) -> usize {
        self.texts.len() + self.points.len() + self.spans.len() + self.dates.len()
    }

    /// Adds others.
    pub(crate) fn extend(&mut self, other: &ValueSet) {
        self.missing |= other.missing;
        self.texts.extend(other.texts.iter().cloned());
        self.points.extend(&other.points);
        for span in &other.spans {
            push_span(&mut self.spans, span);
        }
        for span in &other.dates {
            push_span(&mut self.dates, span);
        }
    }

    /// The condition under which a row holds one of them; `text` is NULL where nothing is held, `number` where that is
    /// no number.
    pub(crate) fn condition(&self, dialect: Dialect, text: &str, number: &str) -> String {
        let mut any = Vec::new();
        if self.missing {
            any.push(format!("{text} IS NULL"));
        }
        any.extend(listed(text, self.texts.iter().map(|value| dialect.text(value)).collect()));
        any.extend(self.numbers(dialect, number));
        for span in &self.spans {
            any.push(span.condition(number, |end| dialect.number_literal(&end.to_string())));
        }
        for span in &self.dates {
            any.push(span.condition(text, |end| dialect.text(end)));
        }
        match any.len() {
            0 => "1 = 0".to_owned(),
            1 => any.swap_remove(0),
            _ => any.join(" OR "),
        }
    }

    /// Runs of neighbouring whole numbers as ranges, the others as a list.
    fn numbers(&self, dialect: Dialect, number: &str) -> Vec<String> {
        const RUN: usize = 4;
        let mut points = self.points.clone();
        points.sort_unstable();
        let next = |a: Decimal, b: Decimal| {
            a.is_whole()
                && b.is_whole()
                && Decimal::new(1, 0).and_then(|one| a.checked_add(one)) == Some(b)
        };
        let literal = |at: &Decimal| dialect.number_literal(&at.to_string());
        let (mut any, mut single) = (Vec::new(), Vec::new());
        for run in points.chunk_by(|a, b| next(*a, *b)) {
            match run {
                [first, .., last] if run.len() >= RUN => any.push(format!(
                    "({number} BETWEEN {} AND {} AND {})",
                    literal(first),
                    literal(last),
                    dialect.is_whole(number)
                )),
                few => single.extend(few.iter().map(literal)),
            }
        }
        any.extend(listed(number, single));
        any
    }
}

impl<T> ValueRange<T> {
    fn condition(&self, value: &str, literal: impl Fn(&T) -> String) -> String {
        let below = if self.before { "<" } else { "<=" };
        let low = self.low.as_ref().map(|low| format!("{value} >= {}", literal(low)));
        let high = self.high.as_ref().map(|high| format!("{value} {below} {}", literal(high)));
        match (low, high) {
            (Some(low), Some(high)) => format!("({low} AND {high})"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => format!("{value} IS NOT NULL"),
        }
    }
}

/// Joins a range with the one before it where they touch.
fn push_span<T: PartialEq + Clone>(spans: &mut Vec<ValueRange<T>>, span: &ValueRange<T>) {
    match spans.last_mut() {
        Some(last) if last.before && last.high.is_some() && last.high == span.low => {
            last.high.clone_from(&span.high);
            last.before = span.before;
        }
        _ => spans.push(span.clone()),
    }
}

fn listed(value: &str, literals: Vec<String>) -> Option<String> {
    match &literals[..] {
        [] => None,
        [one] => Some(format!("{value} = {one}")),
        several => Some(format!("{value} IN ({})", several.join(", "))),
    }
}

/// What each code of an attribute's domain stands for.
pub(crate) fn values_of(
    attribute: &Attribute,
    missing: &[String],
    dialect: Dialect,
) -> Vec<ValueSet> {
    let domain = &attribute.domain;
    let codes = domain.len() as u32;
    // Missing may be read as another value, or be one that a hierarchy names.
    let nothing: Dictionary = missing.iter().take(1).map(String::as_str).collect();
    let nothing = domain.codes_of(&nothing, missing).first().copied();
    let mut all: Vec<ValueSet> = (0..codes)
        .map(|code| {
            let mut values = ValueSet::default();
            if domain.missing_code() == Some(code) {
                values.missing = true;
                return values;
            }
            let label = domain.label(code);
            let text = || [label.to_owned(), spelling(label).into_owned()];
            let Some(bounds) = domain.bounds(code) else {
                values.texts.extend(text());
                return values;
            };
            // Where two bins touch, the number between them is the upper one's.
            let next =
                domain.bounds(code + 1 - u32::from(code + 1 == codes)).filter(|_| code + 1 < codes);
            let before = next.is_some_and(|next| next.low.is_some() && next.low == bounds.high);
            match domain.scale() {
                Some(Scale::Dates(_)) => {
                    values.texts.extend(text());
                    if bounds.is_point() {
                        values.texts.extend(bounds.low.and_then(iso));
                    } else {
                        let (low, high) =
                            (bounds.low.and_then(iso), bounds.high.and_then(iso_after));
                        if low.is_some() && high.is_some() {
                            values.dates.push(ValueRange { low, high, before: true });
                        }
                    }
                }
                Some(Scale::Numbers(format))
                    if is_told(bounds.least(), dialect) && is_told(bounds.most(), dialect) =>
                {
                    // A decimal comma is no number to a database.
                    if *format != NumberFormat::default() {
                        values.texts.extend(text());
                    }
                    match bounds.low {
                        Some(point) if bounds.is_point() => values.points.push(point),
                        _ => {
                            // Rows may hold the label of a bin, too.
                            values.texts.extend(text());
                            values.spans.push(ValueRange {
                                low: bounds.low,
                                high: bounds.high,
                                before,
                            });
                        }
                    }
                }
                _ => values.texts.extend(text()),
            }
            values
        })
        .collect();
    if let Some(values) = nothing.and_then(|code| all.get_mut(code as usize)) {
        values.missing = true;
    }
    all
}

/// Whether a number is the same after it was a double.
fn is_told(number: Decimal, dialect: Dialect) -> bool {
    const DIGITS: usize = 15;
    dialect.is_exact() || number.to_string().bytes().filter(u8::is_ascii_digit).count() <= DIGITS
}

const DAY: i64 = 86_400;

/// The seconds since 1970 that a place on the scale of dates is.
fn seconds(at: Decimal) -> Option<i64> {
    at.is_whole().then(|| at.to_string().parse().ok()).flatten()
}

/// A moment as databases write it: a day, or a day and a time.
fn iso(at: Decimal) -> Option<String> {
    iso_text(seconds(at)?)
}

/// The moment behind the last one of a unit of time.
fn iso_after(last: Decimal) -> Option<String> {
    // The last moment of a unit is a second or less before the next unit.
    let text = last.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole: i64 = whole.parse().ok()?;
    // Before 1970 the whole seconds of a fraction are the next ones already.
    let next = if text.starts_with('-') && !fraction.is_empty() { 0 } else { 1 };
    iso_text(whole.checked_add(next)?)
}

fn iso_text(seconds: i64) -> Option<String> {
    let (day, time) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = civil_of(day);
    if !(1..=9999).contains(&year) {
        return None;
    }
    let day = format!("{year:04}-{month:02}-{day:02}");
    Some(match time {
        0 => day,
        time => format!("{day} {:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60),
    })
}

/// Whether any of these values is told by its number.
pub(crate) fn needs_numbers(values: &[ValueSet]) -> bool {
    values.iter().any(|values| !values.points.is_empty() || !values.spans.is_empty())
}
