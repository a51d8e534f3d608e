//! Text of others on a terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// A text in which no character acts: control characters other than line ends and tabs, and those that turn the direction of
/// writing, are spelled as in JSON, `\u001b`. What is JSON stays JSON.
///
/// A table may hold values and column names that were made to recolour a terminal, to move its cursor over what was
/// printed before, or to make a line read backwards.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if acts(character) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{:04x}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Whether a character does something to a terminal instead of being shown.
pub fn acts(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Marks of direction, embeddings, overrides and isolates; separators of lines and paragraphs.
        '\u{200e}'
        | '\u{200f}'
        | '\u{061c}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_not_obeyed() {
        assert!(matches!(visible("plain, ünïcode\n\tand 漢字"), Cow::Borrowed(_)));
        assert_eq!(visible("\u{1b}[2Jgone\r\u{7}"), "\\u001b[2Jgone\\u000d\\u0007");
        assert_eq!(visible("\u{9b}31m \u{7f} \u{202e}txt"), "\\u009b31m \\u007f \\u202etxt");
        let json = serde_json::json!({ "name": "a\u{9b}b\u{1b}c" });
        let text = serde_json::to_string(&json).unwrap_or_default();
        let shown = visible(&text);
        assert!(!shown.chars().any(acts));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).ok(), Some(json));
    }
}
