//! What texts look like: addresses, telephone numbers, times, hashes, prose.

use crate::thresholds::{LOOKS_ALIKE, TEXT_LENGTH, TEXT_WORDS};

/// What nearly all values of a column look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentKind {
    /// Addresses, numbers and marks that belong to one person or thing, in words for a sentence.
    Mark(&'static str),
    /// A time of the day, alone or behind a date.
    Time,
    /// A point on the map.
    Point,
    /// Sentences.
    Prose,
    /// Codes: short, with a digit, in one piece.
    Coded,
    /// Nothing in particular.
    Other,
}

/// Values that are looked at: more tell nothing new.
const LOOKED_AT: usize = 2_000;

/// What the distinct values of a column look like.
pub(super) fn content(values: &[(&str, u64)]) -> ContentKind {
    // By the values themselves, not by their order, which depends on how they were read.
    let every = (values.len() / LOOKED_AT + 1) as u64;
    let some: Vec<&str> = values
        .iter()
        .map(|&(value, _)| value.trim())
        .filter(|value| every == 1 || mixed(value).is_multiple_of(every))
        .collect();
    if some.is_empty() {
        return ContentKind::Other;
    }
    let alike = |looks: fn(&str) -> bool| {
        some.iter().filter(|value| looks(value)).count() as f64 >= LOOKS_ALIKE * some.len() as f64
    };
    type Mark = (&'static str, fn(&str) -> bool);
    const MARKS: [Mark; 8] = [
        ("e-mail addresses", is_email),
        ("web addresses", is_url),
        ("UUIDs", is_uuid),
        ("network addresses", is_ip),
        ("hardware addresses", is_mac),
        ("social security numbers", is_ssn),
        ("telephone numbers", is_phone),
        ("hashes", is_hash),
    ];
    if let Some((what, _)) = MARKS.iter().find(|(_, looks)| alike(*looks)) {
        return ContentKind::Mark(what);
    }
    if alike(|value| time_of_day(value).is_some()) {
        let mut times = some.iter().filter_map(|value| time_of_day(value));
        let first = times.next();
        // Days that are written with a midnight behind them are days.
        if times.any(|time| Some(time) != first) {
            return ContentKind::Time;
        }
    }
    if alike(is_point) {
        return ContentKind::Point;
    }
    let words: usize = some.iter().map(|value| value.split_whitespace().count()).sum();
    let length: usize = some.iter().map(|value| value.chars().count()).sum();
    let mean = |sum: usize| sum as f64 / some.len() as f64;
    if mean(words) >= TEXT_WORDS || (mean(length) >= TEXT_LENGTH && mean(words) > 1.5) {
        return ContentKind::Prose;
    }
    if alike(is_code) {
        return ContentKind::Coded;
    }
    ContentKind::Other
}

/// A number that looks random and is the same in every run.
fn mixed(value: &str) -> u64 {
    use std::hash::BuildHasher;
    foldhash::fast::FixedState::default().hash_one(value) >> 20
}

/// A code that may stand for somebody; years, bands and dates have their own look.
fn is_code(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    digits > 0
        && value.len() <= 20
        && !value.contains(char::is_whitespace)
        && !value.contains(['-', '+', '<', '>', '/', '[', '.', '%', ':'])
}

fn is_email(value: &str) -> bool {
    let Some((name, domain)) = value.split_once('@') else { return false };
    !name.is_empty() && !value.contains(char::is_whitespace) && domain.contains('.')
}

fn is_url(value: &str) -> bool {
    let lower = value.get(..8.min(value.len())).unwrap_or_default().to_ascii_lowercase();
    ["http://", "https://", "ftp://", "www."].iter().any(|start| lower.starts_with(start))
}

fn is_uuid(value: &str) -> bool {
    let lengths: Vec<usize> = value.trim_matches(['{', '}']).split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12]
        && value.bytes().all(|byte| byte.is_ascii_hexdigit() || b"-{}".contains(&byte))
}

fn is_ip(value: &str) -> bool {
    value.parse::<std::net::IpAddr>().is_ok()
}

