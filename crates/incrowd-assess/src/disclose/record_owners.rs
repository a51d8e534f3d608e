//! Whose records are looked at: somebody's other records are no evidence of what follows from what.

use incrowd_engine::table::Column;

/// The people behind some records.
#[derive(Debug, Default)]
pub(super) struct RecordOwners {
    /// Whose each record is, and whether it is the first of theirs; nothing where every record is somebody's own.
    of: Option<(Vec<u32>, Vec<bool>)>,
}

impl RecordOwners {
    /// The people that a column tells apart in some rows.
    pub(super) fn new(unit: Option<&Column>, rows: &[usize]) -> Self {
        let of = unit.map(|unit| {
            let of: Vec<u32> = rows.iter().map(|&row| unit.codes[row]).collect();
            let mut seen = vec![false; unit.dictionary.len()];
            let first =
                of.iter().map(|&code| !std::mem::replace(&mut seen[code as usize], true)).collect();
            (of, first)
        });
        RecordOwners { of }
    }

    /// Whose a record is.
    pub(super) fn of(&self, row: usize) -> u32 {
        self.of.as_ref().map_or(row as u32, |(of, _)| of[row])
    }

    /// Whether a record is the first of somebody.
    pub(super) fn is_first(&self, row: usize) -> bool {
        self.of.as_ref().is_none_or(|(_, first)| first[row])
    }

    /// Who has several values among rows of (known, value, whose), sorted.
    pub(super) fn with_several_values(&self, rows: &[(u32, u32, u32)]) -> Vec<u32> {
        if self.of.is_none() {
            return Vec::new();
        }
        let mut pairs: Vec<(u32, u32)> = rows.iter().map(|row| (row.2, row.1)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
            .chunk_by(|one, other| one.0 == other.0)
            .filter(|it| it.len() > 1)
            .map(|it| it[0].0)
            .collect()
    }
}
