//! When two strings are the same value.

use std::collections::BTreeSet;

use crate::number::Style;

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
pub(crate) fn canonical(value: &str, missing: &Missing, style: &Style) -> String {
    if missing.contains(value) {
        return "m".to_owned();
    }
    let value = value.trim();
    style.read(value).map_or_else(|| format!("s{value}"), |number| number.form())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        {
            let form = |text| canonical(text, &Missing::default(), &Style::default());
            form(a) == form(b)
        }
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
        let form = |text| canonical(text, &only_dash, &Style::default());
        assert_ne!(form("NA"), form(""));
    }
}
