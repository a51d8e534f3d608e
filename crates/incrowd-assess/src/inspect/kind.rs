//! What kind of values a column holds.

use incrowd_engine::value::{
    DateColumn, DateFormat, DateUnit, DetectedDates, DetectedNumbers, NumberFormat, Scale,
    ValueBounds, YEAR_PIVOT, detect, detect_dates, read_dates,
};
use serde::Serialize;

use super::name_words::{NameWords, POSTAL};

/// The kind of a column's values, missing ones aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueKind {
    /// There is no value but missing.
    Empty,
    /// Two opposite values: yes and no, true and false, 1 and 0.
    Boolean,
    /// Digits that are a name rather than a number, such as ZIP codes.
    Code,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// Days.
    Date,
    /// Times, with a day or without.
    Time,
    /// Anything else.
    Text,
}

impl ValueKind {
    /// Whether the values are read as dates or times.
    pub fn is_date(self) -> bool {
        matches!(self, ValueKind::Date | ValueKind::Time)
    }

    /// Whether the values are read as numbers.
    pub fn is_numeric(self) -> bool {
        matches!(self, ValueKind::Integer | ValueKind::Number)
    }

    /// The kind as a word.
    pub fn name(self) -> &'static str {
        match self {
            ValueKind::Empty => "empty",
            ValueKind::Boolean => "boolean",
            ValueKind::Code => "code",
            ValueKind::Integer => "integer",
            ValueKind::Number => "number",
            ValueKind::Date => "date",
            ValueKind::Time => "time",
            ValueKind::Text => "text",
        }
    }
}

/// What a column's values turn out to be.
#[derive(Debug)]
pub(super) struct InferredKind {
    pub(super) kind: ValueKind,
    /// The least and the greatest value as written, where there is an order.
    pub(super) range: ValueRange,
    /// How dates are written, where it is certain.
    pub(super) date_format: Option<String>,
    /// Something about the values that the user should know.
    pub(super) note: Option<String>,
}

/// Looks at a column's distinct values, missing ones left out, with their counts.
pub(super) fn infer(values: &[(&str, u64)], name: &NameWords) -> InferredKind {
    let plain = |kind| InferredKind { kind, range: None, date_format: None, note: None };
    if values.is_empty() {
        return plain(ValueKind::Empty);
    }
    if is_boolean(values) {
        return plain(ValueKind::Boolean);
    }
    if values.iter().all(|(value, _)| is_code(value, name)) && is_name_of_digits(values, name) {
        return plain(ValueKind::Code);
    }
    if let Some(dates) = dates(values) {
        return dates;
    }
    let text = |note| InferredKind { note, ..plain(ValueKind::Text) };
    let format = match detect(values.iter().map(|(value, _)| *value), None) {
        DetectedNumbers::Numbers(format) => format,
        DetectedNumbers::Ambiguous(readings) => {
            let [(_, one), (_, two)] = &readings.ways;
            let value = super::shown(&readings.value);
            return text(Some(format!(
                "numbers that can be read in two ways: `{value}` is {one} or {two}; name one with --decimal"
            )));
        }
        DetectedNumbers::Text => return text(not_quite_numbers(values)),
    };
    let scale = Scale::Numbers(format);
    let numbers: Vec<ValueBounds> =
        values.iter().filter_map(|(value, _)| scale.read_label(value)).collect();
    // A number is whole whatever its spelling: 13.0 is.
    let whole = numbers.iter().all(|number| number.least().is_whole() && number.most().is_whole());
    let order = |one: &usize, two: &usize| {
        let ends = |at: &usize| (numbers[*at].least(), numbers[*at].most());
        ends(one).cmp(&ends(two)).then_with(|| values[*one].0.cmp(values[*two].0))
    };
    let note = (format != NumberFormat::default()).then(|| written(format));
    let spelled = |at: usize| values[at].0.trim().to_owned();
    let range = (0..values.len())
        .min_by(order)
        .zip((0..values.len()).max_by(order))
        .map(|(least, greatest)| (spelled(least), spelled(greatest)));
    let kind = if whole { ValueKind::Integer } else { ValueKind::Number };
    InferredKind { range, note, ..plain(kind) }
}

/// How numbers are written, in words.
fn written(format: NumberFormat) -> String {
    let point = if format.point() == ',' { "comma" } else { "point" };
    match format.groups() {
        None => format!("numbers with a decimal {point}"),
        Some(groups) => {
            let groups = match groups {
                ',' => "commas",
                '.' => "points",
                '\'' | '\u{2019}' => "apostrophes",
                _ => "spaces",
            };
            format!("numbers with a decimal {point} and {groups} between thousands")
        }
    }
}

