//! Numbers, texts and keys as TOML writes them.

use std::fmt::Write;

use incrowd_data::acts;

/// A number: whole ones without a point, huge and tiny ones with an exponent.
pub(super) fn number(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        format!("{}", number as i64)
    } else {
        format!("{number:?}")
    }
}

/// A text in quotes, on one line whatever it holds.
pub(super) fn text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_control() || acts(control) => {
                write!(quoted, "\\u{:04X}", u32::from(control)).expect("a string takes any text");
            }
            plain => quoted.push(plain),
        }
    }
    quoted.push('"');
    quoted
}

/// A key: bare where TOML allows it, else in quotes.
pub fn key(name: &str) -> String {
    let bare = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if bare { name.to_owned() } else { text(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_texts_are_quoted_where_they_must_be() {
        assert_eq!(key("age_2-x"), "age_2-x");
        assert_eq!(key(""), "\"\"");
        assert_eq!(key("a.b"), "\"a.b\"");
        assert_eq!(key("größe"), "\"größe\"");
        assert_eq!(text("a\"b\\c\nd\te\u{7f}"), "\"a\\\"b\\\\c\\nd\\te\\u007F\"");
        assert_eq!(number(5.0), "5");
        assert_eq!(number(-0.5), "-0.5");
        assert_eq!(number(1e300), "1e300");
    }
}
