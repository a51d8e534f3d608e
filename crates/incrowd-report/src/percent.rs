//! Shares as text.

/// A share as a percentage, with more digits where it is small.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent == 0.0 || percent >= 10.0 => format!("{percent:.0}%"),
        percent if percent >= 1.0 => format!("{percent:.1}%"),
        percent if percent >= 0.01 => format!("{percent:.2}%"),
        _ => "below 0.01%".to_owned(),
    }
}
