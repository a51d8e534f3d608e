//! Roles for columns that nobody has named: what is doubtful is left out.

use std::collections::BTreeMap;

use incrowd_engine::value::is_missing;
use incrowd_engine::{Control, Table};
use rayon::prelude::*;

use super::column_summary::{ColumnSummary, look};
use super::name_words::NameHint;
use super::role::{ExposureKind, LikelyRole};
use crate::disclose::{DisclosureTarget, implied, told_together};
use crate::expose::tells_of_table;
use crate::thresholds::{NAMED, NEARLY_ALL, SMALL_ROWS};

/// The role that is proposed for a column.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleProposal {
    /// The column's place in the table.
    pub at: usize,
    /// The role: quasi, sensitive, plain, or identifying for what is better left out.
    pub role: LikelyRole,
    /// Why, in words without an end.
    pub why: String,
}

/// Proposes roles for the `open` columns of a table, where `quasi` are the quasi-identifiers that somebody has named. If nobody
/// has named any, they are proposed, too. A column gets a role in which it is released only if it numbers nobody, follows from no
/// quasi-identifier and tells none.
pub fn propose(
    table: &Table,
    quasi: &[usize],
    open: &[usize],
    missing: &[String],
    control: &Control,
) -> Vec<RoleProposal> {
    let looks: Vec<ColumnSummary> =
        open.par_iter().map(|&at| look_at(table, at, missing)).collect();
    let mut proposals: Vec<RoleProposal> = Vec::new();
    for (&at, look) in open.iter().zip(&looks) {
        let (role, why) = alone(&table.columns()[at].name, look, quasi.is_empty());
        proposals.push(RoleProposal { at, role, why });
    }
    let named = quasi;
    let mut quasi = named.to_vec();
    if quasi.is_empty() {
        // Nothing speaks of what others know: then everything that people share may be known.
        if proposals.iter().all(|it| it.role != LikelyRole::Quasi) {
            for (proposal, look) in proposals.iter_mut().zip(&looks) {
                if proposal.role == LikelyRole::Plain && look.role == LikelyRole::Quasi {
                    (proposal.role, proposal.why) =
                        (LikelyRole::Quasi, "others may know it".to_owned());
                }
            }
        }
        let proposed = proposals.iter().filter(|it| it.role == LikelyRole::Quasi);
        quasi.extend(proposed.map(|it| it.at));
    }
    let released =
        |it: &&RoleProposal| matches!(it.role, LikelyRole::Plain | LikelyRole::Sensitive);
    let asked: Vec<DisclosureTarget> = proposals
        .iter()
        .filter(released)
        .map(|it| DisclosureTarget { at: it.at, exact: it.role == LikelyRole::Sensitive })
        .collect();
    let mut doubtful: BTreeMap<String, String> = BTreeMap::new();
    for rule in implied(table, &quasi, &asked, None, missing, control) {
        doubtful.insert(rule.column, format!("it follows from {}", rule.from.join(" and ")));
    }
    let places: Vec<usize> = asked.iter().map(|it| it.at).collect();
    for told in tells_of_table(table, &places, &quasi) {
        doubtful.entry(told.column).or_insert_with(|| format!("it reveals {}", told.quasi));
    }
    let left: Vec<usize> = places
        .into_iter()
        .filter(|&at| !doubtful.contains_key(&table.columns()[at].name))
        .collect();
    for told in told_together(table, &left, &quasi, None, missing, control) {
        let [one, other] = told.columns;
        doubtful
            .entry(other)
            .or_insert_with(|| format!("together with {one} it reveals {}", told.target));
    }
    for proposal in &mut proposals {
        if let Some(why) = doubtful.remove(&table.columns()[proposal.at].name) {
            (proposal.role, proposal.why) = (LikelyRole::Identifying, why);
        }
    }
    proposals
}

fn look_at(table: &Table, at: usize, missing: &[String]) -> ColumnSummary {
    let column = &table.columns()[at];
    let mut counts = vec![0_u64; column.dictionary.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    let values = column.dictionary.iter().zip(counts).filter(|&(_, count)| count > 0);
    let (absent, present): (Vec<_>, Vec<_>) =
        values.partition(|(value, _)| is_missing(value, missing));
    let absent = absent.iter().map(|(_, count)| count).sum();
    look(&column.name, &present, column.codes.len() as u64, absent, 1)
}

/// The role of a column by itself.
fn alone(name: &str, look: &ColumnSummary, no_quasi: bool) -> (LikelyRole, String) {
    use LikelyRole::{Identifying, Plain, Quasi, Sensitive};
    let present = table_rows(look);
    let known = NameHint::of(name) == NameHint::Attribute || look.kind.is_date();
    let numbers_people = look.exposed.as_ref().filter(|it| it.how.is_identifier());
    if let Some(exposed) = numbers_people {
        return (Identifying, exposed.why.clone());
    }
    if NameHint::of(name) == NameHint::Subject && look.values >= NAMED {
        return (Identifying, "its name suggests that it numbers or names people".to_owned());
    }
    if look.values < 2 {
        return (Plain, "everybody has the same value".to_owned());
    }
    let exposed = look.exposed.as_ref().map(|it| it.how);
    let tells_apart = present > SMALL_ROWS && look.values as f64 >= NEARLY_ALL * present as f64;
    match exposed {
        Some(ExposureKind::Time | ExposureKind::Place) if no_quasi => {
            (Quasi, "others may know it".to_owned())
        }
        _ if known && no_quasi => (Quasi, "others may know it".to_owned()),
        _ if known => (Identifying, "others may know it, but it is not named as quasi".to_owned()),
        _ if tells_apart => (Identifying, "it is different for nearly everybody".to_owned()),
        Some(ExposureKind::Time | ExposureKind::Place | ExposureKind::Value) => {
            let why = look.exposed.as_ref().map_or(String::new(), |it| it.why.clone());
            (Identifying, why)
        }
        _ if look.role == Sensitive => (Sensitive, "people keep it to themselves".to_owned()),
        _ => (Plain, "others rarely know it".to_owned()),
    }
}

/// How many rows have a value.
fn table_rows(look: &ColumnSummary) -> u64 {
    look.rows.saturating_sub(look.missing)
}
