//! Values that look the same: composed and decomposed accents, invisible characters, blanks.
//!
//! A class of `flu`, `flu ` and `flu` with a zero-width space in it has one diagnosis, whatever its bytes. So values that
//! nobody can tell apart by looking are one value everywhere: spellings are united before anything is counted.

use std::borrow::Cow;

use hashbrown::HashMap;
use unicode_normalization::UnicodeNormalization;

use super::decimal::Decimal;

/// What a value looks like: in composed form, without invisible characters, blanks at its ends gone and every run of them
/// inside a single one. Values are the same if these are equal.
///
/// ```
/// use incrowd_engine::value::spelling;
/// assert_eq!(spelling(" flu\u{200b} "), "flu");
/// assert_eq!(spelling("Zu\u{308}rich"), spelling("Zürich"));
/// assert_ne!(spelling("Flu"), spelling("flu"));
/// ```
pub fn spelling(value: &str) -> Cow<'_, str> {
    if is_plain(value) {
        return Cow::Borrowed(value);
    }
    let visible = value.nfc().filter(|&c| !is_invisible(c));
    let mut text = String::with_capacity(value.len());
    for c in visible {
        match c.is_whitespace() {
            true if text.is_empty() || text.ends_with(' ') => {}
            true => text.push(' '),
            false => text.push(c),
        }
    }
    if text.ends_with(' ') {
        text.pop();
    }
    // Without an invisible character between them, an accent may join a letter.
    Cow::Owned(text.nfc().collect())
}

/// Whether a value is its own spelling: ASCII that can be seen, with single blanks inside.
fn is_plain(value: &str) -> bool {
    let bytes = value.as_bytes();
    let seen = |&byte: &u8| (0x20..0x7f).contains(&byte);
    bytes.iter().all(seen)
        && bytes.first() != Some(&b' ')
        && bytes.last() != Some(&b' ')
        && !bytes.windows(2).any(|pair| pair == b"  ")
}

/// Characters that show nothing: format characters, fillers, variation selectors and control characters that are no
/// blanks.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
        || (c.is_control() && !c.is_whitespace())
}

/// For each value one that looks the same and stands for all of them: the shortest, whichever came first. With `numbers`,
/// `1` and `1.0` are the same, too.
pub(super) fn united<'a>(values: &[&'a str], numbers: bool) -> Option<Vec<&'a str>> {
    if !numbers && values.iter().all(|value| is_plain(value)) {
        return None;
    }
    let key = |value: &'a str| -> Cow<'a, str> {
        let text = spelling(value);
        match number(&text).filter(|_| numbers) {
            Some(number) => Cow::Owned(number.to_string()),
            None => text,
        }
    };
    let mut shown: HashMap<Cow<'a, str>, &'a str> = HashMap::new();
    for &value in values {
        let best = shown.entry(key(value)).or_insert(value);
        if (value.len(), value) < (best.len(), *best) {
            *best = value;
        }
    }
    (shown.len() < values.len()).then(|| values.iter().map(|value| shown[&key(value)]).collect())
}

/// The number that a text is, leading zeros and a plus aside: elsewhere they make it a code.
fn number(text: &str) -> Option<Decimal> {
    let (minus, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.strip_suffix('.').unwrap_or(digits);
    let short = digits.trim_start_matches('0');
    let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    // `.5` and `0e5` are numbers, `e5` is none.
    if !begins(digits) && !digits.starts_with('.') {
        return None;
    }
    let zero = if begins(short) { "" } else { "0" };
    Decimal::parse(&format!("{minus}{zero}{short}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_no_numbers() {
        for text in ["e5", "E0", "-e3", "+e1", "e"] {
            assert_eq!(number(text), None, "{text}");
        }
        for text in [".5", "0e5", "007", "+7.", "-0"] {
            assert!(number(text).is_some(), "{text}");
        }
        assert_eq!(united(&["e0", "e1"], true), None);
    }

    #[test]
    fn the_shortest_spelling_stands_for_all() {
        let values = ["flu ", "flu", "f\u{200b}lu", "Flu", "1.0", "1"];
        assert_eq!(
            united(&values, false).unwrap_or_default(),
            ["flu", "flu", "flu", "Flu", "1.0", "1"]
        );
        assert_eq!(united(&values, true).unwrap_or_default()[4..], ["1", "1"]);
        assert_eq!(united(&["a", "b"], false), None);
        assert_eq!(united(&["a", "b\u{200b}"], false), None);
    }

    #[test]
    fn blanks_of_all_kinds_are_blanks() {
        assert_eq!(spelling("\u{a0}type\u{2003} \t2\u{3000}"), "type 2");
        assert_eq!(spelling("e\u{200b}\u{301}"), "é");
        assert_eq!(spelling("\u{7}x\u{0}"), "x");
    }
}
