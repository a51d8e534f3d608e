//! Sensitive values that differ in a way that people hardly mean.

use std::collections::BTreeMap;

use incrowd_engine::Problem;
use incrowd_engine::words::{count, values};

use crate::plan::warning::Warning;

/// How many spellings are shown.
const SHOWN: usize = 4;

/// Warnings of sensitive values that differ in upper and lower case alone: `Flu` beside `flu` is one diagnosis more to a model, and
/// hardly to a reader.
pub(crate) fn case_variants(problem: &Problem) -> Vec<Warning> {
    let judged = |at: usize| problem.privacy.requirements.iter().any(|it| it.column == at);
    let columns = problem.targets.columns.iter().enumerate();
    let unit = problem.privacy.unit();
    let columns = columns.filter(|(at, _)| judged(*at) && unit != Some(*at));
    columns
        .filter_map(|(_, column)| {
            let mut spelled: BTreeMap<String, Vec<&str>> = BTreeMap::new();
            for code in 0..column.domain.len() as u32 {
                let label = column.domain.label(code);
                spelled.entry(label.to_lowercase()).or_default().push(label);
            }
            let several: Vec<&Vec<&str>> = spelled.values().filter(|all| all.len() > 1).collect();
            let first = several.first()?;
            let shown: Vec<&str> = first.iter().take(SHOWN).copied().collect();
            Some(Warning::new(
                "case-variants",
                format!(
                    "{} of `{}` {} several spellings that differ only in case and count as \
                     different values: {}; use one spelling",
                    count(several.len() as u64, "value", "values"),
                    column.name,
                    if several.len() == 1 { "has" } else { "have" },
                    values(&shown),
                ),
            ))
        })
        .collect()
}
