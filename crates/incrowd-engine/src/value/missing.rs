//! What counts as no value.

use super::spelling::spelling;

/// The fields that mean "no value" unless the user says otherwise.
pub const MISSING_TOKENS: [&str; 7] = ["", "NA", "N/A", "NaN", "NULL", "null", "?"];

/// Whether a field means "no value": it is, or looks like, one of the tokens, blanks around either of them aside. So a field of blanks
/// is missing where the empty field is.
pub fn is_missing<S: AsRef<str>>(field: &str, tokens: &[S]) -> bool {
    let field = field.trim();
    let missing = |field: &str| tokens.iter().any(|token| token.as_ref().trim() == field);
    missing(field) || !field.is_ascii() && missing(&spelling(field))
}

/// A value as texts for people show it: one of nothing but blanks has a name.
pub fn shown_value(value: &str) -> &str {
    if value.trim().is_empty() { MISSING_SHOWN } else { value }
}

/// What a missing value that has no text of its own is called in texts for people.
pub const MISSING_SHOWN: &str = "(missing)";