fn is_boolean(values: &[(&str, u64)]) -> bool {
    const OPPOSITES: [[&str; 2]; 5] =
        [["false", "true"], ["no", "yes"], ["f", "t"], ["n", "y"], ["0", "1"]];
    // `True` and `TRUE` may both occur, but not much more than that.
    if values.len() > 6 {
        return false;
    }
    let mut found: Vec<String> = values.iter().map(|(value, _)| value.to_lowercase()).collect();
    found.sort_unstable();
    found.dedup();
    OPPOSITES.iter().any(|pair| found == *pair)
}

/// Whether a value could be a code: digits, and in postal codes also what joins them.
fn is_code(value: &str, name: &NameWords) -> bool {
    let joins = |byte: u8| matches!(byte, b'-' | b' ') && name.has(POSTAL).is_some();
    value.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_digit() || joins(byte))
}

/// Whether values made of digits are codes rather than numbers.
fn is_name_of_digits(values: &[(&str, u64)], name: &NameWords) -> bool {
    name.has(POSTAL).is_some()
        || values.iter().any(|(value, _)| value.len() > 1 && value.starts_with('0'))
}

/// If all but a few rows hold numbers: which values do not, since they probably mean "missing".
fn not_quite_numbers(values: &[(&str, u64)]) -> Option<String> {
    const FEW: f64 = 0.1;
    let rows: u64 = values.iter().map(|(_, count)| count).sum();
    let others: Vec<&(&str, u64)> =
        values.iter().filter(|(value, _)| Scale::default().read(value).is_none()).collect();
    let affected: u64 = others.iter().map(|(_, count)| count).sum();
    if affected as f64 > FEW * rows as f64 {
        return None;
    }
    let most = others.iter().max_by(|one, two| one.1.cmp(&two.1).then(two.0.cmp(one.0)))?;
    let (verb, more) = match others.len() {
        1 => ("is", String::new()),
        2 => ("are", " and 1 other value".to_owned()),
        n => ("are", format!(" and {} other values", n - 1)),
    };
    let value = super::shown(most.0);
    Some(format!("numbers but for `{value}`{more}, which {verb} perhaps meant as missing"))
}

/// A range that is not known where values have no certain order.
type ValueRange = Option<(String, String)>;

/// What a column of dates is like; none if it holds anything else.
fn dates(values: &[(&str, u64)]) -> Option<InferredKind> {
    let texts: Vec<&str> = values.iter().map(|(value, _)| *value).collect();
    let found = match detect_dates(&texts, None) {
        DetectedDates::Nothing => return None,
        DetectedDates::Ambiguous(found) => {
            let [(one, _), (other, _)] = &found.readings;
            let note = format!(
                "the dates can be read in two ways: {}; name one with --date-format {one} or {other}",
                found.describe()
            );
            let (kind, note) = (ValueKind::Date, Some(note));
            return Some(InferredKind { kind, range: None, date_format: None, note });
        }
        DetectedDates::Dates(found) => found,
    };
    Some(as_found(found, &texts))
}

/// What a column is like that is said to hold dates in a form; none if it does not.
pub(super) fn dates_in(values: &[(&str, u64)], form: &DateFormat) -> Option<InferredKind> {
    let texts: Vec<&str> = values.iter().map(|(value, _)| *value).collect();
    let found = read_dates("", &texts, form).ok().filter(|_| !texts.is_empty())?;
    Some(as_found(found, &texts))
}

fn as_found(found: DateColumn, texts: &[&str]) -> InferredKind {
    let days = found.scale.resolution == Some(DateUnit::Day);
    let place = |at: &usize| (found.moments[*at], texts[*at]);
    let text = |at: usize| texts[at].trim().to_owned();
    let least = (0..texts.len()).min_by_key(place).map(text);
    let greatest = (0..texts.len()).max_by_key(place).map(text);
    let note = found.short_year.map(|example| {
        let pivot = YEAR_PIVOT;
        format!(
            "years of two digits, as in `{}`: below {pivot} they mean 20.., others 19..",
            super::shown(&example)
        )
    });
    InferredKind {
        kind: if days { ValueKind::Date } else { ValueKind::Time },
        range: least.zip(greatest),
        date_format: Some(found.scale.format.to_string()),
        note,
    }
}
