//! What a released label says about exact values.

use std::collections::BTreeSet;

use incrowd_engine::value::{BLANK, MISSING_TOKENS, parse_number};

use super::features::interval;

/// A released label, or the two that show a minimum and a maximum.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ParsedLabel {
    /// Anything: `*`.
    Any,
    /// No value.
    Missing,
    /// Numbers from one to another: `37`, `[25-28]`, `90+`.
    Numbers(f64, f64),
    /// Any of these: `{a, b}`.
    Set(BTreeSet<String>),
    /// Any text from one to another in the order of the alphabet: `{a, ..., b}`.
    Between(String, String),
    /// Codes that begin so: `981**` or `9811*`, with the length of the codes in the first case.
    Prefix(String, Option<usize>),
    /// Days and times between two periods: `[2018-04 to 2018-09]`.
    Times(String, String),
    /// Anything else: a value, a period, or a node of a hierarchy.
    Text(String),
}

impl ParsedLabel {
    pub(super) fn read(texts: &[&str]) -> Self {
        if let [low, high] = texts {
            return match (ParsedLabel::read(&[low]), ParsedLabel::read(&[high])) {
                (ParsedLabel::Numbers(low, _), ParsedLabel::Numbers(_, high)) => {
                    ParsedLabel::Numbers(low, high)
                }
                (ParsedLabel::Missing, _) | (_, ParsedLabel::Missing) => ParsedLabel::Missing,
                _ => ParsedLabel::Any,
            };
        }
        let text = texts.first().map_or("", |text| text.trim());
        if text == BLANK {
            return ParsedLabel::Any;
        }
        if is_missing(text) {
            return ParsedLabel::Missing;
        }
        if let Some((low, high)) = interval(text) {
            return ParsedLabel::Numbers(low, high);
        }
        if let Some((low, high)) = inner(text, '[', ']').and_then(|inner| inner.split_once(" to "))
        {
            return ParsedLabel::Times(low.trim().to_owned(), high.trim().to_owned());
        }
        if let Some(inner) = inner(text, '{', '}') {
            let elements = elements(inner);
            if let [low, dots, high] = &elements[..]
                && dots == "..."
            {
                return ParsedLabel::Between(low.clone(), high.clone());
            }
            return ParsedLabel::Set(elements.into_iter().collect());
        }
        let kept = text.trim_end_matches('*');
        match text.len() - kept.len() {
            0 => ParsedLabel::Text(text.to_owned()),
            // One mask stands for one character or for any number of them.
            1 => ParsedLabel::Prefix(kept.to_owned(), None),
            masked => ParsedLabel::Prefix(kept.to_owned(), Some(kept.chars().count() + masked)),
        }
    }

    /// Whether it may stand for a value, which may be released as any of these groups, too.
    pub(super) fn holds(&self, value: &str, groups: &[String]) -> bool {
        let value = value.trim();
        match self {
            ParsedLabel::Any => true,
            ParsedLabel::Missing => is_missing(value),
            ParsedLabel::Numbers(low, high) => {
                // Four digits may be a year.
                let year = || low == high && within(value, &format!("{low}"));
                parse_number(value).is_some_and(|number| (*low..=*high).contains(&number))
                    || year()
                    || groups.iter().any(|group| ParsedLabel::read(&[group]) == *self)
            }
            ParsedLabel::Set(values) => {
                // An element may be a range itself.
                let within = |element: &String| {
                    element.starts_with('[') && ParsedLabel::read(&[element]).holds(value, &[])
                };
                values.contains(value)
                    || groups.iter().any(|group| values.contains(group))
                    || values.iter().any(within)
            }
            ParsedLabel::Between(low, high) => {
                !is_missing(value) && (low.as_str()..=high.as_str()).contains(&value)
            }
            ParsedLabel::Prefix(kept, length) => {
                value.starts_with(kept.as_str())
                    && length.is_none_or(|length| value.chars().count() == length)
            }
            ParsedLabel::Times(low, high) => {
                let reaches = |bound: &str| value.get(..bound.len()).unwrap_or(value);
                reaches(low) >= low.as_str() && reaches(high) <= high.as_str()
            }
            ParsedLabel::Text(text) => {
                value == text || groups.iter().any(|group| group == text) || within(value, text)
            }
        }
    }

