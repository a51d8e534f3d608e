//! A small table and its closest balanced structure.

use std::collections::BTreeMap;

use incrowd_engine::structure::{
    NearestStructure, StructureAnswer, StructureOutcome, StructureRow, StructureSpec,
    nearest_structure,
};
use incrowd_engine::value::BLANK;
use incrowd_engine::{Control, StopReason};
use serde_json::{Value, json};

use crate::{Result, Source, read_table};

/// A table's closest balanced structure.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TableStructure {
    /// The columns.
    pub columns: Vec<String>,
    /// The values of each column, by the codes that the structure speaks in.
    pub values: Vec<Vec<String>>,
    /// How many rows the table has.
    pub rows: usize,
    /// What was found.
    pub nearest: NearestStructure,
}

impl TableStructure {
    /// The facts for programs.
    pub fn to_json(&self, k: u32) -> Value {
        let TableStructure { columns, values, rows, nearest } = self;
        let extra = nearest.blanks().saturating_sub(nearest.least_blanks);
        let shown = |row: &StructureRow| {
            let cell = |(column, cell): (usize, &Option<u32>)| {
                cell.map_or(BLANK, |code| values[column][code as usize].as_str())
            };
            row.released.iter().enumerate().map(cell).collect::<Vec<_>>()
        };
        let structure = nearest.structure.as_ref();
        let released =
            structure.map(|structure| structure.rows.iter().map(shown).collect::<Vec<_>>());
        let found = structure.is_some();
        json!({
            "outcome": if found { "found" } else { "undecided" },
            "k": k,
            "columns": columns,
            "rows": rows,
            "blanks_per_row": found.then_some(nearest.blanks_per_row),
            "blanks": found.then_some(nearest.blanks()),
            "least_blanks": nearest.least_blanks,
            "extra_blanks": found.then_some(extra),
            "proven": found && nearest.undecided.is_empty(),
            "undecided": nearest.undecided,
            "states": nearest.states,
            "released": released,
        })
    }
}

/// The facts about a search for a balanced structure, for programs. What was found is checked.
pub fn structure_facts(spec: &StructureSpec, answer: &StructureAnswer) -> Result<Value> {
    let found = match &answer.outcome {
        StructureOutcome::Found(structure) => Some(structure.checked(spec)?),
        _ => None,
    };
    let why = match &answer.outcome {
        StructureOutcome::Absent { why } => why.clone(),
        StructureOutcome::Undecided { reason } => Some(limit_in_words(*reason).to_owned()),
        StructureOutcome::Found(_) => None,
    };
    Ok(json!({
        "outcome": match &answer.outcome {
            StructureOutcome::Found(_) => "found",
            StructureOutcome::Absent { .. } => "absent",
            StructureOutcome::Undecided { .. } => "undecided",
        },
        "k": spec.k,
        "columns": spec.domains.len(),
        "domains": spec.domains,
        "rows": spec.rows,
        "repeats": spec.repeats,
        "blanks_per_row": spec.blanks(),
        "states": answer.states,
        "why": why,
        "structure": found.map(|structure| &structure.rows),
    }))
}

/// Why a search for a structure ended undecided.
pub fn limit_in_words(reason: Option<StopReason>) -> &'static str {
    match reason {
        None => "the search reached its limit of states: see --limit",
        Some(StopReason::TimeLimit) => "the time limit was reached",
        Some(StopReason::Cancelled) => "it was interrupted",
    }
}

/// Maps a table, or some of its columns, to the balanced structure with the fewest blanks. Each search examines at
/// most `limit` states; what is found is checked.
pub fn nearest_of_table(
    source: &Source,
    columns: &[String],
    k: u32,
    limit: u64,
    control: &Control,
) -> Result<TableStructure> {
    let columns = if columns.is_empty() { source.columns() } else { columns }.to_vec();
    let places: Vec<usize> =
        columns.iter().map(|name| source.place_of(name)).collect::<Result<_>>()?;
    let table = read_table(source, Some(&places), &Control::new())?;
    let mut values: Vec<Vec<String>> = Vec::with_capacity(columns.len());
    let mut rows = vec![Vec::with_capacity(columns.len()); table.rows()];
    for name in &columns {
        // It was read because it is there.
        let Some(column) = table.column(name) else { continue };
        let mut codes: BTreeMap<&str, u32> = BTreeMap::new();
        let mut known = Vec::new();
        for (at, row) in rows.iter_mut().enumerate() {
            let value = column.value(at);
            let code = *codes.entry(value).or_insert_with(|| {
                known.push(value.to_owned());
                known.len() as u32 - 1
            });
            row.push(code);
        }
        values.push(known);
    }
    let nearest = nearest_structure(k, &rows, limit, control)?;
    if let Some(structure) = &nearest.structure {
        structure.checked(&StructureSpec {
            k,
            domains: values.iter().map(|values| values.len() as u32).collect(),
            rows: rows.len() as u32,
            repeats: u32::MAX,
            blanks: Some(nearest.blanks_per_row),
        })?;
    }
    Ok(TableStructure { columns, values, rows: rows.len(), nearest })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::{Input, ReadOptions};

    #[test]
    fn a_small_table_has_a_closest_structure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, "a,b,c\n0,0,x\n0,1,x\n1,0,x\n1,1,x\n").unwrap();
        let source = Source::open(&Input::from(path.as_path()), &ReadOptions::default()).unwrap();
        let columns = ["a".to_owned(), "b".to_owned()];
        let found = nearest_of_table(&source, &columns, 2, 100_000, &Control::new()).unwrap();
        assert_eq!((found.columns.as_slice(), found.rows), (columns.as_slice(), 4));
        assert_eq!(found.values, [["0", "1"], ["0", "1"]]);
        let structure = found.nearest.structure.unwrap();
        assert_eq!(structure.rows.len(), 4);
        let nobody = ["d".to_owned()];
        assert!(nearest_of_table(&source, &nobody, 2, 9, &Control::new()).is_err());
    }
}
