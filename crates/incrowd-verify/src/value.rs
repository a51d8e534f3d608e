//! When two strings are the same value.

use std::borrow::Cow;
use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use crate::number::NumberStyle;

/// The strings that stand for a missing value. Outer white space does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingTokens(BTreeSet<String>);

impl MissingTokens {
    /// Exactly these strings stand for a missing value.
    pub fn new<S: Into<String>>(tokens: impl IntoIterator<Item = S>) -> Self {
        MissingTokens(tokens.into_iter().map(|token| token.into().trim().to_owned()).collect())
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

impl Default for MissingTokens {
    /// The empty string, `NA`, `N/A`, `NaN`, `NULL`, `null` and `?`.
    fn default() -> Self {
        MissingTokens::new(["", "NA", "N/A", "NaN", "NULL", "null", "?"])
    }
}

/// The form that two strings share exactly when they are the same value. All missing tokens have
/// one form, numbers one form for each number (worked out on the decimal digits, so that long
/// numbers are not rounded together), other strings their trimmed selves. The first letter keeps
/// the three apart.
pub(crate) fn canonical(value: &str, missing: &MissingTokens, style: &NumberStyle) -> String {
    if missing.contains(value) {
        return MISSING.to_owned();
    }
    let value = &*looks(value);
    if missing.contains(value) {
        return MISSING.to_owned();
    }
    style.read(value).map_or_else(|| format!("s{value}"), |number| number.form())
}

/// The form that two strings share exactly when they are the same value, with numbers written plainly. That of a missing
/// value is `m`; those of all others are longer.
pub fn value_form(value: &str, missing: &MissingTokens) -> String {
    canonical(value, missing, &NumberStyle::default())
}

/// The form of a missing value.
pub(crate) const MISSING: &str = "m";

/// What a reader sees of a string: accents on their letters, however they were typed; nothing of what cannot be seen; and
/// one blank wherever there is white space inside. Two strings that cannot be told apart by looking have the same looks.
pub(crate) fn looks(text: &str) -> Cow<'_, str> {
    let ordinary = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    if text.bytes().all(ordinary) && !text.contains("  ") {
        return Cow::Borrowed(text.trim());
    }
    let seen: String = text.nfd().filter(|&c| c.is_whitespace() || !hidden(c)).collect();
    let words: Vec<&str> = seen.split_whitespace().collect();
    Cow::Owned(words.join(" ").nfc().collect())
}

/// The first and last of the characters that show nothing.
const HIDDEN: [(u32, u32); 22] = [
    (0x00, 0x1f),
    (0x7f, 0x9f),
    (0xad, 0xad),
    (0x34f, 0x34f),
    (0x600, 0x605),
    (0x61c, 0x61c),
    (0x6dd, 0x6dd),
    (0x70f, 0x70f),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x202a, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0x1_bca0, 0x1_bca3),
    (0x1_d173, 0x1_d17a),
    (0xe_0000, 0xe_0fff),
];

fn hidden(c: char) -> bool {
    let code = u32::from(c);
    let after = HIDDEN.partition_point(|&(first, _)| first <= code);
    after > 0 && code <= HIDDEN[after - 1].1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        {
            let form = |text| canonical(text, &MissingTokens::default(), &NumberStyle::default());
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
        let only_dash = MissingTokens::new(["-"]);
        let form = |text| canonical(text, &only_dash, &NumberStyle::default());
        assert_ne!(form("NA"), form(""));
    }
}