    /// How far a number is from the range.
    pub(super) fn distance(&self, number: f64) -> Option<f64> {
        match self {
            ParsedLabel::Numbers(low, high) => Some((low - number).max(number - high).max(0.0)),
            _ => None,
        }
    }
}

fn is_missing(text: &str) -> bool {
    MISSING_TOKENS.contains(&text.trim())
}

fn inner(text: &str, open: char, close: char) -> Option<&str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

/// Whether an ISO date lies in a period: `2018-04`, `2018`, `2018-Q2`, `2010s`.
fn within(value: &str, period: &str) -> bool {
    let (Some(year), Some(month)) = (value.get(..4), value.get(5..7)) else { return false };
    if value.as_bytes()[4] != b'-' || !year.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    if let Some(decade) = period.strip_suffix("0s") {
        return decade.len() == 3 && year.starts_with(decade);
    }
    if let Some((of, quarter)) = period.split_once("-Q") {
        let number = month.parse::<u32>().ok().map(|month| month.div_ceil(3).to_string());
        return of == year && number.as_deref() == Some(quarter);
    }
    let length = period.len();
    matches!(length, 4 | 7 | 10) && value.starts_with(period) && value.len() > length
}

/// The elements of a set, quoted ones without their quotes.
fn elements(inner: &str) -> Vec<String> {
    let mut elements = Vec::new();
    let mut rest = inner.trim();
    while !rest.is_empty() {
        let (element, behind) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let mut text = String::new();
                let mut quoted = quoted;
                loop {
                    let (part, behind) = quoted.split_once('"').unwrap_or((quoted, ""));
                    text.push_str(part);
                    match behind.strip_prefix('"') {
                        Some(more) => {
                            text.push('"');
                            quoted = more;
                        }
                        None => break (text, behind),
                    }
                }
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].trim().to_owned(), &rest[end..])
            }
        };
        elements.push(element);
        rest = behind.trim_start().trim_start_matches(',').trim_start();
    }
    elements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_hold_the_values_that_they_stand_for() {
        for (label, yes, no) in [
            ("37", &["37", "37.0"][..], &["38", "x", ""][..]),
            ("[25-28]", &["25", "26.5", "28"], &["24", "29"]),
            ("[-5--2]", &["-5", "-2", "-3"], &["2", "0"]),
            ("90+", &["90", "104"], &["89"]),
            ("{a, \"b, c\", \"say \"\"hi\"\"\"}", &["a", "b, c", "say \"hi\""], &["b", "c"]),
            ("{[16-20], [31-35]}", &["16", "33"], &["25"]),
            ("{b, ..., k}", &["b", "c", "k"], &["a", "l", ""]),
            ("981**", &["98112", "98199"], &["98212", "981123"]),
            ("9811*", &["98112", "98112-1234"], &["98122"]),
            ("*", &["x", "", "7"], &[]),
            ("", &["", "NA", " "], &["x"]),
            ("2018-04", &["2018-04", "2018-04-30", "2018-04-01T10:00:00"], &["2018-05-01", "2018"]),
            ("2018", &["2018-04-30", "2018"], &["2019-01-01"]),
            ("2018-Q2", &["2018-04-30", "2018-06-01"], &["2018-07-01", "2017-04-01"]),
            ("2010s", &["2018-04-30"], &["2008-04-30"]),
            ("[2018-04 to 2018-09]", &["2018-04-01", "2018-09-30"], &["2018-03-31", "2018-10-01"]),
            ("Europe", &["Europe"], &["Germany"]),
        ] {
            let read = ParsedLabel::read(&[label]);
            for value in yes {
                assert!(read.holds(value, &[]), "{label} holds {value:?}");
            }
            for value in no {
                assert!(!read.holds(value, &[]), "{label} does not hold {value:?}");
            }
        }
        assert!(
            ParsedLabel::read(&["Europe"]).holds("DE", &["Western Europe".into(), "Europe".into()])
        );
        assert!(ParsedLabel::read(&["20", "29"]).holds("25", &[]));
        assert!(!ParsedLabel::read(&["20", "29"]).holds("30", &[]));
        assert_eq!(ParsedLabel::read(&["[20-29]"]).distance(33.0), Some(4.0));
    }
}
