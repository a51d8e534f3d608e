//! The small notations that a spec and the command line share: `2%`, `60s`, `age=5@16`.

use incrowd_engine::value::Decimal;
use std::fmt;
use std::time::Duration;

use crate::{Error, Result};

/// How many rows a release may leave out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SuppressionLimit {
    /// So many rows.
    Rows(u64),
    /// So many of a hundred rows, from 0 to 100.
    Percent(f64),
    /// Any number of rows.
    All,
}

impl SuppressionLimit {
    /// The limit as a number of rows of a table with `total` rows; shares are rounded down.
    pub fn rows(self, total: u64) -> u64 {
        match self {
            SuppressionLimit::Rows(rows) => rows.min(total),
            // The tiny lift keeps 4.35% of 10,000 at 435 although 4.35 has no exact binary form.
            SuppressionLimit::Percent(percent) => {
                ((percent * total as f64 / 100.0 * (1.0 + 1e-12)) as u64).min(total)
            }
            SuppressionLimit::All => total,
        }
    }
}

impl From<SuppressionLimit> for incrowd_engine::Limit {
    fn from(limit: SuppressionLimit) -> Self {
        match limit {
            SuppressionLimit::Rows(rows) => incrowd_engine::Limit::Rows(rows),
            SuppressionLimit::Percent(percent) => incrowd_engine::Limit::Share(percent / 100.0),
            SuppressionLimit::All => incrowd_engine::Limit::All,
        }
    }
}

impl fmt::Display for SuppressionLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SuppressionLimit::Rows(rows) => write!(f, "{rows}"),
            SuppressionLimit::Percent(percent) => write!(f, "{percent}%"),
            SuppressionLimit::All => f.write_str("all"),
        }
    }
}

/// Reads `0`, `100`, `2%`, `0.5%` or `all`.
pub fn parse_limit(text: &str) -> Result<SuppressionLimit> {
    const HELP: &str = "write a number of rows such as 100, a share such as 2%, or all";
    let text = text.trim();
    if text.eq_ignore_ascii_case("all") {
        return Ok(SuppressionLimit::All);
    }
    if let Some(percent) = text.strip_suffix('%') {
        return match decimal(percent.trim_end()) {
            Some(percent) if percent <= 100.0 => Ok(SuppressionLimit::Percent(percent)),
            Some(_) => Err(Error::new(format!("`{text}` is more than all rows"))
                .help("a share goes from 0% to 100%")),
            None => Err(Error::new(format!("`{text}` is not a share of the rows")).help(HELP)),
        };
    }
    if let Ok(rows) = text.parse() {
        return Ok(SuppressionLimit::Rows(rows));
    }
    let error = Error::new(format!("`{text}` is not a limit on suppressed rows"));
    Err(match decimal(text) {
        Some(share) if share < 1.0 => error.help(format!("a share is written {}", percent(share))),
        _ => error.help(HELP),
    })
}

/// Reads a share above 0 and at most 1, as a number or a percentage: `0.05` or `5%`.
pub fn parse_share(text: &str) -> Result<f64> {
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(percent) => (percent.trim(), 100.0),
        None => (text.trim(), 1.0),
    };
    match incrowd_engine::value::parse_number(number).map(|number| number / scale) {
        Some(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err(Error::new(format!("`{text}` is not a share"))
            .help("write a share above 0 and at most 1, such as 0.05 or 5%")),
    }
}

/// A share as a percentage without the noise of binary fractions.
pub(super) fn percent(share: f64) -> String {
    format!("{}%", (share * 1e8).round() / 1e6)
}

/// A number in digits with an optional point: no sign, exponent, infinity or NaN.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if plain { text.parse().ok() } else { None }
}

/// The units of [`parse_duration`] in milliseconds.
const UNITS: [(&str, f64); 4] = [("ms", 1.0), ("s", 1e3), ("m", 60e3), ("h", 3600e3)];

/// The longest time limit, a year: deadlines beyond it could not be computed with.
const LONGEST_MS: f64 = 365.0 * 24.0 * 3600e3;

/// Reads `500ms`, `60s`, `1.5m` or `2h`, to the millisecond.
pub fn parse_duration(text: &str) -> Result<Duration> {
    const HELP: &str = "write a number with its unit (ms, s, m or h), such as 60s";
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start();
    let Some(number) = decimal(number) else {
        return Err(Error::new(format!("`{text}` is not a time")).help(HELP));
    };
    if unit.is_empty() {
        return Err(Error::new(format!("`{text}` has no unit"))
            .help(format!("for seconds write {text}s; ms, m and h are known too")));
    }
    let Some((_, milliseconds)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(Error::new(format!("unknown unit `{unit}` in `{text}`")).help(HELP));
    };
    let total = (number * milliseconds).round();
    if total < 1.0 {
        return Err(Error::new(format!("`{text}` is less than the shortest time"))
            .help("write at least 1ms"));
    }
    if total > LONGEST_MS {
        return Err(Error::new(format!("`{text}` is longer than a year"))
            .help("leave the limit out to search without one"));
    }
    Ok(Duration::from_millis(total as u64))
}

