//! What kind of values a column holds.

use incrowd::value::{Bounds, Detected, NumberFormat, Scale, detect};
use serde::Serialize;

use super::words::{POSTAL, Words};

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
    /// Days, with or without a time.
    Date,
    /// Anything else.
    Text,
}

impl ValueKind {
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
            ValueKind::Text => "text",
        }
    }
}

/// What a column's values turn out to be.
#[derive(Debug)]
pub(super) struct Inferred {
    pub(super) kind: ValueKind,
    /// The least and the greatest value as written, where there is an order.
    pub(super) range: Range,
    /// Something about the values that the user should know.
    pub(super) note: Option<String>,
}

/// Looks at a column's distinct values, missing ones left out, with their counts.
pub(super) fn infer(values: &[(&str, u64)], name: &Words) -> Inferred {
    let plain = |kind| Inferred { kind, range: None, note: None };
    if values.is_empty() {
        return plain(ValueKind::Empty);
    }
    if is_boolean(values) {
        return plain(ValueKind::Boolean);
    }
    if values.iter().all(|(value, _)| is_code(value, name)) && is_name_of_digits(values, name) {
        return plain(ValueKind::Code);
    }
    if let Some(range) = date_range(values) {
        return Inferred { kind: ValueKind::Date, range, note: None };
    }
    let text = |note| Inferred { kind: ValueKind::Text, range: None, note };
    let format = match detect(values.iter().map(|(value, _)| *value), None) {
        Detected::Numbers(format) => format,
        Detected::Ambiguous(readings) => {
            let [(_, one), (_, two)] = &readings.ways;
            let value = super::shown(&readings.value);
            return text(Some(format!(
                "numbers that can be read in two ways: `{value}` is {one} or {two}; say which with --decimal"
            )));
        }
        Detected::Text => return text(not_quite_numbers(values)),
    };
    let scale = Scale::Numbers(format);
    let numbers: Vec<Bounds> =
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
    Inferred { kind: if whole { ValueKind::Integer } else { ValueKind::Number }, range, note }
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
fn is_code(value: &str, name: &Words) -> bool {
    let joins = |byte: u8| matches!(byte, b'-' | b' ') && name.has(POSTAL).is_some();
    value.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_digit() || joins(byte))
}

/// Whether values made of digits are codes rather than numbers.
fn is_name_of_digits(values: &[(&str, u64)], name: &Words) -> bool {
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

/// The ways to write a day that are understood: where year, month and day of the month stand.
const DATE_FORMS: [[usize; 3]; 3] = [[0, 1, 2], [2, 1, 0], [2, 0, 1]];

/// A range that is not known where values have no certain order.
type Range = Option<(String, String)>;

/// If all values are days in the same form: the first and the last of them. They are not known if
/// days and months could be mixed up.
fn date_range(values: &[(&str, u64)]) -> Option<Range> {
    let mut ranges = DATE_FORMS.iter().filter_map(|form| {
        let keys: Option<Vec<DateKey<'_>>> =
            values.iter().map(|(value, _)| date_key(value.trim(), form)).collect();
        let keys = keys?;
        let least = (0..keys.len()).min_by_key(|&at| keys[at])?;
        let greatest = (0..keys.len()).max_by_key(|&at| keys[at])?;
        Some((values[least].0.to_owned(), values[greatest].0.to_owned()))
    });
    let range = ranges.next()?;
    Some(ranges.next().is_none().then_some(range))
}

/// Year, month, day of the month, and the time as written.
type DateKey<'a> = (u32, u32, u32, &'a str);

/// What a value says that starts with a day in the given form.
fn date_key<'a>(value: &'a str, form: &[usize; 3]) -> Option<DateKey<'a>> {
    let (day, time) = value.split_once(['T', ' ']).unwrap_or((value, ""));
    let is_time = |time: &str| time.starts_with(|c: char| c.is_ascii_digit()) && time.contains(':');
    if !time.is_empty() && !is_time(time) {
        return None;
    }
    let separator = day.chars().find(|c| !c.is_ascii_digit())?;
    if !matches!(separator, '-' | '/' | '.') {
        return None;
    }
    let mut parts = day.split(separator);
    let texts = [parts.next()?, parts.next()?, parts.next()?];
    let is_digits = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if parts.next().is_some() || !texts.iter().all(is_digits) {
        return None;
    }
    let [year, month, date] = form.map(|at| texts[at]);
    if year.len() != 4 || month.len() > 2 || date.len() > 2 {
        return None;
    }
    let [year, month, date]: [u32; 3] =
        [year.parse().ok()?, month.parse().ok()?, date.parse().ok()?];
    let days = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&date).then_some((year, month, date, time))
}
