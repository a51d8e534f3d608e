//! First names of people and names of places, to tell columns that hold them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words between blanks.
const NAMES: &str = include_str!("words/first_names.txt");
/// Names between commas.
const PLACES: &str = include_str!("words/places.txt");

/// The lines of a list without its comments.
fn lines(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().filter(|line| !line.starts_with('#'))
}

/// Whether a word is a common first name.
pub(super) fn is_first_name(word: &str) -> bool {
    static KNOWN: LazyLock<BTreeSet<&str>> =
        LazyLock::new(|| lines(NAMES).flat_map(|line| line.split(' ')).collect());
    KNOWN.contains(word.to_lowercase().as_str())
}

/// Whether a text is the name of a larger place.
pub(super) fn is_place_name(text: &str) -> bool {
    static KNOWN: LazyLock<BTreeSet<&str>> =
        LazyLock::new(|| lines(PLACES).flat_map(|line| line.split(", ")).collect());
    KNOWN.contains(text.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places_are_known_in_any_case() {
        assert!(is_first_name("Eva") && is_first_name("BEN") && !is_first_name("Seattle"));
        assert!(is_place_name("Seattle") && is_place_name("NEW YORK") && !is_place_name("asthma"));
        for word in ["male", "white", "single", "April", "flu", "married", "yes", ""] {
            assert!(!is_first_name(word) && !is_place_name(word), "{word}");
        }
    }
}
