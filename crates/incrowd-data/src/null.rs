//! NULL where rows are text.
//!
//! A table of a database knows NULL beside the empty text. Where its rows are text, NULL is [`NULL`], and a text that looks
//! like it has one more backslash than it has in the table: so every field is one or the other.

use std::borrow::Cow;

/// What stands for NULL where rows are text.
pub const NULL: &str = "\\N";

/// Whether a text is backslashes and an N, so that the field that stands for it is another one.
#[inline]
pub(crate) fn looks_like_null(text: &[u8]) -> bool {
    matches!(text, [b'\\', backslashes @ .., b'N'] if backslashes.iter().all(|&it| it == b'\\'))
}

/// The field that stands for a text.
pub fn field_of_text(text: &str) -> Cow<'_, str> {
    match looks_like_null(text.as_bytes()) {
        false => Cow::Borrowed(text),
        true => Cow::Owned(format!("\\{text}")),
    }
}

/// The text that a field stands for; none for NULL.
#[inline]
pub fn text_of_field(field: &str) -> Option<&str> {
    match looks_like_null(field.as_bytes()) {
        false => Some(field),
        true if field == NULL => None,
        true => field.get(1..),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_has_a_field_that_is_not_null() {
        for (text, field) in [
            ("", ""),
            ("N", "N"),
            ("\\", "\\"),
            ("\\n", "\\n"),
            ("a\\N", "a\\N"),
            ("\\N", "\\\\N"),
            ("\\\\N", "\\\\\\N"),
        ] {
            assert_eq!(field_of_text(text), field);
            assert_eq!(text_of_field(field), Some(text));
        }
        assert_eq!(text_of_field(NULL), None);
    }
}
