//! Which role a column probably has, and why.

use incrowd_io::spec::Role;

use super::group::share;
use super::kind::ValueKind;
use super::words::{KNOWN, NAMING, NUMBERING, OUTCOME, PERSON, PLAIN_NUMBERING, PRIVATE, Words};
use incrowd::thousands;

/// What a suggestion rests on.
pub(super) struct Facts<'a> {
    pub(super) words: &'a Words,
    pub(super) kind: ValueKind,
    /// How many rows have a value.
    pub(super) present: u64,
    /// How many different values there are, missing aside.
    pub(super) values: u64,
}

/// Below so many rows it means nothing that each has a value of its own.
const ENOUGH_ROWS: u64 = 20;
/// The share of values of their own from which rows count as numbered or named.
const NEARLY_ALL: f64 = 0.95;
/// The same where the name or the kind of the column already points there.
const MOST: f64 = 0.5;

/// The role that a column probably has, with the reason in one sentence.
///
/// What a name says goes before what the values look like, and among equals the more careful role
/// goes first.
pub(super) fn suggest(facts: &Facts<'_>) -> (Role, String) {
    let Facts { words, kind, present, values } = *facts;
    let own = share(values, present);
    let of_rows = || {
        format!("there are {} different values in {} rows", thousands(values), thousands(present))
    };
    if kind == ValueKind::Empty {
        return (Role::Plain, "It holds nothing but missing values.".to_owned());
    }
    if let Some(word) = words.has(NAMING) {
        return (Role::Identifying, format!("The name says `{word}`, which leads to a person."));
    }
    if let Some(word) = words.has(NUMBERING) {
        if words.has(PERSON).is_some() || words.is_one_of(PLAIN_NUMBERING) {
            return (Role::Identifying, format!("The name says `{word}`, which names a person."));
        }
        if words.has(KNOWN).is_none() && own >= MOST {
            let reason = format!("The name says `{word}`, and {}.", of_rows());
            return (Role::Identifying, reason);
        }
    }
    if values == 1 {
        return (Role::Plain, "Every row that has a value has the same one.".to_owned());
    }
    if let (Some(word), 2) = (words.has(OUTCOME), values) {
        return (Role::Class, format!("The name says `{word}`, and there are two values."));
    }
    if let Some(word) = words.has(PRIVATE) {
        let reason = format!("The name says `{word}`, which people keep to themselves.");
        return (Role::Sensitive, reason);
    }
    if let Some(word) = words.has(KNOWN) {
        return (Role::Quasi, format!("The name says `{word}`, which others may know."));
    }
    let telling = match kind {
        ValueKind::Text => MOST,
        ValueKind::Integer | ValueKind::Code => NEARLY_ALL,
        _ => f64::INFINITY,
    };
    if present >= ENOUGH_ROWS && own >= telling {
        let reason = format!("They name rows: {}.", of_rows());
        return (Role::Identifying, reason);
    }
    match kind {
        ValueKind::Date => (Role::Quasi, "Others often know when something happened.".to_owned()),
        ValueKind::Number => {
            let reason = "Others rarely know a measured number; make it quasi if they could.";
            (Role::Plain, reason.to_owned())
        }
        _ => {
            let each = present / values.max(1);
            let reason = match each {
                0..=1 => format!("{} values that others may know.", thousands(values)),
                _ => format!(
                    "{} values that about {} rows each share and others may know.",
                    thousands(values),
                    thousands(each)
                ),
            };
            (Role::Quasi, reason)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Facts, Role, ValueKind, Words, suggest};

    fn role(name: &str, kind: ValueKind, present: u64, values: u64) -> Role {
        let (role, reason) = suggest(&Facts { words: &Words::new(name), kind, present, values });
        assert!(reason.ends_with('.') && reason.matches(". ").count() == 0, "{reason}");
        role
    }

    #[test]
    fn names_decide() {
        for (name, kind, values, expected) in [
            ("id", ValueKind::Integer, 1000, Role::Identifying),
            ("Name", ValueKind::Text, 990, Role::Identifying),
            ("e-mail", ValueKind::Text, 400, Role::Identifying),
            ("SSN", ValueKind::Code, 1000, Role::Identifying),
            ("phone_number", ValueKind::Code, 900, Role::Identifying),
            ("patientId", ValueKind::Integer, 300, Role::Identifying),
            ("record_no", ValueKind::Integer, 1000, Role::Identifying),
            ("branch_no", ValueKind::Integer, 12, Role::Quasi),
            ("country_name", ValueKind::Text, 40, Role::Quasi),
            ("zip code", ValueKind::Code, 800, Role::Quasi),
            ("age", ValueKind::Integer, 72, Role::Quasi),
            ("date_of_birth", ValueKind::Date, 999, Role::Quasi),
            ("marital-status", ValueKind::Text, 7, Role::Quasi),
            ("salary", ValueKind::Number, 900, Role::Sensitive),
            ("ICD10", ValueKind::Text, 120, Role::Sensitive),
            ("salary-class", ValueKind::Text, 2, Role::Class),
            ("outcome", ValueKind::Boolean, 2, Role::Class),
            ("outcome", ValueKind::Text, 9, Role::Quasi),
        ] {
            assert_eq!(role(name, kind, 1000, values), expected, "{name}");
        }
    }

    #[test]
    fn values_decide_where_names_say_nothing() {
        for (kind, present, values, expected) in [
            (ValueKind::Text, 1000, 990, Role::Identifying),
            (ValueKind::Text, 1000, 600, Role::Identifying),
            (ValueKind::Text, 1000, 12, Role::Quasi),
            (ValueKind::Integer, 1000, 1000, Role::Identifying),
            (ValueKind::Integer, 1000, 600, Role::Quasi),
            (ValueKind::Code, 1000, 990, Role::Identifying),
            (ValueKind::Number, 1000, 1000, Role::Plain),
            (ValueKind::Date, 1000, 1000, Role::Quasi),
            (ValueKind::Boolean, 1000, 2, Role::Quasi),
            (ValueKind::Text, 5, 5, Role::Quasi),
            (ValueKind::Text, 1000, 1, Role::Plain),
            (ValueKind::Empty, 0, 0, Role::Plain),
        ] {
            assert_eq!(role("x", kind, present, values), expected, "{kind:?} {values}");
        }
    }
}
