//! Small helpers for the sentences of messages: counts, lists, large numbers.

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
