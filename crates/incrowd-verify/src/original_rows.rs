//! What is collected for the comparison with the original.

use hashbrown::HashMap;

use crate::column_format::ColumnFormat;
use crate::columns::{ColumnUse, QuasiIdentifier, ValueColumn};
use crate::error::{Error, InputPosition, InputTable, Result};
use crate::intern::ValueDictionary;
use crate::requirements::Requirements;
use crate::row_numbering::RowNumbering;
use crate::tuples::TupleCounts;
use crate::value::MissingTokens;

/// How many rows are remembered of each distinct released row.
const KEEP: usize = 4;

/// The original and released rows as they come in.
///
/// Columns that must be equal share their codes between both tables; rows that agree in all of
/// them form a group. A distinct original row is its group and its quasi-identifiers, a distinct
/// released one its group and its class.
pub(crate) struct OriginalRows {
    pub(crate) header: Vec<String>,
    uses: Vec<ColumnUse>,
    /// For each column what was done to its values before they were released, if anything was.
    changes: Vec<Option<TransformationCache>>,
    /// The quasi-identifiers that are compared, by their places in the requirements.
    pub(crate) contained: Vec<usize>,
    /// Their original values.
    pub(crate) originals_of: Vec<ValueDictionary>,
    /// The places of the columns that must be equal.
    pub(crate) equal: Vec<usize>,
    pub(crate) unknown: Vec<String>,
    pub(crate) unchecked: Vec<String>,
    pub(crate) groups: TupleCounts,
    pub(crate) originals: TupleCounts,
    pub(crate) released: TupleCounts,
    /// How often each value of each value column occurs in the original, if it has that column.
    pub(crate) overall: Vec<Option<Vec<u64>>>,
    pub(crate) rows: RowNumbering,
    key: Vec<u32>,
    codes: Vec<u32>,
    value_codes: Vec<u32>,
}

impl OriginalRows {
    pub(crate) fn new(
        (quasi, requirements): (&[QuasiIdentifier], &Requirements),
        values: &[ValueColumn],
        original: &[String],
        contained: Vec<usize>,
        equal: Vec<usize>,
        unknown: Vec<String>,
        unchecked: Vec<String>,
    ) -> Self {
        let mut uses = vec![ColumnUse::default(); original.len()];
        let mut overall = vec![None; values.len()];
        let place_of: HashMap<&str, usize> =
            values.iter().enumerate().map(|(at, column)| (column.name.as_str(), at)).collect();
        for (used, name) in uses.iter_mut().zip(original) {
            let place = contained.iter().position(|&at| quasi[at].name == *name);
            used.label = place.map(|at| at as u32);
            let value = place_of.get(name.as_str()).copied();
            used.value = value.map(|at| at as u32);
            if let Some(at) = value {
                overall[at] = values[at].histograms.is_some().then(Vec::new);
            }
        }
        OriginalRows {
            header: original.to_vec(),
            uses,
            originals_of: contained
                .iter()
                .map(|&at| ValueDictionary::new(requirements.style(&quasi[at].name)))
                .collect(),
            changes: original
                .iter()
                .map(|name| {
                    let told =
                        requirements.told.get(name).filter(|told| !told.changes.is_empty())?;
                    Some(TransformationCache { told: told.clone(), known: HashMap::new() })
                })
                .collect(),
            groups: TupleCounts::new(equal.len(), 0),
            originals: TupleCounts::new(1 + contained.len(), 1),
            released: TupleCounts::new(2, KEEP),
            overall,
            rows: RowNumbering::of_part(0),
            key: Vec::new(),
            codes: vec![0; contained.len()],
            value_codes: vec![0; values.len()],
            contained,
            equal,
            unknown,
            unchecked,
        }
    }

    /// Takes `count` rows of the original that are equal.
    pub(crate) fn add(
        &mut self,
        fields: impl IntoIterator<Item = impl AsRef<[u8]>>,
        count: u64,
        values: &mut [ValueColumn],
        missing: &MissingTokens,
    ) -> Result<()> {
        let table = InputTable::Original;
        let row = self.rows.next(count, table)?;
        let place = InputPosition::Row(row);
        let not_utf8 = |header: &[String], at: usize| {
            let column = header[at].clone();
            Error::NotUtf8 { table, place, column }
        };
        let mut found = 0;
        for (field, at) in fields.into_iter().zip(0..) {
            found = at + 1;
            let Some(&used) = self.uses.get(at) else { continue };
            let field = field.as_ref();
            let changed = match &mut self.changes[at] {
                Some(changes) if used.label.is_some() || used.value.is_some() => {
                    let text =
                        std::str::from_utf8(field).map_err(|_| not_utf8(&self.header, at))?;
                    Some(changes.of(text, missing))
                }
                _ => None,
            };
            let (hidden, equal) = changed
                .map_or((field, field), |changed| (changed.0.as_bytes(), changed.1.as_bytes()));
            if let Some(quasi) = used.label {
                let code = self.originals_of[quasi as usize].intern(hidden, row, missing);
                self.codes[quasi as usize] = code.map_err(|_| not_utf8(&self.header, at))?;
            }
            if let Some(value) = used.value {
                let code = values[value as usize].values.intern_before(equal, row, missing);
                self.value_codes[value as usize] = code.map_err(|_| not_utf8(&self.header, at))?;
            }
        }
        if found != self.header.len() {
            return Err(Error::Ragged { table, place, expected: self.header.len(), found });
        }
        self.rows.add(count);
        for (counts, &value) in self.overall.iter_mut().zip(&self.value_codes) {
            if let Some(counts) = counts {
                if counts.len() <= value as usize {
                    counts.resize(value as usize + 1, 0);
                }
                counts[value as usize] += count;
            }
        }
        let group = group_of(&mut self.groups, &self.equal, &self.value_codes, &mut self.key);
        self.key.clear();
        self.key.push(group);
        self.key.extend_from_slice(&self.codes);
        self.originals.add(&self.key, row, count);
        Ok(())
    }

    /// Takes `count` rows of the release that are equal.
    pub(crate) fn add_released(&mut self, class: u32, value_codes: &[u32], row: u64, count: u64) {
        let group = group_of(&mut self.groups, &self.equal, value_codes, &mut self.key);
        self.released.add(&[group, class], row, count);
    }

    /// The distribution of a value column over the original, if the original has that column and
    /// any rows.
    pub(crate) fn overall(&self, column: usize) -> Option<&[u64]> {
        self.overall.get(column)?.as_deref().filter(|counts| !counts.is_empty())
    }
}

/// What became of the values of a column, each worked out once.
struct TransformationCache {
    told: ColumnFormat,
    known: HashMap<String, (String, String)>,
}

impl TransformationCache {
    /// What a value became as far as labels do not show it, and all of it.
    fn of(&mut self, value: &str, missing: &MissingTokens) -> &(String, String) {
        let TransformationCache { told, known } = self;
        known
            .entry_ref(value)
            .or_insert_with(|| (told.hidden(value, missing), told.changed(value, missing)))
    }
}

fn group_of(groups: &mut TupleCounts, equal: &[usize], codes: &[u32], key: &mut Vec<u32>) -> u32 {
    key.clear();
    key.extend(equal.iter().map(|&at| codes[at]));
    groups.add(key, 0, 1)
}
