//! What several forms say in the same words.

use std::fmt::Write;

use super::facts::{ReleaseFacts, or_none};
use super::identifier_detection;
use crate::spec::{MaskMethod, Role};

/// What people have to add.
pub(super) const FILL: &str = "*(to be filled in by the applicant)*";

/// A form that is written line by line.
#[derive(Default)]
pub(super) struct FormText(String);

impl FormText {
    /// Adds a line.
    pub(super) fn put(&mut self, line: impl AsRef<str>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{}", line.as_ref());
    }

    /// Adds lines.
    pub(super) fn put_all(&mut self, lines: impl IntoIterator<Item = String>) {
        lines.into_iter().for_each(|line| self.put(line));
    }

    /// Adds a heading.
    pub(super) fn section(&mut self, heading: &str) {
        self.put(format!("\n## {heading}\n"));
    }

    /// The whole form.
    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// The columns of the release and what became of them, a line each.
pub(super) fn columns(facts: &ReleaseFacts<'_>) -> Vec<String> {
    let left_out: Vec<&str> = facts.not_released();
    let is_direct = |name: &&str| {
        // Dates and places are quasi-identifiers wherever they are not released.
        identifier_detection::numbers(name, &[]).iter().any(|number| ![2, 3].contains(number))
    };
    let (direct, others): (Vec<&str>, Vec<&str>) = left_out.into_iter().partition(is_direct);
    let mut lines = vec![
        format!("- Direct identifiers, not released: {}.", or_none(&direct)),
        format!("- Other columns that are not released: {}.", or_none(&others)),
        format!("- Quasi-identifiers: {}.", or_none(&facts.columns(Role::Quasi))),
        format!("- Sensitive: {}.", or_none(&facts.columns(Role::Sensitive))),
        format!("- Released as they are: {}.", or_none(&facts.released_as_they_are())),
        format!("- Accepted although they look identifying: {}.", or_none(&facts.accepted())),
    ];
    let treated = facts.file.spec.columns.iter().filter_map(|column| {
        if let Some(other) = &column.follows {
            return Some(format!("{} (made anew from {other})", column.name));
        }
        let treat = column.treat.as_ref().filter(|treat| **treat != MaskMethod::Drop)?;
        Some(format!("{} ({})", column.name, treat.words()))
    });
    let treated: Vec<String> = treated.collect();
    let treated: Vec<&str> = treated.iter().map(String::as_str).collect();
    lines.push(format!("- Treated: {}.", or_none(&treated)));
    lines
}

/// The models beyond k that the verdict speaks of.
pub(super) fn models(facts: &ReleaseFacts<'_>) -> String {
    let models: Vec<String> = facts
        .shareable
        .verdict
        .iter()
        .flat_map(|verdict| &verdict.models)
        .map(|model| format!("{} of {}", model.model, model.column))
        .collect();
    if models.is_empty() { "none".to_owned() } else { models.join(", ") }
}

/// Who receives the release, what they can know, and what harm there is.
pub(super) fn context(facts: &ReleaseFacts<'_>) -> String {
    match facts.file.spec.context {
        None => FILL.to_owned(),
        Some(context) => format!(
            "audience {}, knowledge {}, harm {}; {}",
            context.audience,
            context.knowledge,
            context.harm,
            context.proposal().why.join(" ").trim_end_matches('.')
        ),
    }
}

/// Whether the highest risk is at or below one in k. Where people cannot be counted in the release, it is what the spec asks.
fn meets_threshold(facts: &ReleaseFacts<'_>) -> bool {
    let (_, k, _) = facts.threshold();
    let risk = facts.shareable.verdict.as_ref().and_then(|verdict| verdict.risk.as_ref());
    let asked = match facts.hidden_unit() {
        None => 0.0,
        Some(_) => 1.0 / facts.file.spec.privacy.k as f64,
    };
    risk.is_some_and(|risk| risk.highest.max(asked) <= (1.0 / k as f64) * (1.0 + 1e-12))
}

/// What figures count that cannot count people, as a line.
pub(super) fn counted_rows(facts: &ReleaseFacts<'_>) -> Option<String> {
    let unit = facts.hidden_unit()?;
    Some(format!(
        "- These figures count rows, because the release does not show `{unit}`: of a person there may be several. A run \
         by this spec counts them, and finds nobody at more than one in {}.",
        facts.file.spec.privacy.k
    ))
}

/// Whether the highest risk meets the threshold, as a line.
pub(super) fn threshold_line(facts: &ReleaseFacts<'_>) -> String {
    format!(
        "- The highest risk is {} the threshold.",
        if meets_threshold(facts) { "at or below" } else { "ABOVE" }
    )
}

/// How many the smallest class of the release has.
pub(super) fn smallest(facts: &ReleaseFacts<'_>) -> String {
    let what = match facts.hidden_unit() {
        Some(_) => "rows".to_owned(),
        None => protected(facts),
    };
    facts.shareable.smallest.map_or_else(|| "none".to_owned(), |k| format!("{k} {what}"))
}

/// Whom k counts, in the plural.
pub(super) fn protected(facts: &ReleaseFacts<'_>) -> String {
    match facts.file.spec.privacy.unit_column() {
        None => "rows".to_owned(),
        Some(unit) => format!("values of `{unit}`"),
    }
}

/// What the attacks gave, a line each.
pub(super) fn attacks(facts: &ReleaseFacts<'_>) -> Vec<String> {
    match &facts.attack {
        None => vec![format!(
            "- Singling out, linkability, inference ({}): {FILL}.",
            match facts.original {
                None => "with the original, the form has the figures",
                Some(_) => "no attack was possible by the columns of the spec",
            }
        )],
        Some(figures) => {
            let lines = figures.criteria.iter().map(|it| format!("- {}.", capital(&it.sentence())));
            let method = format!("- How: {}.", figures.method());
            lines.chain([method]).collect()
        }
    }
}

/// A sentence with a capital.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
