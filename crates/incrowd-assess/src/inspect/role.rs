//! Which role a column probably has, and why.

use std::fmt;

use incrowd::words::thousands;
use serde::Serialize;

use super::group::share;
use super::kind::ValueKind;
use super::words::{KNOWN, NAMING, NUMBERING, OUTCOME, PERSON, PLAIN_NUMBERING, PRIVATE, Words};

/// The role that a column probably has when a table is anonymized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LikelyRole {
    /// It names a person.
    Identifying,
    /// Others may know it, and together with other columns it can single a person out.
    Quasi,
    /// What people keep to themselves.
    Sensitive,
    /// What the table is made to predict.
    Class,
    /// None of these.
    Plain,
}

impl LikelyRole {
    /// The role as a word.
    pub fn name(self) -> &'static str {
        match self {
            LikelyRole::Identifying => "identifying",
            LikelyRole::Quasi => "quasi",
            LikelyRole::Sensitive => "sensitive",
            LikelyRole::Class => "class",
            LikelyRole::Plain => "plain",
        }
    }
}

impl fmt::Display for LikelyRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

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
pub(super) fn suggest(facts: &Facts<'_>) -> (LikelyRole, String) {
    let Facts { words, kind, present, values } = *facts;
    let own = share(values, present);
    let of_rows = || {
        format!("there are {} different values in {} rows", thousands(values), thousands(present))
    };
    if kind == ValueKind::Empty {
        return (LikelyRole::Plain, "It holds nothing but missing values.".to_owned());
    }
    if let Some(word) = words.has(NAMING) {
        return (
            LikelyRole::Identifying,
            format!("The name says `{word}`, which leads to a person."),
        );
    }
    if let Some(word) = words.has(NUMBERING) {
        if words.has(PERSON).is_some() || words.is_one_of(PLAIN_NUMBERING) {
            return (
                LikelyRole::Identifying,
                format!("The name says `{word}`, which names a person."),
            );
        }
        if words.has(KNOWN).is_none() && own >= MOST {
            let reason = format!("The name says `{word}`, and {}.", of_rows());
            return (LikelyRole::Identifying, reason);
        }
    }
    if values == 1 {
        return (LikelyRole::Plain, "Every row that has a value has the same one.".to_owned());
    }
    if let (Some(word), 2) = (words.has(OUTCOME), values) {
        return (LikelyRole::Class, format!("The name says `{word}`, and there are two values."));
    }
    if let Some(word) = words.has(PRIVATE) {
        let reason = format!("The name says `{word}`, which people keep to themselves.");
        return (LikelyRole::Sensitive, reason);
    }
    if let Some(word) = words.has(KNOWN) {
        return (LikelyRole::Quasi, format!("The name says `{word}`, which others may know."));
    }
    let telling = match kind {
        ValueKind::Text => MOST,
        ValueKind::Integer | ValueKind::Code => NEARLY_ALL,
        _ => f64::INFINITY,
    };
    if present >= ENOUGH_ROWS && own >= telling {
        let reason = format!("They name rows: {}.", of_rows());
        return (LikelyRole::Identifying, reason);
    }
    match kind {
        ValueKind::Date | ValueKind::Time => {
            (LikelyRole::Quasi, "Others often know when something happened.".to_owned())
        }
        ValueKind::Number => {
            let reason = "Others rarely know a measured number; make it quasi if they could.";
            (LikelyRole::Plain, reason.to_owned())
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
            (LikelyRole::Quasi, reason)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Facts, LikelyRole, ValueKind, Words, suggest};

    fn role(name: &str, kind: ValueKind, present: u64, values: u64) -> LikelyRole {
        let (role, reason) = suggest(&Facts { words: &Words::new(name), kind, present, values });
        assert!(reason.ends_with('.') && reason.matches(". ").count() == 0, "{reason}");
        role
    }

    #[test]
    fn names_decide() {
        for (name, kind, values, expected) in [
            ("id", ValueKind::Integer, 1000, LikelyRole::Identifying),
            ("Name", ValueKind::Text, 990, LikelyRole::Identifying),
            ("e-mail", ValueKind::Text, 400, LikelyRole::Identifying),
            ("SSN", ValueKind::Code, 1000, LikelyRole::Identifying),
            ("phone_number", ValueKind::Code, 900, LikelyRole::Identifying),
            ("patientId", ValueKind::Integer, 300, LikelyRole::Identifying),
            ("record_no", ValueKind::Integer, 1000, LikelyRole::Identifying),
            ("branch_no", ValueKind::Integer, 12, LikelyRole::Quasi),
            ("country_name", ValueKind::Text, 40, LikelyRole::Quasi),
            ("zip code", ValueKind::Code, 800, LikelyRole::Quasi),
            ("age", ValueKind::Integer, 72, LikelyRole::Quasi),
            ("date_of_birth", ValueKind::Date, 999, LikelyRole::Quasi),
            ("marital-status", ValueKind::Text, 7, LikelyRole::Quasi),
            ("salary", ValueKind::Number, 900, LikelyRole::Sensitive),
            ("ICD10", ValueKind::Text, 120, LikelyRole::Sensitive),
            ("salary-class", ValueKind::Text, 2, LikelyRole::Class),
            ("outcome", ValueKind::Boolean, 2, LikelyRole::Class),
            ("outcome", ValueKind::Text, 9, LikelyRole::Quasi),
        ] {
            assert_eq!(role(name, kind, 1000, values), expected, "{name}");
        }
    }

    #[test]
    fn values_decide_where_names_say_nothing() {
        for (kind, present, values, expected) in [
            (ValueKind::Text, 1000, 990, LikelyRole::Identifying),
            (ValueKind::Text, 1000, 600, LikelyRole::Identifying),
            (ValueKind::Text, 1000, 12, LikelyRole::Quasi),
            (ValueKind::Integer, 1000, 1000, LikelyRole::Identifying),
            (ValueKind::Integer, 1000, 600, LikelyRole::Quasi),
            (ValueKind::Code, 1000, 990, LikelyRole::Identifying),
            (ValueKind::Number, 1000, 1000, LikelyRole::Plain),
            (ValueKind::Date, 1000, 1000, LikelyRole::Quasi),
            (ValueKind::Boolean, 1000, 2, LikelyRole::Quasi),
            (ValueKind::Text, 5, 5, LikelyRole::Quasi),
            (ValueKind::Text, 1000, 1, LikelyRole::Plain),
            (ValueKind::Empty, 0, 0, LikelyRole::Plain),
        ] {
            assert_eq!(role("x", kind, present, values), expected, "{kind:?} {values}");
        }
    }
}
