//! Values in sentences.

/// How many characters of a value are shown.
const VALUE_WIDTH: usize = 24;

/// A name or value made fit for a sentence or a terminal: nothing invisible, nothing endless.
pub fn shown(value: &str) -> String {
    if value.is_empty() {
        return "\"\"".to_owned();
    }
    let mut text = String::new();
    for (at, letter) in value.chars().enumerate() {
        if at == VALUE_WIDTH {
            text.push('…');
            break;
        }
        if letter.is_control() {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn values_cannot_play_tricks_on_a_terminal() {
        assert_eq!(shown("a\u{1b}[31mb\nc"), "a\\u{1b}[31mb\\nc");
        assert_eq!(shown(""), "\"\"");
        assert_eq!(shown(&"ä".repeat(100)), format!("{}…", "ä".repeat(24)));
    }
}
