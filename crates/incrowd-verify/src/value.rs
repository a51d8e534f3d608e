//! When two strings are the same value.

use std::collections::BTreeSet;

/// The strings that stand for a missing value. Outer white space does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing(BTreeSet<String>);

impl Missing {
    /// Exactly these strings stand for a missing value.
    pub fn new<S: Into<String>>(tokens: impl IntoIterator<Item = S>) -> Self {
        Missing(tokens.into_iter().map(|token| token.into().trim().to_owned()).collect())
    }

    /// The strings, trimmed and in order.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether a string stands for a missing value.
    pub fn contains(&self, value: &str) -> bool {
        self.0.contains(value.trim())
    }
}

impl Default for Missing {
    /// The empty string, `NA`, `N/A`, `NaN`, `NULL`, `null` and `?`.
    fn default() -> Self {
        Missing::new(["", "NA", "N/A", "NaN", "NULL", "null", "?"])
    }
}

/// The form that two strings share exactly when they are the same value. All missing tokens have
/// one form, numbers one form for each number (worked out on the decimal digits, so that long
/// numbers are not rounded together), other strings their trimmed selves. The first letter keeps
/// the three apart.
pub(crate) fn canonical(value: &str, missing: &Missing) -> String {
    if missing.contains(value) {
        return "m".to_owned();
    }
    let value = value.trim();
    decimal(value).unwrap_or_else(|| format!("s{value}"))
}

/// The digits of a decimal number without anything that does not change it: `n-15e-1` for `-1.50`.
fn decimal(text: &str) -> Option<String> {
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => {
            let exponent = &rest[at + 1..];
            let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            (&rest[..at], exponent.parse::<i32>().ok()?)
        }
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty()
        || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    let exponent = i64::from(exponent) - fraction.len() as i64 + (digits.len() - kept.len()) as i64;
    match kept.trim_start_matches('0') {
        "" => Some("n0".to_owned()),
        digits => Some(format!("n{}{digits}e{exponent}", if negative { "-" } else { "" })),
    }
}

/// The number a string stands for, if it is a decimal number within the range of a double.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    // Rust also reads "inf" and "nan"; for a table these are words.
    if !text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E')) {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        canonical(a, &Missing::default()) == canonical(b, &Missing::default())
    }

    #[test]
    fn numbers_are_equal_as_numbers() {
        for (a, b) in [
            ("1.50", "1.5"),
            ("100", "1e2"),
            ("-0", "0.00"),
            ("+7", "7."),
            (".5", "0.5"),
            ("1200e-2", "12"),
            (" 3", "3"),
            ("007", "7"),
        ] {
            assert!(same(a, b), "{a} and {b}");
        }
        for (a, b) in [
            ("1.5", "15"),
            ("-1", "1"),
            ("1e2", "1e3"),
            ("9007199254740993", "9007199254740992"),
            ("1e", "1"),
            ("e5", "0"),
            (".", "0"),
            ("1e+-2", "100"),
            ("-", "0"),
        ] {
            assert!(!same(a, b), "{a} and {b}");
        }
    }

    #[test]
    fn missing_tokens_are_one_value() {
        assert!(same("", "NA"));
        assert!(same(" ? ", "null"));
        assert!(!same("na", "NA"));
        assert!(!same("m", ""));
        let only_dash = Missing::new(["-"]);
        assert_ne!(canonical("NA", &only_dash), canonical("", &only_dash));
    }

    #[test]
    fn words_that_floats_know_are_not_numbers() {
        for word in ["inf", "nan", "Infinity", "1e999", "", "e", "0x10", "1_000"] {
            assert_eq!(number(word), None, "{word}");
        }
        assert_eq!(number("-1.5e3"), Some(-1500.0));
    }
}