/// A duration as [`parse_duration`] reads it: whole seconds where possible, else milliseconds.
pub fn duration_text(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{}s", duration.as_secs())
    } else {
        format!("{}ms", duration.as_millis())
    }
}

/// Reads a decimal sign.
pub fn parse_decimal_sign(text: &str) -> Result<char> {
    match text {
        "," => Ok(','),
        "." => Ok('.'),
        _ => Err(Error::new(format!("`{text}` is not a decimal sign"))
            .help("it is `,` or `.`: a comma in 33,9 and a point in 33.9")),
    }
}

/// Reads a number exactly as it is written, with a decimal point.
pub fn parse_exact(text: &str) -> Result<Decimal> {
    Decimal::parse(text).ok_or_else(|| {
        Error::new(format!("`{text}` is not a number"))
            .help("write it with a decimal point and at most 38 digits, such as 90 or 2.5")
    })
}

/// Reads `column=VALUE`, splitting at the first `=`; neither side may be empty.
pub fn parse_assignment(text: &str) -> Result<(String, String)> {
    match text.split_once('=') {
        Some((column, value)) if !column.is_empty() && !value.is_empty() => {
            Ok((column.to_owned(), value.to_owned()))
        }
        _ => Err(Error::new(format!("`{text}` lacks a name or a value"))
            .help("write NAME=VALUE, without spaces around the `=`")),
    }
}

/// Reads the character between fields: itself, or `tab` (also `\t`).
pub fn parse_delimiter(text: &str) -> Result<char> {
    let error =
        |message: String| Error::new(message).help("usual ones are `,`, `;`, `|` and `tab`");
    if matches!(text, "tab" | r"\t") {
        return Ok('\t');
    }
    let mut characters = text.chars();
    let (Some(delimiter), None) = (characters.next(), characters.next()) else {
        return Err(error(format!("the delimiter must be one character, not `{text}`")));
    };
    if !delimiter.is_ascii() {
        return Err(error(format!("the delimiter must be an ASCII character, not `{delimiter}`")));
    }
    if delimiter.is_ascii_alphanumeric()
        || matches!(delimiter, '"' | '.' | '-' | '+')
        || (delimiter.is_ascii_control() && delimiter != '\t')
    {
        return Err(error(format!(
            "`{}` cannot be the delimiter, because values contain it",
            delimiter.escape_default()
        )));
    }
    Ok(delimiter)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn limits_are_rows_shares_or_all() {
        for (text, limit, of_1000) in [
            ("0", SuppressionLimit::Rows(0), 0),
            ("100", SuppressionLimit::Rows(100), 100),
            ("5000", SuppressionLimit::Rows(5000), 1000),
            ("2%", SuppressionLimit::Percent(2.0), 20),
            (" 0.15 % ", SuppressionLimit::Percent(0.15), 1),
            ("100%", SuppressionLimit::Percent(100.0), 1000),
            ("ALL", SuppressionLimit::All, 1000),
        ] {
            let read = parse_limit(text).unwrap();
            assert_eq!((read, read.rows(1000)), (limit, of_1000), "{text}");
            assert_eq!(parse_limit(&read.to_string()), Ok(read));
        }
        assert_eq!(parse_limit("4.35%").unwrap().rows(10_000), 435);
        assert_eq!(parse_limit("29%").unwrap().rows(100), 29);
        for bad in ["", "-1", "101%", "%", "-2%", "nan%", "1e1%", "inf%", "many", "1.5", "2%%"] {
            assert!(parse_limit(bad).unwrap_err().help.is_some(), "{bad}");
        }
        let share = parse_limit("0.5").unwrap_err();
        assert_eq!(share.help.as_deref(), Some("a share is written 50%"));
    }

    #[test]
    fn durations_have_a_unit_and_a_sensible_size() {
        for (text, milliseconds) in
            [("60s", 60_000), ("500ms", 500), ("1.5m", 90_000), ("2 h", 7_200_000), (".5s", 500)]
        {
            let read = parse_duration(text).unwrap();
            assert_eq!(read, Duration::from_millis(milliseconds), "{text}");
            assert_eq!(parse_duration(&duration_text(read)), Ok(read));
        }
        for bad in ["", "60", "s", "-1s", "0s", "0.1ms", "1d", "1e9h", "99999999h", "1.2.3s", "."] {
            assert!(parse_duration(bad).unwrap_err().help.is_some(), "{bad}");
        }
    }

    #[test]
    fn assignments_split_at_the_first_equals_sign() {
        let pair = ("zip".to_owned(), "a=b.csv".to_owned());
        assert_eq!(parse_assignment("zip=a=b.csv"), Ok(pair));
        for bad in ["", "zip", "zip=", "=file"] {
            assert!(parse_assignment(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn delimiters_are_single_characters_that_values_do_not_contain() {
        for (text, delimiter) in
            [(",", ','), ("tab", '\t'), ("\\t", '\t'), ("\t", '\t'), (" ", ' ')]
        {
            assert_eq!(parse_delimiter(text), Ok(delimiter));
        }
        for bad in ["", ",,", "ä", "a", "7", "\"", "\n", "."] {
            assert!(parse_delimiter(bad).is_err(), "{bad}");
        }
    }
}
