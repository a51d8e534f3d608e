//! Small helpers for the sentences of messages: counts, lists, large numbers, values of people.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether messages keep values of people back.
static HIDDEN: AtomicBool = AtomicBool::new(false);

/// Lets messages of this process keep values of people back, or tell them. Logs are shared where tables are not, so a
/// program whose messages end in logs should keep them back and tell its users how to see them.
pub fn hide_values(hide: bool) {
    HIDDEN.store(hide, Ordering::Relaxed);
}

/// Whether messages keep values of people back.
pub fn values_are_hidden() -> bool {
    HIDDEN.load(Ordering::Relaxed)
}

/// A value of somebody in a message: as it is, in quotes, or how long it is.
pub fn value(text: &str) -> String {
    if !values_are_hidden() {
        return format!("{text:?}");
    }
    let length = count(text.chars().count() as u64, "character", "characters");
    format!("a value of {length} (--show-values shows it)")
}

/// Values of people in a message, at most ten of them, or how many there are.
pub fn values<S: AsRef<str>>(texts: &[S]) -> String {
    if !values_are_hidden() {
        return list(texts);
    }
    let number = count(texts.len() as u64, "value", "values");
    format!("{number} (--show-values shows {})", if texts.len() == 1 { "it" } else { "them" })
}

/// Values as a readable list: at most ten of them, then how many more.
pub fn list<S: AsRef<str>>(values: &[S]) -> String {
    const MOST: usize = 10;
    let mut text = values
        .iter()
        .take(MOST)
        .map(|value| format!("{:?}", value.as_ref()))
        .collect::<Vec<_>>()
        .join(", ");
    if values.len() > MOST {
        text.push_str(&format!(" and {} more", values.len() - MOST));
    }
    text
}

/// A count with its noun: `1 row`, `2,000 rows`.
pub fn count(number: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { singular } else { plural })
}

/// A number with commas between thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
