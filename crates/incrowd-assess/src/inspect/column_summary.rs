//! One column by its values and how often each occurs.

use super::content::{ContentKind, content};
use super::kind::{self, InferredKind, ValueKind};
use super::name_words::NameWords;
use super::numbers::numbers;
use super::role::{ExposureReason, LikelyRole, RoleEvidence, exposed, suggest};

/// What a column is by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSummary {
    /// What kind of values it holds.
    pub kind: ValueKind,
    /// The least and the greatest value as written, where there is an order.
    pub range: Option<(String, String)>,
    /// Something about the values that should be looked at.
    pub note: Option<String>,
    /// How dates are written, where it is certain.
    pub date_format: Option<String>,
    /// The role it probably has.
    pub role: LikelyRole,
    /// Why, in one sentence.
    pub reason: String,
    /// Why it must not be released as it is unless somebody says that it is meant, if so.
    pub exposed: Option<ExposureReason>,
    /// How many rows have a value that no other row has.
    pub unique_rows: u64,
    /// How many different values there are, missing aside.
    pub values: u64,
    /// How many rows there are.
    pub rows: u64,
    /// How many of them have no value.
    pub missing: u64,
}

/// Looks at a column: its distinct values, missing ones left out, with their counts; how many rows there are, and
/// how many of them have no value. If the values are one of `scale` by chance, counts of rows and values are
/// estimated from them.
pub fn look(
    name: &str,
    values: &[(&str, u64)],
    rows: u64,
    missing: u64,
    scale: u64,
) -> ColumnSummary {
    look_as(name, values, rows, missing, scale, None)
}

/// The same where it is known already what kind of values they are.
pub(super) fn look_as(
    name: &str,
    values: &[(&str, u64)],
    rows: u64,
    missing: u64,
    scale: u64,
    known: Option<InferredKind>,
) -> ColumnSummary {
    let words = NameWords::new(name);
    let inferred = known.unwrap_or_else(|| kind::infer(values, &words));
    let alone = values.iter().filter(|&&(_, count)| count == 1).count() as u64;
    let present = rows.saturating_sub(missing);
    let facts = RoleEvidence {
        words: &words,
        kind: inferred.kind,
        content: if inferred.kind.is_numeric() { ContentKind::Other } else { content(values) },
        numbers: numbers(values),
        present,
        values: (values.len() as u64).saturating_mul(scale).min(present),
        alone: alone.saturating_mul(scale).min(present),
    };
    let exposed = exposed(&facts);
    let (role, reason) = suggest(&facts, exposed.as_ref());
    ColumnSummary {
        kind: inferred.kind,
        range: inferred.range,
        note: inferred.note,
        date_format: inferred.date_format,
        role,
        reason,
        exposed,
        unique_rows: facts.alone,
        values: facts.values,
        rows,
        missing,
    }
}
