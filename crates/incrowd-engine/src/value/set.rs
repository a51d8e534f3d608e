//! Sets of values as text.

/// A released set grows no longer than so many characters. Longer ones become nodes of the hierarchy, a set with more
/// values in which `...` stands for neighbours, the prefix that their values share, or blank. Values of the table and
/// nodes keep the names they have.
pub const LONGEST_LABEL: usize = 80;

/// What stands in a set for all values between its neighbours, in the column's order.
pub(crate) const BETWEEN: &str = "...";

/// The label of a set. An element that could be mistaken is put in double quotes, quotes doubled.
pub(super) fn set_label<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let shown: Vec<String> = values.map(element).collect();
    format!("{{{}}}", shown.join(", "))
}

pub(super) fn element(value: &str) -> String {
    if is_plain(value) { value.to_owned() } else { format!("\"{}\"", value.replace('"', "\"\"")) }
}

/// Whether a value can stand in a set without quotes.
fn is_plain(value: &str) -> bool {
    !value.is_empty()
        && value != BETWEEN
        && !value.contains([',', '{', '}', '"'])
        && value.trim() == value
}

/// How many characters a value takes in a set.
pub(super) fn length(value: &str) -> usize {
    let quotes = if is_plain(value) { 0 } else { 2 + value.matches('"').count() };
    value.chars().count() + quotes
}