fn is_mac(value: &str) -> bool {
    value.len() == 17
        && value.split([':', '-']).count() == 6
        && value
            .split([':', '-'])
            .all(|part| part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_ssn(value: &str) -> bool {
    let lengths: Vec<usize> = value.split('-').map(str::len).collect();
    lengths == [3, 2, 4] && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

fn is_phone(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let others = value.bytes().filter(|byte| !byte.is_ascii_digit());
    let joined = others.clone().all(|byte| b"+-() ./".contains(&byte));
    // With four digits first it is a date; with one separator it may be a number.
    let date =
        value.split(['-', '/', '.', ' ']).filter(|part| part.len() == 4).count() > 0 && digits <= 8;
    let marked = value.starts_with(['+', '(']) || others.clone().count() >= 2;
    (joined && marked && (10..=15).contains(&digits) && !date)
        || (digits == 7 && value.len() == 8 && value.as_bytes()[3] == b'-')
}

fn is_hash(value: &str) -> bool {
    let hex = value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let mixed_case = value.bytes().any(|byte| byte.is_ascii_uppercase())
        && value.bytes().any(|byte| byte.is_ascii_lowercase());
    let token = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte));
    (hex && letters && digits && value.len() >= 12)
        || (token && mixed_case && digits && value.len() >= 20)
}

/// The time of the day that a value ends with, if it is written with hours and minutes.
fn time_of_day(value: &str) -> Option<&str> {
    let colon = value.find(':')?;
    let bytes = value.as_bytes();
    let start = (colon.saturating_sub(2)..colon).find(|&at| bytes[at].is_ascii_digit())?;
    let minutes = bytes.get(colon + 1..colon + 3)?;
    let before = start == 0 || !bytes[start - 1].is_ascii_digit();
    (before && minutes.iter().all(u8::is_ascii_digit)).then(|| &value[start..])
}

fn is_point(value: &str) -> bool {
    let inner = value.trim_start_matches(|c: char| c.is_alphabetic() || c == ' ');
    let inner = inner.trim_matches(['(', ')', '[', ']']);
    let parts: Vec<&str> = inner.split([',', ' ', ';']).filter(|part| !part.is_empty()).collect();
    let degree = |part: &&str| {
        part.contains('.') && part.parse::<f64>().is_ok_and(|number| number.abs() <= 180.0)
    };
    parts.len() == 2 && parts.iter().all(degree)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> ContentKind {
        let values: Vec<(&str, u64)> = values.iter().map(|&value| (value, 1)).collect();
        content(&values)
    }

    #[test]
    fn marks_are_known_by_their_look() {
        for (what, values) in [
            ("e-mail addresses", &["ann@example.org", "bob.b@mail.example.com"][..]),
            ("web addresses", &["https://example.org/a", "www.example.org"]),
            ("UUIDs", &["123e4567-e89b-12d3-a456-426614174000"]),
            ("network addresses", &["192.0.2.1", "2001:db8::1"]),
            ("hardware addresses", &["00:1b:44:11:3a:b7"]),
            ("social security numbers", &["123-45-6789"]),
            ("telephone numbers", &["+49 341 1234567", "(608) 555-0123", "608-555-0199"]),
            ("telephone numbers", &["555-0123", "555-0188"]),
            ("hashes", &["5f4dcc3b5aa765d61d8327deb882cf99", "098f6bcd4621d373cade4e832627b4f6"]),
            ("hashes", &["a3f9c17be024", "77ab01c9de13"]),
        ] {
            assert_eq!(of(values), ContentKind::Mark(what), "{values:?}");
        }
    }

    #[test]
    fn times_points_and_prose_are_told_from_other_texts() {
        assert_eq!(of(&["2018-04-01 12:33:05", "2018-04-02T07:10:00Z"]), ContentKind::Time);
        assert_eq!(of(&["4/1/2018 9:33", "4/2/2018 14:02"]), ContentKind::Time);
        assert_eq!(of(&["09:33", "14:02"]), ContentKind::Time);
        assert_eq!(of(&["2018-04-01 00:00:00", "2018-04-02 00:00:00"]), ContentKind::Other);
        assert_eq!(of(&["43.073051, -89.40123", "(43.1, -89.2)"]), ContentKind::Point);
        assert_eq!(of(&["POINT (-89.401 43.073)"]), ContentKind::Point);
        assert_eq!(
            of(&["came with her son, was tired", "has to come back in May"]),
            ContentKind::Prose
        );
        for values in [
            &["strongly agree", "agree", "neither", "disagree"][..],
            &["53711-1234", "53703-0001"],
            &["2018-04-01", "2018-04-02"],
            &["01/04/2018", "02/04/2018"],
            &["12.5", "13.75"],
            &["flu", "asthma"],
            &["A01.1", "C50.9"],
            &["1.234,50", "980,00"],
            &["Sun Prairie", "Green Bay"],
            &["[25-34]", "[35-44]"],
        ] {
            assert_eq!(of(values), ContentKind::Other, "{values:?}");
        }
    }

    #[test]
    fn many_values_are_judged_by_some() {
        let values: Vec<String> = (0..30_000).map(|at| format!("p{at}@example.org")).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        assert_eq!(of(&values), ContentKind::Mark("e-mail addresses"));
    }
}
